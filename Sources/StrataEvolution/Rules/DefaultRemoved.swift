import StrataSchema
import StrataSource

extension Rule {
  static let defaultRemoved = Rule(
    .defaultRemoved, .warning, "New objects have no value any more unless the program gives one.",
    help: { _ in "say who supplies the value, and 'accept:' it, or keep the default" })
}
