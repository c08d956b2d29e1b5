import StrataSchema
import Testing

@testable import StrataAdopt

/// What a table says and a model cannot is told, a sentence each.
@Suite("What is reported of SQLite's tables")
struct SQLiteReportTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  private func reasons(_ statements: String...) throws -> [String] {
    try scratch.adoptDatabase(try scratch.makeDatabase(statements)).reasons
  }

  @Test(
    "Words of a table",
    arguments: [
      (
        "id INTEGER PRIMARY KEY AUTOINCREMENT, n INT",
        ["its numbers are no longer given out by the database (AUTOINCREMENT)"]
      ),
      (
        "id INTEGER PRIMARY KEY, n INT UNIQUE ON CONFLICT REPLACE",
        ["its ON CONFLICT: what breaks a rule is an error"]
      ),
      (
        "id INTEGER, n INT NOT NULL, PRIMARY KEY (n, id DESC)",
        ["its primary key is ascending"]
      ),
      // Names are no words.
      (
        "id INTEGER PRIMARY KEY, \"autoincrement\" INT, \"on\" INT CHECK (1)",
        ["its CHECK"]
      ),
      ("id INTEGER PRIMARY KEY, n INT DEFAULT 5 -- ON CONFLICT, AUTOINCREMENT\n", []),
    ])
  func words(columns: String, expected: [String]) throws {
    #expect(try reasons("CREATE TABLE t(\(columns))") == expected.map { "t: \($0)" })
  }

  @Test(
    "Whole numbers of a column of doubles are told",
    arguments: [
      ("NUMERIC", "1, 2.5", 1), ("FLOATING POINT", "1, 2", 1), ("REAL", "1, 2.5", 0),
      ("NUMERIC", "1.5, 2.5", 0),
    ])
  func wholeNumbersBesideFractions(declared: String, values: String, count: Int) throws {
    let rows = values.split(separator: ",").map { "(\($0))" }.joined(separator: ", ")
    #expect(
      try reasons("CREATE TABLE t(n \(declared))", "INSERT INTO t VALUES \(rows)")
        == Array(repeating: "t: its whole numbers are doubles", count: count))
  }

  @Test("A version below 0 is 0")
  func versionBelowZero() throws {
    #expect(
      try reasons("CREATE TABLE t(id INTEGER PRIMARY KEY)", "PRAGMA user_version = -7")
        == [": its user_version is -7, and no version is below 0: it is 0"])
  }

  @Test("The collation of an index is told where it is not that of its column")
  func collationsOfIndexes() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(a TEXT, b TEXT, c TEXT)",
      "CREATE UNIQUE INDEX u ON t(a COLLATE NOCASE)", "CREATE INDEX i ON t(b, c COLLATE RTRIM)",
      "CREATE INDEX same ON t(c COLLATE BINARY)", "CREATE INDEX both ON t(b COLLATE NOCASE, b)",
      "CREATE TABLE o(a TEXT COLLATE NOCASE)", "CREATE INDEX own ON o(a)",
    ])

    let (schema, reasons, _) = try scratch.adoptDatabase(path)

    #expect(schema.spelling("t", "a") == "string? unique")
    #expect(
      reasons.sorted() == [
        "o: its COLLATE", "t: the COLLATE NOCASE of the index u",
        "t: the COLLATE RTRIM of the index i",
      ])
  }

  @Test("NOT NULL of a column that becomes any is told", arguments: ["", "(1), ('x')"])
  func requiredAny(values: String) throws {
    let path = try scratch.makeDatabase(
      ["CREATE TABLE t(n NUMERIC NOT NULL)"]
        + (values.isEmpty ? [] : ["INSERT INTO t VALUES \(values)"]))

    let (schema, reasons, _) = try scratch.adoptDatabase(path)

    #expect(schema.spelling("t", "n") == "any?")
    #expect(reasons.contains("t: its NOT NULL: any is always optional"))
  }
}
