import Strata
import StrataEvolution
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
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

  /// The changes that need a step and have none, by the version that they lead to: an upgrade would leave their values out in silence.
  ///
  /// What was sealed with its version was judged then; the step to the newest one may have been edited since. `rules:` of `strata.yaml`
  /// may say that a change is no error, as it does for `check`.
  func openChanges(in versions: [FrozenVersion]) -> [Int: String] {
    var found: [Int: String] = [:]
    // Behind it may come the version that is worked on, which has no seal.
    let newest = versions.last { $0.stepDigest != nil }?.number
    for (older, newer) in zip(versions, versions.dropFirst()) {
      let mayBeEdited = newer.number == newest && newer.step != nil
      guard newer.stepDigest == nil || mayBeEdited else { continue }
      let coverage = StepCoverage(older: older.schema, newer: newer.schema, step: newer.step)
      let open = coverage.diff.changes.filter { change in
        change.verdict == .step && !coverage.covers(change)
          && (change.isJudgedWhenSealed || newer.chain == nil)
          && newer.step?.acceptance(of: change) == nil
          && settings.rules[change.kind.name] ?? .error == .error
      }
      guard !open.isEmpty else { continue }
      let (changes, verb) =
        open.count == 1 ? ("one change", "needs") : ("\(open.count) changes", "need")
      let lack = newer.step == nil ? "and there is none" : "and the step does not have it"
      found[newer.number] =
        "\(changes) since version \(older.number) \(verb) a step, \(lack): \(StoredSchema.list(open))"
    }
    return found
  }
}
