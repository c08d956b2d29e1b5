import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What people are told when a downgrade stops: that it is one, and of which file.
@Suite struct DowngradeMessageTests {
  private static let maximumReports = 500

  let downs: DowngradeBench
  var bench: Workbench { downs.bench }

  init() throws { downs = try DowngradeBench() }

  @Test func aKeyWithALineBreakStaysOnItsLine() {
    let object = DowngradeReport.LostObject(identity: 7, key: "\"a\n  nothing is lost\"")
    let loss = DowngradeReport.Loss(
      model: "Person", property: "age", reason: "it is gone", count: 1, objects: [object])
    let report = DowngradeReport(
      from: 2, to: 1, changes: [], losses: [loss], objects: 9, isMadeOfOldFile: true)
    #expect(
      report.text == #"""
          nothing has changed since the upgrade
          lost: Person.age of 1 object: it is gone: _row 7 ("a\n  nothing is lost")
        """#)
  }

  /// Programs look for the object by it; people need the beginning.
  @Test func aKeyIsItsTextAlone() throws {
    let long = String(repeating: "9", count: 80)
    func place(_ properties: Property...) -> Model {
      Model(
        name: "Place", primaryKey: ["code", "part"],
        properties: [.required("code", .string), .required("part", .int)] + properties)
    }
    let target = downs.target([place()], [place(.optional("note", .string))])
    let old = try bench.sample("old.db", version: 0, of: target, objects: 2)
    try bench.sql(
      old,
      """
      UPDATE Place SET code = iif(_row = 1, '90210', '\(long)'), part = _row
      """)
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    try bench.sql(new, "UPDATE Place SET note = 'lost'")

    let report = try downs.downgrade(new, old, target) { $0.isDryRun = true }

    #expect(report.losses.first?.objects.map(\.key) == ["90210, 1", "\(long), 2"])
    #expect(report.text.contains("_row 1 (90210, 1), _row 2 (\(long.prefix(60))…)"))
  }

  @Test func numbersAreGrouped() {
    let change = DowngradeReport.ModelChanges(
      model: "Person", changed: 10_000, created: 0, deleted: 2857)
    let report = DowngradeReport(
      from: 2, to: 1, changes: [change], losses: [], objects: 9, isMadeOfOldFile: true)
    #expect(report.text.hasPrefix("  Person: 10,000 changed, 0 created, 2,857 deleted\n"))
  }

  /// At each moment that the callback is asked: while the old file is upgraded anew, copied, changed, judged and written back.
  @Test func aCancelledDowngradeIsCalledOne() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET age = 77, email = 'lost' WHERE _row < 20")
    let before = try bench.contents()
    var moments = 0
    for last in 1...Self.maximumReports {
      var reports = 0
      do {
        try downs.downgrade(new, old, target) {
          $0.acceptsLoss = true
          $0.progress = { _ in
            reports += 1
            return reports == last ? .cancel : .proceed
          }
        }
        break
      } catch let error as MigrationError {
        #expect(error.kind == .cancelled)
        #expect(
          error.description.hasPrefix("The downgrade of \(new) was cancelled; the file "),
          "\(error.description)")
        #expect(try bench.contents() == before)
        moments += 1
      }
    }
    #expect(moments > 3)
    #expect(try FileInspector().stored(at: new).version == 0)
  }

  @Test func aFullDiskIsOneForTheDowngrade() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target)
    let error = #expect(throws: MigrationError.self) {
      try Downgrade(path: new, from: old, target: target, files: FaultyFiles(free: 1000)).run()
    }
    #expect(error?.kind == .diskFull)
    #expect(
      error?.description.hasPrefix("The downgrade of \(new) needs ") == true,
      "\(error?.description ?? "")")
    // Where it turns out while pages are written.
    let vfs = FaultVFS()
    vfs.arm(at: 3, .diskFull)
    let full = #expect(throws: MigrationError.self) {
      try Downgrade(path: new, from: old, target: target, vfs: vfs.name).run()
    }
    #expect(full?.kind == .diskFull)
    #expect(full?.description.contains("The disk is full. \(new) was not changed") == true)
  }

  @Test func aLockIsThatOfEither() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target)
    let files = POSIXFiles()
    let lock = try #require(
      try AsideFile.lockNames(beside: files.realPath(of: new), waiting: 0, files: files))
    defer { lock.release() }
    let text = "\(new) is being upgraded or taken back by another process."
    let down = #expect(throws: MigrationError.self) {
      try downs.downgrade(new, old, target) { $0.busyTimeout = 0 }
    }
    #expect(down?.kind == .busy)
    #expect(down?.description.hasPrefix(text) == true)
    // An upgrade of a file that is being taken back is told the same.
    try POSIXFiles().copy(old, to: bench.path("up.db"), permissions: 0o600)
    let other = try #require(
      try AsideFile.lockNames(
        beside: files.realPath(of: bench.path("up.db")), waiting: 0, files: files))
    defer { other.release() }
    var options = Upgrade.Options()
    options.busyTimeout = 0
    let up = #expect(throws: MigrationError.self) {
      try Upgrade(path: bench.path("up.db"), target: target, options: options).run()
    }
    #expect(up?.description.contains("is being upgraded or taken back by another process.") == true)
  }

  /// The newer file is whole, and must not be called damaged.
  @Test func damageIsThatOfTheFileThatHasIt() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target, objects: 2000)
    var bytes = try bench.bytes(old)
    // The first page says what the file is; what comes behind the second one is nonsense.
    for index in 8192..<bytes.count { bytes[index] = 0xA5 }
    try POSIXFiles().write(bytes, to: old, permissions: 0o600)
    let before = try bench.bytes(new)
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(error?.kind == .fileDamaged)
    #expect(error?.description.hasPrefix("\(old) ") == true, "\(error?.description ?? "")")
    #expect(try bench.bytes(new) == before)
  }

  /// The steps are not those any more that the file was upgraded with.
  @Test func anOldFileThatIsRefusedAnewIsNamed() throws {
    let (old, new) = try downs.files(PeopleHistory.target)
    let target = UpgradeTarget(
      history: PeopleHistory.history,
      steps: [
        Step(to: 1) { step in
          try step.each(PersonBefore.self, PersonAfter.self) { _, _ in
            throw MigrationError(.conversionFailed, "no name")
          }
        }
      ])
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(
      error?.description.hasPrefix(
        "\(new) was not taken back, and is as it was: for that \(old) is upgraded anew, which was refused. "
      )
        == true, "\(error?.description ?? "")")
  }

  @Test func anUpgradeSaysWhatTakesAFileBack() throws {
    let target = PeopleHistory.target
    let (_, new) = try downs.files(target)
    let error = #expect(throws: MigrationError.self) { try upgrade(new, target, to: 3) }
    #expect(error?.kind == .fileIsNewer)
    #expect(error?.description.contains("`strata downgrade` does") == true)
  }

  // MARK: - Why something is lost

  /// Version 1 has the model already, and is not what the file is taken back to.
  @Test func aModelThatCameOnTheWayIsMissingInTheOlderVersion() throws {
    let person = Model(name: "Person", properties: [.required("name", .string)])
    let place = Model(name: "Place", properties: [.required("street", .string)])
    func schema(_ version: Int, _ models: [Model]) -> Schema {
      Schema(name: "Test", version: version, models: models)
    }
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", schema(0, [person]), nil),
          ("2026-02-01", schema(1, [person, place]), nil),
          ("2026-03-01", schema(4, [person, place]), nil),
        ]), steps: [])
    let (old, new) = try downs.files(target, objects: 1)
    try bench.sql(new, "INSERT INTO Place(_row, street) VALUES (1000, 'Main')")

    let report = try downs.downgrade(new, old, target) { $0.isDryRun = true }

    #expect(report.losses.map(\.reason) == ["version 0 has no such model"])
  }

  /// Persons 1 and 2 have one address, and the upgrade made one of them. After these edits it would not any more.
  @Test(arguments: [
    "UPDATE Person SET email = 'b' WHERE _row = 1", "DELETE FROM Person WHERE _row = 1",
  ])
  func whatTheUpgradeGaveUpWasNotDeleted(edit: String) throws {
    var unique = Property.required("email", .string)
    unique.isUnique = true
    let target = downs.target(
      [Model(name: "Person", properties: [.required("email", .string)])],
      [Model(name: "Person", properties: [unique])]
    ) { $0.deduplicate = ["Person": Deduplication(properties: ["email"], keep: .first)] }
    let old = try bench.sample("old.db", version: 0, of: target, objects: 0)
    try bench.sql(old, "INSERT INTO Person(_row, email) VALUES (1, 'a'), (2, 'a'), (3, 'c')")
    try bench.sql(old, "UPDATE _strata SET value = 1000 WHERE key = 'nextRow'")
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    try bench.sql(new, edit)

    let report = try downs.downgrade(new, old, target) { $0.isDryRun = true }

    #expect(
      report.losses.map(\.reason) == [
        "the upgrade of the old file gave it up, and an upgrade of what goes back does not"
      ])
    #expect(report.losses.first?.objects.map(\.identity) == [2])
  }

  /// The block makes a badge for each person of more than ten years.
  @Test func whatAStepMakesOfAChangeWasNotDeletedEither() throws {
    let person = Model(name: "Person", properties: [.required("age", .int)])
    let badge = Model(name: "Badge", properties: [.required("n", .int)])
    let block = Step(to: 1) { step in
      for person in try step.objects(AgedPerson.self) where person.age > 10 {
        try step.create(Badge.self) { $0.n = person.age }
      }
    }
    let target = downs.target([person], [badge, person], [block]) { $0.swiftModels = ["Badge"] }
    let (old, new) = try downs.files(target, objects: 0)
    for path in [old, new] { try bench.sql(path, "INSERT INTO Person(_row, age) VALUES (1, 5)") }
    try bench.sql(new, "UPDATE Person SET age = 30")

    let report = try downs.downgrade(new, old, target) { $0.isDryRun = true }

    #expect(
      report.losses.map(\.reason) == [
        "a step makes it of what goes back, and the newer file has no such object"
      ])
    #expect(report.losses.map(\.model) == ["Badge"])
  }
}

private struct AgedPerson: FrozenObject {
  static let modelName = "Person"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var age: Int { _row.value(0) }
}

private struct Badge: FrozenObject {
  static let modelName = "Badge"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var n: Int {
    get { _row.value(0) }
    nonmutating set { _row.setValue(0, newValue) }
  }
}
