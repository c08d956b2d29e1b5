import StrataCodegen
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Project {
  /// Steps are written first, so that no version is there without its questions, and the lock last: whatever is
  /// interrupted before is noticed, and freezing again makes it good.
  func write(_ plan: FreezePlan) throws {
    let steps = plan.files.filter(\.isOfMigrations)
    for file in steps + plan.files.filter({ !$0.isOfMigrations }) {
      let path = path(of: file.place)
      guard let text = file.text else {
        if unlink(path) != 0, errno != ENOENT {
          throw CommandFailure("\(path) cannot be removed: \(String(cString: strerror(errno))).")
        }
        continue
      }
      try SourceFile(path: path, text: text).writeInPlace()
    }
  }

  /// Refuses to seal a version that no command could read again.
  func checkReadable(_ plan: FreezePlan) throws {
    for file in plan.files {
      guard case .version(let number) = file.place, let text = file.text else { continue }
      var found = Diagnostics()
      let source = SourceFile(path: path(of: file.place), text: text)
      _ = SchemaCompiler.compile([source], reporting: &found)
      guard found.hasErrors else { continue }
      do {
        try found.failOnErrors()
      } catch let failure as CommandFailure {
        throw CommandFailure(
          "Version \(number) was not frozen: what would be written of it cannot be read again. \(failure.message) "
            + "Please report this with the declarations.", status: ExitStatus.findings)
      }
    }
  }

  func path(of place: FreezeFile.Place) -> String {
    switch place {
    case .version(let number): SourceFolder.path(of: "versions/\(number).yaml", in: schemasPath)
    case .lock: folders.lock
    case .migration(let name): SourceFolder.path(of: name, in: migrationsPath)
    }
  }

  /// What freezing works on.
  ///
  /// - Parameters:
  ///   - lenient: the version whose step may still have holes; such a step is not sealed.
  ///   - repairs: whether a lock that cannot be read, and any step with holes, is what the freeze is there for.
  ///   - blocks: the Swift files; by default those of the folder.
  func freeze(
    lenient: Int?, checksSeal: Bool, repairs: Bool = false, blocks: SwiftFiles? = nil
  ) throws -> Freeze {
    var diagnostics = Diagnostics()
    var unreadable: Set<Int> = []
    let readable = steps.filter { file in
      guard let number = StepReader.number(of: file), number == lenient || repairs else {
        return true
      }
      var findings = Diagnostics()
      if StepReader.read(file, reporting: &findings) != nil { return true }
      unreadable.insert(number)
      if findings.haveOnlyQuestions {
        Terminal.note(
          "note: \(file.path) has questions left and is not sealed; 'freeze \(repairs ? "--repair" : "--amend")' seals it once they are answered"
        )
      } else if repairs {
        Terminal.note(
          "note: \(file.path) has errors, which `\(Tool.name) check` names, and is not sealed")
      }
      return false
    }
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: readable, checksSeal: checksSeal,
      reporting: &diagnostics)
    if reading == nil, repairs { return try repairable(readable) }
    try diagnostics.failOnErrors()
    guard let reading else { throw CommandFailure("\(schemasPath) has no history to read.") }
    return Freeze(
      history: reading.history, lock: reading.lock?.lock ?? VersionLock(),
      steps: reading.steps.mapValues(\.step), stepFiles: unreadable,
      blocks: try (blocks ?? swiftFiles()).byVersion.mapValues { $0.map(\.bytes) })
  }

  /// Refuses to freeze a version that `check` would reject: its declarations, its step and its blocks are judged as the ones
  /// that are being worked on, also where an earlier freeze of the same number is in the history.
  ///
  /// - Parameter asks: whether the step is one with questions, which is not sealed: what it does not answer yet is no reason.
  func judge(freezing version: Int, asking asks: Bool) throws {
    var files = try files()
    files.versions.removeAll { StepReader.number(of: $0) == version }
    var ignored = Diagnostics()
    if let seal = files.lock, let lock = LockReader.read(seal, reporting: &ignored)?.lock {
      let lines = lock.lines.filter { $0.version != version }
      files.lock = SourceFile(path: seal.path, text: VersionLock(lines: lines).text)
    }
    let own =
      files.schemas + files.steps.filter { StepReader.number(of: $0) == version }
      + files.swift.filter { SwiftFileName.version(of: $0.name) == version }
    let paths = Set(own.map(\.path))
    let found = ProjectCheck.run(files).dropping { finding in
      finding.severity != .error || !paths.contains(finding.span?.path ?? "")
        || asks && finding.isAnsweredByStep
    }
    guard found.hasErrors else { return }
    do {
      try found.failOnErrors()
    } catch let failure as CommandFailure {
      throw CommandFailure(
        "Version \(version) was not frozen, because `\(Tool.name) check` rejects it. \(failure.message)",
        status: ExitStatus.findings)
    }
  }

  /// The versions with what can be read of their lock, as if nothing had been sealed.
  private func repairable(_ readable: [SourceFile]) throws -> Freeze {
    if let lock = seal, let algorithm = LockReader.algorithm(of: lock),
      algorithm != VersionLock.header
    {
      throw CommandFailure(
        "\(lock.path) begins with '\(algorithm)', which a newer strata has written: repair it with that one."
      )
    }
    var diagnostics = Diagnostics()
    var history = History(name: "")
    for file in versions {
      guard let compiled = SchemaCompiler.compile([file], isFrozen: true, reporting: &diagnostics)
      else { continue }
      history = History(
        name: compiled.schema.name,
        versions: history.versions + [
          FrozenVersion(schema: compiled.schema, step: nil, date: "", stepDigest: nil, chain: nil)
        ])
    }
    var steps: [Int: MigrationStep] = [:]
    for file in readable {
      if let step = StepReader.read(file, reporting: &diagnostics) {
        steps[step.step.to] = step.step
      }
    }
    try diagnostics.failOnErrors()
    var freeze = Freeze(
      history: history, lock: VersionLock(), steps: steps,
      blocks: try swiftFiles().byVersion.mapValues { $0.map(\.bytes) })
    freeze.takeLines(ofDamagedLock: seal.map { LockReader.wholeLines(of: $0) } ?? [])
    return freeze
  }

  /// The lock of what counts as released: that of a revision, by default of the baseline that the settings name. Of a baseline that is a
  /// version, that one and all before it.
  func released(_ option: String?) throws -> (name: String, lock: VersionLock)? {
    guard let name = option ?? settings.baseline else { return nil }
    guard name.hasPrefix("git:") else {
      if let option {
        throw CommandFailure("'\(option)' is no git:REVISION.", status: ExitStatus.usage)
      }
      guard case .version(let number)? = try baseline(nil) else { return nil }
      let lines = try lock(of: seal).lines.filter { $0.version <= number }
      return ("the baseline v\(number)", VersionLock(lines: lines))
    }
    let there = try files(at: GitRevision(String(name.dropFirst(4)), of: schemasPath))
    return (name, try lock(of: there.lock))
  }

  /// What a lock says; an empty one where there is none. Of one that cannot be read it is not known what is released.
  private func lock(of file: SourceFile?) throws -> VersionLock {
    guard let file else { return VersionLock() }
    var diagnostics = Diagnostics()
    let reading = LockReader.read(file, reporting: &diagnostics)
    try diagnostics.failOnErrors()
    return reading?.lock ?? VersionLock()
  }
}

extension Diagnostics {
  /// Whether questions of a scaffold are the only errors.
  var haveOnlyQuestions: Bool {
    sorted.allSatisfy { $0.severity != .error || $0.code == HistoryDiagnostic.questionOpen.code }
  }
}

extension Diagnostic {
  /// Whether a step that has its answers, or accepts the finding, leaves nothing of it.
  fileprivate var isAnsweredByStep: Bool {
    if code == HistoryDiagnostic.questionOpen.code { return true }
    return RuleCatalogue.coded(code).map { $0.class != .never } ?? false
  }
}
