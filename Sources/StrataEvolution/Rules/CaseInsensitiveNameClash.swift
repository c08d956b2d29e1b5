import StrataSource

extension Rule {
  /// The reader of declarations finds it.
  static let caseInsensitiveNameClash = Rule(
    "STR3903", "case-insensitive-name-clash", .error, .never,
    "Two names differ in case or normalisation only.", .elsewhere)
}
