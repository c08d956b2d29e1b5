#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread of the system's that runs one closure and is waited for.
package final class BackgroundThread {
  private let thread: pthread_t
  private var isJoined = false

  private init(_ thread: pthread_t) { self.thread = thread }

  /// Nil where the system has no thread left.
  package static func start(_ body: @escaping @Sendable () -> Void) -> BackgroundThread? {
    let box = Body(body)
    return create(Unmanaged.passRetained(box)).map(BackgroundThread.init)
  }

  private static func create(_ body: Unmanaged<Body>) -> pthread_t? {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(&thread, nil, runBody, body.toOpaque())
    if code != 0 {
      body.release()
      return nil
    }
    return thread
  }

  /// Waits until the closure has returned.
  package func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(thread, nil)
  }

  deinit { join() }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

#if canImport(Darwin)
  private func runBody(_ address: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(address).takeRetainedValue().run()
    return nil
  }
#else
  private func runBody(_ address: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let address { Unmanaged<Body>.fromOpaque(address).takeRetainedValue().run() }
    return nil
  }
#endif
