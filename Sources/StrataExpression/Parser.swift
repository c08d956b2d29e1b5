import StrataSchema

/// Parses tokens by precedence climbing: OR, AND, NOT, comparison, `??`, sum, product, sign, path.
struct Parser {
  private let tokens: [Token]
  let use: ExpressionUse
  /// Nil where arguments stay open.
  let arguments: [FormatArgument]?

  private var position = 0
  private var nesting = 0
  private var operators = 0
  var nextTurn = 0
  var usedArguments: Set<Int> = []
  /// Whether a range stands where its two bounds are meant.
  var takesRange = false

  init(tokens: [Token], use: ExpressionUse, arguments: [FormatArgument]?) {
    self.tokens = tokens
    self.use = use
    self.arguments = arguments
  }

  mutating func parse() throws(ExpressionError) -> Expression {
    let expression = try parseExpression()
    guard current.kind == .end else { throw unexpected("an operator or the end") }
    if let arguments, let unused = arguments.indices.first(where: { !usedArguments.contains($0) }) {
      throw ExpressionError(
        .formatArguments,
        "\(arguments.count) arguments are given, and nothing takes number \(unused + 1)",
        range: 0..<expression.range.upperBound)
    }
    return expression
  }

  // MARK: Tokens

  var current: Token { tokens[position] }
  var following: Token { tokens[min(position + 1, tokens.count - 1)] }

  mutating func advance() {
    if position < tokens.count - 1 { position += 1 }
  }

  /// Where the last token that was read ends.
  var end: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

  func isAt(_ sign: String) -> Bool { current.kind == .sign(sign) }

  mutating func accept(_ sign: String) -> Bool {
    guard isAt(sign) else { return false }
    advance()
    return true
  }

  mutating func expect(_ sign: String, _ where: String) throws(ExpressionError) {
    guard accept(sign) else { throw unexpected("'\(sign)' \(`where`)") }
  }

  var keyword: Keyword? { Self.keyword(of: current) }

  static func keyword(of token: Token) -> Keyword? {
    if case .word(let word, isEscaped: false) = token.kind { return Keyword(word) }
    return nil
  }

  mutating func accept(_ keywords: Keyword...) -> Keyword? {
    guard let keyword, keywords.contains(keyword) else { return nil }
    advance()
    return keyword
  }

  func unexpected(_ expected: String, help: String? = nil) -> ExpressionError {
    guard current.kind != .end else {
      return ExpressionError(
        .unexpectedEnd, "the expression ends where \(expected) is expected",
        range: current.range, help: help)
    }
    return ExpressionError(
      .unexpectedToken, "found \(current.description) where \(expected) is expected",
      range: current.range, help: help)
  }

  /// Runs `body` one level deeper.
  mutating func nested<T>(
    _ body: (inout Parser) throws(ExpressionError) -> T
  ) throws(ExpressionError) -> T {
    guard nesting < Expression.maximumNesting else {
      throw .nestedTooDeep(current.range)
    }
    nesting += 1
    defer { nesting -= 1 }
    return try body(&self)
  }

  mutating func countOperator() throws(ExpressionError) {
    operators += 1
    guard operators <= Expression.maximumOperators else {
      throw .tooManyOperators(current.range)
    }
  }

  // MARK: Conditions

  mutating func parseExpression() throws(ExpressionError) -> Expression {
    try nested { parser throws(ExpressionError) in try parser.parseOr() }
  }

  private mutating func parseOr() throws(ExpressionError) -> Expression {
    var left = try parseAnd()
    while isAt("||") || keyword == .or {
      advance()
      left = try combine(.or, left, try parseAnd())
    }
    return left
  }

  private mutating func parseAnd() throws(ExpressionError) -> Expression {
    var left = try parseNot()
    while isAt("&&") || keyword == .and {
      advance()
      left = try combine(.and, left, try parseNot())
    }
    return left
  }

  mutating func combine(
    _ operator: BinaryOperator, _ left: Expression, _ right: Expression
  ) throws(ExpressionError) -> Expression {
    try countOperator()
    return Expression(
      .binary(`operator`, left, right), range: left.range.lowerBound..<right.range.upperBound)
  }

  private mutating func parseNot() throws(ExpressionError) -> Expression {
    let start = current.range.lowerBound
    guard isAt("!") || keyword == .not else { return try parseQuantified() }
    advance()
    let operand = try nested { parser throws(ExpressionError) in try parser.parseNot() }
    return Expression(.unary(.not, operand), range: start..<end)
  }

  private mutating func parseQuantified() throws(ExpressionError) -> Expression {
    let start = current.range.lowerBound
    guard let quantifier = keyword?.quantifier else { return try parseComparison() }
    advance()
    let condition = try parseComparison()
    return Expression(.quantified(quantifier, condition), range: start..<end)
  }

  private mutating func parseComparison() throws(ExpressionError) -> Expression {
    let left = try parseCoalesce()
    let isNegated =
      keyword == .not
      && (Self.isListOperator(Self.keyword(of: following)) || Self.isSearch(following))
    if isNegated { advance() }
    guard let comparison = try parseComparison(of: left) else { return left }
    let result =
      isNegated ? Expression(.unary(.not, comparison), range: comparison.range) : comparison
    if Self.comparison(of: current) != nil {
      throw unexpected(
        "AND, OR or the end", help: "comparisons don't chain: write 'a < b AND b < c'")
    }
    return result
  }

  private static func isListOperator(_ keyword: Keyword?) -> Bool {
    switch keyword {
    case .in, .between, .beginsWith, .endsWith, .contains, .like: true
    default: false
    }
  }

  /// TEXT is a word of its own only where an operator stands: properties may have that name.
  private static func isSearch(_ token: Token) -> Bool {
    if case .word(let word, isEscaped: false) = token.kind { return word.lowercased() == "text" }
    return false
  }

  private static func comparison(of token: Token) -> ComparisonOperator? {
    if isSearch(token) { return .search }
    switch keyword(of: token) {
    case .beginsWith: return .beginsWith
    case .endsWith: return .endsWith
    case .contains: return .contains
    case .like: return .like
    default: break
    }
    guard case .sign(let sign) = token.kind else { return nil }
    switch sign {
    case "=", "==": return .equal
    case "!=", "<>": return .notEqual
    case "<": return .less
    case "<=", "=<": return .lessOrEqual
    case ">": return .greater
    case ">=", "=>": return .greaterOrEqual
    default: return nil
    }
  }

  private mutating func parseComparison(of left: Expression) throws(ExpressionError) -> Expression?
  {
    let start = left.range.lowerBound
    if accept(.in) != nil {
      try countOperator()
      if let (lower, upper) = try acceptRangeArgument() {
        return Expression(.between(left, lower: lower, upper: upper), range: start..<end)
      }
      let options = isListOfOptions ? try parseOptions() : []
      let items = try parseItems()
      // But for texts that are known each is a comparison of its own.
      if !options.isEmpty {
        for item in items {
          if case .literal = item.kind { continue }
          try countOperator()
        }
      }
      return Expression(.oneOf(left, items, options), range: start..<end)
    }
    if accept(.between) != nil {
      try countOperator()
      let (lower, upper) = try parseBounds()
      return Expression(.between(left, lower: lower, upper: upper), range: start..<end)
    }
    if keyword == .matches {
      throw unexpected(
        "an operator",
        help: "there are no regular expressions; LIKE knows '?' and '*', TEXT searches words")
    }
    guard let comparison = Self.comparison(of: current) else { return nil }
    try countOperator()
    advance()
    let options = try parseOptions()
    let right = try parseCoalesce()
    return Expression(.comparison(comparison, left, right, options), range: start..<end)
  }

  /// `[c]`, `[d]` or `[cd]`, right behind an operator.
  private mutating func parseOptions() throws(ExpressionError) -> TextOptions {
    guard isAt("["), current.range.lowerBound == end,
      case .word(let letters, isEscaped: false) = following.kind
    else { return [] }
    advance()
    var options: TextOptions = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default:
        throw ExpressionError(
          .unknownOption, "'\(letter)' is no option of a comparison", range: current.range,
          help: "[c] ignores case, [d] ignores diacritics")
      }
    }
    advance()
    try expect("]", "behind the options")
    return options
  }

  /// Whether `[c]` behind IN are options: a list of the property `c` ends the comparison.
  private var isListOfOptions: Bool {
    let behind = tokens[min(position + 3, tokens.count - 1)]
    switch behind.kind {
    case .end: return false
    case .sign(let sign) where [")", "}", "]", ",", "??", "&&", "||"].contains(sign): return false
    default: return ![.and, .or].contains(Self.keyword(of: behind))
    }
  }

  private mutating func parseItems() throws(ExpressionError) -> [Expression] {
    for (open, close) in [("{", "}"), ("(", ")"), ("[", "]")] where accept(open) {
      return try nested { parser throws(ExpressionError) in try parser.parseList(until: close) }
    }
    let item = try parseCoalesce()
    // An argument may be a whole list.
    if case .list(let items) = item.kind { return items }
    return [item]
  }

  /// `{a, b}`, `a AND b`, or one argument that holds both.
  private mutating func parseBounds() throws(ExpressionError) -> (Expression, Expression) {
    if let bounds = try parseArgumentBounds() { return bounds }
    let start = current.range
    if isAt("{") || isAt("(") || isAt("[") {
      let items = try parseItems()
      if items.count == 2 { return (items[0], items[1]) }
      if items.count != 1 || keyword != .and {
        throw ExpressionError(
          .unexpectedToken, "BETWEEN takes two bounds and found \(items.count)",
          range: start.lowerBound..<end, help: "write 'BETWEEN {1, 5}'")
      }
      advance()
      return (items[0], try parseCoalesce())
    }
    let lower = try parseCoalesce()
    guard accept(.and) != nil else { throw unexpected("'AND' and the upper bound") }
    return (lower, try parseCoalesce())
  }

  // MARK: Values

  mutating func parseCoalesce() throws(ExpressionError) -> Expression {
    let left = try parseSum()
    guard accept("??") else { return left }
    let right = try nested { parser throws(ExpressionError) in try parser.parseCoalesce() }
    return try combine(.coalesce, left, right)
  }

  private mutating func parseSum() throws(ExpressionError) -> Expression {
    var left = try parseProduct()
    while isAt("+") || isAt("-") {
      let kind: BinaryOperator = isAt("+") ? .add : .subtract
      advance()
      left = try combine(kind, left, try parseProduct())
    }
    return left
  }

  private mutating func parseProduct() throws(ExpressionError) -> Expression {
    var left = try parseSign()
    while isAt("*") || isAt("/") || isAt("%") {
      let kind: BinaryOperator = isAt("*") ? .multiply : isAt("/") ? .divide : .remainder
      advance()
      left = try combine(kind, left, try parseSign())
    }
    return left
  }

  private mutating func parseSign() throws(ExpressionError) -> Expression {
    let start = current.range.lowerBound
    guard accept("-") else { return try parsePath() }
    // The sign belongs to the number, unless a path goes on behind it: `-5`, but not `-5.name`.
    if following.kind != .sign("."), following.kind != .sign("[") {
      switch current.kind {
      case .int(let magnitude) where magnitude <= UInt64(Int64.max) + 1:
        advance()
        return Expression(
          .literal(.int(Int64(truncatingIfNeeded: 0 &- magnitude))), range: start..<end)
      case .double(let value):
        advance()
        return Expression(.literal(.double(-value)), range: start..<end)
      default: break
      }
    }
    let operand = try nested { parser throws(ExpressionError) in try parser.parseSign() }
    return Expression(.unary(.negate, operand), range: start..<end)
  }
}

extension Token {
  /// As a message names it.
  var description: String {
    switch kind {
    case .word(let word, _): "'\(word)'"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let text): text.utf8.count <= 40 ? "the string '\(text)'" : "a string"
    case .bytes: "data"
    case .argument(let number): "'$\(number)'"
    case .variable(let name): "'$\(name)'"
    case .at(let name): "'@\(name)'"
    case .sign(let sign): "'\(sign)'"
    case .end: "the end"
    }
  }
}
