import StrataSource

extension Rule {
  /// The reader of declarations finds it.
  static let defaultTypeMismatch = Rule(
    "STR3406", "default-type-mismatch", .error, .never, "A default is not of its property's type.",
    .elsewhere)
}
