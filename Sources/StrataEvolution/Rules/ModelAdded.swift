import StrataSchema
import StrataSource

extension Rule {
  static let modelAdded = Rule(
    .modelAdded, .info, "A model is there that was not there before.", help: { _ in nil })
}
