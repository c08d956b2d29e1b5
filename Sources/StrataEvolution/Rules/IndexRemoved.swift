import StrataSchema
import StrataSource

extension Rule {
  static let indexRemoved = Rule(
    .indexRemoved, .warning, "An index is removed; queries may have to look at every object.",
    help: {
      "look for queries by '\($0.name)'"
    })
}
