import Strata
import StrataSQLite
import StrataSchema

/// A line of LEFT-OUT.jsonl: one value of a SQLite file that found no place, with where it stood and why it was left.
///
/// - Parameter identity: of the new object that it would have belonged to.
func leftOutLine(
  _ reason: String, _ value: SQLiteValue, _ model: String, _ property: String, _ identity: Int64
) -> String {
  JSON.object([
    "$model": .string(model), "$id": .int(identity), "property": .string(property),
    "reason": .string(reason), "value": leftOutValue(value),
  ]).canonicalText
}

func leftOutValue(_ value: SQLiteValue) -> JSON {
  switch value {
  case .integer(let value): .int(value)
  case .text(let text): .string(text)
  case .real(let value): JSONCoding.json(.double(value), as: .any)
  case .blob(let bytes): JSONCoding.json(.data(bytes), as: .any)
  case .null: .null
  }
}

extension Statement {
  /// A cell for a line of what is left out: a text that is no UTF-8 as its bytes, which a `String` does not have any more.
  func leftOutCell(at column: Int) -> SQLiteValue {
    guard storageClass(at: column) == .text, !isUTF8(at: column) else { return value(at: column) }
    return .blob(withText(at: column) { Array($0) })
  }

  func isUTF8(at column: Int) -> Bool {
    withText(at: column) { String(validating: $0, as: UTF8.self) } != nil
  }
}
