import StrataSchema
import StrataSource

extension Rule {
  static let requiredPropertyAdded = Rule(
    .requiredPropertyAdded, .error,
    "A required property is added and existing objects have no value for it.",
    help: {
      "add 'default:', make it optional, or say its value in the step: 'set: { \($0.model.inYAML): { \($0.name.inYAML): … } }'"
    })
}
