import Strata
import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// This program once more, as a worker that upgrades one file at a time.
final class WorkerProcess {
  /// More than an outcome with its plan takes.
  private static let maximumMessage = 64 << 20

  let answers: Int32
  private let requests: Int32
  private let process: pid_t
  private var buffer: [UInt8] = []
  /// What it is working on.
  private(set) var migration: FileMigration?
  /// The version that the file in hand is at, once the worker has read it.
  private var version: Int?
  private let clock = ContinuousClock()
  private var start: ContinuousClock.Instant
  private var isReaped = false

  /// - Parameters:
  ///   - command: the command that it runs.
  ///   - arguments: what stands behind the command's name.
  ///   - variables: its environment, where it is another one than this process's.
  init(
    command: String = MigrateWorkerCommand.name, arguments: [String],
    variables: [String: String]? = nil
  ) throws {
    var (request, answer): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&request) == 0, pipe(&answer) == 0 else { throw Self.cannotStart(errno) }
    for descriptor in request + answer { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    do {
      process = try Self.spawn(
        [command] + arguments, variables, requests: request[0], answers: answer[1])
    } catch {
      for descriptor in request + answer { close(descriptor) }
      throw error
    }
    close(request[0])
    close(answer[1])
    requests = request[1]
    answers = answer[0]
    start = clock.now
  }

  private static func spawn(
    _ arguments: [String], _ variables: [String: String]?, requests: Int32, answers: Int32
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, requests, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, answers, MigrateWorkerCommand.answers)
    // What a Swift block prints is for people, not for programs that read this one's output.
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    let name = CommandLine.arguments.first ?? "strata"
    var words = ([name] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var values = (variables ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for value in values { free(value) } }
    var process: pid_t = 0
    let executable = try executable()
    let error =
      variables == nil
      ? posix_spawn(&process, executable, &actions, nil, &words, environ)
      : posix_spawn(&process, executable, &actions, nil, &words, &values)
    guard error == 0 else { throw cannotStart(error) }
    return process
  }

  /// This program's own file, wherever it was moved to since it was started.
  private static func executable() throws -> String {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _NSGetExecutablePath(nil, &size)
      var path = [CChar](repeating: 0, count: Int(size))
      guard _NSGetExecutablePath(&path, &size) == 0 else { throw cannotStart(ENOENT) }
      return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #else
      return "/proc/self/exe"
    #endif
  }

  private static func cannotStart(_ number: Int32) -> CommandFailure {
    CommandFailure("A worker process cannot be started: \(String(cString: strerror(number))).")
  }

  /// Gives it a file. One that has ended meanwhile is noticed when its answer is read.
  func begin(_ migration: FileMigration) {
    self.migration = migration
    version = nil
    start = clock.now
    send(migration.json)
  }

  /// The failure of the file in hand, of which the worker itself says nothing any more.
  func failure(_ error: MigrationError, of migration: FileMigration) -> FileOutcome {
    var outcome = FileOutcome(file: migration.file, failed: error.code, error.description)
    outcome.from = version
    outcome.setSeconds((clock.now - start).seconds)
    return outcome
  }

  /// Gives it a line.
  func send(_ request: JSON) {
    let bytes = Array((request.canonicalText + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(requests, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      written += count
    }
  }

  enum Answer {
    case messages([WorkerMessage])
    /// It ended without an outcome: what its status says.
    case ended(String)
  }

  /// Reads what has come. An outcome makes it free again.
  func read() -> Answer {
    guard let lines = readLines() else { return .ended(reap()) }
    let messages = lines.compactMap(WorkerMessage.init(json:))
    for message in messages {
      switch message {
      case .outcome: migration = nil
      case .version(let version): self.version = version
      case .progress: break
      }
    }
    return .messages(messages)
  }

  /// The lines that have come; nil where no more will.
  func readLines() -> [JSON]? {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = systemRead(answers, &chunk)
    if count < 0, errno == EINTR || errno == EAGAIN { return [] }
    guard count > 0, buffer.count + count <= Self.maximumMessage else { return nil }
    buffer += chunk[..<count]
    var lines = buffer.split(separator: 0x0A, omittingEmptySubsequences: false)
    buffer = Array(lines.removeLast())
    return lines.compactMap { try? JSON.parse($0) }
  }

  /// Ends it at once, whatever its blocks are doing.
  func end() { if !isReaped { kill(process, SIGKILL) } }

  /// Asks it to leave the file in hand as it was.
  func cancel() { if !isReaped { kill(process, SIGTERM) } }

  /// Tells it that no more files come, and waits for its end.
  @discardableResult
  func reap() -> String {
    guard !isReaped else { return "" }
    isReaped = true
    close(requests)
    close(answers)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let number = status & 0x7F
    if number == 0 { return "exit status \((status >> 8) & 0xFF)" }
    return "signal \(number), \(String(cString: strsignal(number)))"
  }

  deinit { reap() }
}

private func systemRead(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int {
  bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
}
