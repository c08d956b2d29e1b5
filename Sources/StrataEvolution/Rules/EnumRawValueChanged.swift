import StrataSchema
import StrataSource

extension Rule {
  static let enumRawValueChanged = Rule(
    .enumRawValueChanged, .error,
    "An existing case has another raw value, or a raw value another case.",
    help: { _ in "add a case instead, or map every old value in the step with 'set:'" })
}
