import StrataSchema

// What holds for every expression, also for one that was not parsed.

extension ExpressionError {
  static func nestedTooDeep(_ range: Range<Int>) -> ExpressionError {
    ExpressionError(
      .tooDeep, "nested more than \(Expression.maximumNesting) deep", range: range)
  }

  static func tooManyOperators(_ range: Range<Int>) -> ExpressionError {
    ExpressionError(
      .tooDeep, "more than \(Expression.maximumOperators) operators in one expression",
      range: range, help: "write 'name IN {…}' for many comparisons of one value")
  }

  fileprivate static func tooManyTests(_ range: Range<Int>) -> ExpressionError {
    ExpressionError(
      .tooDeep,
      "more than \(Expression.maximumBuiltTests) comparisons, ANDs and ORs in one condition",
      range: range, help: "write 'name IN {…}' for many comparisons of one value")
  }

  static func pathTooLong(_ range: Range<Int>) -> ExpressionError {
    ExpressionError(
      .tooDeep, "a path of more than \(Expression.maximumOperators) steps", range: range)
  }
}

extension Expression {
  /// Refuses a tree that is larger than one that can be parsed, but for its tests, of which there may be more. It takes no frame for each
  /// operator of a row.
  package func checkBounds() throws(ExpressionError) {
    var count = OperatorCount()
    try count.add(self, nesting: 1)
  }

  /// Takes a tree apart of whatever depth; without this each level would take a frame when the tree is let go.
  package static func dismantle(_ expression: inout Expression) {
    var parts = [expression]
    expression = Expression(.literal(.null))
    var count = 0
    while let part = parts.popLast(), count < maximumDismantled {
      count += 1
      parts += part.children
    }
  }

  /// A tree with more parts than that has parts that are used several times, and would have to be walked over as often; it is not deep.
  private static let maximumDismantled = 2_000_000
}

private struct OperatorCount {
  private var calculations = 0
  private var tests = 0

  private mutating func count(
    _ kind: BinaryOperator, _ range: Range<Int>
  ) throws(ExpressionError) {
    if kind == .and || kind == .or { return try countTest(range) }
    calculations += 1
    if calculations > Expression.maximumOperators { throw .tooManyOperators(range) }
  }

  private mutating func countTest(_ range: Range<Int>) throws(ExpressionError) {
    tests += 1
    if tests > Expression.maximumBuiltTests { throw .tooManyTests(range) }
  }

  /// - Parameter nesting: how many brackets its text would stand in.
  mutating func add(_ expression: Expression, nesting: Int) throws(ExpressionError) {
    var (rest, nesting, steps) = (expression, nesting, 0)
    while true {
      if nesting > Expression.maximumNesting { throw .nestedTooDeep(rest.range) }
      switch rest.kind {
      case .literal, .argument, .object: return
      case .member(let base, _), .aggregate(_, let base):
        steps += 1
        if steps > Expression.maximumOperators { throw .pathTooLong(rest.range) }
        rest = base
      case .element(let base, let place):
        try add(place, nesting: nesting + 1)
        steps += 1
        if steps > Expression.maximumOperators { throw .pathTooLong(rest.range) }
        rest = base
      case .unary(_, let operand), .quantified(_, let operand):
        (rest, nesting) = (operand, nesting + 1)
      case .binary(let kind, let left, let right):
        try count(kind, rest.range)
        try add(right, nesting: nesting + (kind.holdsLoosely(right, onRight: true) ? 1 : 0))
        if kind.holdsLoosely(left, onRight: false) { nesting += 1 }
        rest = left
      case .comparison(_, let left, let right, _):
        try countTest(rest.range)
        try add(right, nesting: nesting)
        rest = left
      case .between(let value, let lower, let upper):
        try countTest(rest.range)
        try add([lower, upper], nesting: nesting + 1)
        rest = value
      case .oneOf(let value, let items, _):
        try countTest(rest.range)
        try add(items, nesting: nesting + 1)
        rest = value
      case .subquery(let collection, _, let condition):
        try add(condition, nesting: nesting + 1)
        (rest, nesting) = (collection, nesting + 1)
      case .lookup, .call, .conditional, .list:
        return try add(rest.children, nesting: nesting + 1)
      }
    }
  }

  private mutating func add(_ items: [Expression], nesting: Int) throws(ExpressionError) {
    for item in items {
      if case .literal = item.kind { continue }
      try add(item, nesting: nesting)
    }
  }
}

extension BinaryOperator {
  /// Whether an operand stands in brackets where the expression is spelled.
  fileprivate func holdsLoosely(_ operand: Expression, onRight: Bool) -> Bool {
    guard case .binary(let inner, _, _) = operand.kind else { return false }
    return onRight ? inner.tightness <= tightness : inner.tightness < tightness
  }

  private var tightness: Int {
    switch self {
    case .or: 0
    case .and: 1
    case .coalesce: 2
    case .add, .subtract: 3
    case .multiply, .divide, .remainder: 4
    }
  }
}
