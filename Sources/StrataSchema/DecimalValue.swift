/// A decimal number as canonical digits: an optional minus sign, an integer part without leading zeros,
/// and a fraction without trailing zeros; never an exponent. `NaN` is the one value that is no number.
///
/// The canonical text makes equal numbers equal bytes; order is by value, see `<`. NaN sorts first, as
/// every NaN of the expression language does.
package struct DecimalValue: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// As many digits as Foundation's `Decimal` can spell: 38 significant ones and an exponent to ±128.
  package static let maximumDigits = 166

  /// The canonical digits.
  package let text: String

  package var description: String { text }

  /// Reads `[+-]digits[.digits][e[+-]digits]`; nil for anything else and for a number that needs more
  /// than `maximumDigits` digits.
  package init?(_ spelling: String) {
    if spelling == "NaN" {
      text = spelling
      return
    }
    var rest = Substring(spelling)
    var isNegative = false
    if let sign = rest.first, sign == "-" || sign == "+" {
      isNegative = sign == "-"
      rest.removeFirst()
    }
    var exponent = 0
    if let mark = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      let digits = rest[rest.index(after: mark)...]
      guard digits.utf8.count <= 5, let value = Int(digits) else { return nil }
      exponent = value
      rest = rest[..<mark]
    }
    let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = parts.first, !whole.isEmpty,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
      parts.count == 1 || !parts[1].isEmpty
    else { return nil }
    let fraction = parts.count == 2 ? Array(parts[1].utf8) : []
    var digits = Array(whole.utf8) + fraction
    var point = whole.utf8.count + exponent  // digits before the decimal point
    guard digits.count <= 4 * Self.maximumDigits, abs(point) <= 4 * Self.maximumDigits else {
      return nil
    }
    if point < 0 {
      digits = Array(repeating: 48, count: -point) + digits
      point = 0
    }
    if point > digits.count {
      digits += Array(repeating: 48, count: point - digits.count)
    }
    let before = digits[..<point].drop { $0 == 48 }
    var after = digits[point...]
    while after.last == 48 { after.removeLast() }
    guard before.count + after.count <= Self.maximumDigits else { return nil }
    if before.isEmpty && after.isEmpty {
      text = "0"
      return
    }
    var canonical = isNegative ? "-" : ""
    canonical += before.isEmpty ? "0" : String(decoding: before, as: UTF8.self)
    if !after.isEmpty { canonical += "." + String(decoding: after, as: UTF8.self) }
    text = canonical
  }

  private var magnitude: (whole: Substring, fraction: Substring) {
    let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
    let parts = digits.split(separator: ".")
    return (parts[0], parts.count == 2 ? parts[1] : "")
  }

  package static func < (left: Self, right: Self) -> Bool {
    if left.text == "NaN" || right.text == "NaN" {
      return left.text == "NaN" && right.text != "NaN"
    }
    let (isLeftNegative, isRightNegative) = (left.text.hasPrefix("-"), right.text.hasPrefix("-"))
    if isLeftNegative != isRightNegative { return isLeftNegative }
    let (a, b) = (left.magnitude, right.magnitude)
    let isSmaller: Bool
    if a.whole.utf8.count != b.whole.utf8.count {
      isSmaller = a.whole.utf8.count < b.whole.utf8.count
    } else if a.whole != b.whole {
      isSmaller = a.whole < b.whole
    } else if a.fraction != b.fraction {
      isSmaller = a.fraction < b.fraction
    } else {
      return false
    }
    return isSmaller != isLeftNegative
  }
}
