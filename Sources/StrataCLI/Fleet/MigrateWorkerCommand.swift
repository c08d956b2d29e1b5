import ArgumentParser
import Strata
import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Upgrades the files that `migrate` names on standard input, one after the other. A process of its own, so that a
/// Swift block that traps takes its file's upgrade with it and nothing else.
struct MigrateWorkerCommand: ParsableCommand {
  static let name = "migrate-worker"
  /// Where answers go: standard output belongs to the blocks, which may print.
  static let answers: Int32 = 3

  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  @Flag var reportsProgress = false
  /// Others run beside it, so that no processor is left for a second thread.
  @Flag var usesOneThread = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  /// Progress that comes faster than a terminal is read only costs.
  private static let interval = Duration.milliseconds(80)

  func run() throws {
    try key.apply()
    Interruption.watchAsWorker()
    let target = try folders.upgradeTarget(allowsQuestions: true)
    let requests = LineReader(paths: [])
    let leftovers = Leftovers()
    while !Interruption.isRequested, let line = try requests.next() {
      guard let json = try? JSON.parse(line), let migration = FileMigration(json: json) else {
        throw CommandFailure("\(Self.name) is started by migrate alone.", status: ExitStatus.usage)
      }
      let outcome = run(migration, target, leftovers)
      guard send(.outcome(outcome)) else { return }
    }
  }

  private func run(
    _ migration: FileMigration, _ target: UpgradeTarget, _ leftovers: Leftovers
  ) -> FileOutcome {
    var migration = migration
    migration.usesSecondThread = !usesOneThread
    let clock = ContinuousClock()
    var lastReport: ContinuousClock.Instant?
    return migration.run(target, leftovers: leftovers) { version in
      // Should a block trap, the command still knows it.
      _ = send(.version(version))
    } progress: { progress in
      if Interruption.isRequested { return .cancel }
      let now = clock.now
      if let lastReport, now - lastReport < Self.interval { return .proceed }
      lastReport = now
      // The parent is gone: the file stays as it was.
      guard reportsProgress else { return Self.isRead ? .proceed : .cancel }
      return send(.progress(progress)) ? .proceed : .cancel
    }
  }

  private func send(_ message: WorkerMessage) -> Bool { Self.send(message.json) }

  /// Whether the process that has started this one still reads its answers.
  private static var isRead: Bool {
    // Whatever is asked for, the system tells of a pipe without a reader.
    var answer = pollfd(fd: answers, events: 0, revents: 0)
    guard poll(&answer, 1, 0) > 0 else { return true }
    return answer.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
  }

  /// Tells the process that has started this one; false where it is gone.
  static func send(_ message: JSON) -> Bool {
    let bytes = Array((message.canonicalText + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        write(answers, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}
