import StrataSQLite
import StrataSchema

/// A value as docs/expressions.md and docs/layout.md mean it, written down a second time: nothing of the engine is asked
/// here, so that both can be held against each other.
enum Fact: Hashable {
  case null
  case bool(Bool)
  case int(Int64)
  /// The bits of the number.
  case float(UInt32)
  case double(UInt64)
  case text(String)
  case data([UInt8])
  case date(UInt64)
  case uuid([UInt8])
  /// Canonical digits.
  case decimal(String)
  case objectID([UInt8])

  static func real(_ number: Double) -> Fact { .double(number.bitPattern) }
  static func single(_ number: Float) -> Fact { .float(number.bitPattern) }
  static func day(_ seconds: Double) -> Fact { .date(seconds.bitPattern) }
}

// MARK: - docs/layout.md

extension Fact {
  /// The cell of a column that is declared for the type.
  func cell(in type: ScalarType) -> SQLiteValue {
    if type == .any { return cellInAny }
    switch self {
    case .null: return .null
    case .bool(let value): return .integer(value ? 1 : 0)
    case .int(let value): return .integer(value)
    case .float(let bits):
      let number = Float(bitPattern: bits)
      guard number.isNaN else { return .real(Double(number)) }
      // Sign, all ones, and the payload in front.
      let wide = UInt64(bits >> 31) << 63 | 0x7FF << 52 | UInt64(bits & 0x7F_FFFF) << 29
      return .blob(Self.bytes(wide))
    case .double(let bits), .date(let bits):
      let number = Double(bitPattern: bits)
      return number.isNaN ? .blob(Self.bytes(bits)) : .real(number)
    case .text(let text), .decimal(let text): return .text(text)
    case .data(let bytes), .uuid(let bytes), .objectID(let bytes): return .blob(bytes)
    }
  }

  private var cellInAny: SQLiteValue {
    switch self {
    case .null: return .null
    case .int(let value): return .integer(value)
    case .text(let text): return .text(text)
    case .double(let bits) where !Double(bitPattern: bits).isNaN:
      return .real(Double(bitPattern: bits))
    case .bool(let value): return .blob([1, value ? 1 : 0])
    case .float(let bits): return .blob([2] + Self.bytes(bits))
    case .double(let bits): return .blob([3] + Self.bytes(bits))
    case .data(let bytes): return .blob([4] + bytes)
    case .date(let bits): return .blob([5] + Self.bytes(bits))
    case .uuid(let bytes): return .blob([6] + bytes)
    case .decimal(let digits): return .blob([7] + Array(digits.utf8))
    case .objectID(let bytes): return .blob([8] + bytes)
    }
  }

  /// Big-endian.
  private static func bytes<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    stride(from: Word.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: word >> $0)
    }
  }
}

// MARK: - docs/expressions.md

extension Fact {
  /// What a conversion to the type gives; null where the value has no counterpart.
  func converted(to type: ScalarType) -> Fact {
    let result: Fact? =
      switch type {
      case .bool: asBool.map(Fact.bool)
      case .int, .int64: whole(Int64.min, Int64.max)
      case .int8: whole(-128, 127)
      case .int16: whole(-32768, 32767)
      case .int32: whole(-2_147_483_648, 2_147_483_647)
      case .float: asFloat.map(Fact.single)
      case .double: number.map(Fact.real)
      case .decimal: digits.map(Fact.decimal)
      case .string: asText.map(Fact.text)
      case .data: asData.map(Fact.data)
      case .date: asDate.map(Fact.day)
      case .uuid: bytes(16).map(Fact.uuid)
      case .objectID: bytes(12).map(Fact.objectID)
      case .any: self
      }
    return result ?? .null
  }

  /// Doubles as numbers; not of dates and texts.
  private var fraction: Double? {
    switch self {
    case .float(let bits): Double(Float(bitPattern: bits))
    case .double(let bits): Double(bitPattern: bits)
    default: nil
    }
  }

  /// "Numbers to whole numbers lose their fraction."
  private func whole(_ low: Int64, _ high: Int64) -> Fact? {
    let number: Int64?
    switch self {
    case .int(let value): number = value
    case .bool(let value): number = value ? 1 : 0
    case .text(let text): number = Int64(text)
    case .decimal(let digits): number = Int64(digits.prefix { $0 != "." })
    default:
      guard let fraction, fraction.isFinite else { return nil }
      let cut = fraction < 0 ? fraction.rounded(.up) : fraction.rounded(.down)
      // 2⁶³ is a double, the whole number below it is none.
      guard cut >= -9_223_372_036_854_775_808, cut < 9_223_372_036_854_775_808 else { return nil }
      number = Int64(cut)
    }
    return number.flatMap { low <= $0 && $0 <= high ? .int($0) : nil }
  }

  /// "`double` takes the nearest value."
  private var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .bool(let value): value ? 1 : 0
    case .date(let bits): Double(bitPattern: bits)
    case .decimal(let digits): digits == "NaN" ? .nan : Double(digits)
    case .text(let text): Double(text)
    default: fraction
    }
  }

  private var asFloat: Float? {
    switch self {
    case .float(let bits): Float(bitPattern: bits)
    case .int(let value): Float(value)
    case .decimal(let digits): digits == "NaN" ? .nan : Float(digits)
    case .text(let text): Float(text)
    default: number.map { Float($0) }
    }
  }

  /// "`bool` takes 0 and other numbers, true/false, yes/no, 1/0."
  private var asBool: Bool? {
    switch self {
    case .bool(let value): return value
    case .int(let value): return value != 0
    case .decimal(let digits): return digits == "NaN" ? nil : digits != "0"
    case .text(let text):
      if ["true", "yes", "1"].contains(text.lowercased()) { return true }
      return ["false", "no", "0"].contains(text.lowercased()) ? false : nil
    default: return fraction.flatMap { $0.isNaN ? nil : $0 != 0 }
    }
  }

  private var digits: String? {
    switch self {
    case .decimal(let digits): digits
    case .int(let value): "\(value)"
    case .bool(let value): value ? "1" : "0"
    case .float(let bits): Self.canonical("\(Float(bitPattern: bits))")
    case .double(let bits): Self.canonical("\(Double(bitPattern: bits))")
    case .text("NaN"): "NaN"
    case .text(let text): Self.number(text)
    default: nil
    }
  }

  /// Digits without an exponent and without zeros that say nothing; at most 166 of them. The text of a NaN has its sign and its
  /// bits.
  private static func canonical(_ text: String) -> String? {
    text.contains("nan") ? "NaN" : number(text)
  }

  /// Digits, with a fraction and an exponent if there are any. By hand, because a regular expression takes most of a test's time.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func skipSign() {
      if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
        rest.removeFirst()
      }
    }
    func skipDigits() -> Bool {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      rest = rest.dropFirst(digits.count)
      return !digits.isEmpty
    }
    skipSign()
    guard skipDigits() else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard skipDigits() else { return false }
    }
    if let first = rest.first, first == UInt8(ascii: "e") || first == UInt8(ascii: "E") {
      rest.removeFirst()
      skipSign()
      guard skipDigits() else { return false }
    }
    return rest.isEmpty
  }

  private static func number(_ text: String) -> String? {
    guard isNumber(text) else { return nil }
    let parts = text.lowercased().split(separator: "e")
    let exponent = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
    let mantissa = parts[0].drop { $0 == "-" || $0 == "+" }.split(separator: ".")
    var digits = Array(mantissa.joined())
    var point = mantissa[0].count + exponent
    while point < 0 {
      digits.insert("0", at: 0)
      point += 1
    }
    while digits.count < point { digits.append("0") }
    let whole = String(digits[..<point].drop { $0 == "0" })
    var rest = String(digits[point...])
    while rest.hasSuffix("0") { rest.removeLast() }
    guard whole.count + rest.count <= 166 else { return nil }
    if whole.isEmpty, rest.isEmpty { return "0" }
    return (parts[0].hasPrefix("-") ? "-" : "") + (whole.isEmpty ? "0" : whole)
      + (rest.isEmpty ? "" : "." + rest)
  }

  /// "`string` of a date is ISO 8601"; of one that no calendar of four digits has, its seconds.
  private static let days: [(seconds: Double, text: String)] = [
    (0, "2001-01-01T00:00:00Z"), (-0.5, "2000-12-31T23:59:59.5Z"),
    (86_400.25, "2001-01-02T00:00:00.25Z"),
  ]

  private var asText: String? {
    switch self {
    case .text(let text), .decimal(let text): return text
    case .bool(let value): return value ? "true" : "false"
    case .int(let value): return "\(value)"
    case .float(let bits): return "\(Float(bitPattern: bits))"
    case .double(let bits): return "\(Double(bitPattern: bits))"
    case .date(let bits):
      let seconds = Double(bitPattern: bits)
      return Self.days.first { $0.seconds == seconds }?.text ?? "\(seconds)"
    case .data(let bytes): return String(validating: bytes, as: UTF8.self)
    case .objectID(let bytes): return Self.hex(bytes)
    case .uuid(let bytes):
      let digits = Array(Self.hex(bytes).uppercased())
      return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        .joined(separator: "-")
    case .null: return nil
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private var asData: [UInt8]? {
    switch self {
    case .data(let bytes), .uuid(let bytes), .objectID(let bytes): bytes
    case .text(let text): Array(text.utf8)
    default: nil
    }
  }

  private var asDate: Double? {
    switch self {
    case .text(let text): Self.days.first { $0.text == text }?.seconds
    case .date(let bits): Double(bitPattern: bits)
    case .int, .float, .double, .decimal: number
    default: nil
    }
  }

  /// A UUID or an object ID of its bytes or its text.
  private func bytes(_ count: Int) -> [UInt8]? {
    switch self {
    case .uuid(let bytes): return count == 16 ? bytes : nil
    case .objectID(let bytes): return count == 12 ? bytes : nil
    case .data(let bytes): return bytes.count == count ? bytes : nil
    case .text(let text):
      let pattern =
        count == 16
        ? /[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/.wholeMatchFact(text)
        : /[0-9a-fA-F]{24}/.wholeMatchFact(text)
      guard pattern else { return nil }
      let hex = Array(text.filter { $0 != "-" })
      return stride(from: 0, to: hex.count, by: 2).compactMap {
        UInt8(String(hex[$0...($0 + 1)]), radix: 16)
      }
    default: return nil
    }
  }
}

extension Regex {
  fileprivate func wholeMatchFact(_ text: String) -> Bool { text.wholeMatch(of: self) != nil }
}

// MARK: - Boundary values

extension Fact {
  /// The values at the edges of a type; those of `any` are of all types.
  static func boundaries(of type: ScalarType) -> [Fact] {
    switch type {
    case .bool: [.bool(false), .bool(true)]
    case .int8: whole([-128, 127])
    case .int16: whole([-32768, 32767, 128])
    case .int32: whole([-2_147_483_648, 2_147_483_647, 32768, 16_777_217])
    case .int, .int64:
      whole([.min, .max, 9_007_199_254_740_993, -9_007_199_254_740_993, 2_147_483_648])
    case .float:
      [
        0, -0.0, 1, -3.75, 0.1, 3e9, .infinity, -.infinity, .nan, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude,
      ].map { .single($0) } + [.float(0xFFC0_0001)]
    case .double:
      [
        0, -0.0, 1, 127.9, -3.7, 0.1, 1e19, .infinity, -.infinity, .nan, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, 9_007_199_254_740_994, -9_223_372_036_854_775_808,
        9_223_372_036_854_775_808, 1.0000000596046448,
      ].map { .real($0) }
        + [.double(0xFFF8_0000_0000_0001)]
    case .decimal:
      [
        "0", "1", "-0.5", "NaN", "9223372036854775807", "9223372036854775808", "300",
        "12345678901234567890123456789012345678901234567890.5",
        "-0.00000000000000000000000000000000000000000000000001",
        "1.00000005960464477539062500001",
      ].map { .decimal($0) }
    case .string:
      [
        "", "0", "1", "-7", "300", "true", "No", "1.50", "NaN", "nan", "inf", "1e3", "a\u{0}b", "é",
        "2000-12-31T23:59:59.5Z", "00112233-4455-6677-8899-AABBccddeeff",
        "00112233445566778899aabb", String(repeating: "long ", count: 2000),
      ].map { .text($0) }
    case .data:
      [
        [], [0xFF, 0xFE], Array("7".utf8), [1, 1], Array(0..<16), Array(0..<12),
        Array(repeating: 0xA5, count: 10_000),
      ].map { .data($0) }
    case .date: [0, -0.5, 86_400.25, 1e15, .nan, -1e300].map { .day($0) }
    case .uuid: [.uuid(Array(repeating: 0, count: 16)), .uuid(Array(0xF0...0xFF))]
    case .objectID: [.objectID(Array(repeating: 255, count: 12)), .objectID(Array(0..<12))]
    case .any: ofAllTypes
    }
  }

  private static var ofAllTypes: [Fact] {
    var seen: Set<Fact> = []
    return EncodingContract.types.filter { $0 != .any }
      .flatMap { boundaries(of: $0).suffix(4) }.filter { seen.insert($0).inserted }
  }

  private static func whole(_ numbers: [Int64]) -> [Fact] {
    ([0, 1, -1] + numbers).map { .int($0) }
  }
}
