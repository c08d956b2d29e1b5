import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// A file is taken back by the old one that was kept: what was not changed is as it was, what was changed goes back along the steps.
@Suite struct DowngradeTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// An old file and the same upgraded.
  private func files(_ target: UpgradeTarget, objects: Int = 40) throws -> (
    old: String, new: String
  ) {
    let old = try bench.sample("old.db", version: 0, of: target, objects: objects)
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    return (old, new)
  }

  @discardableResult
  private func downgrade(
    _ new: String, _ old: String, _ target: UpgradeTarget,
    _ change: (inout Downgrade.Options) -> Void = { _ in }
  ) throws -> DowngradeReport {
    var options = Downgrade.Options()
    change(&options)
    return try Downgrade(path: new, from: old, target: target, options: options).run()
  }

  private func target(
    _ older: [Model], _ newer: [Model], _ blocks: [Step] = [],
    _ change: (inout MigrationStep) -> Void = { _ in }
  ) -> UpgradeTarget {
    UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: older), nil),
          ("2026-02-01", Schema(name: "Test", version: 1, models: newer), step(1, change)),
        ]),
      steps: blocks)
  }

  private func rows(_ path: String, _ sql: String) throws -> [[SQLiteValue]] {
    try bench.sql(path, sql)
  }

  // MARK: - Nothing was changed

  @Test func upAndDownGivesTheOldData() throws {
    let target = PeopleHistory.target
    let (old, new) = try files(target)
    let before = try digest(old, target)

    let report = try downgrade(new, old, target)

    #expect(report.isLossless)
    #expect(report.changes.isEmpty)
    #expect(try digest(new, target) == before)
    #expect(try FileInspector().stored(at: new).version == 0)
  }

  @Test func upDownUpGivesTheNewData() throws {
    let target = PeopleHistory.target
    let (old, new) = try files(target)
    let newest = try digest(new, target)
    try downgrade(new, old, target)
    try upgrade(new, target)
    #expect(try digest(new, target) == newest)
  }

  // MARK: - What goes back by itself

  private static let people = Model(
    name: "Person", primaryKey: ["id"],
    properties: [
      .required("id", .int), .required("name", .string), .optional("age", .int32),
      .link("boss", to: "Person"), .list("friends", of: "Person"),
      Property(name: "tags", type: .set(ValueType(.scalar(.string)))),
      Property(name: "notes", type: .map(ValueType(.scalar(.string)))),
      .link("home", to: "Place"), .required("secret", .string, default: .string("none")),
    ])
  private static let place = Model(
    name: "Place", isEmbedded: true, properties: [.required("city", .string)])

  /// A rename of the model and of a property, a widening, and a property that is given up.
  private var renaming: UpgradeTarget {
    target(
      [Self.people, Self.place],
      [
        Model(
          name: "Human", primaryKey: ["id"],
          properties: [
            .required("id", .int), .required("fullName", .string), .optional("age", .double),
            .link("boss", to: "Human"), .list("friends", of: "Human"),
            Property(name: "tags", type: .set(ValueType(.scalar(.string)))),
            Property(name: "notes", type: .map(ValueType(.scalar(.string)))),
            .link("home", to: "Place"),
          ]), Self.place,
      ]
    ) {
      $0.renames.models = ["Person": "Human"]
      $0.renames.properties = [SchemaPath("Person", "name"): "fullName"]
      $0.drop = [SchemaPath("Person", "secret")]
    }
  }

  @Test func aChangeGoesBackAndTheRestKeepsItsOldValue() throws {
    let (old, new) = try files(renaming)
    try bench.sql(new, "UPDATE Human SET fullName = 'Ada', age = 36.0 WHERE _row = 1")

    let report = try downgrade(new, old, renaming)

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
    let target = target([older], [Model(name: "Person", properties: [age])])
    let (old, new) = try files(target)
    try bench.sql(new, "UPDATE Person SET age = -1000001 WHERE _row = 1")

    let error = try #require(throws: MigrationError.self) {
      try downgrade(new, old, target) { $0.acceptsLoss = true }
    }

    #expect(error.kind == .ruleBroken)
    #expect(error.description.contains("was not taken back to version 0"))
    #expect(error.brokenRules.first?.first.map(\.identity) == [1])
    #expect(try rows(new, "SELECT age FROM Person WHERE _row = 1") == [[.integer(-1_000_001)]])
  }

  @Test func whatWasCreatedHasDeclaredDefaults() throws {
    let (old, new) = try files(renaming)
    try bench.sql(
      new, "INSERT INTO Human(_row, id, fullName, boss) VALUES (100000, -77, 'New', 1)")
    try bench.sql(new, "INSERT INTO \"Human.friends\" VALUES (100000, 1, 1)")
    try bench.sql(new, "INSERT INTO \"Human.tags\" VALUES (100000, 'a')")
    try bench.sql(new, "INSERT INTO \"Human.notes\" VALUES (100000, 'k', 'v')")

    let report = try downgrade(new, old, renaming)

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
    let (old, new) = try files(renaming)
    try bench.sql(new, "PRAGMA foreign_keys = on")
    let database = try Database(path: new, mode: .readWrite)
    try database.configureForStrata()
    try database.execute("DELETE FROM Human WHERE _row = 2")
    database.close()

    let report = try downgrade(new, old, renaming)

    #expect(report.isLossless)
    #expect(try rows(new, "SELECT 1 FROM Person WHERE _row = 2").isEmpty)
    #expect(try rows(new, "PRAGMA foreign_key_check").isEmpty)
    #expect(try rows(new, "SELECT 1 FROM \"Person.friends\" WHERE value = 2").isEmpty)
  }

  @Test func valuesThatAreExchangedAreNotInEachOthersWay() throws {
    let (old, new) = try files(renaming)
    let before = try rows(old, "SELECT id FROM Person WHERE _row IN (1, 2) ORDER BY _row")
    try bench.sql(new, "UPDATE Human SET id = -1 WHERE _row = 1")
    try bench.sql(
      new,
      "UPDATE Human SET id = (SELECT b.id FROM Human b WHERE b._row = 2) * 0 + \(number(before[0][0])) WHERE _row = 2"
    )
    try bench.sql(new, "UPDATE Human SET id = \(number(before[1][0])) WHERE _row = 1")

    #expect(try downgrade(new, old, renaming).isLossless)
    #expect(
      try rows(new, "SELECT id FROM Person WHERE _row IN (1, 2) ORDER BY _row")
        == before.reversed())
  }

  private func number(_ value: SQLiteValue) -> Int64 { value.ifInteger ?? 0 }

  @Test func embeddedObjectsAndCollectionsGoBack() throws {
    let (old, new) = try files(renaming)
    let database = try Database(path: new, mode: .readWrite)
    try database.configureForStrata()
    try database.execute("INSERT INTO Place(_row, city) VALUES (100000, 'Paris')")
    try database.execute("UPDATE Human SET home = 100000 WHERE _row = 3")
    try database.execute("DELETE FROM \"Human.friends\" WHERE _owner = 3")
    try database.execute(
      "INSERT INTO \"Human.friends\" VALUES (3, 10, 5), (3, 20, 4), (3, 30, 5)")
    database.close()

    #expect(try downgrade(new, old, renaming).isLossless)
    #expect(
      try rows(new, "SELECT city FROM Place WHERE _row = (SELECT home FROM Person WHERE _row = 3)")
        == [[.text("Paris")]])
    #expect(
      try rows(new, "SELECT value FROM \"Person.friends\" WHERE _owner = 3 ORDER BY _index")
        == [[.integer(5)], [.integer(4)], [.integer(5)]])
  }

  // MARK: - What is lost

  @Test func aValueThatTheOlderVersionHasNotIsReportedAndRefused() throws {
    let (old, new) = try files(renaming)
    try bench.sql(new, "UPDATE Human SET age = 36.5 WHERE _row IN (1, 2)")
    let before = try bench.bytes(new)

    var told: DowngradeReport?
    let error = #expect(throws: MigrationError.self) {
      try downgrade(new, old, renaming) { $0.report = { told = $0 } }
    }
    #expect(error?.kind == .losesData)
    #expect(told?.losses.map(\.property) == ["age"])
    #expect(told?.losses.first?.count == 2)
    #expect(told?.losses.first?.objects.map(\.identity) == [1, 2])
    #expect(told?.losses.first?.reason == "version 0 has no such value")
    #expect(try digest(new, renaming) != digest(old, renaming))
    #expect(try FileInspector().stored(at: new).version == 1)
    #expect(try bench.bytes(new) == before)

    let ages = try rows(old, "SELECT age FROM Person WHERE _row IN (1, 2)")
    try downgrade(new, old, renaming) { $0.acceptsLoss = true }
    #expect(try rows(new, "SELECT age FROM Person WHERE _row IN (1, 2)") == ages)
  }

  @Test func aDryRunSaysWhatWouldBeLostAndWritesNothing() throws {
    let (old, new) = try files(renaming)
    try bench.sql(new, "UPDATE Human SET age = 36.5 WHERE _row = 1")
    let before = try bench.contents()
    let report = try downgrade(new, old, renaming) { $0.isDryRun = true }
    #expect(report.losses.count == 1)
    #expect(try bench.contents() == before)
  }

  @Test func onlyTheFirstTenObjectsAreNamed() throws {
    let (old, new) = try files(renaming)
    try bench.sql(new, "UPDATE Human SET age = _row + 0.5 WHERE _row <= 25")
    let loss = try #require(
      try downgrade(new, old, renaming) { $0.acceptsLoss = true }.losses.first)
    #expect(loss.count == 25)
    #expect(loss.objects.map(\.identity) == Array(1...10))
    #expect(loss.objects.allSatisfy { $0.key != nil })
  }

  @Test func whatIsNoLongerUniqueIsLost() throws {
    var email = Property.required("email", .string)
    email.isUnique = true
    let unique = Model(name: "Person", properties: [email, .required("n", .int)])
    let plain = Model(
      name: "Person", properties: [.required("email", .string), .required("n", .int)])
    let target = target([unique], [plain])
    let (old, new) = try files(target)
    try bench.sql(
      new,
      "UPDATE Person SET n = 5, email = (SELECT email FROM Person p WHERE p._row = 1) WHERE _row = 2"
    )

    let report = try downgrade(new, old, target) { $0.acceptsLoss = true }

    #expect(report.losses.map(\.property) == ["email"])
    #expect(try rows(new, "SELECT n FROM Person WHERE _row = 2") == [[.integer(5)]])
    #expect(
      try rows(new, "SELECT email FROM Person") == rows(old, "SELECT email FROM Person"))
  }

  @Test func aModelOfTheNewerVersionIsLost() throws {
    let (people, pet) = (
      Model(name: "Person", properties: [.required("name", .string)]),
      Model(name: "Pet", properties: [.required("name", .string)])
    )
    let target = target([people], [people, pet])
    let (old, new) = try files(target)
    try bench.sql(new, "INSERT INTO Pet(_row, name) VALUES (100000, 'Rex')")
    let report = try downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(report.losses.map(\.model) == ["Pet"])
    #expect(report.losses.map(\.property) == [nil])
    #expect(report.losses.first?.reason == "version 0 has no such model")
    #expect(try digest(new, target) == digest(old, target))
  }

  // MARK: - What a step says

  private static let split = Model(
    name: "Person",
    properties: [
      .required("first", .string), .required("last", .string), .required("age", .int),
    ])
  private static let whole = Model(
    name: "Person", properties: [.required("name", .string), .required("age", .int)])

  @Test func withoutBackAChangeOfWhatAStepWorksOutIsLost() throws {
    let target = target([Self.split], [Self.whole]) {
      $0.set = ["Person": ["name": expression("old.first + ' ' + old.last")]]
      $0.drop = [SchemaPath("Person", "first"), SchemaPath("Person", "last")]
    }
    let (old, new) = try files(target)
    try bench.sql(new, "UPDATE Person SET name = 'Ada Lovelace', age = 36 WHERE _row = 1")
    let report = try downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(report.losses.map(\.property) == ["name"])
    #expect(report.losses.first?.reason.contains("no `back:`") == true)
    #expect(try rows(new, "SELECT age FROM Person WHERE _row = 1") == [[.integer(36)]])
  }

  @Test func backSaysHowAChangeGoesBack() throws {
    let target = target([Self.split], [Self.whole]) {
      $0.set = ["Person": ["name": expression("old.first + ' ' + old.last")]]
      $0.drop = [SchemaPath("Person", "first"), SchemaPath("Person", "last")]
      $0.back = [
        "Person": [
          "first": backExpression("before(new.name, ' ') ?? new.name"),
          "last": backExpression("after(new.name, ' ') ?? ''"),
        ]
      ]
    }
    let (old, new) = try files(target)
    try bench.sql(new, "UPDATE Person SET name = 'Ada Lovelace' WHERE _row = 1")
    try bench.sql(new, "UPDATE Person SET age = 7 WHERE _row = 2")
    let report = try downgrade(new, old, target)
    #expect(report.isLossless)
    #expect(
      try rows(new, "SELECT first, last FROM Person WHERE _row = 1") == [
        [.text("Ada"), .text("Lovelace")]
      ])
    // Its name was not changed: what the expression would give of it does not count.
    let names = "SELECT first, last FROM Person WHERE _row > 1 ORDER BY _row"
    #expect(try rows(new, names) == rows(old, names))
  }

  @Test func whatBackGivesIsHeldAgainstAnUpgrade() throws {
    let target = target([Self.split], [Self.whole]) {
      $0.set = ["Person": ["name": expression("old.first + ' ' + old.last")]]
      $0.drop = [SchemaPath("Person", "first"), SchemaPath("Person", "last")]
      $0.back = ["Person": ["first": backExpression("new.name"), "last": backExpression("''")]]
    }
    let (old, new) = try files(target)
    try bench.sql(new, "UPDATE Person SET name = 'Ada Lovelace' WHERE _row = 1")
    let report = try downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(report.losses.map(\.property) == ["name"])
    #expect(report.losses.first?.reason.contains("is upgraded to another value") == true)
  }

  @Test func aBlockSaysHowAChangeGoesBack() throws {
    let target = UpgradeTarget(
      history: PeopleHistory.history,
      steps: [
        Step(to: 1) { step in
          step.back(PersonAfter.self, PersonBefore.self) { new, old in
            let words = new.fullName.split(separator: " ", maxSplits: 1)
            old.firstName = words.first.map(String.init) ?? ""
            old.lastName = words.count > 1 ? String(words[1]) : ""
          }
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            new.fullName = "\(old.firstName) \(old.lastName)"
          }
        }
      ])
    let (old, new) = try files(target)
    try bench.sql(
      new, "UPDATE Person SET fullName = 'Ada Lovelace', nickname = 'Ada' WHERE _row = 1")
    try bench.sql(new, "UPDATE Person SET age = 7 WHERE _row = 2")
    let report = try downgrade(new, old, target)
    #expect(report.isLossless)
    #expect(
      try rows(new, "SELECT firstName, lastName FROM Person WHERE _row = 1") == [
        [.text("Ada"), .text("Lovelace")]
      ])
    let rest = "SELECT firstName, lastName FROM Person WHERE _row > 1 ORDER BY _row"
    #expect(try rows(new, rest) == rows(old, rest))
    #expect(try rows(new, "SELECT age FROM Person WHERE _row = 2") == [[.integer(7)]])
  }

  // MARK: - What is refused

  @Test func anotherFileIsRefused() throws {
    let (old, new) = try files(renaming)
    let other = try bench.sample("other.db", version: 0, of: PeopleHistory.target)
    try refused(new, other, "holds the schema People")
    try refused(old, old, "same file")
    try refused(old, new, "is at version 1 of Test, later than")
    let twin = try bench.sample("twin.db", version: 0, of: renaming)
    try refused(twin, old, "both at version 0")
    try bench.sql(new, "UPDATE Human SET _row = _row + 1000000, boss = NULL, home = NULL")
    try bench.sql(new, "DELETE FROM Place")
    try refused(new, old, "was not made from")
  }

  private func refused(_ new: String, _ old: String, _ text: String) throws {
    let error = #expect(throws: MigrationError.self) { try downgrade(new, old, renaming) }
    #expect(error?.kind == .cannotGoBack)
    #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
  }

  @Test func anOutputLeavesTheNewerFileAlone() throws {
    let (old, new) = try files(renaming)
    let before = try bench.bytes(new)
    let report = try downgrade(new, old, renaming) { $0.output = bench.path("back.db") }
    #expect(report.to == 0)
    #expect(try bench.bytes(new) == before)
    #expect(try digest(bench.path("back.db"), renaming) == digest(old, renaming))
    #expect(try bench.names().sorted() == ["back.db", "new.db", "old.db"])
  }

  @Test func aCopyOfTheNewerFileIsKept() throws {
    let (old, new) = try files(renaming)
    let newer = try digest(new, renaming)
    try downgrade(new, old, renaming) { $0.backup = bench.path("kept.db") }
    #expect(try digest(bench.path("kept.db"), renaming) == newer)
  }
}

/// An expression under `back:` of a test; its text is known to be right.
func backExpression(_ text: String) -> Expression {
  do {
    return try Expression.parse(text, for: .back)
  } catch {
    preconditionFailure("\(text): \(error)")
  }
}
