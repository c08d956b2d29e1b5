import Strata
import StrataFiles
import StrataSQLite
import StrataSchema
import StrataSource
import Testing

@testable import StrataAdopt
@testable import StrataCLI

/// What SQLite allows and no schema says: nothing of it is lost without a word.
@Suite("Oddities of SQLite databases")
struct SQLiteOddityTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  private func make(_ statements: String...) throws -> String {
    try scratch.makeDatabase(statements)
  }

  private func adopt(_ path: String) throws -> (schema: Schema, reasons: [String], AdoptedData) {
    try scratch.adoptDatabase(path)
  }

  @Test("Pairs of a join table that lead to no row are kept, each a line")
  func strayPairs() throws {
    let path = try make(
      "CREATE TABLE p(id INTEGER PRIMARY KEY)", "CREATE TABLE c(id INTEGER PRIMARY KEY)",
      "CREATE TABLE j(p INT REFERENCES p(id), c INT REFERENCES c(id), position INT, PRIMARY KEY(p, c))",
      "INSERT INTO p VALUES (1), (5)", "INSERT INTO c VALUES (1), (2)",
      "INSERT INTO j VALUES (1, 1, 2), (1, 2, 1), (5, 4711, 0), (NULL, 1, 0), (99, 2, 0)")
    let (_, _, data) = try adopt(path)
    #expect(data.transfer.elements == 2)
    #expect(data.transfer.leftOut == 3)
    let lines = try scratch.text("out/LEFT-OUT.jsonl").split(separator: "\n")
    #expect(
      lines == [
        #"{"$id":null,"$model":"p","property":"j","reason":"a pair of j leads to no row","value":[null,1,0]}"#,
        #"{"$id":4,"$model":"p","property":"j","reason":"a pair of j leads to no row","value":[5,4711,0]}"#,
        #"{"$id":null,"$model":"p","property":"j","reason":"a pair of j leads to no row","value":[99,2,0]}"#,
      ])
  }

  @Test("Pairs that spell one owner in several ways stand in one list, in their order")
  func ownersInSeveralSpellings() throws {
    let path = try make(
      "CREATE TABLE p(k TEXT PRIMARY KEY NOT NULL COLLATE NOCASE) WITHOUT ROWID",
      "CREATE TABLE q(id INTEGER PRIMARY KEY)",
      "CREATE TABLE pq(p TEXT NOT NULL REFERENCES p(k), q INT NOT NULL REFERENCES q(id))",
      "INSERT INTO p VALUES ('Ann'), ('Bob')", "INSERT INTO q VALUES (5), (6)",
      "INSERT INTO pq VALUES ('Ann', 5), ('Bob', 5), ('ann', 6)")
    let (_, _, data) = try adopt(path)
    #expect(data.transfer.elements == 3)
    #expect(
      Array(
        try scratch.database().rows(
          "SELECT p.k, q.id FROM \"p.pq\" e JOIN p ON p._row = e._owner JOIN q ON q._row = e.value ORDER BY e._owner, e._index"
        ))
        == [
          [.text("Ann"), .integer(5)], [.text("Ann"), .integer(6)], [.text("Bob"), .integer(5)],
        ])
  }

  @Test(
    "What a join table does when an element is deleted is the list's rule; what it does for the owner is named",
    arguments: [
      ("CASCADE", "NOT NULL", "nullify"), ("NO ACTION", "NOT NULL", "deny"),
      ("RESTRICT", "NOT NULL", "deny"), ("SET NULL", "NOT NULL", "deny"),
      ("SET NULL", "", "nullify"), ("SET DEFAULT", "", "deny"),
    ])
  func joinRules(onDelete: String, null: String, rule: String) throws {
    let path = try make(
      "CREATE TABLE p(id INTEGER PRIMARY KEY)", "CREATE TABLE c(id INTEGER PRIMARY KEY)",
      "CREATE TABLE j(p INT \(null) REFERENCES p(id) ON DELETE \(onDelete), c INT \(null) REFERENCES c(id) ON DELETE \(onDelete), PRIMARY KEY(p, c))",
      "INSERT INTO p VALUES (1)", "INSERT INTO c VALUES (1)", "INSERT INTO j VALUES (1, 1)")
    let (schema, reasons, _) = try adopt(path)
    #expect(schema.model(named: "p")?.property(named: "j")?.deleteRule.rawValue == rule)
    let ownerGoes =
      "j: ON DELETE \(onDelete) of the foreign key to p: the list goes with its object"
    #expect(reasons.contains(ownerGoes) == (rule == "deny"))
    let isDefault = reasons.contains { $0.contains("SET DEFAULT became deny") }
    #expect(isDefault == (onDelete == "SET DEFAULT"))
  }

  @Test("What a list has not of a join table is told: numbers of pairs, and what is unique of them")
  func lossesOfJoinTables() throws {
    let path = try make(
      "CREATE TABLE post(id INTEGER PRIMARY KEY)", "CREATE TABLE tag(id INTEGER PRIMARY KEY)",
      "CREATE TABLE a(id INTEGER PRIMARY KEY, post INT NOT NULL REFERENCES post(id), tag INT NOT NULL REFERENCES tag(id), UNIQUE(post, tag), UNIQUE(tag))",
      "CREATE TABLE b(post INT NOT NULL REFERENCES post(id), tag INT NOT NULL REFERENCES tag(id), position INT, PRIMARY KEY(tag, post), UNIQUE(post, tag), UNIQUE(post, position))",
      "CREATE TABLE c(post INT NOT NULL REFERENCES post(id), tag INT NOT NULL REFERENCES tag(id))",
      "INSERT INTO post VALUES (1)", "INSERT INTO tag VALUES (1)", "INSERT INTO a VALUES (7, 1, 1)"
    )
    let (schema, reasons, _) = try adopt(path)
    #expect(schema.spelling("post", "a") == "[tag] deny")
    func told(_ table: String) -> [String] {
      reasons.filter { $0.hasPrefix("\(table): its ") || $0.hasPrefix("\(table): the uniq") }
        .sorted()
    }
    #expect(
      told("a") == [
        "a: its id: elements of a list have no numbers of their own",
        "a: the uniqueness of post, tag: lists have none",
        "a: the uniqueness of tag: lists have none",
      ])
    #expect(
      told("b") == [
        "b: its position: the list keeps the order, and not the numbers",
        "b: the uniqueness of tag, post: lists have none",
      ])
    #expect(told("c") == [])
    #expect(
      try scratch.text("out/ADOPTED.md").contains("the uniqueness of tag: lists have none"))
  }

  @Test(
    "A CHECK and a COLLATE behind a comment are told",
    arguments: [
      "a INT, -- don't\n b TEXT CHECK (b > 0) COLLATE NOCASE",
      "a INT, /* don't -- */ b TEXT CHECK (b > 0) COLLATE NOCASE",
      "a INT--don't\r\n, b TEXT CHECK (b > 0) COLLATE NOCASE",
    ])
  func comments(columns: String) throws {
    let path = try make("CREATE TABLE t(\(columns))", "INSERT INTO t VALUES (1, '2')")
    let reasons = try adopt(path).reasons
    #expect(reasons.contains("t: its CHECK"))
    #expect(reasons.contains("t: its COLLATE"))
  }

  @Test("A legal name stays, also behind one that would become it")
  func legalNames() throws {
    let path = try make(
      "CREATE TABLE \"order item\"(\"first name\" TEXT, firstName TEXT, FIRSTNAME2 TEXT)",
      "CREATE TABLE orderItem(id INTEGER PRIMARY KEY)",
      "INSERT INTO \"order item\" VALUES ('a', 'b', 'c')")
    let (schema, reasons, _) = try adopt(path)
    #expect(schema.models.map(\.name) == ["orderItem", "orderItem2"])
    #expect(
      reasons == [
        "order item: it is called 'orderItem2': 'order item' is no legal name",
        "order item: it is called 'firstName3': 'first name' is no legal name",
      ])
    #expect(
      try scratch.database().rows("SELECT firstName3, firstName, FIRSTNAME2 FROM orderItem2")
        == [["a", "b", "c"]])
  }

  @Test("A table with the name of one of the schema's own Swift types is another class")
  func typesOfTheSchema() throws {
    let path = try make(
      "CREATE TABLE AppSchema(id INTEGER PRIMARY KEY)",
      "CREATE TABLE app_migrations(id INTEGER PRIMARY KEY)")
    let (schema, reasons, _) = try adopt(path)
    #expect(
      schema.models.map { "\($0.name): \($0.swiftName ?? "")" } == [
        "AppSchema: AppSchemaModel", "app_migrations: ",
      ])
    #expect(
      reasons == [
        "AppSchema: it is called 'AppSchemaModel' in Swift, where 'AppSchema' is taken"
      ])
  }

  @Test("A uniqueness that is declared twice is listed once")
  func equalUniques() throws {
    let path = try make(
      "CREATE TABLE t(a INT, b INT, UNIQUE(a, b))", "CREATE UNIQUE INDEX i ON t(a, b)",
      "CREATE UNIQUE INDEX k ON t(b, a)", "CREATE INDEX o ON t(a, b)",
      "INSERT INTO t VALUES (1, 2)")
    #expect(try adopt(path).schema.model(named: "t")?.uniques == [["a", "b"]])
  }

  @Test("A column with a collation that only its app has is read")
  func collationOfAnApp() throws {
    let path = try make(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE)",
      "INSERT INTO t VALUES (1, 'b'), (2, 'A')", "PRAGMA writable_schema = 1",
      "UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'LOCALIZED')")
    let (schema, reasons, data) = try adopt(path)
    #expect(schema.spelling("t", "name") == "string?")
    #expect(reasons == ["t: its COLLATE"])
    #expect(data.transfer.objects == ["t": 2])
  }

  @Test("Foreign keys name tables and columns in any case, as SQLite reads them")
  func caseOfReferences() throws {
    let path = try make(
      "CREATE TABLE Author(Id INTEGER PRIMARY KEY)",
      "CREATE TABLE book(id INTEGER PRIMARY KEY, author_id INT REFERENCES AUTHOR(ID) ON DELETE CASCADE)",
      "INSERT INTO Author VALUES (3)", "INSERT INTO book VALUES (1, 3)")
    let (schema, reasons, _) = try adopt(path)
    #expect(schema.spelling("book", "author_id") == "Author? cascade")
    #expect(reasons.allSatisfy { !$0.contains("foreign key") })
  }

  @Test("A database in UTF-16 is refused by its name, with the way out")
  func otherEncoding() throws {
    let path = try make(
      "PRAGMA encoding = 'UTF-16le'", "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")
    let error = #expect(throws: AdoptError.self) { try adopt(path) }
    #expect(error?.description.contains("'\(path)' keeps its texts in UTF-16le") == true)
    #expect(error?.description.contains(".dump") == true)
  }

  @Test(
    "A table that SQLite counts to full-text search by its name only is adopted with its rows",
    arguments: [
      "fts5(subject, content='mail_content', content_rowid='id')",
      "fts4(content=\"mail_content\", subject)", "fts5(subject, content='')",
    ])
  func contentOfTextSearch(search: String) throws {
    let path = try make(
      "CREATE TABLE mail_content(id INTEGER PRIMARY KEY, subject TEXT)",
      "CREATE VIRTUAL TABLE mail USING \(search)",
      "CREATE VIRTUAL TABLE note USING fts5(body)", "INSERT INTO note VALUES ('its own')",
      "CREATE VIRTUAL TABLE page USING fts4(body)", "INSERT INTO page VALUES ('its own')",
      "INSERT INTO mail_content VALUES (1, 'hello'), (2, 'world')")
    let (schema, reasons, data) = try adopt(path)
    #expect(schema.models.map(\.name) == ["mail_content"])
    #expect(data.transfer.objects == ["mail_content": 2])
    let virtual = "it is a virtual table, as those of full-text search"
    let rows = "its row is in no other table"
    #expect(
      reasons.sorted() == [
        "mail: \(virtual)", "note: \(virtual); \(rows)", "page: \(virtual); \(rows)",
      ])
    #expect(
      Array(try scratch.database().rows("SELECT subject FROM mail_content ORDER BY _row"))
        == [[.text("hello")], [.text("world")]])
  }

  @Test(
    "A column with two foreign keys links to the objects of the one that can be a link",
    arguments: ["a(code)", "gone(id)", "b(nm)"])
  func twoForeignKeys(other: String) throws {
    let path = try make(
      "CREATE TABLE a(id INTEGER PRIMARY KEY, code INT UNIQUE)",
      "CREATE TABLE b(id INTEGER PRIMARY KEY, nm TEXT UNIQUE)",
      "CREATE TABLE c(id INTEGER PRIMARY KEY, x INT REFERENCES b(id) REFERENCES \(other))",
      "CREATE TABLE d(id INTEGER PRIMARY KEY, x INT REFERENCES \(other) REFERENCES b(id))",
      "INSERT INTO a VALUES (1, 2), (2, 1), (3, 3)", "INSERT INTO b(id) VALUES (1), (2), (3), (4)",
      "INSERT INTO c VALUES (1, 1), (2, 2)", "INSERT INTO d VALUES (1, 2), (2, 1)")
    let (schema, _, data) = try adopt(path)
    #expect(schema.spelling("c", "x") == "b? deny")
    #expect(schema.spelling("d", "x") == "b? deny")
    #expect(data.transfer.leftOut == 0)
    let database = try scratch.database()
    for (table, targets) in [("c", [1, 2]), ("d", [2, 1])] as [(String, [Int64])] {
      #expect(
        Array(
          try database.rows("SELECT b.id FROM \(table) JOIN b ON b._row = x ORDER BY \(table).id"))
          == targets.map { [SQLiteValue.integer($0)] })
    }
  }

  @Test("A key with missing values is a uniqueness, as SQLite holds it")
  func keysWithNull() throws {
    let path = try make(
      "CREATE TABLE n(a TEXT PRIMARY KEY, v)",
      "INSERT INTO n VALUES (NULL, 1), (NULL, 2), ('x', 3)",
      "CREATE TABLE m(a TEXT, b INT, PRIMARY KEY(a, b))",
      "INSERT INTO m VALUES (NULL, 1), (NULL, 1)",
      "CREATE TABLE doc(id INTEGER PRIMARY KEY DESC, body TEXT)",
      "INSERT INTO doc(body) VALUES ('x')")
    let (schema, reasons, _) = try adopt(path)
    #expect(schema.model(named: "n")?.primaryKey == [])
    #expect(schema.spelling("n", "a") == "string? unique")
    #expect(schema.model(named: "m")?.uniques == [["a", "b"]])
    #expect(schema.model(named: "doc")?.primaryKey == [])
    #expect(reasons.contains("n: its primary key a is a uniqueness: 2 rows have no value in it"))
  }

  @Test("Texts that are equal once what is no UTF-8 is replaced take the uniqueness with them")
  func mendedTextsAgree() throws {
    let path = try make(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
      "INSERT INTO t VALUES (1, CAST(x'ff' AS TEXT)), (2, CAST(x'fe' AS TEXT))",
      "CREATE TABLE k(name TEXT PRIMARY KEY NOT NULL, other TEXT UNIQUE)",
      "INSERT INTO k VALUES (CAST(x'ff' AS TEXT), CAST(x'fd' AS TEXT)), (CAST(x'fe' AS TEXT), 'b')",
      "CREATE TABLE l(k TEXT REFERENCES k(name))", "INSERT INTO l VALUES (CAST(x'fe' AS TEXT))")
    let (schema, reasons, data) = try adopt(path)
    #expect(schema.spelling("t", "name") == "string?")
    #expect(schema.model(named: "k")?.primaryKey == [])
    #expect(schema.spelling("k", "other") == "string? unique")
    #expect(schema.spelling("l", "k") == "k? deny")
    #expect(data.transfer.leftOut == 5)
    #expect(
      reasons.contains(
        "t: the uniqueness of name: texts that are no UTF-8 agree once that is replaced"))
    #expect(
      reasons.contains(
        "k: its primary key name: texts that are no UTF-8 agree once that is replaced"))
  }

  @Test(
    "Different values of a unique foreign key that lead to one row take the uniqueness with them",
    arguments: [
      ("TEXT COLLATE NOCASE", "'ann'", "'Ann'"), ("INTEGER", "1", "'1'"),
    ])
  func linksThatAgree(key: String, one: String, other: String) throws {
    let path = try make(
      "CREATE TABLE user(name \(key) PRIMARY KEY NOT NULL)", "INSERT INTO user VALUES (\(one))",
      "CREATE TABLE profile(id INTEGER PRIMARY KEY, user BLOB UNIQUE REFERENCES user(name))",
      "INSERT INTO profile VALUES (1, \(one)), (2, \(other)), (3, NULL)",
      "CREATE TABLE member(grp INT, user REFERENCES user(name), mail TEXT UNIQUE, PRIMARY KEY(grp, user))",
      "INSERT INTO member VALUES (1, \(one), 'a'), (1, \(other), 'b'), (2, \(one), 'c')",
      "CREATE TABLE badge(grp INT, user REFERENCES user(name), UNIQUE(grp, user))",
      "INSERT INTO badge VALUES (1, \(one)), (2, \(other))")
    let (schema, reasons, data) = try adopt(path)
    #expect(data.leftOut == 0)
    #expect(schema.spelling("profile", "user") == "user? deny")
    #expect(schema.model(named: "member")?.uniques == [])
    #expect(schema.spelling("member", "mail") == "string? unique")
    #expect(schema.model(named: "badge")?.uniques == [["grp", "user"]])
    let agree = "rows with different values of user lead to one row"
    #expect(reasons.contains("profile: the uniqueness of user: \(agree)"))
    #expect(reasons.contains("member: its primary key grp, user: \(agree)"))
    #expect(
      try scratch.database().rows("SELECT count(*) FROM profile JOIN user ON user._row = user")
        == [[2]])
  }

  @Test("A foreign key that leads to no row is left out with its bytes where it is no UTF-8")
  func damagedForeignKey() throws {
    let path = try make(
      "CREATE TABLE k(name TEXT PRIMARY KEY NOT NULL)",
      "CREATE TABLE l(k TEXT REFERENCES k(name))", "INSERT INTO l VALUES (CAST(x'fe' AS TEXT))")
    _ = try adopt(path)
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl")
        == #"{"$id":1,"$model":"l","property":"k","reason":"the value leads to no row","value":{"$data":"/g=="}}"#
        + "\n")
  }

  @Test(
    "Whole numbers that a Double would round stay as they are, whatever the column is declared",
    arguments: [
      ("FLOATING POINT", "9007199254740993", "", "int?"),
      ("FLOATING POINT", "-9007199254740993", "", "int?"),
      ("FLOATING POINT", "9007199254740993", ", (0.5)", "any?"),
      ("INTEGER", "9007199254740993", "", "int?"),
    ])
  func largeNumbers(declared: String, number: String, others: String, type: String) throws {
    let path = try make(
      "CREATE TABLE t(n \(declared))", "INSERT INTO t VALUES (\(number))\(others)")
    let (schema, _, data) = try adopt(path)
    #expect(schema.spelling("t", "n") == type)
    #expect(data.leftOut == 0)
    #expect(
      try scratch.database().rows("SELECT CAST(n AS TEXT) FROM t WHERE typeof(n) = 'integer'")
        == [[.text(number)]])
  }

  @Test("Whole numbers that a Double has are one in a column that is declared so")
  func smallNumbers() throws {
    let path = try make(
      "CREATE TABLE t(n FLOATING POINT)", "INSERT INTO t VALUES (9007199254740992)")
    #expect(try adopt(path).schema.spelling("t", "n") == "double?")
  }

  @Test(
    "With a history a whole number that its Double would round is an error that names the column")
  func largeNumbersOfAHistory() throws {
    let path = try make(
      "CREATE TABLE item(id INTEGER NOT NULL PRIMARY KEY, size FLOATING POINT NOT NULL)",
      "INSERT INTO item VALUES (1, 9007199254740993)")
    _ = try scratch.write(
      "1.json",
      Array(
        #"{"formatVersion": 1, "database": {"version": 1, "entities": [{"tableName": "item", "createSql": "", "fields": [{"fieldPath": "id", "columnName": "id", "affinity": "INTEGER", "notNull": true}, {"fieldPath": "size", "columnName": "size", "affinity": "REAL", "notNull": true}], "primaryKey": {"columnNames": ["id"], "autoGenerate": false}}]}}"#
          .utf8))
    let error = #expect(throws: AdoptError.self) {
      try SQLiteAdoption(path: path, history: scratch.path, name: "App")
    }
    #expect(
      error?.description.contains("item.size has 1 value of another type than double") == true,
      "\(String(describing: error))")
  }

  @Test("A number in a foreign key finds the text that SQLite makes of it")
  func numbersAndTexts() throws {
    let path = try make(
      "CREATE TABLE p(id NOT NULL PRIMARY KEY)", "INSERT INTO p VALUES ('7')",
      "CREATE TABLE c(f INT REFERENCES p(id))", "INSERT INTO c VALUES (7)",
      "CREATE TABLE q(id TEXT NOT NULL PRIMARY KEY)", "INSERT INTO q VALUES ('1'), ('1.0'), ('8')",
      "CREATE TABLE d(f REAL REFERENCES q(id), g INT REFERENCES q(id))",
      "INSERT INTO d VALUES (1.0, 8)")
    let (_, _, data) = try adopt(path)
    #expect(data.transfer.leftOut == 1)
    let database = try scratch.database()
    #expect(Array(try database.rows("SELECT f FROM c")) == [[.null]])
    #expect(
      Array(
        try database.rows(
          "SELECT a.id, b.id FROM d JOIN q a ON a._row = d.f JOIN q b ON b._row = d.g"))
        == [[.text("1.0"), .text("8")]])
  }

  @Test("With a history such a uniqueness is an error that names table and column")
  func mendedTextsOfAHistory() throws {
    let path = try make(
      "CREATE TABLE item(id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)",
      "CREATE UNIQUE INDEX i ON item(name)",
      "INSERT INTO item VALUES (1, CAST(x'ff' AS TEXT)), (2, CAST(x'fe' AS TEXT))")
    _ = try scratch.write(
      "1.json",
      Array(
        #"{"formatVersion": 1, "database": {"version": 1, "entities": [{"tableName": "item", "createSql": "", "fields": [{"fieldPath": "id", "columnName": "id", "affinity": "INTEGER", "notNull": true}, {"fieldPath": "name", "columnName": "name", "affinity": "TEXT", "notNull": true}], "primaryKey": {"columnNames": ["id"], "autoGenerate": false}, "indices": [{"name": "i", "unique": true, "columnNames": ["name"]}]}]}}"#
          .utf8))
    let error = #expect(throws: AdoptError.self) {
      try SQLiteAdoption(path: path, history: scratch.path, name: "App")
    }
    #expect(
      error?.description.contains(
        "item has texts in name that are no UTF-8 and agree once that is replaced, though name is unique"
      ) == true)
  }
}
