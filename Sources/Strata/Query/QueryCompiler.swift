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
    let given = formatArguments(arguments)
    let resolved: ResolvedExpression
    do throws(ExpressionError) {
      resolved = try condition(
        Expression.parse(text, for: .query, arguments: given.result), text)
    } catch {
      throw .invalidQuery(text: text, problem: Self.sentence(error))
    }
    if let problem = given.problem { throw problem }
    return resolved
  }

  /// - Returns: also why one of the objects among them cannot be named.
  private func formatArguments(
    _ arguments: [Any?]
  ) -> (result: [FormatArgument], problem: StoreError?) {
    if arguments.isEmpty { return ([], nil) }
    return NamedObjects.reading(for: store) { arguments.map(FormatArgument.init) }
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

  /// A value for a property.
  func assignment(
    _ text: String, _ arguments: [Any?], to property: Property
  ) throws(StoreError) -> ResolvedExpression {
    let given = formatArguments(arguments)
    if let problem = given.problem { throw problem }
    do {
      return try ResolvedExpression(
        try Expression.parse(text, for: .query, arguments: given.result),
        in: schema, of: model, for: .query, assignedTo: AssignmentTarget(property, in: schema))
    } catch let error as ExpressionError {
      throw .invalidQuery(text: text, problem: Self.sentence(error))
    } catch let errors as ExpressionErrors {
      throw .invalidQuery(text: text, problem: Self.sentence(errors.errors[0]))
    } catch {
      throw .invalidQuery(text: text, problem: "\(error)")
    }
  }

  /// A key path whose values have an order: `age`, `boss.name`, `dogs.@count`.
  func sortable(_ path: String) throws(StoreError) -> ResolvedNode {
    try single(path) { type in
      switch type {
      case .scalar(.any), .scalar(.data), .object, .null, .unknown: "has no order"
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
      throw .invalidQuery(text: path, problem: Self.sentence(error))
    } catch let errors as ExpressionErrors {
      throw .invalidQuery(text: path, problem: Self.sentence(errors.errors[0]))
    } catch {
      throw .invalidQuery(text: path, problem: "\(error)")
    }
    guard case .one(let node) = resolved.content else {
      throw .invalidQuery(text: path, problem: "'\(path)' has many values")
    }
    if let problem = problem(resolved.type.base) {
      throw .invalidQuery(text: path, problem: "'\(path)' \(problem)")
    }
    return node
  }

  /// What is wrong and where, with the next move.
  private static func sentence(_ error: ExpressionError) -> String {
    "\(error.message), at byte \(error.range.lowerBound)"
      + (error.help.map { "; \($0)" } ?? "") + " [\(error.code)]"
  }
}

extension FormatArgument {
  /// What stands for a `%@`.
  init(_ value: Any?) {
    if let list = value as? [Any?] {
      self = .list(list.map(Value.init(argument:)))
    } else if let range = value as? ClosedRange<Int> {
      self = .list([.int(Int64(range.lowerBound)), .int(Int64(range.upperBound))])
    } else if let range = value as? ClosedRange<Double> {
      self = .list([.double(range.lowerBound), .double(range.upperBound)])
    } else {
      self = .value(Value(argument: value))
    }
  }
}

extension Value {
  /// A value of a caller; what is no stored value becomes its description, which the type check then refuses.
  init(argument: Any?) {
    switch argument {
    case nil: self = .null
    case let object as Object: self = object.linkValue
    case let value as any StoredValue:
      switch value.generatedCell.content {
      case .value(let value): self = value
      case .object(let object): self = object.linkValue
      }
    case let number as any BinaryInteger:
      self = Int64(exactly: number).map(Value.int) ?? .string("\(number)")
    case let text as any StringProtocol: self = .string(String(text))
    case let value?: self = .string("\(value)")
    }
  }
}

extension Object {
  /// The object as a value of an expression.
  var linkValue: Value { NamedObjects.value(of: self) }
}
