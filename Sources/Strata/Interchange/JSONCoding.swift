import StrataExpression
package import StrataSchema

/// Stored values as JSON people can read, and back without losing a bit.
///
/// | type | JSON |
/// |---|---|
/// | bool, integers, string | themselves |
/// | float, double | a number; `"NaN"`, `"Infinity"`, `"-Infinity"` where JSON has none, `"NaN(7ff8000000000001)"` for a NaN with bits of its own |
/// | date | ISO 8601 text, `"2026-11-21T10:00:00Z"`; a number of seconds since 2001 where the text would lose bits |
/// | data | base64 text |
/// | uuid, objectId, decimal | their usual text |
/// | any | null, true, a whole number, a double with a fraction or a text as itself; every other value as `{"$date": …}`, `{"$uuid": …}` and so on |
package enum JSONCoding {
  // MARK: - Out

  /// The JSON of a value of a scalar type; links are the caller's, who knows how objects are named.
  package static func json(_ value: Value, as scalar: ScalarType) -> JSON {
    switch value {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .string(let value): .string(value)
    case .float(let value):
      scalar == .any ? .object(["$float": float(value)]) : float(value)
    case .double(let value):
      // Not every writer of JSON tells 1.0 from 1.
      scalar == .any && (!value.isFinite || value == value.rounded())
        ? .object(["$double": double(value)]) : double(value)
    case .date(let seconds): scalar == .any ? tagged("date", seconds) : date(seconds)
    case .data(let bytes):
      scalar == .any
        ? .object(["$data": .string(Base64.encode(bytes))]) : .string(Base64.encode(bytes))
    case .uuid(let value):
      scalar == .any ? .object(["$uuid": .string(value.description)]) : .string(value.description)
    case .decimal(let value):
      scalar == .any ? .object(["$decimal": .string(value.text)]) : .string(value.text)
    case .objectID(let value):
      scalar == .any
        ? .object(["$objectId": .string(value.description)]) : .string(value.description)
    case .link, .object: .null
    }
  }

  private static func float(_ value: Float) -> JSON {
    if value.isNaN, value.bitPattern != Float.nan.bitPattern {
      return .string("NaN(\(String(value.bitPattern, radix: 16)))")
    }
    // The shortest text of a Float is shorter than that of the Double of the same value.
    return value.isFinite
      ? .double(Double("\(value)") ?? Double(value)) : .string(name(of: Double(value)))
  }

  private static func double(_ value: Double) -> JSON {
    value.isFinite ? .double(value) : .string(name(of: value))
  }

  private static func tagged(_ tag: String, _ seconds: Double) -> JSON {
    .object(["$" + tag: date(seconds)])
  }

  private static func date(_ seconds: Double) -> JSON {
    if let text = DateText.text(of: seconds),
      DateText.parse(text)?.bitPattern == seconds.bitPattern
    {
      return .string(text)
    }
    return double(seconds)
  }

  private static func name(of value: Double) -> String {
    if value.isNaN, value.bitPattern != Double.nan.bitPattern {
      return "NaN(\(String(value.bitPattern, radix: 16)))"
    }
    return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
  }

  // MARK: - In

  /// The value of a scalar type that a JSON value spells; nil where it spells none.
  package static func value(_ json: JSON, as scalar: ScalarType) -> Value? {
    switch (scalar, json) {
    case (_, .null): return .null
    case (.bool, .bool(let value)): return .bool(value)
    case (.string, .string(let text)): return .string(text)
    case (_, .int(let number)) where scalar.isInteger:
      return scalar.takes(number) ? .int(number) : nil
    case (_, .double(let number)) where scalar.isInteger:
      // Of a large one the digits say more than the double that they are the shortest spelling of.
      guard let whole = DecimalValue("\(number)").flatMap({ Int64($0.text) }), scalar.takes(whole)
      else { return nil }
      return .int(whole)
    case (_, .number(let spelling)) where scalar.isInteger:
      guard let whole = DecimalValue(spelling).flatMap({ Int64($0.text) }), scalar.takes(whole)
      else { return nil }
      return .int(whole)
    case (.float, .string(let text)): return namedFloat(text).map { .float($0) }
    case (.float, .int(let number)): return .float(Float(number))
    case (.float, .double(let number)) where number.isFinite:
      return float(spelled: "\(number)").map { .float($0) }
    case (.float, .number(let spelling)): return float(spelled: spelling).map { .float($0) }
    case (.float, _): return real(json).flatMap(Self.float(rounding:)).map { .float($0) }
    case (.double, _): return real(json).map { .double($0) }
    case (.date, .string(let text)):
      return (DateText.parse(text) ?? namedReal(text)).map { .date($0) }
    case (.date, _): return real(json).map { .date($0) }
    case (.data, .string(let text)): return Base64.decode(text).map { .data($0) }
    case (.uuid, .string(let text)): return UUIDValue(text).map { .uuid($0) }
    case (.objectID, .string(let text)): return ObjectIDValue(text).map { .objectID($0) }
    case (.decimal, .string(let text)): return DecimalValue(text).map { .decimal($0) }
    case (.decimal, .int(let number)): return DecimalValue(String(number)).map { .decimal($0) }
    case (.decimal, .double(let number)): return DecimalValue("\(number)").map { .decimal($0) }
    case (.decimal, .number(let spelling)): return DecimalValue(spelling).map { .decimal($0) }
    case (.any, .bool(let value)): return .bool(value)
    case (.any, .int(let value)): return .int(value)
    case (.any, .double(let value)): return .double(value)
    case (.any, .number(let spelling)):
      // A whole number that no integer holds would be another one as a double.
      return DecimalValue(spelling)?.text.utf8.contains(UInt8(ascii: ".")) == false
        ? nil : real(json).map { .double($0) }
    case (.any, .string(let text)): return .string(text)
    case (.any, .object(let members)): return tagged(members)
    default: return nil
    }
  }

  private static func real(_ json: JSON) -> Double? {
    switch json {
    case .int(let number): Double(number)
    case .double(let number): number
    // The nearest one, as for each text of a double; nil beyond its range.
    case .number(let spelling): Double(spelling).flatMap { $0.isFinite ? $0 : nil }
    case .string(let text): namedReal(text)
    default: nil
    }
  }

  /// The nearest Float of the digits; a Double between them would round twice. Nil for a number that a Float has no room for.
  static func float(spelled digits: String) -> Float? {
    Float(digits).flatMap { $0.isFinite ? $0 : nil }
  }

  /// The nearest Float of the digits that a Double was read of, which by way of the Double would be rounded twice. Nil for a number that
  /// a Float has no room for.
  static func float(rounding value: Double) -> Float? {
    let float = Float(value)
    return !value.isFinite || Double(float) == value ? float : Self.float(spelled: "\(value)")
  }

  static func namedReal(_ text: String) -> Double? {
    switch text {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: bits(ofNaN: text).map(Double.init(bitPattern:)).flatMap { $0.isNaN ? $0 : nil }
    }
  }

  static func namedFloat(_ text: String) -> Float? {
    guard let bits = bits(ofNaN: text) else { return namedReal(text).map { Float($0) } }
    guard let bits = UInt32(exactly: bits) else { return nil }
    let value = Float(bitPattern: bits)
    return value.isNaN ? value : nil
  }

  private static func bits(ofNaN text: String) -> UInt64? {
    guard text.hasPrefix("NaN("), text.hasSuffix(")") else { return nil }
    return UInt64(text.dropFirst(4).dropLast(), radix: 16)
  }

  private static func tagged(_ members: [String: JSON]) -> Value? {
    guard members.count == 1, let (tag, content) = members.first, tag.hasPrefix("$"),
      let scalar = ScalarType(rawValue: String(tag.dropFirst())), scalar != .any
    else { return nil }
    return value(content, as: scalar)
  }
}

/// Base64 with padding, RFC 4648.
package enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      word <<= UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        text.append(
          place <= group.count
            ? digits[Int(word >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for anything that is not base64 with its padding.
  package static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: 4) {
      let group = characters[start..<start + 4]
      let padding = group.reversed().prefix { $0 == UInt8(ascii: "=") }.count
      guard padding <= 2, padding == 0 || start + 4 == characters.count else { return nil }
      var word: UInt32 = 0
      for character in group.dropLast(padding) {
        guard let digit = value(of: character) else { return nil }
        word = word << 6 | digit
      }
      word <<= UInt32(6 * padding)
      let triple = [16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
      bytes += triple.dropLast(padding)
    }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - 65)
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - 97 + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - 48 + 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
