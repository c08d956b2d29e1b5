/// Why a text is no JSON, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found and what was expected.
  package let message: String
  /// Bytes from the start of the text.
  package let offset: Int

  package var description: String { "\(message) at byte \(offset)" }
}

extension JSON {
  /// How deeply values may be nested: as `export` writes an object and 64 embedded ones, each in a list of the one before, with a list
  /// of links in the last one. `Object.json(depth:)` needs less.
  package static let maximumDepth = 131

  /// Parses one JSON value with nothing but white space around it.
  ///
  /// - Parameter replacingLoneSurrogates: whether an escaped half of a surrogate pair, which is no Unicode text, becomes U+FFFD, one
  ///   UTF-16 unit as it is; otherwise it is an error.
  package static func parse(
    _ text: some Collection<UInt8>, replacingLoneSurrogates: Bool = false
  ) throws(JSONError) -> JSON {
    var parser = JSONParser(bytes: Array(text), replacesLoneSurrogates: replacingLoneSurrogates)
    let value = try parser.parseValue(depth: 0)
    parser.skipSpace()
    guard parser.position == parser.bytes.count else { throw parser.error("text after the value") }
    return value
  }

  package static func parse(_ text: String) throws(JSONError) -> JSON {
    try parse(Array(text.utf8))
  }
}

private struct JSONParser {
  /// Of an object that has several.
  private static let usualMembers = 8

  let bytes: [UInt8]
  let replacesLoneSurrogates: Bool
  var position = 0

  init(bytes: [UInt8], replacesLoneSurrogates: Bool) {
    self.bytes = bytes
    self.replacesLoneSurrogates = replacesLoneSurrogates
  }

  func error(_ message: String) -> JSONError { JSONError(message: message, offset: position) }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D {
      position += 1
    }
  }

  mutating func accept(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  mutating func parseValue(depth: Int) throws(JSONError) -> JSON {
    guard depth <= JSON.maximumDepth else {
      throw error("nested more than \(JSON.maximumDepth) deep")
    }
    skipSpace()
    switch next {
    case nil: throw error("the text ends where a value is expected")
    case UInt8(ascii: "{"): return try parseObject(depth: depth)
    case UInt8(ascii: "["): return try parseArray(depth: depth)
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    default: return try parseNumber()
    }
  }

  private mutating func parseWord(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
    guard bytes[position...].starts(with: word.utf8) else { throw error("an unknown word") }
    position += word.utf8.count
    return value
  }

  private mutating func parseObject(depth: Int) throws(JSONError) -> JSON {
    position += 1
    var members: [String: JSON] = [:]
    // Keys that a dictionary would take for one of its own.
    var twins: [[UInt8]: JSON] = [:]
    func object() -> JSON {
      if twins.isEmpty { return .object(members) }
      return .entries(
        members.map { JSON.Entry($0.key, $0.value) }
          + twins.map { JSON.Entry(String(decoding: $0.key, as: UTF8.self), $0.value) })
    }
    skipSpace()
    if accept(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("a key is expected, in quotes") }
      let key = try parseString()
      skipSpace()
      guard accept(UInt8(ascii: ":")) else { throw error("':' is expected") }
      let value = try parseValue(depth: depth + 1)
      // Objects of three members, which links do not have, mostly have more: a dictionary grows at each of the first.
      if members.count == 3 { members.reserveCapacity(Self.usualMembers) }
      if let first = members.updateValue(value, forKey: key), let same = members.index(forKey: key)
      {
        members.values[same] = first
        let bytes = Array(key.utf8)
        guard !members[same].key.utf8.elementsEqual(bytes),
          twins.updateValue(value, forKey: bytes) == nil
        else { throw error("the key '\(key)' stands twice in one object") }
      }
      skipSpace()
      if accept(UInt8(ascii: "}")) { return object() }
      guard accept(UInt8(ascii: ",")) else { throw error("',' or '}' is expected") }
    }
  }

  private mutating func parseArray(depth: Int) throws(JSONError) -> JSON {
    position += 1
    var elements: [JSON] = []
    skipSpace()
    if accept(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      elements.append(try parseValue(depth: depth + 1))
      skipSpace()
      if accept(UInt8(ascii: "]")) { return .array(elements) }
      guard accept(UInt8(ascii: ",")) else { throw error("',' or ']' is expected") }
    }
  }

  private mutating func parseString() throws(JSONError) -> String {
    position += 1
    // Most texts have no escapes, and stand there as they are.
    let start = position
    while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    if next == UInt8(ascii: "\"") {
      defer { position += 1 }
      return try plainText(start..<position, behind: position + 1)
    }
    var text = bytes[start..<position]
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        let string = text.withUnsafeBufferPointer { String(validUTF8: $0) }
        guard let string else { throw error("a string that is not UTF-8") }
        return string
      case UInt8(ascii: "\\"):
        position += 1
        try parseEscape(into: &text)
      case 0..<0x20: throw error("a control character in a string")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw error("the text ends inside a string")
  }

  /// A text without escapes.
  private func plainText(_ range: Range<Int>, behind end: Int) throws(JSONError) -> String {
    let text = bytes.withUnsafeBufferPointer {
      String(validUTF8: UnsafeBufferPointer(rebasing: $0[range]))
    }
    guard let text else {
      throw JSONError(message: "a string that is not UTF-8", offset: end)
    }
    return text
  }

  private mutating func parseEscape(into text: inout ArraySlice<UInt8>) throws(JSONError) {
    guard let byte = next else { throw error("the text ends inside a string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      let code = try parseHexadecimal()
      var scalar = Unicode.Scalar(code)
      if scalar == nil { scalar = try parsePair(high: code) }
      guard let scalar else {
        guard replacesLoneSurrogates else { throw error("half a surrogate pair") }
        return text.append(contentsOf: UTF8.encodedReplacementCharacter)
      }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw error("an unknown escape")
    }
  }

  /// The scalar of a surrogate pair, of which the first half was read; nil where the second does not follow.
  private mutating func parsePair(high: UInt32) throws(JSONError) -> Unicode.Scalar? {
    let start = position
    guard (0xD800...0xDBFF).contains(high), accept(UInt8(ascii: "\\")), accept(UInt8(ascii: "u"))
    else {
      position = start
      return nil
    }
    let low = try parseHexadecimal()
    guard (0xDC00...0xDFFF).contains(low) else {
      position = start
      return nil
    }
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }

  private mutating func parseHexadecimal() throws(JSONError) -> UInt32 {
    guard position + 4 <= bytes.count, let pair = Hex.decode(bytes[position..<position + 4]) else {
      throw error("four hexadecimal digits are expected")
    }
    position += 4
    return UInt32(pair[0]) << 8 | UInt32(pair[1])
  }

  private mutating func parseNumber() throws(JSONError) -> JSON {
    let start = position
    var isWhole = true
    _ = accept(UInt8(ascii: "-"))
    let whole = try skipDigits()
    guard whole == 1 || bytes[position - whole] != UInt8(ascii: "0") else {
      throw error("a number with a leading zero")
    }
    if accept(UInt8(ascii: ".")) {
      isWhole = false
      _ = try skipDigits()
    }
    if accept(UInt8(ascii: "e")) || accept(UInt8(ascii: "E")) {
      isWhole = false
      if !accept(UInt8(ascii: "+")) { _ = accept(UInt8(ascii: "-")) }
      _ = try skipDigits()
    }
    // So many digits fit.
    if isWhole, whole <= 18 {
      let number = bytes[position - whole..<position].reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
      // Only a number with a fraction has a zero with a sign.
      if number == 0, bytes[start] == UInt8(ascii: "-") { return .double(-0.0) }
      return .int(bytes[start] == UInt8(ascii: "-") ? -number : number)
    }
    let spelling = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole { return Int64(spelling).map(JSON.int) ?? .number(spelling) }
    guard let value = Double(spelling) else { throw error("a number is expected") }
    // A double with the digits that are written is what its writer had.
    return value.isFinite && Digits(spelling) == Digits("\(value)")
      ? .double(value) : .number(spelling)
  }

  /// A number as its digits without zeros at either end, and the power of ten behind them.
  private struct Digits: Equatable {
    private var isNegative = false
    private var digits: [UInt8] = []
    /// Nil where it is too large to be told; such numbers are infinite or zero as doubles.
    private var exponent: Int? = 0

    init(_ spelling: String) {
      var isFraction = false
      var places = 0
      for (index, byte) in spelling.utf8.enumerated() {
        switch byte {
        case UInt8(ascii: "-"): isNegative = true
        case UInt8(ascii: "."): isFraction = true
        case 48...57:
          if byte != 48 || !digits.isEmpty { digits.append(byte) }
          if isFraction { places += 1 }
        default:
          let rest = spelling.utf8.dropFirst(index + 1).drop { $0 == UInt8(ascii: "+") }
          exponent = Int(String(decoding: rest, as: UTF8.self))
        }
        if byte | 0x20 == UInt8(ascii: "e") { break }
      }
      while digits.last == 48 {
        digits.removeLast()
        places -= 1
      }
      exponent = digits.isEmpty ? 0 : exponent.map { $0 - places }
    }
  }

  private mutating func skipDigits() throws(JSONError) -> Int {
    let start = position
    while let byte = next, (48...57).contains(byte) { position += 1 }
    guard position > start else { throw error("a value is expected") }
    return position - start
  }
}
