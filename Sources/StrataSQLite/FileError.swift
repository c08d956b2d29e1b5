#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A system call on a file that failed.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried: `open`, `rename`.
  package let operation: String
  package let path: String
  /// `errno`.
  package let number: Int32

  package init(operation: String, path: String, number: Int32) {
    self.operation = operation
    self.path = path
    self.number = number
  }

  /// The system's sentence for the number.
  package var reason: String {
    var buffer = [CChar](repeating: 0, count: 256)
    _ = strerror_r(number, &buffer, buffer.count)
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  package var isNotFound: Bool { number == ENOENT || number == ENOTDIR }
  package var isExisting: Bool { number == EEXIST }
  package var isPermissionDenied: Bool { number == EACCES || number == EPERM }
  /// Whether the file system cannot do such a thing at all.
  package var isUnsupported: Bool { number == EINVAL || number == ENOTSUP || number == EOPNOTSUPP }
  package var isNoSpace: Bool { Self.isNoSpace(number) }

  /// Whether the system writes no more, as `errno` says: the disk or the user's share of it is full, or the file may get no larger.
  static func isNoSpace(_ number: Int32) -> Bool {
    number == ENOSPC || number == EDQUOT || number == EFBIG
  }

  package var description: String { "\(operation) \(path): \(reason)" }
}
