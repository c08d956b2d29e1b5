import StrataSchema
import StrataSource

extension Rule {
  static let enumAdded = Rule(
    .enumAdded, .info, "An enum is there that was not there before.", help: { _ in nil })
}
