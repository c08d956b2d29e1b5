/// Realm's dates as seconds since 2001, as Realm's own classes give them to an app.
enum RealmDate {
  /// Seconds from 1970 to 2001.
  private static let epoch: Int64 = 978_307_200

  static func seconds(_ seconds: Int64, _ nanoseconds: Int64) -> Double {
    let (whole, overflow) = seconds.subtractingReportingOverflow(epoch)
    return (overflow ? Double(seconds) : Double(whole)) + Double(nanoseconds) / 1e9
  }

  /// Whether seconds and nanoseconds can be read off the date again, but for the last nanosecond: Realm cuts off what is below one.
  static func isKept(_ date: Double, _ seconds: Int64, _ nanoseconds: Int64) -> Bool {
    let (whole, overflow) = seconds.subtractingReportingOverflow(epoch)
    let rounded = date.rounded(.towardZero)
    guard !overflow, let found = Int64(exactly: rounded) else { return false }
    // A fraction that is rounded up, or has another sign than the seconds, changes them by one.
    let (difference, isFar) = found.subtractingReportingOverflow(whole)
    guard !isFar, (-1...1).contains(difference) else { return false }
    return abs(Double(difference) * 1e9 + (date - rounded) * 1e9 - Double(nanoseconds)) <= 1
  }
}
