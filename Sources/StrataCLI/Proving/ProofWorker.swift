import Strata
import StrataSchema
import StrataTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Upgrades the files of a proof in a process of its own, so that a block that traps ends that one, and another one takes its place.
///
/// One that is elsewhere has another time zone, language, home and folder, and another seed of hashes as every process
/// has: what a block takes from those shows as a difference.
final class ProofWorker {
  static let interrupted = MigrationError(
    .cancelled, "The proof was interrupted; no file was changed.")

  /// How long Ctrl-C waits for a block that does not return.
  private static let milliseconds: Int32 = 100
  /// Characters of what a process said at its end.
  private static let maximumCause = 400
  private static let maximumPrinted = 1 << 20

  private let folders: FolderOptions
  private let isElsewhere: Bool
  private var worker: WorkerProcess?

  init(_ folders: FolderOptions, isElsewhere: Bool) {
    self.folders = folders
    self.isElsewhere = isElsewhere
  }

  func run(_ upgrade: ProofUpgrade) throws {
    // Writing to a worker that has ended is noticed when its answer is read.
    signal(SIGPIPE, SIG_IGN)
    let worker = try self.worker ?? start()
    self.worker = worker
    worker.send(upgrade.json)
    while true {
      if Interruption.isRequested {
        end()
        throw Self.interrupted
      }
      var polled = pollfd(fd: worker.answers, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, Self.milliseconds) > 0 else { continue }
      guard let answers = worker.readLines() else {
        self.worker = nil
        throw crash(upgrade, worker.reap())
      }
      guard let answer = answers.first else { continue }
      guard let error = answer["error"] else { return }
      throw MigrationError(message: error)
        ?? MigrationError(.inputOutput, "A worker's answer cannot be read.")
    }
  }

  func end() {
    worker?.end()
    worker?.reap()
    worker = nil
  }

  private func start() throws -> WorkerProcess {
    try WorkerProcess(
      command: VerifyWorkerCommand.name,
      arguments: (isElsewhere ? ["--elsewhere"] : []) + folders.arguments, variables: variables())
  }

  private func variables() -> [String: String] {
    var variables: [String: String] = [:]
    var position = 0
    while let entry = environ[position] {
      position += 1
      let parts = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
    }
    // A trace is of no use for a block that is to be tried again many times.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    guard isElsewhere else { return variables }
    variables["SWIFT_DETERMINISTIC_HASHING"] = nil
    let zone = "Pacific/Kiritimati"
    variables["TZ"] = variables["TZ"] == zone ? "Pacific/Pago_Pago" : zone
    for name in ["LANG", "LC_ALL", "LANGUAGE"] {
      let isTurkish = variables[name]?.hasPrefix("tr") ?? false
      variables[name] = isTurkish ? "ar_EG.UTF-8" : "tr_TR.UTF-8"
    }
    for name in ["USER", "LOGNAME"] { variables[name] = "another-user" }
    for name in ["HOME", "PWD"] { variables[name] = "/" }
    return variables
  }

  /// What is known of a process that ended instead of answering.
  private func crash(_ upgrade: ProofUpgrade, _ status: String) -> ProofCrash {
    let lines = text(of: upgrade.printed).split(whereSeparator: \.isNewline)
    let last = lines.last { $0.contains("Fatal error") } ?? lines.last
    var crash = ProofCrash(
      status + (last.map { "; \($0.prefix(Self.maximumCause))" } ?? ""))
    let words = text(of: upgrade.objectAtHand).split(separator: "\n").first?
      .split(separator: " ", maxSplits: 2)
    if let words, words.count == 3 {
      crash.version = Int(words[0])
      crash.identity = Int64(words[1])
      crash.model = String(words[2])
    }
    return crash
  }

  private func text(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.maximumPrinted)
    let size = max(0, lseek(descriptor, 0, SEEK_END))
    let count = pread(descriptor, &bytes, bytes.count, max(0, size - off_t(bytes.count)))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
