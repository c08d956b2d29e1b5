import StrataSchema

extension Object {
  /// How many links `json` follows when nobody says: bounds what a deep graph can become.
  public static var defaultJSONDepth: Int { 32 }

  /// The object as a text of JSON that `Store.create(_:json:update:)` reads back.
  ///
  /// What it links to stands inside of it. An object that is met again is named by its primary key, `{"id": 1}`, so that
  /// circles end; one without a key is nil where it would contain itself. Dates are ISO 8601, data is base64, numbers that JSON has
  /// no digits for are texts: `"NaN"`.
  /// - Parameter depth: how many links are followed; beyond, objects are named by their keys. Embedded objects are always
  ///   written.
  public final func json(depth: Int = Object.defaultJSONDepth) -> String {
    var writer = ObjectJSON()
    return writer.json(of: self, depth: depth).canonicalText
  }
}

extension Results {
  /// The objects as JSON, one a line, without keeping more than one of them in memory.
  ///
  /// ```swift
  /// try people.writeJSONLines { line in try file.write(line + "\n") }
  /// ```
  public func writeJSONLines(
    depth: Int = Object.defaultJSONDepth, _ write: (String) throws -> Void
  ) rethrows {
    for object in self { try write(object.json(depth: depth)) }
  }
}

extension Object: Encodable {
  /// The object as any encoder writes it, in the form of ``json(depth:)``.
  public func encode(to encoder: any Encoder) throws {
    var writer = ObjectJSON()
    try EncodedJSON(json: writer.json(of: self, depth: Object.defaultJSONDepth)).encode(to: encoder)
  }
}

/// One object on its way to JSON.
private struct ObjectJSON {
  private enum Identity: Hashable {
    case row(model: String, row: Int64)
    case instance(ObjectIdentifier)

    init(_ object: Object) {
      self =
        object.manager == nil
        ? .instance(ObjectIdentifier(object))
        : .row(model: object.model.model.name, row: object.row)
    }
  }

  /// Objects that were written whole.
  private var written: Set<Identity> = []
  /// Objects that contain the one that is being written.
  private var outer: Set<Identity> = []

  mutating func json(of object: Object, depth: Int) -> JSON {
    let identity = Identity(object)
    written.insert(identity)
    outer.insert(identity)
    defer { outer.remove(identity) }
    var members: [String: JSON] = [:]
    for (index, property) in object.model.model.properties.enumerated() where property.isStored {
      members[property.name] = json(of: property, at: index, object, depth)
    }
    return .object(members)
  }

  private mutating func json(
    of property: Property, at index: Int, _ object: Object, _ depth: Int
  ) -> JSON {
    guard let type = property.type.valueType else { return .null }
    let scalar = object.model.schema.storedScalar(of: type.base) ?? .any
    switch property.type {
    case .inverse: return .null
    case .value: return json(object.cell(at: index), scalar, depth)
    case .list:
      let elements = object.collection(at: index, as: ListCore.self).standaloneElements
      return .array(elements.map { json($0.cell, scalar, depth) })
    case .set:
      let elements = object.collection(at: index, as: SetCore.self).standaloneElements
      return .array(elements.map { json($0.cell, scalar, depth) })
    case .map:
      var members: [String: JSON] = [:]
      for (key, element) in object.collection(at: index, as: MapCore.self).standaloneElements {
        members[key] = json(element.cell, scalar, depth)
      }
      return .object(members)
    }
  }

  private mutating func json(_ cell: GeneratedCell?, _ scalar: ScalarType, _ depth: Int) -> JSON {
    switch cell?.content {
    case nil: return .null
    case .value(let value): return JSONCoding.json(value, as: scalar)
    case .object(let object):
      if object.model.model.isEmbedded { return json(of: object, depth: depth) }
      let identity = Identity(object)
      let hasKey = !object.model.model.primaryKey.isEmpty
      if depth <= 0 || outer.contains(identity) || (hasKey && written.contains(identity)) {
        return key(of: object)
      }
      return json(of: object, depth: depth - 1)
    }
  }

  private mutating func key(of object: Object) -> JSON {
    let model = object.model.model
    if model.primaryKey.isEmpty { return .null }
    var members: [String: JSON] = [:]
    for (index, property) in model.properties.enumerated()
    where model.primaryKey.contains(property.name) {
      members[property.name] = json(of: property, at: index, object, 0)
    }
    return .object(members)
  }
}

/// JSON as any encoder takes it.
private struct EncodedJSON: Encodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  let json: JSON

  func encode(to encoder: any Encoder) throws {
    switch json {
    case .object(let members):
      var container = encoder.container(keyedBy: Key.self)
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        try container.encode(EncodedJSON(json: member), forKey: Key(name))
      }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(EncodedJSON(json: element)) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .int(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .double(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}
