import StrataExpression
import StrataSchema

extension Value {
  /// Bytes whose order is that of values of type `any`: bools, numbers of all types by their value, strings, data, dates, UUIDs,
  /// object identifiers, and objects by their model's name and their identity; nil for nil, which comes first.
  var anySortKey: [UInt8]? {
    switch self {
    case .null: nil
    case .bool(let value): [1, value ? 1 : 0]
    case .int(let value): [2] + DecimalValue(whole: value).sortKey
    case .float(let value): [2] + Self.numberKey(Double(value))
    case .double(let value): [2] + Self.numberKey(value)
    case .decimal(let value): [2] + value.sortKey
    case .string(let value): [3] + value.utf8
    case .data(let value): [4] + value
    case .date(let value): [5] + Self.dateKey(value)
    case .uuid(let value): [6] + value.bytes
    case .objectID(let value): [7] + value.bytes
    case .object(let model, let identity): [8] + Array(model.utf8) + [0] + Self.bytes(identity)
    case .link(let identity): [8, 0] + Self.bytes(identity)
    }
  }

  /// What values of one section have in common: they are equal in conditions.
  func sectionKey(as kind: ColumnCodec.Kind) -> Value {
    if kind == .any { return anySortKey.map(Value.data) ?? .null }
    return switch self {
    case .float(let value) where value.isNaN: .float(.nan)
    case .double(let value) where value.isNaN: .double(.nan)
    case .date(let value) where value.isNaN: .date(.nan)
    default: setKey
    }
  }

  private static func bytes(_ identity: Int64) -> [UInt8] {
    withUnsafeBytes(of: UInt64(bitPattern: identity).bigEndian) { Array($0) }
  }

  /// As the sort key of a decimal, which begins with 0 for NaN, 1 for negative and 2 for other numbers.
  private static func numberKey(_ number: Double) -> [UInt8] {
    if number.isNaN { return [0] }
    if number.isInfinite { return number < 0 ? [1, 0] : [3] }
    if let whole = Int64(exactly: number) { return DecimalValue(whole: whole).sortKey }
    if let value = DecimalValue("\(number)") { return value.sortKey }
    // Of more digits than a decimal may have.
    let (whole, fraction) = digits(of: number.magnitude)
    let count = UInt16(truncatingIfNeeded: whole.count)
    var key: [UInt8] =
      whole.count < 255 ? [UInt8(count)] : [255, UInt8(count >> 8), UInt8(count & 0xFF)]
    key += whole + fraction + [0]
    return number < 0 ? [1] + key.map { ~$0 } : [2] + key
  }

  /// The digits before and behind the point of a positive number that Swift spells with an exponent, as it does all that no decimal can be.
  private static func digits(of number: Double) -> (whole: [UInt8], fraction: [UInt8]) {
    let parts = "\(number)".utf8.split(separator: UInt8(ascii: "e"))
    let mantissa = parts[0].filter { $0 != UInt8(ascii: ".") }
    let exponent = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) ?? 0 : 0
    let zero = UInt8(ascii: "0")
    if exponent < 0 {
      return ([], Array(repeating: zero, count: -exponent - 1) + mantissa)
    }
    return (mantissa + Array(repeating: zero, count: max(0, exponent + 1 - mantissa.count)), [])
  }

  /// NaN, then the numbers: of negative ones all bits are turned round, of others the sign.
  private static func dateKey(_ seconds: Double) -> [UInt8] {
    if seconds.isNaN { return [0] }
    let bits = (seconds == 0 ? 0 : seconds).bitPattern
    let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
    return [1] + withUnsafeBytes(of: ordered.bigEndian) { Array($0) }
  }
}
