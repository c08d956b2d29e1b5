import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// A run of `migrate` over its files.
final class Fleet {
  private let files: [FileSelection.File]
  private let target: UpgradeTarget
  private let outputs: FilePlaces?
  private let backups: FilePlaces?
  private let journal: MigrationJournal?
  private let workerArguments: [String]
  private let command: MigrateCommand
  private let goal: FrozenGoal
  /// Why the journal cannot be written any more: no further file is begun then.
  private(set) var journalFailure: (any Error)?
  /// Whether the user stopped it before all files were looked at.
  private(set) var wasInterrupted = false
  /// What killed runs have left beside files that an earlier one has finished.
  private let leftovers = Leftovers()
  /// Folders that were not there before, those above first.
  private var madeFolders: [String] = []

  init(
    files: [FileSelection.File], target: UpgradeTarget, outputs: FilePlaces?,
    backups: FilePlaces?, journal: MigrationJournal?, workerArguments: [String],
    command: MigrateCommand
  ) {
    self.files = files
    self.target = target
    self.outputs = outputs
    self.backups = backups
    self.journal = journal
    self.workerArguments = workerArguments
    self.command = command
    let version = command.to.flatMap { target.history.version($0) } ?? target.history.newest
    goal = FrozenGoal(
      version: version?.number ?? 0,
      // A working version changes without getting another number.
      digest: [version?.chain ?? version?.shape, target.working?.shape].compactMap {
        $0?.description
      }
      .joined(separator: " "))
  }

  /// What became of each file, in the files' order.
  func run() throws -> [FileOutcome] {
    defer {
      journal?.close()
      removeEmptyFolders()
    }
    guard files.count == 1, journal == nil, let file = files.first, file.problem == nil else {
      return try runMany()
    }
    let outcome = try runOne(file)
    wasInterrupted = outcome.isCancelled
    if !command.json, outcome.isFailure || outcome.planText != nil || !command.quiet {
      FleetReport.tell(outcome, showsPlan: !command.quiet, namingFile: false)
    }
    return [outcome]
  }

  /// One file is upgraded by this process itself.
  private func runOne(_ file: FileSelection.File) throws -> FileOutcome {
    let bar = ProgressBar(label: file.path, isVisible: command.showsBar)
    defer { bar.finish() }
    let migration = migration(of: file)
    try prepare(migration)
    return migration.run(target) { progress in
      bar.update(progress)
      return Interruption.isRequested ? .cancel : .proceed
    }
  }

  /// Whether the processors have enough to do with one thread of each job.
  private var leavesNoProcessor: Bool {
    let jobs = min(command.jobs, files.count)
    return jobs > 1 && 2 * jobs > Processors.count
  }

  private func runMany() throws -> [FileOutcome] {
    try KeyFile.checkIsFile(for: "migrate of several files, or with a journal,")
    let report = FleetReport(
      files: files, showsBar: command.showsBar, showsLines: command.showsLines,
      isDryRun: command.dryRun)
    defer { report.clear() }
    if command.dryRun { try journal?.check() } else { try journal?.begin() }
    let earlier = command.resume ? try journal?.entries() ?? [:] : [:]
    var outcomes: [PathKey: FileOutcome] = [:]
    var hasFailed = false
    func note(_ outcome: FileOutcome) {
      outcomes[PathKey(outcome.file)] = outcome
      hasFailed = hasFailed || outcome.isFailure
      report.finished(outcome)
    }
    var waiting = files[...]
    let pool = WorkerPool(
      jobs: min(command.jobs, max(1, files.count)),
      arguments: workerArguments + (command.showsBar ? ["--reports-progress"] : [])
        + (leavesNoProcessor ? ["--uses-one-thread"] : []))
    try pool.run(
      next: {
        while !hasFailed || command.keepGoing, journalFailure == nil, !Interruption.isRequested,
          let file = waiting.popFirst()
        {
          if let problem = file.problem {
            note(FileOutcome(file: file.path, failed: problem.code, problem.description))
          } else {
            let migration = migration(of: file)
            if let entry = earlier[PathKey(MigrationJournal.place(of: file.path))],
              entry.isFinished(migration, goal: goal)
            {
              removeLeftovers(of: migration)
              note(entry.skipped(as: file.path))
              continue
            }
            do {
              try prepare(migration)
            } catch {
              let problem = MigrationError(unexpected: error, path: file.path)
              note(FileOutcome(file: file.path, failed: problem.code, problem.description))
              continue
            }
            return migration
          }
        }
        return nil
      },
      progress: { report.update($0.file, $1) },
      ended: { hasFailed = hasFailed || $0.isFailure },
      finished: { ended in
        do {
          // What was left as it was because of Ctrl-C is nothing to remember.
          if !command.dryRun {
            try journal?.add(ended.filter { !$0.1.isCancelled }, goal: goal)
          }
        } catch {
          journalFailure = error
        }
        for (_, outcome) in ended { note(outcome) }
      })
    let left = files.filter { outcomes[PathKey($0.path)] == nil }
      .map { FileOutcome(file: $0.path, .notReached) }
    wasInterrupted =
      Interruption.isRequested && (!left.isEmpty || outcomes.values.contains(where: \.isCancelled))
    report.left(left, showsLines: command.verbose && command.showsLines)
    report.clear()
    if !command.quiet, !command.json, let summary = report.summary {
      Terminal.print(summary, keepingLines: true)
    }
    return files.map { outcomes[PathKey($0.path)] ?? FileOutcome(file: $0.path, .notReached) }
  }

  private func migration(of file: FileSelection.File) -> FileMigration {
    var migration = FileMigration(
      file: file.path, version: command.to, output: outputs?.place(of: file.path),
      backup: backups?.place(of: file.path), isDryRun: command.dryRun,
      goesOn: command.resume, wait: command.wait,
      makesFolders: outputs?.makesFolders ?? false || backups?.makesFolders ?? false)
    migration.otherNames = file.otherNames
    return migration
  }

  private func removeLeftovers(of migration: FileMigration) {
    guard !command.dryRun else { return }
    var options = Upgrade.Options()
    options.output = migration.output
    options.backup = migration.backup
    options.leftovers = leftovers
    Upgrade.removeLeftovers(of: migration.file, options: options)
  }

  /// Makes the folders that a file's output and backup go to.
  private func prepare(_ migration: FileMigration) throws {
    guard !command.dryRun else { return }
    if let outputs, let place = migration.output {
      try outputs.prepare(place, made: &madeFolders)
    }
    if let backups, let place = migration.backup {
      try backups.prepare(place, made: &madeFolders)
    }
  }

  /// Of files that failed, or needed no upgrade, nothing is left in the folders that were made for them.
  private func removeEmptyFolders() {
    // Another shard may be about to write into one of them.
    guard command.shard == nil else { return }
    for folder in madeFolders.reversed() { try? POSIXFiles().removeFolder(folder) }
  }
}
