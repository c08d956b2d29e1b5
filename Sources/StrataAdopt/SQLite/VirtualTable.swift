import StrataSQLite
import StrataSchema

/// A virtual table of a database, as those of full-text search: how many rows it has, and whether they are in another table, too.
struct VirtualTable {
  let name: String
  /// As SQLite tells them; empty where it cannot open the table here.
  private(set) var columns: [String] = []
  /// nil where it cannot be read here.
  private(set) var count: Int?
  /// Why it cannot be read, as an app's own module or tokenizer, or damage.
  private(set) var problem: String?
  /// Whether its rows are of its own.
  private let keepsRows: Bool

  init(_ name: String, _ database: Database) throws {
    self.name = name
    let sql = try database.firstValue(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(name))
    let words = SQLWords(sql?.ifText ?? "")
    let module = words.index(of: "USING").map { words.word($0 + 1) } ?? ""
    // The content of a search is another table, or nothing; those that tell of a search have its words.
    let hasContent = words.texts.indices.contains {
      words.word($0) == "CONTENT" && words.word($0 + 1) == "="
    }
    let tellsOfSearch = ["FTS5VOCAB", "FTS4AUX", "FTS3TOKENIZE"].contains(module)
    keepsRows = !(module.hasPrefix("FTS") && hasContent || tellsOfSearch)
    do {
      columns = try database.rows(
        "SELECT name FROM pragma_table_xinfo(?) ORDER BY cid", .text(name)
      ).compactMap { $0[0].ifText }
      count = Int(
        try database.firstValue("SELECT count(*) FROM \(SQL.identifier(name))")?.ifInteger ?? 0)
    } catch let error as SQLiteError where error.primaryCode != .interrupted {
      problem = error.message
    }
  }

  /// What is said of it where it is left out.
  var reason: String {
    let what = "it is a virtual table, as those of full-text search"
    if let problem { return "\(what), and cannot be read here: \(problem)" }
    guard keepsRows, let count, count > 0 else { return what }
    return "\(what); \(count == 1 ? "its row is" : "its \(count) rows are") in no other table"
  }

  /// It as the table that a version declares, or why it cannot be that one.
  func table(_ source: SourceTable) -> (table: SQLiteCatalogue.Table?, problem: String?) {
    let own = Set(columns.map { $0.lowercased() })
    let numbers = SQLiteCatalogue.Table.namesOfRowid.filter { !own.contains($0) }
    guard problem == nil, let count, let rowKey = numbers.first else {
      return (nil, "it cannot be read here: \(problem ?? "its rows have no numbers")")
    }
    let missing = source.columns.first { !own.union(numbers).contains($0.name.lowercased()) }
    if let missing { return (nil, "it has no column '\(missing.name)'") }
    return (
      SQLiteCatalogue.Table(source: source, rowKey: SQLiteKey.number(rowKey), count: count), nil
    )
  }
}
