import StrataSource

extension Rule {
  /// The reader of declarations finds it.
  static let deleteRuleCycle = Rule(
    "STR3708", "delete-rule-cycle", .error, .never, "Required or cascading links lead in a circle.",
    .elsewhere)
}
