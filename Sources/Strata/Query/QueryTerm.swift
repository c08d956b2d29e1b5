package import StrataExpression
import StrataSchema

/// A part of a typed condition: a property of the objects that are asked for, or what a path of properties leads to.
///
/// ```swift
/// store.objects(Person.self).where { $0.age > 30 && $0.dogs.name == "Rex" }
/// ```
/// A path through a collection holds for a comparison when one of its values does.
@dynamicMemberLookup
public struct QueryTerm<Value> {
  package let expression: Expression

  package init(_ expression: Expression) { self.expression = expression }

  private func member<Root: Object, Member>(
    _ keyPath: KeyPath<Root, Member>
  ) -> Expression {
    let model = Root._generatedModel
    let property = model.model.properties[KeyPathProperties.property(of: keyPath, model)]
    return Expression(.member(base: expression, name: property.name))
  }

  public subscript<Member>(
    dynamicMember keyPath: KeyPath<Value, Member>
  ) -> QueryTerm<Member> where Value: Object { QueryTerm<Member>(member(keyPath)) }

  public subscript<Root: Object, Member>(
    dynamicMember keyPath: KeyPath<Root, Member>
  ) -> QueryTerm<Member> where Value == Root? { QueryTerm<Member>(member(keyPath)) }

  public subscript<Root: Object, Member>(
    dynamicMember keyPath: KeyPath<Root, Member>
  ) -> QueryTerm<Member> where Value == List<Root> { QueryTerm<Member>(member(keyPath)) }

  public subscript<Root: Object, Member>(
    dynamicMember keyPath: KeyPath<Root, Member>
  ) -> QueryTerm<Member> where Value == MutableSet<Root> { QueryTerm<Member>(member(keyPath)) }

  public subscript<Root: Object, Member>(
    dynamicMember keyPath: KeyPath<Root, Member>
  ) -> QueryTerm<Member> where Value == Map<Root> { QueryTerm<Member>(member(keyPath)) }

  public subscript<Root: Object, Member>(
    dynamicMember keyPath: KeyPath<Root, Member>
  ) -> QueryTerm<Member> where Value == LinkingObjects<Root> { QueryTerm<Member>(member(keyPath)) }
}

/// What is true or false of an object.
public struct QueryCondition {
  package let expression: Expression

  package init(_ kind: Expression.Kind) { expression = Expression(kind) }

  package init(_ expression: Expression) { self.expression = expression }
}

/// What a typed condition may end with: a comparison, or a property that is true or false.
public protocol QueryConditionConvertible {
  var queryCondition: QueryCondition { get }
}

extension QueryCondition: QueryConditionConvertible {
  public var queryCondition: QueryCondition { self }
}

extension QueryTerm: QueryConditionConvertible where Value == Bool {
  public var queryCondition: QueryCondition { QueryCondition(expression) }
}

extension Results {
  /// Only the objects that fulfil a condition.
  ///
  /// ```swift
  /// people.where { $0.age > 30 && $0.dogs.name == "Rex" }
  /// ```
  /// To an object of another file, one that was deleted and one that belongs to no store nothing is equal. A condition that
  /// computes may meet values for which it cannot: the result is empty then, and the store's next call that can throws what was
  /// wrong. ``filter(where:)`` says both itself.
  public func `where`(
    _ condition: (QueryTerm<Element>) -> some QueryConditionConvertible
  ) -> Results {
    do {
      return Results(try query.filtered(where: condition).query)
    } catch {
      misuse(error.description)
    }
  }

  /// The same, where the condition computes or names objects that may be wrong.
  ///
  /// ```swift
  /// try people.filter(where: { $0.age * $0.weight > 1000 })
  /// ```
  /// - Throws: what ``filter(_:_:)`` throws
  public func filter(
    where condition: (QueryTerm<Element>) -> some QueryConditionConvertible
  ) throws(StoreError) -> Results {
    let (narrowed, problem) = try query.filtered(where: condition)
    if let problem { throw problem }
    try narrowed.checkRoom()
    try narrowed.checkNewest()
    return Results(narrowed)
  }
}

extension Query {
  /// - Returns: also why an object in the condition cannot be named; nothing equals it.
  func filtered<Element: Object>(
    where condition: (QueryTerm<Element>) -> some QueryConditionConvertible
  ) throws(StoreError) -> (query: Query, problem: StoreError?) {
    var (expression, problem) = NamedObjects.reading(for: store) {
      condition(QueryTerm(Expression(.object(.subject)))).queryCondition.expression
    }
    // A frozen store may be asked by several threads at once.
    let isRemembered = !store.isFrozen
    if isRemembered, let known = access.recentConditions.filter(of: expression) {
      var query = filtered(by: known)
      access.recentConditions.recognise(&query, with: expression)
      try query.checkRoomOfNewest()
      return (query, problem)
    }
    do throws(StoreError) {
      try QueryCompiler(access).checkBounds(of: expression)
    } catch {
      Expression.dismantle(&expression)
      throw error
    }
    let resolved = try QueryCompiler(access).condition(expression)
    let query = filtered(by: resolved, text: expression.text)
    try query.checkRoomOfNewest()
    if isRemembered { access.recentConditions.remember(query, with: expression) }
    return (query, problem)
  }
}

extension StoredElement {
  /// The value as it stands in an expression.
  var literal: Expression {
    switch _generatedCell.content {
    case .value(let value): Expression(.literal(value))
    case .object(let object): Expression(.literal(object.linkValue))
    }
  }
}
