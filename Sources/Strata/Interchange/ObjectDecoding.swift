import StrataSchema

/// Standalone objects out of whatever a decoder reads, nested as `ObjectFormWriter` writes them.
///
/// - A missing key leaves the property as a new object has it; a property that has no such value has to be there.
/// - null is nil where nil can be, and an empty collection.
/// - Objects of one model with the same primary key are one object, unless no part of it has a value and both are written whole. Of one
///   whose key alone is given everywhere, nothing else is written over an object that a store has.
final class ObjectDecoding {
  /// How deeply objects may be nested, which is what the 512 KiB of a thread's stack have room for in a debug build.
  static let maximumDepth = 64

  typealias Container = KeyedDecodingContainer<PropertyKey>

  private struct Key: Hashable {
    let model: String
    let key: [Value]
  }

  private var objects: [Key: Object] = [:]
  /// Objects that were named by their key only so far, with what their first place lacks.
  private var incomplete: [Key: DecodingError] = [:]

  func decode(_ object: Object, from decoder: any Decoder) throws {
    guard type(of: object) != Object.self, type(of: object) != DynamicObject.self else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "\(type(of: object)) has no model of its own to decode."))
    }
    let container = try decoder.container(keyedBy: PropertyKey.self)
    let key = try key(of: object.model, in: container)
    if let key { objects[key] = object }
    if let missing = try fill(object, from: container, depth: 0) { throw missing }
    if key != nil, isMention(container, of: object.model) {
      object.standaloneStorage.setBesidesKey = []
    }
    // Any of them will do for a message; the first by name is always the same.
    let first = incomplete.min { "\($0.key)" < "\($1.key)" }
    if let first { throw first.value }
  }

  /// An object that another one links to.
  func object(_ model: _GeneratedModel, from decoder: any Decoder, depth: Int) throws -> Object {
    guard depth < Self.maximumDepth else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "Objects are nested more than \(Self.maximumDepth) deep."))
    }
    let container = try decoder.container(keyedBy: PropertyKey.self)
    guard let key = try key(of: model, in: container) else {
      let object = model.newObject()
      if let missing = try fill(object, from: container, depth: depth) { throw missing }
      return object
    }
    let isMention = isMention(container, of: model)
    // Where no part of the key has a value yet, several objects may have it until they are stored.
    let isAnother =
      !isMention && key.key.allSatisfy(\.isNull)
      && objects[key].map { $0.standaloneStorage.setBesidesKey == nil } ?? false
    let known = isAnother ? nil : objects[key]
    let object = known ?? model.newObject()
    // Before its values, which may lead back to it.
    if !isAnother { objects[key] = object }
    let missing = try fill(object, from: container, depth: depth)
    if !isMention {
      object.standaloneStorage.setBesidesKey = nil
    } else if known == nil {
      object.standaloneStorage.setBesidesKey = []
    }
    if let missing {
      guard isMention else { throw missing }
      if known == nil { incomplete[key] = missing }
    } else {
      incomplete[key] = nil
    }
    return object
  }

  /// Whether nothing but a key is given.
  private func isMention(_ container: Container, of model: _GeneratedModel) -> Bool {
    container.allKeys.allSatisfy {
      model.model.primaryKey.contains($0.stringValue) || $0.stringValue == "$model"
    }
  }

  /// The given primary key, a part of which may be nil; nil for a model without one, and where it is not given.
  private func key(of model: _GeneratedModel, in container: Container) throws -> Key? {
    guard !model.model.primaryKey.isEmpty else { return nil }
    var values: [Value] = []
    for name in model.model.primaryKey {
      let key = PropertyKey(name)
      guard let type = model.model.property(named: name)?.type.valueType,
        let scalar = model.schema.storedScalar(of: type.base), container.contains(key)
      else { return nil }
      if try container.decodeNil(forKey: key) {
        guard type.isOptional else { return nil }
        values.append(.null)
        continue
      }
      values.append(try ScalarDecoding.value(scalar, from: container.superDecoder(forKey: key)))
    }
    return Key(model: model.model.name, key: values)
  }

  // MARK: - Properties

  /// Sets the given properties, and says what is missing.
  private func fill(
    _ object: Object, from container: Container, depth: Int
  ) throws -> DecodingError? {
    let model = object.model
    var missing: DecodingError?
    for (index, property) in model.model.properties.enumerated() where property.isStored {
      let key = PropertyKey(property.name)
      if container.contains(key) {
        try set(property, at: index, of: object, from: container, key, depth)
      } else if property.hasToBeGiven, missing == nil {
        missing = .keyNotFound(
          key,
          DecodingError.Context(
            codingPath: container.codingPath,
            debugDescription:
              "\(model.model.name).\(property.name) is required and has no default."))
      }
    }
    return missing
  }

  private func set(
    _ property: Property, at index: Int, of object: Object, from container: Container,
    _ key: PropertyKey, _ depth: Int
  ) throws {
    let elements = Elements(decoding: self, property: property, model: object.model, depth: depth)
    let isNull = try container.decodeNil(forKey: key)
    switch property.type {
    case .inverse: return
    case .value:
      object.standaloneStorage.values[index] =
        isNull
        ? try elements.null(at: container.codingPath + [key])
        : try elements.element(from: container.superDecoder(forKey: key))
    case .list:
      let core = object.collection(at: index, as: ListCore.self)
      core.removeAll()
      if isNull { return }
      for element in try elements.all(in: container, key) { core.append(element) }
    case .set:
      let core = object.collection(at: index, as: SetCore.self)
      core.removeAll()
      if isNull { return }
      for element in try elements.all(in: container, key) { core.insert(element) }
    case .map:
      let core = object.collection(at: index, as: MapCore.self)
      core.removeAll()
      if isNull { return }
      for (name, element) in try elements.byName(in: container, key) {
        core.set(element, forKey: name)
      }
    }
  }
}

extension Property {
  /// Whether a new object has no value of the property that was declared.
  var hasToBeGiven: Bool {
    guard case .value(let type) = self.type else { return false }
    return !type.isOptional && type.base.scalar != .any && generate == nil
      && defaultValue?.isNull ?? true
  }
}

/// The values that a property holds.
struct Elements {
  let decoding: ObjectDecoding
  let property: Property
  let model: _GeneratedModel
  let depth: Int

  private var type: ValueType { property.type.valueType ?? ValueType(.scalar(.any)) }

  /// Nil for a property or an element, where it can be.
  func null(at path: [any CodingKey]) throws -> StandaloneValue {
    guard type.isOptional || type.base.scalar == .any else {
      throw DecodingError.valueNotFound(
        Value.self,
        DecodingError.Context(
          codingPath: path,
          debugDescription:
            "\(model.model.name).\(property.name) is \(property.type.spelling) and cannot hold null."
        ))
    }
    return .value(.null)
  }

  func element(from decoder: any Decoder) throws -> StandaloneValue {
    switch type.base {
    case .object(let name):
      return .object(try object(named: name, from: decoder))
    // Also a value that has no case: it is what an encoder writes of a file that another version has written.
    case .enumeration: return .value(try ScalarDecoding.value(scalar, from: decoder))
    case .scalar(.any):
      if let name = try modelName(in: decoder) {
        return .object(try object(named: name, from: decoder))
      }
      return .value(try ScalarDecoding.value(.any, from: decoder))
    case .scalar(let scalar):
      return .value(try ScalarDecoding.value(scalar, from: decoder))
    }
  }

  private var scalar: ScalarType { model.schema.storedScalar(of: type.base) ?? .any }

  private func object(named name: String, from decoder: any Decoder) throws -> Object {
    guard let target = model.siblings?.model(named: name), !target.model.isAbstract else {
      throw ScalarDecoding.corrupted("There is no model \(name).", decoder)
    }
    return try decoding.object(target, from: decoder, depth: depth + 1)
  }

  /// What an object in a property of type `any` says under `"$model"`.
  private func modelName(in decoder: any Decoder) throws -> String? {
    guard let container = try? decoder.container(keyedBy: PropertyKey.self),
      container.contains(PropertyKey("$model"))
    else { return nil }
    return try container.decode(String.self, forKey: PropertyKey("$model"))
  }

  // MARK: - Collections

  func all(in container: ObjectDecoding.Container, _ key: PropertyKey) throws -> [StandaloneValue] {
    var elements = try container.nestedUnkeyedContainer(forKey: key)
    var values: [StandaloneValue] = []
    while !elements.isAtEnd {
      let path = elements.codingPath + [PlaceKey(elements.currentIndex)]
      values.append(
        try elements.decodeNil()
          ? try null(at: path) : try element(from: elements.superDecoder()))
    }
    return values
  }

  /// As a dictionary, whose keys a decoder leaves as they are whatever it does with names of properties.
  func byName(
    in container: ObjectDecoding.Container, _ key: PropertyKey
  ) throws -> [(String, StandaloneValue)] {
    try MapElement.$place.withValue(MapElement.Place(elements: self)) {
      try container.decode([String: MapElement].self, forKey: key)
    }
    .map { ($0.key, $0.value.value) }
  }
}

/// The place of an element in an array, for messages.
private struct PlaceKey: CodingKey {
  let index: Int
  var stringValue: String { "Index \(index)" }
  var intValue: Int? { index }

  init(_ index: Int) { self.index = index }
  init?(stringValue: String) { nil }
  init?(intValue: Int) { index = intValue }
}

/// An element of a map, which learns from its place what it is.
private struct MapElement: Decodable {
  /// A dictionary's elements are decoded by their type alone: what they belong to has to be said beside it.
  // Bound and read within one synchronous call, by the task or thread that made it.
  struct Place: @unchecked Sendable {
    let elements: Elements
  }

  @TaskLocal static var place: Place?

  let value: StandaloneValue

  init(from decoder: any Decoder) throws {
    guard let elements = Self.place?.elements else {
      misuse("An element of a map is decoded with its map.")
    }
    let isNull = try decoder.singleValueContainer().decodeNil()
    value =
      isNull ? try elements.null(at: decoder.codingPath) : try elements.element(from: decoder)
  }
}
