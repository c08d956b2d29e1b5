import StrataSchema
import StrataSource

extension Rule {
  static let propertyRenamed = Rule(
    .propertyRenamed, .info, "A property has another name, as the step says.", help: { _ in nil })
}
