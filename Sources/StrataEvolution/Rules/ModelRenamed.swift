import StrataSchema
import StrataSource

extension Rule {
  static let modelRenamed = Rule(
    .modelRenamed, .warning, "A model has another name, as the step says.",
    help: {
      "look through raw SQL and exported views that name '\($0.oldName)'"
    })
}
