import StrataSchema
import StrataSource

extension Rule {
  static let orderingChanged = Rule(
    .orderingChanged, .warning,
    "A list becomes a set or the reverse; the order is lost or made up.",
    help: { _ in "'accept:' it, or make the order in a Swift block" })
}
