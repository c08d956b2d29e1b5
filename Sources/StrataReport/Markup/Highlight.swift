import StrataEvolution

/// Code in colours.
enum Highlight {
  private static let keywords: Set<String> = [
    "import", "extension", "static", "let", "var", "func", "try", "in", "for", "if", "else",
    "guard",
    "return", "struct", "enum", "class", "throw", "throws", "await", "async", "switch", "case",
    "default", "while", "where", "nil", "true", "false", "self", "Self", "public", "private",
    "package", "internal", "as", "is", "do", "catch", "init",
  ]

  /// Swift, by its tokens; what stands between them are comments and space.
  static func swift(_ file: [UInt8]) -> Markup {
    let bytes = lines(of: file)
    var result = Markup()
    var end = 0
    func plain(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    func gap(to start: Int) {
      guard start > end else { return }
      let text = plain(end..<start)
      result += text.contains("/") ? "<i class=\"c\">\(text)</i>" : "\(text)"
    }
    for token in SwiftLexer.tokens(of: bytes) where token.range.lowerBound >= end {
      gap(to: token.range.lowerBound)
      let text = plain(token.range)
      switch token.kind {
      case .identifier where keywords.contains(token.text): result += "<b>\(text)</b>"
      case .string: result += "<i class=\"s\">\(text)</i>"
      case .number: result += "<i class=\"n\">\(text)</i>"
      default: result += "\(text)"
      }
      end = token.range.upperBound
    }
    gap(to: bytes.count)
    return result
  }

  /// YAML, line by line: keys, texts in quotes, comments.
  static func yaml(_ bytes: [UInt8]) -> Markup {
    var result = Markup()
    let text = String(decoding: lines(of: bytes), as: UTF8.self)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if index > 0 { result += "\n" }
      result += yaml(line: line)
    }
    return result
  }

  /// The text with `\n` for each line break. CR LF would be one `Character`, which is no `"\n"`.
  private static func lines(of bytes: [UInt8]) -> [UInt8] {
    let (feed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    guard bytes.contains(carriageReturn) else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var last: UInt8?
    for byte in bytes {
      if byte != feed || last != carriageReturn {
        result.append(byte == carriageReturn ? feed : byte)
      }
      last = byte
    }
    return result
  }

  static func yaml(line: Substring) -> Markup {
    var result = Markup()
    var rest = line
    while let first = rest.first {
      if first == "#", rest.startIndex == line.startIndex || line[..<rest.startIndex].last == " " {
        result += "<i class=\"c\">\(String(rest))</i>"
        break
      }
      if first == "\"" || first == "'" {
        let text = rest[..<end(ofText: rest)]
        result += "<i class=\"s\">\(String(text))</i>"
        rest = rest[text.endIndex...]
        continue
      }
      let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
      if word.isEmpty {
        result += "\(String(first))"
        rest = rest.dropFirst()
        continue
      }
      let after = rest[word.endIndex...]
      let isKey = after.first == ":" && (after.dropFirst().first ?? " ") == " "
      result += isKey ? "<b>\(String(word))</b>" : "\(String(word))"
      rest = after
    }
    return result
  }

  /// Behind the closing quote of a text that begins here, or the line's end. In double quotes `\"` is a part of the text.
  private static func end(ofText rest: Substring) -> Substring.Index {
    guard let quote = rest.first else { return rest.endIndex }
    var isEscaped = false
    for index in rest.indices.dropFirst() {
      if rest[index] == quote, !isEscaped { return rest.index(after: index) }
      isEscaped = quote == "\"" && rest[index] == "\\" && !isEscaped
    }
    return rest.endIndex
  }
}
