import CSQLite

/// Keeps the write-ahead log readable behind what was taken back.
///
/// A transaction that outgrows the cache writes pages to the log before its commit. Where it changes such a page again, SQLite writes over its frame, and
/// leaves the checksums from that frame on to the commit (`iReCksum` in its wal.c). Where a savepoint takes the frame back, SQLite (3.40, for one) still waits for
/// it: the frames that are written from then on have no checksums, nor does the commit give them some. All works until the programs that have the file open are
/// killed; then the log ends before these frames, and what was committed in them and behind them is gone.
///
/// So one page is written before the first savepoint of a transaction, and written again over the same frame where something was taken back: then SQLite waits for that
/// frame, and the commit gives checksums from there on. Docs/decisions/0141.
final class LogMender {
  /// What is known of the running transaction.
  private enum State {
    case unknown
    /// It has written the page.
    case prepared
    /// It has no log, or changes no file of Strata.
    case needless
  }

  private var state = State.unknown
  /// SQLite's count of changed rows when the transaction began, and how many of them are since then only those of the page.
  private var (changesBefore, changesOfPage): (Int32, Int32) = (0, 0)
  /// ``pagesWrittenEarly(_:)`` when all frames were known to get their checksums.
  private var known: Int32 = 0

  /// A table of two columns that every file of Strata has; other files are not mended.
  private static let table = "_strata"
  /// Together they change nothing but the page on which the row would stand.
  private static let statements = """
    INSERT INTO main._strata VALUES ('mended', '');
    DELETE FROM main._strata WHERE key = 'mended';
    """

  private static let probe = "SELECT 1 FROM main._strata LIMIT 1"

  /// How many pages the connection has written before a commit; only to be compared, because it begins anew at some time.
  func pagesWrittenEarly(_ connection: OpaquePointer?) -> Int32 {
    var (current, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_SPILL, &current, &highest, 0)
    return current
  }

  func transactionBegins(_ connection: OpaquePointer?) {
    state = .unknown
    (changesBefore, changesOfPage) = (sqlite3_total_changes(connection), 0)
  }

  /// Whether the running transaction has written that page and changed no row.
  func hasWrittenNothingElse(_ connection: OpaquePointer?) -> Bool {
    state == .prepared && sqlite3_total_changes(connection) &- changesBefore == changesOfPage
  }

  /// To be called before a savepoint of the running transaction.
  ///
  /// - Returns: false where the page could not be written.
  func prepare(_ connection: OpaquePointer?) -> Bool {
    guard state == .unknown, sqlite3_txn_state(connection, "main") == SQLITE_TXN_WRITE else {
      return true
    }
    guard hasLog(connection) else {
      state = .needless
      return true
    }
    guard writePage(connection) else { return false }
    state = .prepared
    return true
  }

  /// To be called right behind what was taken back.
  ///
  /// - Returns: false where it could not be done: what the transaction writes would be lost.
  func mend(_ connection: OpaquePointer?) -> Bool {
    state != .prepared || writePage(connection)
  }

  /// To be called when a statement that changes something has failed: what it did is taken back like the part behind a savepoint. Where the log
  /// cannot be mended, the transaction is over.
  func statementFailed(_ connection: OpaquePointer?) {
    guard state == .prepared, sqlite3_get_autocommit(connection) == 0,
      pagesWrittenEarly(connection) != known
    else { return }
    if !mend(connection) { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
  }

  private func writePage(_ connection: OpaquePointer?) -> Bool {
    guard sqlite3_exec(connection, Self.statements, nil, nil, nil) == SQLITE_OK else {
      return false
    }
    changesOfPage += 2
    let before = pagesWrittenEarly(connection)
    // It writes temporary tables, too, for which there may be no room, behind the file's own pages, and says nowhere what was wrong. Where that were the
    // file's, the next statement says so.
    guard
      sqlite3_db_cacheflush(connection) == SQLITE_OK
        || sqlite3_exec(connection, Self.probe, nil, nil, nil) == SQLITE_OK
    else { return false }
    known = pagesWrittenEarly(connection)
    return known != before
  }

  /// Whether the connection has a file of Strata with a log.
  private func hasLog(_ connection: OpaquePointer?) -> Bool {
    guard
      sqlite3_table_column_metadata(
        connection, "main", Self.table, nil, nil, nil, nil, nil, nil) == SQLITE_OK
    else { return false }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard
      sqlite3_prepare_v2(connection, "PRAGMA main.journal_mode", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let mode = sqlite3_column_text(statement, 0)
    else { return false }
    return String(cString: mode) == "wal"
  }
}
