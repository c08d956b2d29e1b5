import StrataSQLite

/// A row in one piece of memory: sixteen bytes a column, then the bytes of texts and blobs.
struct RowBuffer: ~Copyable {
  private struct Record {
    /// An integer, a double's bits, or where the bytes begin.
    var bits: UInt64
    var count: UInt32
    var storageClass: Int32
  }

  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0
  private(set) var columnCount = 0

  init() {}

  deinit { memory?.deallocate() }

  var isEmpty: Bool { columnCount == 0 }

  /// Reads the columns from `first` on of the row on which a statement stands.
  mutating func load(_ row: StatementRow, from first: Int, count: Int) {
    let stride = MemoryLayout<Record>.stride
    columnCount = count
    reserve(max(count * stride + 64, 1), keeping: 0)
    var end = count * stride
    for column in 0..<count {
      let cell = row.storedCell(at: Int32(truncatingIfNeeded: first + column))
      var bits = cell.bits
      if let start = cell.start, cell.count > 0 {
        reserve(end + cell.count, keeping: end)
        memory?.advanced(by: end).copyMemory(from: start, byteCount: cell.count)
        bits = UInt64(end)
        end += cell.count
      }
      memory?.storeBytes(
        of: Record(
          bits: bits, count: UInt32(cell.count), storageClass: cell.storageClass.rawValue),
        toByteOffset: column * stride, as: Record.self)
    }
  }

  /// Takes the columns that another one holds.
  mutating func copy(_ other: borrowing RowBuffer) {
    guard let source = other.memory else { return }
    reserve(other.capacity, keeping: 0)
    memory?.copyMemory(from: source, byteCount: other.capacity)
    columnCount = other.columnCount
  }

  /// Null for a row that was never read.
  @inline(__always) func cell(at column: Int) -> StoredCell {
    guard let memory, column >= 0, column < columnCount else { return .null }
    let record = memory.load(
      fromByteOffset: column * MemoryLayout<Record>.stride, as: Record.self)
    let storageClass = StorageClass(rawValue: record.storageClass) ?? .null
    switch storageClass {
    case .text, .blob:
      return StoredCell(
        storageClass: storageClass, bits: 0, start: UnsafeRawPointer(memory + Int(record.bits)),
        count: Int(record.count))
    case .integer, .real, .null:
      return StoredCell(storageClass: storageClass, bits: record.bits, start: nil, count: 0)
    }
  }

  private mutating func reserve(_ size: Int, keeping used: Int) {
    if size <= capacity { return }
    let newCapacity = used == 0 ? size : max(size, capacity * 2)
    let newMemory = UnsafeMutableRawPointer.allocate(
      byteCount: newCapacity, alignment: MemoryLayout<Record>.alignment)
    if let memory {
      if used > 0 { newMemory.copyMemory(from: memory, byteCount: used) }
      memory.deallocate()
    }
    memory = newMemory
    capacity = newCapacity
  }
}

extension StatementRow {
  /// The column as it is; its bytes are valid until the statement moves.
  @inline(__always) func storedCell(at column: Int32) -> StoredCell {
    let cell = cell(at: column)
    let storageClass = cell.storageClass
    switch storageClass {
    case .integer:
      return StoredCell(
        storageClass: storageClass, bits: UInt64(bitPattern: cell.integer), start: nil, count: 0)
    case .real:
      return StoredCell(
        storageClass: storageClass, bits: cell.double.bitPattern, start: nil, count: 0)
    case .text:
      let bytes = cell.text
      return StoredCell(
        storageClass: .text, bits: 0, start: UnsafeRawPointer(bytes.baseAddress),
        count: bytes.count)
    case .blob:
      let bytes = cell.bytes
      return StoredCell(
        storageClass: .blob, bits: 0, start: bytes.baseAddress, count: bytes.count)
    case .null: return .null
    }
  }
}
