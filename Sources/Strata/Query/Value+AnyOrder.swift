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

  private static func bytes(_ identity: Int64) -> [UInt8] {
    withUnsafeBytes(of: UInt64(bitPattern: identity).bigEndian) { Array($0) }
  }

  /// As the sort key of a decimal, which begins with 0 for NaN, 1 for negative and 2 for other numbers.
  private static func numberKey(_ number: Double) -> [UInt8] {
    if number.isNaN { return [0] }
    if number.isInfinite { return number < 0 ? [1, 0] : [3] }
    if let whole = Int64(exactly: number) { return DecimalValue(whole: whole).sortKey }
    return DecimalValue("\(number)")?.sortKey ?? []
  }

  /// NaN, then the numbers: of negative ones all bits are turned round, of others the sign.
  private static func dateKey(_ seconds: Double) -> [UInt8] {
    if seconds.isNaN { return [0] }
    let bits = (seconds == 0 ? 0 : seconds).bitPattern
    let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
    return [1] + withUnsafeBytes(of: ordered.bigEndian) { Array($0) }
  }
}
