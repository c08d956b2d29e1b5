package import StrataSchema

/// A value of a Realm file, as it stands there.
package enum RealmValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case float(UInt32)
  case double(UInt64)
  case string(String)
  /// Bytes of a string that are no UTF-8.
  case damagedText([UInt8])
  case data([UInt8])
  /// Seconds since 1970; before it, both parts are negative.
  case date(seconds: Int64, nanoseconds: Int64)
  case decimal(RealmDecimal)
  case objectID(ObjectIDValue)
  case uuid(UUIDValue)
  case link(RealmLink)
  /// A link to an object that was deleted elsewhere: it keeps its place for the case that the object returns, and Realm shows null, or no
  /// element in a collection of links.
  case goneLink(RealmLink)
  /// A list in a value of type Mixed.
  indirect case list([RealmValue])
  /// A dictionary in a value of type Mixed, as its file orders it.
  indirect case dictionary([RealmEntry])
}

package struct RealmEntry: Hashable, Sendable {
  package let key: String
  package let value: RealmValue
}

/// The object that a value leads to.
package struct RealmLink: Hashable, Sendable {
  /// Of the file's tables; -1 where the file has no such table.
  package let table: Int
  package let key: UInt64

  /// What a stored key is: -1 leads nowhere, and what lies below stands for an object that is gone.
  static func value(table: Int, key: Int64) -> RealmValue {
    if key == -1 { return .null }
    return key >= 0
      ? .link(RealmLink(table: table, key: UInt64(key)))
      : .goneLink(RealmLink(table: table, key: UInt64(bitPattern: -2 &- key)))
  }
}

/// A number of IEEE 754-2008, 128 bits in the binary integer coding, however few its file spends on it.
package struct RealmDecimal: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  static let null = RealmDecimal(high: 0x7C00_0000_0000_0000, low: 0xAA)

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  private static let bias = 6176

  private init(coefficient: UInt64, exponent: Int, isNegative: Bool) {
    low = coefficient
    high = (isNegative ? 1 << 63 : 0) | UInt64(exponent + Self.bias) << 49
  }

  /// The form of 32 bits.
  init(_ bits: UInt32) {
    let isNegative = bits >> 31 != 0
    if bits & 0x7800_0000 == 0x7800_0000 {
      self = Self.special(
        isNegative: isNegative, isNaN: bits & 0x0400_0000 != 0, isNull: bits == 0x7C00_00AA)
    } else if bits & 0x6000_0000 == 0x6000_0000 {
      self.init(
        coefficient: UInt64(bits & 0x1F_FFFF | 1 << 23), exponent: Int(bits >> 21 & 0xFF) - 101,
        isNegative: isNegative)
    } else {
      self.init(
        coefficient: UInt64(bits & 0x7F_FFFF), exponent: Int(bits >> 23 & 0xFF) - 101,
        isNegative: isNegative)
    }
  }

  /// The form of 64 bits.
  init(_ bits: UInt64) {
    let isNegative = bits >> 63 != 0
    if bits & 0x7800_0000_0000_0000 == 0x7800_0000_0000_0000 {
      self = Self.special(
        isNegative: isNegative, isNaN: bits & 0x0400_0000_0000_0000 != 0,
        isNull: bits == 0x7C00_0000_0000_00AA)
    } else if bits & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 {
      self.init(
        coefficient: bits & 0x7_FFFF_FFFF_FFFF | 1 << 53, exponent: Int(bits >> 51 & 0x3FF) - 398,
        isNegative: isNegative)
    } else {
      self.init(
        coefficient: bits & 0x1F_FFFF_FFFF_FFFF, exponent: Int(bits >> 53 & 0x3FF) - 398,
        isNegative: isNegative)
    }
  }

  private static func special(isNegative: Bool, isNaN: Bool, isNull: Bool) -> RealmDecimal {
    if isNull { return null }
    let sign: UInt64 = isNegative ? 1 << 63 : 0
    return RealmDecimal(
      high: sign | (isNaN ? 0x7C00_0000_0000_0000 : 0x7800_0000_0000_0000), low: 0)
  }

  /// As Realm prints it: digits and an exponent where there is one, `NaN`, `Inf` or `-Inf`.
  package var text: String {
    let sign = high >> 63 != 0 ? "-" : ""
    if high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 { return "NaN" }
    if high & 0x7800_0000_0000_0000 == 0x7800_0000_0000_0000 { return sign + "Inf" }
    // With both of these bits the coefficient would be above 10³⁴ − 1, which is read as 0.
    let isLarge = high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000
    // A zero has an exponent, too, and is 0 whatever it is.
    if isLarge || (high & 0x1_FFFF_FFFF_FFFF == 0 && low == 0) { return sign + "0" }
    let exponent = Int(high >> 49 & 0x3FFF) - Self.bias
    return sign + Self.digits(high & 0x1_FFFF_FFFF_FFFF, low)
      + (exponent == 0 ? "" : "E\(exponent)")
  }

  /// The decimal digits of a number of 113 bits.
  private static func digits(_ high: UInt64, _ low: UInt64) -> String {
    if high == 0 { return String(low) }
    let ten18: UInt64 = 1_000_000_000_000_000_000
    let first = high % ten18
    let (middle, rest) = ten18.dividingFullWidth((first, low))
    // The number is (high / 10¹⁸ · 2⁶⁴ + middle) · 10¹⁸ + rest, and high / 10¹⁸ is 0 for 49 bits.
    let tail = String(rest)
    let padded = String(repeating: "0", count: 18 - tail.utf8.count) + tail
    return String(middle) + padded
  }
}
