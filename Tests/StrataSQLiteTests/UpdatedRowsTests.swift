import Testing

@testable import StrataSQLite

/// Which rows a statement updates, without collecting them.
@Suite struct UpdatedRowsTests {
  let database: Database

  init() throws {
    database = try Database(path: ":memory:")
    try database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
    try database.execute("CREATE TABLE tt(id INTEGER PRIMARY KEY, a)")
    try database.execute("CREATE INDEX i ON t(a DESC)")
    try database.execute(
      "CREATE TRIGGER c AFTER UPDATE OF b ON t BEGIN UPDATE tt SET a = NEW.b; END")
    try database.execute("INSERT INTO tt VALUES (1, 0)")
    try database.execute(
      "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
        + "INSERT INTO t SELECT i, i * 7 % 1000, 0 FROM n")
  }

  private func updated(_ sql: String) throws -> [ClosedRange<Int64>] {
    try database.collectingUpdates(of: "t") { try database.execute(sql) }.rows.runs
  }

  @Test(
    arguments: [
      ("UPDATE t SET b = 1", [1...1000]),
      ("UPDATE t SET b = 1 WHERE id IN (3, 4, 9)", [3...4, 9...9]),
      ("UPDATE t SET b = 1 WHERE id > 1000", []), ("UPDATE tt SET a = 1", []),
      ("UPDATE t SET b = 1 WHERE a >= 0 AND a < 1000", [1...1000]),
      ("UPDATE t SET b = 1 WHERE a IN (7, 14, 28)", [1...2, 4...4]),
      ("DELETE FROM t", []), ("INSERT INTO t VALUES (2000, 0, 0)", []),
    ] as [(String, [ClosedRange<Int64>])])
  func rowsAreToldInRunsThatAscend(sql: String, runs: [ClosedRange<Int64>]) throws {
    #expect(try updated(sql) == runs)
  }

  @Test func behindTheLastRowComesTheFirst() throws {
    try database.execute(
      "INSERT INTO t VALUES (?, -1, 0), (?, -2, 0)", .integer(.max), .integer(.min))

    #expect(try updated("UPDATE t SET b = 1 WHERE a < 0") == [.min ... .min, .max ... .max])
  }

  @Test func afterItNothingIsNoted() throws {
    let rows = try database.collectingUpdates(of: "t") {
      try database.execute("UPDATE t SET b = 1 WHERE id = 1")
    }.rows
    try database.execute("UPDATE t SET b = 2")

    #expect(rows.runs == [1...1] && !rows.isEverything)
  }

  /// Memory is for so many runs; what is more counts as everything.
  @Test func moreRunsThanAreKeptCountAsEverything() throws {
    try database.execute(
      "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(UpdatedRows.maximumRuns + 10)) "
        + "INSERT OR REPLACE INTO t SELECT 2 * i, 0, 0 FROM n")
    let rows = try database.collectingUpdates(of: "t") {
      try database.execute("UPDATE t SET b = 1 WHERE id % 2 = 0")
    }.rows

    #expect(rows.isEverything && rows.runs.isEmpty)
  }
}
