import StrataSQLite
import Synchronization

/// The listeners for commits to a file: stores of this process say so themselves, other processes are
/// noticed by what they do to the file.
final class CommitSignals: Sendable {
  static let shared = CommitSignals()

  private struct Listeners {
    var actions: [Int: @Sendable () -> Void] = [:]
    var watch: FileWatch?
    /// How far the log reached when it was last copied as a whole.
    var copied: LogMark?
  }

  private struct State {
    var next = 0
    var files: [String: Listeners] = [:]
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - file: how the file is known.
  ///   - path: nil for a store in memory.
  ///   - action: called on any thread, often and without need.
  /// - Returns: the number with which the listener goes again.
  func listen(to file: String, at path: String?, _ action: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.files[file, default: Listeners()].actions[state.next] = action
      if let path, state.files[file]?.watch == nil {
        // Writers write where a symbolic link leads to.
        let place = (try? POSIXFiles().realPath(of: path)) ?? path
        state.files[file]?.watch = FileWatch(place) { CommitSignals.shared.signal(file) }
      }
      return state.next
    }
  }

  func stop(_ number: Int, _ file: String) {
    let watch = state.withLock { state -> FileWatch? in
      state.files[file]?.actions[number] = nil
      guard state.files[file]?.actions.isEmpty == true else { return nil }
      return state.files.removeValue(forKey: file)?.watch
    }
    watch?.stop()
  }

  /// Whether there are listeners, and none has copied the log as far as to here before: each is told once.
  func isFirstToCopy(_ mark: LogMark, of file: String) -> Bool {
    state.withLock { state in
      guard let known = state.files[file], known.copied != mark else { return false }
      state.files[file]?.copied = mark
      return true
    }
  }

  /// Another connection may have written.
  func signal(_ file: String, except number: Int? = nil) {
    let actions = state.withLock { state in
      (state.files[file]?.actions ?? [:]).filter { $0.key != number }.map(\.value)
    }
    for action in actions { action() }
  }
}

/// Wakes the store's observers when another connection commits.
final class CommitListener: Sendable {
  private let file: String
  private let number = Mutex(0)
  private let waiting = Mutex<[Int: AsyncStream<Void>.Continuation]>([:])
  private let next = Atomic<Int>(0)

  init(file: String, path: String?) {
    self.file = file
    let number = CommitSignals.shared.listen(to: file, at: path) { [weak self] in self?.wake() }
    self.number.withLock { $0 = number }
  }

  deinit { stop() }

  func stop() {
    CommitSignals.shared.stop(number.withLock { $0 }, file)
    let all = waiting.withLock { waiting in
      defer { waiting = [:] }
      return Array(waiting.values)
    }
    for continuation in all { continuation.finish() }
  }

  /// Tells the others of the file.
  func signalOthers() { CommitSignals.shared.signal(file, except: number.withLock { $0 }) }

  func wake() {
    for continuation in waiting.withLock({ Array($0.values) }) { continuation.yield() }
  }

  /// What wakes one of those who wait, and no other: one that is busy and has not looked yet would keep all others awake.
  struct Signals {
    let stream: AsyncStream<Void>
    let wake: @Sendable () -> Void
  }

  /// Gives a value some time after another connection has committed; one for many commits.
  func signals() -> Signals {
    let (stream, continuation) = AsyncStream<Void>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let key = next.add(1, ordering: .relaxed).newValue
    continuation.onTermination = { [weak self] _ in
      self?.waiting.withLock { $0[key] = nil }
    }
    waiting.withLock { $0[key] = continuation }
    return Signals(stream: stream) { continuation.yield() }
  }
}
