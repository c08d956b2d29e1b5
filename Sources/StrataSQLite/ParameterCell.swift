public import CSQLite

/// SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
@inlinable package var copiedBySQLite: sqlite3_destructor_type {
  unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// A parameter of a statement. It does not own the statement: counting references would cost more than binding a number.
package struct ParameterCell: CellWriter {
  @usableFromInline let handle: OpaquePointer
  @usableFromInline let parameter: Int32

  @inlinable init(handle: OpaquePointer, parameter: Int32) {
    self.handle = handle
    self.parameter = parameter
  }

  @inlinable package func writeNull() throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, parameter))
  }

  @inlinable package func write(_ value: Int64) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, parameter, value))
  }

  @inlinable package func write(_ value: Double) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, parameter, value))
  }

  @inlinable package func write(_ value: String) throws(SQLiteError) {
    try check(value.withUTF8Bytes { bindText($0, copiedBySQLite) })
  }

  @inlinable package func write(_ value: [UInt8]) throws(SQLiteError) {
    try check(value.withUnsafeBytes { bindBlob($0, copiedBySQLite) })
  }

  /// What a statement's column holds, as it is.
  @inlinable func write(columnOf other: Statement, at column: Int) throws(SQLiteError) {
    try check(
      sqlite3_bind_value(
        handle, parameter,
        sqlite3_column_value(other.handle, Int32(truncatingIfNeeded: column))))
  }

  @inlinable func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw SQLiteError(code, of: handle) }
  }

  /// - Parameter keeper: `copiedBySQLite`, or nil for bytes that stay as long as they are bound.
  @inlinable func bindText(
    _ bytes: UnsafeBufferPointer<UInt8>, _ keeper: sqlite3_destructor_type?
  ) -> Int32 {
    // No address would bind NULL.
    guard let start = bytes.baseAddress else {
      return sqlite3_bind_text(handle, parameter, "", 0, copiedBySQLite)
    }
    return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(
        handle, parameter, $0, UInt64(bytes.count), keeper, UInt8(SQLITE_UTF8))
    }
  }

  @inlinable func bindBlob(
    _ bytes: UnsafeRawBufferPointer, _ keeper: sqlite3_destructor_type?
  ) -> Int32 {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return sqlite3_bind_zeroblob(handle, parameter, 0)
    }
    return sqlite3_bind_blob64(handle, parameter, start, UInt64(bytes.count), keeper)
  }
}
