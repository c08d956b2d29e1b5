import StrataExpression
import StrataHistory
import StrataSource

extension Rule {
  static let versionNumberCollision = Rule(
    "STR4003", "version-number-collision", .error, .never,
    "Two branches froze the same number, or different ones side by side.",
    help: { _ in "'strata freeze --rebase' puts ours on top of theirs" },
    .history { input in
      guard let baseline = input.baseline else { return [] }
      let found = input.frozen.compactMap { version -> Finding? in
        guard let theirs = baseline.lock.line(ofVersion: version.number), let ours = version.line,
          theirs.shape != ours.shape || theirs.rules != ours.rules || theirs.step != ours.step
            || baseline.storesOtherCases(version) || baseline.isDatedOtherwise(version),
          !baseline.isShared(ours)
        else { return nil }
        return Finding(
          "version \(version.number) was frozen here and in \(baseline.name)",
          at: input.lockSpans[version.number] ?? version.places.version, version: version.number)
      }
      return found.isEmpty ? sideBySide(input, baseline) : found
    })

  private static func sideBySide(_ input: CheckInput, _ baseline: Baseline) -> [Finding] {
    guard let fork = baseline.fork(from: input) else { return [] }
    return [
      Finding(
        "version \(fork.ours.number) was frozen here and version \(fork.theirs) in \(baseline.name), side by side",
        at: input.lockSpans[fork.ours.number] ?? fork.ours.places.version,
        version: fork.ours.number)
    ]
  }
}

extension Baseline {
  /// The first version that only we have and the first that only the other side has, both frozen since the two parted; nil
  /// where one side has all of the other's.
  func fork(from input: CheckInput) -> (ours: CheckedVersion, theirs: Int)? {
    func isShared(_ number: Int) -> Bool { ancestor?.line(ofVersion: number) != nil }
    let newest = input.newest?.number ?? 0
    let ours = input.frozen.first {
      $0.line != nil && lock.line(ofVersion: $0.number) == nil && !isShared($0.number)
    }
    let theirs = lock.lines.first { line in
      // Where it is not known when the two parted, an earlier version may have been deleted here.
      (ancestor != nil || line.version > newest) && !isShared(line.version)
        && !input.frozen.contains { $0.number == line.version }
    }
    guard let ours, let theirs else { return nil }
    return (ours, theirs.version)
  }
}
