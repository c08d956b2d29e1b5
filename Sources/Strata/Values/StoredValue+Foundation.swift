import StrataSQLite
package import StrataSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data: StoredValue {
  public var _generatedCell: _GeneratedCell { _GeneratedCell(.data(Array(self))) }

  public static func _generatedValue(of cell: _GeneratedCell) -> Data? {
    if case .data(let bytes)? = cell.value { return Data(bytes) }
    return nil
  }

  public static var _generatedFallback: Data { Data() }

  public static func _generatedRead(_ object: Object, _ property: Int) -> Data {
    if let cell = object.storedCell(at: property) {
      if cell.storageClass == .blob { return cell.withBlob { Data($0) } }
      object.noteDamage(at: property, found: cell.storageClass)
      return Data()
    }
    return object.cell(at: property).flatMap(_generatedValue(of:)) ?? Data()
  }
}

extension Date: StoredValue {
  public var _generatedCell: _GeneratedCell {
    _GeneratedCell(.date(timeIntervalSinceReferenceDate))
  }

  public static func _generatedValue(of cell: _GeneratedCell) -> Date? {
    if case .date(let seconds)? = cell.value {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    return nil
  }

  public static var _generatedFallback: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: StoredValue {
  package var stored: UUIDValue {
    withUnsafeBytes(of: uuid) { bytes in
      UUIDValue(
        high: UInt64(bigEndianBytes: bytes[..<8]), low: UInt64(bigEndianBytes: bytes[8...]))
    }
  }

  package init(_ stored: UUIDValue) {
    let bytes = stored.bytes
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  public var _generatedCell: _GeneratedCell { _GeneratedCell(.uuid(stored)) }

  public static func _generatedValue(of cell: _GeneratedCell) -> UUID? {
    if case .uuid(let value)? = cell.value { return UUID(value) }
    return nil
  }

  public static var _generatedFallback: UUID { UUID(UUIDValue(high: 0, low: 0)) }
}

extension Decimal: StoredValue {
  /// As Foundation spells it, which is digits without an exponent.
  package var stored: DecimalValue {
    guard !isNaN, let value = DecimalValue(description) else { return .notANumber }
    return value
  }

  /// Significant digits, and the exponents of the last of them, that Foundation's type has room for.
  private static let mostDigits = 38
  private static let exponents = -128...127

  /// The number that is nearest to the stored one, half to even. The file keeps all digits of a sum or a product; Foundation's type
  /// has room for 38.
  package init(_ stored: DecimalValue) {
    if stored == .notANumber {
      self = .nan
      return
    }
    let text = stored.text.utf8
    let isNegative = text.first == UInt8(ascii: "-")
    var digits = text.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
    let point = text.firstIndex(of: UInt8(ascii: "."))
    // The power of ten that the last digit counts.
    var exponent = point.map { 1 - text.distance(from: $0, to: text.endIndex) } ?? 0
    digits = Array(digits.drop { $0 == 0 })
    func dropLast(_ count: Int) -> ArraySlice<Int> {
      exponent += count
      defer { digits.removeLast(count) }
      return digits.suffix(count)
    }
    let excess = max(digits.count - Self.mostDigits, Self.exponents.lowerBound - exponent)
    if excess > digits.count {
      digits = []
    } else if excess > 0 {
      let rest = dropLast(excess)
      let half = [5] + Array(repeating: 0, count: excess - 1)
      let isOdd = digits.last.map { $0 % 2 == 1 } ?? false
      let isUp =
        isOdd ? !rest.lexicographicallyPrecedes(half) : half.lexicographicallyPrecedes(rest)
      if isUp {
        let nines = digits.reversed().prefix { $0 == 9 }.count
        _ = dropLast(nines)
        if let last = digits.popLast() { digits.append(last + 1) } else { digits = [1] }
      }
    }
    _ = dropLast(digits.reversed().prefix { $0 == 0 }.count)
    if digits.count + exponent > Self.mostDigits + Self.exponents.upperBound {
      self = isNegative ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude
      return
    }
    // What is greater than the greatest exponent counts in zeros.
    while exponent > Self.exponents.upperBound {
      digits.append(0)
      exponent -= 1
    }
    var value = Decimal(0)
    for digit in digits { value = value * 10 + Decimal(digit) }
    self = Decimal(
      sign: isNegative ? .minus : .plus, exponent: digits.isEmpty ? 0 : exponent,
      significand: value)
  }

  public var _generatedCell: _GeneratedCell { _GeneratedCell(.decimal(stored)) }

  public static func _generatedValue(of cell: _GeneratedCell) -> Decimal? {
    if case .decimal(let value)? = cell.value { return Decimal(value) }
    return nil
  }

  public static var _generatedFallback: Decimal { 0 }
}

extension DecimalValue {
  /// The one value that is no number.
  fileprivate static let notANumber: DecimalValue = {
    guard let value = DecimalValue("NaN") else {
      misuse("NaN is a decimal's spelling.")
    }
    return value
  }()
}
