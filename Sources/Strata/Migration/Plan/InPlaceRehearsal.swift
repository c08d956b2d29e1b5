import StrataSQLite

extension InPlaceChange {
  /// The names of all triggers on tables of the schema; those of other programs stay.
  func ownTriggers(in database: Database) throws -> [String] {
    let tables = Set(changes.flatMap(\.source.tableNames).map { Array($0.utf8) })
    return try database.rows("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger'")
      .compactMap { row in
        guard let table = row[1].ifText, tables.contains(Array(table.utf8)) else { return nil }
        return row[0].ifText
      }
  }

  /// Makes the indexes of the new version that the file should have had before, and has not.
  func makeMissingIndexes(in database: Database) throws {
    let found = Set(
      try database.rows("SELECT name FROM sqlite_schema WHERE type = 'index'")
        .compactMap { $0[0].ifText.map { Array($0.utf8) } })
    for index in TableLayout(target).models.flatMap(\.indexes)
    where !found.contains(Array(index.name.utf8)) {
      try database.execute(index.createStatement())
    }
  }

  /// Whether SQLite makes the change beside what other programs have in the file, tried in memory without any rows, and comes to the
  /// newer version's layout. A table of a new model's name is in its way, and a view that is broken is in that of each new name.
  func isPossible(besideOthersIn database: Database) throws -> Bool {
    let rehearsal = try Database(path: ":memory:")
    defer { rehearsal.close() }
    // Without rows nothing is run, and SQLite has read these definitions in the file.
    try rehearsal.set(.trustedSchema, true)
    let definitions = try database.rows(
      """
      SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL \
      ORDER BY type <> 'table', coalesce(rootpage, 0) <> 0, type <> 'index', type <> 'view', rowid
      """)
    for definition in definitions.compactMap({ $0[0].ifText }) {
      do {
        try rehearsal.execute(definition)
      } catch let error as SQLiteError where error.primaryCode == .error {
        // SQLite's own tables, those that a virtual one has made by now, and virtual ones whose module this program has not.
        continue
      }
    }
    do {
      for statement in statements(triggers: try ownTriggers(in: rehearsal)) {
        try rehearsal.execute(statement)
      }
      try makeMissingIndexes(in: rehearsal)
    } catch let error as SQLiteError where error.primaryCode == .error {
      return false
    }
    return try leadsToTarget(rehearsal)
  }

  /// Whether a database that was changed has the newer version's layout, beside what other programs keep in it.
  func leadsToTarget(_ database: Database) throws -> Bool {
    let expected = try DatabaseLayout(expectedOf: TableLayout(target))
    return try DatabaseLayout(of: database).differences(from: expected).allSatisfy(\.isOfOthers)
  }
}
