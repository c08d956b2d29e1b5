/// A lock that its holder may take once more: what a shared connection is asked may ask the connection again.
// The mutex is never replaced, and destroyed with the lock; the system's calls are what guards it.
package final class RecursiveLock: @unchecked Sendable {
  private let mutex = SystemMutex(isRecursive: true)

  package init() {}

  deinit { mutex.destroy() }

  package func lock() { mutex.lock() }

  package func unlock() { mutex.unlock() }
}
