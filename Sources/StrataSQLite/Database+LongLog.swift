import CSQLite

/// What tells one state of a write-ahead log from all others: how far it reaches, and since it was begun anew.
package struct LogMark: Hashable, Sendable {
  package var frames: UInt32
  var salts: UInt64
  /// How many transactions of all connections were written, also before the log was begun anew.
  var commits: UInt32

  /// Whether the log was begun anew since an earlier state, by a transaction that has not ended: the version of the data is the same still,
  /// though SQLite says that it is another one.
  package func isOnlyBegunAnew(since earlier: LogMark) -> Bool {
    frames == 0 && commits == earlier.commits && salts != earlier.salts
  }
}

extension Database {
  /// How far the log reaches by the index that all its readers share, <https://www.sqlite.org/walformat.html#the_wal_index_header>; nil
  /// where there is none. Others may be writing it, so that it is a hint and no answer.
  ///
  /// To be asked of a connection that has read from the log: another one would make the index.
  package var logMark: LogMark? {
    logIndex.map {
      LogMark(
        frames: $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self),
        salts: $0.loadUnaligned(fromByteOffset: 32, as: UInt64.self),
        commits: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }
  }

  /// How many frames of the log are in the file, by the same index.
  private var copiedFrames: UInt32? {
    logIndex?.loadUnaligned(fromByteOffset: 96, as: UInt32.self)
  }

  private var logIndex: UnsafeMutableRawPointer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap
    else { return nil }
    var index: UnsafeMutableRawPointer?
    return map(file, 0, Self.sizeOfIndexPart, 0, &index) == SQLITE_OK ? index : nil
  }

  /// The index comes in parts of this size.
  private static let sizeOfIndexPart: Int32 = 32_768

  /// Copies as much of the log into the file as no other connection reads from, and waits for none.
  ///
  /// What is copied is not copied again: SQLite up to 3.51.2 may lose a transaction where a second copy begins right behind a whole one while a writer begins the
  /// log anew, <https://www.sqlite.org/wal.html#walresetbug>.
  ///
  /// - Returns: whether all of it is copied. It begins anew with the next transaction then, unless others still read from it.
  package func copyLog() -> Bool { (try? copyLogOrThrow()) == true }

  /// As `copyLog`; other connections that read from the log are no error.
  ///
  /// - Throws: `SQLiteError` where the file could not be written, as on a full disk.
  package func copyLogOrThrow() throws(SQLiteError) -> Bool {
    guard let mark = logMark, let before = copiedFrames else { return false }
    if before >= mark.frames { return mark.frames > 0 }
    var (frames, copied): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(
      handle, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    if [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) { return false }
    try check(code)
    return frames > 0 && frames == copied
  }
}
