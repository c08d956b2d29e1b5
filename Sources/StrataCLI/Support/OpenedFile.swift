import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that another thread opens for reading, so that this one can give up.
///
/// Opening a named pipe waits for its writer, and goes on waiting after a signal. Opened without waiting, a pipe whose writer has not
/// come yet looks on some systems as if it had ended. The thread of a file that is given up ends with the process.
final class OpenedFile: Sendable {
  /// The number of an error of the system.
  struct Failure: Error { let number: Int32 }
  typealias Outcome = Result<Int32, Failure>

  private let result = Mutex<Outcome?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ path: String) {
    DispatchQueue.global().async {
      let outcome = Self.open(path)
      self.result.withLock { $0 = outcome }
      self.isDone.signal()
    }
  }

  /// The descriptor, or why there is none; nil where it is still being opened. To be asked until there is one.
  func outcome(within milliseconds: Int32) -> Outcome? {
    guard isDone.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success else {
      return nil
    }
    return result.withLock { $0 }
  }

  /// Whether a path names a pipe.
  static func waitsForWriter(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  static func open(_ path: String) -> Outcome {
    let descriptor = systemOpen(path)
    return descriptor < 0 ? .failure(Failure(number: errno)) : .success(descriptor)
  }
}

private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
