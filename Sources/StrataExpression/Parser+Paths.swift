import StrataSchema

// Paths, literals, calls: what stands between operators.

extension Parser {
  mutating func parsePath() throws(ExpressionError) -> Expression {
    var base = try parsePrimary()
    let start = base.range.lowerBound
    var length = 0
    while true {
      length += 1
      guard length <= Expression.maximumOperators else {
        throw ExpressionError(.tooDeep, "a path of too many parts", range: current.range)
      }
      if accept(".") {
        if case .at = current.kind {
          base = try parseAggregate(of: base)
        } else {
          base = Expression(.member(base: base, name: try parseName()), range: start..<end)
        }
      } else if isAt("[") {
        base = try parseElement(of: base)
      } else {
        return base
      }
    }
  }

  private mutating func parseName() throws(ExpressionError) -> String {
    guard case .word(let name, _) = current.kind else { throw unexpected("a property's name") }
    advance()
    return name
  }

  /// `.@count`, `.@avg`, or `.@avg.age`, which is `.age.@avg`.
  private mutating func parseAggregate(of base: Expression) throws(ExpressionError) -> Expression {
    guard case .at(let name) = current.kind else { throw unexpected("an aggregate") }
    guard let aggregate = Aggregate(rawValue: "@" + name.lowercased()) else {
      let known = Aggregate.allCases.map(\.rawValue)
      throw ExpressionError(
        .unknownAggregate, "'@\(name)' is no aggregate", range: current.range,
        help: "known are \(known.joined(separator: ", "))")
    }
    advance()
    var collection = base
    while aggregate != .count, isAt("."), case .word = following.kind {
      advance()
      collection = Expression(
        .member(base: collection, name: try parseName()), range: base.range.lowerBound..<end)
    }
    return Expression(.aggregate(aggregate, of: collection), range: base.range.lowerBound..<end)
  }

  private mutating func parseElement(of base: Expression) throws(ExpressionError) -> Expression {
    advance()
    let start = base.range.lowerBound
    if case .word(let word, isEscaped: false) = current.kind, following.kind == .sign("]") {
      let range = current.range
      switch word.lowercased() {
      case "first", "last":
        advance()
        advance()
        let index = Expression(.literal(.int(word.lowercased() == "first" ? 0 : -1)), range: range)
        return Expression(.element(of: base, at: index), range: start..<end)
      case "size":
        advance()
        advance()
        return Expression(.aggregate(.count, of: base), range: start..<end)
      default: break
      }
    }
    let index = try parseExpression()
    try expect("]", "behind the position")
    return Expression(.element(of: base, at: index), range: start..<end)
  }

  // MARK: Primaries

  private mutating func parsePrimary() throws(ExpressionError) -> Expression {
    let start = current.range.lowerBound
    func literal(_ value: Value, to end: Int) -> Expression {
      Expression(.literal(value), range: start..<end)
    }
    let token = current
    switch token.kind {
    case .int(let magnitude):
      guard let value = Int64(exactly: magnitude) else {
        throw ExpressionError(
          .invalidNumber, "\(magnitude) does not fit into an int", range: token.range)
      }
      advance()
      return literal(.int(value), to: end)
    case .double(let value):
      advance()
      return literal(.double(value), to: end)
    case .string(let text):
      advance()
      return literal(.string(text), to: end)
    case .bytes(let bytes):
      advance()
      return literal(.data(bytes), to: end)
    case .argument(let number):
      advance()
      return try argument(number, range: start..<end)
    case .variable(let name):
      advance()
      return Expression(.object(.variable(name)), range: start..<end)
    case .sign("("):
      advance()
      var inner = try parseExpression()
      try expect(")", "to close the parenthesis")
      inner.range = start..<end
      return inner
    case .sign("{"), .sign("["):
      let close = isAt("{") ? "}" : "]"
      advance()
      let items = try nested { parser throws(ExpressionError) in try parser.parseList(until: close)
      }
      return Expression(.list(items), range: start..<end)
    case .sign("%"):
      return try parsePlaceholder()
    case .word(let word, let isEscaped):
      if !isEscaped, following.kind == .sign("(") { return try parseCall(word) }
      return try parseWord(word, isEscaped: isEscaped)
    case .sign("!"):
      throw unexpected("a value", help: "put the condition in parentheses: (!a)")
    default:
      throw unexpected("a value")
    }
  }

  private mutating func parseWord(_ word: String, isEscaped: Bool) throws(ExpressionError)
    -> Expression
  {
    let start = current.range.lowerBound
    if !isEscaped, let keyword = Keyword(word) {
      let kind: Expression.Kind
      switch keyword {
      case .nil, .null: kind = .literal(.null)
      case .true, .yes, .truePredicate: kind = .literal(.bool(true))
      case .false, .no, .falsePredicate: kind = .literal(.bool(false))
      case .self: kind = .object(.subject)
      default: throw unexpected("a value", help: "a property of this name is written '#\(word)'")
      }
      advance()
      return Expression(kind, range: start..<end)
    }
    advance()
    let subject = Expression(.object(.subject), range: start..<start)
    if !isEscaped, word == "old", use == .step {
      return Expression(.object(.old), range: start..<end)
    }
    if !isEscaped, word == "new", use == .back {
      return Expression(.object(.new), range: start..<end)
    }
    return Expression(.member(base: subject, name: word), range: start..<end)
  }

  /// The elements up to the closing sign, which is read, too.
  mutating func parseList(until close: String) throws(ExpressionError) -> [Expression] {
    var items: [Expression] = []
    if accept(close) { return items }
    while true {
      items.append(try parseExpression())
      if accept(close) { return items }
      guard accept(",") else { throw unexpected("',' or '\(close)'") }
    }
  }

  // MARK: Calls

  private mutating func parseCall(_ name: String) throws(ExpressionError) -> Expression {
    let start = current.range.lowerBound
    let nameRange = current.range
    let lowered = name.lowercased()
    advance()
    advance()
    if lowered == "subquery" { return try parseSubquery(start: start) }
    if lowered == "lookup" { return try parseLookup(start: start) }
    let isDirect = current.kind != .sign("(")
    let arguments = try nested { parser throws(ExpressionError) in try parser.parseList(until: ")")
    }
    let range = start..<end
    if lowered == "if" {
      guard arguments.count == 3 else {
        throw ExpressionError(
          .wrongArgumentCount, "if takes 3 arguments and found \(arguments.count)", range: range,
          help: "write if(condition, value, other)")
      }
      return Expression(
        .conditional(arguments[0], then: arguments[1], else: arguments[2]), range: range)
    }
    if isDirect, let value = try LiteralSpelling.value(of: name, arguments, range: range) {
      return Expression(.literal(value), range: range)
    }
    if arguments.count == 1, let aggregate = Aggregate(called: lowered),
      arguments[0].isPathOrSubquery
    {
      return Expression(.aggregate(aggregate, of: arguments[0]), range: range)
    }
    guard let function = Function(rawValue: name) ?? Function.named(lowered) else {
      let known = Function.allCases.map(\.rawValue) + ["if", "lookup", "SUBQUERY"]
      throw ExpressionError(
        .unknownFunction, "'\(name)' is no function", range: nameRange,
        help: NearestName.question(name, among: known)
          ?? "known are \(known.joined(separator: ", "))")
    }
    guard function.arity.contains(arguments.count) else {
      let expected =
        function.arity.count == 1
        ? "\(function.arity.lowerBound)"
        : function == .substring ? "2 or 3" : "\(function.arity.lowerBound) or more"
      throw ExpressionError(
        .wrongArgumentCount,
        "\(function.rawValue) takes \(expected) arguments and found \(arguments.count)",
        range: range)
    }
    return Expression(.call(function, arguments), range: range)
  }

  /// `SUBQUERY(dogs, $dog, $dog.age > 3)`, behind its opening parenthesis.
  private mutating func parseSubquery(start: Int) throws(ExpressionError) -> Expression {
    let collection = try parseExpression()
    try expect(",", "behind the collection")
    guard case .variable(let variable) = current.kind else {
      throw unexpected("a variable such as '$x'")
    }
    advance()
    try expect(",", "behind the variable")
    let condition = try parseExpression()
    try expect(")", "to close the SUBQUERY")
    return Expression(
      .subquery(collection: collection, variable: variable, condition: condition),
      range: start..<end)
  }

  /// `lookup(Account, key: old.account)`, behind its opening parenthesis. `key:` may be left out.
  private mutating func parseLookup(start: Int) throws(ExpressionError) -> Expression {
    guard case .word(let name, _) = current.kind else { throw unexpected("a model's name") }
    let subject = Expression(
      .object(.subject), range: current.range.lowerBound..<current.range.lowerBound)
    let model = Expression(.member(base: subject, name: name), range: current.range)
    advance()
    try expect(",", "behind the model")
    if case .word("key", isEscaped: false) = current.kind, following.kind == .sign(":") {
      advance()
      advance()
    }
    let key = try nested { parser throws(ExpressionError) in try parser.parseList(until: ")") }
    let range = start..<end
    guard !key.isEmpty else {
      throw ExpressionError(
        .wrongArgumentCount, "lookup found no key", range: range,
        help: "write lookup(\(name), key: value)")
    }
    return Expression(.lookup(model: model, key: key), range: range)
  }
}

extension Function {
  fileprivate static func named(_ lowered: String) -> Function? {
    allCases.first { $0.rawValue.lowercased() == lowered }
  }
}

extension Aggregate {
  /// `max(Mail.uid)` is `Mail.uid.@max`.
  fileprivate init?(called name: String) {
    switch name {
    case "count": self = .count
    case "min": self = .minimum
    case "max": self = .maximum
    case "sum": self = .sum
    case "avg", "average": self = .average
    default: return nil
    }
  }
}

extension Expression {
  /// Whether it may have many values; `max` of anything else compares its arguments.
  fileprivate var isPathOrSubquery: Bool {
    switch kind {
    case .member, .subquery: true
    default: false
    }
  }
}
