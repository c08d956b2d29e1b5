import StrataEvolution
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSource

extension Project {
  /// Ends the command where an upgrade would do something else to data than what was sealed: the step to a version is gone, or that
  /// to an older version than the newest was edited; of the newest it warns. `rules:` of `strata.yaml` may say that this is no error.
  ///
  /// - Parameter questions: the versions whose steps have questions left, which stop the files that have to pass them.
  func checkSealedSteps(except questions: Set<Int>) throws {
    let setting = settings.rules[SealedStep.rule.name] ?? .error
    guard setting == .error || setting == .warning else { return }
    // What is wrong with the history itself is told when it is read for the upgrade.
    var ignored = Diagnostics()
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: steps, reporting: &ignored)
    guard let reading, let lock = reading.lock else { return }
    var diagnostics = Diagnostics()
    let blocks = try swiftFiles().byVersion
    for line in lock.lock.lines where !questions.contains(line.version) {
      let step = reading.steps[line.version]
      let digest = StepDigest.digest(
        of: step?.step, blocks: blocks[line.version, default: []].map(\.bytes))
      let isNewest = line.version == lock.lock.lines.last?.version
      guard let change = SealedStep(line, now: digest),
        let severity = change.severity(isNewest: isNewest)
      else { continue }
      for file in steps + (seal.map { [$0] } ?? []) { diagnostics.add(file) }
      diagnostics.report(
        change.finding(
          version: line.version, setting == .warning ? .warning : severity,
          at: step?.sourceMap.to ?? lock.spans[line.version]))
    }
    try diagnostics.failOnErrors()
  }
}
