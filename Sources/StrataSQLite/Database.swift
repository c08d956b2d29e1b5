import CSQLite
import Synchronization

/// One connection to a SQLite database: opened with a VFS by name, closed once.
///
/// A connection belongs to one isolation and is not `Sendable`; it is opened without SQLite's own mutexes.
package final class Database {
  /// How a file is opened.
  package enum Mode: Hashable, Sendable {
    case readOnly
    case readWrite
    /// As `readWrite`, and a missing file is created.
    case create
  }

  /// Statements that `withStatement` keeps for the next time.
  package static let maximumCachedStatements = 256
  /// The longest of them.
  static let maximumCachedBytes = 1 << 16

  @usableFromInline let handle: OpaquePointer
  package let path: String
  package let mode: Mode
  /// Whether it was opened as a file that nothing changes.
  package let isImmutable: Bool
  package private(set) var isClosed = false
  /// What has to be there for as long as the connection, as the folder of a temporary copy.
  package var companion: AnyObject?
  /// For the parameters of the statement that runs next.
  package let texts: ParameterArena
  var cachedStatements: [String: Statement] = [:]
  /// What a user function threw last, because SQLite carries nothing but its sentence.
  package internal(set) var lastFunctionError: (any Error)?
  /// Set by the first transaction that is guarded.
  var transactionGuard: TransactionGuard?
  /// The first time that the disk, another connection or an interruption kept a kept statement from its work, also where
  /// the caller made nothing of it: without a journal, what is written then may be half of something.
  package private(set) var storageFailure: SQLiteError?
  var progressHandler: ProgressBox?
  var statementLog: StatementLog?
  let logMender = LogMender()
  private let interruptible: InterruptHandle

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - path: a file, `:memory:`, or with `isURI` an URI as SQLite reads it, `file:a.db?immutable=1`.
  ///   - vfs: the name of a registered VFS; nil for the process's own, which is the platform's unless a key was given.
  package init(path: String, mode: Mode = .create, vfs: String? = nil, isURI: Bool = false)
    throws(SQLiteError)
  {
    var flags = SQLITE_OPEN_NOMUTEX
    switch mode {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    if isURI { flags |= SQLITE_OPEN_URI }
    var handle: OpaquePointer?
    let name = isURI ? path : FilePaths.plain(path)
    let vfs = vfs ?? Self.defaultVFS(for: name, isURI: isURI)
    var code = sqlite3_open_v2(name, &handle, flags, vfs)
    if code == SQLITE_OK, vfs == nil || vfs == Self.systemVFS, Self.hasChecksums(handle) {
      // A plain file whose pages have checksums is read and written with them.
      sqlite3_close_v2(handle)
      code = sqlite3_open_v2(name, &handle, flags, ChecksummedPages.vfs())
    }
    guard code == SQLITE_OK, let handle else {
      let message = String(cString: sqlite3_errmsg(handle))
      // Unlike the open, the close of a failed connection is ours.
      let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
      sqlite3_close_v2(handle)
      throw SQLiteError(code: extended, message: message, path: path)
    }
    sqlite3_extended_result_codes(handle, 1)
    self.handle = handle
    texts = ParameterArena()
    self.path = path
    self.mode = mode
    isImmutable = isURI && FilePaths.parameters(ofURI: path).contains("immutable=1")
    self.interruptible = InterruptHandle(handle)
    try leaveReservedBytes(in: "main")
    try distrustContent()
    if vfs == nil || vfs == Self.systemVFS || vfs == ChecksummedPages.vfs() {
      try leaveLogOfUnknownFile()
      try leaveJournalOfEncryptedFile()
    }
  }

  /// Lets the pages of a new file have the bytes that the VFS needs at their ends. A file that is there has its own number.
  func leaveReservedBytes(in database: String) throws(SQLiteError) {
    var count: Int32 = 0
    let code = sqlite3_file_control(handle, database, PageVFS.reservedBytesControl, &count)
    // The system's own VFS knows no such control.
    guard code == SQLITE_OK, count > 0 else { return }
    _ = sqlite3_file_control(handle, database, SQLITE_FCNTL_RESERVE_BYTES, &count)
  }

  /// What SQLite advises for a file of unknown origin, <https://www.sqlite.org/security.html#untrusted_sqlite_database_files>:
  /// what stands in a file's own triggers, views, defaults and checks calls harmless functions only, and neither SQL nor a page can harm
  /// the file. A name in double quotes is never a text: a column that is missing would be read as its own name.
  private func distrustContent() throws(SQLiteError) {
    try set(.doubleQuotedStringsInQueries, false)
    try set(.doubleQuotedStringsInDefinitions, false)
    try set(.trustedSchema, false)
    try set(.defensive, true)
    try check(sqlite3_exec(handle, "PRAGMA cell_size_check = ON", nil, nil, nil))
  }

  /// Finalizes the cached statements and closes. Statements that others still hold stay valid; SQLite
  /// closes the file after the last of them.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    interruptible.connectionCloses()
    cachedStatements.removeAll()
    // What it holds may hold the connection.
    setProgressHandler(every: 0, nil)
    removeGuard()
    sqlite3_close_v2(handle)
  }

  deinit {
    close()
    texts.deallocate()
  }

  /// What another thread may hold to stop a running statement.
  package var interruptHandle: InterruptHandle { interruptible }

  /// Whether the database (`main` or an attached one) refuses writes.
  package func isReadOnly(_ database: String = "main") -> Bool {
    sqlite3_db_readonly(handle, database) != 0
  }

  func noteStorageFailure(_ error: any Error) {
    if storageFailure == nil, let error = error as? SQLiteError, error.isOfStorage {
      storageFailure = error
    }
  }

  /// The newest error of this connection as a value.
  func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
    SQLiteError(code, of: handle, sql: sql, path: path)
  }

  func check(_ code: Int32, sql: String? = nil) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw error(code, sql: sql) }
  }
}

extension Database {
  /// SQLite's version, `3040001`.
  package static var libraryVersion: Int { Int(sqlite3_libversion_number()) }

  /// Saves 2 to 10 percent everywhere; has to be said before the first connection opens, and does
  /// nothing after it.
  package static func disableMemoryStatistics() {
    _ = strata_sqlite3_disable_memory_statistics()
  }

  /// The rowid of the newest INSERT.
  package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Rows that the newest statement changed.
  package var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Rows that this connection has changed since it was opened, by triggers and foreign keys as well.
  package var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }
}
