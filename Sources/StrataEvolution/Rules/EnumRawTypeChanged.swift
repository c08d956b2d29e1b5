import StrataSchema
import StrataSource

extension Rule {
  static let enumRawTypeChanged = Rule(
    .enumRawTypeChanged, .error, "An enum is stored as another type.",
    help: { _ in "map every old value in the step with 'set:', or in a Swift block" })
}
