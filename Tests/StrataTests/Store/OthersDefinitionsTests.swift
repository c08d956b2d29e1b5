import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

/// Definitions of other programs in a store's file that call functions which SQLite 3.40 takes from no file, as those of JSON.
@Suite struct OthersDefinitionsTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws {
    test = try TestStore()
    _ = try test.added(Dog(name: "Rex"))
  }

  private func execute(_ statements: String...) throws {
    let other = try Database(path: test.folder.file("a.db"), mode: .readWrite)
    defer { other.close() }
    try other.set(.trustedSchema, true)
    for statement in statements { try other.execute(statement) }
  }

  @Test func aStoreOpensBesideThem() throws {
    try execute(
      "CREATE TABLE notes (json TEXT, title AS (json ->> '$.title'))",
      "CREATE INDEX years ON notes (json_extract(json, '$.year'))")

    let opened = try test.open()

    #expect(opened.objects(Dog.self).map(\.name) == ["Rex"])
    try opened.write { try opened.add(Dog(name: "Bo")) }
    #expect(opened.objects(Dog.self).count == 2)
  }

  @Test func anOpenStoreGoesOnWhenTheyCome() throws {
    #expect(store.objects(Dog.self).count == 1)
    try execute("CREATE TABLE notes (json TEXT, title AS (json ->> '$.title'))")

    try store.refresh()
    try store.write { try store.add(Dog(name: "Bo")) }

    #expect(store.objects(Dog.self).map(\.name) == ["Rex", "Bo"])
    #expect(try test.open().objects(Dog.self).count == 2)
  }

  /// A foreign key of another table takes its rows along; what their triggers call must not be ours.
  @Test(arguments: ["", ", title AS (json ->> '$.title')"])
  func theirTriggersTellTheStoreNothing(column: String) throws {
    try execute(
      "CREATE TABLE notes (json TEXT, dog INTEGER REFERENCES Dog (_row) ON DELETE CASCADE\(column))",
      "CREATE TRIGGER told AFTER DELETE ON notes BEGIN SELECT strata_deleted(99, 1); END",
      "INSERT INTO notes (dog) SELECT _row FROM Dog")
    let opened = try test.open()

    #expect(throws: StoreError.self) {
      try opened.write { try opened.delete(opened.objects(Dog.self)[0]) }
    }

    #expect(opened.objects(Dog.self).map(\.name) == ["Rex"])
  }
}
