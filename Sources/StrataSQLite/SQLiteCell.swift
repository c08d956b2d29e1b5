public import CSQLite

/// A value where SQLite has it: an argument of a function, valid while the function runs, or a column of the row on which a statement
/// stands, valid until the statement moves.
///
/// Each column is asked of SQLite once: the calls that take a statement and a column look for it each time, lock and set the
/// connection's error.
@frozen public struct SQLiteCell {
  @usableFromInline let value: OpaquePointer?

  @inlinable init(_ value: OpaquePointer?) { self.value = value }

  @inlinable @inline(__always) public var storageClass: StorageClass {
    StorageClass(rawValue: sqlite3_value_type(value)) ?? .null
  }

  @inlinable public var isNull: Bool { sqlite3_value_type(value) == SQLITE_NULL }
  @inlinable public var integer: Int64 { sqlite3_value_int64(value) }
  @inlinable public var double: Double { sqlite3_value_double(value) }

  /// The UTF-8 bytes of a text.
  @inlinable public var text: UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_text(value)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  @inlinable public var bytes: UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  @inlinable public func withText<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(text)
  }

  @inlinable public var string: String { String(decoding: text, as: UTF8.self) }

  @inlinable public func withBlob<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes)
  }

  @inlinable public var blob: [UInt8] { Array(bytes) }

  package var sqliteValue: SQLiteValue {
    switch storageClass {
    case .null: .null
    case .integer: .integer(integer)
    case .real: .real(double)
    case .text: .text(string)
    case .blob: .blob(blob)
    }
  }
}

extension SQLiteCell: CellReader {}
