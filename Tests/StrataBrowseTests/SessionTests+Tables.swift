import Foundation
import Strata
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataBrowse

/// The rows of other programs' databases.
extension SessionTests {
  @Test(
    "The row that is opened is the one that is shown, whatever its table calls its columns",
    arguments: [
      // A column has SQLite's name for the number of a row.
      "CREATE TABLE t (rowid, v); INSERT INTO t VALUES (5, 'a'), (5, 'b'), (2, 'c')",
      "CREATE TABLE t (RowID INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (5, 'a'), (7, 'b'), (2, 'c')",
      "CREATE TABLE t (rowid, _rowid_, v); INSERT INTO t VALUES (5, 5, 'a'), (5, 5, 'b'), (2, 2, 'c')",
      // Columns have all of its names.
      """
      CREATE TABLE t (rowid, oid, _rowid_, v); CREATE INDEX i ON t (v);
      INSERT INTO t VALUES (5, 5, 5, 'c'), (5, 5, 5, 'b'), (2, 2, 2, 'a')
      """,
      // There is none.
      """
      CREATE TABLE t (k PRIMARY KEY, v, place) WITHOUT ROWID; CREATE INDEX i ON t (v);
      INSERT INTO t VALUES (1, 'c', 7), (2, 'b', 8), (3, 'a', 9)
      """,
      """
      CREATE TABLE s (a, v, more); CREATE INDEX i ON s (v); CREATE VIEW t AS SELECT a, v FROM s;
      INSERT INTO s VALUES (1, 'c', 0), (2, 'b', 0), (3, 'a', 0)
      """,
      "CREATE VIEW t AS SELECT 'c' AS v UNION ALL SELECT 'b' UNION ALL SELECT 'a'",
    ])
  func rowsOfTables(script: String) throws {
    let path = folder.appendingPathComponent("other.db").path
    let writer = try Database(path: path)
    try writer.executeScript(script)
    writer.close()
    let content = try TablesContent(Database(path: path, mode: .readOnly))

    for sort in [[], [SortKey("v")], [SortKey("v", ascending: false)]] {
      let page = try content.page(RowQuery(model: "t", sort: sort), from: 0, count: 9)
      let rows = page["rows"]?.array ?? []
      #expect(rows.count == 3)
      for row in rows {
        let id = try #require(row["id"]?.string.flatMap { Int64($0) })
        let object = try content.describe("t", id)
        let last = try content.value("t", id, "v")["v"]
        let cells = object["fields"]?.array?.compactMap { $0["cell"] }
        #expect(cells == row["cells"]?.array)
        #expect(cells?.contains { $0["v"] == last } == true)
      }
    }
  }

  @Test("A view or virtual table that cannot be read is named, and the others are shown")
  func unreadableTables() throws {
    let path = folder.appendingPathComponent("other.db").path
    let writer = try Database(path: path)
    try writer.executeScript(
      """
      CREATE TABLE a (x); INSERT INTO a VALUES (1);
      CREATE TABLE g (u); INSERT INTO g VALUES (2);
      CREATE VIEW m AS SELECT u FROM g;
      CREATE TABLE z (y); INSERT INTO z VALUES (3);
      """)
    let content = try TablesContent(Database(path: path, mode: .readOnly))
    var options = BrowseSession.Options()
    options.readOnlyReason = "Read-only."
    let session = BrowseSession(content, options: options)
    func shown(_ content: TablesContent) throws -> [JSON?] {
      try content.refresh()
      return try content.models(within: nil).map { $0["name"] }
    }
    #expect(try shown(content) == ["a", "g", "m", "z"])
    #expect(try session.state(content)["readOnly"] == "Read-only.")

    try writer.set(.defensive, false)
    // The table behind the view goes while the page shows it, and SQLite gets to know a module that it lacks.
    try writer.executeScript(
      """
      DROP TABLE g;
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
      VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING nosuch(q)');
      """)
    writer.close()

    for content in [content, try TablesContent(Database(path: path, mode: .readOnly))] {
      #expect(try shown(content) == ["a", "z"])
      #expect(
        try session.state(content)["readOnly"]
          == "Read-only. 2 tables or views cannot be read here: m, v.")
      #expect(try content.firstModel() == "a")
      #expect(try content.page(RowQuery(model: "z"), from: 0, count: 9)["total"] == .int(1))
    }
  }

  @Test(
    "A number of a table is shown with all of its digits, as it is exported",
    arguments: [
      ("0.1 + 0.2", "0.30000000000000004"), ("9223372036854775807.0", "9.223372036854776e+18"),
      ("721692800.1234567", "721692800.1234567"), ("9e999", "Infinity"), ("2.5", "2.5"),
      ("9223372036854775807", "9223372036854775807"), ("'1.50'", "1.50"),
    ])
  func numbersOfTables(value: String, shown: String) throws {
    let path = folder.appendingPathComponent("other.db").path
    let writer = try Database(path: path)
    try writer.executeScript("CREATE TABLE t (n); INSERT INTO t VALUES (\(value))")
    writer.close()
    let content = try TablesContent(Database(path: path, mode: .readOnly))

    let row = try content.page(RowQuery(model: "t"), from: 0, count: 9)["rows"]?.array?.first
    let csv = try #require(try content.export(RowQuery(model: "t"), as: .csv)())

    #expect(row?["cells"]?.array?.first == .object(["v": .string(shown)]))
    #expect(try content.describe("t", 1)["fields"]?.array?.first?["cell"]?["v"] == .string(shown))
    #expect(try content.value("t", 1, "n")["v"] == .string(shown))
    #expect(String(decoding: csv, as: UTF8.self) == "n\r\n\(shown)\r\n")
  }

  @Test("Data of a table is exported as Base64")
  func dataOfTables() throws {
    let path = folder.appendingPathComponent("other.db").path
    let writer = try Database(path: path)
    try writer.executeScript("CREATE TABLE t (n); INSERT INTO t VALUES (x'0001fe')")
    writer.close()
    let content = try TablesContent(Database(path: path, mode: .readOnly))

    for (format, text): (ExportFormat, String) in [
      (.jsonLines, #"{"n":{"$data":"AAH+"}}"# + "\n"), (.csv, "n\r\nAAH+\r\n"),
    ] {
      let bytes = try #require(try content.export(RowQuery(model: "t"), as: format)())
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }

  @Test(
    "A value that is refused is told the form that is taken",
    arguments: [
      (ScalarType.date, "tomorrow", "2026-11-21T10:30:00Z"), (.uuid, "1", "6F9619FF-"),
      (.objectID, "1", "24 digits"), (.decimal, "much", "12.5"),
    ])
  func forms(type: ScalarType, typed: String, form: String) {
    let error = #expect(throws: BrowseError.self) {
      _ = try GivenValues.scalar(typed, as: type, "Note.value")
    }
    #expect(error.map { "\($0)".contains(form) } == true)
  }
}
