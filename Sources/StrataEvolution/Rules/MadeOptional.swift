import StrataSchema
import StrataSource

extension Rule {
  static let madeOptional = Rule(
    .madeOptional, .info, "A required property is optional now.", help: { _ in nil })
}
