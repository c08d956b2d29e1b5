import Strata
import StrataSchema

/// Values at the edges of each type, where code that is nearly right is wrong.
enum BoundaryValues {
  /// What all properties of one object have at once: values that meet only there have to be tried, too.
  enum Theme: Int, CaseIterable {
    case simple
    case null
    case highest
    case lowest
    /// The same as in another object.
    case lowestAgain
    case ordinary
  }

  /// The value of a theme; nil where the type has none of its own.
  static func value(of type: ScalarType, in theme: Theme) -> Value? {
    let range = type.integerRange
    switch (theme, type) {
    case (.ordinary, .string): return .string("Ada")
    case (.ordinary, _): return values(of: type).dropFirst().first
    case (.simple, _), (.null, _): return values(of: type).first
    case (.highest, .string): return .string("\u{10FFFD}")
    case (.highest, .double): return .double(.greatestFiniteMagnitude)
    case (.highest, .float): return .float(.greatestFiniteMagnitude)
    case (.highest, .bool): return .bool(true)
    case (.highest, _): return range.map { .int($0.upperBound) }
    case (.lowest, .string), (.lowestAgain, .string): return .string(" ")
    case (.lowest, .double), (.lowestAgain, .double): return .double(-.greatestFiniteMagnitude)
    case (.lowest, .float), (.lowestAgain, .float): return .float(-.greatestFiniteMagnitude)
    case (.lowest, _), (.lowestAgain, _): return range.map { .int($0.lowerBound) }
    }
  }

  /// Characters of the long text.
  private static let longTextLength = 40_000
  /// And of another one: what tells long texts apart, or finds the first of them, meets two.
  private static let lessLongTextLength = 2_000

  static func values(of type: ScalarType) -> [Value] {
    if let range = type.integerRange {
      let candidates: [Int64] = [
        0, 1, -1, range.lowerBound, range.upperBound, 9_007_199_254_740_992, 9_007_199_254_740_993,
        -9_007_199_254_740_993, 2_147_483_647, 2_147_483_648, -2_147_483_648, 4_294_967_295, 10,
        100,
        1000, 12, 13, 18, 31, 60, 99, 127, 128, -128, 255, 256, 32_767, 65_535, 65_536, 1_000_000,
      ]
      var seen: Set<Int64> = []
      return candidates.filter { range.contains($0) && seen.insert($0).inserted }.map(Value.int)
    }
    switch type {
    case .bool: return [.bool(false), .bool(true)]
    case .float:
      return [
        0, -0.0, 1.5, 0.1, -.infinity, .infinity, .nan, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude,
      ].map { Value.float($0) }
    case .double:
      return [
        0, -0.0, 1.5, 0.1, -.infinity, .infinity, .nan, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, 9_007_199_254_740_994,
      ].map { Value.double($0) }
    case .string: return texts.map(Value.string)
    case .data:
      return [[], [0], [0xFF, 0xFE], Array(repeating: 0xA5, count: longTextLength)].map(Value.data)
    case .date: return [0, -0.5, 1.25, -63_114_076_800, 64_092_211_200, 0.001].map(Value.date)
    case .uuid:
      return [
        .uuid(UUIDValue(high: 0, low: 0)), .uuid(UUIDValue(high: .max, low: .max)),
        .uuid(UUIDValue(high: 1, low: 2)),
      ]
    case .decimal:
      return [
        "0", "-0.1", "1", "0.000000000000000000000000000001",
        "99999999999999999999999999999999999999",
        "-12345678901234567890.123456789", "NaN",
      ].compactMap { DecimalValue($0).map(Value.decimal) }
    case .objectID:
      return [
        .objectID(ObjectIDValue(high: 0, low: 0)), .objectID(ObjectIDValue(high: .max, low: .max)),
      ]
    case .any:
      return [
        .null, .bool(true), .int(.max), .double(1.5), .float(0.1), .string("é\u{0}"), .data([1]),
        .date(1.5), .uuid(UUIDValue(high: 7, low: 7)), .double(.nan),
        .objectID(ObjectIDValue(high: 7, low: 7)),
      ] + [DecimalValue("-0.10")].compactMap { $0.map(Value.decimal) }
    default: return []
    }
  }

  /// Values for keys, unique properties and the elements of sets: no two are the same to a unique index, and hardly any is one that
  /// objects are numbered with.
  static func distinct(of type: ScalarType) -> [Value] {
    if let range = type.integerRange {
      let candidates: [Int64] = [
        range.upperBound, range.lowerBound, -1, 9_007_199_254_740_993, -9_007_199_254_740_993,
        2_147_483_648, 4_294_967_295,
      ]
      var seen: Set<Int64> = []
      return candidates.filter { range.contains($0) && seen.insert($0).inserted }.map(Value.int)
    }
    switch type {
    case .float:
      return [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0.1].map { Value.float($0) }
    case .double:
      return [
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1,
        9_007_199_254_740_994,
      ].map { Value.double($0) }
    case .string:
      return ["", "a", "A", "\u{E9}", "e\u{301}", " ", "ß", "\u{10FFFD}", "'", "0"]
        .map(Value.string)
    case .data: return [[], [0], [0xFF, 0xFE]].map(Value.data)
    case .date: return [-63_114_076_800, 64_092_211_200, -0.5].map(Value.date)
    case .uuid:
      return [
        .uuid(UUIDValue(high: 0, low: 0)), .uuid(UUIDValue(high: .max, low: .max)),
      ]
    case .decimal:
      return [
        "-0.1", "99999999999999999999999999999999999999", "-12345678901234567890.123456789",
      ].compactMap { DecimalValue($0).map(Value.decimal) }
    case .objectID:
      return [
        .objectID(ObjectIDValue(high: 0, low: 0)), .objectID(ObjectIDValue(high: .max, low: .max)),
      ]
    default: return []
    }
  }

  /// Empty and long, one of every Unicode plane, what looks like numbers, SQL or markup, what normalisation would change.
  private static let texts: [String] =
    [
      "", " ", "a", "Ada Lovelace", "12", "-1", "1e3", " 7 ", "0x10", "nil", "true", "2026-11-21",
      "e\u{301}", "\u{E9}", "\u{0}", "a\u{0}b", "\r\n", "'; --", "\"", "\\", "%_", "\u{202E}x",
      "\u{200D}", "\u{FEFF}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "👩‍👩‍👧‍👦", "ß", "İ", "ı", "ﬁ", "Å",
      "١٢", "１", "½", "\t", "\n", "a,b;c", "1,5", "a b c d", "-", "null", "NaN", "<b>&amp;</b>",
      "{}",
      "a@b", "a/b", "..", "AB", "שלום", "e\u{301}\u{327}",
      String(repeating: "long ", count: longTextLength / 5),
      String(repeating: "less long ", count: lessLongTextLength / 10),
    ]
    + (1...16).compactMap { plane in
      Unicode.Scalar(UInt32(plane) << 16 | 0x0102).map { String(Character($0)) }
    }
}
