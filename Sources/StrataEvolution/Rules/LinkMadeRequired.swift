import StrataSchema
import StrataSource

extension Rule {
  static let linkMadeRequired = Rule(
    .linkMadeRequired, .error, "A link is required now and objects may be without it.",
    help: {
      "say what it becomes, 'set: { \($0.model): { \($0.name): … } }', or delete such objects: 'delete: { \($0.oldModel): old.\($0.oldName) == nil }'"
    })
}
