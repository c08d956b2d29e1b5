import StrataSchema
import StrataSource

extension Rule {
  static let uniqueAdded = Rule(
    .uniqueAdded, .error, "Values have to be unique that need not have been.",
    help: {
      "say which of equal objects stays: 'deduplicate: { \($0.oldModel): { by: […], keep: first } }'"
    })
}
