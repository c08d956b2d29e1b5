#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time of day, for new objects only: a migration has the step's date.
enum WallClock {
  /// Seconds since 2001-01-01 00:00:00 UTC.
  static var secondsSinceReferenceDate: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - 978_307_200
  }
}
