/// The words of a definition as SQLite keeps it, without names in quotes, texts and comments: enough to see which clauses it has.
struct SQLWords {
  /// Outside of any quotes, in capitals.
  private(set) var bare: Set<String> = []
  /// How many parentheses open.
  private(set) var parentheses = 0
  /// Whether something is computed: `+`, `||`, `=`.
  private(set) var hasOperators = false

  init(_ sql: String) {
    let text = Array(sql.utf8)
    var position = 0
    // Every turn takes a byte at least.
    while position < text.count {
      let byte = text[position]
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        position = Self.end(of: byte, in: text, from: position + 1)
      case UInt8(ascii: "["):
        position = Self.end(of: UInt8(ascii: "]"), in: text, from: position + 1)
      case UInt8(ascii: "-") where text[position...].starts(with: "--".utf8):
        position = (text[position...].firstIndex(of: 0x0A) ?? text.count - 1) + 1
      case UInt8(ascii: "/") where text[position...].starts(with: "/*".utf8):
        position = Self.endOfComment(in: text, from: position + 2)
      case UInt8(ascii: "("):
        parentheses += 1
        position += 1
      case _ where Self.isLetter(byte):
        let end = text[position...].firstIndex { !Self.isLetter($0) } ?? text.count
        bare.insert(String(decoding: text[position..<end], as: UTF8.self).uppercased())
        position = end
      default:
        if "+-*/%|&<>=~".utf8.contains(byte) { hasOperators = true }
        position += 1
      }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  /// Behind the closing mark; one that stands twice is part of the text, which then ends at the next.
  private static func end(of mark: UInt8, in text: [UInt8], from start: Int) -> Int {
    (text[start...].firstIndex(of: mark) ?? text.count - 1) + 1
  }

  private static func endOfComment(in text: [UInt8], from start: Int) -> Int {
    var position = start
    while position + 1 < text.count {
      if text[position] == UInt8(ascii: "*"), text[position + 1] == UInt8(ascii: "/") {
        return position + 2
      }
      position += 1
    }
    return text.count
  }
}
