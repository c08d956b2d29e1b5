import StrataSchema
import StrataSource

extension Rule {
  static let linkMadeRequired = Rule(
    .linkMadeRequired, .error, "A link is required now and objects may be without it.",
    help: {
      "delete such objects, 'delete: { \($0.oldModel.inYAML): old.\($0.oldName) == nil }', or link them in a Swift block: 'swift: [\($0.model.inYAML)]'"
    })
}
