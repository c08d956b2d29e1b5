package import StrataSchema

// Conditions that data keeps. They are written as in a query and read what an object leads to; a search is asked of a
// full-text index, which other evaluations do not have, and is no part of a rule.

extension Expression {
  /// What is wrong with the expression as a rule of a model's objects.
  package func problemsAsRule(in schema: Schema, of model: Model) -> [ExpressionError] {
    let errors = TypeChecker(schema: schema, model: model, use: .query).check(condition: self)
    guard errors.isEmpty else { return errors }
    return searches.map {
      ExpressionError(
        .notSearchable, "a search is answered by a full-text index, and is no part of a rule",
        range: $0.range, help: "write CONTAINS, BEGINSWITH, ENDSWITH or LIKE")
    }
  }

  private var searches: [Expression] {
    if case .comparison(.search, _, _, _) = kind { return [self] }
    return children.flatMap(\.searches)
  }
}

extension ModelRule {
  /// The rule as it is evaluated; nil where its text does not fit the schema, which the reader of the schema reports.
  package func resolved(in schema: Schema, of model: Model) -> ResolvedExpression? {
    guard let expression = try? Expression.parse(condition, for: .query),
      expression.problemsAsRule(in: schema, of: model).isEmpty
    else { return nil }
    return try? ResolvedExpression(
      condition: expression, in: schema, of: model, for: .query)
  }
}
