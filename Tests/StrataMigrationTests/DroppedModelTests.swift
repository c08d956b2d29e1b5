import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What a version refuses is refused also where a later one drops the model, on each way.
@Suite struct DroppedModelTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func target(
    _ older: Model, _ newer: Model, _ blocks: [Step] = [],
    _ change: (inout MigrationStep) -> Void
  ) -> UpgradeTarget {
    let other = Model(name: "Other", properties: [.required("n", .int)])
    return UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: [older, other]), nil),
          (
            "2026-02-01", Schema(name: "Test", version: 1, models: [newer, other]),
            step(1, change)
          ),
          (
            "2026-03-01", Schema(name: "Test", version: 2, models: [other]),
            step(2) { $0.drop = [SchemaPath("Item")] }
          ),
        ]), steps: blocks)
  }

  private func expectRefusal(
    of row: String, by target: UpgradeTarget, _ kind: MigrationError.Kind,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    var refusals: [MigrationError] = []
    for (name, version) in [("steps.db", 1), ("straight.db", 2)] {
      let path = try bench.sample(name, version: 0, of: target, objects: 3)
      try bench.sql(path, "DELETE FROM Item")
      try bench.sql(path, "INSERT INTO Item(_row, n) VALUES \(row)")
      let before = try bench.bytes(path)
      let error = #expect(throws: MigrationError.self, sourceLocation: sourceLocation) {
        try upgrade(path, target, to: version)
      }
      if let error { refusals.append(error) }
      #expect(try bench.bytes(path) == before, sourceLocation: sourceLocation)
    }
    #expect(refusals.map(\.kind) == [kind, kind], sourceLocation: sourceLocation)
    #expect(refusals.map(\.version) == [1, 1], sourceLocation: sourceLocation)
    #expect(refusals.map(\.identity) == [6, 6], sourceLocation: sourceLocation)
    // Without the object both ways go.
    let path = try bench.sample("sound.db", version: 0, of: target, objects: 0)
    let plan = try UpgradePlan.make(path: path, target: target, options: Upgrade.Options())
    #expect(
      plan.tables.first { $0.model == "Item" }?.reason.contains("is looked at") == true,
      sourceLocation: sourceLocation)
    #expect(try upgrade(path, target).to == 2, sourceLocation: sourceLocation)
  }

  private static let number = Model(name: "Item", properties: [.required("n", .int)])

  @Test func anExpressionThatFails() throws {
    let newer = Model(name: "Item", properties: [.required("n", .int), .required("x", .int)])
    try expectRefusal(
      of: "(5, 7), (6, 0)",
      by: target(Self.number, newer) { $0.set = ["Item": ["x": expression("1 / old.n")]] },
      .conversionFailed)
  }

  /// What is worked out within a list.
  @Test(arguments: [
    "{1 / old.n, 5}[1] ?? 0", "{5, 6}[1 / old.n] ?? 0", "if(ANY {1 / old.n, 5} == 5, 1, 0)",
    "if(old.n < 9, {1 / old.n, 5}[1] ?? 0, 1)",
  ])
  func aValueWithinAList(_ value: String) throws {
    let newer = Model(name: "Item", properties: [.required("n", .int), .required("x", .int)])
    try expectRefusal(
      of: "(5, 7), (6, 0)",
      by: target(Self.number, newer) { $0.set = ["Item": ["x": expression(value)]] },
      .conversionFailed)

    let history = try EveryPath(
      [[Self.number], [newer], [Self.number]],
      steps: [
        1: { $0.set = ["Item": ["x": expression(value)]] },
        2: { $0.drop = [SchemaPath("Item", "x")] },
      ])
    let refused = try history.refusal(after: "INSERT INTO Item(_row, n) VALUES (6, 0)")
    #expect(refused == .refused(code: "STR5206", version: 1, model: "Item"))
  }

  @Test func aValueThatIsRequired() throws {
    let older = Model(name: "Item", properties: [.optional("n", .int)])
    try expectRefusal(
      of: "(5, 7), (6, NULL)", by: target(older, Self.number) { _ in }, .requiredValueMissing)
  }

  @Test func aBlockThatThrows() throws {
    struct Refused: Error, CustomStringConvertible { let description = "no" }
    let block = Step(to: 1) { step in
      try step.each(OldItem.self, NewItem.self) { old, _ in
        if old.n == 0 { throw Refused() }
      }
    }
    try expectRefusal(
      of: "(5, 7), (6, 0)",
      by: target(Self.number, Self.number, [block]) { $0.swiftModels = ["Item"] }, .blockFailed)
  }

  private struct OldItem: FrozenObject {
    static let modelName = "Item"
    static let version = 0
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
    var n: Int { row.value(0) }
  }

  private struct NewItem: FrozenObject {
    static let modelName = "Item"
    static let version = 1
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
  }
}
