/// Inserts rows into one table, several with one statement: half of the cost of a row is starting and ending one.
///
/// Nothing of its connection but the statement is touched, so that a thread of its own may run it.
package final class RowInserter {
  /// SQLite's own bound on parameters is 32,766.
  private static let maximumParameters = 30_000

  package let width: Int
  package let rowsAtOnce: Int
  /// Its last parameter is how many of its rows count, so that the last statement may be partly filled.
  private let statement: Statement

  /// - Parameters:
  ///   - table: quoted, with its database.
  ///   - rowsAtOnce: of one statement, where SQLite takes so many.
  package init(_ database: Database, table: String, columns: [String], rowsAtOnce: Int)
    throws(SQLiteError)
  {
    width = columns.count
    self.rowsAtOnce = max(1, min(rowsAtOnce, Self.maximumParameters / max(1, width)))
    let row = "(\(SQL.placeholders(width)))"
    let rows = (0..<self.rowsAtOnce).map { _ in row }.joined(separator: ", ")
    statement = try database.prepare(
      "INSERT INTO \(table) (\(SQL.identifiers(columns))) SELECT * FROM (VALUES \(rows)) LIMIT ?")
  }

  /// Inserts the batch's first rows.
  package func insert(_ batch: RowBatch, rows: Int) throws(SQLiteError) {
    var first = 0
    while first < rows {
      let count = min(rowsAtOnce, rows - first)
      try batch.bind(first * width..<(first + count) * width, to: statement)
      // Those of the statement before may stand where nothing is any more.
      for parameter in count * width..<rowsAtOnce * width {
        try statement.bindNull(at: parameter + 1)
      }
      try statement.bind(Int64(count), at: rowsAtOnce * width + 1)
      try statement.run()
      first += count
    }
  }
}
