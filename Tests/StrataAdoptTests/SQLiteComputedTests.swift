import StrataSQLite
import StrataSchema
import Testing

@testable import StrataAdopt
@testable import StrataCLI

/// What SQLite computes: columns, and indexes over expressions and collations.
@Suite("Computed columns and indexes of SQLite databases")
struct SQLiteComputedTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  @Test("An index that lists a column twice has it once")
  func columnsListedTwice() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT NOT NULL, a INT NOT NULL, b INT NOT NULL, UNIQUE(a, b, a))",
      "CREATE INDEX byName ON t(name COLLATE NOCASE, name)", "INSERT INTO t VALUES (1, 'a', 2, 3)",
    ])
    let (schema, reasons, data) = try scratch.adoptDatabase(path)
    #expect(schema.model(named: "t")?.uniques == [["a", "b"]])
    #expect(schema.model(named: "t")?.property(named: "name")?.index == .ordinary)
    #expect(reasons == [])
    #expect(data.transfer.objects == ["t": 1])
  }

  @Test(
    "Computed columns and indexes that look into JSON are read, which SQLite 3.40 lets no file do")
  func computedOfJSON() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(id INTEGER PRIMARY KEY, d TEXT, title TEXT AS (d ->> '$.title'))",
      "CREATE INDEX byYear ON t(json_extract(d, '$.year'))",
      #"INSERT INTO t(d) VALUES ('{"title": "Emma", "year": 1815}')"#,
    ])
    let (schema, reasons, _) = try scratch.adoptDatabase(path)
    #expect(schema.spelling("t", "title") == "string?")
    #expect(reasons.contains("t: the index byYear: it is partial, or over an expression"))
    #expect(try scratch.database().rows("SELECT title FROM t") == [[.text("Emma")]])
  }

  @Test("Whole numbers of a computed column of affinity REAL that holds texts, too")
  func computedOfAffinityReal() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(id INTEGER PRIMARY KEY, raw, price REAL AS (raw))",
      "INSERT INTO t(raw) VALUES (5), ('on request')",
    ])
    let (schema, _, _) = try scratch.adoptDatabase(path)
    #expect(schema.spelling("t", "price") == "any?")
    #expect(
      try scratch.database().rows("SELECT price FROM t ORDER BY _row") == [
        [.real(5)], [.text("on request")],
      ])
  }
}
