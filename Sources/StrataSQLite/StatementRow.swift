public import CSQLite

/// The row on which a statement stands, without holding the statement: for loops in which counting references would
/// cost more than reading. A row that is kept keeps the statement, too.
///
/// Public where everything else is `package`: the compiler inlines only public code into other modules.
@frozen public struct StatementRow {
  @usableFromInline let handle: OpaquePointer

  @inlinable init(_ handle: OpaquePointer) { self.handle = handle }

  /// What a step came to.
  @frozen public enum Step {
    case row
    case done
    /// `Statement.stepError` says why.
    case failed
  }

  /// Goes to the next row.
  @inlinable public func step() -> Step {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return .row }
    if code == SQLITE_DONE { return .done }
    return stepReadingDefinitions(code)
  }

  /// Steps once more where another program has changed the file's definitions, and SQLite reads them for this statement anew: see
  /// `Database.readingDefinitions`. Nothing was done before.
  @usableFromInline func stepReadingDefinitions(_ failure: Int32) -> Step {
    forgetDamagedPage(failure)
    guard SQLiteError(failure, of: handle).isOfUnreadDefinition else { return .failed }
    sqlite3_reset(handle)
    strata_sqlite3_db_config_switch(
      sqlite3_db_handle(handle), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return .row
    case SQLITE_DONE: return .done
    default:
      forgetDamagedPage(code)
      return .failed
    }
  }

  /// A page whose cells do not stand on it passes for a sound one from the second look on, as long as it is in memory (`btreeInitPage`).
  private func forgetDamagedPage(_ failure: Int32) {
    guard SQLiteError.PrimaryCode(rawValue: failure & 0xFF) == .corrupt else { return }
    sqlite3_db_release_memory(sqlite3_db_handle(handle))
  }

  @inlinable public func integer(at column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  /// Valid until the statement moves.
  @inlinable public func cell(at column: Int32) -> SQLiteCell {
    SQLiteCell(sqlite3_column_value(handle, column))
  }
}

extension Statement {
  /// Whether the newest step of the statement's row failed.
  package var stepFailed: Bool {
    let code = sqlite3_errcode(sqlite3_db_handle(handle)) & 0xFF
    return code != SQLITE_DONE && code != SQLITE_OK && code != SQLITE_ROW
  }

  /// Why it did.
  package var stepError: SQLiteError { error(sqlite3_extended_errcode(sqlite3_db_handle(handle))) }

  package var row: StatementRow { StatementRow(handle) }
}
