import CSQLite

/// A compiled statement: owned, stepped and finalized here and nowhere else.
///
/// Columns count from 0, parameters from 1, as in SQLite. The readers and binders are inlined into other
/// modules: a loop over a million rows costs what it costs in C.
package final class Statement {
  @usableFromInline let handle: OpaquePointer
  package let sql: String
  package let columnCount: Int
  package let parameterCount: Int
  /// Whether one of the connection's kept statements runs at the moment.
  var isInUse = false
  private let logMender: LogMender

  init(handle: OpaquePointer, sql: String, logMender: LogMender) {
    self.handle = handle
    self.sql = sql
    self.logMender = logMender
    self.columnCount = Int(sqlite3_column_count(handle))
    self.parameterCount = Int(sqlite3_bind_parameter_count(handle))
  }

  deinit { sqlite3_finalize(handle) }

  /// Goes to the next row; false at the end.
  @inlinable package func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    return try stepReadingDefinitions(code)
  }

  /// Runs a statement that gives no rows, and makes it ready for the next values.
  @inlinable package func run() throws(SQLiteError) {
    let code = sqlite3_step(handle)
    if code == SQLITE_DONE {
      sqlite3_reset(handle)
      return
    }
    do {
      var hasRow = code == SQLITE_ROW
      if !hasRow { hasRow = try stepReadingDefinitions(code) }
      while hasRow { hasRow = try step() }
    } catch {
      sqlite3_reset(handle)
      throw error
    }
    sqlite3_reset(handle)
  }

  /// What a failed step comes to when the file's definitions are read anew.
  @usableFromInline func stepReadingDefinitions(_ failure: Int32) throws(SQLiteError) -> Bool {
    switch row.stepReadingDefinitions(failure) {
    case .row: return true
    case .done: return false
    case .failed: throw stepError
    }
  }

  /// Back to before the first row; bound values stay. An error of the last step was reported by it.
  @inlinable package func reset() { sqlite3_reset(handle) }

  /// Forgets all bound values.
  package func clearBindings() { sqlite3_clear_bindings(handle) }

  package func columnName(at column: Int) -> String {
    sqlite3_column_name(handle, Int32(truncatingIfNeeded: column)).map { String(cString: $0) } ?? ""
  }

  /// Whether the statement changes nothing.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Whether it stands on a row or before its end.
  package var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  @usableFromInline func error(_ code: Int32) -> SQLiteError {
    let error = SQLiteError(code, of: handle)
    if !isReadOnly { logMender.statementFailed(sqlite3_db_handle(handle)) }
    return error
  }
}

extension SQLiteError {
  /// What went wrong in the last call for a statement.
  @usableFromInline init(_ code: Int32, of statement: OpaquePointer) {
    let connection = sqlite3_db_handle(statement)
    self.init(
      code, of: connection,
      sql: sqlite3_sql(statement).map { String(cString: $0) } ?? "",
      path: sqlite3_db_filename(connection, "main").map { String(cString: $0) })
  }
}
