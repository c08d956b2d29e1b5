import StrataSchema
import StrataSource

extension Rule {
  static let relationshipRemoved = Rule(
    .relationshipRemoved, .error, "A link disappears, and what was linked with it.",
    help: {
      "declare 'drop: [\($0.old)]' in the step, or move the links in a Swift block"
    })
}
