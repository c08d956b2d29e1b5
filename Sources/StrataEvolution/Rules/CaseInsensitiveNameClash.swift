import StrataSchema
import StrataSource

extension Rule {
  /// In one version the reader of declarations finds it.
  static let caseInsensitiveNameClash = Rule(
    .nameSpelledOtherwise, .error, "Two names differ in case or normalisation only.",
    help: { _ in ChangeKind.nameSpelledOtherwise.helpWithoutStep })
}
