#if STRATA_THREAD_SANITIZER
  /// Stands for Synchronization's `Mutex` in builds with the thread sanitizer, which sees the locks of the system alone: it reports every
  /// value behind the other one. Such a build is made by `scripts/check-threads`; docs/decisions/0083.
  // The value is read and written under the lock alone.
  package final class SanitizedMutex<Value>: @unchecked Sendable {
    private let mutex = SystemMutex()
    private nonisolated(unsafe) var value: Value

    package init(_ value: consuming sending Value) { self.value = value }

    deinit { mutex.destroy() }

    package func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      mutex.lock()
      defer { mutex.unlock() }
      return try body(&value)
    }
  }

  typealias Mutex = SanitizedMutex
#endif
