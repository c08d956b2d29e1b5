import StrataSchema
import StrataSource

extension Rule {
  static let propertyMoved = Rule(
    .propertyMoved, .error, "A property is gone and a linked model has it now.",
    help: {
      "copy it along the link in a Swift block: 'swift: [\($0.model.inYAML)]'"
    })
}
