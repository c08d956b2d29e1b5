import StrataSource

extension Rule {
  /// `strata verify` finds it.
  package static let pathDependenceFound = Rule(
    "STR4015", "path-dependence-found", .error, .never,
    "Two ways of upgrading the same file end with different data.",
    help: { _ in
      "the step depends on the order of objects, on chance, the clock or state of its own: "
        + "step.date, step.uuid(for:) and step.random(for:) are the same on every path"
    }, .elsewhere)
}
