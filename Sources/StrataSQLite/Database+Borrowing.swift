extension Database {
  /// A statement from the cache, for as long as a cursor needs it; `returnStatement` puts it back.
  package func borrowStatement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = cachedStatements[sql], !statement.isInUse {
      cachedStatements[sql] = nil
      return statement
    }
    return try prepare(sql)
  }

  /// Resets a borrowed statement and keeps it for the next time.
  package func returnStatement(_ statement: Statement) {
    statement.reset()
    if isClosed || !Self.isKept(statement.sql) { return }
    if cachedStatements.count >= Self.maximumCachedStatements { cachedStatements.removeAll() }
    cachedStatements[statement.sql] = statement
  }
}
