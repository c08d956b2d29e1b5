import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What a plan says of rules where a Swift block has the last word.
@Suite struct RuleForecastTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private static let adult = ModelRule(name: "adult", condition: "age >= 18", sentence: nil)

  /// When the plan is made, the body of `each` is not run: the block seems to map teams alone.
  @Test func aModelThatABodyMaySetIsNotForetold() throws {
    let name = Property.required("name", .string)
    let age = Property.required("age", .int, default: .int(0))
    let team = Model(name: "Team", properties: [.list("members", of: "Person")])
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          (
            "2026-01-01",
            Schema(
              name: "Test", version: 0, models: [Model(name: "Person", properties: [name]), team]),
            nil
          ),
          (
            "2026-02-01",
            Schema(
              name: "Test", version: 1,
              models: [
                Model(name: "Person", properties: [age, name], rules: [Self.adult]), team,
              ]),
            step(1) { $0.swiftModels = ["Person", "Team"] }
          ),
        ]),
      steps: [
        Step(to: 1) { step in
          try step.each(OldTeam.self, NewTeam.self) { old, _ in
            for link in old.members {
              guard let person = try step.object(link),
                let new = try step.counterpart(of: person, as: NewPerson.self)
              else { continue }
              new.age = 20
            }
          }
        }
      ])
    let path = try bench.sample(version: 0, of: target, objects: 0)
    try bench.sql(path, "INSERT INTO Person (_row, name) VALUES (1, 'Ada'), (2, 'Bo')")
    try bench.sql(path, "INSERT INTO Team (_row) VALUES (3)")
    try bench.sql(
      path, "INSERT INTO \"Team.members\" (_owner, _index, value) VALUES (3, 1, 1), (3, 2, 2)")
    try bench.sql(path, "UPDATE _strata SET value = 4 WHERE key = 'nextRow'")

    let plan = try UpgradePlan.make(path: path, target: target, options: Upgrade.Options())

    #expect(plan.forecast.broken.isEmpty)
    #expect(plan.forecast.unknown == [1: ["Person.adult"]])
    try upgrade(path, target)
    #expect(try bench.sql(path, "SELECT age FROM Person") == [[.integer(20)], [.integer(20)]])
  }
}

// As code generation writes them; properties stand by name.

private struct OldPerson: FrozenObject {
  static let modelName = "Person"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
}

private struct NewPerson: FrozenObject {
  static let modelName = "Person"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var age: Int {
    get { _row.value(0) }
    nonmutating set { _row.setValue(0, newValue) }
  }
}

private struct OldTeam: FrozenObject {
  static let modelName = "Team"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var members: FrozenList<FrozenLink<OldPerson>> { _row.links(0) }
}

private struct NewTeam: FrozenObject {
  static let modelName = "Team"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
}
