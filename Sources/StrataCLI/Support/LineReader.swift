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

  /// - Parameter isCancelled: asked while nothing comes whether to stop; then reading ends with an error.
  init(paths: [String], isCancelled: @escaping () -> Bool = { false }) throws {
    self.paths = paths
    self.isCancelled = isCancelled
    if paths.isEmpty {
      descriptor = STDIN_FILENO
      files = [(name: name, first: 0)]
    } else {
      try openNext()
    }
  }

  /// `path:line` of a line.
  ///
  /// - Parameter number: counted over all files, from 1.
  func place(ofLine number: Int) -> String {
    let file = files.last { $0.first < number } ?? (name: name, first: 0)
    return "\(file.name):\(number - file.first)"
  }

  private func openNext() throws {
    guard !paths.isEmpty else {
      descriptor = nil
      return
    }
    name = paths.removeFirst()
    line = 0
    let opened = open(name, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      throw CommandFailure("\(name) cannot be read: \(String(cString: strerror(errno))).")
    }
    descriptor = opened
    files.append((name: name, first: lines))
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
      guard !isCancelled() else {
        throw MigrationError(.cancelled, "Reading \(name) was cancelled.")
      }
      // What is wrong with it is what reading says.
      if count > 0 || (count < 0 && errno != EINTR) { return }
    }
  }

  /// Waits for the first bytes of what is read, or for its end.
  func waitForInput() throws {
    if let descriptor { try wait(for: descriptor) }
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
      guard let descriptor else { return nil }
      try wait(for: descriptor)
      var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw CommandFailure("\(name) cannot be read: \(String(cString: strerror(errno))).")
      }
      guard count == 0 else {
        makeRoom(for: count)
        buffer += chunk[..<count]
        continue
      }
      if descriptor != STDIN_FILENO { close(descriptor) }
      let last = line == 0 ? Self.withoutMark(buffer) : buffer
      buffer = []
      searched = 0
      if !last.isEmpty { lines += 1 }
      try openNext()
      if !last.isEmpty { return last }
    }
  }
}
