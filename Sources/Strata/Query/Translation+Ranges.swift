import StrataExpression
import StrataSchema

/// One side of a range: a property of the object in question, compared with a number.
private struct Bound {
  let property: ResolvedNode
  let comparison: ComparisonOperator
  let constant: ResolvedNode

  init?(_ node: ResolvedNode) {
    guard case .comparison(let comparison, let left, let right) = node else { return nil }
    switch (left, right) {
    case (.property(.subject, _), .constant(let value)) where value.isNumber:
      self.init(property: left, comparison: comparison, constant: right)
    case (.constant(let value), .property(.subject, _)) where value.isNumber:
      self.init(property: right, comparison: comparison.mirrored, constant: left)
    default: return nil
    }
  }

  private init(property: ResolvedNode, comparison: ComparisonOperator, constant: ResolvedNode) {
    self.property = property
    self.comparison = comparison
    self.constant = constant
  }

  var isLower: Bool { comparison == .greater || comparison == .greaterOrEqual }
  var isUpper: Bool { comparison == .less || comparison == .lessOrEqual }
}

extension Translation {
  /// Conditions that all have to hold, in whatever order.
  ///
  /// NaN stands before all numbers and its bytes sort behind them, which each comparison of floating-point numbers has
  /// to test. A range with both ends need not: no NaN is behind its lower end and before its upper one, in
  /// either order. Without the tests an index finds the range.
  mutating func range(_ parts: [ResolvedNode]) -> SQLText {
    if parts.isEmpty { return "1" }
    let bounds = parts.map { Bound($0) }
    let lower = Set(bounds.compactMap { $0?.isLower == true ? $0?.property : nil })
    let upper = Set(bounds.compactMap { $0?.isUpper == true ? $0?.property : nil })
    let ranges = lower.intersection(upper).filter { kind(of: $0).isFloating }
    var tests: [SQLText] = []
    for (part, bound) in zip(parts, bounds) {
      if let bound, bound.isLower || bound.isUpper, ranges.contains(bound.property) {
        tests.append(ordered(bound.comparison, value(bound.property), value(bound.constant)))
      } else {
        tests.append(condition(part))
      }
    }
    return tests.count == 1 ? tests[0] : "(\(SQLText.row(tests, by: " AND ")))"
  }

  mutating func between(
    _ value: ResolvedNode, _ lower: ResolvedNode, _ upper: ResolvedNode
  ) -> SQLText {
    range([
      .comparison(.greaterOrEqual, value, lower), .comparison(.lessOrEqual, value, upper),
    ])
  }

  /// `a < b` as SQL has it.
  func ordered(_ comparison: ComparisonOperator, _ a: SQLText, _ b: SQLText) -> SQLText {
    switch comparison {
    case .less: "(\(a) < \(b))"
    case .lessOrEqual: "(\(a) <= \(b))"
    case .greater: "(\(a) > \(b))"
    default: "(\(a) >= \(b))"
    }
  }
}

extension ColumnCodec.Kind {
  /// Whether there may be a NaN.
  package var isFloating: Bool { self == .float || self == .double || self == .date }
}

extension Value {
  /// Whether it is a number or date with which SQL compares floating-point columns as they are.
  fileprivate var isNumber: Bool {
    switch self {
    case .int: true
    case .float(let value): !value.isNaN
    case .double(let value), .date(let value): !value.isNaN
    default: false
    }
  }
}

extension ComparisonOperator {
  /// The same comparison with its sides exchanged.
  var mirrored: ComparisonOperator {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }
}
