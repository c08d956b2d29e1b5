import Strata
import StrataSQLite
import StrataSchema
import Testing

@Suite struct DatabaseLayoutTests {
  static let schema = Schema(
    name: "Test", version: 1,
    models: [
      Model(
        name: "Person",
        properties: [
          TableLayoutTests.property("name", "string", index: .ordinary),
          TableLayoutTests.property("boss", "Person?"),
          TableLayoutTests.property("home", "Address?"),
          TableLayoutTests.property("age", "int?"),
        ]),
      Model(
        name: "Address", isEmbedded: true, properties: [TableLayoutTests.property("city", "string")]
      ),
    ])

  private func differences(after sql: String) throws -> [String] {
    let database = try TableLayoutTests.create(Self.schema)
    try database.setPragma("foreign_keys", false)
    try database.executeScript(sql)
    let expected = try DatabaseLayout(expectedOf: TableLayout(Self.schema))
    return try DatabaseLayout(of: database).differences(from: expected).map {
      "\($0.table): \($0.description)"
    }
  }

  /// How a migration brings columns and tables there must not matter.
  @Test(arguments: [
    "", "ALTER TABLE Person DROP COLUMN age; ALTER TABLE Person ADD COLUMN age INTEGER DEFAULT 7",
    """
    ALTER TABLE Person RENAME TO Human; ALTER TABLE Human RENAME TO "Person";
    ALTER TABLE Person RENAME COLUMN name TO title; ALTER TABLE Person RENAME COLUMN title TO name
    """,
    "DROP INDEX \"Person.name.index\"; CREATE INDEX other ON \"Person\" (\"name\")",
    "ANALYZE",
  ])
  func theSameLayout(sql: String) throws {
    #expect(try differences(after: sql) == [])
  }

  @Test(arguments: [
    ("DROP INDEX \"Person.name.index\"", ["Person: the index ON \"Person\" (\"name\") is missing"]),
    ("CREATE TABLE other (a)", ["other: the table is not of the schema"]),
    ("ALTER TABLE Person DROP COLUMN age", ["Person: the column age is missing"]),
    (
      """
      ALTER TABLE Person DROP COLUMN age;
      ALTER TABLE Person ADD COLUMN age INTEGER NOT NULL DEFAULT 0
      """, ["Person: the column age is INTEGER NOT NULL, expected INTEGER"]
    ),
    ("DROP TABLE _strata_changes", ["_strata_changes: the table is missing"]),
  ])
  func anotherLayout(sql: String, expected: [String]) throws {
    #expect(try differences(after: sql) == expected)
  }

  /// Swift's strings are equal, and SQLite's names are not.
  @Test func namesAreComparedByTheirBytes() throws {
    func layout(_ model: String, _ property: String) throws -> DatabaseLayout {
      try DatabaseLayout(
        expectedOf: TableLayout(
          Schema(
            name: "Test", version: 1,
            models: [Model(name: model, properties: [TableLayoutTests.property(property, "int")])]))
      )
    }
    func differences(_ found: DatabaseLayout, _ expected: DatabaseLayout) -> [String] {
      found.differences(from: expected).map(\.description)
    }
    let (one, other) = ("caf\u{E9}", "cafe\u{301}")
    #expect(try differences(layout("P", one), layout("P", one)) == [])
    #expect(
      try differences(layout("P", one), layout("P", other))
        == ["the name of the column \(one) has other Unicode scalars"])
    #expect(
      try differences(layout(one, "a"), layout(other, "a"))
        .contains("the table's name has other Unicode scalars"))
  }

  @Test func triggersAndReferencesCount() throws {
    #expect(
      try differences(after: "DROP TRIGGER \"Person.home.deleted\"").first?
        .hasPrefix("Person: the trigger AFTER DELETE ON \"Person\"") == true)
    #expect(
      try differences(
        after: """
          DROP INDEX "Person.boss.link";
          ALTER TABLE Person DROP COLUMN boss; ALTER TABLE Person ADD COLUMN boss INTEGER;
          CREATE INDEX "Person.boss.link" ON "Person" ("boss")
          """) == [
          "Person: the reference boss → Person._row ON DELETE SET NULL ON UPDATE NO ACTION is missing",
          "Person: 1 references are deferred, expected 2",
        ])
  }
}
