package import StrataSource

/// What can be wrong with frozen versions, their lock and step files.
package enum HistoryDiagnostic {
  package static let frozenVersionEdited = DiagnosticKind(
    "STR4001", "frozen-version-edited", "A frozen version is not what it was when it was sealed.")
  package static let lockInvalid = DiagnosticKind(
    "STR4002", "lock-file-invalid", "The lock is missing, damaged, or of a newer tool.")
  package static let versionCollision = DiagnosticKind(
    "STR4003", "version-number-collision", "Two branches froze the same version.")
  package static let versionMissing = DiagnosticKind(
    "STR4004", "version-missing", "A version that the lock names has no file.")
  package static let workingVersionNotOpen = DiagnosticKind(
    "STR4005", "head-ahead-of-frozen",
    "The declarations differ from the newest frozen version and bear its number.",
    severity: .warning)

  package static let fileNameInvalid = DiagnosticKind(
    "STR4101", "version-file-name", "A version's or step's file is not named after its number.")
  package static let numberMismatch = DiagnosticKind(
    "STR4102", "version-number-mismatch", "A file says another version than its name.")
  package static let schemaNameChanged = DiagnosticKind(
    "STR4103", "schema-name-changed", "Frozen versions of one schema have different names.")
  package static let pathInvalid = DiagnosticKind(
    "STR4104", "step-path-invalid", "A text of a step that is not a model or a property.")
  package static let stepConflict = DiagnosticKind(
    "STR4105", "step-conflict", "A step says two things about the same model or property.")
  package static let questionOpen = DiagnosticKind(
    "STR4106", "step-question-open", "A question of a step's scaffold is not answered.")

  package static let targetWithoutSwift = DiagnosticKind(
    "STR4107", "target-without-swift", "A target's folder has YAML and no Swift file.",
    severity: .warning)

  package static let all = [
    frozenVersionEdited, lockInvalid, versionCollision, versionMissing, workingVersionNotOpen,
    fileNameInvalid,
    numberMismatch, schemaNameChanged, pathInvalid, stepConflict, questionOpen,
    targetWithoutSwift,
  ]
}
