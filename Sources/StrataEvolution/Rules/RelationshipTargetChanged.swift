import StrataSchema
import StrataSource

extension Rule {
  static let relationshipTargetChanged = Rule(
    .relationshipTargetChanged, .error, "A link leads to objects of another model.",
    help: {
      "say which object it leads to: 'set: { \($0.model.inYAML): { \($0.name.inYAML): … } }', or in a Swift block"
    })
}
