/// Dates as ISO 8601 spells them, by the proleptic Gregorian calendar, without a leap second table.
///
/// A date is seconds since 2001-01-01 00:00:00 UTC.
package enum DateText {
  /// Seconds from 1970-01-01 to 2001-01-01.
  private static let epoch: Int64 = 978_307_200
  private static let secondsOfDay: Int64 = 86_400

  /// Reads `YYYY-MM-DD`, with `Thh:mm`, `Thh:mm:ss` or `Thh:mm:ss.fraction` behind it (a space for the T
  /// will do), and `Z` or `±hh:mm`; without a zone UTC is meant. Nil for anything else.
  package static func seconds(of text: String) -> Double? {
    var reader = Reader(bytes: Array(text.utf8))
    guard let year = reader.digits(4), reader.accept("-"), let month = reader.digits(2),
      reader.accept("-"), let day = reader.digits(2), (1...12).contains(month), day >= 1,
      day <= daysOfMonth(month, year)
    else { return nil }
    var seconds = days(year, month, day) * secondsOfDay - epoch
    var fraction = 0.0
    if reader.accept("T") || reader.accept("t") || reader.accept(" ") {
      guard let hour = reader.digits(2), hour < 24, reader.accept(":"),
        let minute = reader.digits(2), minute < 60
      else { return nil }
      seconds += hour * 3600 + minute * 60
      if reader.accept(":") {
        guard let second = reader.digits(2), second < 60 else { return nil }
        seconds += second
        if reader.accept(".") {
          guard let value = reader.fraction() else { return nil }
          fraction = value
        }
      }
      guard let zone = reader.zone() else { return nil }
      seconds -= zone
    }
    return reader.isAtEnd ? Double(seconds) + fraction : nil
  }

  /// `2026-11-21T10:00:00Z`, with as many digits of a fraction as tell the date apart from its neighbours, to nine;
  /// nil for a date outside of the years 1 to 9999.
  package static func text(of seconds: Double) -> String? {
    guard seconds.isFinite, abs(seconds) < 4e11 else { return nil }
    let whole = seconds.rounded(.down)
    let total = Int64(whole) + epoch
    var day = total / secondsOfDay
    var time = total % secondsOfDay
    if time < 0 {
      time += secondsOfDay
      day -= 1
    }
    let date = civil(day)
    guard (1...9999).contains(date.year) else { return nil }
    var text = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    text += "T\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
    let fraction = seconds - whole
    guard fraction > 0 else { return text + "Z" }
    var scale: Int64 = 1
    for count in 1...9 {
      scale *= 10
      let digits = Int64((fraction * Double(scale)).rounded())
      guard digits < scale else { continue }
      if whole + Double(digits) / Double(scale) == seconds || count == 9 {
        return text + "." + padded(digits, count) + "Z"
      }
    }
    return text + "Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func daysOfMonth(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": days since 1970 and back, by eras of 400 years.

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func accept(_ character: Unicode.Scalar) -> Bool {
      guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
      position += 1
      return true
    }

    mutating func digits(_ count: Int) -> Int64? {
      guard position + count <= bytes.count else { return nil }
      var value: Int64 = 0
      for byte in bytes[position..<position + count] {
        guard (48...57).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 48)
      }
      position += count
      return value
    }

    /// The digits behind a decimal point, at most 18.
    mutating func fraction() -> Double? {
      let digits = bytes[position...].prefix { (48...57).contains($0) }
      guard (1...18).contains(digits.count) else { return nil }
      position += digits.count
      return Double("0." + String(decoding: digits, as: UTF8.self))
    }

    /// Seconds east of UTC.
    mutating func zone() -> Int64? {
      if isAtEnd || accept("Z") || accept("z") { return 0 }
      let isWest = accept("-")
      guard isWest || accept("+"), let hours = digits(2), hours < 24 else { return nil }
      _ = accept(":")
      guard let minutes = digits(2), minutes < 60 else { return nil }
      let offset = hours * 3600 + minutes * 60
      return isWest ? -offset : offset
    }
  }
}
