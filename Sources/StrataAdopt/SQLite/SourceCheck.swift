import StrataSQLite

/// What SQLite itself finds wrong with a file of another program, before anything of it is believed: pages that contradict each other,
/// and indexes that have other rows than their tables. A reading by such an index finds fewer rows than there are, or more.
enum SourceCheck {
  /// - Throws: `AdoptError` with the first thing that is wrong.
  static func run(_ database: Database, path: String) throws {
    // A CHECK is not kept, and may call what its app alone has.
    try database.setPragma("ignore_check_constraints", true)
    defer { _ = try? database.setPragma("ignore_check_constraints", false) }
    do {
      try IntegrityFinding.checkWhole(database) { try judge($0, path: path) }
    } catch let error as SQLiteError where error.primaryCode == .error {
      // An index by a collation or a function that its app alone has: SQLite checks none of the tables then.
      try lookAtEach(database, path: path)
    }
  }

  private static func lookAtEach(_ database: Database, path: String) throws {
    let tables = Array(
      try database.rows(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') ORDER BY name"
      )
    )
    for table in tables {
      guard let name = table[0].ifText else { continue }
      func check(_ name: String) throws -> IndexCheck {
        try IndexCheck(name, isWithoutRowid: table[1].ifInteger == 1, database)
      }
      do {
        let isNumber = IntegrityFinding.beginsAsNumber(name)
        let found =
          isNumber
          ? 0
          : try IntegrityFinding.check(database, SQL.identifier(name)) {
            try judge($0, path: path)
          }
        // Of one table SQLite tells no more than so many: what else is wrong may stand behind them.
        if isNumber || found >= IntegrityFinding.limits[0] {
          try check(name).run(path: path)
        }
      } catch let error as SQLiteError where error.primaryCode == .error {
        // This is the table. Its rows are counted as they are read; those that links lead to are looked up by its key.
        try check(name).run(ofKeyAlone: true, path: path)
      }
    }
  }

  /// Values are read for what they are, and of a virtual table nothing but its rows is.
  private static func judge(_ finding: String, path: String) throws {
    if IntegrityFinding.isOfValues(finding) || IntegrityFinding.isOfSearch(finding) { return }
    if finding.hasPrefix("non-unique ") { throw SourceDamage.contradiction(path, finding) }
    // What is wrong with pages is told before.
    throw SourceDamage.error(path, finding, isOfIndex: isOfIndex(finding))
  }

  /// Whether an index has other rows than its table: a name may have any words in it, so that the words before it count.
  private static func isOfIndex(_ finding: String) -> Bool {
    finding.hasPrefix("wrong # of entries in index ")
      || finding.hasPrefix("rowid not at end-of-record for row ")
      || finding.hasPrefix("row ")
        && [" missing from index ", " values differ from index "].contains(where: finding.contains)
  }
}
