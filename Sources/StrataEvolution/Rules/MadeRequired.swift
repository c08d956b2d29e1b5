import StrataSchema
import StrataSource

extension Rule {
  static let madeRequired = Rule(
    .madeRequired, .error, "An optional property is required now.",
    help: {
      "say what nil becomes: 'set: { \($0.model): { \($0.name): old.\($0.oldName) ?? … } }', or give it a default, which nil then takes"
    })
}
