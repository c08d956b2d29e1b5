import ArgumentParser
import StrataCodegen
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct FreezeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freeze",
    abstract: "Makes a frozen version of the declarations.",
    discussion: """
      Writes versions/N.yaml and a line of schema.lock. Where the step to the version has to say what becomes of data, a \
      step file with questions is written, unless there is one.
      """)

  @Flag(help: "Print what would be written, and write nothing.") var dryRun = false
  @Option(
    help: ArgumentHelp("The day of freezing; default: today, in UTC.", valueName: "yyyy-mm-dd"))
  var date: String?
  @Flag(help: "Freeze the newest version again, which nobody has installed yet.") var amend = false
  @Option(
    help: ArgumentHelp(
      "Put our versions on top of those of another branch, after both froze the same number.",
      valueName: "git:revision"))
  var rebase: String?
  @Flag(help: "Seal the versions that are there anew, after saying what becomes different.")
  var repair = false
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions

  func validate() throws {
    if [amend, repair, rebase != nil].filter({ $0 }).count > 1 {
      throw ValidationError("--amend, --rebase and --repair are three different things; take one.")
    }
    if let date, date.utf8.count != 10 || DateText.parse(date) == nil {
      throw ValidationError("--date takes a day such as 2026-11-21.")
    }
  }

  func run() throws {
    let project = try Project.load(folders)
    let plan: FreezePlan
    do {
      plan = try makePlan(project)
    } catch let error as FreezeError {
      Terminal.error(error.message, code: error.code)
      if let help = error.help { Terminal.note("  help: \(help)") }
      throw ExitCode(ExitStatus.findings)
    }
    if !dryRun { try project.write(plan) }
    report(plan, project)
  }

  private func makePlan(_ project: Project) throws -> FreezePlan {
    let day = date ?? Self.today
    if repair {
      return try project.freeze(lenient: nil, checksSeal: false).plan(repairingOn: day)
    }
    let compilation = try project.compile()
    let working = compilation.schema
    if let rebase {
      return try project.plan(rebasingOnto: rebase)
    }
    let freeze = try project.freeze(lenient: working.version, checksSeal: !amend)
    return amend
      ? try freeze.plan(amendingWith: working) : try freeze.plan(freezing: working, date: day)
  }

  private func report(_ plan: FreezePlan, _ project: Project) {
    let paths = plan.files.map { project.path(of: $0.place) }
    if json {
      Terminal.print(plan.json(project, isDryRun: dryRun).prettyText)
      return
    }
    if plan.changesNothing {
      Terminal.print("version \(plan.version) is frozen already, and nothing is different")
    }
    for note in plan.notes { Terminal.print(note) }
    for (path, file) in zip(paths, plan.files) {
      Terminal.print("  \(file.text == nil ? "remove" : "write ") \(path)")
    }
    if !plan.uncovered.isEmpty {
      Terminal.print(
        plan.uncovered.count == 1
          ? "1 change needs a word in migrations/\(plan.version).yaml:"
          : "\(plan.uncovered.count) changes need a word in migrations/\(plan.version).yaml:")
      for change in plan.uncovered { Terminal.print("  \(change.message) [\(change.kind.code)]") }
    }
    if dryRun, !plan.changesNothing { Terminal.print("nothing was written (--dry-run)") }
  }

  private static var today: String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let seconds = Double(now.tv_sec) - 978_307_200
    return DateText.text(of: seconds).map { String($0.prefix(10)) } ?? "2001-01-01"
  }
}

extension Project {
  /// The lock is written last: whatever is interrupted before is noticed, and freezing again makes it good.
  func write(_ plan: FreezePlan) throws {
    for file in plan.files {
      let path = path(of: file.place)
      guard let text = file.text else {
        if unlink(path) != 0, errno != ENOENT {
          throw CommandFailure("\(path) cannot be removed: \(String(cString: strerror(errno))).")
        }
        continue
      }
      try OutputFolder(path.folderOfPath).write([GeneratedFile(name: path.nameOfPath, text: text)])
    }
  }

  func path(of place: FreezeFile.Place) -> String {
    switch place {
    case .version(let number): "\(schemasPath)/versions/\(number).yaml"
    case .lock: "\(schemasPath)/schema.lock"
    case .migration(let name): "\(migrationsPath)/\(name)"
    }
  }

  /// What freezing works on.
  ///
  /// - Parameter lenient: the version whose step may still have holes; such a step is not sealed.
  func freeze(lenient: Int?, checksSeal: Bool) throws -> Freeze {
    var diagnostics = Diagnostics()
    var unreadable: Set<Int> = []
    let readable = steps.filter { file in
      guard let number = StepReader.number(of: file), number == lenient else { return true }
      var findings = Diagnostics()
      if StepReader.read(file, reporting: &findings) != nil { return true }
      unreadable.insert(number)
      Terminal.note(
        "note: \(file.path) has questions left and is not sealed; 'freeze --amend' seals it once they are answered"
      )
      return false
    }
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: readable, checksSeal: checksSeal,
      reporting: &diagnostics)
    // A lock that cannot be read is what a repair is for.
    if reading == nil, !checksSeal, lenient == nil { return try repairable(readable) }
    try diagnostics.failOnErrors()
    guard let reading else { throw CommandFailure("\(schemasPath) has no history to read.") }
    return Freeze(
      history: reading.history, lock: reading.lock?.lock ?? VersionLock(),
      steps: reading.steps.mapValues(\.step), stepFiles: unreadable,
      blocks: try swiftFiles().byVersion.mapValues { $0.map(\.bytes) })
  }

  /// The versions alone, as if nothing had been sealed.
  private func repairable(_ readable: [SourceFile]) throws -> Freeze {
    var diagnostics = Diagnostics()
    var history = History(name: "")
    for file in versions {
      guard let compiled = SchemaCompiler.compile([file], reporting: &diagnostics) else { continue }
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
    return Freeze(
      history: history, lock: VersionLock(), steps: steps,
      blocks: try swiftFiles().byVersion.mapValues { $0.map(\.bytes) })
  }

  /// Our versions on top of those of a revision.
  func plan(rebasingOnto revision: String) throws -> FreezePlan {
    let name = revision.hasPrefix("git:") ? String(revision.dropFirst(4)) : revision
    let theirs = try upstream(GitRevision(name, of: schemasPath))
    let ours = try freeze(lenient: nil, checksSeal: true)
    let swift = try swiftFiles().byVersion
    var files: [Int: [MigrationFile]] = [:]
    for file in steps {
      guard let number = StepReader.number(of: file) else { continue }
      var diagnostics = Diagnostics()
      let to = StepReader.read(file, reporting: &diagnostics)?.sourceMap.to?.range
      files[number, default: []].append(
        MigrationFile(name: file.name, bytes: file.bytes, toRange: to))
    }
    for (number, blocks) in swift {
      files[number, default: []] += blocks.map { MigrationFile(name: $0.name, bytes: $0.bytes) }
    }
    return try ours.plan(rebasingOnto: theirs, files: files)
  }

  private func upstream(_ revision: GitRevision) throws -> Upstream {
    var diagnostics = Diagnostics()
    let yaml = SourceFolder.yamlExtensions
    let steps = try revision.files(in: migrationsPath, extensions: yaml)
    let reading = HistoryReader.read(
      versions: try revision.files(in: schemasPath + "/versions", extensions: yaml),
      lock: try revision.files(in: schemasPath, extensions: ["lock"]).first {
        $0.name == "schema.lock"
      }, steps: steps, reporting: &diagnostics)
    try diagnostics.failOnErrors()
    guard let reading, let lock = reading.lock?.lock else {
      throw CommandFailure("\(revision.name) has no frozen version to put ours on top of.")
    }
    let swift = try revision.files(in: migrationsPath, extensions: ["swift"])
    return Upstream(
      history: reading.history, lock: lock,
      files: Dictionary(
        (steps + swift).map { ($0.name, $0.bytes) }, uniquingKeysWith: { first, _ in first }))
  }
}

extension FreezePlan {
  /// `strata.freeze/1`.
  func json(_ project: Project, isDryRun: Bool) -> JSON {
    .object([
      "format": "strata.freeze/1", "version": .int(Int64(version)),
      "files": .array(
        files.map { file in
          .object([
            "file": .string(project.path(of: file.place)),
            "action": .string(file.text == nil ? "remove" : "write"),
          ])
        }), "notes": .array(notes.map(JSON.string)),
      "open": .array(
        uncovered.map {
          .object([
            "code": .string($0.kind.code), "rule": .string($0.kind.name),
            "path": .string($0.path.description), "message": .string($0.message),
          ])
        }), "dryRun": .bool(isDryRun),
    ])
  }
}
