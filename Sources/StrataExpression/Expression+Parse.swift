package import StrataSchema

/// What an expression is written for, which decides what its bare words mean.
package enum ExpressionUse: Hashable, Sendable {
  /// A declarative step: `old` is the object before the step, and there is no other.
  case step
  /// What a step says under `back:`: `new` is the object after the step, and there is no other.
  case back
  /// A query, an update's value or an invariant: bare names are properties of the object.
  case query
}

/// What a caller gives for a `%@`, `%K` or `$0`.
package enum FormatArgument: Hashable, Sendable {
  case value(Value)
  /// For `IN %@` and `BETWEEN %@`.
  case list([Value])
  /// Both bounds of `BETWEEN %@` and `IN %@`, which are included.
  case range(Value, Value)
}

extension Expression {
  /// How many bytes an expression's text may have.
  package static let maximumLength = 64 * 1024
  /// How deeply parentheses, calls and signs may be nested.
  package static let maximumNesting = 64
  /// How many operators an expression may have; lists of `IN` don't count.
  package static let maximumOperators = 1000
  /// How many comparisons, ANDs and ORs a condition may have that the compiler made: nothing of its calculations stands in them, and programs
  /// make rows of alternatives.
  package static let maximumBuiltTests = 4000
  /// How many arguments a format or a function may have.
  package static let maximumArguments = 1000

  /// Parses a text that has its arguments in it, or leaves `%@` and `$0` open as `.argument`.
  package static func parse(_ text: String, for use: ExpressionUse = .step)
    throws(ExpressionError) -> Expression
  {
    var lexer = Lexer(text)
    var parser = Parser(tokens: try lexer.tokens(), use: use, arguments: nil)
    return try parser.parse()
  }

  /// Parses a format and puts the arguments in: `%@` by turn, `$0` by number, `%K` as a key path.
  package static func parse(
    _ text: String, for use: ExpressionUse = .query, arguments: [FormatArgument]
  ) throws(ExpressionError) -> Expression {
    var lexer = Lexer(text)
    var parser = Parser(tokens: try lexer.tokens(), use: use, arguments: arguments)
    return try parser.parse()
  }
}

extension Expression {
  /// A property's name as a path begins with it: behind a `#` where it would be a word of the language.
  package static func beginOfPath(_ name: String) -> String {
    Keyword(name) == nil ? name : "#\(name)"
  }
}

/// Words that are no names unless a `#` stands before them or a dot.
enum Keyword: String, CaseIterable {
  case and
  case or
  case not
  case any
  case some
  case all
  case none
  case `in`
  case between
  case beginsWith = "beginswith"
  case endsWith = "endswith"
  case contains
  case like
  case matches
  case `nil`
  case null
  case `true`
  case `false`
  case yes
  case no
  case truePredicate = "truepredicate"
  case falsePredicate = "falsepredicate"
  case `self`
  case subquery

  init?(_ word: String) { self.init(rawValue: word.lowercased()) }

  var quantifier: Quantifier? {
    switch self {
    case .any, .some: .any
    case .all: .all
    case .none: Quantifier.none
    default: nil
    }
  }
}
