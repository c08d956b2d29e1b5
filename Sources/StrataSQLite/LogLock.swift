#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The lock that a writer of a database with a write-ahead log holds.
package enum LogLock {
  /// Where the lock's byte is in the log's index, <https://www.sqlite.org/walformat.html#wal_locks>.
  private static let writeLockOffset: off_t = 120

  /// Whether another process is writing the database, found out without locking or writing anything.
  ///
  /// This process must not have the database open: the system forgets its locks when any descriptor of a file is closed.
  package static func isHeld(path: String) throws(FileError) -> Bool {
    let descriptor = open(path + "-shm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      throw FileError(operation: "open", path: path + "-shm", number: errno)
    }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = writeLockOffset
    lock.l_len = 1
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else {
      throw FileError(operation: "fcntl", path: path + "-shm", number: errno)
    }
    return lock.l_type != Int16(F_UNLCK)
  }
}
