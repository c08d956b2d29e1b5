/// Realm's dates as seconds since 2001, as Realm's own classes give them to an app.
enum RealmDate {
  /// Seconds from 1970 to 2001.
  private static let epoch: Int64 = 978_307_200

  static func seconds(_ seconds: Int64, _ nanoseconds: Int64) -> Double {
    let (whole, overflow) = seconds.subtractingReportingOverflow(epoch)
    return (overflow ? Double(seconds) : Double(whole)) + Double(nanoseconds) / 1e9
  }

  /// Whether the nanoseconds can be read off the date again, but for the last one: Realm cuts off what is below a nanosecond.
  static func isKept(_ date: Double, _ nanoseconds: Int64) -> Bool {
    let fraction = date - date.rounded(.towardZero)
    let difference = abs(fraction * 1e9 - Double(nanoseconds))
    return difference <= 1 || abs(difference - 1e9) <= 1
  }
}
