package import StrataSchema

/// A tree of the one expression language that queries, bulk updates, declarative steps and invariants
/// are written in.
///
/// Two trees are equal when they mean the same: where they stood in their text does not count.
package struct Expression: Sendable {
  /// Where in its text the expression stands, in bytes; empty for a tree that was not parsed.
  package var range: Range<Int>
  package var kind: Kind

  package init(_ kind: Kind, range: Range<Int> = 0..<0) {
    self.kind = kind
    self.range = range
  }

  package indirect enum Kind: Hashable, Sendable {
    case literal(Value)
    /// `%@` by its turn, or `$0` by its number, before arguments are bound.
    case argument(Int)
    /// The object itself: `old` or `new` in a step, `SELF` in a query, a variable such as `$x` of a subquery.
    case object(Root)
    /// A property by name, of the object that `base` gives: `old.home.city`.
    case member(base: Expression, name: String)
    /// An element of a list by position, or of a map by key; nil where there is none: `old.dogs[0]`.
    case element(of: Expression, at: Expression)
    case unary(UnaryOperator, Expression)
    case binary(BinaryOperator, Expression, Expression)
    case comparison(ComparisonOperator, Expression, Expression, TextOptions)
    case between(Expression, lower: Expression, upper: Expression)
    /// Whether the value is one of the list's.
    case oneOf(Expression, [Expression], TextOptions = [])
    /// `ANY dogs.name == 'Rex'`: holds for any, all or none of the values of a path through a collection.
    case quantified(Quantifier, Expression)
    /// `@count`, `@min` … over a collection, or over a path through one.
    case aggregate(Aggregate, of: Expression)
    /// `SUBQUERY(dogs, $dog, condition)`: the elements for which the condition holds.
    case subquery(collection: Expression, variable: String, condition: Expression)
    /// `lookup(Account, key: old.account)`: the object of a model with this primary key, nil where there is none. The model is
    /// a member of the subject, so that its place is known; a compound key has a value for each of its properties.
    case lookup(model: Expression, key: [Expression])
    case call(Function, [Expression])
    /// `if(condition, value, other)`.
    case conditional(Expression, then: Expression, else: Expression)
    case list([Expression])
  }
}

extension Expression: Hashable {
  package static func == (left: Expression, right: Expression) -> Bool { left.kind == right.kind }
  package func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

/// What a path starts from.
package enum Root: Hashable, Sendable {
  /// The object that the expression is about: nothing written, or `SELF`, in a query.
  case subject
  /// `old` in a declarative step: the object before the step.
  case old
  /// `new` under a step's `back:`: the object after the step.
  case new
  /// A subquery's variable, without its `$`.
  case variable(String)
}

package enum UnaryOperator: String, Hashable, Sendable {
  case negate = "-"
  case not = "NOT"
}

package enum BinaryOperator: String, CaseIterable, Hashable, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
  /// The left value, or the right one where the left is nil.
  case coalesce = "??"
  case and = "AND"
  case or = "OR"
}

package enum ComparisonOperator: String, CaseIterable, Hashable, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case contains = "CONTAINS"
  /// `?` is one character, `*` any number of them.
  case like = "LIKE"
  /// Whether the words of a property are found by its full-text index: `note TEXT 'swift AND migr*'`.
  case search = "TEXT"
}

/// `[c]` and `[d]` behind a comparison of strings.
package struct TextOptions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// `[c]`: upper and lower case are the same, as Unicode folds them.
  package static let caseInsensitive = TextOptions(rawValue: 1)
  /// `[d]`: letters are the same with and without diacritics.
  package static let diacriticInsensitive = TextOptions(rawValue: 2)
}

package enum Quantifier: String, CaseIterable, Hashable, Sendable {
  case any = "ANY"
  case all = "ALL"
  case none = "NONE"
}

package enum Aggregate: String, CaseIterable, Hashable, Sendable {
  case count = "@count"
  case minimum = "@min"
  case maximum = "@max"
  case sum = "@sum"
  case average = "@avg"
}
