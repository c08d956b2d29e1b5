import Strata
import StrataSQLite

/// Holds a full-text index of a file against one that is built anew of the same texts.
///
/// SQLite's own check of FTS5 is a statement that writes, <https://www.sqlite.org/fts5.html#the_integrity_check_command>; this one
/// reads the file only. The other index is temporary.
struct FulltextCheck {
  private let database: Database
  private let definition: FulltextDefinition

  private static let fresh = "_strata_check_fulltext"
  private static let freshTerms = "_strata_check_fresh"
  private static let storedTerms = "_strata_check_stored"

  init(_ database: Database, _ definition: FulltextDefinition) {
    self.database = database
    self.definition = definition
  }

  /// - Parameter report: is told what the index is wrong in.
  func run(_ report: (String) -> Void) throws {
    try database.spillTemporaries()
    defer { removeTemporaries() }
    try buildAnew()
    try listTerms(of: Self.fresh, in: "temp", as: Self.freshTerms)
    try listTerms(of: definition.name, in: "main", as: Self.storedTerms)
    if let row = try firstDifference() {
      report(
        "the full-text index of \(definition.table).\(definition.column) does not agree with the text of \(definition.table) _row \(row)"
      )
    } else if try !hasRightTotals() {
      report(
        "the full-text index of \(definition.table).\(definition.column) has counted other texts than there are"
      )
    }
  }

  /// Whether the index knows how many texts and words there are. Where that is damaged, FTS5 refuses the next change of a text.
  ///
  /// The record is the number of rows and of words as two of SQLite's variable-length integers, `fts5_index.c`: "averages record".
  private func hasRightTotals() throws -> Bool {
    let count = try database.count(of: SQL.identifier(definition.table, in: "main"))
    var words: Int64 = 0
    let sizes = try database.prepare(
      "SELECT sz FROM \(SQL.identifier(Self.fresh + "_docsize", in: "temp"))")
    while try sizes.step() { words += Self.numbers(in: sizes.blob(at: 0)).first ?? 0 }
    let record = try database.rows(
      "SELECT block FROM \(SQL.identifier(definition.name + "_data", in: "main")) WHERE id = 1")
    guard case .blob(let bytes)? = record.first?.first else { return count == 0 }
    let stored = Self.numbers(in: bytes)
    return stored == [Int64(count), words] || (count == 0 && stored.allSatisfy { $0 == 0 })
  }

  /// Variable-length integers, <https://www.sqlite.org/fileformat.html#varint>, one after the other.
  private static func numbers(in bytes: [UInt8]) -> [Int64] {
    var numbers: [Int64] = []
    var (value, length): (UInt64, Int) = (0, 0)
    for byte in bytes {
      length += 1
      let isNinth = length == 9
      value = isNinth ? value << 8 | UInt64(byte) : value << 7 | UInt64(byte & 0x7F)
      if isNinth || byte & 0x80 == 0 {
        numbers.append(Int64(bitPattern: value))
        (value, length) = (0, 0)
      }
    }
    return numbers
  }

  private func buildAnew() throws {
    let index = SQL.identifier(Self.fresh, in: "temp")
    let text = SQL.identifier(definition.column)
    // Without content of its own: the terms are all that is asked for.
    try database.execute("CREATE VIRTUAL TABLE \(index) USING fts5(\(text), content='')")
    try database.execute(
      """
      INSERT INTO \(index) (rowid, \(text)) \
      SELECT _row, \(text) FROM \(SQL.identifier(definition.table, in: "main")) NOT INDEXED \
      WHERE \(text) IS NOT NULL
      """)
  }

  /// Each occurrence of each word is a row: <https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module>.
  private func listTerms(of index: String, in schema: String, as name: String) throws {
    try database.execute(
      "CREATE VIRTUAL TABLE \(SQL.identifier(name, in: "temp")) "
        + "USING fts5vocab(\(schema), \(SQL.literal(index)), 'instance')")
  }

  /// The object at the first word that only one of the two has. Both list words in the order of their bytes, then of their rows.
  private func firstDifference() throws -> Int64? {
    func occurrences(_ name: String) throws -> Statement {
      try database.prepare("SELECT term, doc, \"offset\" FROM \(SQL.identifier(name, in: "temp"))")
    }
    let (fresh, stored) = (try occurrences(Self.freshTerms), try occurrences(Self.storedTerms))
    while true {
      let (hasFresh, hasStored) = (try fresh.step(), try stored.step())
      guard hasFresh, hasStored else {
        return hasFresh ? fresh.integer(at: 1) : hasStored ? stored.integer(at: 1) : nil
      }
      guard (0..<3).allSatisfy({ fresh.value(at: $0) == stored.value(at: $0) }) else {
        return fresh.integer(at: 1)
      }
    }
  }

  private func removeTemporaries() {
    for name in [Self.storedTerms, Self.freshTerms, Self.fresh] {
      try? database.execute("DROP TABLE IF EXISTS \(SQL.identifier(name, in: "temp"))")
    }
  }
}
