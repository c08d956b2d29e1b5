import Foundation
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// A file is taken back by the old one that was kept: what was not changed is as it was, what was changed goes back along the steps.
@Suite struct DowngradeTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }
  private var renaming: UpgradeTarget { downs.renaming }

  init() throws { downs = try DowngradeBench() }

  private func rows(_ path: String, _ sql: String) throws -> [[SQLiteValue]] {
    try downs.rows(path, sql)
  }

  // MARK: - Nothing was changed

  @Test func upAndDownGivesTheOldData() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target)
    let before = try digest(old, target)

    let report = try downs.downgrade(new, old, target)

    #expect(report.isLossless)
    #expect(report.changes.isEmpty)
    #expect(try digest(new, target) == before)
    #expect(try FileInspector().stored(at: new).version == 0)
  }

  @Test func upDownUpGivesTheNewData() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target)
    let newest = try digest(new, target)
    try downs.downgrade(new, old, target)
    try upgrade(new, target)
    #expect(try digest(new, target) == newest)
  }

  // MARK: - Files of two forms

  /// What one of the files is made, and what SQLite's header says of it.
  enum Form: CaseIterable {
    case small, large, largest, log, checksums

    private var pageSize: Int64 {
      switch self {
      case .large: 16384
      case .largest: 65536
      default: 1024
      }
    }

    func make(_ path: String) throws {
      if self == .checksums {
        _ = try Rekeying(path: path, from: nil, to: nil, checksums: true).run()
        return
      }
      let database = try Database(path: path, mode: .readWrite)
      defer { database.close() }
      try database.setPragma("journal_mode", "DELETE")
      try database.setPragma("page_size", .integer(pageSize))
      try database.execute("VACUUM")
      if self == .log { try database.setPragma("journal_mode", "WAL") }
    }
  }

  enum Place: CaseIterable {
    case old, new, oldWithOutput, newWithOutput
  }

  @Test(arguments: Form.allCases, Place.allCases)
  func theNewerFileKeepsItsForm(_ form: Form, of place: Place) throws {
    let hasOutput = place == .oldWithOutput || place == .newWithOutput
    let (old, new) = try downs.files(renaming)
    try form.make(place == .old || place == .oldWithOutput ? old : new)
    try bench.sql(new, "UPDATE Human SET fullName = 'Ada' WHERE _row = 1")
    let before = try Self.form(of: new)
    let down = hasOutput ? bench.path("down.db") : new

    let report = try downs.downgrade(new, old, renaming) {
      if hasOutput { $0.output = down }
    }

    #expect(report.isLossless)
    #expect(try Self.form(of: down) == before)
    #expect(try FileInspector().stored(at: down).version == 0)
    #expect(
      try rows(down, "SELECT name FROM Person WHERE _row = 1") == [[.text("Ada")]])
    #expect(try rows(down, "PRAGMA integrity_check") == [[.text("ok")]])
    let others = "SELECT * FROM Person WHERE _row <> 1 ORDER BY _row"
    #expect(try rows(down, others) == rows(old, others))
  }

  /// The size of pages, and bytes that are free at the end of each.
  private static func form(of path: String) throws -> [UInt8] {
    let start = try #require(Database.firstBytes(of: path, count: 21))
    return [start[16], start[17], start[20]]
  }

  // MARK: - What a step works out

  /// The person is as it was; what is said of it is not.
  @Test func backReadsWhatItLinksToAndEmbeds() throws {
    let address = Model(
      name: "Address", isEmbedded: true, properties: [.required("city", .string)])
    let person: [Property] = [
      .required("age", .int), .link("home", to: "Address"), .link("boss", to: "Person"),
    ]
    let old = Model(
      name: "Person",
      properties: person + [.required("city", .string), .required("bossAge", .int)])
    let target = downs.target(
      [old, address], [Model(name: "Person", properties: person), address]
    ) { step in
      step.drop = [SchemaPath("Person", "city"), SchemaPath("Person", "bossAge")]
      step.back = [
        "Person": [
          "city": backExpression("new.home.city ?? ''"),
          "bossAge": backExpression("new.boss.age ?? 0"),
        ]
      ]
    }
    let (oldFile, newFile) = try downs.files(target, objects: 0)
    try bench.sql(oldFile, "INSERT INTO Address(_row, city) VALUES (11, 'Rome'), (12, 'Oslo')")
    try bench.sql(
      oldFile,
      """
      INSERT INTO Person(_row, age, home, boss, city, bossAge) VALUES
        (1, 30, 11, NULL, 'ROMA', 0), (2, 20, 12, 1, 'OSLO', -1), (3, 9, NULL, 1, '', -1)
      """)
    try FileManager.default.removeItem(atPath: newFile)
    var options = Upgrade.Options()
    options.output = newFile
    try Upgrade(path: oldFile, target: target, options: options).run()

    // Only the embedded object of 2 changes, and the boss of 2 and 3.
    try bench.sql(newFile, "UPDATE Address SET city = 'Paris' WHERE _row = 12")
    try bench.sql(newFile, "UPDATE Person SET age = 31 WHERE _row = 1")
    let report = try downs.downgrade(newFile, oldFile, target)

    #expect(report.isLossless)
    #expect(
      Dictionary(report.changes.map { ($0.model, $0.changed) }, uniquingKeysWith: +) == [
        "Address": 1, "Person": 1,
      ])
    #expect(
      try rows(newFile, "SELECT _row, age, city, bossAge FROM Person ORDER BY 1") == [
        [.integer(1), .integer(31), .text("ROMA"), .integer(0)],
        [.integer(2), .integer(20), .text("Paris"), .integer(31)],
        [.integer(3), .integer(9), .text(""), .integer(31)],
      ])
  }

  /// What a `back:` reads was worked out by another step's.
  @Test func backReadsWhatIsWorkedOutItself() throws {
    let c = Model(name: "C", properties: [.required("name", .string)])
    let link = Property.link("b", to: "B")
    let (toC, name) = (Property.link("c", to: "C"), Property.required("name", .string))
    let bName = Property.required("bName", .string)
    func schema(_ version: Int, _ a: [Property], _ b: [Property]) -> Schema {
      Schema(
        name: "Test", version: version,
        models: [Model(name: "A", properties: a), Model(name: "B", properties: b), c])
    }
    var (first, second) = (MigrationStep(to: 1), MigrationStep(to: 2))
    first.drop = [SchemaPath("A", "bName")]
    first.back = ["A": ["bName": backExpression("new.b.name ?? ''")]]
    second.drop = [SchemaPath("B", "name")]
    second.back = ["B": ["name": backExpression("new.c.name ?? ''")]]
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", schema(0, [link, bName], [toC, name]), nil),
          ("2026-02-01", schema(1, [link], [toC, name]), first),
          ("2026-03-01", schema(2, [link], [toC]), second),
        ]))
    let old = try bench.sample("old.db", version: 0, of: target, objects: 0)
    try bench.sql(old, "INSERT INTO C(_row, name) VALUES (1, 'c')")
    try bench.sql(old, "INSERT INTO B(_row, c, name) VALUES (2, 1, 'c')")
    try bench.sql(old, "INSERT INTO A(_row, b, bName) VALUES (3, 2, 'c')")
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()

    try bench.sql(new, "UPDATE C SET name = 'd'")
    let report = try downs.downgrade(new, old, target)

    #expect(report.isLossless)
    #expect(try rows(new, "SELECT name FROM B") == [[.text("d")]])
    #expect(try rows(new, "SELECT bName FROM A") == [[.text("d")]])
  }

  // MARK: - What goes back by itself

  @Test func aChangeGoesBackAndTheRestKeepsItsOldValue() throws {
    let (old, new) = try downs.files(renaming)
    try bench.sql(new, "UPDATE Human SET fullName = 'Ada', age = 36.0 WHERE _row = 1")

    let report = try downs.downgrade(new, old, renaming)

    #expect(report.isLossless)
    #expect(report.changes.map(\.changed) == [1])
    #expect(
      try rows(new, "SELECT name, age FROM Person WHERE _row = 1") == [
        [.text("Ada"), .integer(36)]
      ])
    // What the newer version does not have is as the old file has it, also in the object that was changed.
    let secrets = "SELECT _row, secret FROM Person ORDER BY 1"
    #expect(try rows(new, secrets) == rows(old, secrets))
    let others = "SELECT * FROM Person WHERE _row <> 1 ORDER BY _row"
    #expect(try rows(new, others) == rows(old, others))
  }

  /// The newer version has dropped the rule, and objects that would break it came since.
  @Test func theOlderVersionsRulesHold() throws {
    let age = Property.required("age", .int)
    let rule = ModelRule(
      name: "adult", condition: "age >= -1000000", sentence: "Not that young.")
    let older = Model(name: "Person", properties: [age], rules: [rule])
    let target = downs.target([older], [Model(name: "Person", properties: [age])])
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET age = -1000001 WHERE _row = 1")

    let error = try #require(throws: MigrationError.self) {
      try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    }

    #expect(error.kind == .ruleBroken)
    #expect(error.description.contains("was not taken back to version 0"))
    #expect(error.brokenRules.first?.first.map(\.identity) == [1])
    #expect(try rows(new, "SELECT age FROM Person WHERE _row = 1") == [[.integer(-1_000_001)]])
  }

  /// An element that was moved there and back has another order key, and the list is what it was: what the upgrade took out of it is
  /// in the older file again. One that has its elements in another order is another list.
  @Test(arguments: [false, true])
  func aListThatHasItsElementsIsUnchanged(isTurned: Bool) throws {
    let models = [
      Model(
        name: "Person", properties: [.required("age", .int), .list("friends", of: "Person")])
    ]
    let target = downs.target(models, models) { $0.delete = ["Person": expression("old.age < 0")] }
    let (old, new) = (bench.path("old.db"), bench.path("new.db"))
    _ = try bench.sample("old.db", version: 0, of: target, objects: 0)
    try bench.sql(
      old, "INSERT INTO Person (_row, age) VALUES (1, -1), (2, 2), (3, 3), (4, 4)")
    try bench.sql(
      old, "INSERT INTO \"Person.friends\" VALUES (4, 10, 1), (4, 20, 2), (4, 30, 3)")
    try bench.sql(old, "UPDATE _strata SET value = 5 WHERE key = 'nextRow'")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    try bench.sql(
      new, "UPDATE \"Person.friends\" SET _index = \(isTurned ? "1000 - _index" : "_index + 7")")

    try downs.downgrade(new, old, target)

    let friends = try rows(
      new, "SELECT value FROM \"Person.friends\" WHERE _owner = 4 ORDER BY _index")
    #expect(
      friends == (isTurned ? [3, 2] : [1, 2, 3]).map { [.integer($0)] })
  }

  @Test func whatWasCreatedHasDeclaredDefaults() throws {
    let (old, new) = try downs.files(renaming)
    try bench.sql(
      new, "INSERT INTO Human(_row, id, fullName, boss) VALUES (100000, -77, 'New', 1)")
    try bench.sql(new, "INSERT INTO \"Human.friends\" VALUES (100000, 1, 1)")
    try bench.sql(new, "INSERT INTO \"Human.tags\" VALUES (100000, 'a')")
    try bench.sql(new, "INSERT INTO \"Human.notes\" VALUES (100000, 'k', 'v')")

    let report = try downs.downgrade(new, old, renaming)

    #expect(report.isLossless)
    #expect(
      try rows(new, "SELECT id, name, age, boss, secret FROM Person WHERE _row = 100000") == [
        [.integer(-77), .text("New"), .null, .integer(1), .text("none")]
      ])
    #expect(
      try rows(new, "SELECT value FROM \"Person.friends\" WHERE _owner = 100000") == [
        [.integer(1)]
      ])
    #expect(
      try rows(new, "SELECT value FROM \"Person.tags\" WHERE _owner = 100000") == [[.text("a")]])
    #expect(
      try rows(new, "SELECT _index, value FROM \"Person.notes\" WHERE _owner = 100000") == [
        [.text("k"), .text("v")]
      ])
    // No object ever gets an identity that was given already.
    #expect(try FileInspector().stored(at: new, for: .writing).rowCounter == 100_001)
  }

  @Test func whatWasDeletedIsDeleted() throws {
    let (old, new) = try downs.files(renaming)
    try bench.sql(new, "PRAGMA foreign_keys = on")
    let database = try Database(path: new, mode: .readWrite)
    try database.configureForStrata()
    try database.execute("DELETE FROM Human WHERE _row = 2")
    database.close()

    let report = try downs.downgrade(new, old, renaming)

    #expect(report.isLossless)
    #expect(try rows(new, "SELECT 1 FROM Person WHERE _row = 2").isEmpty)
    #expect(try rows(new, "PRAGMA foreign_key_check").isEmpty)
    #expect(try rows(new, "SELECT 1 FROM \"Person.friends\" WHERE value = 2").isEmpty)
  }

  @Test func valuesThatAreExchangedAreNotInEachOthersWay() throws {
    let (old, new) = try downs.files(renaming)
    let before = try rows(old, "SELECT id FROM Person WHERE _row IN (1, 2) ORDER BY _row")
    try bench.sql(new, "UPDATE Human SET id = -1 WHERE _row = 1")
    try bench.sql(
      new,
      "UPDATE Human SET id = (SELECT b.id FROM Human b WHERE b._row = 2) * 0 + \(number(before[0][0])) WHERE _row = 2"
    )
    try bench.sql(new, "UPDATE Human SET id = \(number(before[1][0])) WHERE _row = 1")

    #expect(try downs.downgrade(new, old, renaming).isLossless)
    #expect(
      try rows(new, "SELECT id FROM Person WHERE _row IN (1, 2) ORDER BY _row")
        == before.reversed())
  }

  private func number(_ value: SQLiteValue) -> Int64 { value.ifInteger ?? 0 }

  @Test func embeddedObjectsAndCollectionsGoBack() throws {
    let (old, new) = try downs.files(renaming)
    let database = try Database(path: new, mode: .readWrite)
    try database.configureForStrata()
    try database.execute("INSERT INTO Place(_row, city) VALUES (100000, 'Paris')")
    try database.execute("UPDATE Human SET home = 100000 WHERE _row = 3")
    try database.execute("DELETE FROM \"Human.friends\" WHERE _owner = 3")
    try database.execute(
      "INSERT INTO \"Human.friends\" VALUES (3, 10, 5), (3, 20, 4), (3, 30, 5)")
    database.close()

    #expect(try downs.downgrade(new, old, renaming).isLossless)
    #expect(
      try rows(new, "SELECT city FROM Place WHERE _row = (SELECT home FROM Person WHERE _row = 3)")
        == [[.text("Paris")]])
    #expect(
      try rows(new, "SELECT value FROM \"Person.friends\" WHERE _owner = 3 ORDER BY _index")
        == [[.integer(5)], [.integer(4)], [.integer(5)]])
  }

  /// The older version's clock stands still on the day of its freezing, as an upgrade's does.
  @Test func aTimeThatOnlyTheOlderVersionNotesIsTheDayOfItsFreezing() throws {
    let joined = Property(
      name: "joined", type: .value(ValueType(.scalar(.date))), generate: .now)
    let target = downs.target(
      [Model(name: "Person", properties: [joined, .required("name", .string)])],
      [Model(name: "Person", properties: [.required("name", .string)])]
    ) { $0.drop = [SchemaPath("Person", "joined")] }
    let (old, new) = try downs.files(target, objects: 1)
    try bench.sql(new, "INSERT INTO Person(_row, name) VALUES (1000, 'Ada')")

    try downs.downgrade(new, old, target)

    #expect(
      try rows(
        new, "SELECT datetime(joined + 978307200, 'unixepoch') FROM Person WHERE _row = 1000")
        == [[.text("2026-01-01 00:00:00")]])
  }

  // MARK: - What is refused

  @Test func anotherFileIsRefused() throws {
    let (old, new) = try downs.files(renaming)
    let other = try bench.sample("other.db", version: 0, of: PeopleHistory.target)
    try refused(new, other, "holds the schema People")
    try refused(old, old, "same file")
    try refused(old, new, "is at version 1 of Test, later than")
    let twin = try bench.sample("twin.db", version: 0, of: renaming)
    try refused(twin, old, "both at version 0")
    // A file that says what it was upgraded from may have other objects by now.
    try bench.sql(new, "DELETE FROM _strata WHERE key = 'upgrades'")
    try bench.sql(new, "UPDATE Human SET _row = _row + 1000000, boss = NULL, home = NULL")
    try bench.sql(new, "DELETE FROM Place")
    try refused(new, old, "was not made from")
  }

  private func refused(_ new: String, _ old: String, _ text: String) throws {
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, renaming) }
    #expect(error?.kind == .cannotGoBack)
    #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
  }

  @Test func anOutputLeavesTheNewerFileAlone() throws {
    let (old, new) = try downs.files(renaming)
    let before = try bench.bytes(new)
    let report = try downs.downgrade(new, old, renaming) { $0.output = bench.path("back.db") }
    #expect(report.to == 0)
    #expect(try bench.bytes(new) == before)
    #expect(try digest(bench.path("back.db"), renaming) == digest(old, renaming))
    #expect(try bench.names().sorted() == ["back.db", "new.db", "old.db"])
  }

  @Test func aCopyOfTheNewerFileIsKept() throws {
    let (old, new) = try downs.files(renaming)
    let newer = try digest(new, renaming)
    try downs.downgrade(new, old, renaming) { $0.backup = bench.path("kept.db") }
    #expect(try digest(bench.path("kept.db"), renaming) == newer)
  }
}
