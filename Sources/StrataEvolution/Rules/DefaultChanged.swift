import StrataSchema
import StrataSource

extension Rule {
  static let defaultChanged = Rule(
    .defaultChanged, .warning, "New objects begin with another value; existing ones keep theirs.",
    help: { _ in "'set:' in the step, if existing objects shall follow" })
}
