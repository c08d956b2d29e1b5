import StrataSQLite
import StrataSchema

/// The order in which SQLite sorts the values of one column, and in which two are equal when it takes them for one.
struct StoredOrder {
  private let codec: ColumnCodec

  init(_ codec: ColumnCodec) { self.codec = codec }

  func isLess(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.string(let a), .string(let b)): a.precedesInBytes(b)
    case (.link(let a), .link(let b)), (.int(let a), .int(let b)): a < b
    default: isLess(stored(left), stored(right))
    }
  }

  /// The same of a value as it stands in the table.
  func isLess(_ left: Value, _ right: SQLiteValue) -> Bool { isLess(stored(left), right) }

  func isLess(_ left: SQLiteValue, _ right: Value) -> Bool { isLess(left, stored(right)) }

  /// A value that the column cannot hold is not among those that it holds, and stands anywhere.
  private func stored(_ value: Value) -> SQLiteValue {
    (try? codec.sqliteValue(of: value)) ?? .null
  }

  private func isLess(_ left: SQLiteValue, _ right: SQLiteValue) -> Bool {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.integer(let a), .real(let b)): order(a, b) < 0
    case (.real(let a), .integer(let b)): order(b, a) > 0
    case (.text(let a), .text(let b)): a.precedesInBytes(b)
    case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
    default: rank(left) < rank(right)
    }
  }

  private func rank(_ value: SQLiteValue) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// Less than 0, 0 or more: exact, where a conversion of the integer would round.
  private func order(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let whole = real.rounded(.towardZero)
    let other = Int64(whole)
    if integer != other { return integer < other ? -1 : 1 }
    return real > whole ? -1 : real < whole ? 1 : 0
  }
}
