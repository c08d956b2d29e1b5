import CSQLite

/// The beginning of a part of a transaction that can be taken back by itself.
package struct Savepoint {
  let name: StaticString
  /// ``Database/pagesWrittenEarly`` at that moment.
  let pagesWrittenEarly: Int32
}

extension Database {
  /// Whether the running transaction would write what savepoints need and nothing else: for others it would be one that has changed something.
  package var hasOnlySavepoints: Bool { logMender.hasWrittenNothingElse(handle) }

  /// Begins a part of the running transaction.
  ///
  /// - Parameter name: tells it in the statement log.
  package func beginSavepoint(_ name: StaticString) throws -> Savepoint {
    guard logMender.prepare(handle) else { throw logError("a savepoint could not be prepared") }
    let savepoint = Savepoint(name: name, pagesWrittenEarly: logMender.pagesWrittenEarly(handle))
    try execute("SAVEPOINT \(SQL.identifier("\(name)"))")
    return savepoint
  }

  /// Keeps what the part did.
  package func release(_ savepoint: Savepoint) throws {
    try execute("RELEASE \(SQL.identifier("\(savepoint.name)"))")
  }

  /// Takes back what the part did, and goes on with it.
  package func rollBack(to savepoint: Savepoint) throws {
    try execute("ROLLBACK TO \(SQL.identifier("\(savepoint.name)"))")
    guard logMender.pagesWrittenEarly(handle) != savepoint.pagesWrittenEarly else { return }
    guard logMender.mend(handle) else {
      let error = logError("what was taken back could not be cut off the log")
      try rollback()
      throw error
    }
  }

  /// Why the log could not be written, as SQLite says.
  private func logError(_ what: String) -> SQLiteError {
    let code = sqlite3_extended_errcode(handle)
    let known = SQLiteError.code(code, of: handle)
    let reason = known == code ? sqlite3_errmsg(handle) : sqlite3_errstr(known)
    return SQLiteError(
      code: known == SQLITE_OK ? SQLITE_IOERR : known,
      message: "\(what): \(reason.map { String(cString: $0) } ?? "")", path: path)
  }

  /// Takes back what the part did, and ends it.
  package func takeBack(_ savepoint: Savepoint) throws {
    try rollBack(to: savepoint)
    try release(savepoint)
  }
}
