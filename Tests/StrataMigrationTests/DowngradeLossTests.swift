import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// What cannot be carried back is counted, named and refused; `back:` and blocks say how it goes back.
@Suite struct DowngradeLossTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }
  private var renaming: UpgradeTarget { downs.renaming }

  init() throws { downs = try DowngradeBench() }

  private func rows(_ path: String, _ sql: String) throws -> [[SQLiteValue]] {
    try downs.rows(path, sql)
  }

  // MARK: - What is lost

  @Test func aValueThatTheOlderVersionHasNotIsReportedAndRefused() throws {
    let (old, new) = try downs.files(renaming)
    try bench.sql(new, "UPDATE Human SET age = 36.5 WHERE _row IN (1, 2)")
    let before = try bench.bytes(new)

    var told: DowngradeReport?
    let error = #expect(throws: MigrationError.self) {
      try downs.downgrade(new, old, renaming) { $0.report = { told = $0 } }
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
    try downs.downgrade(new, old, renaming) { $0.acceptsLoss = true }
    #expect(try rows(new, "SELECT age FROM Person WHERE _row IN (1, 2)") == ages)
  }

  @Test func aDryRunSaysWhatWouldBeLostAndWritesNothing() throws {
    let (old, new) = try downs.files(renaming)
    try bench.sql(new, "UPDATE Human SET age = 36.5 WHERE _row = 1")
    let before = try bench.contents()
    let report = try downs.downgrade(new, old, renaming) { $0.isDryRun = true }
    #expect(report.losses.count == 1)
    #expect(try bench.contents() == before)
  }

  @Test func onlyTheFirstTenObjectsAreNamed() throws {
    let (old, new) = try downs.files(renaming)
    try bench.sql(new, "UPDATE Human SET age = _row + 0.5 WHERE _row <= 25")
    let loss = try #require(
      try downs.downgrade(new, old, renaming) { $0.acceptsLoss = true }.losses.first)
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
    let target = downs.target([unique], [plain])
    let (old, new) = try downs.files(target)
    try bench.sql(
      new,
      "UPDATE Person SET n = 5, email = (SELECT email FROM Person p WHERE p._row = 1) WHERE _row = 2"
    )

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

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
    let target = downs.target([people], [people, pet])
    let (old, new) = try downs.files(target)
    try bench.sql(new, "INSERT INTO Pet(_row, name) VALUES (100000, 'Rex')")
    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
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
    let target = downs.target([Self.split], [Self.whole]) {
      $0.set = ["Person": ["name": expression("old.first + ' ' + old.last")]]
      $0.drop = [SchemaPath("Person", "first"), SchemaPath("Person", "last")]
    }
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET name = 'Ada Lovelace', age = 36 WHERE _row = 1")
    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(report.losses.map(\.property) == ["name"])
    #expect(report.losses.first?.reason.contains("no `back:`") == true)
    #expect(try rows(new, "SELECT age FROM Person WHERE _row = 1") == [[.integer(36)]])
  }

  @Test func backSaysHowAChangeGoesBack() throws {
    let target = downs.target([Self.split], [Self.whole]) {
      $0.set = ["Person": ["name": expression("old.first + ' ' + old.last")]]
      $0.drop = [SchemaPath("Person", "first"), SchemaPath("Person", "last")]
      $0.back = [
        "Person": [
          "first": backExpression("before(new.name, ' ') ?? new.name"),
          "last": backExpression("after(new.name, ' ') ?? ''"),
        ]
      ]
    }
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET name = 'Ada Lovelace' WHERE _row = 1")
    try bench.sql(new, "UPDATE Person SET age = 7 WHERE _row = 2")
    let report = try downs.downgrade(new, old, target)
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
    let target = downs.target([Self.split], [Self.whole]) {
      $0.set = ["Person": ["name": expression("old.first + ' ' + old.last")]]
      $0.drop = [SchemaPath("Person", "first"), SchemaPath("Person", "last")]
      $0.back = ["Person": ["first": backExpression("new.name"), "last": backExpression("''")]]
    }
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET name = 'Ada Lovelace' WHERE _row = 1")
    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(report.losses.map(\.property) == ["name"])
    #expect(report.losses.first?.reason.contains("is upgraded to another value") == true)
  }

  /// That the step has a `back:` says nothing of a property which that does not read.
  @Test func aReasonNamesOnlyABackThatReadsTheProperty() throws {
    let newer = Model(
      name: "Person", properties: [.required("name", .string), .required("years", .int)])
    let target = downs.target([Self.split], [newer]) {
      $0.set = [
        "Person": [
          "name": expression("old.first + ' ' + old.last"), "years": expression("old.age + 1"),
        ]
      ]
      $0.drop = [
        SchemaPath("Person", "first"), SchemaPath("Person", "last"), SchemaPath("Person", "age"),
      ]
      $0.back = [
        "Person": [
          "first": backExpression("before(new.name, ' ')"),
          "last": backExpression("after(new.name, ' ') ?? ''"),
        ]
      ]
    }
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET years = 50 WHERE _row = 1")
    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(report.losses.map(\.property) == ["years"])
    #expect(report.losses.first?.reason.contains("no `back:`") == true, "\(report.losses)")
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
    let (old, new) = try downs.files(target)
    try bench.sql(
      new, "UPDATE Person SET fullName = 'Ada Lovelace', nickname = 'Ada' WHERE _row = 1")
    try bench.sql(new, "UPDATE Person SET age = 7 WHERE _row = 2")
    let report = try downs.downgrade(new, old, target)
    #expect(report.isLossless)
    #expect(
      try rows(new, "SELECT firstName, lastName FROM Person WHERE _row = 1") == [
        [.text("Ada"), .text("Lovelace")]
      ])
    let rest = "SELECT firstName, lastName FROM Person WHERE _row > 1 ORDER BY _row"
    #expect(try rows(new, rest) == rows(old, rest))
    #expect(try rows(new, "SELECT age FROM Person WHERE _row = 2") == [[.integer(7)]])
  }

  // MARK: - What gives no value

  /// The one object is named, and the others go back.
  @Test func aBackThatOverflowsKeepsItsOwnChangeFromGoingBack() throws {
    let euros = Model(name: "Item", properties: [.required("euros", .int), .required("n", .int)])
    let cents = Model(name: "Item", properties: [.required("cents", .int), .required("n", .int)])
    let target = downs.target([euros], [cents]) {
      $0.set = ["Item": ["cents": expression("old.euros / 100")]]
      $0.drop = [SchemaPath("Item", "euros")]
      $0.back = ["Item": ["euros": backExpression("new.cents * 100")]]
    }
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Item SET cents = 5000000000000000000, n = 7 WHERE _row = 2")
    try bench.sql(new, "UPDATE Item SET cents = 5, n = 8 WHERE _row = 3")
    // Half of a new object would be another one.
    try bench.sql(
      new, "INSERT INTO Item(_row, cents, n) VALUES (1000, 5000000000000000000, 1), (1001, 6, 2)")
    let before = try bench.bytes(new)

    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(error?.kind == .losesData)
    #expect(try bench.bytes(new) == before)

    let euro = try rows(old, "SELECT euros FROM Item WHERE _row = 2")[0][0]
    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(report.losses.map(\.property) == [nil, "cents"])
    #expect(report.losses.map { $0.objects.map(\.identity) } == [[1000], [2]])
    #expect(Set(report.losses.map(\.reason)).count == 1)
    #expect(try rows(new, "SELECT euros FROM Item WHERE _row >= 1000") == [[.integer(600)]])
    #expect(
      report.losses.first?.reason.hasPrefix(
        "`back:` of Item.euros in the step to version 1 gives no value: ") == true,
      "\(report.losses)")
    #expect(
      try rows(new, "SELECT euros, n FROM Item WHERE _row IN (2, 3) ORDER BY _row") == [
        [euro, .integer(7)], [.integer(500), .integer(8)],
      ])
  }

  /// What it would have made of the rest is not known: the object stays as the old file has it, and a new one is left out.
  @Test func aBackThatThrowsKeepsItsObjectFromGoingBack() throws {
    struct Missing: Error, CustomStringConvertible { let description = "a name is missing" }
    let target = UpgradeTarget(
      history: PeopleHistory.history,
      steps: [
        Step(to: 1) { step in
          step.back(PersonAfter.self, PersonBefore.self) { new, old in
            guard let space = new.fullName.firstIndex(of: " ") else { throw Missing() }
            old.firstName = String(new.fullName[..<space])
            old.lastName = String(new.fullName[new.fullName.index(after: space)...])
          }
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            new.fullName = "\(old.firstName) \(old.lastName)"
          }
        }
      ])
    let (old, new) = try downs.files(target)
    try bench.sql(
      new, "UPDATE Person SET fullName = 'Ada', nickname = NULL, age = 7 WHERE _row = 1")
    try bench.sql(
      new,
      "UPDATE Person SET fullName = 'Ada Lovelace', nickname = 'Ada', age = 8 WHERE _row = 2")
    let first = "SELECT * FROM Person WHERE _row = 1"

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    #expect(Set(report.losses.map(\.property)) == ["fullName", "nickname", "age"])
    #expect(report.losses.allSatisfy { $0.objects.map(\.identity) == [1] })
    #expect(
      report.losses.contains { $0.reason.contains("stopped the downgrade: a name is missing") },
      "\(report.losses)")
    #expect(try rows(new, first) == rows(old, first))
    #expect(
      try rows(new, "SELECT firstName, lastName, age FROM Person WHERE _row = 2") == [
        [.text("Ada"), .text("Lovelace"), .integer(8)]
      ])
  }

  /// It is not heard, and the report says why.
  @Test func aBackThatComesTooLateIsTheReasonOfALoss() throws {
    let target = UpgradeTarget(
      history: PeopleHistory.history,
      steps: [
        Step(to: 1) { step in
          _ = Array(try step.objects(PersonBefore.self))
          step.back(PersonAfter.self, PersonBefore.self) { new, old in
            old.firstName = new.fullName
          }
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            new.fullName = "\(old.firstName) \(old.lastName)"
          }
        }
      ])
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET fullName = 'Ada' WHERE _row = 1")
    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(
      report.losses.map(\.reason) == [
        "the block of version 1 works it out, and says no `step.back` before it looks at other objects or throws"
      ])
  }

  /// Where a block is called to learn its `back`, no body runs.
  @Test func aBackBehindAThrowIsTheReasonOfALoss() throws {
    struct Empty: Error {}
    let target = UpgradeTarget(
      history: PeopleHistory.history,
      steps: [
        Step(to: 1) { step in
          var count = 0
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            new.fullName = "\(old.firstName) \(old.lastName)"
            count += 1
          }
          guard count > 0 else { throw Empty() }
          step.back(PersonAfter.self, PersonBefore.self) { new, old in
            old.firstName = new.fullName
          }
        }
      ])
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET fullName = 'Ada' WHERE _row = 1")
    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(
      report.losses.map(\.reason) == [
        "the block of version 1 works it out, and says no `step.back` before it looks at other objects or throws"
      ])
  }

  // MARK: - Another old file

  /// The file as it was is not the one that was upgraded: an older version has written in between.
  @Test func anOldFileThatWasWrittenSinceIsRefused() throws {
    let (old, new) = try downs.files(renaming)
    #expect(try downs.downgrade(new, old, renaming) { $0.isDryRun = true }.isMadeOfOldFile == true)
    try bench.sql(old, "UPDATE _strata SET value = value + 1 WHERE key = 'transaction'")
    let before = try bench.bytes(new)

    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, renaming) }
    #expect(error?.kind == .losesData)
    #expect(
      error?.description.contains("it is not what an upgrade makes of \(old), which") == true)
    #expect(try bench.bytes(new) == before)

    let report = try downs.downgrade(new, old, renaming) { $0.acceptsLoss = true }
    #expect(report.isMadeOfOldFile == false)
    #expect(!report.isLossless)
  }

  /// A program that did not note it has made the upgrade.
  @Test func aFileThatDoesNotSayWhatItWasUpgradedFromIsTakenBack() throws {
    let (old, new) = try downs.files(renaming)
    try bench.sql(new, "DELETE FROM _strata WHERE key = 'upgrades'")
    let report = try downs.downgrade(new, old, renaming)
    #expect(report.isMadeOfOldFile == nil)
    #expect(report.isLossless)
  }
}
