import StrataSchema

/// How types of a schema are spelled in Swift, in a module where `declared` types hide others of their name.
struct SwiftTypeNames {
  private let schema: Schema
  private let declared: Set<String>
  /// What hides types besides, within one class: kept apart, so that the names of a whole schema are not copied for each class.
  private var members: Set<String> = []

  init(schema: Schema, declared: Set<String>) {
    self.schema = schema
    self.declared = declared
  }

  /// The same where further names hide types.
  func hidden(by names: [String]) -> SwiftTypeNames {
    var result = self
    result.members.formUnion(names)
    return result
  }

  /// The type that stands for the schema.
  var schemaType: String { SwiftIdentifier.type(schema.swiftName) }

  func model(_ name: String) -> String {
    SwiftIdentifier.type(schema.model(named: name)?.swiftName ?? name)
  }

  /// A type of another module, which the module's own type of the same name would hide.
  func imported(_ name: String, from module: String) -> String {
    declared.contains(name) || members.contains(name) ? "\(module).\(name)" : name
  }

  func strata(_ name: String) -> String { imported(name, from: "Strata") }

  func scalar(_ type: ScalarType) -> String {
    switch type {
    case .bool: imported("Bool", from: "Swift")
    case .int: imported("Int", from: "Swift")
    case .int8: imported("Int8", from: "Swift")
    case .int16: imported("Int16", from: "Swift")
    case .int32: imported("Int32", from: "Swift")
    case .int64: imported("Int64", from: "Swift")
    case .float: imported("Float", from: "Swift")
    case .double: imported("Double", from: "Swift")
    case .string: imported("String", from: "Swift")
    case .data: imported("Data", from: "Foundation")
    case .date: imported("Date", from: "Foundation")
    case .uuid: imported("UUID", from: "Foundation")
    case .decimal: imported("Decimal", from: "Foundation")
    case .objectID: strata("ObjectID")
    case .any: strata("AnyValue")
    }
  }

  func base(_ type: BaseType) -> String {
    switch type {
    case .scalar(let scalar): self.scalar(scalar)
    case .enumeration(let name): SwiftIdentifier.type(name)
    case .object(let name): model(name)
    }
  }

  func value(_ type: ValueType) -> String { base(type.base) + (type.isOptional ? "?" : "") }

  /// The type of a property of a generated class.
  func property(_ type: PropertyType) -> String {
    switch type {
    case .value(let value): self.value(value)
    case .list(let element): "\(strata("List"))<\(value(element))>"
    case .set(let element): "\(strata("MutableSet"))<\(value(element))>"
    case .map(let element): "\(strata("Map"))<\(value(element))>"
    case .inverse(let model, _): "\(strata("LinkingObjects"))<\(self.model(model))>"
    }
  }

  /// The type in which an initialiser takes a property's value, and an ignored property holds it.
  func plain(_ type: PropertyType) -> String {
    switch type {
    case .list(let element), .set(let element): "[\(value(element))]"
    case .map(let element): "[\(imported("String", from: "Swift")): \(value(element))]"
    case .value, .inverse: property(type)
    }
  }
}

extension Schema {
  /// The names of the Swift types that generated code declares for the models and enums.
  var declaredTypeNames: Set<String> {
    Set(models.map { $0.swiftName ?? $0.name } + enums.map(\.name))
  }
}

extension ValueType {
  /// Whether the type's Swift counterpart is Foundation's.
  var needsFoundation: Bool {
    switch base.scalar {
    case .data, .date, .uuid, .decimal: true
    default: false
    }
  }
}
