import CSQLite

extension Database {
  /// How a transaction begins.
  package enum TransactionKind: String, Sendable {
    /// Locks nothing until the first statement.
    case deferred = "BEGIN"
    /// Is the writer from the start, or fails with `busy`.
    case immediate = "BEGIN IMMEDIATE"
    case exclusive = "BEGIN EXCLUSIVE"
  }

  package func begin(_ kind: TransactionKind = .immediate) throws {
    try execute(kind.rawValue)
    logMender.transactionBegins(handle)
  }

  package func commit() throws { try execute("COMMIT") }

  /// Rolls back; does nothing where SQLite has rolled back already, as it does on a full disk.
  package func rollback() throws {
    if isInTransaction { try execute("ROLLBACK") }
  }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
  package func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    try begin(kind)
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      // The first error is the one to tell.
      try? rollback()
      throw error
    }
  }
}
