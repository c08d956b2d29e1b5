import StrataSQLite

/// Indexes over links while many links are made, whose targets come in no order: each would write another page of its index, where an
/// index that is made at the end is sorted first.
///
/// Nothing may ask for the holders of those links meanwhile, and no object may go: SQLite looks for them then.
struct TakenOffIndexes {
  private let database: Database
  private var statements: [String] = []

  init(_ database: Database) { self.database = database }

  /// Takes an index off where at least half as many rows come as its table has.
  ///
  /// - Parameters:
  ///   - index: one that is not unique, as the layout has it.
  ///   - count: how many rows come.
  mutating func takeOff(_ index: IndexDefinition, before count: Int) throws {
    let rows = try database.firstValue(
      "SELECT count(*) FROM (SELECT 1 FROM main.\(SQL.identifier(index.table)) LIMIT ?)",
      .integer(Int64(2 * count) + 1))
    guard let rows = rows?.ifInteger, rows <= 2 * count else { return }
    let sql = try database.firstValue(
      "SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND name = ? AND tbl_name = ?",
      .text(index.name), .text(index.table))
    guard let sql = sql?.ifText else { return }
    try database.execute("DROP INDEX main.\(SQL.identifier(index.name))")
    statements.append(sql)
  }

  /// Makes them anew.
  mutating func putBack() throws {
    for sql in statements { try database.execute(sql) }
    statements = []
  }
}
