import CSQLite

/// A copy of one database into another, page by page, as one transaction of the target.
package final class Backup {
  /// What one step did.
  package enum Progress: Hashable, Sendable {
    case more
    case done
    /// Another connection holds a lock; the step may be tried again.
    case busy
  }

  private var handle: OpaquePointer?
  private let source: Database
  private let target: Database

  /// Begins a backup; the target's content is replaced when it finishes.
  package init(
    from source: Database, _ sourceName: String = "main", into target: Database,
    _ targetName: String = "main"
  ) throws(SQLiteError) {
    self.source = source
    self.target = target
    handle = sqlite3_backup_init(target.handle, targetName, source.handle, sourceName)
    guard handle != nil else { throw target.error(sqlite3_extended_errcode(target.handle)) }
  }

  /// Copies up to so many pages, all that are left when nil.
  package func step(pages: Int? = nil) throws(SQLiteError) -> Progress {
    guard let handle else { return .done }
    let code = sqlite3_backup_step(handle, Int32(clamping: pages ?? -1))
    remainingPages = Int(sqlite3_backup_remaining(handle))
    pageCount = Int(sqlite3_backup_pagecount(handle))
    switch code & 0xFF {
    case SQLITE_OK: return .more
    case SQLITE_DONE: return .done
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy
    default: throw error(code)
    }
  }

  /// As of the newest step.
  package private(set) var remainingPages = 0
  package private(set) var pageCount = 0

  /// Ends the backup: committed when a step said `done`, else rolled back.
  package func finish() throws(SQLiteError) {
    guard let handle else { return }
    self.handle = nil
    let code = sqlite3_backup_finish(handle)
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func error(_ code: Int32) -> SQLiteError {
    let code = SQLiteError.code(code, of: target.handle)
    return SQLiteError(
      code: code, message: String(cString: sqlite3_errstr(code)), path: target.path)
  }

  deinit { if let handle { sqlite3_backup_finish(handle) } }
}
