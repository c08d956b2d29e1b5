import StrataSchema

/// One word or sign of an expression's text.
struct Token {
  enum Kind: Equatable {
    /// A name or keyword; `#name` is never a keyword.
    case word(String, isEscaped: Bool)
    /// Digits without a sign; more than 2^63 is refused by the lexer.
    case int(UInt64)
    case double(Double)
    case string(String)
    /// `x'00ff'`.
    case bytes([UInt8])
    /// `$0`.
    case argument(Int)
    /// `$dog`, without its `$`.
    case variable(String)
    /// `@count` without its `@`; empty for a lone `@`.
    case at(String)
    case sign(String)
    case end
  }

  var kind: Kind
  /// Bytes of the text.
  var range: Range<Int>
}

/// Splits an expression's text into tokens.
struct Lexer {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  /// All tokens, the last one being `.end`.
  mutating func tokens() throws(ExpressionError) -> [Token] {
    guard bytes.count <= Expression.maximumLength else {
      throw ExpressionError(
        .tooLong,
        "the expression has \(bytes.count) bytes; at most \(Expression.maximumLength) are read",
        range: 0..<bytes.count)
    }
    var tokens: [Token] = []
    while true {
      let token = try next()
      tokens.append(token)
      if token.kind == .end { return tokens }
    }
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private mutating func next() throws(ExpressionError) -> Token {
    while let byte = byte(), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
    let start = position
    guard let first = byte() else { return Token(kind: .end, range: start..<start) }
    let kind = try nextKind(first)
    return Token(kind: kind, range: start..<position)
  }

  private mutating func nextKind(_ first: UInt8) throws(ExpressionError) -> Token.Kind {
    let start = position
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "."):
      if let next = byte(1), isDigit(next) { return try number() }
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try string(quote: first))
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      if byte(1) == UInt8(ascii: "'") {
        position += 1
        let digits = try string(quote: UInt8(ascii: "'"))
        guard let data = Hex.decode(digits.utf8) else {
          throw ExpressionError(
            .invalidLiteral, "x'…' holds pairs of hexadecimal digits", range: start..<position)
        }
        return .bytes(data)
      }
    case UInt8(ascii: "#"):
      position += 1
      if let name = word() { return .word(name, isEscaped: true) }
      throw unknownCharacter(at: start, help: "'#' stands before a name that would be a keyword")
    case UInt8(ascii: "$"):
      position += 1
      let digits = bytes[position...].prefix(while: isDigit)
      if !digits.isEmpty {
        position += digits.count
        guard let number = Int(String(decoding: digits, as: UTF8.self)),
          number <= Expression.maximumArguments
        else {
          throw ExpressionError(
            .invalidNumber, "arguments are numbered to \(Expression.maximumArguments)",
            range: start..<position)
        }
        return .argument(number)
      }
      if let name = word() { return .variable(name) }
      throw unknownCharacter(at: start, help: "'$' stands before an argument's number or a name")
    case UInt8(ascii: "@"):
      position += 1
      return .at(word() ?? "")
    default: break
    }
    if let name = word() { return .word(name, isEscaped: false) }
    for sign in Self.signs where bytes[position...].starts(with: sign.utf8) {
      position += sign.utf8.count
      return .sign(sign)
    }
    throw unknownCharacter(at: start, help: nil)
  }

  /// Longest first, so that `<=` is not read as `<`.
  private static let signs = [
    "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "??", "=", "<", ">", "!", "+", "-", "*",
    "/", "%", "(", ")", "{", "}", "[", "]", ",", ".", ":",
  ]

  private func unknownCharacter(at start: Int, help: String?) -> ExpressionError {
    let rest = String(decoding: bytes[start...].prefix(4), as: UTF8.self)
    let scalar = rest.unicodeScalars.first.map(String.init) ?? ""
    return ExpressionError(
      .unknownCharacter, "'\(scalar)' begins nothing that an expression knows",
      range: start..<min(bytes.count, start + max(1, scalar.utf8.count)), help: help)
  }

  private func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (97...102).contains(byte | 0x20)
  }

  /// A name: a letter or `_`, then letters, digits and `_`, as Unicode's identifiers have them.
  private mutating func word() -> String? {
    let start = position
    while let byte = byte() {
      if byte < 0x80 {
        let isLetter = (byte | 0x20) >= 97 && (byte | 0x20) <= 122 || byte == UInt8(ascii: "_")
        guard isLetter || (position > start && isDigit(byte)) else { break }
        position += 1
      } else {
        let rest = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        guard let scalar = rest.unicodeScalars.first else { break }
        let properties = scalar.properties
        guard position > start ? properties.isXIDContinue : properties.isXIDStart else { break }
        position += UTF8.width(scalar)
      }
    }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  private mutating func number() throws(ExpressionError) -> Token.Kind {
    let start = position
    if byte() == UInt8(ascii: "0"), byte(1) == UInt8(ascii: "x") {
      position += 2
      let digits = bytes[position...].prefix { isHexadecimal($0) }
      position += digits.count
      guard !digits.isEmpty else {
        throw ExpressionError(
          .invalidNumber, "'0x' is followed by no hexadecimal digit", range: start..<position)
      }
      guard let value = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) else {
        throw ExpressionError(
          .invalidNumber, "the hexadecimal number does not fit into 64 bits",
          range: start..<position)
      }
      return .int(value)
    }
    var isWhole = true
    skipDigits()
    if byte() == UInt8(ascii: "."), let next = byte(1), isDigit(next) {
      isWhole = false
      position += 1
      skipDigits()
    }
    if let mark = byte(), mark | 0x20 == UInt8(ascii: "e") {
      let signed = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
      if let next = byte(signed ? 2 : 1), isDigit(next) {
        isWhole = false
        position += signed ? 2 : 1
        skipDigits()
      }
    }
    let spelling = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole {
      guard let value = UInt64(spelling), value <= UInt64(Int64.max) + 1 else {
        throw ExpressionError(
          .invalidNumber, "\(spelling) does not fit into an int",
          range: start..<position, help: "write decimal('\(spelling)') or \(spelling).0")
      }
      return .int(value)
    }
    guard let value = Double(spelling.hasPrefix(".") ? "0" + spelling : spelling), value.isFinite
    else {
      throw ExpressionError(
        .invalidNumber, "\(spelling) does not fit into a double", range: start..<position)
    }
    return .double(value)
  }

  private mutating func skipDigits() {
    while let next = byte(), isDigit(next) { position += 1 }
  }

  private mutating func string(quote: UInt8) throws(ExpressionError) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    while let byte = byte() {
      position += 1
      if byte == quote { return String(decoding: content, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        try escape(into: &content)
      } else {
        content.append(byte)
      }
    }
    throw ExpressionError(
      .unterminatedString, "the string that begins here has no end", range: start..<bytes.count,
      help: "close it with \(quote == UInt8(ascii: "'") ? "'" : "\"")")
  }

  private mutating func escape(into content: inout [UInt8]) throws(ExpressionError) {
    let start = position - 1
    guard let byte = byte() else { return }  // the caller reports the missing end
    position += 1
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "/"):
      content.append(byte)
    case UInt8(ascii: "n"): content.append(0x0A)
    case UInt8(ascii: "r"): content.append(0x0D)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "0"): content.append(0x00)
    case UInt8(ascii: "u"):
      let isBraced = self.byte() == UInt8(ascii: "{")
      if isBraced { position += 1 }
      let digits = bytes[position...].prefix(isBraced ? 8 : 4).prefix { isHexadecimal($0) }
      position += digits.count
      let isComplete = isBraced ? self.byte() == UInt8(ascii: "}") : digits.count == 4
      if isBraced, isComplete { position += 1 }
      guard isComplete, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(code)
      else {
        throw ExpressionError(
          .invalidEscape,
          "'\\u' is followed by four hexadecimal digits, or by up to eight in braces",
          range: start..<position)
      }
      content.append(contentsOf: String(Character(scalar)).utf8)
    default:
      throw ExpressionError(
        .invalidEscape, "'\\\(String(decoding: [byte], as: UTF8.self))' is no escape",
        range: start..<position, help: "write '\\\\' for a backslash")
    }
  }
}
