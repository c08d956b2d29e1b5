import Strata
import StrataSchema
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Says which object a block saw when it trapped. A trap ends the process, and with it the proof: this line on standard error is
/// all that is left of it.
enum TrapNote {
  /// Each process that proves migrations has a few threads that do.
  private static let capacity = 512
  private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGFPE, SIGABRT]

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Runs an upgrade. The handlers stand for as long as the process: blocks of other threads may be running.
  static func watching(_ body: () throws -> Void) throws {
    // A handler may not allocate: what it writes has to lie ready.
    let line = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    line.initialize(repeating: 0, count: capacity)
    let before = pthread_getspecific(key)
    pthread_setspecific(key, line)
    defer {
      pthread_setspecific(key, before)
      line.deallocate()
    }
    isInstalled
    let trace = StepTrace { version, object in
      guard let line = pthread_getspecific(key)?.assumingMemoryBound(to: UInt8.self) else { return }
      let text = """
        strata: the block of version \(version) ended the process when it saw \
        \(object.model.name) #\(object.identity)\n
        """
      var count = 0
      for byte in text.utf8.prefix(capacity - 1) {
        line[count] = byte
        count += 1
      }
      line[count] = 0
    }
    try StepTrace.$current.withValue(trace) { try body() }
  }

  private static let isInstalled: Void = {
    for number in signals {
      var old = sigaction()
      sigaction(number, nil, &old)
      previous.withLock { $0[number] = old }
      var new = sigaction()
      setHandler(of: &new)
      sigaction(number, &new, nil)
    }
  }()

  /// Held while handlers are installed, and by a thread that is about to end.
  private static let previous = Mutex<[Int32: sigaction]>([:])

  private static func setHandler(of action: inout sigaction) {
    let handler: @convention(c) (Int32) -> Void = { number in
      if let line = pthread_getspecific(TrapNote.key)?.assumingMemoryBound(to: UInt8.self) {
        _ = write(
          STDERR_FILENO, line, strlen(UnsafeRawPointer(line).assumingMemoryBound(to: CChar.self)))
      }
      // The handler that was installed before gets the same signal when the instruction is run again.
      var old = sigaction()
      TrapNote.previous.withLock { if let found = $0[number] { old = found } }
      sigaction(number, &old, nil)
    }
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
  }
}
