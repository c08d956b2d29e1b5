import StrataExpression
import StrataHistory
import StrataSource

extension Rule {
  static let versionNumberCollision = Rule(
    "STR4003", "version-number-collision", .error, .never,
    "Two branches froze the same number.",
    help: { _ in "'strata freeze --rebase' puts ours on top of theirs" },
    .history { input in
      guard let baseline = input.baseline else { return [] }
      return input.frozen.compactMap { version in
        guard let theirs = baseline.lock.line(ofVersion: version.number), let ours = version.line,
          theirs.shape != ours.shape || theirs.rules != ours.rules || theirs.step != ours.step
            || baseline.storesOtherCases(version) || baseline.isDatedOtherwise(version),
          !baseline.isShared(ours)
        else { return nil }
        return Finding(
          "version \(version.number) was frozen here and in \(baseline.name)",
          at: input.lockSpans[version.number] ?? version.places.version, version: version.number)
      }
    })
}
