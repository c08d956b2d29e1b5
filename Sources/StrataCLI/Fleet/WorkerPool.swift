import Strata

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Some workers that share a list of files. One thread looks after all of them, so that nothing here is shared.
final class WorkerPool {
  /// More processes than any machine upgrades files with.
  static let maximumJobs = 1024
  /// Milliseconds between two looks at Ctrl-C while nothing is heard of workers.
  private static let patience: Int32 = 100

  private let jobs: Int
  private let arguments: [String]
  private var workers: [WorkerProcess] = []

  init(jobs: Int, arguments: [String]) {
    self.jobs = jobs
    self.arguments = arguments
  }

  /// Runs files until `next` has no more of them, or the user interrupts; those that were begun are finished or left as they were.
  ///
  /// - Parameters:
  ///   - next: the next file; nil when there is none, or none is to be begun any more.
  ///   - progress: told of the files in hand.
  ///   - ended: told at once of each file that was begun, before its worker gets another one.
  ///   - finished: told of the same files when their workers are busy again, so that none waits for what is made of it.
  func run(
    next: () throws -> FileMigration?, progress: (FileMigration, UpgradeProgress) -> Void,
    ended: (FileOutcome) -> Void, finished: ([(FileMigration, FileOutcome)]) throws -> Void
  ) throws {
    let previous = signal(SIGPIPE, SIG_IGN)
    defer {
      signal(SIGPIPE, previous)
      for worker in workers { worker.reap() }
    }
    var isCancelled = false
    var done: [(FileMigration, FileOutcome)] = []
    while true {
      if Interruption.isRequested, !isCancelled {
        isCancelled = true
        for worker in workers where worker.migration != nil { worker.cancel() }
      }
      do {
        if !isCancelled { try giveWork(next) }
      } catch {
        try finished(done)
        throw error
      }
      try finished(done)
      done = []
      let busy = workers.filter { $0.migration != nil }
      guard !busy.isEmpty else { return }
      for worker in waiting(busy) {
        guard let migration = worker.migration else { continue }
        switch worker.read() {
        case .messages(let messages):
          for message in messages {
            switch message {
            case .progress(let facts): progress(migration, facts)
            case .version: break
            case .outcome(let outcome):
              ended(outcome)
              done.append((migration, outcome))
            }
          }
        case .ended(let status):
          workers.removeAll { $0 === worker }
          // One that had only just started did not know yet how to be asked.
          let outcome = worker.failure(
            isCancelled ? Self.cancelled(migration) : Self.ended(migration, status),
            of: migration)
          ended(outcome)
          done.append((migration, outcome))
        }
      }
    }
  }

  private func giveWork(_ next: () throws -> FileMigration?) throws {
    for worker in workers where worker.migration == nil {
      guard let migration = try next() else { return }
      worker.begin(migration)
    }
    while workers.count < jobs {
      guard let migration = try next() else { return }
      let worker = try WorkerProcess(arguments: arguments)
      workers.append(worker)
      worker.begin(migration)
    }
  }

  /// Those that have said something.
  private func waiting(_ workers: [WorkerProcess]) -> [WorkerProcess] {
    var polled = workers.map { pollfd(fd: $0.answers, events: Int16(POLLIN), revents: 0) }
    guard poll(&polled, nfds_t(polled.count), Self.patience) > 0 else { return [] }
    return zip(workers, polled).filter { $0.1.revents != 0 }.map(\.0)
  }

  private static func cancelled(_ migration: FileMigration) -> MigrationError {
    MigrationError(
      .cancelled, "The upgrade of \(migration.file) was cancelled; the file is as it was.")
  }

  private static func ended(_ migration: FileMigration, _ status: String) -> MigrationError {
    MigrationError(
      .blockFailed,
      """
      The process that upgraded \(migration.file) ended before it was done (\(status)), as it does when a \
      Swift block traps or memory runs out. The file is whole; upgrade it alone to see what happens.
      """)
  }
}
