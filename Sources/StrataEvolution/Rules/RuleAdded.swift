import StrataSchema
import StrataSource

extension Rule {
  static let ruleAdded = Rule(
    .ruleAdded, .warning,
    "A rule is added: the upgrade looks at every object, and refuses a file of which one breaks it.",
    help: {
      "give the objects that break it their values in the step's 'repair: { \($0.path?.description ?? ""): … }'; `strata check --samples` and `strata plan` count them"
    })
}
