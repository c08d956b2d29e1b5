#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the process has used of the processors: other programs take nothing from it but caches.
enum ProcessorTime {
  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = seconds
    try body()
    return (seconds - start) * 1000
  }
}
