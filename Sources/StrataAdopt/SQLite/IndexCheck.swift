import StrataSQLite

/// Whether the indexes of a table have its rows, where SQLite's own check cannot be asked for that table alone, or tells too little.
///
/// Not looked at are indexes of a part of the rows, by an expression, or in an order that the app alone has.
struct IndexCheck {
  private let database: Database
  private let table: String
  /// What stands behind the table's name where its rows themselves are read.
  private let walk: String
  /// The columns that know a row; none where columns have all names of SQLite's own number.
  private let rowKey: [SQLiteKey.Term]

  init(_ table: String, isWithoutRowid: Bool, _ database: Database) throws {
    self.database = database
    self.table = table
    walk = try SQLiteCatalogue.Table.walk(of: table, isWithoutRowid: isWithoutRowid, database)
    let columns = Array(
      try database.rows("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk", .text(table)))
    let names = columns.compactMap { $0[0].ifText }
    if isWithoutRowid {
      let key = columns.filter { $0[1].ifInteger != 0 }.compactMap { $0[0].ifText }
      rowKey = try SQLiteKey(of: table, key, database).terms
    } else {
      rowKey = SQLiteCatalogue.Table.rowid(beside: names).map(SQLiteKey.number) ?? []
    }
  }

  /// - Parameter isOfKeyAlone: whether nothing but the index of the primary key is looked at.
  /// - Throws: `AdoptError` with the first index that has other rows than the table.
  func run(ofKeyAlone isOfKeyAlone: Bool = false, path: String) throws {
    let indexes = Array(
      try database.rows(
        """
        SELECT name FROM pragma_index_list(?) WHERE NOT partial \
        \(isOfKeyAlone ? "AND origin = 'pk' " : "")ORDER BY name
        """, .text(table)))
    for index in indexes.compactMap({ $0[0].ifText }) where !walk.hasSuffix(SQL.identifier(index)) {
      guard let columns = try columns(of: index) else { continue }
      let (rows, entries) = (try count(walk), try count("INDEXED BY \(SQL.identifier(index))"))
      guard rows == entries else {
        throw SourceDamage.error(
          path, "wrong # of entries in index \(index): \(entries), and \(rows) in '\(table)'",
          isOfIndex: true)
      }
      if try lacksRow(index, columns) {
        throw SourceDamage.error(
          path, "a row of '\(table)' is missing from index \(index)", isOfIndex: true)
      }
    }
  }

  private func count(_ walk: String) throws -> Int64 {
    try database.firstValue("SELECT count(1) FROM \(SQL.identifier(table)) \(walk)")?.ifInteger
      ?? 0
  }

  /// - Returns: nil for an index that is not looked at.
  private func columns(of index: String) throws -> [SQLiteKey.Term]? {
    let terms = Array(
      try database.rows(
        "SELECT name, upper(coll) FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno",
        .text(index)))
    let columns = terms.compactMap { term in
      term[0].ifText.map { SQLiteKey.Term(column: $0, collation: term[1].ifText) }
    }
    let isKnown = columns.allSatisfy { SQLiteKey.knownCollations.contains($0.collation ?? "") }
    return isKnown && columns.count == terms.count ? columns : nil
  }

  /// Whether a row is not among those that the index gives for its values.
  ///
  /// By the index's own collations, as it serves for no others; and by the bytes, since it may have a text that they do not tell apart.
  private func lacksRow(_ index: String, _ columns: [SQLiteKey.Term]) throws -> Bool {
    let exact = columns.filter { $0.collation != "BINARY" }.map {
      SQLiteKey.Term(column: $0.column, collation: "BINARY")
    }
    let matches = (columns + rowKey + exact).map {
      "\($0.cell(of: "x")) IS y.\(SQL.identifier($0.column))"
    }
    return try database.firstValue(
      """
      SELECT EXISTS (SELECT 1 FROM \(SQL.identifier(table)) AS y \(walk) WHERE NOT EXISTS \
      (SELECT 1 FROM \(SQL.identifier(table)) AS x INDEXED BY \(SQL.identifier(index)) \
      WHERE \(matches.joined(separator: " AND "))))
      """)?.ifInteger == 1
  }
}
