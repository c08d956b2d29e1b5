package import StrataSchema

extension Schema {
  /// The bytes of `versions/N.yaml`: one declaration file, sorted, everything explicit, no comments. The
  /// frontend reads it back to an equal schema, and equal schemas have equal bytes.
  package var canonicalYAML: String {
    var writer = YAMLWriter()
    writer.line(0, "schema", YAMLWriter.name(name))
    writer.line(0, "version", String(version))
    writer.line(0, "language", String(language))
    if !models.isEmpty {
      writer.open(0, "models")
      for model in models { writer.write(model, in: self) }
    }
    if !enums.isEmpty {
      writer.open(0, "enums")
      for enumeration in enums { writer.write(enumeration) }
    }
    return writer.text
  }
}

/// Writes the small part of YAML that canonical files are made of: block mappings, and lists in brackets.
struct YAMLWriter {
  private(set) var text = ""

  mutating func open(_ level: Int, _ key: String) {
    text += "\(String(repeating: "  ", count: level))\(key):\n"
  }

  mutating func line(_ level: Int, _ key: String, _ value: String) {
    text += "\(String(repeating: "  ", count: level))\(key): \(value)\n"
  }

  mutating func write(_ model: Model, in schema: Schema) {
    open(1, Self.name(model.name))
    if let doc = model.doc { line(2, "doc", Self.quoted(doc)) }
    if let parent = model.extends { line(2, "extends", Self.name(parent)) }
    if model.isAbstract { line(2, "abstract", "true") }
    if model.isEmbedded { line(2, "embedded", "true") }
    if let name = model.swiftName { line(2, "swiftName", Self.name(name)) }
    if !model.primaryKey.isEmpty { line(2, "primaryKey", Self.list(model.primaryKey)) }
    let keys = OwnKeys(of: model, in: schema)
    if !keys.indexes.isEmpty { line(2, "indexes", Self.lists(keys.indexes)) }
    if !keys.uniques.isEmpty { line(2, "unique", Self.lists(keys.uniques)) }
    if !model.rules.isEmpty {
      open(2, "rules")
      for rule in model.rules {
        open(3, Self.name(rule.name))
        line(4, "that", Self.quoted(rule.condition))
        if let sentence = rule.sentence { line(4, "says", Self.quoted(sentence)) }
      }
    }
    guard !model.properties.isEmpty else { return line(2, "properties", "{}") }
    open(2, "properties")
    for property in keys.properties { write(property, in: schema) }
  }

  private mutating func write(_ property: Property, in schema: Schema) {
    let facts = Self.facts(of: property, in: schema)
    let name = Self.name(property.name)
    if facts.count == 1, facts[0].key == "type" {
      line(3, name, facts[0].value)
    } else {
      open(3, name)
      for fact in facts { line(4, fact.key, fact.value) }
    }
  }

  private static func facts(of property: Property, in schema: Schema) -> [(
    key: String, value: String
  )] {
    var facts: [(key: String, value: String)] = []
    if let doc = property.doc { facts.append(("doc", quoted(doc))) }
    facts.append((property.type.isInverse ? "linkingObjects" : "type", type(property.type)))
    if let value = property.defaultValue {
      facts.append(("default", literal(value, of: property, in: schema)))
    }
    switch property.index {
    case .none: break
    case .ordinary: facts.append(("indexed", "true"))
    case .fulltext: facts.append(("indexed", "fulltext"))
    }
    if property.isUnique { facts.append(("unique", "true")) }
    if property.isIgnored { facts.append(("ignored", "true")) }
    if property.deleteRule != .nullify {
      facts.append(("deleteRule", property.deleteRule.rawValue))
    }
    if let generate = property.generate { facts.append(("generate", generate.rawValue)) }
    if let name = property.swiftName { facts.append(("swiftName", self.name(name))) }
    return facts
  }

  mutating func write(_ enumeration: EnumType) {
    open(1, Self.name(enumeration.name))
    if let doc = enumeration.doc { line(2, "doc", Self.quoted(doc)) }
    line(2, "type", enumeration.rawType.rawValue)
    open(2, "cases")
    for each in enumeration.cases { line(3, Self.name(each.name), Self.scalar(each.rawValue)) }
  }

  // MARK: Values

  /// An enum's default is the name of its case; everything else is a literal of its type.
  private static func literal(_ value: Value, of property: Property, in schema: Schema) -> String {
    if case .enumeration(let name)? = property.type.valueType?.base,
      let found = schema.enumeration(named: name)?.cases.first(where: { $0.rawValue == value })
    {
      return self.name(found.name)
    }
    return scalar(value)
  }

  static func scalar(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .float(let value): number(value)
    case .double(let value): number(value)
    case .string(let text): quoted(text)
    case .data(let bytes): quoted(Hex.encode(bytes))
    case .date(let seconds): quoted(DateText.text(of: seconds) ?? "\(seconds)")
    case .uuid(let value): quoted(value.description)
    case .decimal(let value): quoted(value.text)
    case .objectID(let value): quoted(value.description)
    case .link(let identity), .object(_, let identity): String(identity)
    }
  }

  private static func number<T: BinaryFloatingPoint & CustomStringConvertible>(_ value: T) -> String
  {
    if value.isNaN { return ".nan" }
    if value.isInfinite { return value > 0 ? ".inf" : "-.inf" }
    return value.description
  }

  /// A type; the `?` and `<` of types mean nothing to YAML where they stand.
  private static func type(_ type: PropertyType) -> String {
    switch type {
    case .value(let value): spelling(value)
    case .list(let value): "[\(spelling(value))]"
    case .set(let value): "set<\(value.spelling)>"
    case .map(let value): "map<\(value.spelling)>"
    case .inverse: type.spelling
    }
  }

  private static func spelling(_ type: ValueType) -> String {
    isWord(type.base.name) ? quoted(type.spelling) : type.spelling
  }

  static func list(_ names: [String]) -> String {
    "[\(names.map(name).joined(separator: ", "))]"
  }

  static func lists(_ lists: [[String]]) -> String {
    "[\(lists.map(list).joined(separator: ", "))]"
  }

  /// Words that some reader of YAML takes for something else than text.
  private static func isWord(_ name: String) -> Bool {
    ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(name.lowercased())
  }

  /// A name, in quotes where it is a word of YAML.
  static func name(_ name: String) -> String {
    let isPlain =
      !name.isEmpty
      && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
      && name.unicodeScalars.first.map { $0 == "_" || $0.properties.isXIDStart } == true
    return isPlain && !isWord(name) ? name : quoted(name)
  }

  /// A double-quoted scalar; whatever does not show is escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case "\0": result += "\\0"
      default:
        if isShown(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          let width = scalar.value <= 0xFF ? 2 : scalar.value <= 0xFFFF ? 4 : 8
          result += width == 2 ? "\\x" : width == 4 ? "\\u" : "\\U"
          result += String(repeating: "0", count: width - digits.utf8.count) + digits
        }
      }
    }
    return result + "\""
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      return false
    default: return true
    }
  }
}

extension String {
  /// A name as a sentence shows it in YAML: only what would be read as nothing needs quotes there.
  var inYAML: String { lowercased() == "null" ? YAMLWriter.quoted(self) : self }
}

/// A model's keys, with those over one property that it inherits: it repeats the property exactly as it is inherited, so that the
/// property cannot say what this model alone wants of it.
private struct OwnKeys {
  private(set) var properties: [Property]
  private(set) var indexes: [[String]]
  private(set) var uniques: [[String]]

  init(of model: Model, in schema: Schema) {
    properties = model.properties
    indexes = model.indexes
    uniques = model.uniques
    guard model.extends != nil else { return }
    for place in properties.indices {
      let property = properties[place]
      guard let first = Self.firstDeclaration(of: property.name, inheritedBy: model, in: schema)
      else { continue }
      if property.isUnique, !first.isUnique {
        properties[place].isUnique = false
        uniques.append([property.name])
      }
      if property.index == .ordinary, first.index == .none {
        properties[place].index = .none
        indexes.append([property.name])
      }
    }
    indexes.sort { $0.lexicographicallyPrecedes($1) }
    uniques.sort { $0.lexicographicallyPrecedes($1) }
  }

  /// The property of the furthest ancestor that has it.
  private static func firstDeclaration(
    of name: String, inheritedBy model: Model, in schema: Schema
  ) -> Property? {
    var found: Property?
    var parent = model.extends
    // No line of ancestors is longer than the schema.
    for _ in schema.models {
      guard let next = parent.flatMap({ schema.model(named: $0) }) else { break }
      found = next.property(named: name) ?? found
      parent = next.extends
    }
    return found
  }
}
