#if canImport(Glibc)
  import CSQLite
  import Glibc
#elseif canImport(Musl)
  import CSQLite
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which thread runs.
package enum ThreadIdentity {
  /// A number that no other running thread has.
  package static var current: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Whether this is the process's first thread, which is the main actor's.
  package static var isMain: Bool {
    #if canImport(Darwin)
      pthread_main_np() != 0
    #else
      strata_is_main_thread() != 0
    #endif
  }
}
