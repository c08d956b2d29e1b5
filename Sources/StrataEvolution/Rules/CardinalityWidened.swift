import StrataSchema
import StrataSource

extension Rule {
  static let cardinalityWidened = Rule(
    .cardinalityWidened, .info, "One link becomes many; the one that is there is the first.",
    help: { _ in nil })
}
