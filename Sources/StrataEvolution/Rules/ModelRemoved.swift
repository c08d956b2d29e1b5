import StrataSchema
import StrataSource

extension Rule {
  static let modelRemoved = Rule(
    .modelRemoved, .error, "A model disappears, and its objects with it.",
    help: {
      "declare 'drop: [\($0.name.inYAML)]' in the step, or move its objects in a Swift block"
    })
}
