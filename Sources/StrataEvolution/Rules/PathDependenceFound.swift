import StrataSource

extension Rule {
  /// `strata verify` finds it.
  static let pathDependenceFound = Rule(
    "STR4015", "path-dependence-found", .error, .never,
    "Two ways of upgrading the same file end with different data.", .elsewhere)
}
