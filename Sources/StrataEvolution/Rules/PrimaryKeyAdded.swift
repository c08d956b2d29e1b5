import StrataSchema
import StrataSource

extension Rule {
  static let primaryKeyAdded = Rule(
    .primaryKeyAdded, .error, "Objects that were told apart by nothing get a key.",
    help: {
      "say which of equal objects stays: 'deduplicate: { \($0.oldModel.inYAML): { by: […], keep: first } }'"
    })
}
