import Strata
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataAdopt
@testable import StrataCLI

/// Keys and indexes that compare in another order than their columns, and orders that their app alone has.
@Suite("Collations of SQLite databases")
struct SQLiteCollationTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  private static let rows = 1_000
  /// Rows with different texts, into the columns that a table begins with.
  private static func fill(_ table: String, with columns: String) -> String {
    """
    INSERT INTO \(table) WITH numbers(n) AS \
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT \(rows)) SELECT \(columns) FROM numbers
    """
  }

  /// Instructions of SQLite in tens, from which a square of the rows can be told.
  private static func steps(_ database: Database, _ body: () throws -> Void) rethrows -> Int {
    var count = 0
    database.setProgressHandler(every: 10) {
      count += 1
      return false
    }
    defer { database.setProgressHandler(every: 0, nil) }
    try body()
    return count
  }

  // MARK: - Keys that compare in another way than their columns

  @Test(
    "Rows of a table without row numbers are told apart by the collation of its key",
    arguments: [
      "id TEXT COLLATE NOCASE, v TEXT, PRIMARY KEY (id COLLATE BINARY)",
      "id TEXT COLLATE RTRIM, v TEXT, PRIMARY KEY (id COLLATE NOCASE)",
      "id TEXT, v TEXT, PRIMARY KEY (id COLLATE NOCASE)",
      "id TEXT COLLATE NOCASE, v TEXT, PRIMARY KEY (id COLLATE BINARY, id)",
    ])
  func keysOfAnotherCollation(columns: String) throws {
    let isBinary = columns.contains("BINARY")
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(\(columns)) WITHOUT ROWID",
      "INSERT INTO t VALUES ('b', '1'), ('a', '2')",
      isBinary
        ? "INSERT INTO t VALUES ('A', '3'), ('B', '4')"
        : "INSERT INTO t VALUES ('a ', '3'), ('b ', '4')",
    ])

    let (_, _, data) = try scratch.adoptDatabase(path)

    #expect(data.transfer.objects == ["t": 4])
    let found = try scratch.database().rows("SELECT id, v FROM t ORDER BY _row")
    #expect(
      found
        == (isBinary
          ? [["A", "3"], ["B", "4"], ["a", "2"], ["b", "1"]]
          : [["a", "2"], ["a ", "3"], ["b", "1"], ["b ", "4"]]))
  }

  @Test("They are found by their key, and not each among all")
  func rowsAreFoundByTheirKey() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(a TEXT, v TEXT, PRIMARY KEY (a COLLATE NOCASE)) WITHOUT ROWID",
      Self.fill("t", with: "'k' || n, n"),
    ])
    let original = try Database(path: path, mode: .readOnly)
    let source = try SQLiteSource(path: path, database: original, name: "App")
    original.close()
    let database = try Database(path: ":memory:", mode: .create)
    defer { database.close() }
    try database.execute("CREATE TABLE t(_row INTEGER PRIMARY KEY, a, v)")
    try database.attach(path, as: "source")

    let steps = try Self.steps(database) {
      _ = try SQLiteTransfer(source, into: database, leave: { _ in }).run()
    }

    #expect(try database.firstValue("SELECT count(*) FROM t") == .integer(Int64(Self.rows)))
    #expect(steps < 20 * Self.rows)
  }

  @Test(
    "A foreign key to a key that compares in another way than its column stays a column",
    arguments: [
      "t(id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY))",
      "t(id TEXT, PRIMARY KEY (id COLLATE NOCASE))",
      "t(id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY)) WITHOUT ROWID",
    ])
  func linksToKeysOfAnotherCollation(table: String) throws {
    let isBinary = table.contains("BINARY")
    let path = try scratch.makeDatabase([
      "CREATE TABLE \(table)",
      "INSERT INTO t VALUES ('a'), \(isBinary ? "('A')" : "('b')")",
      "CREATE TABLE c(r TEXT NOT NULL REFERENCES t(id))", "INSERT INTO c VALUES ('a'), ('A')",
      "CREATE TABLE pairs(a TEXT NOT NULL REFERENCES t, b TEXT NOT NULL REFERENCES t)",
      "INSERT INTO pairs VALUES ('a', 'A')",
    ])

    let (schema, reasons, _) = try scratch.adoptDatabase(path)

    #expect(schema.spelling("c", "r") == "string")
    #expect(schema.spelling("pairs", "a") == "string")
    let (key, column) = isBinary ? ("BINARY", "NOCASE") : ("NOCASE", "BINARY")
    #expect(
      reasons.contains(
        "c: the foreign key to t: its key compares by \(key), and the key's column by \(column), so that SQLite has no link there; the column stays a value"
      ))
    #expect(try scratch.database().rows("SELECT r FROM c ORDER BY _row") == [["a"], ["A"]])
    #expect(try scratch.database().rows("SELECT a, b FROM pairs") == [["a", "A"]])
  }

  @Test(
    "It is a link where the column is unique in its own way of comparing, too",
    arguments: [
      "t(id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY))",
      "t(id TEXT COLLATE NOCASE, UNIQUE (id), PRIMARY KEY (id COLLATE BINARY))",
      "t(id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY)) WITHOUT ROWID",
      "t(id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY, id)) WITHOUT ROWID",
    ])
  func linksByAUniqueIndex(table: String) throws {
    let path = try scratch.makeDatabase([
      "PRAGMA foreign_keys = ON", "CREATE TABLE \(table)", "CREATE UNIQUE INDEX u ON t(id)",
      "INSERT INTO t VALUES ('a'), ('b')",
      "CREATE TABLE c(r TEXT NOT NULL REFERENCES t(id))", "INSERT INTO c VALUES ('a'), ('B')",
      "CREATE TABLE once(r TEXT UNIQUE REFERENCES t(id))", "INSERT INTO once VALUES ('a'), ('A')",
    ])

    let (schema, _, data) = try scratch.adoptDatabase(path)

    #expect(schema.spelling("c", "r") == "t deny")
    #expect(schema.spelling("once", "r") == "t? deny")
    #expect(data.transfer.leftOut == 0)
    for (table, second) in [("c", "b"), ("once", "a")] {
      let found = try scratch.database().rows(
        "SELECT t.id FROM \(table) AS c JOIN t ON t._row = c.r ORDER BY c._row")
      #expect(found == [["a"], [.text(second)]])
    }
  }

  @Test("Pairs of such links are a list")
  func pairsByAUniqueIndex() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY))",
      "CREATE UNIQUE INDEX u ON t(id)", "INSERT INTO t VALUES ('a'), ('b')",
      "CREATE TABLE pairs(a TEXT NOT NULL REFERENCES t(id), b TEXT NOT NULL REFERENCES t(id))",
      "INSERT INTO pairs VALUES ('a', 'B'), ('A', 'a')",
    ])

    let (_, _, data) = try scratch.adoptDatabase(path)

    #expect(data.transfer.objects == ["t": 2])
    #expect(data.transfer.elements == 2)
  }

  @Test(
    "An index that SQLite does not find rows by makes no link",
    arguments: [
      ("t(id)", "ON t(id COLLATE BINARY)"), ("t(id)", "ON t(id) WHERE id > ''"),
      ("t(id)", "ON t(id, v)"), ("t(id)", "ON t(lower(id))"), ("t", "ON t(id)"),
    ])
  func noLinksByOtherIndexes(target: String, index: String) throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(id TEXT COLLATE NOCASE, v TEXT, PRIMARY KEY (id COLLATE BINARY))",
      "CREATE UNIQUE INDEX u \(index)", "INSERT INTO t VALUES ('a', 'x'), ('b', 'y')",
      "CREATE TABLE c(r TEXT REFERENCES \(target))", "INSERT INTO c VALUES ('a'), ('A')",
    ])

    let (schema, _, _) = try scratch.adoptDatabase(path)

    #expect(schema.spelling("c", "r") == "string?")
    #expect(try scratch.database().rows("SELECT r FROM c ORDER BY _row") == [["a"], ["A"]])
  }

  @Test("A history of Room that has a link there is not taken for the database's")
  func linksOfAHistory() throws {
    let path = try makeDatabaseOfRoom("INSERT INTO t VALUES ('a'), ('A')")

    let error = #expect(throws: AdoptError.self) {
      try SQLiteAdoption(path: path, history: scratch.path, name: "App")
    }

    #expect(
      error
        == AdoptError(
          "'\(path)': the key of 't' compares by another collation than its column, so that SQLite has no link there from 'c'. Without --history it is read by what it holds"
        ))
  }

  @Test("It is where the column is unique in its own way of comparing, too")
  func linksOfAHistoryByAUniqueIndex() throws {
    let path = try makeDatabaseOfRoom(
      "CREATE UNIQUE INDEX u ON t(id)", "INSERT INTO t VALUES ('A')")

    let (_, data) = try scratch.adopt(
      try SQLiteAdoption(path: path, history: scratch.path, name: "App"))

    #expect(data.transfer.leftOut == 0)
    #expect(data.check != nil)
    #expect(try scratch.database().rows("SELECT t.id FROM c JOIN t ON t._row = c.r") == [["A"]])
  }

  @Test(
    "Of two foreign keys of one column the one that leads to rows is the link, in either order",
    arguments: ["REFERENCES t(id) REFERENCES t", "REFERENCES t REFERENCES t(id)"])
  func twoForeignKeys(references: String) throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY))",
      "CREATE UNIQUE INDEX u ON t(id)", "CREATE TABLE c(r TEXT UNIQUE \(references))",
      "INSERT INTO t VALUES ('a')", "INSERT INTO c VALUES ('a'), ('A')",
    ])

    let (schema, reasons, data) = try scratch.adoptDatabase(path)

    #expect(schema.spelling("c", "r") == "t? deny")
    #expect(
      reasons.contains("c: the uniqueness of r: rows with different values of r lead to one row"),
      "\(reasons)")
    #expect(data.transfer.leftOut == 0)
  }

  @Test("Where no link leads there, rows of a history are read, whatever order the column is in")
  func columnsOfAHistoryInAnOrderOfTheApp() throws {
    let path = try makeDatabaseOfRoom(
      ["INSERT INTO t VALUES ('a'), ('A')"] + Self.only(theAppHas: "APP", for: "NOCASE"),
      hasLinks: false)

    let (_, data) = try scratch.adopt(
      try SQLiteAdoption(path: path, history: scratch.path, name: "App"))

    #expect(data.transfer.objects == ["t": 2, "c": 1])
    #expect(data.check != nil)
  }

  /// A database, and a history that says of it that `c` has links to `t`, whose key compares otherwise than its column.
  private func makeDatabaseOfRoom(_ more: String...) throws -> String {
    try makeDatabaseOfRoom(more, hasLinks: true)
  }

  private func makeDatabaseOfRoom(_ more: [String], hasLinks: Bool) throws -> String {
    func entity(_ table: String, _ column: String, _ more: String = "") -> String {
      #"""
      {"tableName": "\#(table)", "createSql": "", "fields": [{"fieldPath": "\#(column)", \#
      "columnName": "\#(column)", "affinity": "TEXT", "notNull": true}], \#
      "primaryKey": {"columnNames": ["\#(column)"], "autoGenerate": false}\#(more)}
      """#
    }
    let key = #"""
      , "foreignKeys": [{"table": "t", "onDelete": "CASCADE", "onUpdate": "NO ACTION", \#
      "columns": ["r"], "referencedColumns": ["id"]}]
      """#
    _ = try scratch.write(
      "1.json",
      Array(
        """
        {"formatVersion": 1, "database": {"version": 1, "views": [], \
        "entities": [\(entity("t", "id")), \(entity("c", "r", hasLinks ? key : ""))]}}
        """.utf8))
    return try scratch.makeDatabase(
      [
        "CREATE TABLE t(id TEXT COLLATE NOCASE NOT NULL, PRIMARY KEY (id COLLATE BINARY))",
        "CREATE TABLE c(r TEXT NOT NULL PRIMARY KEY REFERENCES t(id))",
        "INSERT INTO c VALUES ('a')", "PRAGMA user_version = 1",
      ] + more)
  }

  @Test("A foreign key of one column to a key of several is told as that")
  func linkToAKeyOfSeveralColumns() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(a INT, b INT, PRIMARY KEY (a, b))", "CREATE TABLE u(a INT)",
      "CREATE TABLE c(r INT REFERENCES t, s INT REFERENCES u)",
    ])

    let (_, reasons, _) = try scratch.adoptDatabase(path)

    #expect(
      reasons.contains(
        "c: the foreign key to t: its key has several columns, and a link is over one; the column stays a value"
      ))
    #expect(
      reasons.contains("c: the foreign key to u: it has no primary key; the column stays a value"))
  }

  // MARK: - What the app alone has

  /// Statements that make of one word of a definition another one, which SQLite does not have.
  private static func only(theAppHas name: String, for word: String) -> [String] {
    [
      "PRAGMA writable_schema = 1",
      "UPDATE sqlite_schema SET sql = replace(sql, '\(word)', '\(name)')",
      "PRAGMA writable_schema = RESET",
    ]
  }

  @Test(
    "A key in an order that its app alone has is told with a way out",
    arguments: [
      "CREATE TABLE t(id TEXT COLLATE NOCASE PRIMARY KEY, v TEXT)",
      "CREATE TABLE t(id TEXT COLLATE NOCASE PRIMARY KEY, v TEXT) WITHOUT ROWID",
      "CREATE TABLE t(id TEXT, v TEXT, PRIMARY KEY (v, id COLLATE NOCASE)) WITHOUT ROWID",
      "CREATE TABLE t(id INTEGER COLLATE NOCASE PRIMARY KEY, v TEXT)",
      """
      CREATE TABLE t(id TEXT COLLATE NOCASE REFERENCES o(id), v TEXT NOT NULL REFERENCES o(id), \
      PRIMARY KEY (id, v)) WITHOUT ROWID
      """,
    ])
  func keysInAnOrderOfTheApp(table: String) throws {
    let path = try scratch.makeDatabase(
      ["CREATE TABLE o(id TEXT PRIMARY KEY)", table] + Self.only(theAppHas: "APP", for: "NOCASE"))

    let error = #expect(throws: AdoptError.self) { try SQLiteAdoption(path: path, name: "App") }

    #expect(
      error
        == AdoptError(
          "'\(path)': the key of 't' is in an order, 'APP', that its app alone has. Make a copy in which the key and its column say COLLATE BINARY, and adopt that"
        ))
  }

  @Test(
    "Where the key alone is in an order of SQLite's, rows are read by it",
    arguments: [
      "CREATE TABLE t(id TEXT COLLATE NOCASE, v TEXT, PRIMARY KEY (id COLLATE BINARY)) WITHOUT ROWID",
      "CREATE TABLE t(id TEXT COLLATE NOCASE, v TEXT, PRIMARY KEY (id COLLATE BINARY, v)) WITHOUT ROWID",
    ])
  func keysInAnOrderOfSQLite(table: String) throws {
    let path = try scratch.makeDatabase(
      [table, "INSERT INTO t VALUES ('a', 'x'), ('A', 'y')"]
        + Self.only(theAppHas: "APP", for: "NOCASE"))

    let (_, _, data) = try scratch.adoptDatabase(path)

    #expect(data.transfer.objects == ["t": 2])
    #expect(data.check?.parts == 2)
  }

  @Test("A key that has its column twice is none that a link leads to")
  func linkToAKeyOfOneColumnTwice() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE t(id TEXT COLLATE NOCASE, PRIMARY KEY (id COLLATE BINARY, id))",
      "INSERT INTO t VALUES ('a'), ('A')", "CREATE TABLE c(r TEXT REFERENCES t(id))",
      "INSERT INTO c VALUES ('a'), ('A')",
    ])

    let (schema, _, _) = try scratch.adoptDatabase(path)

    #expect(schema.spelling("c", "r") == "string?")
    #expect(try scratch.database().rows("SELECT r FROM c ORDER BY _row") == [["a"], ["A"]])
  }

  @Test("Where rows are known by SQLite's own number, and not by such a key, they are read")
  func keysOfSeveralColumnsInAnOrderOfTheApp() throws {
    let path = try scratch.makeDatabase(
      [
        "CREATE TABLE p(id INTEGER PRIMARY KEY)", "CREATE TABLE c(id INTEGER PRIMARY KEY)",
        """
        CREATE TABLE j(p INT COLLATE NOCASE NOT NULL REFERENCES p(id), \
        c INT COLLATE NOCASE NOT NULL REFERENCES c(id), position INT COLLATE NOCASE NOT NULL, \
        PRIMARY KEY (p, c))
        """,
        "CREATE TABLE k(a TEXT COLLATE NOCASE, b TEXT, PRIMARY KEY (a, b))",
        "INSERT INTO k VALUES ('a', 'b'), ('c', 'd')",
        "INSERT INTO p VALUES (1)", "INSERT INTO c VALUES (1), (2)",
        "INSERT INTO j VALUES (1, 1, 2), (1, 2, 1), (1, 99, 3)",
      ] + Self.only(theAppHas: "APP", for: "NOCASE"))

    let (_, _, data) = try scratch.adoptDatabase(path)

    #expect(data.transfer.objects == ["p": 1, "c": 2, "k": 2])
    #expect(data.transfer.elements == 2)
    #expect(data.transfer.leftOut == 1)
  }

  @Test(
    "A column that is computed by what its app alone has is told with a way out",
    arguments: [
      ("abs(a)", "abs", "appf", "unknown function: appf()"),
      (
        "a = 'x' COLLATE NOCASE", "NOCASE", "APP", "no such collation sequence: APP"
      ),
    ])
  func columnsComputedByTheApp(
    expression: String, word: String, own: String, reason: String
  ) throws {
    let path = try scratch.makeDatabase(
      ["CREATE TABLE t(a TEXT, g TEXT AS (\(expression)))", "INSERT INTO t VALUES ('x')"]
        + Self.only(theAppHas: own, for: word))

    let error = #expect(throws: AdoptError.self) { try SQLiteAdoption(path: path, name: "App") }

    #expect(
      error
        == AdoptError(
          "'\(path)': the column 'g' of 't' is computed by what its app alone has (\(reason)). Make a copy in which it is an ordinary column, or gone, and adopt that"
        ))
  }

  // MARK: - What is told

  @Test("A computed place in a list is told once: the list keeps the order")
  func computedPosition() throws {
    let path = try scratch.makeDatabase([
      "CREATE TABLE p(id INTEGER PRIMARY KEY)", "CREATE TABLE c(id INTEGER PRIMARY KEY)",
      """
      CREATE TABLE j(p INT NOT NULL REFERENCES p(id), c INT NOT NULL REFERENCES c(id), \
      position INT AS (3 - c))
      """,
      "INSERT INTO p VALUES (1)", "INSERT INTO c VALUES (1), (2)",
      "INSERT INTO j VALUES (1, 1), (1, 2)",
    ])

    let (_, reasons, data) = try scratch.adoptDatabase(path)

    #expect(data.transfer.elements == 2)
    #expect(
      reasons.filter { $0.hasPrefix("j: ") }.sorted() == [
        "j: ON DELETE NO ACTION of the foreign key to p: the list goes with its object",
        "j: its position: the list keeps the order, and not the numbers",
        "j: the join table is the list p.j",
      ])
  }
}
