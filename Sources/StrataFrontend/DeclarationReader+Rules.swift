import StrataExpression
import StrataSchema
import StrataSource
import StrataYAML

extension DeclarationReader {
  /// `adult: { that: "age >= 18", says: "A member is at least 18." }`, or the condition alone.
  mutating func readRule(_ entry: YAMLEntry) -> RuleDeclaration {
    var rule = RuleDeclaration(name: Located(entry.key, at: entry.keyRange))
    guard case .mapping(let entries, _) = entry.value.content else {
      readCondition(entry, into: &rule)
      return rule
    }
    var hasCondition = false
    for part in entries {
      switch RuleKey(rawValue: part.key) {
      case .that:
        hasCondition = true
        readCondition(part, into: &rule)
      case .says: rule.sentence = reader.text(part, expected: "a sentence for people")
      case nil:
        hasCondition = hasCondition || NearestName.find(part.key, among: ["that"]) != nil
        reader.unknownKey(
          part, of: "a rule", known: RuleKey.allCases.map(\.rawValue), among: entries)
      }
    }
    if !hasCondition {
      reader.report(
        DeclarationDiagnostic.missingKey, "the rule '\(entry.key)' does not say what has to hold",
        at: entry.keyRange, help: "add 'that: \"age >= 18\"', a condition over the object")
    }
    return rule
  }

  private mutating func readCondition(_ entry: YAMLEntry, into rule: inout RuleDeclaration) {
    guard !entry.value.isRefused else { return }
    guard let scalar = entry.value.scalar, !scalar.isNull, !scalar.text.isEmpty else {
      return reader.wrongKind(entry, expected: "a condition over the object, such as \"age >= 18\"")
    }
    do {
      rule.condition = try Expression.parse(scalar.text, for: .query)
      rule.text = (scalar, entry.value.range)
    } catch {
      reader.diagnostics.report(
        Diagnostic(
          code: error.code, rule: error.rule.name, severity: .error, message: error.message,
          span: reader.file.span(
            scalar.place(of: error.range, at: entry.value.range, in: reader.file)),
          help: error.help))
    }
  }
}
