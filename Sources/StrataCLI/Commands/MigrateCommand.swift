import ArgumentParser
import Strata
import StrataSchema

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Upgrades database files to the newest version, or to the one that --to names.",
    discussion: """
      Whatever goes wrong, a file is as it was or fully upgraded: its new content is built beside it, \
      verified, and written back in one transaction.
      """)

  @Argument(help: "Database files.") var files: [String]
  @Option(help: ArgumentHelp("The version to reach.", valueName: "version")) var to: Int?
  @Option(
    help: ArgumentHelp(
      "Write the upgraded file here and leave the old one alone.", valueName: "file"))
  var output: String?
  @Option(help: ArgumentHelp("Keep a copy of the old file here.", valueName: "file"))
  var backup: String?
  @Flag(help: "Say what would be done, and change nothing.") var dryRun = false
  @Flag(help: "Go on with the other files when one fails.") var keepGoing = false
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Show no progress bar.") var noProgress = false
  @Flag(name: .shortAndLong, help: "Print nothing but errors.") var quiet = false
  @OptionGroup var folders: FolderOptions

  func validate() throws {
    if files.count > 1, output != nil || backup != nil {
      throw ValidationError("--output and --backup go with one file.")
    }
  }

  func run() throws {
    let target = try folders.upgradeTarget()
    Interruption.watch()
    var results: [MigrationResult] = []
    for file in files {
      if let last = results.last, last.isFailure, !keepGoing {
        results.append(MigrationResult(file: file, outcome: .skipped))
        continue
      }
      let result = upgrade(file, target)
      results.append(result)
      if !json { report(result) }
      if Interruption.isRequested { break }
    }
    if json {
      Terminal.print(
        JSON.object([
          "format": "strata.migrate/1", "files": .array(results.map(\.json)),
        ]).prettyText)
    }
    if Interruption.isRequested { throw ExitCode(ExitStatus.interrupted) }
    if results.contains(where: \.isFailure) { throw ExitCode(ExitStatus.failed) }
  }

  private func upgrade(_ file: String, _ target: UpgradeTarget) -> MigrationResult {
    let clock = ContinuousClock()
    let start = clock.now
    let bar = ProgressBar(
      label: file, isVisible: !noProgress && !quiet && !json && Terminal.isErrorTerminal)
    var options = Upgrade.Options()
    options.target = to
    options.output = output
    options.backup = backup
    options.progress = { progress in
      bar.update(progress)
      return Interruption.isRequested ? .cancel : .proceed
    }
    defer { bar.finish() }
    do {
      if dryRun {
        let plan = try UpgradePlan.make(path: file, target: target, options: options)
        return MigrationResult(file: file, outcome: .planned(plan))
      }
      let report = try Upgrade(path: file, target: target, options: options).run()
      return MigrationResult(
        file: file, outcome: .done(report, seconds: (clock.now - start).seconds), backup: backup)
    } catch let error as MigrationError {
      return MigrationResult(file: file, outcome: .failed(error))
    } catch {
      return MigrationResult(
        file: file,
        outcome: .failed(MigrationError(unexpected: error, path: file)))
    }
  }

  private func report(_ result: MigrationResult) {
    switch result.outcome {
    case .failed(let error): Terminal.error(error.description, code: error.code)
    case .planned(let plan): Terminal.print(plan.text)
    case .skipped: Terminal.note("\(result.file): skipped")
    case .done(let report, let seconds):
      guard !quiet else { return }
      guard report.isUpgrade else {
        Terminal.print("\(result.file): version \(report.to), current")
        return
      }
      let rate = seconds > 0 ? Int(Double(report.objects) / seconds) : 0
      Terminal.print(
        """
        \(result.file): version \(report.from) → \(report.to), \(Numbers.grouped(report.objects)) \
        objects in \(Numbers.duration(seconds)) (\(Numbers.grouped(rate)) objects/s)
        """)
    }
  }
}

/// What became of one file.
struct MigrationResult {
  enum Outcome {
    case done(UpgradeReport, seconds: Double)
    case planned(UpgradePlan)
    case failed(MigrationError)
    case skipped
  }

  let file: String
  let outcome: Outcome
  var backup: String?

  var isFailure: Bool {
    if case .failed = outcome { return true }
    return false
  }

  var json: JSON {
    var members: [String: JSON] = [
      "file": .string(file), "from": .null, "to": .null, "seconds": .double(0), "objects": .int(0),
      "backup": backup.map(JSON.string) ?? .null, "error": .null,
    ]
    switch outcome {
    case .done(let report, let seconds):
      members["from"] = .int(Int64(report.from))
      members["to"] = .int(Int64(report.to))
      members["objects"] = .int(Int64(report.objects))
      members["seconds"] = .double((seconds * 1e6).rounded() / 1e6)
      members["status"] = .string(report.isUpgrade ? "upgraded" : "current")
    case .planned(let plan):
      members["from"] = .int(Int64(plan.from))
      members["to"] = .int(Int64(plan.to))
      members["plan"] = plan.json
      members["status"] = .string(plan.from == plan.to ? "current" : "skipped")
    case .failed(let error):
      members["status"] = "failed"
      members["error"] = error.json
    case .skipped: members["status"] = "skipped"
    }
    return .object(members)
  }
}
