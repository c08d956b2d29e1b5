#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock whose holder can wait for what another thread changes under it.
// Both are never replaced, and destroyed with the object; the system's calls are what guards them.
package final class Monitor: @unchecked Sendable {
  private let mutex = SystemMutex()
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    condition.initialize(to: pthread_cond_t())
    let code = pthread_cond_init(condition, nil)
    precondition(code == 0, "The system has no room left for a condition.")
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deinitialize(count: 1)
    condition.deallocate()
    mutex.destroy()
  }

  package func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    mutex.lock()
    defer { mutex.unlock() }
    return try body()
  }

  /// Inside of `locked`: lets others in until `isFulfilled`, which they have announced.
  package func wait(until isFulfilled: () -> Bool) {
    while !isFulfilled() { pthread_cond_wait(condition, mutex.address) }
  }

  /// Inside of `locked`: something has changed.
  package func announce() { pthread_cond_broadcast(condition) }
}
