import StrataSQLite
package import StrataSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data: StoredValue {
  public var generatedCell: GeneratedCell { GeneratedCell(.data(Array(self))) }

  public static func generatedValue(of cell: GeneratedCell) -> Data? {
    if case .data(let bytes)? = cell.value { return Data(bytes) }
    return nil
  }

  public static var generatedFallback: Data { Data() }

  public static func generatedRead(_ object: Object, _ property: Int) -> Data {
    if let cell = object.storedCell(at: property) {
      return cell.storageClass == .blob ? cell.withBlob { Data($0) } : Data()
    }
    return object.cell(at: property).flatMap(generatedValue(of:)) ?? Data()
  }
}

extension Date: StoredValue {
  public var generatedCell: GeneratedCell {
    GeneratedCell(.date(timeIntervalSinceReferenceDate))
  }

  public static func generatedValue(of cell: GeneratedCell) -> Date? {
    if case .date(let seconds)? = cell.value {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    return nil
  }

  public static var generatedFallback: Date { Date(timeIntervalSinceReferenceDate: 0) }
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

  public var generatedCell: GeneratedCell { GeneratedCell(.uuid(stored)) }

  public static func generatedValue(of cell: GeneratedCell) -> UUID? {
    if case .uuid(let value)? = cell.value { return UUID(value) }
    return nil
  }

  public static var generatedFallback: UUID { UUID(UUIDValue(high: 0, low: 0)) }
}

extension Decimal: StoredValue {
  /// As Foundation spells it, which is digits without an exponent.
  package var stored: DecimalValue {
    guard !isNaN, let value = DecimalValue(description) else { return .notANumber }
    return value
  }

  /// Nil for digits that Foundation's type has no room for: 38 significant ones.
  package init?(_ stored: DecimalValue) {
    if stored == .notANumber {
      self = .nan
      return
    }
    let text = stored.text.utf8
    let digits = text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
    let point = text.firstIndex(of: UInt8(ascii: "."))
    let fraction = point.map { text.distance(from: $0, to: text.endIndex) - 1 } ?? 0
    let trailing = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    let significant = digits.dropLast(trailing).drop { $0 == UInt8(ascii: "0") }
    guard significant.count <= 38 else { return nil }
    var value = Decimal(0)
    for digit in significant { value = value * 10 + Decimal(Int(digit) - 48) }
    value = Decimal(
      sign: stored.text.hasPrefix("-") ? .minus : .plus, exponent: trailing - fraction,
      significand: value)
    guard value.stored == stored else { return nil }
    self = value
  }

  public var generatedCell: GeneratedCell { GeneratedCell(.decimal(stored)) }

  public static func generatedValue(of cell: GeneratedCell) -> Decimal? {
    if case .decimal(let value)? = cell.value { return Decimal(value) }
    return nil
  }

  public static var generatedFallback: Decimal { 0 }
}

extension DecimalValue {
  /// The one value that is no number.
  fileprivate static let notANumber: DecimalValue = {
    guard let value = DecimalValue("NaN") else {
      preconditionFailure("NaN is a decimal's spelling.")
    }
    return value
  }()
}
