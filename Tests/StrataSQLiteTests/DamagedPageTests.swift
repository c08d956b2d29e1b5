import Foundation
import Testing

@testable import StrataSQLite

/// A page on which a pointer leads out of the page: what stands behind it in memory is no row, however often the page is asked for.
@Suite struct DamagedPageTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    "SELECT * FROM t", "SELECT * FROM t WHERE n > 50", "SELECT * FROM t WHERE n = 7",
  ])
  func itIsRefusedEachTime(query: String) throws {
    let path = folder.file("a.db")
    let made = try Database(path: path, mode: .create)
    for statement in [
      "CREATE TABLE t(n INTEGER PRIMARY KEY, text TEXT)",
      "WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 90) INSERT INTO t SELECT x, 'row ' || x FROM i",
    ] { try made.execute(statement) }
    let root = try #require(
      try made.firstValue("SELECT rootpage FROM sqlite_schema")?.ifInteger.map(Int.init))
    let size = try #require(try made.pragma("page_size").ifInteger.map(Int.init))
    made.close()
    // The pointer to row 50, <https://www.sqlite.org/fileformat2.html#b_tree_pages>.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64((root - 1) * size + 8 + 2 * 49))
    try file.write(contentsOf: Data([0xFF, 0xFF]))
    try file.close()

    let database = try Database(path: path, mode: .readOnly)
    defer { database.close() }
    for _ in 0..<3 {
      let error = #expect(throws: SQLiteError.self) { _ = Array(try database.rows(query)) }
      #expect(error?.primaryCode == .corrupt)
    }
  }
}
