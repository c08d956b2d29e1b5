import StrataSchema
import StrataSource

extension Rule {
  static let primaryKeyChanged = Rule(
    .primaryKeyChanged, .error, "Objects are identified by other properties.",
    help: {
      "write a Swift block, 'swift: [\($0.model.inYAML)]', that gives each object its key; links follow the objects"
    })
}
