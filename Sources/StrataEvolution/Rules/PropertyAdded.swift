import StrataSchema
import StrataSource

extension Rule {
  static let propertyAdded = Rule(
    .propertyAdded, .info, "A property is there that needs no value of its own.", help: { _ in nil }
  )
}
