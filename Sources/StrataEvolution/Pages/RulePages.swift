import StrataExpression
package import StrataSource

/// What there is to say about each rule and about each mistake in an expression.
///
/// An example shows the newest frozen version, the declarations and the step to them. The lock is left out, and so is in a
/// repair what stays as it was.
package enum RulePages {
  /// Sorted by code.
  package static let all =
    (models + properties + types + keys + dataRules + links + enums + advice + seals + blocks + runs
    + steps
    + expressionTokens + expressionCalls + expressionNames + expressionOperands
    + expressionCollections + expressionAssignments + expressionValues)
    .sorted { $0.kind.code < $1.kind.code }

  static func rule(_ code: String) -> DiagnosticKind {
    guard let rule = RuleCatalogue.coded(code) else {
      preconditionFailure("a page is about a rule of the catalogue, and \(code) is none")
    }
    return DiagnosticKind(rule.code, rule.name, rule.summary, severity: rule.severity)
  }

  static func expression(_ code: String) -> DiagnosticKind {
    guard let rule = ExpressionRule(rawValue: code) else {
      preconditionFailure("a page is about a mistake in expressions, and \(code) is none")
    }
    return DiagnosticKind(rule.rawValue, rule.name, rule.summary)
  }
}
