import StrataExpression
import StrataSchema
import Synchronization

// MARK: - Logic

public func && (
  left: some QueryConditionConvertible, right: some QueryConditionConvertible
) -> QueryCondition {
  QueryCondition(
    .binary(.and, left.queryCondition.expression, right.queryCondition.expression))
}

public func || (
  left: some QueryConditionConvertible, right: some QueryConditionConvertible
) -> QueryCondition {
  QueryCondition(.binary(.or, left.queryCondition.expression, right.queryCondition.expression))
}

public prefix func ! (operand: some QueryConditionConvertible) -> QueryCondition {
  QueryCondition(.unary(.not, operand.queryCondition.expression))
}

// MARK: - Comparisons

extension QueryTerm {
  fileprivate func compared(
    _ comparison: ComparisonOperator, _ other: Expression, _ options: TextOptions = []
  ) -> QueryCondition {
    QueryCondition(.comparison(comparison, expression, other, options))
  }
}

extension QueryTerm where Value: StoredElement {
  public static func == (left: QueryTerm, right: Value) -> QueryCondition {
    left.compared(.equal, right.literal)
  }

  public static func != (left: QueryTerm, right: Value) -> QueryCondition {
    left.compared(.notEqual, right.literal)
  }

  public static func == (left: QueryTerm, right: QueryTerm) -> QueryCondition {
    left.compared(.equal, right.expression)
  }

  public static func != (left: QueryTerm, right: QueryTerm) -> QueryCondition {
    left.compared(.notEqual, right.expression)
  }

  public static func < (left: QueryTerm, right: Value) -> QueryCondition {
    left.compared(.less, right.literal)
  }

  public static func <= (left: QueryTerm, right: Value) -> QueryCondition {
    left.compared(.lessOrEqual, right.literal)
  }

  public static func > (left: QueryTerm, right: Value) -> QueryCondition {
    left.compared(.greater, right.literal)
  }

  public static func >= (left: QueryTerm, right: Value) -> QueryCondition {
    left.compared(.greaterOrEqual, right.literal)
  }

  public static func < (left: QueryTerm, right: QueryTerm) -> QueryCondition {
    left.compared(.less, right.expression)
  }

  public static func <= (left: QueryTerm, right: QueryTerm) -> QueryCondition {
    left.compared(.lessOrEqual, right.expression)
  }

  public static func > (left: QueryTerm, right: QueryTerm) -> QueryCondition {
    left.compared(.greater, right.expression)
  }

  public static func >= (left: QueryTerm, right: QueryTerm) -> QueryCondition {
    left.compared(.greaterOrEqual, right.expression)
  }

  /// Whether the value is one of these.
  public func `in`(_ values: some Sequence<Value>) -> QueryCondition {
    QueryCondition(.oneOf(expression, values.map(\.literal)))
  }

  /// Whether the value is between two others, both included.
  public func between(_ lower: Value, _ upper: Value) -> QueryCondition {
    QueryCondition(.between(expression, lower: lower.literal, upper: upper.literal))
  }

  public func between(_ range: ClosedRange<Value>) -> QueryCondition where Value: Comparable {
    between(range.lowerBound, range.upperBound)
  }
}

extension QueryTerm {
  /// Whether a link leads to this object.
  public static func == <Target: Object>(
    left: QueryTerm, right: Target?
  ) -> QueryCondition where Value == Target? {
    left.compared(.equal, right?.literal ?? Expression(.literal(.null)))
  }

  public static func != <Target: Object>(
    left: QueryTerm, right: Target?
  ) -> QueryCondition where Value == Target? {
    left.compared(.notEqual, right?.literal ?? Expression(.literal(.null)))
  }
}

// MARK: - Text

/// What a comparison of texts passes over.
public struct TextComparison: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// `[c]`: upper and lower case are the same, as Unicode folds them.
  public static let caseInsensitive = TextComparison(rawValue: 1)
  /// `[d]`: letters are the same with and without diacritics.
  public static let diacriticInsensitive = TextComparison(rawValue: 2)

  fileprivate var options: TextOptions { TextOptions(rawValue: UInt8(rawValue)) }
}

/// A text that may be missing.
public protocol QueryText {}
extension String: QueryText {}
extension String?: QueryText {}

extension QueryTerm where Value: QueryText {
  public func starts(with prefix: String, _ options: TextComparison = []) -> QueryCondition {
    compared(.beginsWith, prefix.literal, options.options)
  }

  public func ends(with suffix: String, _ options: TextComparison = []) -> QueryCondition {
    compared(.endsWith, suffix.literal, options.options)
  }

  public func contains(_ part: String, _ options: TextComparison = []) -> QueryCondition {
    compared(.contains, part.literal, options.options)
  }

  /// `?` is one character, `*` any number of them.
  public func like(_ pattern: String, _ options: TextComparison = []) -> QueryCondition {
    compared(.like, pattern.literal, options.options)
  }

  /// Whether the property's full-text index finds these words: `"swift AND migr*"`. Case and diacritics do not count.
  ///
  /// - Precondition: the property is declared with `indexed: fulltext`; ``Results/filter(where:)`` throws where it is not, and
  ///   for words that cannot be read.
  public func matches(_ words: String) -> QueryCondition { compared(.search, words.literal) }

  public func equals(_ text: String, _ options: TextComparison) -> QueryCondition {
    compared(.equal, text.literal, options.options)
  }
}

// MARK: - Numbers

extension QueryTerm where Value: StoredValue & Numeric {
  private func operation(_ operation: BinaryOperator, _ other: Expression) -> QueryTerm {
    QueryTerm(Expression(.binary(operation, expression, other)))
  }

  public static func + (left: QueryTerm, right: Value) -> QueryTerm {
    left.operation(.add, right.literal)
  }
  public static func + (left: QueryTerm, right: QueryTerm) -> QueryTerm {
    left.operation(.add, right.expression)
  }
  public static func - (left: QueryTerm, right: Value) -> QueryTerm {
    left.operation(.subtract, right.literal)
  }
  public static func - (left: QueryTerm, right: QueryTerm) -> QueryTerm {
    left.operation(.subtract, right.expression)
  }
  public static func * (left: QueryTerm, right: Value) -> QueryTerm {
    left.operation(.multiply, right.literal)
  }
  public static func * (left: QueryTerm, right: QueryTerm) -> QueryTerm {
    left.operation(.multiply, right.expression)
  }
  public static func / (left: QueryTerm, right: Value) -> QueryTerm {
    left.operation(.divide, right.literal)
  }
  public static func / (left: QueryTerm, right: QueryTerm) -> QueryTerm {
    left.operation(.divide, right.expression)
  }
}

extension QueryTerm where Value: StoredValue {
  private func aggregate<Result>(_ aggregate: Aggregate) -> QueryTerm<Result> {
    QueryTerm<Result>(Expression(.aggregate(aggregate, of: expression)))
  }

  /// Of a path through a collection: `$0.dogs.age.max > 7`.
  public var min: QueryTerm<Value?> { aggregate(.minimum) }
  public var max: QueryTerm<Value?> { aggregate(.maximum) }
  public var sum: QueryTerm<Value> { aggregate(.sum) }
  public var average: QueryTerm<Double?> { aggregate(.average) }
}

// MARK: - Collections

/// A collection that a property holds.
public protocol QueryCollection {
  associatedtype QueriedElement
}
extension List: QueryCollection { public typealias QueriedElement = Element }
extension MutableSet: QueryCollection { public typealias QueriedElement = Element }
extension Map: QueryCollection { public typealias QueriedElement = Value }
extension LinkingObjects: QueryCollection { public typealias QueriedElement = Element }

extension QueryTerm where Value: QueryCollection {
  /// The number of elements.
  public var count: QueryTerm<Int> {
    QueryTerm<Int>(Expression(.aggregate(.count, of: expression)))
  }

  public var isEmpty: QueryCondition { count == 0 }
}

extension QueryTerm where Value: QueryCollection, Value.QueriedElement: StoredElement {
  /// Whether one of the elements is this one.
  public func contains(_ element: Value.QueriedElement) -> QueryCondition {
    QueryCondition(.comparison(.contains, expression, element.literal, []))
  }
}

extension QueryTerm where Value: QueryCollection, Value.QueriedElement: Object {
  /// The elements that fulfil a condition.
  private func subquery(
    _ condition: (QueryTerm<Value.QueriedElement>) -> some QueryConditionConvertible
  ) -> Expression {
    // What stands in it may be about another collection of the same object, and about this one again: only a name of its own is another object's.
    let variable = "x\(QueryVariables.next())"
    let term = QueryTerm<Value.QueriedElement>(Expression(.object(.variable(variable))))
    return Expression(
      .subquery(
        collection: expression, variable: variable,
        condition: condition(term).queryCondition.expression))
  }

  /// Whether one element fulfils a condition of several parts.
  public func contains(
    where condition: (QueryTerm<Value.QueriedElement>) -> some QueryConditionConvertible
  ) -> QueryCondition { count(where: condition) > 0 }

  /// Whether all elements fulfil a condition.
  public func allSatisfy(
    _ condition: (QueryTerm<Value.QueriedElement>) -> some QueryConditionConvertible
  ) -> QueryCondition { count(where: { !condition($0) }) == 0 }

  /// How many elements fulfil a condition.
  public func count(
    where condition: (QueryTerm<Value.QueriedElement>) -> some QueryConditionConvertible
  ) -> QueryTerm<Int> {
    QueryTerm<Int>(Expression(.aggregate(.count, of: subquery(condition))))
  }
}

extension QueryTerm {
  /// The element at a position; nil where there is none.
  public subscript<Element: StoredValue>(index: Int) -> QueryTerm<Element?>
  where Value == List<Element> {
    QueryTerm<Element?>(Expression(.element(of: expression, at: index.literal)))
  }

  /// The value of a key; nil where there is none.
  public subscript<Element: StoredValue>(key: String) -> QueryTerm<Element?>
  where Value == Map<Element> {
    QueryTerm<Element?>(Expression(.element(of: expression, at: key.literal)))
  }
}

/// Names for the objects of nested conditions, of which each is given once.
private enum QueryVariables {
  private static let count = Atomic<UInt64>(0)

  static func next() -> UInt64 { count.add(1, ordering: .relaxed).newValue }
}
