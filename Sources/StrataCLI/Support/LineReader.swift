import Strata

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads lines of files, one file after the other, or of standard input.
final class LineReader {
  private var paths: [String]
  private var descriptor: Int32?
  private var buffer: [UInt8] = []
  private var position = 0
  /// Bytes behind `position` that hold no line break.
  private var searched = 0
  private var name = "standard input"
  private var line = 0
  /// Lines that were read of all files.
  private var lines = 0
  /// The files, each with the number of lines before it.
  private var files: [(name: String, first: Int)] = []

  private static let chunkSize = 1 << 16
  /// Between two questions whether to stop, while nothing comes.
  private static let milliseconds: Int32 = 100
  private let isCancelled: () -> Bool

  /// Opens nothing yet, because a pipe is open only once its writer is there.
  ///
  /// - Parameter isCancelled: asked while nothing comes whether to stop; then reading ends with an error.
  init(paths: [String], isCancelled: @escaping () -> Bool = { false }) {
    self.paths = paths
    self.isCancelled = isCancelled
    if paths.isEmpty {
      descriptor = STDIN_FILENO
      files = [(name: name, first: 0)]
    }
  }

  /// `path:line` of a line.
  ///
  /// - Parameter number: counted over all files, from 1.
  func place(ofLine number: Int) -> String {
    let file = files.last { $0.first < number } ?? (name: name, first: 0)
    return "\(file.name):\(number - file.first)"
  }

  /// What is read now: the next file, where the one before has ended. Nil after the last one.
  private func source() throws -> Int32? {
    if let descriptor { return descriptor }
    guard !paths.isEmpty else { return nil }
    name = paths.removeFirst()
    line = 0
    switch try opened() {
    case .success(let opened): descriptor = opened
    case .failure(let error): throw unreadable(error.number)
    }
    files.append((name: name, first: lines))
    return descriptor
  }

  private func opened() throws -> OpenedFile.Outcome {
    guard OpenedFile.waitsForWriter(name) else { return OpenedFile.open(name) }
    let file = OpenedFile(name)
    while true {
      if let outcome = file.outcome(within: Self.milliseconds) { return outcome }
      try checkCancelled()
    }
  }

  private func unreadable(_ number: Int32) -> CommandFailure {
    CommandFailure("\(name) cannot be read: \(String(cString: strerror(number))).")
  }

  private func checkCancelled() throws {
    guard !isCancelled() else {
      throw MigrationError(.cancelled, "Reading \(name) was cancelled.")
    }
  }

  /// The line up to `end`. A long one is handed out as it stands: there are never two of it.
  private func take(_ end: Int) -> [UInt8] {
    guard position == 0, end > Self.chunkSize else {
      defer { position = end + 1 }
      return Array(buffer[position..<end])
    }
    var line = buffer
    buffer = Array(buffer[(end + 1)...])
    line.removeSubrange(end...)
    return line
  }

  /// Some programs begin a text with a byte order mark, which is none of its letters.
  private static func withoutMark(_ line: [UInt8]) -> [UInt8] {
    line.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(line.dropFirst(3)) : line
  }

  /// A long line grows by quarters, not to twice of what it is.
  private func makeRoom(for count: Int) {
    let needed = buffer.count + count
    if needed <= buffer.capacity || needed < 16 * Self.chunkSize { return }
    buffer.reserveCapacity(needed + needed / 4)
  }

  /// Waits until something is there or the end is: a call that reads would go on waiting after a signal.
  private func wait(for descriptor: Int32) throws {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&wanted, 1, Self.milliseconds)
      try checkCancelled()
      // What is wrong with it is what reading says.
      if count > 0 || (count < 0 && errno != EINTR) { return }
    }
  }

  /// Waits for the first bytes of what is read, in whichever file they are, or for the end of the last one.
  func waitForInput() throws {
    while buffer.isEmpty, let source = try source() { _ = try readOn(source) }
  }

  /// Adds to the buffer what comes next.
  ///
  /// - Returns: false at the end of the file, which is closed.
  private func readOn(_ source: Int32) throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    while true {
      try wait(for: source)
      let count = read(source, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw unreadable(errno)
      }
      guard count == 0 else {
        makeRoom(for: count)
        buffer += chunk[..<count]
        return true
      }
      if source != STDIN_FILENO { close(source) }
      descriptor = nil
      return false
    }
  }

  /// The next line without its break; nil at the end of the last file.
  func next() throws -> [UInt8]? {
    while true {
      if let end = buffer[(position + searched)...].firstIndex(of: 0x0A) {
        searched = 0
        line += 1
        lines += 1
        return line == 1 ? Self.withoutMark(take(end)) : take(end)
      }
      buffer.removeSubrange(..<position)
      position = 0
      searched = buffer.count
      guard buffer.count <= ObjectImporter.maximumLineLength else {
        throw CommandFailure(
          "\(name):\(line + 1): the line is longer than \(ObjectImporter.maximumLineLength) bytes.")
      }
      guard let source = try source() else { return nil }
      if try readOn(source) { continue }
      let last = line == 0 ? Self.withoutMark(buffer) : buffer
      buffer = []
      searched = 0
      if last.isEmpty { continue }
      lines += 1
      return last
    }
  }
}
