import CFaultVFS
import StrataSQLite
import Testing

/// Functions with which triggers tell what a statement does.
@Suite struct RecorderTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// Rows on some fifty pages, each with a trigger that calls `noted`, and what is opened while one statement changes all.
  private func filesOpened(
    whileChanging rows: Int, _ addNoted: (Database) throws -> Void
  ) throws -> Int {
    let vfs = FaultVFS()
    let database = try Database(path: bench.path("a.db"), vfs: vfs.name)
    try database.setPragma("journal_mode", "WAL")
    try database.execute("CREATE TABLE item (number INTEGER PRIMARY KEY, text TEXT)")
    try database.execute(
      """
      WITH RECURSIVE i(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM i WHERE x < \(rows)) \
      INSERT INTO item SELECT x, '\(String(repeating: "text ", count: 20))' FROM i
      """)
    try addNoted(database)
    try database.execute(
      "CREATE TEMP TRIGGER note AFTER UPDATE ON main.item BEGIN SELECT noted(OLD.number, NEW.text); END"
    )
    try database.execute("BEGIN")
    fault_vfs_arm(vfs.vfs, 0, Int32(FAULT_OPEN), 0, 0)
    try database.execute("UPDATE item SET text = 'new'")
    let opened = vfs.count
    try database.execute("COMMIT")
    return opened
  }

  @Test func aRecorderSeesEachRowAndNeedsNoCopyOfThePages() throws {
    var noted: [[SQLiteValue]] = []

    let opened = try filesOpened(whileChanging: 2000) { database in
      try database.addRecorder("noted", argumentCount: 2) { call in
        noted.append([call[0].sqliteValue, call[1].sqliteValue])
      }
    }

    #expect(opened == 0)
    #expect(noted.count == 2000)
    #expect(noted.first == [.integer(1), .text("new")])
    #expect(noted.last == [.integer(2000), .text("new")])
  }

  /// What makes the difference: SQLite copies the pages where the function is a scalar one.
  @Test func aScalarFunctionNeedsThem() throws {
    let opened = try filesOpened(whileChanging: 2000) { database in
      try database.addFunction("noted", argumentCount: 2, traits: []) { _ in }
    }

    #expect(opened == 1)
  }
}
