import StrataSchema
import StrataSource

extension Rule {
  static let typeChangedLossy = Rule(
    .typeChangedLossy, .error, "The type changes, and values can be lost or have no counterpart.",
    help: {
      "say the conversion, and what a failure becomes: 'set: { \($0.model.inYAML): { \($0.name.inYAML): … } }'"
    })
}
