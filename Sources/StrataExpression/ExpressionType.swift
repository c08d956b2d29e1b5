package import StrataSchema

/// The type of an expression: what its values are, whether there may be none, and how many there are.
package struct ExpressionType: Hashable, Sendable {
  package enum Base: Hashable, Sendable {
    /// Nothing but nil.
    case null
    /// An argument that is still open, or a part that had an error.
    case unknown
    case scalar(ScalarType)
    case enumeration(String)
    case object(String)
  }

  package enum Cardinality: Hashable, Sendable {
    case one
    case list
    case set
    case map
    /// The values of a path through collections.
    case many
  }

  package var base: Base
  /// Whether the value may be nil; of a collection, whether its elements may be.
  package var isOptional: Bool
  package var cardinality: Cardinality

  package init(_ base: Base, isOptional: Bool = false, cardinality: Cardinality = .one) {
    self.base = base
    self.isOptional = isOptional
    self.cardinality = cardinality
  }

  package init(_ type: ValueType, cardinality: Cardinality = .one) {
    self.init(Base(type.base), isOptional: type.isOptional, cardinality: cardinality)
  }

  static func scalar(_ type: ScalarType, isOptional: Bool = false) -> ExpressionType {
    ExpressionType(.scalar(type), isOptional: isOptional)
  }

  static let condition = ExpressionType(.scalar(.bool))
  static let unknown = ExpressionType(.unknown)

  package var isCollection: Bool { cardinality != .one }

  var element: ExpressionType { ExpressionType(base, isOptional: isOptional) }

  var isUnknown: Bool { base == .unknown }

  /// As messages spell it: `string?`, `[Dog]`.
  package var spelling: String {
    let element = base.spelling + (isOptional && base != .null && base != .unknown ? "?" : "")
    return switch cardinality {
    case .one: element
    case .list: "[\(element)]"
    case .set: "set<\(element)>"
    case .map: "map<\(element)>"
    case .many: "many \(element)"
    }
  }
}

extension ExpressionType.Base {
  package init(_ base: BaseType) {
    switch base {
    case .scalar(let type): self = .scalar(type)
    case .enumeration(let name): self = .enumeration(name)
    case .object(let name): self = .object(name)
    }
  }

  var spelling: String {
    switch self {
    case .null: "nil"
    case .unknown: "a value"
    case .scalar(let type): type.rawValue
    case .enumeration(let name), .object(let name): name
    }
  }
}
