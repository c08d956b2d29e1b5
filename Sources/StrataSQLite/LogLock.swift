#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The locks that other processes hold on a database: found out without locking or writing anything.
///
/// This process must not have the database open: the system forgets its locks when any descriptor of a file is closed.
package enum LogLock {
  /// Where the lock's byte is in the log's index, <https://www.sqlite.org/walformat.html#wal_locks>.
  private static let writeLockOffset: off_t = 120
  /// Where those are that are taken in the database itself, <https://www.sqlite.org/lockingv3.html>: two for writers, and behind
  /// them the readers'.
  private static let fileLockOffset: off_t = 0x4000_0000
  private static let fileLockCount: off_t = 512

  /// Whether another process is writing a database with a write-ahead log.
  package static func isHeld(path: String) throws(FileError) -> Bool {
    try isLocked(path + "-shm", from: writeLockOffset, count: 1)
  }

  /// Whether another process is reading or writing a database without a log. Of one with a log each connection holds a lock there.
  package static func isFileHeld(path: String) throws(FileError) -> Bool {
    try isLocked(path, from: fileLockOffset, count: fileLockCount)
  }

  private static func isLocked(
    _ path: String, from start: off_t, count: off_t
  ) throws(FileError) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      throw FileError(operation: "open", path: path, number: errno)
    }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = start
    lock.l_len = count
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else {
      throw FileError(operation: "fcntl", path: path, number: errno)
    }
    return lock.l_type != Int16(F_UNLCK)
  }
}
