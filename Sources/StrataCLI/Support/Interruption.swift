import Strata
import StrataSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Ctrl-C, and a terminal that is closed, as a wish that the running operation takes up: it leaves its files as they were.
enum Interruption {
  private static let requested = Atomic<Bool>(false)

  /// When the first signal came, in nanoseconds of the clock that only goes forward; 0 before.
  private static let firstSignal = Atomic<UInt64>(0)

  /// What comes within this time of the first signal is the same wish: `timeout` sends its signal to the command and, in
  /// the same moment, to the group that it is in.
  private static let oneWish: UInt64 = 250_000_000

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// From now on the first Ctrl-C only asks; a second one ends the process at once, which is safe, too.
  static func watch() {
    signal(SIGINT, handle)
    signal(SIGTERM, handle)
    if !ignores(SIGHUP) { signal(SIGHUP, handle) }
    unblock()
  }

  /// `nohup` has a process ignore that its terminal is closed, which stays so.
  private static func ignores(_ number: Int32) -> Bool {
    let previous = signal(number, SIG_IGN)
    let ignores = unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if !ignores { signal(number, previous) }
    return ignores
  }

  /// The parent may have started this process from a thread that takes no signals, and that is inherited.
  private static func unblock() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGHUP)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// A process that works for another one is asked by it alone, with SIGTERM: Ctrl-C, and the end of a terminal, reach all
  /// its processes at once, and would reach this one twice.
  static func watchAsWorker() {
    signal(SIGINT, SIG_IGN)
    signal(SIGHUP, SIG_IGN)
    signal(SIGTERM) { _ in Interruption.requested.store(true, ordering: .relaxed) }
    unblock()
    // The reader is gone: writing fails, and the work stops in order.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Calls only what a signal handler may call.
  private static let handle: @convention(c) (Int32) -> Void = { number in
    requested.store(true, ordering: .relaxed)
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    let (isFirst, first) = firstSignal.compareExchange(
      expected: 0, desired: now, ordering: .relaxed)
    guard !isFirst, now - min(first, now) > oneWish else { return }
    signal(number, SIG_DFL)
    raise(number)
  }
}

extension Interruption {
  /// - Parameter action: what is going on, such as "Adopting old.realm".
  /// - Throws: `MigrationError` of the kind `cancelled` after Ctrl-C.
  static func check(_ action: String) throws {
    guard isRequested else { return }
    throw MigrationError(.cancelled, "\(action) was cancelled. Nothing was written.")
  }
}

extension Database {
  /// SQLite's instructions between two looks at Ctrl-C.
  private static let instructionsBetweenLooks = 100_000

  /// From now on Ctrl-C stops the statement that runs.
  func stopsWhenInterrupted() {
    setProgressHandler(every: Self.instructionsBetweenLooks) { Interruption.isRequested }
  }
}
