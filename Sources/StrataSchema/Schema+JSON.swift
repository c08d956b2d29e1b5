// A schema as JSON, in two forms. The full form carries everything and is read back; the shape form
// carries what stored data depends on, and its digest recognises a file.

extension Schema {
  /// Everything, in a form that `init(json:)` reads back to an equal schema.
  package var json: JSON {
    .object([
      "schema": .string(name), "version": .int(Int64(version)), "language": .int(Int64(language)),
      "models": .array(models.map { $0.json(.full) }),
      "enums": .array(enums.map { $0.json(.full) }),
    ])
  }

  /// What the schema means for stored data: models, properties, types, optionality, defaults, keys,
  /// indexes, inverses, delete rules and the raw values of enums. Neither its version nor docs, Swift
  /// names, ignored properties, abstract models or inheritance.
  package var shapeJSON: JSON {
    .object([
      "models": .array(storedModels.map { $0.json(.shape) }),
      "enums": .array(enums.map { $0.json(.shape) }),
    ])
  }

  /// The digest of `shapeJSON`.
  package var shape: Digest { Digest(of: shapeJSON.canonicalText) }

  /// Whether two schemas have one shape: cheaper than two digests, because what is equal needs no JSON.
  package func hasShape(of other: Schema) -> Bool {
    let (models, others) = (storedModels, other.storedModels)
    return models.count == others.count && enums.count == other.enums.count
      && zip(models, others).allSatisfy {
        $0 == $1 && $0.isSpelled(like: $1) || $0.json(.shape).isSpelled(like: $1.json(.shape))
      }
      && zip(enums, other.enums).allSatisfy {
        $0 == $1 && $0.name.isSpelled(like: $1.name)
          || $0.json(.shape).isSpelled(like: $1.json(.shape))
      }
  }
}

private enum Form {
  case full
  case shape
}

/// Builds an object without its members that say nothing.
private struct Members {
  var members: [String: JSON] = [:]

  mutating func set(_ key: String, _ value: String?) {
    if let value { members[key] = .string(value) }
  }

  mutating func set(_ key: String, _ value: Bool) {
    if value { members[key] = .bool(true) }
  }

  mutating func set(_ key: String, _ names: [String]) {
    if !names.isEmpty { members[key] = .array(names.map(JSON.string)) }
  }

  mutating func set(_ key: String, _ lists: [[String]]) {
    if !lists.isEmpty { members[key] = .array(lists.map { .array($0.map(JSON.string)) }) }
  }
}

extension Model {
  fileprivate func json(_ form: Form) -> JSON {
    var result = Members()
    result.set("name", name)
    result.set("embedded", isEmbedded)
    result.set("primaryKey", primaryKey)
    result.set("indexes", indexes)
    result.set("unique", uniques)
    if form == .full {
      result.set("swiftName", swiftName)
      result.set("doc", doc)
      result.set("abstract", isAbstract)
      result.set("extends", extends)
      if !rules.isEmpty { result.members["rules"] = .array(rules.map(\.json)) }
    }
    let shown = form == .full ? properties : properties.filter { !$0.isIgnored }
    result.members["properties"] = .array(shown.map { $0.json(form) })
    return .object(result.members)
  }
}

extension Property {
  fileprivate func json(_ form: Form) -> JSON {
    var result = Members()
    result.set("name", name)
    result.set(type.isInverse ? "linkingObjects" : "type", type.spelling)
    if let defaultValue { result.members["default"] = defaultValue.json }
    result.set("indexed", index == .none ? nil : index.rawValue)
    result.set("unique", isUnique)
    result.set("deleteRule", deleteRule == .nullify ? nil : deleteRule.rawValue)
    result.set("generate", generate?.rawValue)
    if form == .full {
      result.set("swiftName", swiftName)
      result.set("doc", doc)
      result.set("ignored", isIgnored)
    }
    return .object(result.members)
  }
}

extension EnumType {
  fileprivate func json(_ form: Form) -> JSON {
    var result = Members()
    result.set("name", name)
    result.set("type", rawType.rawValue)
    switch form {
    case .full:
      result.set("doc", doc)
      result.members["cases"] = .object(
        Dictionary(uniqueKeysWithValues: cases.map { ($0.name, $0.rawValue.json) }))
    case .shape:
      result.members["cases"] = .array(
        cases.map(\.rawValue.json).sorted { $0.canonicalText < $1.canonicalText })
    }
    return .object(result.members)
  }
}

extension Value {
  /// The value with its type, so that it is read back bit for bit: null, true, text and whole numbers as
  /// themselves, everything else as an object of one member.
  package var json: JSON {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .string(let value): .string(value)
    case .float(let value): .object(["float": .string(Hex.encode(value.bitPattern.bytes))])
    case .double(let value): .object(["double": .string(Hex.encode(value.bitPattern.bytes))])
    case .date(let value): .object(["date": .string(Hex.encode(value.bitPattern.bytes))])
    case .data(let value): .object(["data": .string(Hex.encode(value))])
    case .uuid(let value): .object(["uuid": .string(value.description)])
    case .decimal(let value): .object(["decimal": .string(value.text)])
    case .objectID(let value): .object(["objectId": .string(value.description)])
    case .link(let identity): .object(["link": .int(identity)])
    case .object(let model, let identity):
      .object(["object": .array([.string(model), .int(identity)])])
    }
  }

  /// Reads what `json` wrote; nil for anything else.
  package init?(json: JSON) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .string(let value): self = .string(value)
    case .object(let members):
      guard members.count == 1, let (kind, content) = members.first else { return nil }
      if kind == "link", let identity = content.int {
        self = .link(identity)
        return
      }
      if kind == "object", let pair = content.array, pair.count == 2, let model = pair[0].string,
        let identity = pair[1].int
      {
        self = .object(model: model, identity: identity)
        return
      }
      guard let text = content.string, let value = Value(kind: kind, text: text) else { return nil }
      self = value
    case .double, .number, .array, .entries: return nil
    }
  }

  private init?(kind: String, text: String) {
    switch kind {
    case "float":
      guard let bits = UInt32(text, radix: 16) else { return nil }
      self = .float(Float(bitPattern: bits))
    case "double", "date":
      guard let bits = UInt64(text, radix: 16) else { return nil }
      self = kind == "date" ? .date(Double(bitPattern: bits)) : .double(Double(bitPattern: bits))
    case "data":
      guard let bytes = Hex.decode(text.utf8) else { return nil }
      self = .data(bytes)
    case "uuid":
      guard let value = UUIDValue(text) else { return nil }
      self = .uuid(value)
    case "decimal":
      guard let value = DecimalValue(text) else { return nil }
      self = .decimal(value)
    case "objectId":
      guard let value = ObjectIDValue(text) else { return nil }
      self = .objectID(value)
    default: return nil
    }
  }
}

extension FixedWidthInteger {
  /// Big-endian.
  fileprivate var bytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: self >> Self($0))
    }
  }
}
