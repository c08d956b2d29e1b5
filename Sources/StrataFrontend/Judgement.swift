import StrataExpression
import StrataHistory
import StrataSchema
package import StrataSource

/// Whether the steps say what becomes of the data, from each version to the next: without that an app builds and then stops
/// when it opens an older file.
///
/// `strata check` judges far more; this is what a build can tell at once, from what it reads anyway.
package struct Judgement {
  let reading: HistoryReading
  let working: Compilation?
  let settings: Settings
  let knowsSteps: Bool
  let stepsFolder: String

  /// - Parameters:
  ///   - working: the declarations that are being worked on.
  ///   - settings: whose `rules` say how severe a change is.
  ///   - knowsSteps: false where no steps are known: a program may still be given some, so that this is a warning then. What no step
  ///     can cover is an error all the same.
  ///   - stepsFolder: where they stand, or would.
  package init(
    reading: HistoryReading, working: Compilation?, settings: Settings, knowsSteps: Bool,
    stepsFolder: String
  ) {
    self.reading = reading
    self.working = working
    self.settings = settings
    self.knowsSteps = knowsSteps
    self.stepsFolder = stepsFolder
  }

  /// Reports each change that no step covers.
  package func report(to diagnostics: inout Diagnostics) {
    let frozen = reading.history.versions
    let sealed = Set(frozen.filter { $0.chain != nil }.map(\.number))
    var versions = frozen.map { ($0.schema, $0.step, reading.sourceMaps[$0.number]) }
    if let working, working.schema.version > frozen.last?.number ?? .max {
      let step = reading.steps[working.schema.version]?.step
      versions.append((working.schema, step, working.sourceMap))
    }
    for (older, newer) in zip(versions, versions.dropFirst()) {
      let coverage = StepCoverage(older: older.0, newer: newer.0, step: newer.1)
      let isSealed = sealed.contains(newer.0.version)
      for change in coverage.diff.changes
      where !coverage.covers(change) && (change.isJudgedWhenSealed || !isSealed) {
        report(change, coverage, newer.2, to: &diagnostics)
      }
    }
  }

  private func report(
    _ change: SchemaChange, _ coverage: StepCoverage, _ places: SourceMap?,
    to diagnostics: inout Diagnostics
  ) {
    // As in `check`: what no step can cover is an error whatever a step and the settings say, and whichever steps a program is given.
    let isHopeless = change.verdict == .never
    if !isHopeless, coverage.step?.acceptance(of: change) != nil { return }
    let severity: Severity
    switch isHopeless ? .error : settings.rules[change.kind.name] {
    case .off, .info: return
    case .warning: severity = .warning
    case .error, nil: severity = knowsSteps || isHopeless ? .error : .warning
    }
    let file = SourceFolder.path(of: "\(coverage.newer.version).yaml", in: stepsFolder)
    diagnostics.report(
      Diagnostic(
        code: change.kind.code, rule: change.kind.name, severity: severity,
        message: change.message,
        span: places?[change.path] ?? places?[SchemaPath(change.path.model)] ?? places?.version,
        help: change.kind.helpWithoutStep
          ?? "say in \(file) what becomes of the data of version \(coverage.older.version); "
          + "`strata check` says how"))
  }
}
