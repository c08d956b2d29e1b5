import StrataSchema
import StrataSource

extension Rule {
  static let ruleChanged = Rule(
    .ruleChanged, .warning,
    "A rule is another one: the upgrade looks at every object, and refuses a file of which one breaks it.",
    help: {
      "give the objects that break it their values in the step's 'repair: { \($0.path?.description ?? ""): … }'; `strata check --samples` and `strata plan` count them"
    })
}
