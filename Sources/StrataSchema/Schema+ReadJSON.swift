/// Why a JSON text is no schema or history that this version of the library understands.
package struct SchemaFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension Schema {
  /// Reads what `json` wrote.
  package init(json: JSON) throws(SchemaFormatError) {
    let enums = try json.required("enums", \.array).map { element throws(SchemaFormatError) in
      try EnumType(json: element)
    }
    let enumNames = Set(enums.map(\.name))
    let models = try json.required("models", \.array).map { element throws(SchemaFormatError) in
      try Model(json: element, enumNames: enumNames)
    }
    self.init(
      name: try json.required("schema", \.string),
      version: Int(try json.required("version", \.int)),
      language: Int(try json.required("language", \.int)), models: models, enums: enums)
  }
}

extension JSON {
  package func required<T>(_ key: String, _ read: (JSON) -> T?) throws(SchemaFormatError) -> T {
    guard let member = self[key], let value = read(member) else {
      throw SchemaFormatError("'\(key)' is missing or of another type")
    }
    return value
  }

  /// The strings of an array; empty where the member is missing.
  fileprivate func names(_ key: String) -> [String] {
    self[key]?.array?.compactMap(\.string) ?? []
  }

  fileprivate func nameLists(_ key: String) -> [[String]] {
    self[key]?.array?.map { $0.array?.compactMap(\.string) ?? [] } ?? []
  }
}

extension Model {
  fileprivate init(json: JSON, enumNames: Set<String>) throws(SchemaFormatError) {
    self.init(
      name: try json.required("name", \.string), swiftName: json["swiftName"]?.string,
      doc: json["doc"]?.string, isEmbedded: json["embedded"]?.bool ?? false,
      isAbstract: json["abstract"]?.bool ?? false, extends: json["extends"]?.string,
      primaryKey: json.names("primaryKey"), indexes: json.nameLists("indexes"),
      uniques: json.nameLists("unique"),
      properties: try json.required("properties", \.array).map {
        element throws(SchemaFormatError) in
        try Property(json: element, enumNames: enumNames)
      },
      rules: try (json["rules"]?.array ?? []).map { element throws(SchemaFormatError) in
        try ModelRule(json: element)
      })
  }
}

extension Property {
  fileprivate init(json: JSON, enumNames: Set<String>) throws(SchemaFormatError) {
    let name = try json.required("name", \.string)
    let type: PropertyType
    if let path = json["linkingObjects"]?.string {
      let parts = path.split(separator: ".")
      guard parts.count == 2 else { throw SchemaFormatError("'\(path)' is no inverse") }
      type = .inverse(model: String(parts[0]), property: String(parts[1]))
    } else {
      let spelling = try json.required("type", \.string)
      guard let known = PropertyType(spelling: spelling, enumNames: enumNames) else {
        throw SchemaFormatError("'\(spelling)' is no type")
      }
      type = known
    }
    var defaultValue: Value?
    if let json = json["default"] {
      guard let value = Value(json: json) else {
        throw SchemaFormatError("the default of '\(name)' is no value")
      }
      defaultValue = value
    }
    self.init(
      name: name, swiftName: json["swiftName"]?.string, doc: json["doc"]?.string, type: type,
      defaultValue: defaultValue,
      index: json["indexed"]?.string.flatMap(Property.Index.init) ?? .none,
      isUnique: json["unique"]?.bool ?? false, isIgnored: json["ignored"]?.bool ?? false,
      deleteRule: json["deleteRule"]?.string.flatMap(Property.DeleteRule.init) ?? .nullify,
      generate: json["generate"]?.string.flatMap(Property.Generator.init))
  }
}

extension EnumType {
  fileprivate init(json: JSON) throws(SchemaFormatError) {
    guard let rawType = RawType(rawValue: try json.required("type", \.string)) else {
      throw SchemaFormatError("an enum's type is string or int")
    }
    var cases: [Case] = []
    for (name, raw) in try json.required("cases", \.object) {
      guard let value = Value(json: raw) else {
        throw SchemaFormatError("the raw value of case '\(name)' is no value")
      }
      cases.append(Case(name: name, rawValue: value))
    }
    self.init(
      name: try json.required("name", \.string), doc: json["doc"]?.string, rawType: rawType,
      cases: cases)
  }
}

extension PropertyType {
  /// Reads a spelled type, without spaces; a name that is no scalar is an enum where `enumNames` has it, else a model.
  package init?(spelling: String, enumNames: Set<String>) {
    func value(_ text: Substring) -> ValueType? {
      let isOptional = text.hasSuffix("?")
      let name = String(isOptional ? text.dropLast() : text)
      guard !name.isEmpty else { return nil }
      let base: BaseType =
        if let scalar = ScalarType(rawValue: name) {
          .scalar(scalar)
        } else if enumNames.contains(name) {
          .enumeration(name)
        } else {
          .object(name)
        }
      return ValueType(base, isOptional: isOptional)
    }
    let text = Substring(spelling)
    if text.hasPrefix("["), text.hasSuffix("]") {
      guard let element = value(text.dropFirst().dropLast()) else { return nil }
      self = .list(element)
    } else if text.hasPrefix("set<"), text.hasSuffix(">") {
      guard let element = value(text.dropFirst(4).dropLast()) else { return nil }
      self = .set(element)
    } else if text.hasPrefix("map<"), text.hasSuffix(">") {
      guard let element = value(text.dropFirst(4).dropLast()) else { return nil }
      self = .map(element)
    } else {
      guard let type = value(text) else { return nil }
      self = .value(type)
    }
  }
}
