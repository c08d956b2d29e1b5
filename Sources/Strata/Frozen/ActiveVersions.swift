import Synchronization

/// Which versions of which files this process still reads, and who does: SQLite cannot give the room of a version back
/// before its last reader has gone.
final class ActiveVersions: Sendable {
  static let shared = ActiveVersions()

  struct Holder: Sendable {
    let version: Int64
    let description: String
  }

  private struct State {
    var next = 1
    var holders: [String: [Int: Holder]] = [:]
  }

  private let state = Mutex(State())

  /// - Returns: the number with which the holder goes again.
  func add(_ holder: Holder, of file: String) -> Int {
    state.withLock { state in
      state.next += 1
      state.holders[file, default: [:]][state.next] = holder
      return state.next
    }
  }

  func remove(_ number: Int, of file: String) {
    state.withLock { state in
      state.holders[file]?[number] = nil
      if state.holders[file]?.isEmpty == true { state.holders[file] = nil }
    }
  }

  /// In the order in which they came.
  func holders(of file: String) -> [Holder] {
    state.withLock { state in
      (state.holders[file] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

/// A line of a program.
struct SourceLocation: Sendable, CustomStringConvertible {
  let file: StaticString
  let line: UInt

  var description: String { "\(file):\(line)" }
}
