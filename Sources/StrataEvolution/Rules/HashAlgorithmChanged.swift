import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let hashAlgorithmChanged = Rule(
    "STR4008", "hash-algorithm-changed", .error, .never,
    "An unchanged version is sealed with another digest than before.",
    help: { _ in
      "digests are kept for ever: restore the lock, and seal new versions with the strata that it was written by"
    },
    .history { input in
      if let now = input.algorithm, now.text != VersionLock.header {
        return [
          Finding(
            "this strata seals as '\(VersionLock.header)' says: unchanged versions would get other digests than '\(now.text)' has",
            at: now.span)
        ]
      }
      guard let baseline = input.baseline else { return [] }
      if let now = input.algorithm, let then = baseline.algorithm, now.text != then {
        return [
          Finding(
            "the lock begins with '\(now.text)', and in \(baseline.name) with '\(then)'",
            at: now.span)
        ]
      }
      return input.frozen.compactMap { version in
        guard baseline.sealedOtherwise(version) else { return nil }
        return Finding(
          "version \(version.number) is what it is in \(baseline.name), and is sealed with another digest",
          at: input.lockSpans[version.number] ?? version.places.version, version: version.number)
      }
    })
}

extension Baseline {
  /// Whether the locks have different digests of a version whose files mean the same.
  func sealedOtherwise(_ version: CheckedVersion) -> Bool {
    guard let then = lock.line(ofVersion: version.number), let now = version.line,
      then.shape != now.shape
    else { return false }
    return schema(version.number)?.shape == version.schema.shape
  }
}
