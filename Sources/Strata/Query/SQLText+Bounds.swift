import StrataSQLite
import StrataSchema

extension SQLText {
  /// SQLite takes 32,766 parameters in a statement.
  private static let maximumParameters = 32_000
  /// SQLite's trees are at most 1,000 deep, and a row of operators is as deep as it is long.
  private static let maximumRow = 200

  /// The same with literals in the place of the parameters that are too many: the values of a long list.
  var bounded: SQLText {
    guard values.count > Self.maximumParameters else { return self }
    var result: [UInt8] = []
    var kept: [SQLiteValue] = []
    var next = 0
    var quote: UInt8?
    for byte in sql.utf8 {
      switch (byte, quote) {
      case (UInt8(ascii: "?"), nil):
        if next < Self.maximumParameters {
          kept.append(values[next])
          result.append(byte)
        } else {
          result += Self.literal(values[next]).utf8
        }
        next += 1
        continue
      case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = byte
      case (_, let open?) where open == byte: quote = nil
      default: break
      }
      result.append(byte)
    }
    var text = SQLText(trusted: String(decoding: result, as: UTF8.self))
    text.values = kept
    return text
  }

  private static func literal(_ value: SQLiteValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    // Digits would be read back as a neighbour now and then.
    case .real(let value): "\(QueryFunctions.realName)(\(Int64(bitPattern: value.bitPattern)))"
    case .text(let text): SQL.literal(text)
    case .blob(let bytes): "x'\(Hex.encode(bytes))'"
    }
  }

  /// Conditions with AND or OR between them, or texts with ||, however many.
  static func row(_ parts: [SQLText], by separator: StaticString) -> SQLText {
    var parts = parts
    while parts.count > maximumRow {
      parts = stride(from: 0, to: parts.count, by: maximumRow).map { start in
        "(\(joined(Array(parts[start..<min(start + maximumRow, parts.count)]), by: separator)))"
      }
    }
    return joined(parts, by: separator)
  }
}

extension Database {
  /// As the function of the same name, with the text's values bound.
  func withStatement<Result>(
    _ text: SQLText, _ body: (Statement) throws -> Result
  ) throws -> Result {
    let text = text.bounded
    return try withStatement(text.sql) { statement in
      try statement.bind(text.values)
      return try body(statement)
    }
  }
}
