import StrataSchema
import StrataSource

extension Rule {
  static let propertyRemoved = Rule(
    .propertyRemoved, .error, "A property disappears, and its values with it.",
    help: {
      "declare 'drop: [\($0.old)]' in the step, or move its values in a Swift block"
    })
}
