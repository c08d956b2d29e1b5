import StrataSchema

// `%@`, `%K`, `%d` and `$0`: open places of a format, filled by what the caller gives.

extension Parser {
  /// The letters behind `%` that NSPredicate's formats know for values.
  private static let valueLetters: Set<String> = [
    "d", "i", "u", "f", "g", "e", "s", "x", "c", "ld", "lu", "li", "lf", "lld", "llu", "lli", "zd",
    "zu",
  ]

  mutating func parsePlaceholder() throws(ExpressionError) -> Expression {
    let start = current.range.lowerBound
    let isAdjacent = following.range.lowerBound == current.range.upperBound
    switch following.kind {
    case .at("") where isAdjacent:
      advance()
      advance()
      return try argument(takeTurn(), range: start..<end)
    case .word("K", isEscaped: false) where isAdjacent:
      advance()
      advance()
      return try keyPath(takeTurn(), range: start..<end)
    case .word(let letters, isEscaped: false)
    where isAdjacent && Self.valueLetters.contains(letters):
      advance()
      advance()
      return try argument(takeTurn(), range: start..<end)
    default:
      throw unexpected("a value", help: "'%@' stands for a value, '%K' for a key path")
    }
  }

  private mutating func takeTurn() -> Int {
    defer { nextTurn += 1 }
    return nextTurn
  }

  private mutating func given(_ number: Int, range: Range<Int>) throws(ExpressionError)
    -> FormatArgument?
  {
    guard let arguments else { return nil }
    guard arguments.indices.contains(number) else {
      throw ExpressionError(
        .formatArguments, "argument \(number + 1) is asked for, \(arguments.count) are given",
        range: range)
    }
    usedArguments.insert(number)
    return arguments[number]
  }

  mutating func argument(_ number: Int, range: Range<Int>) throws(ExpressionError) -> Expression {
    switch try given(number, range: range) {
    case nil: Expression(.argument(number), range: range)
    case .value(let value): Expression(.literal(value), range: range)
    case .list(let values):
      Expression(.list(values.map { Expression(.literal($0), range: range) }), range: range)
    case .range(let lower, let upper) where takesRange:
      Expression(
        .list([lower, upper].map { Expression(.literal($0), range: range) }), range: range)
    // As a list it would be its two bounds.
    case .range:
      throw ExpressionError(
        .formatArguments,
        "argument \(number + 1) is a range, which stands alone behind IN or BETWEEN: 'IN %@'",
        range: range)
    }
  }

  private mutating func keyPath(_ number: Int, range: Range<Int>) throws(ExpressionError)
    -> Expression
  {
    guard let given = try given(number, range: range) else {
      throw ExpressionError(
        .invalidKeyPath, "'%K' needs its argument where the text is parsed", range: range)
    }
    guard case .value(.string(let path)) = given else {
      throw ExpressionError(.invalidKeyPath, "'%K' takes a string", range: range)
    }
    do throws(ExpressionError) {
      var lexer = Lexer(path)
      var parser = Parser(tokens: try lexer.tokens(), use: use, arguments: nil)
      let expression = try parser.parse()
      guard expression.isPath else {
        throw ExpressionError(.invalidKeyPath, "'\(path)' is no key path", range: range)
      }
      return expression.ranged(range)
    } catch {
      throw ExpressionError(
        .invalidKeyPath, "'\(path)' is no key path: \(error.message)", range: range)
    }
  }

  /// The bounds of a range that stands for `%@` or `$0`, with its place taken; nil where none does.
  mutating func acceptRangeArgument() throws(ExpressionError) -> (Expression, Expression)? {
    let number: Int
    switch (current.kind, following.kind) {
    case (.argument(let given), _): number = given
    case (.sign("%"), .at("")): number = nextTurn
    default: return nil
    }
    guard let arguments, arguments.indices.contains(number), case .range = arguments[number]
    else { return nil }
    takesRange = true
    defer { takesRange = false }
    guard case .list(let bounds) = try parsePath().kind else { return nil }
    return (bounds[0], bounds[1])
  }

  /// `BETWEEN %@`, whose one argument holds both bounds.
  mutating func parseArgumentBounds() throws(ExpressionError) -> (Expression, Expression)? {
    if let bounds = try acceptRangeArgument() { return bounds }
    let isPlaceholder = isAt("%")
    guard isPlaceholder || { if case .argument = current.kind { true } else { false } }() else {
      return nil
    }
    let bounds = try parseCoalesce()
    // Behind both bounds an AND leads to the next condition.
    if case .list(let items) = bounds.kind, items.count == 2 { return (items[0], items[1]) }
    if accept(.and) != nil { return (bounds, try parseCoalesce()) }
    switch bounds.kind {
    case .argument:
      func item(_ index: Int64) -> Expression {
        let position = Expression(.literal(.int(index)), range: bounds.range)
        return Expression(.element(of: bounds, at: position), range: bounds.range)
      }
      return (item(0), item(1))
    default:
      throw ExpressionError(
        .formatArguments, "BETWEEN takes a list of two bounds", range: bounds.range)
    }
  }
}

extension Expression {
  /// Whether this is names with dots, and perhaps an aggregate at the end.
  fileprivate var isPath: Bool {
    switch kind {
    case .object(.subject), .object(.old), .object(.new): true
    case .member(let base, _): base.isPath
    case .aggregate(_, let collection): collection.isPath
    default: false
    }
  }

  fileprivate func ranged(_ range: Range<Int>) -> Expression {
    switch kind {
    case .member(let base, let name):
      Expression(.member(base: base.ranged(range), name: name), range: range)
    case .aggregate(let aggregate, let collection):
      Expression(.aggregate(aggregate, of: collection.ranged(range)), range: range)
    default: Expression(kind, range: range)
    }
  }
}
