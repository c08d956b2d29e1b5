import StrataSQLite

/// The primary key of a table as SQLite compares it. A key may say another collation than its column, `PRIMARY KEY (id COLLATE BINARY)`:
/// by the column's, rows would be taken for others that only the key tells apart, and their index would not serve.
struct SQLiteKey {
  /// What SQLite has; a program may have others of its own.
  static let knownCollations: Set<String> = ["BINARY", "NOCASE", "RTRIM"]

  /// A column of the key, which may stand there twice, by two collations.
  struct Term {
    let column: String
    /// In capitals; nil where numbers are compared, as SQLite's own of a row.
    let collation: String?

    /// The column's value, compared as the key compares it.
    ///
    /// - Parameter row: what the row is called.
    func cell(of row: String? = nil) -> String {
      let name = (row.map { "\($0)." } ?? "") + SQL.identifier(column)
      return collation.map { "\(name) COLLATE \($0)" } ?? name
    }
  }

  let terms: [Term]
  /// Of a key of one column, the column's own collation where it is another one. What compares with the column does not go by the key.
  let columnsCollation: String?
  /// Whether the column has a unique index of its own collation then, by which a foreign key finds rows,
  /// <https://www.sqlite.org/foreignkeys.html#fk_indexes>. Where the app alone has the collation, nothing else finds them so.
  let isColumnUnique: Bool
  /// Whether a part of it says DESC.
  let isDescending: Bool

  /// - Parameter columns: those of the key, in its order.
  init(of table: String, _ columns: [String], _ database: Database) throws {
    let own = columns.map {
      database.collation(ofColumn: $0, in: table)?.uppercased() ?? "BINARY"
    }
    let rows = Array(
      try database.rows(
        """
        SELECT x.name, upper(x.coll), x."desc" FROM pragma_index_list(?1) AS i, \
        pragma_index_xinfo(i.name) AS x WHERE i.origin = 'pk' AND x.key ORDER BY x.seqno
        """, .text(table)))
    let terms = rows.compactMap { row in
      row[0].ifText.map { Term(column: $0, collation: row[1].ifText) }
    }
    isDescending = rows.contains { $0[2].ifInteger == 1 }
    // Of a number that names the row itself SQLite keeps no index.
    if terms.isEmpty {
      self.terms = zip(columns, own).map { Term(column: $0, collation: $1) }
    } else {
      self.terms = terms
    }
    // By a column that stands in the key twice, by two collations, no foreign key leads either.
    columnsCollation =
      own.count == 1 && terms.contains { $0.collation != own[0] } ? own[0] : nil
    isColumnUnique =
      if let columnsCollation, Self.knownCollations.contains(columnsCollation) {
        try Self.uniqueColumns(of: table, database).contains {
          $0.column == columns[0] && $0.collation == columnsCollation
        }
      } else {
        false
      }
  }

  /// The columns that an index has alone in which no value is twice, in all rows.
  private static func uniqueColumns(of table: String, _ database: Database) throws -> [Term] {
    try database.rows(
      """
      SELECT x.name, upper(x.coll) FROM pragma_index_list(?1) AS i, \
      pragma_index_xinfo(i.name) AS x WHERE i."unique" AND NOT i.partial AND x.key \
      GROUP BY i.name HAVING count(*) = 1
      """, .text(table)
    ).compactMap { row in row[0].ifText.map { Term(column: $0, collation: row[1].ifText) } }
  }

  /// Of rows that a number of SQLite's own knows.
  static func number(_ name: String) -> [Term] { [Term(column: name, collation: nil)] }

  /// The first collation that SQLite does not have.
  var unknownCollation: String? {
    terms.compactMap(\.collation).first { !Self.knownCollations.contains($0) }
  }
}
