package import StrataSchema

// Decimal arithmetic on digits: exact sums, differences and products; a quotient has 38 significant digits.

extension DecimalValue {
  package static let zero = DecimalValue(whole: 0)
  /// How many significant digits a quotient keeps, as many as Foundation's `Decimal` has.
  package static let quotientDigits = 38

  package init(whole: Int64) {
    // Every Int64 is a short run of digits.
    self = DecimalValue(String(whole)) ?? DecimalValue.notANumber
  }

  package static let notANumber: DecimalValue = {
    guard let value = DecimalValue("NaN") else {
      preconditionFailure("NaN is a decimal's spelling")
    }
    return value
  }()

  package var isNaN: Bool { text == "NaN" }

  /// Nil where the sum has more digits than a decimal may have.
  package func adding(_ other: DecimalValue) -> DecimalValue? {
    if isNaN || other.isNaN { return Self.notANumber }
    let (a, b) = (Digits(self), Digits(other))
    let scale = max(a.scale, b.scale)
    let (left, right) = (a.scaled(to: scale), b.scaled(to: scale))
    if a.isNegative == b.isNegative {
      return Self.make(a.isNegative, Digits.sum(left, right), scale)
    }
    return Digits.isLess(left, right)
      ? Self.make(b.isNegative, Digits.difference(right, left), scale)
      : Self.make(a.isNegative, Digits.difference(left, right), scale)
  }

  package var negated: DecimalValue {
    if isNaN || text == "0" { return self }
    return DecimalValue(text.hasPrefix("-") ? String(text.dropFirst()) : "-" + text) ?? self
  }

  package func subtracting(_ other: DecimalValue) -> DecimalValue? { adding(other.negated) }

  package func multiplied(by other: DecimalValue) -> DecimalValue? {
    if isNaN || other.isNaN { return Self.notANumber }
    let (a, b) = (Digits(self), Digits(other))
    return Self.make(
      a.isNegative != b.isNegative, Digits.product(a.digits, b.digits), a.scale + b.scale)
  }

  /// Nil for a divisor of zero; the last digit is rounded half to even.
  package func divided(by other: DecimalValue) -> DecimalValue? {
    if isNaN || other.isNaN { return Self.notANumber }
    if other.text == "0" { return nil }
    if text == "0" { return .zero }
    let (a, b) = (Digits(self), Digits(other))
    // As many zeros behind the dividend as give one digit more than is kept.
    let divisor = Array(b.digits.drop { $0 == 0 })
    let significant = a.digits.drop { $0 == 0 }.count
    let extra = max(0, Self.quotientDigits + 2 + divisor.count - significant)
    let dividend = a.digits + Array(repeating: 0, count: extra)
    var (quotient, isExact) = Digits.quotient(dividend, divisor)
    var scale = a.scale + extra - b.scale
    quotient = Array(quotient.drop { $0 == 0 })
    while quotient.count > Self.quotientDigits {
      let dropped = quotient.count - Self.quotientDigits
      let tail = Array(quotient[Self.quotientDigits...])
      quotient = Array(quotient[..<Self.quotientDigits])
      scale -= dropped
      let rest = !isExact || tail.dropFirst().contains { $0 != 0 }
      let isUp = tail[0] > 5 || (tail[0] == 5 && (rest || (quotient.last ?? 0) % 2 == 1))
      if isUp { quotient = Digits.sum(quotient, [1]) }
      isExact = true
    }
    if scale < 0 {
      quotient += Array(repeating: 0, count: -scale)
      scale = 0
    }
    return Self.make(a.isNegative != b.isNegative, quotient, scale)
  }

  private static func make(_ isNegative: Bool, _ digits: [UInt8], _ scale: Int) -> DecimalValue? {
    var text = digits.map { $0 + 48 }
    if text.count <= scale { text = Array(repeating: 48, count: scale + 1 - text.count) + text }
    if scale > 0 { text.insert(UInt8(ascii: "."), at: text.count - scale) }
    if isNegative { text.insert(UInt8(ascii: "-"), at: 0) }
    return DecimalValue(String(decoding: text, as: UTF8.self))
  }

  /// To a whole number, a half away from zero.
  package func rounded(_ rule: FloatingPointRoundingRule) -> DecimalValue {
    if isNaN { return self }
    let a = Digits(self)
    guard a.scale > 0 else { return self }
    let whole = Array(a.digits.dropLast(a.scale))
    let first = a.digits[a.digits.count - a.scale]
    let isUp: Bool =
      switch rule {
      case .down: a.isNegative
      case .up: !a.isNegative
      case .toNearestOrAwayFromZero: first >= 5
      default: false
      }
    return Self.make(a.isNegative, isUp ? Digits.sum(whole, [1]) : whole, 0) ?? self
  }
}

/// A decimal number's digits, highest first, without point and sign.
private struct Digits {
  var digits: [UInt8] = []
  /// How many of them stand behind the point.
  var scale = 0
  var isNegative = false

  init(_ value: DecimalValue) {
    var isFraction = false
    for byte in value.text.utf8 {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      default:
        digits.append(byte - 48)
        if isFraction { scale += 1 }
      }
    }
  }

  func scaled(to target: Int) -> [UInt8] { digits + Array(repeating: 0, count: target - scale) }

  static func isLess(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    let (a, b) = (a.drop { $0 == 0 }, b.drop { $0 == 0 })
    return a.count != b.count ? a.count < b.count : a.lexicographicallyPrecedes(b)
  }

  static func sum(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var carry: UInt8 = 0
    for place in 0..<max(a.count, b.count) {
      var digit = carry
      if place < a.count { digit += a[a.count - 1 - place] }
      if place < b.count { digit += b[b.count - 1 - place] }
      carry = digit / 10
      result.append(digit % 10)
    }
    if carry > 0 { result.append(carry) }
    return result.reversed()
  }

  /// Of a number that is not less than the other one.
  static func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var borrow = 0
    for place in 0..<max(a.count, b.count) {
      var digit = -borrow
      if place < a.count { digit += Int(a[a.count - 1 - place]) }
      if place < b.count { digit -= Int(b[b.count - 1 - place]) }
      borrow = digit < 0 ? 1 : 0
      result.append(UInt8(digit < 0 ? digit + 10 : digit))
    }
    return result.reversed()
  }

  static func product(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    var places = [Int](repeating: 0, count: a.count + b.count)
    for (i, x) in a.reversed().enumerated() {
      for (j, y) in b.reversed().enumerated() { places[i + j] += Int(x) * Int(y) }
    }
    var carry = 0
    var result: [UInt8] = []
    for place in places {
      let value = place + carry
      result.append(UInt8(value % 10))
      carry = value / 10
    }
    return result.reversed()
  }

  static func quotient(_ a: [UInt8], _ b: [UInt8]) -> (digits: [UInt8], isExact: Bool) {
    var result: [UInt8] = []
    var rest: [UInt8] = []
    for digit in a {
      rest.append(digit)
      var count: UInt8 = 0
      while !isLess(rest, b) {
        rest = Array(difference(rest, b).drop { $0 == 0 })
        count += 1
      }
      result.append(count)
    }
    return (result, rest.allSatisfy { $0 == 0 })
  }
}
