import StrataSchema
import StrataYAML

/// Reads what is written as a value of a scalar type: defaults and raw values.
enum LiteralReader {
  enum Result {
    case value(Value)
    /// What would be accepted, and the text to replace it with where that is clear.
    case wrong(help: String, replacement: String?)
  }

  static func read(_ node: YAMLNode, as type: ScalarType) -> Result {
    guard let scalar = node.scalar else { return .wrong(help: expectation(type), replacement: nil) }
    if scalar.isNull { return .value(.null) }
    let text = scalar.text
    switch type {
    case .bool:
      if scalar.isPlain, let value = bool(text) { return .value(.bool(value)) }
      let near = [
        "yes": "true", "on": "true", "true": "true", "no": "false", "off": "false",
        "false": "false",
      ]
      return .wrong(help: expectation(type), replacement: near[text.lowercased()])
    case .int, .int8, .int16, .int32, .int64:
      let range = type.integerRange ?? Int64.min...Int64.max
      if let value = integer(text), range.contains(value) {
        if scalar.isPlain { return .value(.int(value)) }
        return .wrong(help: "write the number without quotes", replacement: String(value))
      }
      return .wrong(help: expectation(type), replacement: nil)
    case .float, .double:
      guard scalar.isPlain, let value = double(text) else {
        return .wrong(
          help: expectation(type),
          replacement: double(text).map { $0.isFinite ? text : nil } ?? nil)
      }
      if type == .double {
        guard value.isFinite || !isNumber(text) else {
          return .wrong(help: expectation(type), replacement: nil)
        }
        return .value(.double(value))
      }
      // Read as a Float at once: going through a Double would round twice.
      let single = isNumber(text) ? Float(text) ?? .infinity : Float(value)
      guard single.isFinite || !isNumber(text) else {
        return .wrong(help: expectation(type), replacement: nil)
      }
      return .value(.float(single))
    case .string:
      if scalar.isPlain, bool(text) != nil || isNumber(text) || special(text) != nil {
        return .wrong(
          help: "a plain \(text) is no string; put it in quotes", replacement: "\"\(text)\"")
      }
      return .value(.string(text))
    case .data:
      return Hex.decode(text.utf8).map { .value(.data($0)) }
        ?? .wrong(help: expectation(type), replacement: nil)
    case .date:
      // A frozen version has to say it again: a time zone, or the last fraction of a second, may lead out of the years that a text has.
      guard let seconds = DateText.parse(text) else {
        return .wrong(help: expectation(type), replacement: nil)
      }
      guard DateText.text(of: seconds).flatMap(DateText.parse)?.bitPattern == seconds.bitPattern
      else { return .wrong(help: otherYear(of: seconds) ?? expectation(type), replacement: nil) }
      return .value(.date(seconds))
    case .uuid:
      return UUIDValue(text).map { .value(.uuid($0)) }
        ?? .wrong(help: expectation(type), replacement: nil)
    case .decimal:
      return DecimalValue(text).map { .value(.decimal($0)) }
        ?? .wrong(help: expectation(type), replacement: nil)
    case .objectID:
      return ObjectIDValue(text).map { .value(.objectID($0)) }
        ?? .wrong(help: expectation(type), replacement: nil)
    case .any:
      return untyped(scalar).map(Result.value)
        ?? .wrong(help: expectation(type), replacement: nil)
    }
  }

  /// What becomes of a date that is spelled right and is a moment before the year 0 or behind 9999.
  private static func otherYear(of seconds: Double) -> String? {
    guard let first = DateText.parse("0000-01-01"), let last = DateText.parse("9999-12-31"),
      !(first..<last + 86_400).contains(seconds)
    else { return nil }
    return
      "in UTC, with its fraction rounded to a Double, it is in the year \(seconds < first ? -1 : 10_000); write a date of the years 0 to 9999"
  }

  static func expectation(_ type: ScalarType) -> String {
    switch type {
    case .bool: "write true or false"
    case .int, .int64: "write an integer from \(Int64.min) to \(Int64.max)"
    case .int8, .int16, .int32:
      "write an integer from \(type.integerRange?.lowerBound ?? 0) to \(type.integerRange?.upperBound ?? 0)"
    case .float: "write a number that a Float can hold, .nan, .inf or -.inf"
    case .double: "write a number that a Double can hold, .nan, .inf or -.inf"
    case .string: "write a text, in quotes where it looks like something else"
    case .data: "write bytes as hexadecimal digits in quotes: \"00ff\""
    case .date: "write a date as 2026-11-21T10:30:00Z or 2026-11-21, in UTC, of the years 0 to 9999"
    case .uuid: "write a UUID as 123e4567-e89b-12d3-a456-426614174000"
    case .decimal: "write a decimal number of up to \(DecimalValue.maximumDigits) digits"
    case .objectID: "write 24 hexadecimal digits in quotes"
    case .any: "write a text, a number that an Int64 or a Double can hold, true or false"
    }
  }

  /// What YAML itself (1.2, core schema) takes a value for; nil for a number that would become another one.
  private static func untyped(_ scalar: YAMLScalar) -> Value? {
    guard scalar.isPlain else { return .string(scalar.text) }
    if let value = bool(scalar.text) { return .bool(value) }
    if let value = integer(scalar.text) { return .int(value) }
    if let value = double(scalar.text) {
      let isWhole = scalar.text.utf8.allSatisfy { (48...57).contains($0) || $0 == 43 || $0 == 45 }
      let isTooLarge = isNumber(scalar.text) && (isWhole || value.isInfinite)
      return isTooLarge ? nil : .double(value)
    }
    return .string(scalar.text)
  }

  private static func bool(_ text: String) -> Bool? {
    text == "true" ? true : text == "false" ? false : nil
  }

  /// Decimal digits with a sign, or hexadecimal ones behind 0x.
  private static func integer(_ text: String) -> Int64? {
    if text.hasPrefix("0x") {
      return text.utf8.dropFirst(2).allSatisfy { Hex.isDigit($0) }
        ? Int64(text.dropFirst(2), radix: 16) : nil
    }
    return Int64(text)
  }

  private static func double(_ text: String) -> Double? {
    special(text) ?? (isNumber(text) ? Double(text) : nil)
  }

  private static func special(_ text: String) -> Double? {
    switch text {
    case ".nan", ".NaN", ".NAN": .nan
    case ".inf", "+.inf", ".Inf", ".INF": .infinity
    case "-.inf", "-.Inf", "-.INF": -.infinity
    default: nil
    }
  }

  /// `[-+]?(digits[.digits]|.digits)([eE][-+]?digits)?`: what YAML reads as a number and Swift can.
  private static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text).utf8
    func skipDigits() -> Int {
      let count = rest.prefix { (48...57).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    func skip(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    _ = skip("+-")
    var digits = skipDigits()
    if skip(".") { digits += skipDigits() }
    guard digits > 0 else { return false }
    if skip("eE") {
      _ = skip("+-")
      guard skipDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }
}
