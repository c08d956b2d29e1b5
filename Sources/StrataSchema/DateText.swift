/// Dates as text, ISO 8601 in UTC, exact to the bit: `2026-11-21T10:30:00.25Z`.
///
/// Values are seconds since 2001-01-01 00:00:00 UTC. The fraction has as many digits as tell the value from
/// its neighbours, and is read with correct rounding.
package enum DateText {
  /// Reads `yyyy-mm-dd`, or with `Thh:mm`, `:ss`, a fraction, and `Z` or an offset `+hh:mm`, `+hhmm` or `+hh`. A date without
  /// a time is midnight. Nil for anything else, and for days that are in no calendar.
  package static func parse(_ text: String) -> Double? {
    var scanner = Scanner(rest: Array(text.utf8)[...])
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2),
      scanner.skip("-"), let day = scanner.digits(2),
      (1...12).contains(month), (1...daysInMonth(month, of: year)).contains(day)
    else { return nil }
    var seconds = days(year: year, month: month, day: day) * 86_400
    var fraction: [UInt8] = []
    if !scanner.rest.isEmpty {
      guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
        let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2),
        hour < 24, minute < 60
      else { return nil }
      seconds += hour * 3600 + minute * 60
      if scanner.skip(":") {
        guard let second = scanner.digits(2), second < 60 else { return nil }
        seconds += second
        if scanner.skip(".") || scanner.skip(",") {
          fraction = scanner.allDigits()
          guard !fraction.isEmpty else { return nil }
        }
      }
      if !scanner.skip("Z"), !scanner.skip("z") {
        let isBehind = scanner.skip("-")
        guard isBehind || scanner.skip("+"), let hours = scanner.digits(2), hours < 24 else {
          return nil
        }
        var minutes = 0
        if scanner.skip(":") || !scanner.rest.isEmpty {
          guard let given = scanner.digits(2), given < 60 else { return nil }
          minutes = given
        }
        seconds -= (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
      }
      guard scanner.rest.isEmpty else { return nil }
    }
    while fraction.last == 48 { fraction.removeLast() }
    return value(seconds: seconds, fraction: fraction)
  }

  /// The text that `parse` reads back to the same bits; nil for what is no moment of the years 0 to 9999
  /// or needs more than `DecimalValue.maximumDigits` digits.
  /// −0.0 is the same moment as 0 and is written like it.
  package static func text(of value: Double) -> String? {
    guard value.isFinite, abs(value) < 1e12 else { return nil }
    guard var (whole, fraction) = decimalDigits(abs(value)) else { return nil }
    if value < 0, !fraction.isEmpty {
      whole = -whole - 1
      fraction = complement(fraction)
    } else if value < 0 {
      whole = -whole
    }
    let day = Int((Double(whole) / 86_400).rounded(.down))
    let second = whole - day * 86_400
    let (year, month, dayOfMonth) = date(ofDay: day)
    guard (0...9999).contains(year) else { return nil }
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
    text += "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if !fraction.isEmpty { text += "." + String(decoding: fraction, as: UTF8.self) }
    return text + "Z"
  }

  /// Days since 2001-01-01 in the Gregorian calendar, also before it was introduced.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    // Years begin in March here, so that the leap day is the last one of its year.
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 730_791
  }

  private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 730_791
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// `seconds` plus the fraction, rounded once.
  private static func value(seconds: Int, fraction: [UInt8]) -> Double {
    guard !fraction.isEmpty else { return Double(seconds) }
    let isNegative = seconds < 0
    let whole = isNegative ? -seconds - 1 : seconds
    let digits = isNegative ? complement(fraction) : fraction
    let text = "\(isNegative ? "-" : "")\(whole).\(String(decoding: digits, as: UTF8.self))"
    return Double(text) ?? Double(seconds)
  }

  /// The digits of one minus the fraction, which does not end with a zero.
  private static func complement(_ fraction: [UInt8]) -> [UInt8] {
    var digits = fraction.map { 105 - $0 }  // nine minus the digit, in ASCII
    digits[digits.count - 1] += 1
    return digits
  }

  /// The whole part and the digits of the fraction that tell the value from its neighbours, without
  /// zeros at their end; nil where there are too many of them.
  private static func decimalDigits(_ value: Double) -> (Int, [UInt8])? {
    // Swift's description is the shortest text that reads back; a small value has an exponent in it.
    guard let text = DecimalValue(value.description)?.text else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."))
    return (Int(value), parts.count == 2 ? Array(parts[1]) : [])
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private struct Scanner {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ character: Character) -> Bool {
      guard rest.first == character.asciiValue else { return false }
      rest.removeFirst()
      return true
    }

    mutating func digits(_ count: Int) -> Int? {
      guard rest.count >= count else { return nil }
      var value = 0
      for byte in rest.prefix(count) {
        guard (48...57).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 48)
      }
      rest = rest.dropFirst(count)
      return value
    }

    mutating func allDigits() -> [UInt8] {
      let digits = Array(rest.prefix { (48...57).contains($0) })
      rest = rest.dropFirst(digits.count)
      return digits
    }
  }
}
