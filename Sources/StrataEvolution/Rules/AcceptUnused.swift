import StrataSource

extension Rule {
  static let acceptUnused = Rule(
    "STR4018", "accept-unused", .warning, .advice,
    "A step accepts something that nothing finds.", .elsewhere)
}
