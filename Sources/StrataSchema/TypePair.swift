/// How values stand in a column, apart from whether they may be missing: an enum is stored as its raw type, an object
/// as its identity.
package enum StoredType: Hashable, Sendable {
  case scalar(ScalarType)
  case object
}

extension Schema {
  /// How values of this type are stored.
  package func storedType(of base: BaseType) -> StoredType {
    storedScalar(of: base).map(StoredType.scalar) ?? .object
  }
}

/// What becomes of values of one stored type where another one is declared.
///
/// The one table of all pairs, which docs/encodings.md prints: `check` judges by it, the expression language knows its
/// conversions from it, and every way to upgrade a file learns from it whether a cell may be passed on and what a value
/// becomes that is not passed on.
package struct TypePair: Hashable, Sendable {
  /// How the values of the two types belong together.
  package enum Relation: Hashable, Sendable {
    /// The same type.
    case same
    /// Each value is a value of the other type: the change needs no step.
    case widened
    /// Each value has a text of its own. The classic form carries it over; a step has to ask for it.
    case spelled
    /// A function of the language converts, perhaps with loss.
    case convertible
    case unrelated
  }

  /// What the expression language's function of the target's name gives.
  package enum Function: Hashable, Sendable {
    case none
    /// Some values have no counterpart and become nil.
    case partial
    /// Each value has a counterpart.
    case total
  }

  package let source: StoredType
  package let target: StoredType
  package let relation: Relation
  /// Whether the cell of each value is, byte for byte, that of the value that it becomes, so that it is passed on unread.
  /// A cell of type `any` that leads to an object is one as long as the object's model keeps its name.
  package let sharesCells: Bool
  package let function: Function

  package init(_ source: StoredType, _ target: StoredType) {
    self.source = source
    self.target = target
    guard case .scalar(let from) = source, case .scalar(let to) = target else {
      relation = source == target ? .same : .unrelated
      sharesCells = source == target
      function = .none
      return
    }
    function = Self.function(from, to)
    relation =
      if from == to {
        .same
      } else if Self.widens(from, to) {
        .widened
      } else if Self.isSpelled(from, to) {
        .spelled
      } else if function != .none {
        .convertible
      } else {
        .unrelated
      }
    sharesCells =
      from == to
      // Whole numbers and texts need no tag in a column of type `any`. A double that is a NaN does.
      || relation == .widened && from.isInteger && (to.isInteger || to == .any)
      || from == .string && to == .any
  }

  package init(_ source: ScalarType, _ target: ScalarType) {
    self.init(.scalar(source), .scalar(target))
  }

  /// Whether stored data takes the type without a step.
  package var isAutomatic: Bool { relation == .same || relation == .widened }

  /// Whether a property that continues keeps its values where nothing is said about them.
  package var isCarriedOver: Bool { isAutomatic || relation == .spelled }

  private static func widens(_ from: ScalarType, _ to: ScalarType) -> Bool {
    if let narrow = from.integerRange, let wide = to.integerRange {
      return wide.contains(narrow.lowerBound) && wide.contains(narrow.upperBound)
    }
    return switch (from, to) {
    case (_, .any): true
    case (.int8, .float), (.int16, .float): true
    case (.int8, .double), (.int16, .double), (.int32, .double), (.float, .double): true
    case (_, .decimal): from.isInteger
    default: false
    }
  }

  private static func isSpelled(_ from: ScalarType, _ to: ScalarType) -> Bool {
    guard to == .string else { return false }
    return switch from {
    case .bool, .decimal, .uuid, .objectID: true
    default: from.isInteger
    }
  }

  private static func function(_ from: ScalarType, _ to: ScalarType) -> Function {
    guard hasFunction(from, to) else { return .none }
    let isTotal =
      switch to {
      case _ where from == to: true
      case .int, .int8, .int16, .int32, .int64: from == .bool || widens(from, to)
      case .float, .double: from != .string && from != .any
      case .decimal, .bool: from.isInteger || from == .bool
      case .string: from != .data && from != .any
      case .date: from.isNumeric
      case .data: from != .any
      case .uuid, .objectID, .any: false
      }
    return isTotal ? .total : .partial
  }

  private static func hasFunction(_ from: ScalarType, _ to: ScalarType) -> Bool {
    let isNumber = from.isNumeric || from == .bool
    return switch to {
    case .int, .int8, .int16, .int32, .int64, .decimal, .bool:
      isNumber || from == .string || from == .any
    case .float, .double: isNumber || from == .string || from == .date || from == .any
    case .string: true
    case .date: from.isNumeric || from == .string || from == .date || from == .any
    case .uuid, .objectID: [to, .string, .data, .any].contains(from)
    case .data: [.data, .string, .uuid, .objectID, .any].contains(from)
    case .any: false
    }
  }
}
