import StrataSchema
import StrataSource

extension Rule {
  static let indexAdded = Rule(
    .indexAdded, .info, "An index is added, which takes time on large tables.", help: { _ in nil })
}
