import StrataSchema
import StrataSource

extension Rule {
  static let uniqueRemoved = Rule(
    .uniqueRemoved, .warning, "Values need not be unique any more.",
    help: { _ in "look through code that relies on finding one object at most" })
}
