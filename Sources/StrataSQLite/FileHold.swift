import CSQLite

/// Keeps all other connections, of this and other processes, away from a database: who opens it waits, and nothing is stored in it meanwhile.
package final class FileHold {
  /// Nil where only its lock is held, because nothing can be read of it.
  private let database: Database?
  private var handle: OpaquePointer?

  private init(_ database: Database) {
    self.database = database
    handle = database.handle
  }

  private init(_ handle: OpaquePointer?) {
    database = nil
    self.handle = handle
  }

  /// Waits for no other connection. What stands in the log is in the file behind it, where that can be read.
  ///
  /// - Parameter path: a file.
  /// - Returns: nil where another connection has the file open with its log, or reads or writes it.
  package static func take(_ path: String, vfs: String? = nil) throws -> FileHold? {
    // A transaction on a file without a byte has a journal, which goes with it.
    if (try? POSIXFiles().size(of: path)) == 0 { return try takeLock(path) }
    do {
      return try takeDatabase(path, vfs)
    } catch let error as SQLiteError {
      if error.primaryCode == .busy || error.primaryCode == .locked { return nil }
      // What cannot be read, without its key or because it is damaged, another process may have open all the same.
      return try takeLock(path)
    }
  }

  private static func takeDatabase(_ path: String, _ vfs: String?) throws -> FileHold? {
    let database = try Database(path: path, mode: .readWrite, vfs: vfs)
    do {
      if try hold(database) { return FileHold(database) }
      database.close()
      return nil
    } catch {
      // The lock below is another connection's.
      database.close()
      throw error
    }
  }

  private static func hold(_ database: Database) throws -> Bool {
    if try database.pragma("journal_mode").ifText == "wal" {
      // So that the file is whole without it.
      _ = try? database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
      // A file keeps its log: those who come in between would do without, for as long as they have it open.
      return try database.lockAlone()
    }
    try database.begin(.exclusive)
    // Another one may have given it a log meanwhile.
    return try database.pragma("journal_mode").ifText != "wal"
  }

  private static func takeLock(_ path: String) throws -> FileHold? {
    var handle: OpaquePointer?
    var file: UnsafeMutablePointer<sqlite3_file>?
    var code = sqlite3_open_v2(
      FilePaths.plain(path), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
      Database.systemVFS)
    let hold = FileHold(handle)
    if code == SQLITE_OK {
      code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    }
    for lock in [SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE] where code == SQLITE_OK {
      code = file?.pointee.pMethods?.pointee.xLock(file, lock) ?? SQLITE_CANTOPEN
    }
    if code == SQLITE_OK { return hold }
    hold.release()
    if code & 0xFF == SQLITE_BUSY { return nil }
    throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), path: path)
  }

  /// Whether the file still stands where it was opened.
  package var isInPlace: Bool {
    var hasMoved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) != SQLITE_OK
      || hasMoved == 0
  }

  package func release() {
    if let database {
      guard !database.isClosed else { return }
      if isInPlace {
        database.unlockAlone()
      } else {
        // What stands beside the path by now is another file's.
        try? database.set(.noCheckpointOnClose, true)
      }
      database.close()
    } else if let file = handle {
      // With it goes the lock.
      sqlite3_close_v2(file)
    }
    handle = nil
  }

  deinit { release() }
}

extension Database {
  /// Whether no other connection, of this or another process, has the file open: of a file with a log, outside of a transaction.
  package func isAlone() throws -> Bool {
    guard try lockAlone() else { return false }
    unlockAlone()
    return true
  }

  /// Each connection to a file with a log shares a lock on it from its first read on until it is closed: who has that alone is alone, and nothing else
  /// can begin to read. SQLite itself knows nothing of it.
  fileprivate func lockAlone() throws -> Bool {
    _ = try tablesVersion()
    guard let file, let methods = file.pointee.pMethods else { return false }
    if methods.pointee.xLock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK { return true }
    // A try that has failed keeps new ones out, too.
    unlockAlone()
    return false
  }

  /// Lets others in again. Does nothing in a transaction.
  fileprivate func unlockAlone() {
    guard !isInTransaction, let file, let methods = file.pointee.pMethods else { return }
    _ = methods.pointee.xUnlock(file, SQLITE_LOCK_SHARED)
  }

  private var file: UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    return code == SQLITE_OK ? file : nil
  }
}
