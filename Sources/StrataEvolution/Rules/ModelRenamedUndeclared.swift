import StrataSchema
import StrataSource

extension Rule {
  static let modelRenamedUndeclared = Rule(
    .modelRenamedUndeclared, .error,
    "A model is gone and a new one has nearly all of its properties.",
    help: {
      "declare 'rename: { \($0.oldName.inYAML): \($0.name.inYAML) }' in the step, or 'drop: [\($0.oldName.inYAML)]' if it is another one"
    })
}
