import StrataSource

extension Rule {
  /// The reader of declarations finds it.
  static let reservedSwiftIdentifier = Rule(
    "STR3902", "reserved-swift-identifier", .error, .never,
    "A name that Swift or generated classes use themselves.", .elsewhere)
}
