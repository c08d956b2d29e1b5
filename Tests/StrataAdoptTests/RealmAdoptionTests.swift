import Foundation
import RealmFixtures
import Strata
import StrataAdopt
import StrataRealm
import StrataSQLite
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI
@testable import StrataFiles

@Suite("Adopting Realm files")
struct RealmAdoptionTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  @Test("The schema says what the file's does")
  func schema() throws {
    let (project, _) = try scratch.adopt(
      try scratch.write("a.realm", FixtureFiles.all(count: 10).file))
    let text = try scratch.text("out/schemas/versions/7.yaml")
    #expect(
      text == """
        schema: App
        version: 7
        language: 1
        models:
          All:
            primaryKey: [id]
            properties:
              any: any?
              bytes: data?
              count: int?
              date: date?
              decimal: decimal
              double: double?
              flag: bool?
              float: float
              huge: string?
              id: int
              links: [All]
              long: string?
              many: [int]
              names: set<string>
              numbers: [int]
              object: objectId?
              parent: All?
              pieces: data
              scores: map<double>
              short: string?
              uuid: uuid
          Other:
            properties:
              name: string

        """)
    #expect(project.findings.errorCount == 0)
  }

  @Test("Identity, links, lists in their order, sets and dictionaries stand in the database")
  func objects() throws {
    let (_, data) = try scratch.adopt(
      try scratch.write("a.realm", FixtureFiles.all(count: 300).file))
    #expect(data.transfer.objects == ["All": 300, "Other": 1])
    let database = try scratch.database()
    func rows(_ sql: String) throws -> [[SQLiteValue]] { Array(try database.rows(sql)) }
    #expect(
      try rows("SELECT count(*), min(_row), max(_row) FROM \"All\"") == [
        [.integer(300), .integer(1), .integer(300)]
      ])
    #expect(
      try rows("SELECT id, count, flag, short, parent FROM \"All\" WHERE _row = 2") == [
        [.integer(-2), .integer(1 << 33), .integer(1), .text("text 1"), .integer(1)]
      ])
    #expect(
      try rows("SELECT value FROM \"All.many\" WHERE _owner = 5 ORDER BY _index").flatMap { $0 }
        == [0, 4, 1, 4, 2, 4].map { .integer($0) })
    #expect(
      try rows("SELECT value FROM \"All.links\" WHERE _owner = 5 ORDER BY _index") == [
        [.integer(1)], [.integer(2)],
      ])
    #expect(
      try rows("SELECT value FROM \"All.names\" WHERE _owner = 2 ORDER BY value") == [
        [.text("a")], [.text("b1")],
      ])
    #expect(
      try rows("SELECT decimal, \"any\" FROM \"All\" WHERE _row = 6") == [
        [.text("5.25"), .blob([9, 0, 0, 0, 0, 0, 0, 1, 45] + Array("Other".utf8))]
      ])
    #expect(try rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try rows("PRAGMA integrity_check") == [[.text("ok")]])
  }

  @Test("What the database cannot hold is a line of a file beside it, and named")
  func leftOut() throws {
    let (_, data) = try scratch.adopt(
      try scratch.write("a.realm", FixtureFiles.all(count: 8).file))
    let lines = try scratch.text("out/LEFT-OUT.jsonl").split(separator: "\n").map {
      try JSON.parse(String($0))
    }
    #expect(
      lines.filter { $0["property"]?.string == "any" }.map(\.canonicalText) == [
        #"{"$id":5,"$model":"All","property":"any","reason":"the date is kept to the nearest Double of seconds","value":{"$nanoseconds":5,"$seconds":4000000}}"#,
        #"{"$id":7,"$model":"All","property":"any","reason":"a value of type any is no collection","value":[6,true]}"#,
        #"{"$id":8,"$model":"All","property":"any","reason":"a value of type any is no collection","value":{"k":7}}"#,
      ])
    #expect(data.transfer.leftOut == lines.count)
    #expect(
      try scratch.text("out/ADOPTED.md").contains(
        "| All.any | 2 | a value of type any is no collection |"))
  }

  /// Ada embeds the second address, whose lines are the third; no object leads to the first and to the fourth, which is what it embeds.
  @Test("An embedded object that no object owns is left out with all that it embeds, a line each")
  func withoutOwner() throws {
    let embedded: UInt64 = 1
    let names = ["Gone", "Elm", "Inner", "Lost"]
    let file = RealmFixture(classes: [
      FixtureClass(
        name: "Person",
        columns: [
          .init(name: "home", type: 12, attributes: FixtureFiles.nullable, target: 1) { writer, _ in
            writer.integers([2])
          }
        ], count: 1),
      FixtureClass(
        name: "Address",
        columns: [
          .init(name: "street", type: 2) { writer, _ in
            writer.texts(names.map { Array($0.utf8) })
          },
          .init(name: "inner", type: 13, attributes: FixtureFiles.list, target: 1) { writer, _ in
            writer.refs([writer.integers([3]), writer.integers([2]), 0, 0])
          },
        ], count: 4, flags: embedded),
    ]).file

    let (_, data) = try scratch.adopt(try scratch.write("a.realm", file))

    #expect(data.transfer.objects == ["Person": 1, "Address": 2])
    #expect(data.transfer.leftOut == 2)
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl") == """
        {"$id":2,"$model":"Address","reason":"no object owns it: Realm keeps embedded objects whose property is gone","value":{"inner":[{"$id":5,"$model":"Address"}],"street":"Gone"}}
        {"$id":5,"$model":"Address","reason":"no object owns it: Realm keeps embedded objects whose property is gone","value":{"inner":[],"street":"Lost"}}

        """)
    #expect(
      try scratch.text("out/ADOPTED.md").contains(
        "| Address | 2 | no object owns it: Realm keeps embedded objects whose property is gone |"))
    #expect(data.summary.contains("  Address, 2: no object owns it"))
    let database = try scratch.database()
    let streets = Array(try database.rows("SELECT _row, street FROM Address ORDER BY _row"))
    #expect(streets == [[.integer(3), .text("Elm")], [.integer(4), .text("Inner")]])
    let schema = try FileInspector().stored(at: scratch.path + "/out/App.db").schema
    #expect(try FileCheck(database: database, schema: schema).run() == [])
  }

  /// Realm keeps such links for the case that the object returns. Key -5 stands for what was object 3.
  @Test("A link to an object that is gone is null or no element, with a line; a zero is 0")
  func goneLinks() throws {
    func mixed(_ writer: inout RealmWriter) -> Int64 {
      // A link that is gone, the number 7, and a link to the object.
      writer.refs([
        writer.integers([0 << 8 | 2 << 5 | 17, 7 << 8 | 1, 1 << 8 | 2 << 5 | 17]), 0,
        writer.integers([0, -5, 0, 0]),
      ])
    }
    let file = RealmFixture(classes: [
      FixtureClass(
        name: "A",
        columns: [
          .init(name: "one", type: 12, attributes: FixtureFiles.nullable, target: 0) { writer, _ in
            writer.integers([-4])
          },
          .init(name: "some", type: 13, attributes: FixtureFiles.list, target: 0) { writer, _ in
            writer.refs([writer.integers([0, -5, 0])])
          },
          .init(name: "any", type: 6, attributes: FixtureFiles.nullable) { writer, _ in
            let composite = writer.integers([2 << 5 | 17])
            return writer.refs([composite, 0, writer.integers([0, -5])])
          },
          .init(name: "list", type: 6, attributes: FixtureFiles.nullable | FixtureFiles.list) {
            writer, _ in writer.refs([mixed(&writer)])
          },
          .init(name: "set", type: 6, attributes: FixtureFiles.nullable | FixtureFiles.set) {
            writer, _ in writer.refs([mixed(&writer)])
          },
          .init(name: "zero", type: 11) { writer, _ in
            writer.decimals([RealmDecimal(high: UInt64(6176 + 6000) << 49, low: 0)])
          },
        ], count: 1)
    ]).file

    try scratch.adopt(try scratch.write("a.realm", file))

    let rest =
      #""reason":"the link leads to no object that is here","value":{"$key":"3","$table":"class_A"}}"#
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl").split(separator: "\n") == [
        #"{"$id":1,"$model":"A","property":"any",\#(rest)"#,
        #"{"$id":1,"$model":"A","property":"one",\#(rest)"#,
        #"{"$id":1,"$model":"A","element":0,"property":"list",\#(rest)"#,
        #"{"$id":1,"$model":"A","element":0,"property":"set",\#(rest)"#,
        #"{"$id":1,"$model":"A","element":1,"property":"some",\#(rest)"#,
      ])
    var lines = ""
    try ObjectExporter.exportPieces(of: scratch.path + "/out/App.db", target: nil, models: []) {
      lines += $0
    }
    #expect(
      lines
        == #"{"$id":1,"$model":"A","any":null,"list":[7,{"$id":1,"$model":"A"}],"one":null,"set":[7,{"$id":1,"$model":"A"}],"some":[{"$id":1},{"$id":1}],"zero":"0"}"#
        + "\n")
  }

  @Test("A key of a dictionary that is no UTF-8 is mended, and a line has its bytes")
  func damagedKeys() throws {
    let file = RealmFixture(classes: [
      FixtureClass(
        name: "A",
        columns: [
          .init(name: "scores", type: 10, attributes: FixtureFiles.dictionary) { writer, _ in
            let keys = writer.texts([Array("k1".utf8), [UInt8(ascii: "k"), 0xFF]])
            let numbers = [1.5, 2.5].map { Int64(bitPattern: $0.bitPattern) }
            let composite = writer.integers([0 << 8 | 1 << 5 | 11, 1 << 8 | 1 << 5 | 11])
            let values = writer.refs([composite, writer.integers(numbers)])
            return writer.refs([writer.refs([keys, values])])
          }
        ], count: 1)
    ]).file

    let (_, data) = try scratch.adopt(try scratch.write("a.realm", file))

    #expect(data.transfer.elements == 2)
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl")
        == #"{"$id":1,"$model":"A","element":"k\#u{FFFD}","property":"scores","reason":"the key is no UTF-8: what is not was replaced","value":{"$data":"a/8="}}"#
        + "\n")
    var lines = ""
    try ObjectExporter.exportPieces(of: scratch.path + "/out/App.db", target: nil, models: []) {
      lines += $0
    }
    #expect(lines == #"{"$id":1,"$model":"A","scores":{"k1":1.5,"k\#u{FFFD}":2.5}}"# + "\n")
  }

  @Test(
    "The second reading counts seconds from 2001 down to where a number ends",
    arguments: [.min, .min + 978_307_199, .min + 978_307_200, .min + 978_307_201, .max] as [Int64])
  func endsOfDates(_ seconds: Int64) throws {
    let file = RealmFixture(classes: [
      FixtureClass(
        name: "A",
        columns: [.init(name: "at", type: 8) { writer, _ in writer.dates([(seconds, 0)]) }],
        count: 1)
    ]).file
    let (_, data) = try scratch.adopt(try scratch.write("a.realm", file))
    #expect(data.check?.parts == 1)
  }

  /// 9007199254740993 is the first whole number that no Double is; its date here begins in 2001.
  @Test("A date whose whole seconds a Double cannot keep is a line, too")
  func farDates() throws {
    let first: Int64 = 9_007_199_254_740_993 + 978_307_200
    let file = RealmFixture(classes: [
      FixtureClass(
        name: "A",
        columns: [
          .init(name: "at", type: 8) { writer, _ in
            writer.dates([(.max, 999_999_999), (first - 1, 0), (first, 0), (.min, -999_999_999)])
          }
        ], count: 4)
    ]).file

    try scratch.adopt(try scratch.write("a.realm", file))

    let reason =
      #""property":"at","reason":"the date is kept to the nearest Double of seconds","value""#
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl").split(separator: "\n") == [
        #"{"$id":1,"$model":"A",\#(reason):{"$nanoseconds":999999999,"$seconds":9223372036854775807}}"#,
        #"{"$id":3,"$model":"A",\#(reason):{"$nanoseconds":0,"$seconds":9007200233048193}}"#,
        #"{"$id":4,"$model":"A",\#(reason):{"$nanoseconds":-999999999,"$seconds":-9223372036854775808}}"#,
      ])
  }

  @Test("Names that differ only in case are told as such, and not as names that are not legal")
  func namesThatDifferInCase() throws {
    func empty(_ name: String, _ columns: [String]) -> FixtureClass {
      FixtureClass(
        name: name,
        columns: columns.map { name in
          .init(name: name, type: 0) { writer, _ in writer.integers([]) }
        }, count: 0)
    }
    let file = RealmFixture(classes: [
      empty("Note", ["text", "Text"]), empty("NOTE", ["a b"]),
    ]).file

    let (project, _) = try scratch.adopt(try scratch.write("a.realm", file))

    #expect(
      project.reportLines().filter { $0.contains("is called") } == [
        "  changed, version 7, NOTE: it is called 'NOTE2': 'Note' and 'NOTE' differ only in case, and a database has one of them",
        "  changed, version 7, NOTE.a b: it is called 'aB': 'a b' is no legal name",
        "  changed, version 7, Note.Text: it is called 'Text2': 'text' and 'Text' differ only in case, and a database has one of them",
      ])
  }

  @Test("A table of no class is left out where others have one, and not called Realm's own")
  func tableOfNoClass() throws {
    func table(_ name: String, isClass: Bool) -> FixtureClass {
      var table = FixtureClass(
        name: name,
        columns: [.init(name: "x", type: 0) { writer, _ in writer.integers([4, 5]) }], count: 2)
      table.isClass = isClass
      return table
    }
    let file = RealmFixture(classes: [
      table("Note", isClass: true), table("extra", isClass: false),
      table("client_reset_metadata", isClass: false),
    ]).file

    let (project, _) = try scratch.adopt(try scratch.write("a.realm", file))

    #expect(
      project.reportLines().filter { $0.contains("with 2 objects") } == [
        "  left out, version 7, client_reset_metadata: it is Realm's own table, with 2 objects",
        "  left out, version 7, extra: it is a table of no class, with 2 objects",
      ])
  }

  @Test("The database is one that stores, inspect and upgrades take")
  func theResultOpens() throws {
    try scratch.adopt(try scratch.write("a.realm", FixtureFiles.all(count: 20).file))
    let inspection = try FileInspector().inspect(scratch.path + "/out/App.db", target: nil)
    #expect(inspection.schemaName == "App")
    #expect(inspection.version == 7)
    #expect(inspection.counts == ["All": 20, "Other": 1])
    var lines = 0
    try ObjectExporter.exportPieces(of: scratch.path + "/out/App.db", target: nil, models: []) {
      lines += $0.utf8.count { $0 == UInt8(ascii: "\n") }
    }
    #expect(lines == 21)
  }

  @Test("A damaged file is an error with the place, and nothing is written")
  func damage() throws {
    var bytes = FixtureFiles.all(count: 300).file
    // The list of tables is lost.
    bytes.replaceSubrange(0..<8, with: [0x10, 0x27, 0, 0, 0, 0, 0, 0])
    let file = try scratch.write("a.realm", Array(bytes[..<9_000]))
    do {
      try scratch.adopt(file)
      Issue.record("it was adopted")
    } catch {
      #expect("\(error)".contains("(byte 10000)"))
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/out"))
  }
}
