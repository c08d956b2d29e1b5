public import CSQLite

/// SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
@inlinable package var copiedBySQLite: sqlite3_destructor_type {
  unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

extension Statement {
  @inlinable package func bindNull(at parameter: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, Int32(truncatingIfNeeded: parameter)))
  }

  @inlinable package func bind(_ value: Int64, at parameter: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: parameter), value))
  }

  @inlinable package func bind(_ value: Double, at parameter: Int) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: parameter), value))
  }

  @inlinable package func bind(_ value: String, at parameter: Int) throws(SQLiteError) {
    var value = value
    let code = value.withUTF8 { bindText($0, at: parameter) }
    try check(code)
  }

  /// Binds UTF-8 bytes as text.
  @inlinable package func bind(
    text: UnsafeBufferPointer<UInt8>, at parameter: Int
  ) throws(SQLiteError) {
    try check(bindText(text, at: parameter))
  }

  @inlinable package func bind(_ value: [UInt8], at parameter: Int) throws(SQLiteError) {
    let code = value.withUnsafeBytes { bindBlob($0, at: parameter) }
    try check(code)
  }

  @inlinable package func bind(
    blob: UnsafeRawBufferPointer, at parameter: Int
  ) throws(SQLiteError) {
    try check(bindBlob(blob, at: parameter))
  }

  /// Binds what another statement's column holds, as it is.
  @inlinable package func bind(
    columnOf other: Statement, at column: Int, to parameter: Int
  ) throws(SQLiteError) {
    try check(
      sqlite3_bind_value(
        handle, Int32(truncatingIfNeeded: parameter),
        sqlite3_column_value(other.handle, Int32(truncatingIfNeeded: column))))
  }

  package func bind(_ value: SQLiteValue, at parameter: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(at: parameter)
    case .integer(let value): try bind(value, at: parameter)
    case .real(let value): try bind(value, at: parameter)
    case .text(let value): try bind(value, at: parameter)
    case .blob(let value): try bind(value, at: parameter)
    }
  }

  /// Binds values to the parameters from the first one on.
  package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  @inlinable func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw error(code) }
  }

  @inlinable func bindText(_ bytes: UnsafeBufferPointer<UInt8>, at parameter: Int) -> Int32 {
    let parameter = Int32(truncatingIfNeeded: parameter)
    // No address would bind NULL.
    guard let start = bytes.baseAddress else {
      return sqlite3_bind_text(handle, parameter, "", 0, copiedBySQLite)
    }
    return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(
        handle, parameter, $0, UInt64(bytes.count), copiedBySQLite, UInt8(SQLITE_UTF8))
    }
  }

  @inlinable func bindBlob(_ bytes: UnsafeRawBufferPointer, at parameter: Int) -> Int32 {
    let parameter = Int32(truncatingIfNeeded: parameter)
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return sqlite3_bind_zeroblob(handle, parameter, 0)
    }
    return sqlite3_bind_blob64(handle, parameter, start, UInt64(bytes.count), copiedBySQLite)
  }
}
