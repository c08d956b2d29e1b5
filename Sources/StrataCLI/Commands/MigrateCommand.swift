import ArgumentParser
import Strata
import StrataSchema

struct MigrateCommand: ParsableCommand, JSONPrinting {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Upgrades database files to the newest version, or to the one that --to names.",
    discussion: """
      Whatever goes wrong, a file is as it was or fully upgraded: its new content is built beside it, \
      verified, and written back in one transaction.

      Patterns in quotes are expanded here, '**' stands for any folders between: 'fleet/**/*.db'. \
      A file that is found under several names is upgraded once. What became of many files is kept in a \
      journal, and --resume goes on where an earlier run has stopped.
      """)

  @Argument(
    help: "Database files, or patterns of them in quotes.", transform: PathArgument.parsePattern)
  var files: [String]
  @Option(help: ArgumentHelp("The version to reach.", valueName: "version")) var to: Int?
  @Option(
    help: ArgumentHelp(
      "Write the upgraded file here and leave the old one alone; of many files or a pattern of them, a folder, or a name such as '{}.new'.",
      valueName: "path"), transform: PathArgument.parse)
  var output: String?
  @Option(
    help: ArgumentHelp(
      "Keep a copy of the old file here; of many files or a pattern of them, a folder, or a name such as '{}.old'.",
      valueName: "path"), transform: PathArgument.parse)
  var backup: String?
  @Flag(help: "Say what would be done, and change nothing.") var dryRun = false
  @Option(
    help: ArgumentHelp("Upgrade so many files at the same time.", valueName: "count"),
    transform: Self.parseJobs)
  var jobs = 1
  @Option(
    help: ArgumentHelp(
      "Take one of so many equal parts of the files, 3/16, by a digest of their paths.",
      valueName: "index/count"), transform: Shard.parse)
  var shard: Shard?
  @Option(
    help: ArgumentHelp(
      "Wait so many seconds for another process that writes a file.", valueName: "seconds"),
    transform: Self.parseWait)
  var wait = 5
  @Flag(help: "Go on with the other files when one fails.") var keepGoing = false
  @Flag(help: "Skip files that an earlier run has finished; its journal says which.")
  var resume = false
  @Option(
    help: ArgumentHelp(
      "Where the journal is; strata-migrate.journal in the current folder otherwise.",
      valueName: "file"), transform: PathArgument.name)
  var journal: String?
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Show no progress bar.") var noProgress = false
  @Flag(name: .shortAndLong, help: "Print nothing but errors.") var quiet = false
  @Flag(
    name: .shortAndLong,
    help: "Print a line for each file beside the progress bar, and of those not reached.")
  var verbose = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  /// A day.
  private static let longestWait = 86_400

  @Sendable private static func parseJobs(_ argument: String) throws -> Int {
    guard let jobs = Int(argument), (1...WorkerPool.maximumJobs).contains(jobs) else {
      throw ValidationError(
        "--jobs is a whole number from 1 to \(grouped(WorkerPool.maximumJobs)).")
    }
    return jobs
  }

  @Sendable private static func parseWait(_ argument: String) throws -> Int {
    guard let wait = Int(argument), (0...longestWait).contains(wait) else {
      throw ValidationError(
        "--wait is a whole number of seconds from 0 to \(grouped(longestWait)).")
    }
    return wait
  }

  func validate() throws {
    guard output == nil || output != backup else {
      throw ValidationError("--output and --backup name the same place.")
    }
  }

  func run() throws {
    try key.apply()
    Interruption.watch()
    let target = try folders.upgradeTarget(allowsQuestions: true, needsSealedSteps: true)
    // Whatever the files are: it is said once, and before any of them is touched. In JSON the files have it.
    if let to, !json { _ = try target.version(to) }
    let journalPath = journal ?? MigrationJournal.defaultPath(shard: shard)
    let found = try FileSelection(files, ignoring: [journalPath])
    let selection = found.leavingOut(writtenTo: output, "--output")
      .leavingOut(writtenTo: backup, "--backup")
    if Interruption.isRequested { throw ExitCode(ExitStatus.interrupted) }
    guard !selection.all.isEmpty else {
      if let journal { try WrittenNames.check(journal, "--journal", databases: files) }
      throw CommandFailure("The arguments name no database file.")
    }
    let leftOut = found.all.count - selection.all.count
    if leftOut > 0, !quiet {
      Terminal.note(
        "left alone, because they stand where outputs or backups go: "
          + counted(leftOut, "file"))
    }
    let usable = selection.all.filter { $0.problem == nil }
    let paths = usable.map(\.path)
    func places(_ option: String, _ target: String) throws -> FilePlaces {
      try FilePlaces(option: option, target, for: usable, patternRoots: selection.patternRoots)
    }
    let outputs = try output.map { try places("--output", $0) }
    let backups = try backup.map { try places("--backup", $0) }
    if let journal, keepsJournal(selection) {
      let written = [outputs, backups].compactMap(\.self).flatMap { paths.map($0.place) }
      try WrittenNames.check(
        journal, "--journal", databases: paths + written, inputs: [key.path].compactMap(\.self))
    }
    let fleet = Fleet(
      files: selection.files(in: shard), target: target, outputs: outputs, backups: backups,
      journal: keepsJournal(selection) || dryRun && resume
        ? MigrationJournal(path: journalPath) : nil,
      workerArguments: folders.arguments, command: self)
    let outcomes = try fleet.run()
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.migrate/1", "files": .array(outcomes.map(\.json)),
        ]))
    }
    if let failure = fleet.journalFailure { throw failure }
    if fleet.wasInterrupted { throw ExitCode(ExitStatus.interrupted) }
    if outcomes.contains(where: \.isFailure) { throw ExitCode(ExitStatus.failed) }
  }

  /// One file needs none: it says itself whether it is upgraded.
  private func keepsJournal(_ selection: FileSelection) -> Bool {
    !dryRun && (selection.all.count > 1 || journal != nil || resume)
  }

  /// A line for each file, unless a bar tells of them on the same terminal.
  var showsLines: Bool { !quiet && !json && (verbose || !(showsBar && Terminal.isTerminal)) }
  var showsBar: Bool { !noProgress && !quiet && !json && Terminal.isErrorTerminal }
}
