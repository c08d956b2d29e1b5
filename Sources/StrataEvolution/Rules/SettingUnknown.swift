import StrataSource

extension Rule {
  static let settingUnknown = Rule(
    "STR4020", "unknown-rule", .warning, .advice,
    "The settings name a rule that does not exist, or whose severity cannot be set.", .elsewhere)
}
