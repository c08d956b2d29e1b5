import StrataSource

extension Rule {
  static let stepNamesUnknown = Rule(
    "STR4019", "step-names-unknown", .error, .never,
    "A step names a model or property that is not there, or drops one that is.", .elsewhere)
}
