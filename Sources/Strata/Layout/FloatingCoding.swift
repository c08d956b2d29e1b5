import StrataSQLite

/// Floating-point numbers in a cell: a REAL, or the eight big-endian IEEE bytes of a NaN, of which SQLite
/// alone would make NULL.
enum FloatingCoding {
  static func write<Cell: CellWriter>(_ value: Double, into cell: inout Cell) throws(SQLiteError) {
    if value.isNaN {
      try cell.write(value.bitPattern.bigEndianBytes)
    } else {
      try cell.write(value)
    }
  }

  static func write<Cell: CellWriter>(_ value: Float, into cell: inout Cell) throws(SQLiteError) {
    try write(widen(value), into: &cell)
  }

  static func double(_ cell: some CellReader) -> Double? {
    switch cell.storageClass {
    case .real: cell.double
    case .integer: Double(cell.integer)
    case .blob:
      cell.withBlob { $0.count == 8 ? Double(bitPattern: UInt64(bigEndianBytes: $0)) : nil }
    case .text, .null: nil
    }
  }

  /// Nil also for what would become an infinity: another value.
  static func float(_ cell: some CellReader) -> Float? {
    guard let wide = double(cell) else { return nil }
    let value = narrow(wide)
    return value.isInfinite && wide.isFinite ? nil : value
  }

  /// As the conversion, but a NaN keeps its bits: the processor would make a signaling one quiet.
  static func widen(_ value: Float) -> Double {
    guard value.isNaN else { return Double(value) }
    let bits = UInt64(value.bitPattern)
    return Double(bitPattern: (bits & 0x8000_0000) << 32 | 0x7FF << 52 | (bits & 0x7F_FFFF) << 29)
  }

  static func narrow(_ value: Double) -> Float {
    guard value.isNaN else { return Float(value) }
    let bits = value.bitPattern
    let payload = UInt32(truncatingIfNeeded: bits >> 29) & 0x7F_FFFF
    // A NaN whose payload a float has no room for must not become an infinity.
    let mantissa = payload == 0 ? 0x40_0000 : payload
    return Float(
      bitPattern: UInt32(truncatingIfNeeded: bits >> 32) & 0x8000_0000 | 0x7F80_0000 | mantissa)
  }
}

extension FixedWidthInteger {
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

  init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }
}
