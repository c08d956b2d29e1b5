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
  private let files: any FileOperations

  /// How often a lock file that its last holder removes at this moment is opened anew.
  private static let maximumAttempts = 100

  /// Microseconds between two tries.
  private static let interval: UInt32 = 10_000

  /// Whether it has made its file: one that stood there was left by a process that was killed.
  package let isNew: Bool

  private init(path: String, descriptor: Int32, isNew: Bool, files: any FileOperations) {
    self.path = path
    self.isNew = isNew
    self.descriptor = descriptor
    self.files = files
  }

  /// Takes the lock, making its file.
  ///
  /// - Parameter waiting: milliseconds to wait for another process.
  /// - Returns: nil where another process has it still.
  package static func take(
    _ path: String, permissions: UInt32 = 0o600, waiting: Int = 0,
    files: any FileOperations = POSIXFiles()
  ) throws(FileError) -> FileLock? {
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(waiting)
    while true {
      if let lock = try takeNow(path, permissions, files) { return lock }
      guard clock.now < end else { return nil }
      usleep(interval)
    }
  }

  private static func openOrMake(
    _ path: String, _ permissions: UInt32
  ) throws(FileError) -> (descriptor: Int32, isNew: Bool) {
    var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(permissions))
    if descriptor >= 0 { return (descriptor, true) }
    if errno == EEXIST {
      descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(permissions))
      // A killed run of another user, as root, has left one that this user may only read, which is enough for the lock.
      if descriptor < 0, errno == EACCES { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
    }
    guard descriptor >= 0 else { throw FileError(operation: "open", path: path, number: errno) }
    return (descriptor, false)
  }

  private static func takeNow(
    _ path: String, _ permissions: UInt32, _ files: any FileOperations
  ) throws(FileError) -> FileLock? {
    for _ in 1..<maximumAttempts {
      let (descriptor, isNew) = try openOrMake(path, permissions)
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
        return FileLock(path: path, descriptor: descriptor, isNew: isNew, files: files)
      }
      close(descriptor)
    }
    return nil
  }

  /// Whether another process has the lock; makes no file.
  package static func isTaken(_ path: String) throws(FileError) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      throw FileError(operation: "open", path: path, number: errno)
    }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Removes the lock's file and lets it go.
  package func release() {
    guard descriptor >= 0 else { return }
    // One that stays is taken by the next process all the same. Nothing is ever written to it: what holds something is the user's.
    var status = stat()
    if fstat(descriptor, &status) != 0 || status.st_size == 0 { try? files.remove(path) }
    close(descriptor)
    descriptor = -1
  }

  deinit { release() }
}
