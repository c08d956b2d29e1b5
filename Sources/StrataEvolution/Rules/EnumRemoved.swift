import StrataSchema
import StrataSource

extension Rule {
  static let enumRemoved = Rule(
    .enumRemoved, .info, "An enum is gone that nothing uses.", help: { _ in nil })
}
