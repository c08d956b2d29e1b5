import StrataSQLite
import Testing

@Suite struct DatabaseTests {
  let database: Database

  init() throws {
    database = try Database(path: ":memory:")
    try database.execute("CREATE TABLE t (a ANY) STRICT")
  }

  /// Every storage class, with the values at which others have lost something.
  @Test(
    arguments: [
      .null, .integer(0), .integer(.min), .integer(.max), .real(-0.0), .real(0.1),
      .real(.greatestFiniteMagnitude), .real(.infinity), .text(""), .text("a\u{0}b"),
      .text("e\u{301}\u{1F600}"), .blob([]), .blob([0, 255]),
    ] as [SQLiteValue])
  func aValueComesBackAsItWasBound(value: SQLiteValue) throws {
    try database.execute("INSERT INTO t VALUES (?)", value)

    #expect(try database.firstValue("SELECT a FROM t") == value)
  }

  @Test func aColumnIsBoundToAnotherStatement() throws {
    try database.execute("INSERT INTO t VALUES (?)", .text("x\u{0}y"))
    let select = try database.prepare("SELECT a FROM t")
    let insert = try database.prepare("INSERT INTO t VALUES (?)")
    #expect(try select.step())
    try insert.bind(columnOf: select, at: 0, to: 1)
    select.reset()
    try insert.run()

    #expect(try database.rows("SELECT a FROM t") == [["x\u{0}y"], ["x\u{0}y"]])
  }

  @Test func nestedUsesOfOneTextHaveTheirOwnStatements() throws {
    for value in 1...3 { try database.execute("INSERT INTO t VALUES (?)", .integer(Int64(value))) }
    var pairs = 0
    let sql = "SELECT a FROM t"
    try database.withStatement(sql) { outer in
      while try outer.step() {
        try database.withStatement(sql) { inner in while try inner.step() { pairs += 1 } }
      }
    }

    #expect(pairs == 9)
  }

  @Test func anErrorNamesStatementAndCode() throws {
    try database.execute("CREATE UNIQUE INDEX i ON t (a)")
    try database.execute("INSERT INTO t VALUES (1)")

    let error = #expect(throws: SQLiteError.self) {
      try database.execute("INSERT INTO t VALUES (1)")
    }
    #expect(error?.constraint == .unique)
    #expect(error?.primaryCode == .constraint)
    #expect(error?.sql == "INSERT INTO t VALUES (1)")
  }

  @Test func oneStatementMeansOne() throws {
    _ = try database.prepare("SELECT 1;\n")
    #expect(throws: SQLiteError.self) { try database.prepare("SELECT 1; SELECT 2") }
    #expect(throws: SQLiteError.self) { try database.prepare("-- nothing") }
  }

  @Test func aScriptRunsAllOfItsStatements() throws {
    try database.executeScript("INSERT INTO t VALUES (0);\u{0} INSERT INTO t VALUES (9)")
    try database.execute("DELETE FROM t")
    try database.executeScript("INSERT INTO t VALUES (1); -- and\nINSERT INTO t VALUES (2);\n\n")

    #expect(try database.firstValue("SELECT count(*) FROM t") == 2)
  }

  @Test func aThrowingTransactionLeavesNothing() throws {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try database.transaction {
        try database.execute("INSERT INTO t VALUES (1)")
        throw Refusal()
      }
    }

    #expect(!database.isInTransaction)
    #expect(try database.firstValue("SELECT count(*) FROM t") == 0)
  }

  @Test func aFunctionReadsItsArgumentsAndGives() throws {
    try database.addFunction("twice", argumentCount: 1) { call in
      switch call[0].storageClass {
      case .integer: call.give(call[0].integer * 2)
      case .text: call.give(call[0].string + call[0].string)
      default: call.give(call[0])
      }
    }

    #expect(
      try database.rows("SELECT twice(21), twice('ab'), twice(x'01'), twice(NULL)")
        == [[42, "abab", .blob([1]), .null]])
  }

  @Test func aFunctionsErrorEndsTheStatement() throws {
    struct Refusal: Error {}
    try database.addFunction("refuse", argumentCount: 0) { _ in throw Refusal() }

    #expect(throws: SQLiteError.self) { try database.firstValue("SELECT refuse()") }
    #expect(database.lastFunctionError is Refusal)
  }

  @Test func whatAFunctionHoldsIsFreedWithTheConnection() throws {
    final class Witness {}
    weak var witness: Witness?
    do {
      let database = try Database(path: ":memory:")
      let held = Witness()
      witness = held
      try database.addFunction("f", argumentCount: 0) { call in
        withExtendedLifetime(held) { call.give(1 as Int64) }
      }
      #expect(try database.firstValue("SELECT f()") == 1)
      #expect(witness != nil)
    }

    #expect(witness == nil)
  }

  @Test func anAggregateRunsForEachGroup() throws {
    try database.addAggregate(
      "longest", argumentCount: 1, initial: { "" },
      step: { state, call in
        if call[0].string.count > state.count { state = call[0].string }
      }, result: { state, call in call.give(state) })
    for text in ["a", "abc", "b", "bc"] {
      try database.execute("INSERT INTO t VALUES (?)", .text(text))
    }

    #expect(
      try database.rows("SELECT longest(a) FROM t GROUP BY substr(a, 1, 1) ORDER BY 1")
        == [["abc"], ["bc"]])
    #expect(try database.firstValue("SELECT longest(a) FROM t WHERE a = 1") == "")
  }

  @Test func aStatementIsStoppedByItsProgressHandler() throws {
    database.setProgressHandler(every: 100) { true }

    let error = #expect(throws: SQLiteError.self) {
      try database.firstValue(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
    }
    #expect(error?.primaryCode == .interrupted)
    database.setProgressHandler(every: 0, nil)
    #expect(try database.firstValue("SELECT 1") == 1)
  }

  @Test(arguments: ["plain", "with \"quotes\"", "Person.dogs", "ümlaut", "semi;colon"])
  func anyNameIsAnIdentifier(name: String) throws {
    try database.execute("CREATE TABLE \(SQL.identifier(name)) (\(SQL.identifier(name)) ANY)")

    #expect(
      try database.firstValue("SELECT name FROM sqlite_schema ORDER BY rowid DESC LIMIT 1")
        == .text(name))
  }

  @Test(arguments: ["", "it's", "a\u{0}b", "\u{0}", "'"])
  func anyTextIsALiteral(text: String) throws {
    #expect(try database.firstValue("SELECT \(SQL.literal(text))") == .text(text))
  }
}
