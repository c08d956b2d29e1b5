import StrataExpression
import StrataHistory
import StrataSource

extension Rule {
  static let blockEditedAfterRelease = Rule(
    "STR4007", "block-edited-after-release", .error, .never,
    "A step is not what it was when its version was sealed.",
    help: { _ in
      "restore it and add a version; 'strata freeze --amend' while the version is unreleased"
    },
    .history { input in
      input.frozen.compactMap { version in
        // A step with questions left is not sealed yet, and those are findings of their own.
        guard let line = version.line, !version.hasUnreadableStep,
          line.step != nil || version.blockQuestions.isEmpty
        else { return nil }
        let digest = StepDigest.digest(
          of: version.step?.step, blocks: version.blocks.map(\.bytes))
        let then = input.baseline?.lock.line(ofVersion: version.number)
        let isSealedAgain =
          then.map {
            $0.step != line.step && $0.shape == line.shape
              && (line.because == nil || line.because == $0.because)
          } ?? false
        let isShared = input.baseline?.isShared(line) ?? true
        let change = SealedStep(line, now: digest)
        guard change != nil || (isSealedAgain && isShared) else { return nil }
        let span =
          version.step?.places[.to] ?? version.blocks.first.map { $0.span(0..<0) }
          ?? input.lockSpans[version.number] ?? version.places.version
        let message =
          change?.message(version: version.number)
          ?? "the step to version \(version.number) is another one than in \(input.baseline?.name ?? "")"
        let isNewest = version.number == input.frozen.last?.number
        let help =
          change == .written && !isNewest
          ? "remove it and add a version; where it answers the questions of an adopted history, 'strata freeze --repair' seals it"
          : nil
        return Finding(message, at: span, help: help, version: version.number)
      }
    })
}
