import StrataSource

extension Rule {
  /// The reader of declarations finds it.
  static let inverseMissing = Rule(
    "STR3706", "inverse-missing-or-asymmetric", .error, .never,
    "An inverse names a property that is gone, is no link, or leads elsewhere.", .elsewhere)
}
