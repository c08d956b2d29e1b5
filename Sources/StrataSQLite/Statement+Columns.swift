import CSQLite

extension Statement {
  @inlinable package func storageClass(at column: Int) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(handle, Int32(truncatingIfNeeded: column))) ?? .null
  }

  @inlinable package func isNull(at column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  @inlinable package func integer(at column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  @inlinable package func double(at column: Int) -> Double {
    sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  /// The UTF-8 bytes of a text, valid inside of `body`.
  @inlinable package func withText<Result, Failure: Error>(
    at column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let column = Int32(truncatingIfNeeded: column)
    let start = sqlite3_column_text(handle, column)
    return try body(
      UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  @inlinable package func string(at column: Int) -> String {
    let column = Int32(truncatingIfNeeded: column)
    let start = sqlite3_column_text(handle, column)
    return String(
      decoding: UnsafeBufferPointer(
        start: start, count: Int(sqlite3_column_bytes(handle, column))),
      as: UTF8.self)
  }

  /// The bytes of a blob, valid inside of `body`.
  @inlinable package func withBlob<Result, Failure: Error>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let column = Int32(truncatingIfNeeded: column)
    let start = sqlite3_column_blob(handle, column)
    return try body(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  @inlinable package func blob(at column: Int) -> [UInt8] {
    withBlob(at: column) { Array($0) }
  }

  /// How many bytes a text or blob has.
  @inlinable package func byteCount(at column: Int) -> Int {
    Int(sqlite3_column_bytes(handle, Int32(truncatingIfNeeded: column)))
  }

  package func value(at column: Int) -> SQLiteValue {
    switch storageClass(at: column) {
    case .null: .null
    case .integer: .integer(integer(at: column))
    case .real: .real(double(at: column))
    case .text: .text(string(at: column))
    case .blob: .blob(blob(at: column))
    }
  }
}
