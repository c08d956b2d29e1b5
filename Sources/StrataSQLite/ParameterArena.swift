import CSQLite

/// Memory for the texts and blobs of one statement that is about to run. SQLite reads them where they are: it would allocate a
/// copy of each, which is most of what binding a short text costs.
///
/// `begin()` is said before the first parameter, and all parameters are bound again before each run: what was bound for an
/// earlier one may be overwritten.
package struct ParameterArena {
  /// What does not fit is copied by SQLite as ever. It has the copies for as long as they are bound: `letGo(of:)`.
  @usableFromInline static let capacity = 4096

  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let used: UnsafeMutablePointer<Int>

  init() {
    memory = .allocate(byteCount: Self.capacity, alignment: 1)
    used = .allocate(capacity: 1)
    used.initialize(to: 0)
  }

  func deallocate() {
    memory.deallocate()
    used.deallocate()
  }

  @inlinable package func begin() { used.pointee = 0 }

  /// Frees what SQLite has copied for a statement that has run, which else would be there for as long as the statement is kept.
  @inlinable package func letGo(of statement: Statement) {
    if used.pointee > Self.capacity { statement.clearBindings() }
  }

  /// A copy of bytes that stays until the next `begin()`; nil where there is no room.
  @inlinable func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    let start = used.pointee
    guard let source = bytes.baseAddress, bytes.count <= Self.capacity - start else {
      // More than there is room for, until the next `begin()`.
      if !bytes.isEmpty { used.pointee = Self.capacity + 1 }
      return nil
    }
    let copy = memory + start
    copy.copyMemory(from: source, byteCount: bytes.count)
    used.pointee = start + bytes.count
    return UnsafeRawPointer(copy)
  }
}

/// A parameter whose text or blob is kept in an arena.
package struct ArenaCell: CellWriter {
  @usableFromInline let parameter: ParameterCell
  @usableFromInline let arena: ParameterArena

  @inlinable init(_ parameter: ParameterCell, _ arena: ParameterArena) {
    self.parameter = parameter
    self.arena = arena
  }

  @inlinable package func writeNull() throws(SQLiteError) { try parameter.writeNull() }
  @inlinable package func write(_ value: Int64) throws(SQLiteError) { try parameter.write(value) }
  @inlinable package func write(_ value: Double) throws(SQLiteError) { try parameter.write(value) }

  @inlinable package func write(_ value: String) throws(SQLiteError) {
    try parameter.check(value.withUTF8Bytes(bind))
  }

  @inlinable func bind(_ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
    guard let kept = arena.keep(UnsafeRawBufferPointer(bytes)) else {
      return parameter.bindText(bytes, copiedBySQLite)
    }
    return parameter.bindText(
      UnsafeBufferPointer(start: kept.assumingMemoryBound(to: UInt8.self), count: bytes.count), nil)
  }

  @inlinable package func write(_ value: [UInt8]) throws(SQLiteError) {
    let code = value.withUnsafeBytes { bytes in
      guard let kept = arena.keep(bytes) else { return parameter.bindBlob(bytes, copiedBySQLite) }
      return parameter.bindBlob(UnsafeRawBufferPointer(start: kept, count: bytes.count), nil)
    }
    try parameter.check(code)
  }
}

extension Statement {
  /// The parameter as something to encode into, which is not to outlive the statement.
  @inlinable package func parameter(at parameter: Int, in arena: ParameterArena) -> ArenaCell {
    ArenaCell(self.parameter(at: parameter), arena)
  }
}
