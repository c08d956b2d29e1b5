import Foundation
import Strata
import StrataSQLite
import StrataSchema
import Testing

/// Swift blocks that make objects which break a rule, as an app runs them: with a chain of migrations, by opening its store.
@Suite struct RuleBlockTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  // MARK: - The app's versions

  private enum Before: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema(0, rules: [kept]))
  }

  private enum After: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema(1, rules: [adult]))
  }

  private static let kept = ModelRule(
    name: "mortal", condition: "age < 1000", sentence: "People die before.")
  private static let adult = ModelRule(
    name: "adult", condition: "age >= 18", sentence: "A member is at least 18.")

  private static func schema(_ version: Int, rules: [ModelRule]) -> Schema {
    Schema(
      name: "Club", version: version,
      models: [
        Model(
          name: "Person", properties: [.required("age", .int), .required("name", .string)],
          rules: rules)
      ])
  }

  private enum Chain: MigrationChain {
    static let history = EmbeddedHistory(
      json: #"""
        {"history":"Club","versions":[{"chain":"0000000000000000000000000000000000000000000000000000000000000001",\#
        "date":"2026-01-01","schema":{"enums":[],"language":1,"models":[{"name":"Person","properties":\#
        [{"name":"age","type":"int"},{"name":"name","type":"string"}],\#
        "rules":[{"name":"mortal","that":"age < 1000","says":"People die before."}]}],"schema":"Club","version":0}},\#
        {"chain":"0000000000000000000000000000000000000000000000000000000000000002",\#
        "date":"2026-02-01","schema":{"enums":[],"language":1,"models":[{"name":"Person","properties":\#
        [{"name":"age","type":"int"},{"name":"name","type":"string"}],\#
        "rules":[{"name":"adult","that":"age >= 18","says":"A member is at least 18."}]}],"schema":"Club","version":1},\#
        "step":{"swift":["Person"],"to":1}}]}
        """#)
    static var steps: [Step] { [step] }
  }

  /// The same with what becomes of objects that break the rule.
  private enum RepairingChain: MigrationChain {
    static let history = EmbeddedHistory(
      json: #"""
        {"history":"Club","versions":[{"chain":"0000000000000000000000000000000000000000000000000000000000000001",\#
        "date":"2026-01-01","schema":{"enums":[],"language":1,"models":[{"name":"Person","properties":\#
        [{"name":"age","type":"int"},{"name":"name","type":"string"}],\#
        "rules":[{"name":"mortal","that":"age < 1000","says":"People die before."}]}],"schema":"Club","version":0}},\#
        {"chain":"0000000000000000000000000000000000000000000000000000000000000002",\#
        "date":"2026-02-01","schema":{"enums":[],"language":1,"models":[{"name":"Person","properties":\#
        [{"name":"age","type":"int"},{"name":"name","type":"string"}],\#
        "rules":[{"name":"adult","that":"age >= 18","says":"A member is at least 18."}]}],"schema":"Club","version":1},\#
        "step":{"repair":{"Person.adult":{"delete":"age < 0","set":{"age":"18"}}},"swift":["Person"],"to":1}}]}
        """#)
    static var steps: [Step] { [step] }
  }

  /// Each person is ten years younger, and has a child from then on. On the way back a year counts as a hundred.
  private static let step = Step(to: 1) { step in
    step.back(NewPerson.self, OldPerson.self) { new, old in old.age = new.age * 100 }
    for old in try step.objects(OldPerson.self) {
      guard let new = try step.counterpart(of: old, as: NewPerson.self) else { continue }
      new.age = old.age - 10
      _ = try step.create(NewPerson.self) { child in
        child.name = "child of \(old.name)"
        child.age = old.age - 40
      }
    }
  }

  private struct OldPerson: FrozenObject {
    static let modelName = "Person"
    static let version = 0
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
    var age: Int {
      get { row.value(0) }
      nonmutating set { row.setValue(0, newValue) }
    }
    var name: String { row.value(1) }
  }

  private struct NewPerson: FrozenObject {
    static let modelName = "Person"
    static let version = 1
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
    var age: Int {
      get { row.value(0) }
      nonmutating set { row.setValue(0, newValue) }
    }
    var name: String {
      get { row.value(1) }
      nonmutating set { row.setValue(1, newValue) }
    }
  }

  // MARK: - The user's file

  /// Ada is 70 and Bo 38.
  private func file() throws -> String {
    let path = bench.path("club.db")
    let store = try Store(path: path, schema: Before.self, migrations: Chain.self)
    try store.write {
      _ = try store.create(named: "Person", value: ["name": "Ada", "age": 70])
      _ = try store.create(named: "Person", value: ["name": "Bo", "age": 38])
    }
    store.close()
    return path
  }

  private func people(_ path: String) throws -> [[SQLiteValue]] {
    try bench.sql(path, "SELECT name, age FROM Person ORDER BY _row")
  }

  // MARK: - Up

  @Test func objectsOfABlockThatBreakARuleAreCountedAndTheFileStaysAsItWas() throws {
    let path = try file()
    let before = try bench.contents()

    let error = #expect(throws: StoreError.self) {
      try Store(path: path, schema: After.self, migrations: Chain.self)
    }

    guard case .migrationFailed(let refusal) = error else {
      Issue.record("\(error.map(String.init(describing:)) ?? "opened")")
      return
    }
    #expect(refusal.code == "STR5210")
    #expect(refusal.version == 1)
    let broken = try #require(refusal.brokenRules.first)
    #expect(refusal.brokenRules.count == 1)
    #expect(broken.rule == "adult" && broken.count == 1)
    #expect(broken.sentence == "A member is at least 18.")
    #expect(refusal.description.contains("`repair: { Person.adult: … }`"))
    #expect(try bench.contents() == before, "the file and its folder, byte for byte")
  }

  @Test func aRepairLetsThemThrough() throws {
    let path = try file()

    try Store(path: path, schema: After.self, migrations: RepairingChain.self).close()

    // Ada's child is 30; Bo's was not born yet, which the repair deletes.
    #expect(
      try people(path) == [
        [.text("Ada"), .integer(60)], [.text("Bo"), .integer(28)],
        [.text("child of Ada"), .integer(30)],
      ])
  }

  @Test func aRepairSetsWhatItDoesNotDelete() throws {
    let path = try file()
    try bench.sql(path, "UPDATE Person SET age = 45 WHERE name = 'Bo'")
    try Store(path: path, schema: After.self, migrations: RepairingChain.self).close()
    #expect(try people(path).last == [.text("child of Bo"), .integer(18)])
  }

  // MARK: - And back

  @Test func aBlocksWayBackThatBreaksTheOlderRuleIsRefused() throws {
    let path = try file()
    let old = bench.path("old.db")
    try POSIXFiles().copy(path, to: old, permissions: 0o600)
    try Store(path: path, schema: After.self, migrations: RepairingChain.self).close()
    try bench.sql(path, "UPDATE Person SET age = 65 WHERE name = 'Ada'")
    let before = try bench.contents()
    let configuration = Store.Configuration(
      path: path, schema: After.self, migrations: RepairingChain.self)

    for isAccepting in [false, true] {
      let error = #expect(throws: StoreError.self) {
        try Store.downgrade(
          configuration, from: URL(fileURLWithPath: old), acceptingLoss: isAccepting)
      }
      guard case .migrationFailed(let refusal) = error else {
        Issue.record("\(error.map(String.init(describing:)) ?? "taken back")")
        continue
      }
      #expect(refusal.code == "STR5210")
      #expect(refusal.brokenRules.map(\.rule) == ["mortal"])
      #expect(refusal.brokenRules.map(\.count) == [1])
      #expect(refusal.description.contains("was not taken back to version 0, and is as it was"))
      #expect(try bench.contents() == before, "the file and its folder, byte for byte")
    }
  }
}
