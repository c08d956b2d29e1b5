import StrataSQLite

/// The virtual tables of a database, and which tables are their own.
///
/// SQLite goes by names alone: where `mail` is a table of full-text search, it calls `mail_content` a shadow, also where that is an
/// ordinary table that `mail` only indexes.
struct ShadowTables {
  private let owners: [(name: String, module: String, content: String?)]

  init(_ database: Database, virtual names: [String]) throws {
    owners = try names.map { name in
      let sql = try database.firstValue(
        "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(name))
      let words = SQLWords(sql?.ifText ?? "")
      let module = words.index(of: "USING").map { words.word($0 + 1) } ?? ""
      let content = words.index(of: "CONTENT").flatMap { place in
        words.word(place + 1) == "=" ? words.word(place + 2) : nil
      }
      return (name.uppercased(), module, content)
    }
  }

  /// Whether a virtual table keeps its own data in a table that SQLite calls a shadow; false for an ordinary table.
  func areOwn(_ columns: [String], of table: String) -> Bool {
    let table = table.uppercased()
    let columns = columns.map { $0.lowercased() }
    return owners.contains { owner in
      guard table.hasPrefix(owner.name + "_"), owner.content != table else { return false }
      return Self.areColumns(
        columns, of: owner.module, String(table.dropFirst(owner.name.utf8.count + 1)))
    }
  }

  /// Whether a module of SQLite gives its table with such an ending these columns.
  private static func areColumns(
    _ columns: [String], of module: String, _ ending: String
  ) -> Bool {
    let family = module.hasPrefix("FTS5") ? "FTS5" : module.hasPrefix("FTS") ? "FTS" : "RTREE"
    let first = columns.first
    switch (family, ending) {
    case ("FTS5", "DATA"): return columns == ["id", "block"]
    case ("FTS5", "IDX"): return columns == ["segid", "term", "pgno"]
    case ("FTS5", "CONTENT"): return first == "id" && areCounted(columns.dropFirst())
    case ("FTS5", "DOCSIZE"):
      return columns == ["id", "sz"] || columns == ["id", "sz", "origin"]
    case ("FTS5", "CONFIG"): return columns == ["k", "v"]
    case ("FTS", "CONTENT"): return first == "docid" && areCounted(columns.dropFirst())
    case ("FTS", "SEGDIR"): return first == "level" && columns.count == 6
    case ("FTS", "SEGMENTS"): return columns == ["blockid", "block"]
    case ("FTS", "DOCSIZE"): return columns == ["docid", "size"]
    case ("FTS", "STAT"): return columns == ["id", "value"]
    case ("RTREE", "NODE"): return columns == ["nodeno", "data"]
    case ("RTREE", "ROWID"): return columns.starts(with: ["rowid", "nodeno"])
    case ("RTREE", "PARENT"): return columns == ["nodeno", "parentnode"]
    default: return false
    }
  }

  /// Columns of full-text search's own content: `c0`, `c1name`, `l0`, `langid`.
  private static func areCounted(_ columns: ArraySlice<String>) -> Bool {
    columns.allSatisfy { column in
      column == "langid"
        || (column.hasPrefix("c") || column.hasPrefix("l"))
          && column.dropFirst().first?.isNumber == true
    }
  }
}
