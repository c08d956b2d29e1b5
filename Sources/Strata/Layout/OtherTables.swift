package import StrataSQLite

/// Tables and views of other programs that stand in a file beside those of its schema.
package struct OtherTables {
  /// Sorted.
  package let names: [String]
  private let views: Set<String>

  /// SQLite's own tables do not count, nor do those in which a virtual table keeps its content.
  package init(
    in database: Database, attachedAs name: String = "main", beside layout: TableLayout
  ) throws {
    // By their bytes: two spellings of an accent are two tables, and equal texts.
    let own = Set(layout.tableNames.map { Array($0.utf8) })
    var (names, views): ([String], Set<String>) = ([], [])
    for row in try database.rows(
      "SELECT name, type FROM pragma_table_list WHERE schema = ? AND type <> 'shadow'", .text(name))
    {
      guard let table = row[0].ifText, !table.hasPrefix("sqlite_"),
        !own.contains(Array(table.utf8))
      else { continue }
      names.append(table)
      if row[1].ifText == "view" { views.insert(table) }
    }
    self.names = names.sorted()
    self.views = views
  }

  /// Takes them out of the file that is `main`.
  func drop(from database: Database) throws {
    for name in names {
      do {
        try database.execute(
          "DROP \(views.contains(name) ? "VIEW" : "TABLE") main.\(SQL.identifier(name))")
      } catch let error as SQLiteError where error.primaryCode == .error {
        // A virtual table whose module this program has not; without that SQLite does not let go of it.
        continue
      }
    }
  }
}
