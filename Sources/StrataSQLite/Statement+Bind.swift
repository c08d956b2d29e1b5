extension Statement {
  @inlinable package func bindNull(at parameter: Int) throws(SQLiteError) {
    try self.parameter(at: parameter).writeNull()
  }

  @inlinable package func bind(_ value: Int64, at parameter: Int) throws(SQLiteError) {
    try self.parameter(at: parameter).write(value)
  }

  @inlinable package func bind(_ value: Double, at parameter: Int) throws(SQLiteError) {
    try self.parameter(at: parameter).write(value)
  }

  @inlinable package func bind(_ value: String, at parameter: Int) throws(SQLiteError) {
    try self.parameter(at: parameter).write(value)
  }

  /// Binds UTF-8 bytes as text.
  @inlinable package func bind(
    text: UnsafeBufferPointer<UInt8>, at parameter: Int
  ) throws(SQLiteError) {
    let cell = self.parameter(at: parameter)
    try cell.check(cell.bindText(text, copiedBySQLite))
  }

  @inlinable package func bind(_ value: [UInt8], at parameter: Int) throws(SQLiteError) {
    try self.parameter(at: parameter).write(value)
  }

  @inlinable package func bind(
    blob: UnsafeRawBufferPointer, at parameter: Int
  ) throws(SQLiteError) {
    let cell = self.parameter(at: parameter)
    try cell.check(cell.bindBlob(blob, copiedBySQLite))
  }

  /// Binds what another statement's column holds, as it is.
  @inlinable package func bind(
    columnOf other: Statement, at column: Int, to parameter: Int
  ) throws(SQLiteError) {
    try self.parameter(at: parameter).write(columnOf: other, at: column)
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
}
