package import StrataHistory
package import StrataSchema
package import StrataSource

/// How the step to a version differs from what the version's line of the lock sealed.
package enum SealedStep: Hashable, Sendable {
  /// The line has no step.
  case written
  case edited
  case gone

  /// Nil where the step is what was sealed.
  ///
  /// - Parameter digest: of the step as it is now, of ``StepDigest``.
  package init?(_ line: VersionLock.Line, now digest: Digest?) {
    if digest == line.step { return nil }
    self = line.step == nil ? .written : digest == nil ? .gone : .edited
  }

  package func message(version: Int) -> String {
    switch self {
    case .written: "the step to version \(version) was written after the version was sealed"
    case .edited: "the step to version \(version) was edited after it was sealed"
    case .gone: "the step to version \(version) is gone, and it is sealed"
    }
  }

  /// What an upgrade makes of it, which would do something else to data than was sealed; nil where that is no matter: what was written
  /// later may answer what an adopted version asks. The newest version may be sealed again until it is released.
  package func severity(isNewest: Bool) -> Severity? {
    switch self {
    case .written: nil
    case .edited: isNewest ? .warning : .error
    case .gone: .error
    }
  }

  /// The rule of `check` that looks for it.
  package static var rule: Rule { .blockEditedAfterRelease }

  /// What a command that changes data says of it.
  package func finding(version: Int, _ severity: Severity, at span: SourceSpan?) -> Diagnostic {
    Diagnostic(
      code: Self.rule.code, rule: Self.rule.name, severity: severity,
      message: message(version: version), span: span,
      help: severity == .error
        ? "restore it from version control; `strata check` says more"
        : "`strata freeze --amend` seals it again while the version is unreleased")
  }
}
