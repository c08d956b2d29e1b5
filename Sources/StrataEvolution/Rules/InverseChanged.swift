import StrataSchema
import StrataSource

extension Rule {
  static let inverseChanged = Rule(
    .inverseChanged, .info,
    "An inverse is added, removed or computed from another link; it is not stored.",
    help: { _ in nil })
}
