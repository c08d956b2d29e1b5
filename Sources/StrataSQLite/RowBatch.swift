import CSQLite

/// Rows that are to be inserted, in memory of their own: a thread fills one while another inserts the last.
///
/// A handle, so that passing it on counts no references. Who has made it frees it.
package struct RowBatch: CellWriter {
  /// What a cell holds: a number's bits, or where its bytes stand.
  struct Cell {
    var storageClass: StorageClass
    /// Bytes of a text or blob. SQLite takes no more than 2³¹ − 1.
    var length: Int32
    var bits: Int64
  }

  private struct Storage {
    var cells: UnsafeMutablePointer<Cell>
    var cellCount: Int
    /// Where the next value goes.
    var cursor: Int
    var bytes: UnsafeMutablePointer<UInt8>
    var byteCount: Int
    var byteCapacity: Int
  }

  /// A buffer that one large value has grown is not kept.
  private static let maximumKeptBytes = 1 << 20
  private static let smallestCapacity = 1 << 12

  private let storage: UnsafeMutablePointer<Storage>

  /// - Parameter cells: how many it holds.
  package init(cells: Int) {
    storage = .allocate(capacity: 1)
    let memory = UnsafeMutablePointer<Cell>.allocate(capacity: cells)
    memory.initialize(repeating: Cell(storageClass: .null, length: 0, bits: 0), count: cells)
    storage.initialize(
      to: Storage(
        cells: memory, cellCount: cells, cursor: 0,
        bytes: .allocate(capacity: Self.smallestCapacity), byteCount: 0,
        byteCapacity: Self.smallestCapacity))
  }

  package func free() {
    storage.pointee.cells.deallocate()
    storage.pointee.bytes.deallocate()
    storage.deallocate()
  }

  /// Bytes of the texts and blobs that it holds.
  package var byteCount: Int { storage.pointee.byteCount }

  /// Forgets its rows.
  package func clear() {
    storage.pointee.cursor = 0
    storage.pointee.byteCount = 0
    guard storage.pointee.byteCapacity > Self.maximumKeptBytes else { return }
    storage.pointee.bytes.deallocate()
    storage.pointee.bytes = .allocate(capacity: Self.smallestCapacity)
    storage.pointee.byteCapacity = Self.smallestCapacity
  }

  // MARK: - Filling

  /// The next value is that of this cell.
  package func move(to cell: Int) {
    precondition(cell >= 0 && cell < storage.pointee.cellCount, "The batch has no such cell.")
    storage.pointee.cursor = cell
  }

  package func writeNull() { put(.null, length: 0, bits: 0) }

  package func write(_ value: Int64) { put(.integer, length: 0, bits: value) }

  package func write(_ value: Double) {
    put(.real, length: 0, bits: Int64(bitPattern: value.bitPattern))
  }

  package func write(_ value: String) throws(SQLiteError) {
    let isTaken = value.withUTF8Bytes { put(UnsafeRawBufferPointer($0), as: .text) }
    guard isTaken else { throw Self.tooBig }
  }

  package func write(_ value: [UInt8]) throws(SQLiteError) {
    let isTaken = value.withUnsafeBytes { put($0, as: .blob) }
    guard isTaken else { throw Self.tooBig }
  }

  /// Takes what a column holds, as it is.
  package func write(columnOf row: StatementRow, at column: Int) throws(SQLiteError) {
    let cell = row.cell(at: Int32(truncatingIfNeeded: column))
    switch cell.storageClass {
    case .null: writeNull()
    case .integer: write(cell.integer)
    case .real: write(cell.double)
    case .text:
      guard put(UnsafeRawBufferPointer(cell.text), as: .text) else { throw Self.tooBig }
    case .blob:
      guard put(cell.bytes, as: .blob) else { throw Self.tooBig }
    }
  }

  private static var tooBig: SQLiteError {
    SQLiteError(code: SQLITE_TOOBIG, message: "string or blob too big")
  }

  @inline(__always)
  private func put(_ storageClass: StorageClass, length: Int32, bits: Int64) {
    let cursor = storage.pointee.cursor
    precondition(cursor < storage.pointee.cellCount, "The row has more cells than the batch.")
    storage.pointee.cells[cursor] = Cell(storageClass: storageClass, length: length, bits: bits)
    storage.pointee.cursor = cursor + 1
  }

  @inline(__always)
  private func put(_ bytes: UnsafeRawBufferPointer, as storageClass: StorageClass) -> Bool {
    guard let length = Int32(exactly: bytes.count) else { return false }
    let start = storage.pointee.byteCount
    if start + bytes.count > storage.pointee.byteCapacity { grow(by: bytes.count) }
    if let source = bytes.baseAddress {
      UnsafeMutableRawPointer(storage.pointee.bytes + start).copyJustWritten(
        from: source, byteCount: bytes.count)
    }
    storage.pointee.byteCount = start + bytes.count
    put(storageClass, length: length, bits: Int64(start))
    return true
  }

  private func grow(by count: Int) {
    let old = storage.pointee
    let capacity = max(old.byteCapacity * 2, old.byteCount + count)
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    bytes.update(from: old.bytes, count: old.byteCount)
    old.bytes.deallocate()
    storage.pointee.bytes = bytes
    storage.pointee.byteCapacity = capacity
  }

  // MARK: - Inserting

  /// Gives a statement the cells of a range as its parameters from the first one on. SQLite reads them where they
  /// stand: they have to stay until the statement has run.
  func bind(_ range: Range<Int>, to statement: Statement) throws(SQLiteError) {
    let cells = storage.pointee.cells
    let bytes = UnsafeRawPointer(storage.pointee.bytes)
    var parameter: Int32 = 0
    for position in range {
      parameter += 1
      let cell = cells[position]
      let code: Int32
      switch cell.storageClass {
      case .null: code = sqlite3_bind_null(statement.handle, parameter)
      case .integer: code = sqlite3_bind_int64(statement.handle, parameter, cell.bits)
      case .real:
        code = sqlite3_bind_double(
          statement.handle, parameter, Double(bitPattern: UInt64(bitPattern: cell.bits)))
      case .text:
        // No destructor: SQLite neither copies nor frees.
        code = sqlite3_bind_text(
          statement.handle, parameter,
          (bytes + Int(cell.bits)).assumingMemoryBound(to: CChar.self), cell.length, nil)
      case .blob:
        code = sqlite3_bind_blob(
          statement.handle, parameter, bytes + Int(cell.bits), cell.length, nil)
      }
      if code != SQLITE_OK { throw statement.error(code) }
    }
  }
}

extension UnsafeMutableRawPointer {
  /// Copies bytes that were written a moment ago, as a short text that was just put together: in pieces that lie within the words
  /// that were written. A load across two of them, which is how `copyMemory` copies 9 to 31 bytes, waits until both are in the cache.
  @inline(__always)
  fileprivate func copyJustWritten(from source: UnsafeRawPointer, byteCount: Int) {
    guard byteCount < 32 else { return copyMemory(from: source, byteCount: byteCount) }
    var position = 0
    func copy<Piece: FixedWidthInteger & BitwiseCopyable>(_ type: Piece.Type) {
      storeBytes(
        of: source.loadUnaligned(fromByteOffset: position, as: type), toByteOffset: position,
        as: type)
      position += MemoryLayout<Piece>.size
    }
    while byteCount - position >= 8 { copy(UInt64.self) }
    if byteCount & 4 != 0 { copy(UInt32.self) }
    if byteCount & 2 != 0 { copy(UInt16.self) }
    if byteCount & 1 != 0 { copy(UInt8.self) }
  }
}
