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
}
