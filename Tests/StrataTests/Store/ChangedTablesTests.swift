import Foundation
import StrataFiles
import StrataSQLite
import StrataSchema
import StrataTestModels
import Testing

@testable import Strata

/// Files whose tables something else has changed: each is refused with a sentence before anything is read or written, and what
/// stands in it never runs.
@Suite struct ChangedTablesTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.db") }

  init() throws {
    folder = try TemporaryFolder()
    let store = try Store(path: path, schema: TestingSchema.self)
    try store.write {
      let ada = Person(id: 1, name: "Ada")
      ada.dogs.append(Dog(name: "Rex"))
      ada.home = Address(street: "Main Street")
      try store.add(ada)
      try store.add(Person(id: 2, name: "Alan"))
    }
    store.close()
  }

  /// A change behind the file's back, in SQL; `SCHEMA` may write `sqlite_schema`.
  private func change(_ sql: String) throws {
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    try database.set(.defensive, false)
    try database.setPragma("foreign_keys", false)
    try database.setPragma("legacy_alter_table", true)
    try database.setPragma("writable_schema", true)
    try database.executeScript(sql)
  }

  private static func edited(_ table: String, _ old: String, _ new: String) -> String {
    """
    UPDATE sqlite_schema SET sql = replace(sql, \(SQL.literal(old)), \(SQL.literal(new))) \
    WHERE type = 'table' AND name = '\(table)'
    """
  }

  /// What nobody may read.
  static let unreadable: [(change: String, sentence: String)] = [
    ("ALTER TABLE Dog DROP COLUMN color", "in Dog the column color is missing"),
    ("ALTER TABLE Dog RENAME COLUMN color TO colour", "in Dog the column color is missing"),
    ("DROP TABLE \"Person.dogs\"", "in Person.dogs the table is missing"),
    ("DROP TABLE _strata_changes", "in _strata_changes the table is missing"),
    (
      "ALTER TABLE Dog RENAME TO Hound; CREATE VIEW Dog AS SELECT * FROM Hound",
      "in Dog it is a view, not a table"
    ),
    (
      "ALTER TABLE Dog RENAME TO Hound; CREATE VIRTUAL TABLE Dog USING fts5(name, color, age)",
      "in Dog it is a virtual table, not a table"
    ),
    (
      edited("Dog", "\"age\" INTEGER", "\"age\" TEXT"),
      "in Dog the column age is TEXT NOT NULL, expected INTEGER NOT NULL"
    ),
    (
      edited("Dog", "\"age\" INTEGER NOT NULL", "\"age\" INTEGER"),
      "in Dog the column age is INTEGER, expected INTEGER NOT NULL"
    ),
    (edited("Dog", ") STRICT", ")"), "in Dog the table is not STRICT"),
    (
      edited("Dog", "\"age\" INTEGER NOT NULL", "\"age\" INTEGER NOT NULL CHECK (age < 100)"),
      "in Dog its definition says CHECK"
    ),
    (
      edited("Dog", "\"name\" TEXT NOT NULL", "\"name\" TEXT NOT NULL COLLATE NOCASE"),
      "in Dog its definition says COLLATE"
    ),
    (
      edited("Dog", "\"age\" INTEGER NOT NULL", "\"age\" INTEGER NOT NULL ON CONFLICT IGNORE"),
      "in Dog its definition says CONFLICT"
    ),
    (
      "ALTER TABLE Dog DROP COLUMN age; ALTER TABLE Dog ADD COLUMN age INTEGER AS (7) VIRTUAL",
      "in Dog the column age is INTEGER, computed, expected INTEGER NOT NULL"
    ),
    (
      """
      UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'Country') \
      WHERE name = 'Dog'
      """, "Country and Dog stand in the same place of the file"
    ),
  ]

  /// What may be read, and not written.
  static let unwritable: [(change: String, sentence: String)] = [
    (
      "CREATE TRIGGER spy AFTER INSERT ON Dog BEGIN UPDATE Person SET name = 'Eve'; END",
      "in Dog the trigger AFTER INSERT ON Dog BEGIN UPDATE Person"
    ),
    (
      "CREATE TRIGGER spy BEFORE DELETE ON Person BEGIN SELECT RAISE(IGNORE); END",
      "in Person the trigger BEFORE DELETE ON Person"
    ),
    (
      "CREATE TRIGGER spy AFTER INSERT ON Dog BEGIN SELECT strata_deleted(0, 1); END",
      "in Dog the trigger AFTER INSERT ON Dog BEGIN SELECT strata_deleted(0, 1); END is not of the schema"
    ),
    ("DROP TRIGGER \"Person.home.deleted\"", "in Person the trigger AFTER DELETE ON"),
    (
      "DROP INDEX \"Person.primaryKey\"",
      "in Person the index UNIQUE ON \"Person\" (\"id\") is missing"
    ),
    ("CREATE UNIQUE INDEX spy ON Dog (name)", "in Dog the index UNIQUE ON Dog (name)"),
    ("CREATE INDEX spy ON Dog (lower(name))", "in Dog the index ON Dog (lower(name))"),
    ("ALTER TABLE Dog ADD COLUMN note TEXT", "in Dog the column note is not of the schema"),
  ]

  @Test(arguments: unreadable)
  func whatCannotBeReadIsRefused(change sql: String, sentence: String) throws {
    try change(sql)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))

    for readOnly in [false, true] {
      var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
      configuration.readOnly = readOnly
      let error = #expect(throws: StoreError.self) { try Store(configuration: configuration) }
      #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
      #expect(error?.code == "STR5004")
    }
    let dynamic = #expect(throws: StoreError.self) { try Store(path: path) }
    #expect(dynamic?.description.contains(sentence) == true)
    let exported = #expect(throws: MigrationError.self) {
      try ObjectExporter.export(path, target: nil) { _ in }
    }
    #expect(exported?.kind == .fileDamaged)
    #expect(exported?.description.contains(sentence) == true)
    let inspection = try FileInspector().inspect(path, target: nil)
    #expect(inspection.status == .damaged)
    #expect(inspection.problem?.description.contains(sentence) == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test(arguments: unwritable)
  func whatWouldChangeWritesIsReadOnly(change sql: String, sentence: String) throws {
    try change(sql)

    let error = #expect(throws: StoreError.self) {
      try Store(path: path, schema: TestingSchema.self)
    }
    #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
    let imported = #expect(throws: MigrationError.self) {
      try ObjectImporter.run(into: path, target: nil, model: nil) { nil }
    }
    #expect(imported?.description.contains(sentence) == true)
    #expect(try FileInspector().inspect(path, target: nil).status == .damaged)

    var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    configuration.readOnly = true
    let store = try Store(configuration: configuration)
    #expect(try store.objects(Person.self).sorted(by: "id").map(\.name) == ["Ada", "Alan"])
    #expect(try store.objects(Person.self).filter("id = 1").first?.dogs.map(\.name) == ["Rex"])
    var lines: [String] = []
    try ObjectExporter.export(path, target: nil) { lines.append($0) }
    #expect(lines.count == 3)
  }

  /// Each of two tables stands where the other one did: their definitions are right, and what is there is of other types.
  @Test func tablesThatChangedPlacesAreASentence() throws {
    try change(
      """
      CREATE TEMP TABLE places AS SELECT name, rootpage FROM sqlite_schema; \
      UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM places WHERE name = \
      CASE sqlite_master.name WHEN 'Dog' THEN 'Person' ELSE 'Dog' END) \
      WHERE name IN ('Dog', 'Person')
      """)

    let inspection = try FileInspector().inspect(path, target: nil)

    #expect(inspection.status == .damaged)
    #expect(inspection.problem?.description.contains(" cannot be read: in ") == true)
    let imported = #expect(throws: MigrationError.self) {
      try ObjectImporter.run(into: path, target: nil, model: nil) { nil }
    }
    #expect(imported?.kind == .fileDamaged)
  }

  /// Another program may have its own tables, and an index that only makes it faster.
  @Test(arguments: [
    "CREATE TABLE notes (a); CREATE VIEW allDogs AS SELECT * FROM Dog",
    "CREATE INDEX mine ON Dog (color, age)", "DROP INDEX \"Person.age.index\"", "ANALYZE",
    // As an upgrade leaves a table.
    """
    ALTER TABLE Dog RENAME TO Hound; ALTER TABLE Hound RENAME TO "Dog";
    ALTER TABLE Dog DROP COLUMN age; ALTER TABLE Dog ADD COLUMN age INTEGER NOT NULL DEFAULT 3
    """,
  ])
  func whatIsHarmlessIsNot(sql: String) throws {
    try change(sql)
    let store = try Store(path: path, schema: TestingSchema.self)
    try store.write { try store.add(Dog(name: "Fido")) }
    #expect(store.objects(Dog.self).map(\.name) == ["Rex", "Fido"])
    #expect(try FileInspector().inspect(path, target: nil).status == .current)
  }

  /// While a store has it open.
  @Test func anOpenStoreNoticesAtItsNextTransaction() throws {
    let store = try Store(path: path, schema: TestingSchema.self)
    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
    try store.invalidate()
    try change("ALTER TABLE Dog DROP COLUMN color")

    let error = #expect(throws: StoreError.self) { try store.refresh() }
    #expect(error?.description.contains("in Dog the column color is missing") == true)
    #expect(throws: StoreError.self) { try store.write {} }
  }

  /// Its objects look like those of a store that was closed, and not like others that are alive and empty.
  @Test func whatAStoreCanNotReadAnyMoreIsInvalidated() throws {
    let store = try Store(path: path, schema: TestingSchema.self)
    let rex = try #require(store.objects(Dog.self).first)
    let ada = try #require(store.objects(Person.self).first)
    #expect(rex.name == "Rex" && !rex.isInvalidated && !ada.dogs.isInvalidated)
    try store.invalidate()
    try change("ALTER TABLE Dog DROP COLUMN color")

    #expect(throws: StoreError.self) { try store.refresh() }
    #expect(rex.isInvalidated && ada.isInvalidated && ada.dogs.isInvalidated)
  }

  // MARK: - What the file says of itself

  static let facts: [(sql: String, sentence: String)] = [
    ("UPDATE _strata SET value = -5 WHERE key = 'nextRow'", "nextRow in _strata is -5"),
    ("UPDATE _strata SET value = 0 WHERE key = 'nextRow'", "nextRow in _strata is 0"),
    (
      "UPDATE _strata SET value = 9223372036854775807 WHERE key = 'nextRow'",
      "nextRow in _strata is 9223372036854775807"
    ),
    (
      "UPDATE _strata SET value = 'many' WHERE key = 'nextRow'",
      "nextRow in _strata is missing or of another type"
    ),
    (
      "DELETE FROM _strata WHERE key = 'nextRow'",
      "nextRow in _strata is missing or of another type"
    ),
    ("UPDATE _strata SET value = -1 WHERE key = 'transaction'", "transaction in _strata is -1"),
    (
      "UPDATE _strata SET value = 9223372036854775807 WHERE key = 'transaction'",
      "transaction in _strata is 9223372036854775807"
    ),
    (
      "DELETE FROM _strata WHERE key = 'transaction'",
      "transaction in _strata is missing or of another type"
    ),
    (
      "UPDATE _strata SET value = 9223372036854775807 WHERE key = 'version'",
      "version in _strata is 9223372036854775807"
    ),
    ("UPDATE _strata SET value = -1 WHERE key = 'version'", "version in _strata is -1"),
    ("UPDATE _strata SET value = x'00' WHERE key = 'chain'", "chain in _strata is missing or"),
    ("UPDATE _strata SET value = 'abc' WHERE key = 'shape'", "shape in _strata is missing or"),
    ("UPDATE _strata SET value = 0 WHERE key = 'layout'", "layout in _strata is 0"),
    (
      "UPDATE _strata SET value = '{' WHERE key = 'definition'",
      "its own schema is damaged"
    ),
    (
      "UPDATE _strata SET value = replace(value, '\"Dog\"', '\"Cat\"') WHERE key = 'definition'",
      "the schema that it carries"
    ),
    ("UPDATE _strata SET value = '[' WHERE key = 'lineage'", "its own schema is damaged"),
    (
      "UPDATE _strata SET value = '{\"Dog\":[9223372036854775807,\"Dog\"]}' WHERE key = 'lineage'",
      ""
    ),
    (
      """
      UPDATE _strata SET value = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' \
      WHERE key = 'shape'
      """, "its shape in _strata"
    ),
  ]

  @Test(arguments: facts)
  func aWrongFactIsASentence(sql: String, sentence: String) throws {
    try change(sql)
    let inspection = try FileInspector().inspect(path, target: nil)
    guard !sentence.isEmpty else { return }
    #expect(inspection.status == .damaged, "\(inspection)")
    #expect(
      inspection.problem?.description.contains(sentence) == true, "\(inspection.problem as Any)")
    let imported = #expect(throws: MigrationError.self) {
      try ObjectImporter.run(into: path, target: nil, model: nil) { nil }
    }
    #expect(imported?.kind == .fileDamaged)
  }

  // MARK: - Cells

  /// A cell that SQLite would never have let in: bytes that were flipped, a table that was not STRICT for a while.
  private func smuggle(_ sql: String, into table: String) throws {
    let text = try #require(
      try Database(path: path, mode: .readOnly).firstValue(
        "SELECT sql FROM sqlite_schema WHERE name = ?", .text(table))?.ifText)
    let loose = text.replacingOccurrences(of: ") STRICT, ", with: ") ")
      .replacingOccurrences(of: ") STRICT", with: ")")
      .replacingOccurrences(of: "INTEGER NOT NULL", with: "BLOB")
      .replacingOccurrences(of: "TEXT NOT NULL", with: "BLOB")
    try change("UPDATE sqlite_schema SET sql = \(SQL.literal(loose)) WHERE name = '\(table)'")
    try change(sql)
    try change("UPDATE sqlite_schema SET sql = \(SQL.literal(text)) WHERE name = '\(table)'")
  }

  @Test(arguments: [
    ("UPDATE Dog SET age = 'old'", "in age int is expected", "Dog"),
    ("UPDATE Dog SET name = 7", "in name", "Dog"),
    ("UPDATE Dog SET color = x'00ff'", "in color", "Dog"),
    ("UPDATE Dog SET name = NULL", "has no value in name, which is required", "Dog"),
  ])
  func aCellOfAnotherTypeIsASentence(sql: String, sentence: String, table: String) throws {
    try smuggle(sql, into: table)

    let exported = #expect(throws: MigrationError.self) {
      try ObjectExporter.export(path, target: nil) { _ in }
    }
    #expect(exported?.description.contains("Dog _row 3") == true, "\(exported as Any)")
    if !sql.contains("NULL") {
      let store = try Store(path: path, schema: TestingSchema.self)
      for dog in store.objects(Dog.self) { _ = (dog.age, dog.name, dog.color) }
      let error = #expect(throws: StoreError.self) { try store.refresh() }
      #expect(error?.description.contains("Dog _row 3 cannot be read") == true, "\(error as Any)")
    }
  }

  @Test(arguments: ["'first'", "9223372036854775807", "-9223372036854775808"])
  func anOrderKeyThatIsNoneIsASentence(key: String) throws {
    try smuggle("UPDATE \"Person.dogs\" SET _index = \(key)", into: "Person.dogs")
    let store = try Store(path: path, schema: TestingSchema.self)
    let error = #expect(throws: StoreError.self) {
      try store.write {
        for person in store.objects(Person.self) { person.dogs.append(Dog(name: "Fido")) }
      }
    }
    #expect(error?.description.contains("an order key of \"Person.dogs\" is") == true)
  }

  /// Programs that add rows should count; two objects never get one number because they did not.
  @Test func aCounterThatIsTooLowIsNeverUsed() throws {
    try change("UPDATE _strata SET value = 1 WHERE key = 'nextRow'")
    let lines = [#"{"$model":"Dog","name":"Fido"}"#]
    var rest = lines[...]
    _ = try ObjectImporter.run(into: path, target: nil, model: nil) {
      rest.popFirst().map { Array($0.utf8) }
    }
    try change("UPDATE _strata SET value = 2 WHERE key = 'nextRow'")
    let store = try Store(path: path, schema: TestingSchema.self)
    try store.write { try store.add(Dog(name: "Toby")) }
    try change("INSERT INTO Country (_row, code, name) VALUES (900, 'FR', 'France')")
    try store.write { try store.add(Dog(name: "Bello")) }
    store.close()

    let database = try Database(path: path, mode: .readOnly)
    let rows = try database.rows(
      """
      SELECT _row FROM Person UNION ALL SELECT _row FROM Dog UNION ALL SELECT _row FROM Address \
      UNION ALL SELECT _row FROM Country
      """)
    #expect(Set(rows.map { $0[0] }).count == rows.count)
    #expect(rows.count == 8)
    #expect(try StrataMetadata.counter(.nextRow, of: database) == 902)
  }

  @Test func anObjectWithTheLastNumberIsASentence() throws {
    try change("UPDATE Dog SET _row = 9223372036854775807")
    let store = try? Store(path: path, schema: TestingSchema.self)
    let error = #expect(throws: StoreError.self) { try store?.write {} }
    #expect(error?.description.contains("Dog has an object with _row 9223372036854775807") == true)
  }

  @Test func aFileInAnotherTextEncodingIsRefusedAndLeftAlone() throws {
    let other = folder.file("utf16.db")
    let schema = TestingSchema.definition.schema
    do {
      let database = try Database(path: other)
      defer { database.close() }
      try database.setPragma("encoding", "UTF-16le")
      try TableLayout(schema).create(
        in: database, lineage: Lineage(beginning: schema), chain: nil)
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: other))

    let error = #expect(throws: StoreError.self) {
      try Store(path: other, schema: TestingSchema.self)
    }
    #expect(error?.description.contains("its texts are UTF-16le") == true)
    let inspection = try FileInspector().inspect(other, target: nil)
    #expect(inspection.status == .damaged)
    #expect(inspection.problem?.description.contains("its texts are UTF-16le") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == before)
  }
}
