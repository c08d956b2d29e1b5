package import StrataSchema

/// The conversions of the expression language: `int(old.age)`, `string(old.price)` and so on.
///
/// A value without a counterpart gives nil: `int('x')`, `int8(300)`, `uuid('')`. Fractions are cut off
/// towards zero, as Swift's `Int(3.7)` does; a double takes the nearest value.
package enum Conversion {
  package static func convert(_ value: Value, to type: ScalarType) -> Value {
    let result: Value? =
      switch type {
      case .int, .int64, .int8, .int16, .int32:
        whole(value, range: type.integerRange).map(Value.int)
      case .double: double(value).map(Value.double)
      case .float: float(value).map(Value.float)
      case .decimal: decimal(value).map(Value.decimal)
      case .string: string(value).map(Value.string)
      case .bool: bool(value).map(Value.bool)
      case .date: date(value).map(Value.date)
      case .uuid: uuid(value).map(Value.uuid)
      case .data: data(value).map(Value.data)
      case .objectID: objectID(value).map(Value.objectID)
      case .any: value
      }
    return result ?? .null
  }

  private static func whole(_ value: Value, range: ClosedRange<Int64>?) -> Int64? {
    let whole: Int64?
    switch value {
    case .int(let value): whole = value
    case .bool(let value): whole = value ? 1 : 0
    case .double(let value): whole = Int64(exactly: value.rounded(.towardZero))
    case .float(let value): whole = Int64(exactly: value.rounded(.towardZero))
    case .decimal(let value): whole = Int64(value.rounded(.towardZero).text)
    case .string(let text): whole = Int64(text)
    default: whole = nil
    }
    guard let whole, range?.contains(whole) ?? true else { return nil }
    return whole
  }

  package static func double(_ value: Value) -> Double? {
    switch value {
    case .double(let value), .date(let value): value
    case .float(let value): Double(value)
    case .int(let value): Double(value)
    case .bool(let value): value ? 1 : 0
    case .decimal(let value): value.isNaN ? .nan : Double(value.text)
    case .string(let text): number(text)
    default: nil
    }
  }

  private static func float(_ value: Value) -> Float? {
    switch value {
    case .float(let value): value
    case .string(let text): number(text)
    case .int(let value): Float(value)
    // Its digits, and not the double that is nearest to them: rounding twice may miss the nearest float.
    case .decimal(let value): value.isNaN ? .nan : Float(value.text)
    default: double(value).map(Float.init)
    }
  }

  /// As Swift reads a number, which stops at U+0000 and takes what stands before it.
  private static func number<Number: LosslessStringConvertible>(_ text: String) -> Number? {
    text.utf8.contains(0) ? nil : Number(text)
  }

  package static func decimal(_ value: Value) -> DecimalValue? {
    switch value {
    case .decimal(let value): value
    case .int(let value): DecimalValue(whole: value)
    case .bool(let value): DecimalValue(whole: value ? 1 : 0)
    case .double(let value): value.isNaN ? .notANumber : DecimalValue("\(value)")
    case .float(let value): value.isNaN ? .notANumber : DecimalValue("\(value)")
    case .string(let text): DecimalValue(text)
    default: nil
    }
  }

  /// A date outside of the years 0 to 9999 has no ISO spelling and gives its seconds; a link has no text.
  package static func string(_ value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .int(let value): String(value)
    case .bool(let value): value ? "true" : "false"
    case .double(let value): "\(value)"
    case .float(let value): "\(value)"
    case .decimal(let value): value.text
    case .date(let seconds): DateText.text(of: seconds) ?? "\(seconds)"
    case .uuid(let value): value.description
    case .objectID(let value): value.description
    case .data(let bytes): String(validating: bytes, as: UTF8.self)
    case .null, .link, .object: nil
    }
  }

  private static func bool(_ value: Value) -> Bool? {
    switch value {
    case .bool(let value): return value
    case .int(let value): return value != 0
    case .double(let value): return value.isNaN ? nil : value != 0
    case .float(let value): return value.isNaN ? nil : value != 0
    case .decimal(let value): return value.isNaN ? nil : value.text != "0"
    case .string(let text):
      switch text.lowercased() {
      case "true", "yes", "1": return true
      case "false", "no", "0": return false
      default: return nil
      }
    default: return nil
    }
  }

  /// A number is seconds since 2001-01-01 UTC, a text is ISO 8601.
  private static func date(_ value: Value) -> Double? {
    switch value {
    case .string(let text): DateText.parse(text)
    case .int, .double, .float, .decimal, .date: double(value)
    default: nil
    }
  }

  private static func uuid(_ value: Value) -> UUIDValue? {
    switch value {
    case .uuid(let value): value
    case .string(let text): UUIDValue(text)
    case .data(let bytes): UUIDValue(bytes: bytes)
    default: nil
    }
  }

  private static func objectID(_ value: Value) -> ObjectIDValue? {
    switch value {
    case .objectID(let value): value
    case .string(let text): ObjectIDValue(text)
    case .data(let bytes): ObjectIDValue(bytes: bytes)
    default: nil
    }
  }

  private static func data(_ value: Value) -> [UInt8]? {
    switch value {
    case .data(let bytes): bytes
    case .string(let text): Array(text.utf8)
    case .uuid(let value): value.bytes
    case .objectID(let value): value.bytes
    default: nil
    }
  }
}
