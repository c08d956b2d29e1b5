import CSQLite

/// One stored value that can be decoded: a column of a row, an argument of a function, a value in memory.
/// Decoders are written once against this and specialised for each.
package protocol CellReader {
  var storageClass: StorageClass { get }
  var integer: Int64 { get }
  var double: Double { get }
  func withText<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result
  func withBlob<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result
}

/// One place that takes a value: a parameter, the result of a function, a value in memory.
package protocol CellWriter {
  mutating func writeNull() throws(SQLiteError)
  mutating func write(_ value: Int64) throws(SQLiteError)
  mutating func write(_ value: Double) throws(SQLiteError)
  mutating func write(_ value: String) throws(SQLiteError)
  mutating func write(_ value: [UInt8]) throws(SQLiteError)
}

extension Statement {
  /// The column as something to decode.
  @inlinable package func cell(at column: Int) -> SQLiteCell {
    row.cell(at: Int32(truncatingIfNeeded: column))
  }

  /// The parameter as something to encode into, which is not to outlive the statement.
  @inlinable package func parameter(at parameter: Int) -> ParameterCell {
    ParameterCell(handle: handle, parameter: Int32(truncatingIfNeeded: parameter))
  }
}

extension FunctionCall: CellWriter {
  @inlinable package func writeNull() { giveNull() }
  @inlinable package func write(_ value: Int64) { give(value) }
  @inlinable package func write(_ value: Double) { give(value) }
  @inlinable package func write(_ value: String) { give(value) }
  @inlinable package func write(_ value: [UInt8]) { give(value) }
}

extension SQLiteValue: CellReader, CellWriter {
  package var storageClass: StorageClass {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  package var integer: Int64 {
    switch self {
    case .integer(let value): value
    case .real(let value): Int64(exactly: value.rounded(.towardZero)) ?? 0
    default: 0
    }
  }

  package var double: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: 0
    }
  }

  package func withText<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes: [UInt8] = if case .text(let text) = self { Array(text.utf8) } else { [] }
    return try bytes.withUnsafeBufferPointer(body)
  }

  package func withBlob<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes: [UInt8] = if case .blob(let blob) = self { blob } else { [] }
    return try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
      try body(UnsafeRawBufferPointer(bytes))
    }
  }

  package mutating func writeNull() { self = .null }
  package mutating func write(_ value: Int64) { self = .integer(value) }
  package mutating func write(_ value: Double) { self = .real(value) }
  package mutating func write(_ value: String) { self = .text(value) }
  package mutating func write(_ value: [UInt8]) { self = .blob(value) }
}
