import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource

extension SourceSet {
  /// The frozen versions and, behind them, the declarations that are being worked on where those have moved on.
  func history(reporting diagnostics: inout Diagnostics) -> History? {
    let working =
      schemas.isEmpty ? nil : SchemaCompiler.compile(schemas, reporting: &diagnostics)
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: steps, reporting: &diagnostics)
    guard let reading, !diagnostics.hasErrors else { return nil }
    judge(reading, working, knowsSteps: true, reporting: &diagnostics)
    guard let working else { return reading.history }
    if reading.history.versions.isEmpty {
      return including(working, in: History(name: working.schema.name), reading, &diagnostics)
    }
    return including(working, in: reading.history, reading, &diagnostics)
  }

  /// Declarations whose steps no target builds: what is wrong with their history is left to `strata check`, and a change
  /// that would stop an upgrade is worth a warning.
  func judge(_ working: Compilation, reporting diagnostics: inout Diagnostics) {
    guard steps.isEmpty, !versions.isEmpty else { return }
    var ignored = Diagnostics()
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: [], reporting: &ignored)
    guard let reading else { return }
    judge(reading, working, knowsSteps: false, reporting: &diagnostics)
  }

  private func judge(
    _ reading: HistoryReading, _ working: Compilation?, knowsSteps: Bool,
    reporting diagnostics: inout Diagnostics
  ) {
    Judgement(
      reading: reading, working: working, settings: readSettings(), knowsSteps: knowsSteps,
      stepsFolder: stepsFolder
    ).report(to: &diagnostics)
  }

  private func including(
    _ working: Compilation, in history: History, _ reading: HistoryReading,
    _ diagnostics: inout Diagnostics
  ) -> History? {
    do {
      return try history.including(
        working: working.schema, step: reading.steps[working.schema.version]?.step)
    } catch {
      // A check only warns of this. Here the program would meet files that its history does not explain.
      var finding = Diagnostic(
        HistoryDiagnostic.workingVersionNotOpen, error.description, at: working.sourceMap.version,
        help: error.help)
      finding.severity = .error
      diagnostics.report(finding)
      return nil
    }
  }
}
