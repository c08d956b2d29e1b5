import StrataSchema
import StrataSource

extension Rule {
  /// In one version the reader of declarations finds it.
  static let caseInsensitiveNameClash = Rule(
    .nameSpelledOtherwise, .error, "Two names differ in case or normalisation only.",
    help: { _ in "write the name as the version before has it" })
}
