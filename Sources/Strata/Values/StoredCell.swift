import StrataSQLite
import StrataSchema

/// One value of a cached row, or of the row on which a cursor stands: its storage class, its bits, and where
/// its bytes are. Valid until the row changes.
// The bytes belong to a row that is confined as its store is; a cell never leaves the call that reads it.
struct StoredCell: CellReader {
  let storageClass: StorageClass
  /// An integer, or a double's bit pattern.
  let bits: UInt64
  let start: UnsafeRawPointer?
  let count: Int

  static var null: StoredCell { StoredCell(storageClass: .null, bits: 0, start: nil, count: 0) }

  @inline(__always) var integer: Int64 { Int64(bitPattern: bits) }
  @inline(__always) var double: Double { Double(bitPattern: bits) }

  @inline(__always) func withText<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(
      UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count))
  }

  @inline(__always) func withBlob<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  @inline(__always) var string: String {
    withText { String(decoding: $0, as: UTF8.self) }
  }
}
