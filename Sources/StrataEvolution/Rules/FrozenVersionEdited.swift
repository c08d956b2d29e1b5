import StrataExpression
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
          then.shape != now.shape, baseline.isShared(version.number),
          now.because == then.because || now.because == nil
        else { return nil }
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
  /// Whether both sides have the version from where they come from. Where that is not known, they have.
  func isShared(_ version: Int) -> Bool {
    guard let ancestor else { return true }
    return ancestor.line(ofVersion: version) != nil
  }
}
