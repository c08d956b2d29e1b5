import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Ctrl-C, as a wish that the running operation takes up: it leaves its files as they were.
enum Interruption {
  private static let requested = Atomic<Bool>(false)

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// From now on the first Ctrl-C only asks; a second one ends the process at once, which is safe, too.
  static func watch() {
    signal(SIGINT, handle)
    signal(SIGTERM, handle)
  }

  private static let handle: @convention(c) (Int32) -> Void = { number in
    requested.store(true, ordering: .relaxed)
    signal(number, SIG_DFL)
  }
}
