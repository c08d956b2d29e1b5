import StrataSQLite
import Testing

@testable import Strata

/// No answer of SQLite reaches a user without what it means, where it was, and what helps.
@Suite struct SQLiteSentenceTests {
  /// The primary codes of <https://www.sqlite.org/rescode.html> that are errors, and extended ones of constraints.
  static let codes: [Int32] =
    Array(1...26) + [
      // IOERR_READ, IOERR_WRITE, CANTOPEN_NOTEMPDIR, BUSY_SNAPSHOT, READONLY_DBMOVED, CORRUPT_INDEX
      266, 778, 270, 517, 1032, 779,
      // Constraints: check, commit hook, foreign key, function, not null, primary key, trigger, unique, vtab, rowid, pinned, datatype
      275, 531, 787, 1043, 1299, 1555, 1811, 2067, 2323, 2579, 2835, 3091,
    ]

  @Test(arguments: codes)
  func everyCodeIsASentence(code: Int32) {
    let error = SQLiteError(code: code, message: "SQLITE SAYS", sql: "SELECT 1", path: "a.db")
    for text in [
      StoreError(error, path: "people.db").description,
      MigrationError(error, path: "people.db").description,
    ] {
      #expect(text.contains("people.db"), "\(text)")
      #expect(text.hasSuffix("."), "\(text)")
      #expect(!text.contains("SQLite answered"), "\(text)")
      // SQLite's words are an addition at most.
      let words = text.split(separator: "(")[0]
      #expect(!words.contains("SQLITE SAYS"), "\(text)")
      #expect(words.count > "people.db: ".count + 8, "\(text)")
    }
  }

  @Test(arguments: [
    ("no such column: name", "STR5004", "its tables are not those that its schema describes"),
    ("no such table: main.Dog", "STR5004", "its tables are not those"),
    ("integer overflow", "STR5010", "a sum or another result does not fit into 64 bits"),
    ("too many SQL variables", "STR5010", "a condition is larger than SQLite takes"),
    ("Expression tree is too large (maximum depth 1000)", "STR5010", "a condition is larger"),
    ("at most 64 tables in a join", "STR5010", "a condition is larger"),
    ("near \"x\": syntax error", "STR5010", "SQLite refused a statement of Strata's"),
  ])
  func whatTheGeneralCodeMeans(message: String, code: String, sentence: String) {
    let error = StoreError(SQLiteError(code: 1, message: message), path: "people.db")
    #expect(error.code == code)
    #expect(error.description.contains("people.db"))
    #expect(error.description.contains(sentence))
    #expect(error.description.contains("(SQLite"))
  }

  @Test(arguments: [
    ("UNIQUE constraint failed: Person.id, Person.name", ["id", "name"]),
    ("UNIQUE constraint failed: index 'Person.id.unique.null'", ["id"]),
    ("UNIQUE constraint failed: Person.tags._owner, Person.tags.value", ["tags"]),
  ])
  func whatHasToBeUniqueIsNamed(message: String, properties: [String]) {
    #expect(
      StoreError(SQLiteError(code: 2067, message: message), path: "people.db")
        == .notUnique(model: "Person", properties: properties))
  }

  @Test(arguments: [
    ("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT app(1); END", "INSERT INTO a VALUES (1)"),
    ("CREATE VIEW v AS SELECT app(1)", "SELECT * FROM v"),
  ])
  func whatAFileSaysCallsNoFunctionOfTheProgram(definition: String, use: String) throws {
    let database = try Database(path: ":memory:")
    var calls = 0
    try database.addFunction("app", argumentCount: 1, traits: []) { call in
      calls += 1
      call.giveNull()
    }
    try database.execute("CREATE TABLE a (x)")
    try database.execute(definition)
    #expect(throws: SQLiteError.self) { try database.execute(use) }
    #expect(calls == 0)
  }

  /// In every connection, whatever it is opened for.
  @Test func aNameInDoubleQuotesIsNeverAText() throws {
    let database = try Database(path: ":memory:")
    try database.execute("CREATE TABLE a (x)")
    try database.execute("INSERT INTO a VALUES (1)")
    #expect(throws: SQLiteError.self) { try database.rows("SELECT \"y\" FROM a") }
    #expect(throws: SQLiteError.self) { try database.execute("CREATE INDEX i ON a (\"y\")") }
    #expect(throws: SQLiteError.self) {
      try database.execute("DELETE FROM sqlite_schema WHERE name = 'a'")
    }
    _ = try? database.setPragma("writable_schema", true)
    #expect(throws: SQLiteError.self) { try database.execute("DELETE FROM sqlite_schema") }
    #expect(try database.pragma("cell_size_check") == .integer(1))
    #expect(try database.pragma("trusted_schema") == .integer(0))
  }
}
