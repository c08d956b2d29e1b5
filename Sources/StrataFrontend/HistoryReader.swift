import StrataExpression
package import StrataHistory
import StrataSchema
package import StrataSource

/// All frozen versions with what leads from one to the next, and where everything stands.
package struct HistoryReading: Sendable {
  /// The frozen versions.
  package let history: History
  /// Nil where nothing is frozen yet.
  package let lock: LockReading?
  /// By version.
  package let sourceMaps: [Int: SourceMap]
  /// By the version that they reach; also those whose version is not frozen yet.
  package let steps: [Int: StepCompilation]
}

/// Reads the files of a history: `schemas/versions/*.yaml`, `schemas/schema.lock`, `migrations/*.yaml`.
package enum HistoryReader {
  /// All errors are reported at once; nil where there is any.
  ///
  /// The seal says whether shapes and chains are as the lock has them. Whether a step is what it was when it
  /// was sealed needs the tokens of its Swift block, too, and is judged elsewhere. Without
  /// `checksSeal`, a history with a broken one is still read: to show and to mend it.
  /// Without `needsLock`, versions that have none are read as if they had never been sealed.
  package static func read(
    versions: [SourceFile], lock: SourceFile?, steps: [SourceFile], checksSeal: Bool = true,
    needsLock: Bool = true, cache: CompilationCache? = nil,
    reporting diagnostics: inout Diagnostics
  ) -> HistoryReading? {
    let errorsBefore = diagnostics.errorCount
    let frozen = readVersions(versions, cache, reporting: &diagnostics)
    let stepsByVersion = readSteps(steps, cache, reporting: &diagnostics)
    let lockReading = lock.flatMap { LockReader.read($0, reporting: &diagnostics) }
    if lock == nil, needsLock, let first = versions.first {
      diagnostics.report(
        HistoryDiagnostic.lockInvalid, "there are frozen versions and no schema.lock",
        at: first.span(0..<0), help: LockReader.restore)
    }
    guard diagnostics.errorCount == errorsBefore else { return nil }
    if checksSeal {
      Seal(frozen: frozen, reading: lockReading).check(reporting: &diagnostics)
    }
    guard diagnostics.errorCount == errorsBefore else { return nil }
    let lines = lockReading?.lock
    let versions = frozen.values.map { compilation in
      let line = lines?.line(ofVersion: compilation.schema.version)
      return FrozenVersion(
        schema: compilation.schema, step: stepsByVersion[compilation.schema.version]?.step,
        date: line?.date ?? "", shape: compilation.shape, stepDigest: line?.step,
        chain: line?.chain)
    }
    return HistoryReading(
      history: History(name: frozen.values.first?.schema.name ?? "", versions: versions),
      lock: lockReading, sourceMaps: frozen.mapValues(\.sourceMap), steps: stepsByVersion)
  }

  private static func readVersions(
    _ files: [SourceFile], _ cache: CompilationCache?, reporting diagnostics: inout Diagnostics
  ) -> [Int: Compilation] {
    var versions: [Int: Compilation] = [:]
    var name: (text: String, span: SourceSpan?)?
    for file in files {
      guard let number = StepReader.number(of: file) else {
        diagnostics.add(file)
        diagnostics.report(
          HistoryDiagnostic.fileNameInvalid, "a frozen version's file is named after its number",
          at: file.span(0..<0), help: "only 'strata freeze' writes files of this folder")
        continue
      }
      let compilation =
        cache.map { $0.version(file, reporting: &diagnostics) }
        ?? SchemaCompiler.compile([file], isFrozen: true, reporting: &diagnostics)
      guard let compilation else { continue }
      if compilation.schema.version != number {
        diagnostics.report(
          HistoryDiagnostic.numberMismatch,
          "the file is named \(file.name) and says version \(compilation.schema.version)",
          at: compilation.sourceMap.version, help: "restore it from version control")
        continue
      }
      if let first = name, first.text != compilation.schema.name {
        diagnostics.report(
          HistoryDiagnostic.schemaNameChanged,
          "this version is of '\(compilation.schema.name)', others are of '\(first.text)'",
          at: compilation.sourceMap.name,
          labels: first.span.map { [Diagnostic.Label("an earlier one is here", at: $0)] } ?? [],
          help: "a schema keeps its name; restore the file from version control")
      }
      if versions[number] != nil {
        diagnostics.report(
          HistoryDiagnostic.fileNameInvalid, "two files say version \(number)",
          at: compilation.sourceMap.version, help: "keep the one that 'strata freeze' wrote")
        continue
      }
      name = name ?? (compilation.schema.name, compilation.sourceMap.name)
      versions[number] = compilation
    }
    return versions
  }

  private static func readSteps(
    _ files: [SourceFile], _ cache: CompilationCache?, reporting diagnostics: inout Diagnostics
  ) -> [Int: StepCompilation] {
    var steps: [Int: StepCompilation] = [:]
    for file in files {
      let step =
        cache.map { $0.step(file, reporting: &diagnostics) }
        ?? StepReader.read(file, reporting: &diagnostics)
      guard let step else { continue }
      if let first = steps.updateValue(step, forKey: step.step.to) {
        diagnostics.report(
          HistoryDiagnostic.stepConflict, "two files say the step to version \(step.step.to)",
          at: step.sourceMap.to,
          labels: first.sourceMap.to.map { [Diagnostic.Label("the other one is here", at: $0)] }
            ?? [], help: "keep one of them")
      }
    }
    return steps
  }
}

/// Holds frozen versions against the lock.
private struct Seal {
  let frozen: [Int: Compilation]
  let reading: LockReading?

  func check(reporting diagnostics: inout Diagnostics) {
    guard let reading else { return }
    var previous: VersionLock.Line?
    for line in reading.lock.lines {
      let span = reading.spans[line.version]
      if line.chain != line.sealed(after: previous?.chain) {
        if let fork = reading.lock.fork(before: line) {
          diagnostics.report(
            HistoryDiagnostic.versionCollision, fork.message, at: span,
            labels: reading.spans[fork.other].map {
              [Diagnostic.Label("the other branch's is here", at: $0)]
            } ?? [], help: LockReader.rebase)
          previous = line
          continue
        }
        diagnostics.report(
          HistoryDiagnostic.lockInvalid, "the seal of version \(line.version) is broken", at: span,
          help: "a line before it or this one was edited, lost or moved; \(LockReader.restore)")
      }
      previous = line
      guard let version = frozen[line.version] else {
        diagnostics.report(
          HistoryDiagnostic.versionMissing,
          "version \(line.version) is frozen, and versions/\(line.version).yaml is missing",
          at: span, help: "restore the file from version control")
        continue
      }
      if version.shape != line.shape || version.schema.rulesDigest != line.rules
        || line.cases.map({ version.schema.casesDigest != $0 }) ?? false
      {
        diagnostics.report(
          HistoryDiagnostic.frozenVersionEdited,
          "version \(line.version) was edited after it was frozen",
          at: version.sourceMap.version,
          labels: span.map { [Diagnostic.Label("its seal is here", at: $0)] } ?? [],
          help: "restore the file; 'strata freeze --amend' while it is unreleased; "
            + "add a new version if it was shipped")
      }
    }
    for (number, version) in frozen.sorted(by: { $0.key < $1.key })
    where reading.lock.line(ofVersion: number) == nil {
      diagnostics.report(
        HistoryDiagnostic.lockInvalid, "version \(number) has no line in the lock",
        at: version.sourceMap.version, help: LockReader.restore)
    }
  }
}
