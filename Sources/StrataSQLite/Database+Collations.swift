import CSQLite

extension Database {
  /// The collation that a column of the main database's own tables is declared with, by which SQLite compares it where nothing else is said.
  ///
  /// - Returns: nil where there is no such column.
  package func collation(ofColumn column: String, in table: String) -> String? {
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      handle, "main", table, column, nil, &name, nil, nil, nil)
    guard code == SQLITE_OK, let name else { return nil }
    return String(cString: name)
  }
}
