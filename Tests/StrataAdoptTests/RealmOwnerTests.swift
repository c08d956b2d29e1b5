import RealmFixtures
import StrataAdopt
import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataCLI

@Suite("Embedded objects and keys of Realm files that are not the only ones")
struct RealmOwnerTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  /// Two persons and a list of the third lead to the first address. The second one, in that list, also stands in a list of its own.
  @Test("An embedded object has the first of its owners; the other links are left out, a line each")
  func twoOwners() throws {
    let embedded: UInt64 = 1
    let file = RealmFixture(classes: [
      FixtureClass(
        name: "Person",
        columns: [
          .init(name: "home", type: 12, attributes: FixtureFiles.nullable, target: 1) { writer, _ in
            writer.integers([1, 1, 0])
          },
          .init(name: "others", type: 13, attributes: FixtureFiles.list, target: 1) { writer, _ in
            writer.refs([0, 0, writer.integers([0, 1])])
          },
        ], count: 3),
      FixtureClass(
        name: "Address",
        columns: [
          .init(name: "street", type: 2) { writer, _ in
            writer.texts([Array("Elm".utf8), Array("Oak".utf8)])
          },
          .init(name: "inner", type: 13, attributes: FixtureFiles.list, target: 1) { writer, _ in
            writer.refs([0, writer.integers([1])])
          },
        ], count: 2, flags: embedded),
    ]).file

    let (_, data) = try scratch.adopt(try scratch.write("a.realm", file))

    #expect(data.transfer.objects == ["Person": 3, "Address": 2])
    #expect(data.transfer.elements == 1)
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl") == """
        {"$id":2,"$model":"Person","property":"home","reason":"the embedded object has another owner already","value":{"$id":4,"$model":"Address"}}
        {"$id":3,"$model":"Person","element":0,"property":"others","reason":"the embedded object has another owner already","value":{"$id":4,"$model":"Address"}}
        {"$id":5,"$model":"Address","element":0,"property":"inner","reason":"the embedded object has another owner already","value":{"$id":5,"$model":"Address"}}

        """)
    let database = try scratch.database()
    let homes = Array(try database.rows("SELECT _row, home FROM Person ORDER BY _row"))
    #expect(
      homes == [
        [.integer(1), .integer(4)], [.integer(2), .null], [.integer(3), .null],
      ])
    let schema = try FileInspector().stored(at: scratch.path + "/out/App.db").schema
    #expect(FileCheck(database: database, schema: schema).run() == [])
  }
}
