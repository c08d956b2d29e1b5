import RealmFixtures
import Strata
import StrataAdopt
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataCLI
@testable import StrataFiles

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
    #expect(try FileCheck(database: database, schema: schema).run() == [])
  }

  // MARK: - Keys

  private static func file(_ key: FixtureClass.Column, _ count: Int) -> [UInt8] {
    RealmFixture(classes: [
      FixtureClass(name: "Person", columns: [key], count: count, primaryKey: 0)
    ])
    .file
  }

  /// The sentence that refuses a file, from behind its name; empty where it is adopted.
  private func refusal(_ file: [UInt8], isDryRun: Bool = false) throws -> String {
    let path = try scratch.write("a.realm", file)
    do {
      let adoption = try RealmAdoption(path: path, keyFile: nil, name: "App")
      if isDryRun {
        let project = try AdoptedProject(adoption.history, date: "2026-11-22")
        _ = try adoption.bring(into: nil, of: project)
      } else {
        try scratch.adopt(adoption)
      }
      return ""
    } catch let error as CommandFailure {
      return String(error.message.dropFirst(path.count))
    }
  }

  private static let help =
    " A database has one object with a key: change or delete one of the two in the Realm file, and adopt it again. Nothing was written."

  @Test("Two objects with one primary key are refused by their names", arguments: [false, true])
  func equalKeys(isDryRun: Bool) throws {
    let numbers = Self.file(
      .init(name: "id", type: 0) { writer, _ in writer.integers([5, 1, 2, 1]) }, 4)
    let nulls = Self.file(
      .init(name: "id", type: 0, attributes: FixtureFiles.nullable) { writer, _ in
        writer.optionalIntegers([nil, nil])
      }, 2)
    let texts = Self.file(
      .init(name: "id", type: 2) { writer, _ in writer.texts([Array("a".utf8), [0xFF], [0xFE]]) },
      3)

    #expect(
      try refusal(numbers, isDryRun: isDryRun)
        == ": objects 2 and 4 of Person have one primary key, id: 1." + Self.help)
    #expect(
      try refusal(nulls, isDryRun: isDryRun)
        == ": objects 1 and 2 of Person have one primary key, id: null." + Self.help)
    #expect(
      try refusal(texts, isDryRun: isDryRun)
        == ": objects 2 and 3 of Person have one primary key, id: the bytes ff and the bytes fe, which are equal where what is no UTF-8 is replaced."
        + Self.help)
  }

  @Test("Texts that look alike are keys of their own")
  func keysThatLookAlike() throws {
    let texts = Self.file(
      .init(name: "id", type: 2) { writer, _ in
        writer.texts([Array("\u{E9}".utf8), Array("e\u{301}".utf8)])
      }, 2)
    #expect(try refusal(texts, isDryRun: true) == "")
    #expect(try refusal(texts) == "")
  }
}
