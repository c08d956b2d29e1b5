#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A mutex of the system's at an address of its own, which never moves. A handle: who has made it destroys it.
struct SystemMutex {
  let address = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// - Parameter isRecursive: whether its holder may take it once more.
  init(isRecursive: Bool = false) {
    address.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    if isRecursive { pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_RECURSIVE)) }
    let code = pthread_mutex_init(address, &attributes)
    precondition(code == 0, "The system has no room left for a lock.")
    pthread_mutexattr_destroy(&attributes)
  }

  func destroy() {
    pthread_mutex_destroy(address)
    address.deinitialize(count: 1)
    address.deallocate()
  }

  func lock() { pthread_mutex_lock(address) }

  func unlock() { pthread_mutex_unlock(address) }
}
