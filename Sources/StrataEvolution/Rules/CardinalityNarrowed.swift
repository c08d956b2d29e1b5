import StrataSchema
import StrataSource

extension Rule {
  static let cardinalityNarrowed = Rule(
    .cardinalityNarrowed, .error, "Many values become one.",
    help: {
      "say which one stays: 'set: { \($0.model.inYAML): { \($0.name.inYAML): \"old.\($0.oldName)[0]\" } }', or in a Swift block"
    })
}
