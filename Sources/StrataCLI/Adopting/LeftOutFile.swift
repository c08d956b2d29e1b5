#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The values that an adopted database cannot hold, a line of JSON each; made when there is a first one.
final class LeftOutFile {
  /// Bytes that are collected before they are written.
  private static let bufferSize = 1 << 16

  private let path: String?
  private let permissions: UInt32
  private var descriptor: Int32 = -1
  private var buffer: [UInt8] = []

  /// - Parameters:
  ///   - path: nil for a run that writes nothing.
  ///   - permissions: of the file, which has values of the source in the clear.
  init(path: String?, permissions: UInt32) {
    self.path = path
    self.permissions = permissions
  }

  func add(_ line: String) throws {
    guard path != nil else { return }
    buffer.append(contentsOf: line.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.bufferSize { try flush() }
  }

  func close() throws {
    try flush()
    guard descriptor >= 0 else { return }
    let code = systemClose(descriptor)
    descriptor = -1
    if code != 0 { throw failure() }
  }

  private func flush() throws {
    guard let path, !buffer.isEmpty else { return }
    if descriptor < 0 {
      descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(permissions))
      guard descriptor >= 0 else { throw failure() }
    }
    var rest = buffer[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        throw failure()
      }
      rest = rest.dropFirst(written)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private func failure() -> CommandFailure {
    CommandFailure("\(path ?? "") cannot be written: \(String(cString: strerror(errno))).")
  }

  deinit { if descriptor >= 0 { _ = systemClose(descriptor) } }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
