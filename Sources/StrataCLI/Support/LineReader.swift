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
  private var name = "standard input"
  private var line = 0

  private static let chunkSize = 1 << 16

  init(paths: [String]) throws {
    self.paths = paths
    if paths.isEmpty { descriptor = STDIN_FILENO } else { try openNext() }
  }

  /// `path:line` of the line that was read last.
  var place: String { "\(name):\(line)" }

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
  }

  /// The next line without its break; nil at the end of the last file.
  func next() throws -> [UInt8]? {
    while true {
      if let end = buffer[position...].firstIndex(of: 0x0A) {
        defer { position = end + 1 }
        line += 1
        return Array(buffer[position..<end])
      }
      buffer.removeSubrange(..<position)
      position = 0
      guard buffer.count <= ObjectImporter.maximumLineLength else {
        throw CommandFailure(
          "\(name):\(line + 1): the line is longer than \(ObjectImporter.maximumLineLength) bytes.")
      }
      guard let descriptor else { return nil }
      var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw CommandFailure("\(name) cannot be read: \(String(cString: strerror(errno))).")
      }
      guard count == 0 else {
        buffer += chunk[..<count]
        continue
      }
      if descriptor != STDIN_FILENO { close(descriptor) }
      let last = buffer
      buffer = []
      let lastLine = line
      try openNext()
      guard last.isEmpty else {
        if self.descriptor == nil { line = lastLine + 1 }
        return last
      }
    }
  }
}
