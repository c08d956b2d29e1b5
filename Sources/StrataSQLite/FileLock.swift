#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that one process at a time holds; the system lets it go when the process ends, however it ends.
package final class FileLock {
  private let path: String
  private var descriptor: Int32

  /// How often a lock file that its last holder removes at this moment is opened anew.
  private static let maximumAttempts = 100

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Takes the lock, making its file; nil where another process has it.
  package static func take(_ path: String) throws(FileError) -> FileLock? {
    for _ in 1..<maximumAttempts {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(0o600))
      guard descriptor >= 0 else {
        throw FileError(operation: "open", path: path, number: errno)
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        close(descriptor)
        if number == EINTR { continue }
        guard number == EWOULDBLOCK else {
          throw FileError(operation: "flock", path: path, number: number)
        }
        return nil
      }
      // Its last holder may have removed the file between our opening and our locking it.
      var (held, named) = (stat(), stat())
      if fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino {
        return FileLock(path: path, descriptor: descriptor)
      }
      close(descriptor)
    }
    return nil
  }

  /// Removes the lock's file and lets it go.
  package func release() {
    guard descriptor >= 0 else { return }
    unlink(path)
    close(descriptor)
    descriptor = -1
  }

  deinit { release() }
}
