import StrataSchema
import StrataSource

extension Rule {
  static let typeWidened = Rule(
    .typeWidened, .info, "Every value of the old type is one of the new type.", help: { _ in nil })
}
