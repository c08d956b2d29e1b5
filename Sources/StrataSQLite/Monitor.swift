#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock whose holder can wait for what another thread changes under it.
// Both are allocated once, never moved, and freed with the object; the system's calls are what guards them.
package final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    let codes = (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil))
    precondition(codes == (0, 0), "The system has no room left for a lock.")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deinitialize(count: 1)
    mutex.deinitialize(count: 1)
    condition.deallocate()
    mutex.deallocate()
  }

  package func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Inside of `locked`: lets others in until `isFulfilled`, which they have announced.
  package func wait(until isFulfilled: () -> Bool) {
    while !isFulfilled() { pthread_cond_wait(condition, mutex) }
  }

  /// Inside of `locked`: something has changed.
  package func announce() { pthread_cond_broadcast(condition) }
}
