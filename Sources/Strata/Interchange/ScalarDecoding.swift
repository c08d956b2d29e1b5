import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Single values out of whatever a decoder reads, as `JSONCoding` spells them. Dates and data are read in the decoder's own way
/// first, so that its strategies decide also of texts that `JSONCoding` would read differently.
enum ScalarDecoding {
  static func value(_ scalar: ScalarType, from decoder: any Decoder) throws -> Value {
    let container = try decoder.singleValueContainer()
    switch scalar {
    case .bool: return .bool(try container.decode(Bool.self))
    case .string: return .string(try container.decode(String.self))
    case .int, .int8, .int16, .int32, .int64:
      let number = try number(Int64.self, container, decoder)
      guard scalar.integerRange?.contains(number) ?? true else {
        throw corrupted("\(number) is out of the range of \(scalar.rawValue).", decoder)
      }
      return .int(number)
    case .float:
      if let text = try? container.decode(String.self) {
        guard let value = JSONCoding.namedFloat(text) else {
          throw unreadable(text, .float, decoder)
        }
        return .float(value)
      }
      let number = try number(Double.self, container, decoder)
      guard let value = JSONCoding.float(rounding: number) else {
        throw corrupted("\(number) is out of the range of float.", decoder)
      }
      return .float(value)
    case .double:
      if let text = try? container.decode(String.self) {
        // A strategy for numbers that JSON has no digits for may know other names.
        if let value = JSONCoding.namedReal(text) ?? (try? container.decode(Double.self)) {
          return .double(value)
        }
        throw unreadable(text, .double, decoder)
      }
      return .double(try number(Double.self, container, decoder))
    case .uuid, .objectID:
      let text = try container.decode(String.self)
      guard let value = JSONCoding.value(.string(text), as: scalar) else {
        throw unreadable(text, scalar, decoder)
      }
      return value
    case .date: return try date(container, decoder)
    case .data: return try data(container, decoder)
    case .decimal: return try decimal(container, decoder)
    case .any: return try any(container, decoder)
    }
  }

  /// Foundation does not say where a number stands that does not fit.
  private static func number<Number: Decodable>(
    _ type: Number.Type, _ container: any SingleValueDecodingContainer, _ decoder: any Decoder
  ) throws -> Number {
    do {
      return try container.decode(type)
    } catch let error as DecodingError {
      throw error
    } catch {
      throw corrupted("The number is no \(type), or does not fit.", decoder)
    }
  }

  private static func date(
    _ container: any SingleValueDecodingContainer, _ decoder: any Decoder
  ) throws -> Value {
    let text = try? container.decode(String.self)
    let spelled = text.flatMap { DateText.parse($0) ?? JSONCoding.namedReal($0) }
    do {
      let seconds = try container.decode(Date.self).timeIntervalSinceReferenceDate
      if let spelled, isSameMoment(seconds, as: spelled) { return .date(spelled) }
      return .date(seconds)
    } catch {
      if let spelled { return .date(spelled) }
      if let text { throw unreadable(text, .date, decoder) }
      // A property list has dates of its own; a number is what no text could say exactly.
      guard let seconds = try? container.decode(Double.self) else { throw error }
      return .date(seconds)
    }
  }

  /// Whether a decoder's strategy has read what the text says, which is then the more exact one of the two: a strategy may read
  /// fewer digits, `.iso8601` nine of them and a formatter three, and Foundation's calendars are Julian until October 1582.
  private static func isSameMoment(_ read: Double, as spelled: Double) -> Bool {
    let firstGregorianDay = -13_197_600_000.0
    let tolerance = spelled < firstGregorianDay ? 11.0 * 86_400 : 0.001
    return abs(read - spelled) <= tolerance
  }

  private static func data(
    _ container: any SingleValueDecodingContainer, _ decoder: any Decoder
  ) throws -> Value {
    do {
      return .data(Array(try container.decode(Data.self)))
    } catch {
      guard let text = try? container.decode(String.self) else { throw error }
      guard let bytes = Base64.decode(text) else { throw unreadable(text, .data, decoder) }
      return .data(bytes)
    }
  }

  private static func decimal(
    _ container: any SingleValueDecodingContainer, _ decoder: any Decoder
  ) throws -> Value {
    if let text = try? container.decode(String.self) {
      guard let value = DecimalValue(text) else { throw unreadable(text, .decimal, decoder) }
      return .decimal(value)
    }
    if let number = try? container.decode(Int64.self), let value = DecimalValue("\(number)") {
      return .decimal(value)
    }
    // Reads the digits of JSON as they are written, which a Double would round.
    if let number = try? container.decode(Decimal.self) { return .decimal(number.stored) }
    let number = try number(Double.self, container, decoder)
    guard let value = DecimalValue("\(number)") else {
      throw corrupted("\(number) is no decimal.", decoder)
    }
    return .decimal(value)
  }

  /// A value that says its type itself.
  private static func any(
    _ container: any SingleValueDecodingContainer, _ decoder: any Decoder
  ) throws -> Value {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .int(value) }
    if let value = try? container.decode(Double.self) { return .double(value) }
    if let value = try? container.decode(String.self) { return .string(value) }
    if let members = try? decoder.container(keyedBy: PropertyKey.self) {
      guard members.allKeys.count == 1, let tag = members.allKeys.first,
        tag.stringValue.hasPrefix("$"),
        let scalar = ScalarType(rawValue: String(tag.stringValue.dropFirst())), scalar != .any
      else { throw corrupted("A value, or an object with its \"$model\", is expected.", decoder) }
      return try value(scalar, from: members.superDecoder(forKey: tag))
    }
    guard (try? decoder.unkeyedContainer()) == nil else {
      throw DecodingError.typeMismatch(
        AnyValue.self,
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "A list is no single value."))
    }
    if let value = try? container.decode(Date.self) {
      return .date(value.timeIntervalSinceReferenceDate)
    }
    return .data(Array(try container.decode(Data.self)))
  }

  // MARK: - Errors

  static func corrupted(_ problem: String, _ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: problem))
  }

  private static func unreadable(
    _ text: String, _ scalar: ScalarType, _ decoder: any Decoder
  ) -> DecodingError {
    corrupted("'\(text.prefix(60))' is no \(scalar.rawValue).", decoder)
  }
}
