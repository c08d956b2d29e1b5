extension ScalarType {
  /// Whether each value of this type is a value of the other one, so that stored data may take the type
  /// without a step.
  package func widens(to other: ScalarType) -> Bool {
    if let from = integerRange, let to = other.integerRange {
      return to.contains(from.lowerBound) && to.contains(from.upperBound)
    }
    switch (self, other) {
    case (.int8, .float), (.int16, .float): return true
    case (.int8, .double), (.int16, .double), (.int32, .double), (.float, .double): return true
    case (let whole, .decimal) where whole.isInteger: return true
    case (_, .any): return true
    default: return self == other
    }
  }

  /// Whether a function of the expression language converts one type to the other, perhaps with loss.
  package func hasConversion(to target: ScalarType) -> Bool {
    let isNumber = isNumeric || self == .bool
    switch target {
    case .int, .int8, .int16, .int32, .int64, .decimal, .bool:
      return isNumber || self == .string || self == .any
    case .float, .double: return isNumber || self == .string || self == .date || self == .any
    case .string: return true
    case .date: return isNumeric || self == .string || self == .date || self == .any
    case .uuid, .objectID: return [target, .string, .data, .any].contains(self)
    case .data: return [.data, .string, .uuid, .objectID, .any].contains(self)
    case .any: return false
    }
  }
}
