import StrataSchema
import StrataSource

extension Rule {
  static let propertyRenamedUndeclared = Rule(
    .propertyRenamedUndeclared, .error, "One property is gone and one of the same type is new.",
    help: {
      "declare 'rename: { \($0.old): \($0.name.inYAML) }' in the step, or 'drop: [\($0.old)]' if it is another one"
    })
}
