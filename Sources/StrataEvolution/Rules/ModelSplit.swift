import StrataSchema
import StrataSource

extension Rule {
  static let modelSplit = Rule(
    .modelSplit, .error, "Properties of one model are those of a new model.",
    help: {
      "create the new objects in a Swift block: 'swift: [\($0.name.inYAML)]'"
    })
}
