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
  static func swift(_ bytes: [UInt8]) -> Markup {
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
  static func yaml(_ text: String) -> Markup {
    var result = Markup()
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if index > 0 { result += "\n" }
      result += yaml(line: line)
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
        let body = rest.dropFirst()
        let close = body.firstIndex(of: first).map { rest.index(after: $0) } ?? rest.endIndex
        result += "<i class=\"s\">\(String(rest[..<close]))</i>"
        rest = rest[close...]
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
}
