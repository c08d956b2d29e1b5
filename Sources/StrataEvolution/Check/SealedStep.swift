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

  /// Whether an upgrade would do something else to data than was sealed. What was written later may answer what an adopted version
  /// asks, and the newest version may be sealed again until it is released.
  package func spoilsUpgrades(isNewest: Bool) -> Bool {
    switch self {
    case .written: false
    case .edited: !isNewest
    case .gone: true
    }
  }

  /// The rule of `check` that looks for it.
  package static var rule: Rule { .blockEditedAfterRelease }

  /// What a command that stops for it says.
  package func finding(version: Int, at span: SourceSpan?) -> Diagnostic {
    Diagnostic(
      code: Self.rule.code, rule: Self.rule.name, severity: .error,
      message: message(version: version),
      span: span, help: "restore it from version control; `strata check` says more")
  }
}
