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
  private let direction: Direction
  /// What SQLite counts of the file as it was, from the moment on that this run may have changed it.
  private var versionBeforeCommit: Int64?
  private var hasTurnedLogOn = false
  /// For what is made of the file. Until it is locked, another process may write it anew in another form.
  private(set) var vfs: String?
  let database: Database
  /// Sees whether another process commits when the lock changes hands, and reads while the other connection writes.
  let witness: Database

  init(
    path: String, shownPath: String, vfs: String?, busyTimeout: Int,
    direction: Direction = .upgrade
  ) throws {
    self.path = path
    self.shownPath = shownPath
    self.direction = direction
    self.vfs = vfs
    func open() throws -> Database {
      try Database.inPlace(path: path, mode: .readWrite, vfs: vfs, busyTimeout: busyTimeout)
    }
    database = try open()
    witness = try open()
    // Both in place at one moment are connections to one file.
    try checkIsInPlace()
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
        hasTurnedLogOn = try database.setPragma("journal_mode", "WAL").ifText == "wal"
      } catch let error as SQLiteError where error.primaryCode == .busy {
        throw MigrationError.hasToBeAlone(path, shownPath: shownPath)
      }
    }
    try database.begin(.immediate)
    try checkIsInPlace()
    vfs = try FileCipher.resolve(vfs, of: database)
  }

  /// Whether another file stands at the path by now, or none.
  var isReplaced: Bool { database.isReplaced || witness.isReplaced }

  /// Refuses to go on with a file that is at its place no more. The log beside the place is left as it is: another connection may take it for that of
  /// the file that stands there now, and write to it.
  func checkIsInPlace() throws {
    guard isReplaced else { return }
    leaveLog()
    throw replaced
  }

  private var replaced: MigrationError { .replaced(shownPath, done: direction.done) }

  private func leaveLog() {
    for connection in [database, witness] { try? connection.set(.noCheckpointOnClose, true) }
  }

  /// Does a part of the work. Where the file is replaced meanwhile, what goes wrong comes of that: other connections open what stands at the path.
  func working<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as MigrationError where error.kind == .cancelled {
      throw error
    } catch {
      try checkIsInPlace()
      throw error
    }
  }

  /// Whether the file may hold what this run has written, where an error has ended that.
  func mayHoldNewContent(after error: any Error) -> Bool {
    guard let versionBeforeCommit else { return false }
    // What was written before SQLite failed may be whole on the disk all the same.
    if let error = error as? SQLiteError, error.primaryCode == .ioError { return true }
    guard let version = try? witness.dataVersion() else { return true }
    return version != versionBeforeCommit
  }

  /// Commits what was changed in the file itself.
  func commit() throws {
    versionBeforeCommit = try witness.dataVersion()
    try checkIsInPlace()
    try database.commit()
    try finish()
  }

  /// Brings what was committed out of the log. Between the last look and the commit another file may have come into the place, over which a log with
  /// the new content would be laid.
  private func finish() throws {
    writeBackLog()
    try checkIsInPlace()
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
      try checkIsInPlace()
      guard try witness.dataVersion() == before else {
        try? backup.finish()
        return false
      }
      guard database.takesPages(of: content) else { throw hasOtherForm }
      copying: while true {
        // The last page comes by itself, with the commit: nothing that takes long is between that and the look.
        let pages = max(1, min(Self.pagesAtOnce, backup.remainingPages - 1))
        try checkIsInPlace()
        if backup.remainingPages <= pages { versionBeforeCommit = before }
        switch try backup.step(pages: pages) {
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
    try finish()
    return true
  }

  /// Writes the log back as far as it goes without waiting. Readers that still stand on the old content keep it; the connection that closes
  /// last does the rest.
  private func writeBackLog() {
    database.setBusyTimeout(milliseconds: 0)
    _ = try? database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private var busy: MigrationError {
    .busy(
      path,
      "\(shownPath) is being written by another process. Try again when it has finished.")
  }

  private var hasOtherForm: MigrationError {
    .busy(
      path,
      "\(shownPath) was given checksums, or lost them, while its new content was made. It was not changed; try again."
    )
  }

  func close() {
    let isReplaced = isReplaced
    if isReplaced { leaveLog() }
    try? database.rollback()
    witness.close()
    // What is refused leaves the file as it was. Another connection that has it open by now keeps the log.
    if hasTurnedLogOn, versionBeforeCommit == nil, !isReplaced {
      _ = try? database.setPragma("journal_mode", "DELETE")
    }
    database.close()
  }
}

extension MigrationError {
  /// Of a file that is in use and has no log, which others keep from being made.
  ///
  /// - Parameter path: the file as the system finds it.
  static func hasToBeAlone(_ path: String, shownPath: String) -> MigrationError {
    .busy(
      path,
      """
      \(shownPath) is in use by another process, and has to be alone for a moment: it has no write-ahead log \
      yet. Try again when nothing else has it open.
      """)
  }
}
