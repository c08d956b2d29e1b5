import CoreDataFixtures
import Foundation
import Strata
import StrataFiles
import StrataSQLite
import StrataSchema
import StrataSource
import StrataTestSupport
import Testing

@testable import StrataAdopt
@testable import StrataCLI

@Suite("Adopting Core Data stores")
struct StoreAdoptionTests {
  @discardableResult
  private func adopt(
    _ store: StoreFixture, model: String? = nil
  ) throws -> (AdoptedProject, AdoptedData) {
    try store.scratch.adopt(try CoreDataAdoption(path: store.path, model: model, name: "App"))
  }

  private func rows(_ store: StoreFixture, _ sql: String) throws -> [[SQLiteValue]] {
    try store.scratch.database().rows(sql)
  }

  @Test("Without a model the schema is the one that the store keeps")
  func schema() throws {
    let store = try StoreFixture()
    let (project, data) = try adopt(store)
    let schema = project.history.versions[0].schema
    #expect(schema.version == 7)
    #expect(schema.models.map(\.name) == ["Company", "Employee", "Guest", "Person", "Tag"])
    #expect(schema.spelling("Company", "staff") == "[any]")
    #expect(schema.spelling("Employee", "salary") == "int32 default int(0)")
    #expect(schema.spelling("Employee", "name") == "string")
    #expect(schema.spelling("Person", "tags") == "set<Tag>")
    #expect(schema.spelling("Person", "flag") == "bool default bool(false)")
    #expect(schema.spelling("Tag", "people") == nil)
    #expect(schema.spelling("Tag", "peopleOfEmployee") == "inverse Employee.tags")
    #expect(schema.spelling("Tag", "label") == "string? unique")
    #expect(project.findings.errorCount == 0)
    #expect(data.recognition?.text == "its schema is the model that it keeps of itself")
  }

  @Test("Values of every type are in the database; the number of a row is in its identity")
  func values() throws {
    let store = try StoreFixture()
    let (_, data) = try adopt(store)
    #expect(
      data.transfer.objects == ["Company": 2, "Employee": 2, "Guest": 1, "Person": 2, "Tag": 2])
    #expect(
      try rows(
        store, "SELECT _row, name, flag, birthday, rate, score, site, hex(token) FROM Person") == [
          [
            101, "Ada", 1, 12.5, 0.5, "1.25", "https://example.com/a",
            "000102030405060708090A0B0C0D0E0F",
          ],
          [102, "Grace", 0, 7.0, 3.0, .text(try decimal(store)), .null, ""],
        ])
    // The first table's numbers are as they were; of two columns for one name each entity has its own.
    #expect(try rows(store, "SELECT _row, name FROM Company") == [[1, "Acme"], [2, .null]])
    #expect(
      try rows(store, "SELECT _row, salary, note FROM Employee") == [
        [110, 70000, "quiet"], [114, 80000, .null],
      ])
    #expect(try rows(store, "SELECT note, hex(settings) FROM Guest") == [["late", "62706C"]])
  }

  /// What SQLite made of a number with more digits than a Double has.
  private func decimal(_ store: StoreFixture) throws -> String {
    let original = try Database(path: store.path, mode: .readOnly)
    switch try original.firstValue("SELECT ZSCORE FROM ZPERSON WHERE Z_PK = 2") {
    case .real(let number)?: return try #require(DecimalValue("\(number)")).text
    case .text(let text)?: return text
    default: return ""
    }
  }

  @Test("Links, ordered ones, many-to-many ones and those to an entity with sub-entities")
  func links() throws {
    let store = try StoreFixture()
    try adopt(store)
    func object(_ model: String, _ row: UInt8) -> SQLiteValue {
      .blob([9, 0, 0, 0, 0, 0, 0, 0, row] + Array(model.utf8))
    }
    #expect(
      try rows(
        store,
        "SELECT _row, company FROM Person UNION ALL SELECT _row, company FROM Employee ORDER BY 1")
        == [[101, 1], [102, 1], [110, 1], [114, .null]])
    #expect(
      try rows(store, "SELECT boss FROM Employee") == [
        [object("Employee", 114)], [object("Person", 101)],
      ])
    #expect(
      try rows(store, "SELECT _owner, value FROM \"Company.staff\" ORDER BY _index") == [
        [1, object("Employee", 110)], [1, object("Person", 102)], [1, object("Person", 101)],
      ])
    #expect(
      try rows(store, "SELECT _owner, value FROM \"Person.tags\" ORDER BY value") == [
        [101, 201], [101, 203],
      ])
    #expect(try rows(store, "SELECT _owner, value FROM \"Employee.tags\"") == [[110, 201]])
    // Friends are each other's.
    #expect(
      try rows(store, "SELECT _owner, value FROM \"Person.friends\" ORDER BY 1, 2")
        == [
          [101, object("Employee", 114)], [101, object("Person", 102)],
          [102, object("Person", 101)],
        ].sorted { "\($0)" < "\($1)" })
    #expect(
      try rows(store, "SELECT _owner, value FROM \"Employee.friends\"") == [
        [114, object("Person", 101)]
      ])
  }

  @Test("What an app writes after the store's model was read is not in the database")
  func oneState() throws {
    let store = try StoreFixture()
    let writer = try Database(path: store.path, mode: .readWrite)
    defer { writer.close() }
    for sql in ["PRAGMA journal_mode = WAL", "INSERT INTO ZTAG VALUES (4, 5, 1, 'green')"] {
      _ = try writer.rows(sql)
    }
    let adoption = try CoreDataAdoption(path: store.path, model: nil, name: "App")
    try writer.execute("INSERT INTO ZTAG VALUES (2000, 5, 1, 'grey')")

    let (_, data) = try store.scratch.adopt(adoption)

    #expect(data.transfer.objects["Tag"] == 3)
    #expect(data.check != nil)
    #expect(
      try rows(store, "SELECT label FROM Tag ORDER BY _row") == [["red"], ["blue"], ["green"]])
  }

  @Test("A large value is read from its file; without the file it is named")
  func externalFiles() throws {
    let store = try StoreFixture()
    let (_, data) = try adopt(store)
    #expect(
      try rows(store, "SELECT hex(photo) FROM Employee ORDER BY _row") == [["FFD8"], ["010203"]])
    #expect(data.leftOut == 1)

    let other = try StoreFixture()
    try FileManager.default.removeItem(atPath: other.scratch.path + "/.Shop_SUPPORT")
    let (_, without) = try adopt(other)
    #expect(
      without.transfer.sortedExceptions.map(\.exception.reason) == [
        "its file is not beside the store", "the store's metadata is no object",
      ])
    #expect(
      try other.scratch.text("out/LEFT-OUT.jsonl").contains(
        "\"$id\":114,\"$model\":\"Employee\",\"property\":\"photo\""))
  }

  @Test("What is neither an object nor a link of the model is named")
  func leftOut() throws {
    let store = try StoreFixture(
      """
      INSERT INTO ZPERSON (Z_PK, Z_ENT, ZNAME, ZFLAG) VALUES (20, 77, 'Alien', 0);
      UPDATE ZPERSON SET ZCOMPANY = 99 WHERE Z_PK = 2;
      UPDATE ZPERSON SET ZNAME = NULL, ZFLAG = 5 WHERE Z_PK = 1;
      UPDATE ZPERSON SET ZTOKEN = 'no' WHERE Z_PK = 5;
      INSERT INTO Z_2TAGS VALUES (2, 99), (1.5, 3), (77, 1);
      """)
    let (project, data) = try adopt(store)
    #expect(
      data.transfer.sortedExceptions.map {
        "\($0.exception.model).\($0.exception.property): \($0.exception.reason)"
      } == [
        "Guest.token: the value is not of its property's type",
        "Person.company: the link leads to no object that is here",
        "Person.flag: a truth value that is neither 0 nor 1",
        "Person.name: the value is missing though it is required",
        "Person.tags: the link leads to no object that is here",
        "ZPERSON.Z_ENT: a row of an entity that the model does not have, or that has no objects of its own",
        "Z_2TAGS.Z_2PEOPLE: the pair's owner is no object that is here",
        "Z_METADATA.lastUser: the store's metadata is no object",
      ])
    #expect(
      project.history.reasons("ATRANSACTION") == ["1 row of a table that the model does not have"])
    #expect(try rows(store, "SELECT name, flag FROM Person WHERE _row = 101") == [["", 1]])
    let lines = try store.scratch.text("out/LEFT-OUT.jsonl")
    #expect(lines.contains("\"value\":\"Zoë\""))
    let stranger = lines.split(separator: "\n").first { $0.contains("\"$model\":\"ZPERSON\"") }
    #expect(stranger?.contains("\"ZNAME\":\"Alien\"") == true)
    #expect(stranger?.contains("\"Z_ENT\":77") == true)
    #expect(lines.contains("\"value\":[1.5,3]"))
    #expect(lines.contains("\"value\":[77,1]"))
  }

  @Test("A required link that leads nowhere is optional in the store's version")
  func requiredLinks() throws {
    var entities = StoreModel.entities
    entities[1].properties[1].isOptional = false
    let store = try StoreFixture(model: StoreModel.archive(entities))
    let (project, data) = try adopt(store)
    // Of Barbara, who has no company, and of the guest.
    #expect(
      project.history.reasons("Person", "company").contains(
        "it is optional: 2 objects of the store have no such object"))
    #expect(project.history.versions[0].schema.spelling("Employee", "company") == "Company?")
    #expect(data.check != nil)
  }

  @Test("A store that keeps no model is read by its tables")
  func tables() throws {
    let store = try StoreFixture(model: nil)
    let (project, data) = try adopt(store)
    let schema = project.history.versions[0].schema
    #expect(schema.spelling("Person", "name") == "string?")
    #expect(schema.spelling("Person", "boss") == "any?")
    #expect(schema.spelling("Person", "birthday") == "date?")
    #expect(data.transfer.objects["Employee"] == 2)
    #expect(
      try rows(store, "SELECT hex(photo), note FROM Employee ORDER BY _row") == [
        ["FFD8", "quiet"], ["010203", .null],
      ])
    #expect(
      try rows(store, "SELECT value FROM \"Person.tags\" ORDER BY value") == [[201], [203]])
    #expect(
      data.recognition?.text == "the store keeps no model: its schema is read from its tables")
  }

  @Test(
    "Without a model a column has files where all of its values say so, and not where one happens to begin so"
  )
  func notFiles() throws {
    let name = "30084A1C-76CF-4976-8312-8E8EFCF6F510"
    let store = try StoreFixture(
      """
      UPDATE ZPERSON SET ZSETTINGS = CAST(x'02' || hex(zeroblob(18)) || 'x' AS BLOB) WHERE Z_PK = 1;
      UPDATE ZPERSON SET ZSETTINGS = x'0102' WHERE Z_PK = 2;
      UPDATE ZPERSON SET ZTOKEN = CAST(x'02' || '\(name)' || x'00' AS BLOB) WHERE Z_PK = 2;
      """, model: nil)
    try adopt(store)
    // 38 bytes that name no file, and what stands beside them.
    #expect(
      try rows(
        store, "SELECT length(settings), hex(substr(settings, 1, 2)) FROM Person ORDER BY _row")
        == [[38, "0230"], [2, "0102"]])
    // A file's name beside a value that does not begin as those of such columns do.
    #expect(
      try rows(store, "SELECT length(token), hex(substr(token, 1, 2)) FROM Person ORDER BY _row")
        == [[16, "0001"], [38, "0233"]])
    // All of them do.
    #expect(
      try rows(store, "SELECT hex(photo) FROM Employee ORDER BY _row") == [["FFD8"], ["010203"]])
  }

  // MARK: - Versions

  /// Three versions of the model, the last two of them equal to a store.
  private func versions() throws -> AdoptFixture {
    var first = StoreModel.entities
    first[4].properties[0].name = "title"
    var third = StoreModel.entities
    third[2].properties[2].defaultValue = "1"
    return try AdoptFixture.coreData([
      "Shop": StoreModel.xml(first), "Shop 2": StoreModel.xml(StoreModel.entities),
      "Shop 3": StoreModel.xml(third),
    ])
  }

  @Test("The version is found by what it says, and equal ones are named", arguments: [true, false])
  func recognises(_ keepsModel: Bool) throws {
    let folder = try versions()
    let store = try StoreFixture(
      model: keepsModel ? StoreModel.archive(StoreModel.entities) : nil)
    let (project, data) = try adopt(store, model: folder.path("Shop.xcdatamodeld"))
    #expect(project.history.versions.map(\.schema.version) == [1, 2, 3])
    // By its tables alone it may be either, and the newer one needs no conversion.
    #expect(
      data.recognition?.text
        == (keepsModel
          ? "the store is version 2, 'Shop 2'; it calls itself '7'; equal to a store: version 3, 'Shop 3'"
          : "the store is version 3, 'Shop 3'; it calls itself '7'; equal to a store: version 2, 'Shop 2'")
    )
    let inspection = try FileInspector().inspect(
      store.scratch.path + "/out/App.db", target: nil)
    #expect(inspection.version == (keepsModel ? 2 : 3))
    #expect(inspection.counts["Person"] == 2)
  }

  @Test("The model of a store that is none of the versions stands before the nearest one")
  func unknownVersion() throws {
    let folder = try versions()
    var own = StoreModel.entities
    own[2].properties[1].name = "remark"
    let store = try StoreFixture(
      "ALTER TABLE ZPERSON RENAME COLUMN ZNOTE TO ZREMARK; ALTER TABLE ZPERSON RENAME COLUMN ZNOTE1 TO ZNOTE;",
      model: StoreModel.archive(own))
    let (project, data) = try adopt(store, model: folder.path("Shop.xcdatamodeld"))
    // It is as near to version 3, whose default is another one. No number is free before version 2.
    #expect(project.history.versions.map(\.schema.version) == [1, 2, 3, 4])
    #expect(data.recognition?.version == 2)
    #expect(
      data.recognition?.text.hasPrefix(
        "the store is none of the 3 versions; its own model stands before the nearest one as version 2: 3, 'Shop 2', which differs in 2 places (Employee.note, Employee.remark)"
      ) == true)
    #expect(try rows(store, "SELECT remark FROM Employee ORDER BY _row") == [["quiet"], [.null]])
  }

  @Test("A question blocks only files that have to pass it")
  func questions() throws {
    var newer = StoreModel.entities
    newer[4].properties.append(StoreModel.Property(name: "size", type: "Double", isOptional: false))
    var newest = newer
    newest[4].properties.append(StoreModel.Property(name: "weight", type: "Double"))
    let folder = try AdoptFixture.coreData([
      "Shop": StoreModel.xml(StoreModel.entities), "Shop 2": StoreModel.xml(newer),
      "Shop 3": StoreModel.xml(newest),
    ])
    // One store is before the question, the other behind it.
    for (entities, isBlocked) in [(StoreModel.entities, true), (newer, false)] {
      let store = try StoreFixture(
        "ALTER TABLE ZTAG ADD COLUMN ZSIZE FLOAT;", model: StoreModel.archive(entities))
      let (project, data) = try adopt(store, model: folder.path("Shop.xcdatamodeld"))
      #expect(project.frozen.openCount == 1)
      #expect(data.recognition?.version == (isBlocked ? 1 : 2))
      let out = store.scratch.path + "/out"
      let whole = try Project.load(schemas: out + "/schemas", migrations: out + "/migrations")
      #expect(throws: CommandFailure.self) { try whole.history() }
      let (rest, questions) = whole.settingQuestionsAside()
      #expect(questions.keys.sorted() == [2])
      var target = UpgradeTarget(history: try rest.history())
      target.questions = questions
      let upgrade = Upgrade(path: out + "/App.db", target: target)
      if isBlocked {
        let error = #expect(throws: MigrationError.self) { try upgrade.run() }
        #expect(error?.kind == .stepMissing)
        #expect(
          error?.description.contains(
            "is at version 1 of App, and the step to version 2 has a question that is not answered: 'Tag.size' is added"
          ) == true)
      } else {
        try upgrade.run()
        #expect(try FileInspector().inspect(out + "/App.db", target: target).version == 3)
      }
    }
  }

  private func metadata(_ list: [UInt8]) throws -> [Substring] {
    let store = try StoreFixture()
    let database = try Database(path: store.path, mode: .readWrite)
    try database.execute("UPDATE Z_METADATA SET Z_PLIST = ?", .blob(list))
    database.close()
    try adopt(store)
    return try store.scratch.text("out/LEFT-OUT.jsonl").split(separator: "\n")
      .filter { $0.contains("Z_METADATA") }
  }

  @Test(
    "What an app kept in the metadata is kept as it is, lists and dictionaries inside of others, too"
  )
  func valuesOfMetadata() throws {
    let lines = try metadata(
      PropertyListBytes.write(
        .dictionary([
          ("NSStoreType", .string("SQLite")),
          ("lastSync", .array([.int(1), .int(2), .int(3)])),
          ("mixed", .array([.string("a"), .int(7), .bool(true), .array([.string("b")])])),
          ("settings", .dictionary([("count", .int(5)), ("rate", .real(0.5))])),
          ("token", .dictionary([("at", .date(60)), ("bytes", .data([120, 121]))])),
          ("when", .date(0)),
        ])))
    func line(_ key: String, _ value: String) -> Substring {
      #"{"$id":null,"$model":"Z_METADATA","property":"\#(key)","reason":"the store's metadata is no object","value":\#(value)}"#
    }
    #expect(
      lines == [
        line("lastSync", "[1,2,3]"), line("mixed", #"["a",7,true,["b"]]"#),
        line("settings", #"{"count":5,"rate":0.5}"#),
        line("token", #"{"at":{"$date":"2001-01-01T00:01:00Z"},"bytes":{"$data":"eHk="}}"#),
        line("when", #"{"$date":"2001-01-01T00:00:00Z"}"#),
      ])
  }

  @Test("A list of the metadata that leads to itself ends")
  func circleOfMetadata() throws {
    var list = PropertyListBytes.write(.dictionary([("loop", .array([.int(1)]))]))
    // The third object is the list, and has the fourth.
    let place = try #require(
      list.indices.dropLast(2).first { list[$0...].starts(with: [0xA1, 0, 3]) })
    list[place + 2] = 2
    let nested = String(repeating: "[", count: 32) + "null" + String(repeating: "]", count: 32)
    #expect(try metadata(list).map { $0.hasSuffix("\"value\":\(nested)}") } == [true])
  }

  @Test("What is told for programs is as docs/json/adopt.schema.json says")
  func machineOutput() throws {
    let folder = try versions()
    let store = try StoreFixture()
    let (project, data) = try adopt(store, model: folder.path("Shop.xcdatamodeld"))
    let json = project.json(source: store.path, output: "out", isDryRun: false, data: data)
    #expect(try JSONSchema(ofCommand: "adopt").problems(json) == [])
    #expect(json["data"]?["version"]?.int == 2)
    #expect(
      json["data"]?["equalVersions"]?.array?.compactMap { $0["name"]?.string } == [
        "Shop 2", "Shop 3",
      ])
  }

  @Test("The store itself is not touched, also with a log beside it")
  func readsOnly() throws {
    let store = try StoreFixture("PRAGMA journal_mode = WAL;")
    let writer = try Database(path: store.path, mode: .create)
    try writer.execute("INSERT INTO ZTAG VALUES (7, 5, 1, 'in the log')")
    let before = try contents(store)
    let (_, data) = try adopt(store)
    #expect(data.transfer.objects["Tag"] == 3)
    #expect(try contents(store) == before)
    writer.close()
  }

  private func contents(_ store: StoreFixture) throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in ["Shop.sqlite", "Shop.sqlite-wal"] {
      result[name] = try Data(contentsOf: URL(fileURLWithPath: store.scratch.path + "/" + name))
    }
    return result
  }

  @Test("What is no store, or one with a broken model, is an error with a sentence")
  func errors() throws {
    let scratch = try AdoptScratch()
    let path = scratch.path + "/plain.sqlite"
    let database = try Database(path: path, mode: .create)
    try database.execute("CREATE TABLE t (a)")
    database.close()
    #expect(
      throws: AdoptError(
        "'\(path)' is no Core Data store: it has no Z_METADATA and Z_PRIMARYKEY. 'adopt sqlite' reads any SQLite database"
      )
    ) { try CoreDataAdoption(path: path, model: nil, name: nil) }
    let store = try StoreFixture(model: [1, 2, 3])
    let (project, _) = try adopt(store)
    #expect(
      project.history.reasons("") == [
        "the model that the store keeps of itself cannot be read: its tables say what it is"
      ])
    let damaged = try StoreFixture("UPDATE ZTAG SET Z_PK = -4 WHERE Z_PK = 3;")
    #expect(
      throws: AdoptError("'\(damaged.path)' is damaged: ZTAG has rows with impossible numbers")
    ) { try CoreDataAdoption(path: damaged.path, model: nil, name: nil) }
  }
}
