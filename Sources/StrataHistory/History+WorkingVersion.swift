package import StrataSchema

extension History {
  /// The day of a working version that has no frozen one before it.
  private static let firstDay = "2001-01-01"

  /// The history with the declarations that are being worked on behind the newest frozen version.
  ///
  /// The working version is dated like the newest frozen one, because its own day is not known before it is frozen.
  /// Declarations that mean the same as the newest frozen version add nothing.
  ///
  /// - Parameter step: the step that reaches the working version, if it is written already.
  /// - Throws: `WorkingVersionError` where the working version's number does not lead on.
  package func including(working: Schema, step: MigrationStep?) throws(WorkingVersionError)
    -> History
  {
    if let newest {
      guard working.version >= newest.number else {
        throw WorkingVersionError(
          working: working.version, newest: newest.number,
          isSame: working.hasMeaning(of: newest.schema))
      }
      if working.version == newest.number {
        guard working.hasMeaning(of: newest.schema) else {
          throw WorkingVersionError(working: working.version, newest: newest.number)
        }
        return self
      }
    }
    return History(
      name: name,
      versions: versions + [
        FrozenVersion(
          schema: working, step: step, date: newest?.date ?? Self.firstDay, stepDigest: nil,
          chain: nil)
      ])
  }
}

/// The declarations differ from the frozen versions, but their number does not say so.
package struct WorkingVersionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number that the declarations bear.
  package let working: Int
  /// The newest frozen version.
  package let newest: Int
  /// Whether they mean the same as the newest frozen version, as after a rebase.
  package var isSame = false

  package var description: String {
    working == newest
      ? "the declarations say version \(working), but differ from what was frozen under that number"
      : "the declarations say version \(working), but version \(newest) is frozen already"
  }

  package var help: String {
    isSame
      ? "write `version: \(newest)`"
      : "write `version: \(newest + 1)`, or run `strata freeze --amend` if version \(newest) was never released"
  }
}
