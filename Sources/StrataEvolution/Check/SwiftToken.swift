/// A token of a Swift file, as far as digests and the purity rules need it.
package struct SwiftToken: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A name or keyword, without its backticks.
    case identifier
    case number
    /// A piece of a string literal, without quotes and as Swift reads it: the indentation of a literal of
    /// several lines does not count. Interpolations stand between pieces as tokens of their own.
    case string
    case sign
  }

  package var kind: Kind
  package var text: String
  /// Bytes of the file.
  package var range: Range<Int>

  package init(_ kind: Kind, _ text: String, range: Range<Int>) {
    self.kind = kind
    self.text = text
    self.range = range
  }
}

/// Splits Swift into tokens. Comments (nested ones, too) and white space don't count, literals do.
///
/// It knows string literals in all forms: raw ones, of several lines, with interpolations. It does not parse:
/// whether a `/` begins a regular expression is told from the token before it and from a `/` that closes it on its line, as the
/// compiler does, too. Both branches of an `#if` are read. What is not closed ends with its line or the file.
package struct SwiftLexer {
  /// How deeply comments and interpolations may be nested; deeper ones are read as text.
  package static let maximumNesting = 32

  private let bytes: [UInt8]
  private var position = 0
  private var tokens: [SwiftToken] = []

  private init(bytes: [UInt8]) { self.bytes = bytes }

  package static func tokens(of bytes: [UInt8]) -> [SwiftToken] {
    var lexer = SwiftLexer(bytes: bytes)
    lexer.read(untilClosed: false, nesting: 0)
    return lexer.tokens
  }

  private func at(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  private mutating func add(_ kind: SwiftToken.Kind, from start: Int) {
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    tokens.append(SwiftToken(kind, text, range: start..<position))
  }

  /// Reads to the end, or to the parenthesis that closes an interpolation.
  private mutating func read(untilClosed: Bool, nesting: Int) {
    var open = 0
    while let byte = at() {
      let start = position
      switch byte {
      case 0x00...0x20: position += 1
      case UInt8(ascii: "/") where regularExpressionEnd != nil:
        position = regularExpressionEnd ?? position + 1
        add(.string, from: start)
      case UInt8(ascii: "/") where at(1) == UInt8(ascii: "/"): skipLine()
      case UInt8(ascii: "/") where at(1) == UInt8(ascii: "*"): skipComment()
      case UInt8(ascii: "\""): readString(hashes: 0, nesting: nesting)
      case UInt8(ascii: "#") where hashesBefore(UInt8(ascii: "\"")) != nil:
        let hashes = hashesBefore(UInt8(ascii: "\"")) ?? 0
        position += hashes
        readString(hashes: hashes, nesting: nesting)
      case UInt8(ascii: "#") where hashesBefore(UInt8(ascii: "/")) != nil:
        readRegularExpression(hashes: hashesBefore(UInt8(ascii: "/")) ?? 0)
      case UInt8(ascii: "`"): readBackticks()
      case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
      case _ where isNameByte(byte):
        while let byte = at(), isNameByte(byte) || isDigit(byte) { position += 1 }
        add(.identifier, from: start)
      default:
        position += 1
        add(.sign, from: start)
        guard untilClosed else { continue }
        if byte == UInt8(ascii: "(") { open += 1 }
        if byte == UInt8(ascii: ")") {
          if open == 0 { return }
          open -= 1
        }
      }
    }
  }

  private func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private func isNameByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
      || (97...122).contains(byte | 0x20)
  }

  /// How many `#` stand here with `sign` behind them.
  private func hashesBefore(_ sign: UInt8) -> Int? {
    var count = 0
    while at(count) == UInt8(ascii: "#") { count += 1 }
    return at(count) == sign ? count : nil
  }

  // MARK: Comments

  private mutating func skipLine() {
    while let byte = at(), byte != 0x0A, byte != 0x0D { position += 1 }
  }

  private mutating func skipComment() {
    var depth = 0
    while position < bytes.count {
      if starts(with: "/*") {
        depth += 1
        position += 2
      } else if starts(with: "*/") {
        depth -= 1
        position += 2
        if depth == 0 { return }
      } else {
        position += 1
      }
    }
  }

  // MARK: Names and numbers

  private mutating func readBackticks() {
    let start = position
    position += 1
    while let byte = at(), byte != UInt8(ascii: "`"), byte != 0x0A { position += 1 }
    let name = String(decoding: bytes[(start + 1)..<position], as: UTF8.self)
    if at() == UInt8(ascii: "`") { position += 1 }
    tokens.append(SwiftToken(.identifier, name, range: start..<position))
  }

  private mutating func readNumber() {
    let start = position
    while let byte = at() {
      if isDigit(byte) || isNameByte(byte) {
        position += 1
      } else if byte == UInt8(ascii: "."), let next = at(1), isDigit(next) {
        position += 1
      } else if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"), position > start,
        [UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "p"), UInt8(ascii: "P")]
          .contains(bytes[position - 1]),
        !isHexadecimal(from: start) || bytes[position - 1] | 0x20 == 0x70
      {
        position += 1
      } else {
        break
      }
    }
    add(.number, from: start)
  }

  /// In `0x1e+2` the `e` is a digit.
  private func isHexadecimal(from start: Int) -> Bool {
    bytes[start] == UInt8(ascii: "0") && start + 1 < bytes.count
      && bytes[start + 1] | 0x20 == UInt8(ascii: "x")
  }

  // MARK: Literals

  /// Words behind which a value begins, so that a `/` there divides nothing.
  private static let wordsBeforeValues: Set<String> = [
    "return", "in", "case", "if", "while", "guard", "switch", "where", "try", "await", "throw",
    "else", "is", "as", "let", "var",
  ]

  /// Where a bare regular expression ends that begins here; nil where the `/` is an operator or begins a comment.
  private var regularExpressionEnd: Int? {
    guard let next = at(1), ![0x20, 0x09, 0x0A, 0x0D].contains(next),
      next != UInt8(ascii: "/"), next != UInt8(ascii: "*")
    else { return nil }
    if let last = tokens.last {
      let beginsValue =
        switch last.kind {
        case .identifier: Self.wordsBeforeValues.contains(last.text)
        case .sign: ![")", "]", "}", "?", "!", "."].contains(last.text) || isApart(from: last)
        case .number, .string: false
        }
      guard beginsValue else { return nil }
    }
    var offset = 1
    while let byte = at(offset), byte != 0x0A, byte != 0x0D {
      if byte == UInt8(ascii: "\\") {
        offset += 2
      } else if byte == UInt8(ascii: "/") {
        let before = at(offset - 1)
        return before == 0x20 || before == 0x09 ? nil : position + offset + 1
      } else {
        offset += 1
      }
    }
    return nil
  }

  /// `a ? /x/ : y`: behind a space such a sign ends no value.
  private func isApart(from token: SwiftToken) -> Bool {
    ["?", "!"].contains(token.text) && token.range.upperBound < position
      && token.range.lowerBound > 0 && bytes[token.range.lowerBound - 1] <= 0x20
  }

  private mutating func readRegularExpression(hashes: Int) {
    let start = position
    position += hashes + 1
    while position < bytes.count {
      if at() == UInt8(ascii: "\\") {
        position += 2
      } else if at() == UInt8(ascii: "/"), (1...hashes).allSatisfy({ at($0) == UInt8(ascii: "#") })
      {
        position += hashes + 1
        break
      } else {
        position += 1
      }
    }
    position = min(position, bytes.count)
    add(.string, from: start)
  }

  /// A string literal; the position is at its first quote.
  private mutating func readString(hashes: Int, nesting: Int) {
    let isLong = starts(with: "\"\"\"")
    let quotes = isLong ? 3 : 1
    position += quotes
    var start = position
    let firstToken = tokens.count
    func isEnd(_ lexer: SwiftLexer) -> Bool {
      (0..<quotes).allSatisfy { lexer.at($0) == UInt8(ascii: "\"") }
        && (0..<hashes).allSatisfy { lexer.at(quotes + $0) == UInt8(ascii: "#") }
    }
    while let byte = at(), !isEnd(self) {
      if byte == UInt8(ascii: "\\"),
        (0..<hashes).allSatisfy({ at(1 + $0) == UInt8(ascii: "#") })
      {
        if at(1 + hashes) == UInt8(ascii: "("), nesting < Self.maximumNesting {
          add(.string, from: start)
          let sign = position
          position += hashes + 2
          tokens.append(SwiftToken(.sign, "\\(", range: sign..<position))
          read(untilClosed: true, nesting: nesting + 1)
          start = position
        } else {
          position = min(bytes.count, position + hashes + 2)
        }
      } else if !isLong, byte == 0x0A || byte == 0x0D {
        break  // not closed on its line
      } else {
        position += 1
      }
    }
    add(.string, from: start)
    position = min(bytes.count, position + quotes + hashes)
    if isLong { removeIndentation(from: firstToken) }
  }

  /// What stands before the closing quotes is no part of any line.
  private mutating func removeIndentation(from first: Int) {
    guard let last = tokens.last?.text.utf8 else { return }
    let indentation = last.reversed().prefix { $0 == 0x20 || $0 == 0x09 }.reversed()
    let breakAndIndentation = [0x0A] + Array(indentation)
    for index in first..<tokens.count where tokens[index].kind == .string {
      let text = Array(tokens[index].text.utf8.filter { $0 != 0x0D })
      var result: [UInt8] = []
      var position = 0
      while position < text.count {
        if text[position...].starts(with: breakAndIndentation) {
          result.append(0x0A)
          position += breakAndIndentation.count
        } else {
          result.append(text[position])
          position += 1
        }
      }
      tokens[index].text = String(decoding: result, as: UTF8.self)
    }
  }
}

extension SwiftLexer {
  /// Names that a file itself declares, which may be called like a model.
  package static func declaredNames(in tokens: [SwiftToken]) -> Set<String> {
    var names: Set<String> = []
    for (token, next) in zip(tokens, tokens.dropFirst())
    where token.kind == .identifier && next.kind == .identifier {
      if [
        "struct", "class", "enum", "actor", "protocol", "typealias", "case", "func", "let", "var",
      ]
      .contains(token.text) {
        names.insert(next.text)
      }
    }
    return names
  }
}
