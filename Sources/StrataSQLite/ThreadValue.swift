#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A reference that each thread has of its own, for as long as a function runs.
package final class ThreadValue<Element: AnyObject>: Sendable {
  private let key: pthread_key_t

  package init() {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "The system has no room left for a value of each thread.")
    self.key = key
  }

  deinit { pthread_key_delete(key) }

  /// What the running thread has; nil outside of ``with(_:_:)``.
  package var current: Element? {
    pthread_getspecific(key).map { Unmanaged<Element>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body`, in which the running thread has this value.
  package func with<Result>(_ element: Element, _ body: () throws -> Result) rethrows -> Result {
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(element).toOpaque())
    defer { pthread_setspecific(key, outer) }
    return try withExtendedLifetime(element) { try body() }
  }
}
