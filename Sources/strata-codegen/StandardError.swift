#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where findings go: a build shows the lines that begin with `path:line:column: error:` at their places.
enum StandardError {
  static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
      // The reader is gone: there is nowhere else to say so.
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}

/// `write(2)`, which the function of the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
