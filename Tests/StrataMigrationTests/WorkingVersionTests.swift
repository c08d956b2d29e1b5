import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Files of a version that is being worked on, and of shapes that nobody has frozen.
@Suite struct WorkingVersionTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private static let frozen = [Property.required("name", .string), .required("age", .int)]

  private static func schema(
    _ version: Int, _ properties: [Property], _ rules: [ModelRule] = []
  ) -> Schema {
    Schema(
      name: "Test", version: version,
      models: [
        Model(name: "Person", properties: properties.sorted { $0.name < $1.name }, rules: rules)
      ])
  }

  /// Version 0 is frozen, version 1 is worked on.
  private static func target(
    _ working: [Property], rules: [ModelRule] = [], isPart: Bool = true
  ) throws -> UpgradeTarget {
    let history = History.chained("Test", [("2026-01-01", schema(0, frozen), nil)])
    // It says how version 0 is left, which says nothing of version 1's own earlier shapes.
    let step = step(1) { $0.set = ["Person": ["email": expression("'from the step'")]] }
    let full = try history.including(
      working: schema(1, working, rules),
      step: working.contains { $0.name == "email" } ? step : nil)
    guard !isPart else { return UpgradeTarget(history: full) }
    return UpgradeTarget(history: history, working: full.newest)
  }

  /// A file that a program has written whose version 1 was declared so.
  private func file(_ earlier: [Property]) throws -> String {
    let path = bench.path("a.db")
    let database = try Database(path: path)
    defer { database.close() }
    try database.configureForStrata(busyTimeout: 0)
    try database.setPragma("journal_mode", "WAL")
    let schema = Self.schema(1, earlier)
    try database.transaction {
      try TableLayout(schema).create(
        in: database, lineage: Lineage(beginning: schema), chain: nil)
      try database.execute("INSERT INTO Person(_row, name, age) VALUES (1, 'Ada', 36)")
    }
    return path
  }

  @Test(arguments: [true, false])
  func anEarlierShapeIsBroughtToTheDeclaredOne(isPart: Bool) throws {
    let path = try file(Self.frozen)
    var name = Self.frozen[0]
    name.index = .ordinary
    let target = try Self.target(
      [
        name, .optional("age", .int), .required("email", .string, default: .string("none")),
        .optional("nick", .string),
      ], isPart: isPart)

    let before = try FileInspector().inspect(path, target: target)
    let plan = try UpgradePlan.make(path: path, target: target, options: Upgrade.Options())
    let report = try upgrade(path, target)
    let after = try FileInspector().inspect(path, target: target)

    #expect((before.status, before.version) == (.upgradable, 1))
    #expect((plan.from, plan.to, plan.steps) == (1, 1, [1]))
    #expect(!plan.isCurrent)
    #expect((report.from, report.to, report.isUpgrade) == (1, 1, true))
    #expect((after.status, after.version) == (.current, 1))
    #expect(
      try bench.sql(path, "SELECT name, age, email, nick FROM Person") == [
        [.text("Ada"), .integer(36), .text("none"), .null]
      ])
    #expect(try upgrade(path, target).isUpgrade == false)
  }

  @Test func changesThatNeedAStepAreListedAndTheFileStaysAsItWas() throws {
    let path = try file(Self.frozen)
    let target = try Self.target([.optional("name", .string), .required("email", .string)])
    let before = try bench.stamps()

    #expect {
      try upgrade(path, target)
    } throws: { error in
      let text = "\(error)"
      return (error as? MigrationError)?.kind == .unknownShape
        && text.contains("an earlier shape of version 1 of Test")
        && text.contains("'Person.age'") && text.contains("'Person.email'")
        && !text.contains("'Person.name'")
    }

    let inspection = try FileInspector().inspect(path, target: target)
    #expect(inspection.status == .unknownShape)
    #expect(try bench.stamps() == before)
  }

  /// The step leads from version 0, and this file is not one of it: no `repair:` would be run.
  @Test(arguments: [true, false])
  func ofObjectsThatBreakARuleItIsSaidWhatHelps(isInPlace: Bool) throws {
    let path = try file(Self.frozen)
    let rule = ModelRule(name: "young", condition: "age < 30", sentence: nil)
    let target = try Self.target(Self.frozen + [.optional("nick", .string)], rules: [rule])
    let before = try bench.contents()
    var options = Upgrade.Options()
    options.isSetBased = isInPlace

    let plan = try UpgradePlan.make(path: path, target: target, options: options)
    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }

    let advice = """
      (age < 30): Person 1. Change these objects with the earlier declarations, take the rule back, or begin the file anew: \
      a step leads only from one frozen version to the next, and the file is of version 1 already.
      """
    #expect(plan.write == (isInPlace ? .inPlace : .aside))
    #expect(plan.refusal?.description.hasSuffix(advice) == true)
    #expect(error?.kind == .ruleBroken)
    #expect(error?.description.hasSuffix(advice) == true)
    #expect(try bench.contents() == before)
  }

  @Test func theDeclaredShapeItselfIsCurrent() throws {
    let path = try file(Self.frozen)
    for isPart in [true, false] {
      let target = try Self.target(Self.frozen, isPart: isPart)
      #expect(try upgrade(path, target).isUpgrade == false)
      #expect(try FileInspector().inspect(path, target: target).status == .current)
    }
  }

  /// Once it is frozen, a version has one shape.
  @Test func ofAFrozenVersionThereIsNoEarlierShape() throws {
    let path = try file(Self.frozen)
    let history = History.chained(
      "Test",
      [
        ("2026-01-01", Self.schema(0, [.required("title", .string)]), nil),
        ("2026-02-01", Self.schema(1, Self.frozen + [.optional("nick", .string)]), nil),
      ])

    #expect {
      try upgrade(path, UpgradeTarget(history: history))
    } throws: { error in
      let text = "\(error)"
      return text.contains("no frozen version has its shape")
        && text.contains("The closest is version 1: ") && text.contains("'Person.nick'")
    }
    let inspection = try FileInspector().inspect(path, target: UpgradeTarget(history: history))
    #expect(inspection.closestVersion == 1)
  }

  /// Two versions have the same properties; the index tells which one is closer.
  @Test func theClosestVersionIsTheOneWithTheFewestChanges() throws {
    var indexed = Self.frozen
    indexed[0].index = .ordinary
    let path = try file(indexed + [.optional("extra", .string)])
    let history = History.chained(
      "Test",
      [
        ("2026-01-01", Self.schema(1, indexed), nil),
        ("2026-02-01", Self.schema(2, Self.frozen), nil),
      ])
    let inspection = try FileInspector().inspect(path, target: UpgradeTarget(history: history))
    #expect(inspection.closestVersion == 1)
    #expect(inspection.problem?.description.contains("'Person.extra'") == true)
  }
}
