import StrataSchema
import StrataSource

extension Rule {
  static let typeChangedIncompatible = Rule(
    .typeChangedIncompatible, .error, "The type changes to one that values cannot be converted to.",
    help: {
      "say the value in the step, 'set: { \($0.model.inYAML): { \($0.name.inYAML): … } }', or in a Swift block"
    })
}
