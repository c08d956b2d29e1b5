import Strata
import StrataSQLite
import StrataSchema
import Testing

@Suite struct TableLayoutTests {
  /// One of everything.
  static let schema = Schema(
    name: "Test", version: 3,
    models: [
      Model(
        name: "Person", primaryKey: ["id"], indexes: [["last", "first"]],
        uniques: [["email", "country"]],
        properties: [
          property("id", "uuid"), property("first", "string"), property("last", "string"),
          property("email", "string?"), property("country", "string"),
          property("age", "int", index: .ordinary), property("score", "double"),
          property("born", "date?"), property("worth", "decimal"), property("photo", "data?"),
          property("thing", "any"), property("bio", "string", index: .fulltext),
          property("mood", "Mood"), property("nick", "string?", isUnique: true),
          property("boss", "Person?"), property("keeper", "Person?", deleteRule: .deny),
          property("firm", "Firm", deleteRule: .cascade), property("home", "Address?"),
          property("dogs", "[Dog]"), property("notes", "[string?]"),
          property("tags", "set<string>"), property("marks", "set<int?>"),
          property("friends", "set<Person>"), property("scores", "map<double>"),
          property("offices", "[Address]"),
          property("pack", "[Dog]", deleteRule: .cascade),
          Property(name: "staff", type: .inverse(model: "Person", property: "boss")),
          Property(name: "draft", type: .value(ValueType(.scalar(.string))), isIgnored: true),
        ]),
      Model(name: "Dog", properties: [property("name", "string")]),
      Model(name: "Firm", properties: [property("name", "string")]),
      Model(
        name: "Address", isEmbedded: true,
        properties: [property("street", "string"), property("city", "string")]),
      Model(name: "Ghost", isAbstract: true, properties: [property("name", "string")]),
    ],
    enums: [
      EnumType(name: "Mood", rawType: .string, cases: [.init(name: "calm", rawValue: .string("c"))])
    ])

  static func property(
    _ name: String, _ type: String, index: Property.Index = .none, isUnique: Bool = false,
    deleteRule: Property.DeleteRule = .nullify
  ) -> Property {
    Property(
      name: name, type: PropertyType(spelling: type, enumNames: ["Mood"])!, index: index,
      isUnique: isUnique, deleteRule: deleteRule)
  }

  static func create(_ schema: Schema = schema) throws -> Database {
    let database = try Database(path: ":memory:")
    try database.configureForStrata()
    try TableLayout(schema).create(
      in: database, lineage: Lineage(beginning: schema), chain: nil)
    return database
  }

  @Test func theStatementsMakeReadableTables() throws {
    let database = try Self.create()

    #expect(
      try database.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%fulltext%' ORDER BY 1"
      ).compactMap { $0[0].ifText } == [
        "Address", "Dog", "Firm", "Person", "Person.dogs", "Person.friends", "Person.marks",
        "Person.notes", "Person.offices", "Person.pack", "Person.scores", "Person.tags", "_strata",
        "_strata_changes",
      ])
    #expect(
      try database.firstValue("SELECT sql FROM sqlite_schema WHERE name = 'Person.dogs'") == """
        CREATE TABLE "Person.dogs" (
          "_owner" INTEGER NOT NULL REFERENCES "Person" ("_row") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "_index" INTEGER NOT NULL,
          "value" INTEGER NOT NULL REFERENCES "Dog" ("_row") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          PRIMARY KEY ("_owner", "_index")
        ) STRICT, WITHOUT ROWID
        """)
    #expect(
      try database.firstValue("SELECT sql FROM sqlite_schema WHERE name = 'Dog'") == """
        CREATE TABLE "Dog" (
          "_row" INTEGER PRIMARY KEY,
          "name" TEXT NOT NULL
        ) STRICT
        """)
  }

  @Test func theSameSchemaGivesTheSameStatements() {
    #expect(TableLayout.statements(for: Self.schema) == TableLayout.statements(for: Self.schema))
  }

  @Test func anAttachedDatabaseGetsTheSameLayout() throws {
    let database = try Database(path: ":memory:")
    try database.attach(":memory:", as: "aside")
    let layout = TableLayout(Self.schema)
    for statement in layout.statements(in: "aside") { try database.prepare(statement).run() }

    let expected = try DatabaseLayout(expectedOf: layout)
    #expect(try DatabaseLayout(of: database, in: "aside").differences(from: expected) == [])
    #expect(try DatabaseLayout(of: database).tables.isEmpty)
  }

  @Test func everyReferenceIsIndexed() throws {
    let database = try Self.create()
    // SQLite's own advice: a child key without an index makes deletes scan.
    let tables = try database.rows("SELECT name FROM pragma_table_list WHERE type = 'table'")
    for table in tables.compactMap({ $0[0].ifText }) {
      let columns = try database.rows(
        "SELECT \"from\" FROM pragma_foreign_key_list(?)", .text(table))
      for column in columns.compactMap({ $0[0].ifText }) {
        let plan = try database.rows(
          "EXPLAIN QUERY PLAN SELECT 1 FROM \(SQL.identifier(table)) "
            + "WHERE \(SQL.identifier(column)) = 1")
        #expect(plan.allSatisfy { $0[3].ifText?.hasPrefix("SEARCH") == true }, "\(table).\(column)")
      }
    }
  }

  // MARK: Keys

  @Test func aPrimaryKeyTakesOneNull() throws {
    let schema = Schema(
      name: "Test", version: 1,
      models: [
        Model(
          name: "A", primaryKey: ["x", "y"],
          properties: [Self.property("x", "int?"), Self.property("y", "string?")])
      ])
    let database = try Self.create(schema)
    let insert = "INSERT INTO A (x, y) VALUES (?, ?)"
    try database.execute(insert, .null, .null)
    try database.execute(insert, 0, .null)
    try database.execute(insert, 0, "")
    try database.execute(insert, .null, "")

    for values: [SQLiteValue] in [[.null, .null], [0, .null], [0, ""], [.null, ""]] {
      let error = #expect(throws: SQLiteError.self) { try database.execute(insert, values) }
      #expect(error?.constraint == .unique)
    }
  }

  @Test func aSetHoldsEachValueOnce() throws {
    let database = try Self.create(Self.owners)
    try database.execute("INSERT INTO A (_row) VALUES (1)")
    for value in [SQLiteValue.integer(1), .null] {
      try database.execute("INSERT INTO \"A.marks\" (_owner, value) VALUES (1, ?)", value)
      let error = #expect(throws: SQLiteError.self) {
        try database.execute("INSERT INTO \"A.marks\" (_owner, value) VALUES (1, ?)", value)
      }
      #expect(error?.primaryCode == .constraint)
    }
  }

  // MARK: Delete rules

  static let owners = Schema(
    name: "Test", version: 1,
    models: [
      Model(
        name: "A",
        properties: [
          property("link", "B?"), property("denied", "B?", deleteRule: .deny),
          property("cascading", "B?", deleteRule: .cascade), property("list", "[B]"),
          property("pack", "[B]", deleteRule: .cascade), property("home", "E?"),
          property("homes", "[E]"), property("marks", "set<int?>"),
        ]),
      Model(name: "B", properties: [property("name", "string")]),
      Model(
        name: "E", isEmbedded: true,
        properties: [property("inner", "E?"), property("name", "string")]),
    ])

  private func count(_ database: Database, _ table: String) throws -> SQLiteValue? {
    try database.firstValue("SELECT count(*) FROM \(SQL.identifier(table))")
  }

  @Test func nullifyEmptiesLinksAndLists() throws {
    let database = try Self.create(Self.owners)
    try database.execute("INSERT INTO B (_row, name) VALUES (10, 'x')")
    try database.execute("INSERT INTO A (_row, link) VALUES (1, 10)")
    try database.execute("INSERT INTO \"A.list\" VALUES (1, 1, 10)")
    try database.execute("DELETE FROM B")

    #expect(try database.rows("SELECT _row, link FROM A") == [[1, .null]])
    #expect(try count(database, "A.list") == 0)
  }

  @Test func denyRefusesAtCommitUnlessTheLinkIsGone() throws {
    let database = try Self.create(Self.owners)
    try database.execute("INSERT INTO B (_row, name) VALUES (10, 'x')")
    try database.execute("INSERT INTO A (_row, denied) VALUES (1, 10)")

    let error = #expect(throws: SQLiteError.self) {
      try database.transaction { try database.execute("DELETE FROM B") }
    }
    #expect(error?.constraint == .foreignKey)
    try database.transaction {
      try database.execute("DELETE FROM B")
      try database.execute("DELETE FROM A")
    }
    #expect(try count(database, "B") == 0)
  }

  @Test(arguments: ["link", "list"])
  func cascadeDeletesTheHolder(kind: String) throws {
    let database = try Self.create(Self.owners)
    try database.execute("INSERT INTO B (_row, name) VALUES (10, 'x'), (11, 'y')")
    try database.execute("INSERT INTO A (_row) VALUES (1), (2)")
    if kind == "link" {
      try database.execute("UPDATE A SET cascading = 9 + _row")
    } else {
      try database.execute("INSERT INTO \"A.pack\" VALUES (1, 1, 10), (1, 2, 11), (2, 1, 11)")
    }
    try database.execute("DELETE FROM B WHERE _row = 10")

    #expect(try database.rows("SELECT _row FROM A") == [[2]])
    #expect(try database.rows("SELECT _owner FROM \"A.pack\"") == (kind == "link" ? [] : [[2]]))
  }

  @Test func embeddedObjectsGoWithTheirOwner() throws {
    let database = try Self.create(Self.owners)
    try database.execute(
      "INSERT INTO E (_row, inner, name) VALUES (1, 2, 'a'), (2, 3, 'b'), (3, NULL, 'c'), "
        + "(4, NULL, 'd'), (5, NULL, 'e'), (6, NULL, 'f')")
    try database.execute("INSERT INTO A (_row, home) VALUES (1, 1), (2, 4)")
    try database.execute("INSERT INTO \"A.homes\" VALUES (1, 1, 5), (2, 1, 6)")
    try database.execute("DELETE FROM A WHERE _row = 1")

    #expect(try database.rows("SELECT _row FROM E ORDER BY _row") == [[4], [6]])
  }

  @Test func aReplacedEmbeddedObjectGoes() throws {
    let database = try Self.create(Self.owners)
    try database.execute("INSERT INTO E (_row, name) VALUES (1, 'a'), (2, 'b')")
    try database.execute("INSERT INTO A (_row, home) VALUES (1, 1)")
    try database.execute("UPDATE A SET home = 2")

    #expect(try database.rows("SELECT _row FROM E") == [[2]])
  }

  @Test func anEmbeddedObjectHasOnePlace() throws {
    let database = try Self.create(Self.owners)
    try database.execute("INSERT INTO E (_row, name) VALUES (1, 'a')")
    try database.execute("INSERT INTO A (_row, home) VALUES (1, 1)")

    #expect(throws: SQLiteError.self) {
      try database.execute("INSERT INTO A (_row, home) VALUES (2, 1)")
    }
  }

  @Test func fulltextFollowsTheTable() throws {
    let schema = Schema(
      name: "Test", version: 1,
      models: [Model(name: "A", properties: [Self.property("bio", "string?", index: .fulltext)])])
    let database = try Self.create(schema)
    func found(_ word: String) throws -> [[SQLiteValue]] {
      try database.rows(
        "SELECT rowid FROM \"A.bio.fulltext\" WHERE \"A.bio.fulltext\" MATCH ? ORDER BY 1",
        .text(word))
    }
    try database.execute("INSERT INTO A VALUES (1, 'quick fox'), (2, 'lazy dog'), (3, NULL)")
    try database.execute("UPDATE A SET bio = 'quick dog' WHERE _row = 2")
    #expect(try found("quick") == [[1], [2]])
    #expect(try found("lazy") == [])
    try database.execute("DELETE FROM A WHERE _row = 1")
    try database.execute("UPDATE A SET bio = 'quick' WHERE _row = 3")
    #expect(try found("quick") == [[2], [3]])
    try database.execute(
      "INSERT INTO \"A.bio.fulltext\"(\"A.bio.fulltext\") VALUES('integrity-check')")
  }
}
