import CSQLite

/// One call of a user function: its arguments, decoded when they are read, and the place for its result.
///
/// Valid only while the function runs.
package struct FunctionCall {
  @usableFromInline let context: OpaquePointer
  @usableFromInline let values: UnsafeMutablePointer<OpaquePointer?>?
  package let count: Int

  @usableFromInline init(
    context: OpaquePointer, values: UnsafeMutablePointer<OpaquePointer?>?, count: Int
  ) {
    self.context = context
    self.values = values
    self.count = count
  }

  /// An argument that was not decoded yet.
  @inlinable package subscript(index: Int) -> SQLiteCell {
    precondition(index >= 0 && index < count, "A user function read an argument that it has not.")
    return SQLiteCell(values?[index])
  }

  // MARK: Result. A function that gives none gives NULL.

  @inlinable package func giveNull() { sqlite3_result_null(context) }
  @inlinable package func give(_ value: Int64) { sqlite3_result_int64(context, value) }
  @inlinable package func give(_ value: Double) { sqlite3_result_double(context, value) }
  @inlinable package func give(_ value: Bool) { sqlite3_result_int(context, value ? 1 : 0) }

  @inlinable package func give(_ value: String) {
    value.withUTF8Bytes { give(text: $0) }
  }

  @inlinable package func give(text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else {
      sqlite3_result_text(context, "", 0, copiedBySQLite)
      return
    }
    start.withMemoryRebound(to: CChar.self, capacity: text.count) {
      sqlite3_result_text64(
        context, $0, UInt64(text.count), copiedBySQLite, UInt8(SQLITE_UTF8))
    }
  }

  @inlinable package func give(_ value: [UInt8]) {
    value.withUnsafeBytes { give(blob: $0) }
  }

  @inlinable package func give(blob: UnsafeRawBufferPointer) {
    guard let start = blob.baseAddress, !blob.isEmpty else {
      sqlite3_result_zeroblob(context, 0)
      return
    }
    sqlite3_result_blob64(context, start, UInt64(blob.count), copiedBySQLite)
  }

  /// Gives an argument back as it came.
  @inlinable package func give(_ argument: SQLiteCell) {
    guard let value = argument.value else { return }
    sqlite3_result_value(context, value)
  }

  package func give(_ value: SQLiteValue) {
    switch value {
    case .null: giveNull()
    case .integer(let value): give(value)
    case .real(let value): give(value)
    case .text(let value): give(value)
    case .blob(let value): give(value)
    }
  }
}
