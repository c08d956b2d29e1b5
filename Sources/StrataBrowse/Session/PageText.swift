import StrataSQLite

/// Texts of a database as a page shows them: from their beginning, with how long they are. SQLite's own `substr` and `length` take the
/// first U+0000 for the end of a text; these functions do not.
enum PageText {
  private static let startName = "strata_page_start"
  private static let lengthName = "strata_page_length"

  static func addFunctions(to database: Database) throws {
    try database.addFunction(startName, argumentCount: 2) { call in
      let count = Int(call[1].integer)
      switch call[0].storageClass {
      case .null: call.giveNull()
      case .blob: call.give(blob: UnsafeRawBufferPointer(rebasing: call[0].bytes.prefix(count)))
      case .integer, .real, .text:
        let text = call[0].text
        call.give(text: UnsafeBufferPointer(rebasing: text.prefix(end(of: count, in: text))))
      }
    }
    try database.addFunction(lengthName, argumentCount: 1) { call in
      switch call[0].storageClass {
      case .null: call.giveNull()
      case .blob: call.give(Int64(call[0].bytes.count))
      case .integer, .real, .text:
        call.give(Int64(call[0].text.reduce(0) { $0 + (isFirst($1) ? 1 : 0) }))
      }
    }
  }

  /// SQL for the first characters of a text, U+0000 included; of data for its first bytes.
  static func start(of column: String, _ count: Int) -> String {
    "\(startName)(\(column), \(count))"
  }

  /// SQL for the number of characters of a text, U+0000 included; of data for the number of its bytes.
  static func length(of column: String) -> String { "\(lengthName)(\(column))" }

  /// Where the bytes of the first `count` characters end.
  private static func end(of count: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    // A character has one byte or more.
    if text.count <= count { return text.count }
    var left = count
    return text.firstIndex { byte in
      if isFirst(byte) { left -= 1 }
      return left < 0
    } ?? text.count
  }

  /// Whether a byte of UTF-8 begins a character.
  private static func isFirst(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}
