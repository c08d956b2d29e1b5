import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let frozenVersionEdited = Rule(
    "STR4001", "frozen-version-edited", .error, .never,
    "A frozen version is not what it was when it was sealed.",
    help: { _ in "restore it; add a version for what shall change" },
    .history { input in
      guard let baseline = input.baseline else { return [] }
      return input.frozen.compactMap { version in
        guard let then = baseline.lock.line(ofVersion: version.number), let now = version.line,
          baseline.isShared(now), now.because == then.because || now.because == nil,
          !baseline.sealedOtherwise(version)
        else { return nil }
        guard
          then.shape != now.shape || then.rules != now.rules || baseline.storesOtherCases(version)
        else {
          guard baseline.isDatedOtherwise(version) else { return nil }
          return Finding(
            "version \(version.number) is of \(now.date), and of \(then.date) in \(baseline.name)",
            at: input.lockSpans[version.number] ?? version.places.version,
            help: "restore the lock: its day is the date that the step gives to data",
            version: version.number)
        }
        return Finding(
          "version \(version.number) is another one than in \(baseline.name)",
          at: version.places.version,
          labels: input.lockSpans[version.number].map {
            [.init("it was sealed again here", at: $0)]
          }
            ?? [], version: version.number)
      }
    })
}

extension Baseline {
  /// Whether a version is of another day there; a lock that cannot be read has none.
  func isDatedOtherwise(_ version: CheckedVersion) -> Bool {
    guard let then = lock.line(ofVersion: version.number)?.date, let now = version.line?.date,
      !then.isEmpty, !now.isEmpty
    else { return false }
    return then != now
  }

  /// Whether a case of an enum is stored as something else there. A lock of an earlier tool does not say it; the files do.
  func storesOtherCases(_ version: CheckedVersion) -> Bool {
    if let then = lock.line(ofVersion: version.number)?.cases, let now = version.line?.cases {
      return then != now
    }
    guard !version.schema.enums.isEmpty, let then = schema(version.number) else { return false }
    return then.casesDigest != version.schema.casesDigest
  }

  /// Whether both sides have the version from where they come from. Where that is not known, they have.
  ///
  /// - Parameter line: what our lock says of the version: a merge may have taken it from a side that froze it alone.
  func isShared(_ line: VersionLock.Line) -> Bool {
    guard let ancestor else { return true }
    guard ancestor.line(ofVersion: line.version) != nil else { return false }
    return !merged.contains {
      $0.lock.line(ofVersion: line.version) == line
        && $0.ancestor.line(ofVersion: line.version) == nil
    }
  }
}
