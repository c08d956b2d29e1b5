/// Bytes that are wiped when nothing holds them any more: a key.
///
/// Unchecked, because the compiler does not know that the memory is written in `init` and `deinit` alone.
final class SecretBytes: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  /// - Parameter fill: writes all of the bytes, which are zero before.
  init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    memory = .allocate(byteCount: count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    fill(memory)
  }

  convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  deinit {
    Primitives.wipe(memory)
    memory.deallocate()
  }

  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }
}
