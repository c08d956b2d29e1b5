import StrataSQLite
import StrataSchema

/// The file that is being upgraded or taken back, with the lock that keeps other writers out while its new content is built.
///
/// Readers are never blocked: the file is in WAL mode, and the new content arrives as one transaction.
final class OriginalFile {
  /// Pages that are copied between two reports of progress.
  private static let pagesAtOnce = 2048

  let path: String
  private let shownPath: String
  let database: Database
  /// Sees whether another process commits when the lock changes hands, and reads while the other connection writes.
  let witness: Database

  init(
    path: String, shownPath: String, vfs: String?, busyTimeout: Int,
    direction: Direction = .upgrade
  ) throws {
    self.path = path
    self.shownPath = shownPath
    database = try Database(path: path, mode: .readWrite, vfs: vfs)
    witness = try Database(path: path, mode: .readWrite, vfs: vfs)
    for connection in [database, witness] {
      connection.setBusyTimeout(milliseconds: busyTimeout)
    }
    // Durable at once: "upgraded" must not be taken back by a power loss.
    try database.setPragma("synchronous", "FULL")
    if let cacheSize = EngineSwitches.current.cacheSize {
      try database.setPragma("cache_size", .integer(-cacheSize))
    }
    guard !database.isReadOnly() else {
      throw MigrationError(
        .readOnly, "\(shownPath) \(direction.needed) and cannot be written: it is read-only.")
    }
  }

  /// Becomes the only writer.
  func lock() throws {
    if try database.pragma("journal_mode").ifText != "wal" {
      do {
        try database.setPragma("journal_mode", "WAL")
      } catch let error as SQLiteError where error.primaryCode == .busy {
        throw MigrationError.busy(
          path,
          """
          \(shownPath) is in use by another process, and has to be alone for a moment: it has no write-ahead log \
          yet. Try again when nothing else has it open.
          """)
      }
    }
    try database.begin(.immediate)
  }

  /// Writes new content over the old as one transaction.
  ///
  /// SQLite's backup begins its own transaction, so that the lock is let go for a moment. Whether another process has
  /// committed in it is known when the new transaction holds the lock and nothing is written yet.
  ///
  /// - Returns: false where another process came in between; nothing was changed.
  func replaceContent(by content: Database, watch: UpgradeWatch) throws -> Bool {
    watch.describe(.writing)
    let pageSize = Int(try pageSize)
    let before = try witness.dataVersion()
    try database.rollback()
    database.discardCachedStatements()
    let backup = try Backup(from: content, into: database)
    do {
      while try backup.step(pages: 0) == .busy { throw busy }
      guard try witness.dataVersion() == before else {
        try? backup.finish()
        return false
      }
      copying: while true {
        switch try backup.step(pages: Self.pagesAtOnce) {
        case .done: break copying
        case .more:
          try watch.written(
            bytes: (backup.pageCount - backup.remainingPages) * pageSize,
            of: backup.pageCount * pageSize)
        case .busy: throw busy
        }
      }
    } catch {
      // Not finished, so that SQLite rolls back.
      try? backup.finish()
      throw error
    }
    try backup.finish()
    writeBackLog()
    return true
  }

  /// Writes the log back as far as it goes without waiting. Readers that still stand on the old content keep it; the connection that closes
  /// last does the rest.
  func writeBackLog() {
    database.setBusyTimeout(milliseconds: 0)
    _ = try? database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private var busy: MigrationError {
    .busy(
      path,
      "\(shownPath) is being written by another process. Try again when it has finished.")
  }

  func close() {
    try? database.rollback()
    witness.close()
    database.close()
  }
}
