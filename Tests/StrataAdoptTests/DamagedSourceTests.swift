import Strata
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataAdopt
@testable import StrataCLI

/// What a source says twice, and not the same both times: its rows and its indexes, its tables and what they may hold.
@Suite("Damaged SQLite databases and stores")
struct DamagedSourceTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  private func make(_ statements: [String]) throws -> String {
    try scratch.makeDatabase(statements)
  }

  /// Statements that an index does not see, so that it has other rows than its table.
  private static func unseen(by index: String, _ statements: String...) -> [String] {
    [
      "CREATE TEMP TABLE kept AS SELECT * FROM main.sqlite_schema WHERE name = '\(index)'",
      "PRAGMA writable_schema = 1", "DELETE FROM main.sqlite_schema WHERE name = '\(index)'",
      "PRAGMA writable_schema = RESET",
    ] + statements + [
      "PRAGMA writable_schema = 1", "INSERT INTO main.sqlite_schema SELECT * FROM temp.kept",
      "PRAGMA writable_schema = RESET",
    ]
  }

  /// An index by an order that only its app knows: SQLite cannot check its table.
  private static func appsOwnIndex(on column: String, of table: String) -> [String] {
    [
      "CREATE INDEX own ON \(table)(\(column) COLLATE NOCASE)", "PRAGMA writable_schema = 1",
      "UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'APP') WHERE name = 'own'",
      "PRAGMA writable_schema = RESET",
    ]
  }

  private static let tables = [
    "CREATE TABLE a(name TEXT, p TEXT, q TEXT)", "CREATE INDEX i ON a(name)",
    "CREATE TABLE b(title TEXT)", "INSERT INTO b VALUES ('x'), ('y'), ('z')",
  ]
  private static let fewer =
    ["INSERT INTO a(name) VALUES ('one'), ('two')"]
    + unseen(by: "i", "INSERT INTO a(name) VALUES ('three'), ('four'), ('five')")
  private static let more =
    ["INSERT INTO a(name) VALUES ('one'), ('two'), ('three'), ('four'), ('five')"]
    + unseen(by: "i", "DELETE FROM a WHERE rowid > 2")
  private static let newIndexes =
    "Restore it from a backup, or make its indexes anew in a copy, 'sqlite3 OLD \".backup NEW\"' and 'sqlite3 NEW REINDEX', and adopt that"

  @Test(
    "A database whose index has other rows than its table is refused with what is wrong",
    arguments: [
      (fewer, "row 3 missing from index i"), (more, "wrong # of entries in index i"),
    ])
  func indexOfOtherRows(changes: [String], finding: String) throws {
    let path = try make(Self.tables + changes)

    let error = #expect(throws: AdoptError.self) { try SQLiteAdoption(path: path, name: "App") }

    #expect(error == AdoptError("'\(path)' is damaged: \(finding). \(Self.newIndexes)"))
  }

  @Test("With a history, too")
  func indexOfOtherRowsWithAHistory() throws {
    let path = try make(Self.tables + Self.fewer)
    let history = AdoptedHistory(source: .room, name: "App", versions: [], notes: [])
    let database = try Database(path: path, mode: .readOnly)
    defer { database.close() }

    let error = #expect(throws: AdoptError.self) {
      try SQLiteSource.recognised(path: path, database: database, in: history)
    }

    #expect(error?.description.contains("row 3 missing from index i") == true)
  }

  @Test("A store of Core Data whose index has other rows than its table is refused")
  func storeWithAnIndexOfOtherRows() throws {
    let store = try StoreFixture("CREATE INDEX ZTAG_Z_ENT_INDEX ON ZTAG(Z_ENT);")
    let database = try Database(path: store.path, mode: .readWrite)
    try database.set(.defensive, false)
    try database.set(.trustedSchema, true)
    for statement in Self.unseen(by: "ZTAG_Z_ENT_INDEX", "DELETE FROM ZTAG WHERE Z_PK = 1") {
      try database.execute(statement)
    }
    database.close()

    let error = #expect(throws: AdoptError.self) {
      try CoreDataAdoption(path: store.path, model: nil, name: nil)
    }

    #expect(
      error
        == AdoptError(
          "'\(store.path)' is damaged: wrong # of entries in index ZTAG_Z_ENT_INDEX. \(Self.newIndexes)"
        ))
  }

  @Test(
    "Where SQLite cannot check a table, its rows are read and counted without its indexes",
    arguments: [(fewer, 5), (more, 2)])
  func tablesThatCannotBeChecked(changes: [String], count: Int) throws {
    let path = try make(Self.tables + changes + Self.appsOwnIndex(on: "p", of: "a"))

    let (_, _, data) = try scratch.adoptDatabase(path)

    #expect(data.transfer.objects == ["a": count, "b": 3])
    #expect(data.transfer.values == 3 * count + 3)
    #expect(data.check?.parts == count + 3)
    let rows = try scratch.database().rows("SELECT _row FROM a UNION ALL SELECT _row FROM b")
    #expect(Set(rows.compactMap { $0[0].ifInteger }) == Set(1...Int64(count + 3)))
  }

  @Test(
    "So are those whose rows stand in the index of their key",
    arguments: [
      (
        ["INSERT INTO a(name) VALUES ('one'), ('two')"]
          + unseen(by: "i", "INSERT INTO a(name) VALUES ('three'), ('four'), ('five')"), 5
      ),
      (
        ["INSERT INTO a(name) VALUES ('one'), ('two'), ('three'), ('four'), ('five')"]
          + unseen(by: "i", "DELETE FROM a WHERE name NOT IN ('one', 'two')"), 2
      ),
    ])
  func tablesWithoutRowNumbersThatCannotBeChecked(changes: [String], count: Int) throws {
    let path = try make(
      [
        "CREATE TABLE a(p TEXT, name TEXT, q TEXT UNIQUE, PRIMARY KEY (name)) WITHOUT ROWID",
        "CREATE INDEX i ON a(q)",
      ] + changes + Self.appsOwnIndex(on: "p", of: "a"))

    let (_, _, data) = try scratch.adoptDatabase(path)

    #expect(data.transfer.objects == ["a": count])
    #expect(data.check?.parts == count)
  }

  enum Hidden: String, CaseIterable {
    case number = "5"
    case manyFindings = "many"
    case numberAndLetters = "2nd"
    case numberAndBlank = "5 "
    case hexadecimal = "0x1F"
    case sign = "-1"
    case blank = " 7"
  }

  @Test(
    "So are those of which SQLite cannot be asked alone, or has told a hundred values",
    arguments: Hidden.allCases, [true, false])
  func hiddenIndexes(kind: Hidden, isFewer: Bool) throws {
    let table = "\"\(kind.rawValue)\""
    let change =
      isFewer
      ? "INSERT INTO \(table)(name) VALUES ('x')"
      : "UPDATE \(table) SET name = 'y' WHERE rowid = 150"
    let path = try make(
      [
        "CREATE TABLE \(table)(name TEXT, n TEXT)", "CREATE INDEX i ON \(table)(name)",
        """
        INSERT INTO \(table)(name) \
        WITH numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 200) SELECT n FROM numbers
        """,
      ] + Self.unseen(by: "i", change)
        + Self.declared("name TEXT, n TEXT NOT NULL", as: kind.rawValue)
        + ["CREATE TABLE c(n TEXT)"] + Self.appsOwnIndex(on: "n", of: "c"))

    let error = #expect(throws: AdoptError.self) { try SQLiteAdoption(path: path, name: "App") }

    let finding =
      isFewer
      ? "wrong # of entries in index i: 200, and 201 in '\(kind.rawValue)'"
      : "a row of '\(kind.rawValue)' is missing from index i"
    #expect(error == AdoptError("'\(path)' is damaged: \(finding). \(Self.newIndexes)"))
  }

  @Test("An index in another order than its column's serves where its rows are looked up")
  func indexInAnotherOrder() throws {
    let path = try make([
      "CREATE TABLE \"5\"(v TEXT)", "CREATE INDEX ix ON \"5\"(v COLLATE NOCASE)",
      """
      INSERT INTO "5" WITH numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1000) \
      SELECT 'v' || n FROM numbers
      """,
    ])
    let database = try Database(path: path, mode: .readOnly)
    defer { database.close() }
    var tens = 0
    database.setProgressHandler(every: 10) {
      tens += 1
      return false
    }

    try IndexCheck("5", isWithoutRowid: false, database).run(path: path)

    #expect(tens < 10_000)
  }

  @Test("Rows that differ from such an index in what its order does not see are told")
  func rowsOfAnotherSpelling() throws {
    let path = try make(
      [
        "CREATE TABLE \"5\"(v TEXT)", "CREATE INDEX ix ON \"5\"(v COLLATE NOCASE)",
        "INSERT INTO \"5\" VALUES ('a'), ('b')",
      ] + Self.unseen(by: "ix", "UPDATE \"5\" SET v = 'A' WHERE v = 'a'")
        + ["CREATE TABLE c(n TEXT)"] + Self.appsOwnIndex(on: "n", of: "c"))

    let error = #expect(throws: AdoptError.self) { try SQLiteAdoption(path: path, name: "App") }

    #expect(error?.description.contains("a row of '5' is missing from index ix") == true)
  }

  @Test("Of a table that SQLite cannot check the key is, by which links are looked up")
  func damagedKeyOfATableThatCannotBeChecked() throws {
    let key = "sqlite_autoindex_t_1"
    let path = try make(
      [
        "CREATE TABLE t(id TEXT PRIMARY KEY, p TEXT)", "INSERT INTO t(id) VALUES ('a')",
        "CREATE TABLE c(r TEXT REFERENCES t(id))", "INSERT INTO c VALUES ('a'), ('b')",
        // Beside the rows that the key of another table has, t gets one that its own has not.
        "CREATE TABLE u(id TEXT PRIMARY KEY, p TEXT)", "INSERT INTO u(id) VALUES ('a'), ('b')",
        "PRAGMA writable_schema = 1",
        """
        UPDATE sqlite_schema SET rootpage = \
        (SELECT rootpage FROM sqlite_schema WHERE name = 'u') WHERE name = 't'
        """,
        "DELETE FROM sqlite_schema WHERE tbl_name = 'u'", "PRAGMA writable_schema = RESET",
      ] + Self.appsOwnIndex(on: "p", of: "t"))

    let error = #expect(throws: AdoptError.self) { try SQLiteAdoption(path: path, name: "App") }

    #expect(
      error?.description.contains("wrong # of entries in index \(key): 1, and 2 in 't'") == true,
      "\(String(describing: error))")
  }

  @Test("The other tables are checked then, each by itself")
  func tablesBesideOne() throws {
    let path = try make(
      Self.tables + ["CREATE TABLE c(n TEXT)"] + Self.appsOwnIndex(on: "n", of: "c") + Self.fewer)

    let error = #expect(throws: AdoptError.self) { try SQLiteAdoption(path: path, name: "App") }

    #expect(error?.description.contains("row 3 missing from index i") == true)
  }

  @Test("Pairs that an index lacks are in their list, or a line, as the others are")
  func pairs() throws {
    let path = try make(
      [
        "CREATE TABLE p(id INTEGER PRIMARY KEY)", "CREATE TABLE c(id INTEGER PRIMARY KEY)",
        "CREATE TABLE j(p INT NOT NULL REFERENCES p(id), c INT NOT NULL REFERENCES c(id))",
        "CREATE INDEX i ON j(p, c)", "INSERT INTO p VALUES (1)", "INSERT INTO c VALUES (1), (2)",
        "INSERT INTO j VALUES (1, 1)",
      ] + Self.unseen(by: "i", "INSERT INTO j VALUES (1, 2), (1, 99)")
        + Self.appsOwnIndex(on: "p", of: "j"))

    let (_, _, data) = try scratch.adoptDatabase(path)

    #expect(data.transfer.elements == 2)
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl")
        == #"{"$id":3,"$model":"p","property":"j","reason":"a pair of j leads to no row","value":[1,99]}"#
        + "\n")
  }

  @Test("Rows that break a uniqueness are the source's, and not those of a draft that is gone")
  func brokenUniqueness() throws {
    let unique = [
      "CREATE TABLE t(a TEXT, b TEXT)", "CREATE INDEX i ON t(a)",
      "INSERT INTO t(a) VALUES ('x'), ('x')", "PRAGMA writable_schema = 1",
      "UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX i ON t(a)' WHERE name = 'i'",
      "PRAGMA writable_schema = RESET",
    ]
    let path = try make(unique)
    let error = #expect(throws: AdoptError.self) { try SQLiteAdoption(path: path, name: "App") }
    #expect(
      error
        == AdoptError(
          "'\(path)' breaks what its own tables say (non-unique entry in index i). Change the rows in a copy, and adopt that"
        ))

    let other = try AdoptScratch()
    let unchecked = try other.makeDatabase(unique + Self.appsOwnIndex(on: "b", of: "t"))
    let adoption = try SQLiteAdoption(path: unchecked, name: "App")
    let late = #expect(throws: AdoptError.self) { try other.adopt(adoption) }
    #expect(
      late?.description.hasPrefix(
        "'\(unchecked)' breaks what its own tables say (SQLite: UNIQUE constraint failed: t.a). "
      ) == true, "\(String(describing: late))")
  }

  @Test("A CHECK that rows break, and one with an app's own function, keep nothing back")
  func checks() throws {
    let path = try make([
      "CREATE TABLE t(a INT CHECK (a > 0))", "PRAGMA ignore_check_constraints = 1",
      "INSERT INTO t VALUES (-1)", "CREATE TABLE u(a INT CHECK (abs(a) > 0))",
      "INSERT INTO u VALUES (1)", "PRAGMA writable_schema = 1",
      "UPDATE sqlite_schema SET sql = replace(sql, 'abs', 'ofTheApp')",
    ])
    #expect(try scratch.adoptDatabase(path).2.transfer.objects == ["t": 1, "u": 1])
  }

  // MARK: - NOT NULL

  /// As <https://www.sqlite.org/lang_altertable.html> says how.
  private static func declared(_ definition: String, as table: String) -> [String] {
    [
      "PRAGMA writable_schema = 1",
      "UPDATE sqlite_schema SET sql = 'CREATE TABLE \"\(table)\"(\(definition))' WHERE name = '\(table)'",
      "PRAGMA writable_schema = RESET",
    ]
  }

  @Test("A column that became NOT NULL when rows had no value in it is optional, which is told")
  func nullInRequiredColumns() throws {
    let path = try make(
      [
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INT, c INT)",
        "INSERT INTO t VALUES (1, 'x', 1, 1), (2, NULL, 2, 2), (3, NULL, NULL, 3)",
        "CREATE TABLE k(name TEXT, t INT)", "INSERT INTO k VALUES ('a', 1), (NULL, NULL)",
      ]
        + Self.declared(
          "id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INT NOT NULL, c INT NOT NULL", as: "t")
        + Self.declared("name TEXT NOT NULL, t INT NOT NULL REFERENCES t(id)", as: "k"))

    let (schema, reasons, data) = try scratch.adoptDatabase(path)

    #expect(
      ["a", "b", "c"].map { schema.spelling("t", $0) } == ["string?", "int?", "int"])
    #expect(schema.spelling("k", "t") == "t? deny")
    #expect(
      reasons.sorted() == [
        "k: it is optional: 1 row has no value, though it is NOT NULL",
        "k: it is optional: 1 row has no value, though it is NOT NULL",
        "t: it is optional: 1 row has no value, though it is NOT NULL",
        "t: it is optional: 2 rows have no value, though it is NOT NULL",
      ])
    #expect(data.transfer.leftOut == 0)
    #expect(
      try scratch.database().rows("SELECT a, b, c FROM t ORDER BY _row")
        == [["x", 1, 1], [.null, 2, 2], [.null, .null, 3]])
  }

  @Test("A key that became NOT NULL when rows had no value in it is a uniqueness")
  func nullInKeys() throws {
    let path = try make(
      [
        "CREATE TABLE t(a TEXT PRIMARY KEY, b INT)", "INSERT INTO t VALUES ('x', 1), (NULL, 2)",
      ] + Self.declared("a TEXT NOT NULL PRIMARY KEY, b INT", as: "t"))

    let (schema, reasons, _) = try scratch.adoptDatabase(path)

    #expect(schema.model(named: "t")?.primaryKey == [])
    #expect(schema.spelling("t", "a") == "string? unique")
    #expect(reasons.contains("t: its primary key a is a uniqueness: 1 row has no value in it"))
  }
}
