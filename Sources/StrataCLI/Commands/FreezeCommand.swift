import ArgumentParser
import StrataCodegen
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct FreezeCommand: ParsableCommand, JSONPrinting {
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
  @Flag(help: "Freeze the newest version again, which is installed nowhere yet.") var amend = false
  @Option(
    help: ArgumentHelp(
      "With --amend: why a version that others have is frozen again; the lock keeps it.",
      valueName: "reason"))
  var because: String?
  @Option(
    help: ArgumentHelp(
      "With --amend: what it has is released. Default: the baseline of strata.yaml.",
      valueName: "git:revision"))
  var against: String?
  @Flag(
    help: "Put our versions on top of those of another branch, after both froze the same number.")
  var rebase = false
  @Argument(
    help: ArgumentHelp(
      "With --rebase: the other branch. Default: the merged one, the baseline, the branch followed.",
      valueName: "git:revision"))
  var onto: String?
  @Flag(help: "Seal the versions that are there anew, after saying what becomes different.")
  var repair = false
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions

  func validate() throws {
    if [amend, repair, rebase].filter({ $0 }).count > 1 {
      throw ValidationError("--amend, --rebase and --repair are three different things; take one.")
    }
    if onto != nil, !rebase {
      throw ValidationError("Only --rebase takes a revision.")
    }
    if because != nil || against != nil, !amend {
      throw ValidationError("--because and --against go with --amend.")
    }
    if let because, !VersionLock.Line.isReason(because) {
      throw ValidationError(
        "--because takes one line of at most \(VersionLock.Line.maximumReason) bytes without quotes."
      )
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
      throw ExitCode(error.report())
    }
    try project.checkReadable(plan)
    if !dryRun { try project.write(plan) }
    report(plan, project)
  }

  private func makePlan(_ project: Project) throws -> FreezePlan {
    let day = date ?? Self.today
    if repair {
      let freeze = try project.freeze(lenient: nil, checksSeal: false, repairs: true)
      guard !freeze.history.versions.isEmpty || !freeze.lock.lines.isEmpty else {
        throw FreezeError("STR4004", "there is no frozen version to seal", help: "use freeze alone")
      }
      return freeze.plan(repairingOn: day)
    }
    if rebase { return try project.plan(rebasingOnto: onto) }
    let working = try project.compile().schema
    let freeze = try project.freeze(lenient: working.version, checksSeal: !amend)
    let plan =
      amend
      ? try freeze.plan(
        amendingWith: working, released: try project.released(against), because: because)
      : try freeze.plan(freezing: working, date: day)
    // A step with questions is not sealed, and check keeps asking them.
    let isUnreadable =
      freeze.stepFiles.contains(working.version) && freeze.steps[working.version] == nil
    if !plan.changesNothing || isUnreadable {
      try project.judge(freezing: working.version, asking: plan.addsStep || isUnreadable)
    }
    return plan
  }

  private func report(_ plan: FreezePlan, _ project: Project) {
    let paths = plan.files.map { project.path(of: $0.place) }
    if json {
      Terminal.answer(plan.json(project, isDryRun: dryRun))
      return
    }
    if plan.changesNothing {
      Terminal.print(
        "version \(plan.version) is frozen already, and nothing is different"
          + (plan.notes.isEmpty ? "" : " in its declarations"))
    }
    for note in plan.notes(isDryRun: dryRun) { Terminal.print(note) }
    for (path, file) in zip(paths, plan.files) {
      Terminal.print("  \(file.text == nil ? "remove" : "write ") \(path)")
    }
    if !plan.uncovered.isEmpty {
      let step = SourceFolder.path(of: "\(plan.version).yaml", in: project.migrationsPath)
      Terminal.print(
        plan.uncovered.count == 1
          ? "1 change needs a word in \(step):"
          : "\(plan.uncovered.count) changes need a word in \(step):")
      for change in plan.uncovered { Terminal.print("  \(change.message) [\(change.kind.code)]") }
    }
    if dryRun, !plan.changesNothing { Terminal.print("nothing was written (--dry-run)") }
  }

  static var today: String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let seconds = Double(now.tv_sec) - 978_307_200
    return DateText.text(of: seconds).map { String($0.prefix(10)) } ?? "2001-01-01"
  }
}

extension FreezeError {
  /// Prints the error: as a sentence on standard error, in a form for programs on standard output.
  ///
  /// - Returns: the command's status.
  fileprivate func report() -> Int32 {
    let choice = OutputChoice.current
    let format = choice.isJSON ? .json : choice.format
    guard format != .text else {
      Terminal.error(message, code: code)
      if let help { Terminal.note("  help: \(help)") }
      return ExitStatus.findings
    }
    var findings = Diagnostics()
    findings.report(
      Diagnostic(
        code: code, rule: Explanations.page(code)?.kind.name ?? "", severity: .error,
        message: message, span: nil, help: help))
    Terminal.write(findings.rendered(as: format), to: Terminal.results)
    return ExitStatus.findings
  }
}

extension FreezePlan {
  /// What is said of the plan; what is not written is not told as done.
  func notes(isDryRun: Bool) -> [String] {
    let isFrozen = "version \(version) is frozen"
    return notes.map { note in
      isDryRun && note.hasPrefix(isFrozen)
        ? "version \(version) would be frozen" + note.dropFirst(isFrozen.count) : note
    }
  }

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
        }), "notes": .array(notes(isDryRun: isDryRun).map(JSON.string)),
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
