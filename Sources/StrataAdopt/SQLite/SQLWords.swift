/// The words of a piece of SQL: names without their quotes, and signs.
struct SQLWords {
  static let maximumWords = 10_000
  private static let quotes: [Character: Character] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]

  private(set) var texts: [String] = []
  private var isQuoted: [Bool] = []

  init(_ sql: String) {
    var rest = Substring(sql)
    while let first = rest.first, texts.count < Self.maximumWords {
      if first.isWhitespace {
        rest.removeFirst()
      } else if rest.hasPrefix("--") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        rest = Self.afterComment(rest)
      } else if let end = Self.quotes[first] {
        rest.removeFirst()
        let inner = rest.prefix { $0 != end }
        add(String(inner), isQuoted: true)
        rest = rest.dropFirst(inner.count + 1)
      } else if first.isLetter || first.isNumber || first == "_" || first == "." || first == "-" {
        let word = Self.word(rest)
        add(String(word), isQuoted: false)
        rest = rest.dropFirst(word.count)
      } else {
        add(String(first), isQuoted: false)
        rest.removeFirst()
      }
    }
  }

  /// The letters of a word; a comment ends it.
  private static func word(_ text: Substring) -> Substring {
    let word = text.prefix {
      $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == "-"
    }
    var end = word.startIndex
    while end < word.endIndex, !word[end...].hasPrefix("--") { end = word.index(after: end) }
    return word[..<end]
  }

  /// What follows a comment; one without an end goes to the end.
  private static func afterComment(_ text: Substring) -> Substring {
    var rest = text.dropFirst(2)
    while !rest.isEmpty, !rest.hasPrefix("*/") { rest.removeFirst() }
    return rest.dropFirst(2)
  }

  private mutating func add(_ text: String, isQuoted: Bool) {
    texts.append(text)
    self.isQuoted.append(isQuoted)
  }

  /// In capitals; empty beyond the end.
  func word(_ index: Int) -> String { index < texts.count ? texts[index].uppercased() : "" }

  /// As SQL writes it.
  func raw(_ index: Int) -> String {
    isQuoted[index] ? "'\(texts[index])'" : texts[index]
  }

  /// Where a keyword stands first.
  func index(of keyword: String) -> Int? {
    texts.indices.first { !isQuoted[$0] && texts[$0].uppercased() == keyword }
  }

  /// Where two keywords stand behind each other first.
  func index(of keyword: String, before next: String) -> Int? {
    texts.indices.dropLast().first {
      !isQuoted[$0] && word($0) == keyword && !isQuoted[$0 + 1] && word($0 + 1) == next
    }
  }

  /// The names in the parentheses that open at a place.
  func list(after index: Int) -> [String] {
    guard word(index) == "(", let end = texts[index...].firstIndex(of: ")") else { return [] }
    return texts[(index + 1)..<end].filter { $0 != "," }
  }

  /// `REFERENCES table (column) ON DELETE … ON UPDATE …`
  func reference(at index: Int, columns: [String]) -> SourceTable.Reference {
    func action(_ verb: String) -> String {
      for place in texts.indices where word(place) == "ON" && word(place + 1) == verb {
        let first = word(place + 2)
        return ["SET", "NO"].contains(first) ? "\(first) \(word(place + 3))" : first
      }
      return ""
    }
    return SourceTable.Reference(
      columns: columns, table: index + 1 < texts.count ? texts[index + 1] : "",
      targetColumns: list(after: index + 2), onDelete: action("DELETE"), onUpdate: action("UPDATE"))
  }
}
