#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file in memory, only for reading. The system loads its pages when they are read.
final class MappedFile {
  let start: UnsafeRawPointer
  let count: Int
  /// Whether it is a file, and not a copy of bytes.
  private let isFile: Bool

  /// A copy of bytes that are no file, for programs that make many.
  init(copying bytes: [UInt8]) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 8)
    memory.copyMemory(from: bytes, byteCount: bytes.count)
    start = UnsafeRawPointer(memory)
    count = bytes.count
    isFile = false
  }

  /// - Throws: `RealmError` with the system's own words.
  init(path: String) throws(RealmError) {
    // A pipe without a writer is not waited for: what it is comes next.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("cannot be opened") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("cannot be looked at") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw RealmError("is no file") }
    guard let size = Int(exactly: status.st_size), size > 0 else { throw RealmError("is empty") }
    guard
      let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
      address != MAP_FAILED
    else { throw Self.failure("cannot be mapped into memory") }
    start = UnsafeRawPointer(address)
    count = size
    isFile = true
  }

  /// Gives the memory of the pages back to the system, which reads them again when they are needed.
  func release() {
    guard isFile else { return }
    madvise(UnsafeMutableRawPointer(mutating: start), count, MADV_DONTNEED)
  }

  private static func failure(_ what: String) -> RealmError {
    RealmError("\(what): \(String(cString: strerror(errno)))")
  }

  deinit {
    if isFile {
      munmap(UnsafeMutableRawPointer(mutating: start), count)
    } else {
      start.deallocate()
    }
  }
}
