import StrataExpression
import StrataSchema

/// From texts and values of a caller to checked expressions.
struct QueryCompiler {
  let schema: Schema
  let model: Model
  private let conditions: ConditionCache
  private let store: Store

  init(_ access: ModelAccess) {
    store = access.store
    schema = access.generated.schema
    model = access.model
    conditions = access.generated.conditions
  }

  func condition(_ text: String, _ arguments: [Any?]) throws(StoreError) -> ResolvedExpression {
    guard arguments.isEmpty else { return try parse(text, arguments) }
    return try conditions.condition(text) { () throws(StoreError) in try parse(text, []) }
  }

  private func parse(_ text: String, _ arguments: [Any?]) throws(StoreError) -> ResolvedExpression {
    let given = try read(arguments, for: text)
    let resolved: ResolvedExpression
    do throws(ExpressionError) {
      resolved = try condition(
        Expression.parse(text, for: .query, arguments: given.result), text)
    } catch {
      throw .wrongQuery(text, Self.sentence(error))
    }
    if let problem = given.problem { throw problem }
    return resolved
  }

  /// - Returns: also why one of the objects among them cannot be named.
  private func read(
    _ arguments: [Any?], for text: String
  ) throws(StoreError) -> (result: [FormatArgument], problem: StoreError?) {
    if arguments.isEmpty { return ([], nil) }
    let given = NamedObjects.reading(for: store) {
      Result { () throws(StoreError) in try QueryArguments.read(arguments, for: text) }
    }
    return (try given.result.get(), given.problem)
  }

  private func condition(
    _ expression: Expression, _ text: String
  ) throws(ExpressionError) -> ResolvedExpression {
    do throws(ExpressionErrors) {
      return try ResolvedExpression(condition: expression, in: schema, of: model, for: .query)
    } catch {
      throw error.errors[0]
    }
  }

  func condition(_ expression: Expression) throws(StoreError) -> ResolvedExpression {
    do throws(ExpressionError) {
      return try condition(expression, "")
    } catch {
      throw .invalidQuery(text: expression.text, problem: Self.sentence(error))
    }
  }

  /// Refuses what a text could not say, either: its depth would be that of the stack.
  func checkBounds(of expression: Expression) throws(StoreError) {
    do throws(ExpressionError) {
      try expression.checkBounds()
    } catch {
      let help = error.help.map { "; \($0)" } ?? ""
      throw .invalidQuery(
        text: "",
        problem:
          "A condition of \(model.name) is too large: \(error.message)\(help) [\(error.code)]")
    }
  }

  /// A value for a property.
  func assignment(
    _ text: String, _ arguments: [Any?], to property: Property
  ) throws(StoreError) -> ResolvedExpression {
    let given = try read(arguments, for: text)
    if let problem = given.problem { throw problem }
    do {
      return try ResolvedExpression(
        try Expression.parse(text, for: .query, arguments: given.result),
        in: schema, of: model, for: .query, assignedTo: AssignmentTarget(property, in: schema))
    } catch let error as ExpressionError {
      throw .wrongQuery(text, Self.sentence(error))
    } catch let errors as ExpressionErrors {
      throw .wrongQuery(text, Self.sentence(errors.errors[0]))
    } catch {
      throw .wrongQuery(text, "\(error)")
    }
  }

  /// A key path whose values can be sorted, and have a smallest and a greatest one: `age`, `boss.name`, `dogs.@count`, one of type `any`.
  func sortable(_ path: String) throws(StoreError) -> ResolvedNode {
    try single(path) { type in
      switch type {
      case .object, .null, .unknown: "has no order"
      case .scalar, .enumeration: nil
      }
    }
  }

  /// A key path whose values are numbers.
  func number(_ path: String) throws(StoreError) -> ResolvedNode {
    try single(path) { type in
      if case .scalar(let scalar) = type, scalar.isNumeric { return nil }
      return "is no number"
    }
  }

  /// A key path whose values have a mean: numbers, dates, enumerations of numbers, and what is a number of several types.
  func averaged(_ path: String) throws(StoreError) -> ResolvedNode {
    try single(path) { type in
      switch type {
      case .scalar(.date), .scalar(.any): return nil
      case .scalar(let scalar) where scalar.isNumeric: return nil
      case .enumeration(let name) where schema.enumeration(named: name)?.rawType == .int:
        return nil
      default: return "is no number"
      }
    }
  }

  /// A key path with one value.
  func single(_ path: String) throws(StoreError) -> ResolvedNode {
    try single(path) { _ in nil }
  }

  private func single(
    _ path: String, _ problem: (ExpressionType.Base) -> String?
  ) throws(StoreError) -> ResolvedNode {
    let resolved: ResolvedExpression
    do {
      resolved = try ResolvedExpression(
        try Expression.parse(path, for: .query, arguments: []), in: schema, of: model, for: .query)
    } catch let error as ExpressionError {
      throw .wrongQuery(path, Self.sentence(error))
    } catch let errors as ExpressionErrors {
      throw .wrongQuery(path, Self.sentence(errors.errors[0]))
    } catch {
      throw .wrongQuery(path, "\(error)")
    }
    guard case .one(let node) = resolved.content else {
      throw .wrongQuery(path, "'\(path)' has many values")
    }
    if let problem = problem(resolved.type.base) {
      throw .wrongQuery(path, "'\(path)' \(problem)")
    }
    return node
  }

  /// What is wrong and where, with the next move.
  private static func sentence(_ error: ExpressionError) -> String {
    "\(error.message), at byte \(error.range.lowerBound)"
      + (error.help.map { "; \($0)" } ?? "") + " [\(error.code)]"
  }
}

extension Object {
  /// The object as a value of an expression.
  var linkValue: Value { NamedObjects.value(of: self) }
}
