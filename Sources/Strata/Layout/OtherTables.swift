package import StrataSQLite

/// Tables and views of other programs that stand in a file beside those of its schema.
package struct OtherTables {
  private let tables: [(name: String, isView: Bool)]

  /// Sorted.
  package var names: [String] { tables.map(\.name) }

  /// SQLite's own tables do not count, nor do those in which a virtual table keeps its content.
  package init(
    in database: Database, attachedAs name: String = "main", beside layout: TableLayout
  ) throws {
    // By their bytes: two spellings of an accent are two tables, and equal texts.
    let own = Set(layout.tableNames.map { Array($0.utf8) })
    var tables: [(name: String, isView: Bool)] = []
    for row in try database.rows(
      "SELECT name, type FROM pragma_table_list WHERE schema = ? AND type <> 'shadow'", .text(name))
    {
      guard let table = row[0].ifText, !table.hasPrefix("sqlite_"),
        !own.contains(Array(table.utf8))
      else { continue }
      tables.append((table, row[1].ifText == "view"))
    }
    self.tables = tables.sorted { $0.name < $1.name }
  }

  /// Takes them out of the file that is `main`.
  func drop(from database: Database) throws {
    for (name, isView) in tables {
      do {
        try database.execute(
          "DROP \(isView ? "VIEW" : "TABLE") main.\(SQL.identifier(name))")
      } catch let error as SQLiteError where error.primaryCode == .error {
        // A virtual table whose module this program has not; without that SQLite does not let go of it.
        continue
      }
    }
  }
}
