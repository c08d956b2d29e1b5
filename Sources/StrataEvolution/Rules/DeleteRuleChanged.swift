import StrataSchema
import StrataSource

extension Rule {
  static let deleteRuleChanged = Rule(
    .deleteRuleChanged, .warning, "What happens to an object when what it links to is deleted.",
    help: { _ in "'accept:' it once it is clear what can be deleted now" })
}
