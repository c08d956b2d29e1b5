import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Upgrades to versions whose rules existing objects may break.
@Suite struct RuleUpgradeTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  // MARK: - Histories

  private static let person = [
    Property.required("age", .int), .required("name", .string), .link("boss", to: "Person"),
  ]
  private static let adult = ModelRule(
    name: "adult", condition: "age >= 18", sentence: "A member is at least 18.")

  private static func schema(
    _ version: Int, _ rules: [ModelRule] = [], properties: [Property] = person
  ) -> Schema {
    Schema(
      name: "Test", version: version,
      models: [Model(name: "Person", properties: properties, rules: rules)])
  }

  private static func target(
    _ versions: Schema..., steps: [MigrationStep] = []
  ) -> UpgradeTarget {
    UpgradeTarget(
      history: .chained(
        "Test",
        versions.map { schema in
          (
            "2026-0\(schema.version + 1)-01", schema,
            schema.version == 0
              ? nil : steps.first { $0.to == schema.version } ?? MigrationStep(to: schema.version)
          )
        }))
  }

  /// Fifteen people of the ages 10 to 24, each led by the one before.
  private func file(_ target: UpgradeTarget, _ name: String = "a.db") throws -> String {
    let path = try bench.sample(name, version: 0, of: target, objects: 0)
    for row in 1...15 {
      try bench.sql(
        path,
        "INSERT INTO Person(_row, age, name, boss) VALUES (\(row), \(row + 9), 'P\(row)', \(row > 1 ? "\(row - 1)" : "NULL"))"
      )
    }
    return path
  }

  private func refusal(_ path: String, _ target: UpgradeTarget, to version: Int? = nil) throws
    -> MigrationError
  {
    let before = try bench.contents()
    do {
      try upgrade(path, target, to: version)
    } catch let error as MigrationError {
      #expect(try bench.contents() == before, "the file and its folder are as they were")
      return error
    }
    Issue.record("the upgrade was not refused")
    return MigrationError(.inputOutput, "")
  }

  // MARK: - Refusals

  @Test func whatBreaksANewRuleIsCountedAndTheFirstTenAreNamed() throws {
    let target = Self.target(Self.schema(0), Self.schema(1, [Self.adult]))
    let path = try file(target)
    try bench.sql(path, "UPDATE Person SET age = 3 WHERE age > 20")

    let error = try refusal(path, target)

    #expect(error.kind == .ruleBroken)
    #expect(error.code == "STR5210")
    #expect(error.version == 1)
    let broken = try #require(error.brokenRules.first)
    #expect(error.brokenRules.count == 1)
    #expect(broken.model == "Person" && broken.rule == "adult")
    #expect(broken.sentence == "A member is at least 18.")
    #expect(broken.count == 12)
    #expect(broken.first.map(\.identity) == [1, 2, 3, 4, 5, 6, 7, 8, 12, 13])
    #expect(
      error.description
        == "The upgrade to version 1 was refused, and the file is as it was: 12 Person objects break the rule "
        + "Person.adult: A member is at least 18. (age >= 18): Person 1, Person 2, Person 3, Person 4, Person 5, "
        + "Person 6, Person 7, Person 8, Person 12, Person 13 and 2 more. Say in the step to version 1 what becomes "
        + "of them: `repair: { Person.adult: … }`, or change them before.")
  }

  /// Nothing but the file's description is written, and all objects are looked at.
  @Test func anAddedRuleRewritesNothing() throws {
    let target = Self.target(Self.schema(0), Self.schema(1, [Self.adult]))
    let path = try file(target)
    try bench.sql(path, "UPDATE Person SET age = age + 10")
    let route = try UpgradeRoute(
      versions: target.history.versions, target: target,
      choices: UpgradeRoute.Choices(mayBeInPlace: true))
    #expect(route.inPlaceChange != nil)

    let report = try upgrade(path, target)

    #expect(report.strategies == ["Person": .untouched])
    let inspection = try FileInspector().inspect(path, target: target)
    #expect(inspection.status == .current)
    #expect(inspection.shape == Self.schema(0).shape)
    #expect(throws: StoreError.self) {
      let store = try Store(path: path)
      try store.write { try store.create(named: "Person", value: ["age": 1, "name": "x"]) }
    }
  }

  @Test func aRuleThatIsRemovedStopsNobody() throws {
    let target = Self.target(Self.schema(0, [Self.adult]), Self.schema(1))
    let path = try file(target)
    try upgrade(path, target)
    #expect(try bench.sql(path, "SELECT count(*) FROM Person") == [[.integer(15)]])
  }

  @Test func whatAStepMakesIsHeldAgainstTheRules() throws {
    let newer = Self.schema(
      1, [ModelRule(name: "few", condition: "double * 1 < 40", sentence: nil)],
      properties: Self.person + [.required("double", .int)])
    let target = Self.target(
      Self.schema(0), newer,
      steps: [step(1) { $0.set = ["Person": ["double": expression("old.age * 2")]] }])
    let error = try refusal(try file(target), target)
    #expect(error.brokenRules.map(\.count) == [5])
    #expect(error.brokenRules.first?.first.map(\.identity) == [11, 12, 13, 14, 15])
  }

  @Test func aRuleOverLinksIsHeldToo() throws {
    let rule = ModelRule(
      name: "led", condition: "boss == nil OR boss.age > 12", sentence: nil)
    let target = Self.target(Self.schema(0), Self.schema(1, [rule]))
    let error = try refusal(try file(target), target)
    #expect(error.brokenRules.first?.first.map(\.identity) == [2, 3, 4])
  }

  @Test func whatCannotBeComputedIsCounted() throws {
    let rule = ModelRule(name: "ratio", condition: "100 / (age - 12) < 1000", sentence: nil)
    let target = Self.target(Self.schema(0), Self.schema(1, [rule]))
    let error = try refusal(try file(target), target)
    #expect(error.brokenRules.first?.count == 1)
    #expect(error.brokenRules.first?.first.first?.identity == 3)
    #expect(error.brokenRules.first?.first.first?.problem != nil)
  }

  /// What a version on the way would refuse is refused in one go, too, and is named by that version.
  @Test(arguments: [true, false]) func everyVersionOnTheWayIsHeld(isFusing: Bool) throws {
    let raised = step(2) { $0.set = ["Person": ["age": expression("old.age + 20")]] }
    let target = Self.target(
      Self.schema(0), Self.schema(1, [Self.adult]), Self.schema(2, [Self.adult]), steps: [raised])
    let path = try file(target)
    do {
      try upgrade(path, target, fusing: isFusing)
      Issue.record("version 1 refuses")
    } catch let error as MigrationError {
      #expect(error.kind == .ruleBroken)
      #expect(error.version == 1)
      #expect(error.brokenRules.first?.count == 8)
    }
  }

  /// The rule's words stay, and what they mean does not: an inverse is that of another link, a key is of another property.
  @Test(arguments: [true, false]) func aRuleThatFindsOtherObjectsIsHeld(isInverse: Bool) throws {
    func schema(_ version: Int, linking link: String, key: String, _ condition: String?) -> Schema {
      Schema(
        name: "Test", version: version,
        models: [
          Model(
            name: "Dog", primaryKey: [key],
            properties: [
              .required("a", .int), .required("b", .int), .link("first", to: "Person"),
              .link("second", to: "Person"),
            ]),
          Model(
            name: "Person",
            properties: [
              .required("n", .int),
              Property(name: "dogs", type: .inverse(model: "Dog", property: link)),
            ],
            rules: condition.map { [ModelRule(name: "few", condition: $0, sentence: nil)] } ?? []),
        ])
    }
    let few = isInverse ? "dogs.@count <= 1" : "lookup(Dog, key: n) == nil"
    let target = Self.target(
      schema(0, linking: "first", key: "a", few),
      schema(1, linking: isInverse ? "second" : "first", key: isInverse ? "a" : "b", few),
      schema(2, linking: "first", key: "a", nil))
    let path = try bench.sample("a.db", version: 0, of: target, objects: 0)
    try bench.sql(path, "INSERT INTO Person(_row, n) VALUES (1, 7)")
    try bench.sql(
      path, "INSERT INTO Dog(_row, a, b, second) VALUES (1, 1, 7, 1), (2, 2, 8, 1)")

    for version in [1, 2] {
      let error = try refusal(path, target, to: version)
      #expect(error.kind == .ruleBroken && error.version == 1)
      #expect(error.brokenRules.first?.first.map(\.identity) == [1])
    }
  }

  // MARK: - Repairs

  private static func repair(_ repair: Repair) -> MigrationStep {
    step(1) { $0.repair = [SchemaPath("Person", "adult"): repair] }
  }

  @Test func aRepairSetsValues() throws {
    let target = Self.target(
      Self.schema(0), Self.schema(1, [Self.adult]),
      steps: [Self.repair(Repair(set: ["age": query("18 + age"), "name": query("name + '!'")]))])
    let path = try file(target)

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT age, name FROM Person WHERE _row IN (1, 8, 9) ORDER BY _row")
        == [
          [.integer(28), .text("P1!")], [.integer(35), .text("P8!")], [.integer(18), .text("P9")],
        ])
  }

  /// What decides keeps the parts behind it from being worked out.
  @Test func aRepairDividesByNoZeroThatItExcludes() throws {
    let condition = "age == 10 OR 100 / (age - 10) > 20"
    let rule = ModelRule(name: "ratio", condition: "ok == (\(condition))", sentence: nil)
    let target = Self.target(
      Self.schema(0),
      Self.schema(1, [rule], properties: Self.person + [.required("ok", .bool)]),
      steps: [
        step(1) {
          $0.set = ["Person": ["ok": expression("old.age < 0")]]
          $0.repair = [SchemaPath("Person", "ratio"): Repair(set: ["ok": query(condition)])]
        }
      ])
    let path = try file(target)

    try upgrade(path, target)

    #expect(try bench.sql(path, "SELECT max(_row) FROM Person WHERE ok") == [[.integer(5)]])
  }

  /// Those for which the condition holds go with what their deletion takes along; the others get values.
  @Test func aRepairDeletesSomeAndSetsOthers() throws {
    let target = Self.target(
      Self.schema(0), Self.schema(1, [Self.adult]),
      steps: [Self.repair(Repair(delete: query("age < 15"), set: ["age": query("18")]))])
    let path = try file(target)

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT _row, age, boss FROM Person ORDER BY _row LIMIT 4")
        == [
          [.integer(6), .integer(18), .null], [.integer(7), .integer(18), .integer(6)],
          [.integer(8), .integer(18), .integer(7)], [.integer(9), .integer(18), .integer(8)],
        ])
    #expect(try bench.sql(path, "SELECT count(*) FROM Person") == [[.integer(10)]])
  }

  @Test func aRepairThatIsNotEnoughIsRefused() throws {
    let target = Self.target(
      Self.schema(0), Self.schema(1, [Self.adult]),
      steps: [Self.repair(Repair(set: ["age": query("age + 5")]))])
    let error = try refusal(try file(target), target)
    #expect(error.kind == .ruleBroken)
    #expect(error.brokenRules.first?.first.map(\.identity) == [1, 2, 3])
    #expect(
      error.description.hasSuffix(
        "They break it after the `repair:` of the step to version 1, too: say there what becomes of them, or change them before."
      ), "\(error.description)")
  }

  /// Whether such a rule can be asked is a matter of how SQLite was built.
  @Test func aRepairDeletesNothingOfARuleThatIsTooDeepToBeAsked() throws {
    let sum = String(repeating: "age + (", count: 40) + "age" + String(repeating: ")", count: 40)
    let rule = ModelRule(name: "adult", condition: "\(sum) > 0", sentence: nil)
    let target = Self.target(
      Self.schema(0), Self.schema(1, [rule]),
      steps: [Self.repair(Repair(delete: query("age >= 0")))])
    let path = try file(target)

    do {
      try upgrade(path, target)
    } catch let error as MigrationError {
      #expect(error.kind == .brokenHistory)
      #expect(error.description.contains("the rule Person.adult, which is too deep"))
    }

    #expect(try bench.sql(path, "SELECT count(*) FROM Person") == [[.integer(15)]])
  }

  @Test func everyPathGivesTheSame() throws {
    let target = Self.target(
      Self.schema(0), Self.schema(1, [Self.adult]),
      Self.schema(2, [Self.adult], properties: Self.person + [.optional("note", .string)]),
      Self.schema(3),
      steps: [Self.repair(Repair(delete: query("boss == nil"), set: ["age": query("age + 10")]))])
    let straight = try file(target, "straight.db")
    let stepwise = try file(target, "stepwise.db")
    let unfused = try file(target, "unfused.db")

    try upgrade(straight, target)
    for version in 1...3 { try upgrade(stepwise, target, to: version) }
    try upgrade(unfused, target, fusing: false)

    let expected = try digest(straight, target)
    #expect(try digest(stepwise, target) == expected)
    #expect(try digest(unfused, target) == expected)
  }

  @Test func aRepairIsPartOfTheStepsMeaning() throws {
    let step = Self.repair(
      Repair(delete: query("age < 0 AND name != ''"), set: ["age": query("max(age, 18)")]))
    #expect(try MigrationStep(json: step.json) == step)
    #expect(MigrationStep(to: 1).json != step.json)
  }

  // MARK: - Forecasts

  private func forecast(_ path: String, _ target: UpgradeTarget) throws -> RuleForecast {
    let before = try bench.contents()
    let plan = try UpgradePlan.make(path: path, target: target, options: Upgrade.Options())
    #expect(try bench.contents() == before)
    return plan.forecast
  }

  /// What the plan says of a file is what the upgrade says then.
  @Test func aPlanSaysWhatWillBeRefused() throws {
    let renamed = Schema(
      name: "Test", version: 1,
      models: [
        Model(
          name: "Human",
          properties: [
            .required("years", .int), .required("name", .string), .link("boss", to: "Human"),
          ],
          rules: [
            ModelRule(name: "led", condition: "boss == nil OR boss.years > 12", sentence: nil),
            ModelRule(name: "old", condition: "years * 2 > 24", sentence: "Old."),
          ])
      ])
    let target = Self.target(
      Self.schema(0), renamed,
      steps: [
        step(1) {
          $0.renames.models = ["Person": "Human"]
          $0.set = ["Human": ["years": expression("old.age + 1")]]
        }
      ])
    let path = try file(target)

    let found = try forecast(path, target)

    #expect(found.unknown == [:])
    #expect(found.broken.map(\.version) == [1])
    #expect(found.broken.first?.rules == (try refusal(path, target)).brokenRules)
    #expect(found.broken.first?.rules.map(\.count) == [2, 2])
  }

  @Test func aPlanSaysWhatItCannotKnow() throws {
    let deletes = Self.target(
      Self.schema(0), Self.schema(1, [Self.adult]),
      steps: [step(1) { $0.delete = ["Person": expression("old.age < 18")] }])
    #expect(try forecast(try file(deletes, "deletes.db"), deletes).unknown == [1: ["Person.adult"]])

    let repaired = Self.target(
      Self.schema(0), Self.schema(1, [Self.adult]), Self.schema(2, [Self.adult]),
      steps: [Self.repair(Repair(set: ["age": query("18")]))])
    let found = try forecast(try file(repaired, "repaired.db"), repaired)
    #expect(found.broken.isEmpty)
    #expect(found.unknown == [1: ["Person.adult"], 2: ["Person.adult"]])
  }

  // MARK: - The classic form, and working versions

  @Test func aMigrationBlockIsHeldAgainstTheRules() throws {
    let bench = try ClassicBench()
    let plain = [Model(name: "Person", properties: [.required("age", .int)])]
    let ruled = [
      Model(name: "Person", properties: [.required("age", .int)], rules: [Self.adult])
    ]
    try bench.write(1, plain, "INSERT INTO Person(_row, age) VALUES (1, 10), (2, 30)")

    let error = try #require(
      try bench.refusal(to: 2, ruled) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          new?["age"] = (old?["age"] as? Int ?? 0) + 1
        }
      })
    #expect(error.kind == .ruleBroken)
    #expect(error.brokenRules.first?.first.map(\.identity) == [1])
    #expect(error.description.hasSuffix("Change or delete these objects in the migration block."))

    try bench.migrate(to: 2, ruled) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new?["age"] = (old?["age"] as? Int ?? 0) + 8
      }
    }
    #expect(try bench.sql("SELECT age FROM Person") == [[.integer(18)], [.integer(38)]])
  }

  private enum Yesterday: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema(0))
  }
  private enum Today: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema(0, [adult]))
  }

  /// A version that is being worked on gets another rule: the file is looked at when it is opened.
  @Test func anOpenVersionsNewRuleIsHeldWhenTheFileIsOpened() throws {
    let path = bench.path("a.db")
    try Store(path: path, schema: Yesterday.self).close()
    try bench.sql(path, "INSERT INTO Person(_row, age, name) VALUES (1, 10, 'a')")

    #expect {
      try Store(path: path, schema: Today.self)
    } throws: { error in
      guard case StoreError.migrationFailed(let error) = error else { return false }
      return error.kind == .ruleBroken && error.brokenRules.first?.count == 1
    }
    try bench.sql(path, "UPDATE Person SET age = 20")
    try Store(path: path, schema: Today.self).close()

    // The file says the rule from then on, also to a store that knows no schema.
    let store = try Store(path: path)
    #expect(throws: StoreError.self) {
      try store.write { try store.create(named: "Person", value: ["age": 1, "name": "x"]) }
    }
  }
}

/// An expression over a new object.
private func query(_ text: String) -> Expression {
  do {
    return try Expression.parse(text, for: .query)
  } catch {
    preconditionFailure("\(text): \(error)")
  }
}
