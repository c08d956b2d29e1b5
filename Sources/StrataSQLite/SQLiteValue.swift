/// A value as SQLite stores it, before the schema says what it means.
package enum SQLiteValue: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension SQLiteValue: Hashable {
  // Of bits, as the schema's own values are.
  package static func == (left: SQLiteValue, right: SQLiteValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension SQLiteValue: ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .real(value) }
  package init(stringLiteral value: String) { self = .text(value) }
}

extension SQLiteValue {
  package var ifInteger: Int64? {
    if case .integer(let value) = self { return value }
    return nil
  }

  package var ifText: String? {
    if case .text(let value) = self { return value }
    return nil
  }

  package var isNull: Bool {
    if case .null = self { return true }
    return false
  }
}

/// The storage class of one stored value.
@frozen public enum StorageClass: Int32, Hashable, Sendable {
  // The values of SQLITE_INTEGER and its siblings.
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
}
