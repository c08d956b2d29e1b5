package import StrataSQLite

/// The tables, indexes and triggers that a database has, in a form that can be compared.
///
/// *The same layout* means the same tables, columns (name, type, NOT NULL), keys, references, indexes and
/// triggers. Neither the order of columns nor the text of a DEFAULT nor the name of an index counts.
package struct DatabaseLayout: Hashable, Sendable {
  package struct Column: Hashable, Sendable {
    package var type: String
    package var isRequired: Bool
    /// The position in the primary key, from 1; 0 outside of it.
    package var keyPosition: Int64
    /// Whether SQLite computes it, or hides it.
    package var isComputed = false
  }

  package struct Table: Hashable, Sendable {
    package var isStrict: Bool
    package var isKeyed: Bool
    package var columns: [String: Column]
    /// `boss → Person._row ON DELETE SET NULL`.
    package var references: Set<String>
    package var deferredReferences: Int
    /// Clauses that change what the table takes or how it compares, as CHECK and COLLATE: none of ours has one.
    package var clauses: Set<String> = []
    /// What stands behind ON, and whether it is unique.
    package var indexes: Set<String>
    /// What stands behind the name.
    package var triggers: Set<String>
  }

  package var tables: [String: Table]
  /// Name → what stands behind it.
  package var virtualTables: [String: String]
  package var views: Set<String>

  /// Clauses of CREATE TABLE that the layout never uses.
  private static let foreignClauses: Set<String> = [
    "CHECK", "COLLATE", "GENERATED", "AS", "UNIQUE", "CONFLICT", "AUTOINCREMENT",
  ]

  /// Reads the layout of a database; its own tables of statistics and FTS5's shadow tables do not count.
  package init(of database: Database, in name: String? = nil) throws {
    tables = [:]
    virtualTables = [:]
    views = []
    let schemaTable = SQL.identifier("sqlite_schema", in: name)
    var sql: [String: String] = [:]
    for row in try database.rows(
      "SELECT name, sql FROM \(schemaTable) WHERE type = 'table' AND sql IS NOT NULL")
    {
      if let table = row[0].ifText { sql[table] = row[1].ifText }
    }
    for row in try database.rows(
      "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = ?", .text(name ?? "main")
    ) {
      guard let table = row[0].ifText, !table.hasPrefix("sqlite_"), let kind = row[1].ifText
      else { continue }
      if kind == "virtual" {
        virtualTables[table] = Self.definition(in: sql[table] ?? "", behind: table)
      } else if kind == "view" {
        views.insert(table)
      } else if kind == "table" {
        tables[table] = Table(
          isStrict: row[3].ifInteger == 1, isKeyed: row[2].ifInteger == 1,
          columns: try Self.columns(of: table, database, name),
          references: try Self.references(of: table, database, name),
          deferredReferences: Self.count("DEFERRABLE INITIALLY DEFERRED", in: sql[table] ?? ""),
          clauses: SQLWords(sql[table] ?? "").bare.intersection(Self.foreignClauses),
          indexes: [], triggers: [])
      }
    }
    for row in try database.rows(
      "SELECT type, name, tbl_name, sql FROM \(schemaTable) "
        + "WHERE type IN ('index', 'trigger') AND sql IS NOT NULL")
    {
      guard let kind = row[0].ifText, let object = row[1].ifText, let table = row[2].ifText,
        let text = row[3].ifText
      else { continue }
      let definition = Self.definition(in: text, behind: object)
      if kind == "index" {
        let isUnique = text.uppercased().hasPrefix("CREATE UNIQUE")
        tables[table]?.indexes.insert((isUnique ? "UNIQUE " : "") + definition)
      } else {
        tables[table]?.triggers.insert(definition)
      }
    }
  }

  /// The layout of a fresh file.
  package init(expectedOf layout: TableLayout) throws {
    let database = try Database(path: ":memory:")
    for statement in layout.statements() { try database.prepare(statement).run() }
    try self.init(of: database)
  }

  private static func columns(
    of table: String, _ database: Database, _ name: String?
  ) throws -> [String: Column] {
    var result: [String: Column] = [:]
    for row in try database.rows(
      "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?, ?)", .text(table),
      .text(name ?? "main"))
    {
      guard let column = row[0].ifText else { continue }
      result[column] = Column(
        type: row[1].ifText ?? "", isRequired: row[2].ifInteger == 1,
        keyPosition: row[3].ifInteger ?? 0, isComputed: row[4].ifInteger != 0)
    }
    return result
  }

  private static func references(
    of table: String, _ database: Database, _ name: String?
  ) throws -> Set<String> {
    let rows = try database.rows(
      "SELECT \"from\", \"table\", \"to\", on_delete, on_update FROM pragma_foreign_key_list(?, ?)",
      .text(table), .text(name ?? "main"))
    return Set(
      rows.map { row in
        let parts = row.map { $0.ifText ?? "" }
        return "\(parts[0]) → \(parts[1]).\(parts[2]) ON DELETE \(parts[3]) ON UPDATE \(parts[4])"
      })
  }

  /// The text behind an object's own name, which ALTER TABLE … RENAME leaves as it was.
  private static func definition(in sql: String, behind name: String) -> String {
    let text = Array(sql.utf8)
    for spelling in [SQL.identifier(name), name] {
      let word = Array(spelling.utf8)
      var start = 0
      while start + word.count <= text.count {
        if text[start..<start + word.count].elementsEqual(word) {
          let rest = text[(start + word.count)...].drop { $0 == UInt8(ascii: " ") }
          return String(decoding: rest, as: UTF8.self)
        }
        start += 1
      }
    }
    return sql
  }

  private static func count(_ word: String, in text: String) -> Int {
    let (word, text) = (Array(word.utf8), Array(text.utf8))
    guard text.count >= word.count else { return 0 }
    return (0...text.count - word.count).count { text[$0...].starts(with: word) }
  }
}
