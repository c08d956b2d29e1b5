import Foundation
import Synchronization

/// Prints a line at once: what was found is told also where the process ends before its time.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// Ends the process, with the input's name, when one input takes too long or crashes.
enum TimeLimit {
  static let seconds = 30.0
  private static let current = Mutex<(name: String, since: Double)?>(nil)
  /// For a signal handler, which may not lock.
  nonisolated(unsafe) private static var name: UnsafeMutablePointer<CChar>?

  static func watch() {
    for signalNumber in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE] {
      signal(signalNumber) { number in
        if let name = TimeLimit.name { _ = write(2, name, strlen(name)) }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    Thread.detachNewThread {
      while true {
        sleep(1)
        let late = current.withLock { current -> String? in
          guard let running = current, now() - running.since > seconds else { return nil }
          return running.name
        }
        if let late {
          FileHandle.standardError.write(Data("\(late): takes longer than \(seconds) s\n".utf8))
          exit(3)
        }
      }
    }
  }

  static func begin(_ text: String) {
    current.withLock { $0 = (text, now()) }
    free(name)
    name = strdup("\(text): crashed\n")
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
