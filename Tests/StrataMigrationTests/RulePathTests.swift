import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Files whose objects break a rule of their own version already, because another program has written them.
@Suite struct RulePathTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private static func schema(
    _ version: Int, rule: String?, _ more: [Property] = []
  ) -> Schema {
    let rules = rule.map { [ModelRule(name: "positive", condition: $0, sentence: nil)] }
    return Schema(
      name: "Test", version: version,
      models: [
        Model(name: "P", properties: [.required("n", .int)] + more, rules: rules ?? [])
      ])
  }

  private static func target(
    _ versions: Schema..., steps: [MigrationStep] = []
  ) -> UpgradeTarget {
    UpgradeTarget(
      history: .chained(
        "Test",
        versions.map { schema in
          let step = steps.first { $0.to == schema.version } ?? MigrationStep(to: schema.version)
          return ("2026-0\(schema.version + 1)-01", schema, schema.version == 0 ? nil : step)
        }))
  }

  /// The first of two objects breaks `n > 0`.
  private func file(_ target: UpgradeTarget) throws -> String {
    let path = try bench.sample("a.db", version: 0, of: target, objects: 0)
    try bench.sql(path, "INSERT INTO P(_row, n) VALUES (1, -1), (2, 1)")
    return path
  }

  /// How version 2 ends what version 1 has of version 0.
  enum End: CaseIterable { case removed, changed, mended }

  private static func target(_ end: End) -> UpgradeTarget {
    let note = Property.optional("note", .string)
    let last: String? =
      switch end {
      case .removed: nil
      case .changed: "n > -5"
      case .mended: "n > 0"
      }
    let mending = step(2) { $0.set = ["P": ["n": expression("old.n * old.n")]] }
    return target(
      schema(0, rule: "n > 0"), schema(1, rule: "n > 0", [note]),
      schema(2, rule: last, [note]), steps: end == .mended ? [mending] : [])
  }

  @Test(arguments: End.allCases, [true, false])
  func aBrokenRuleIsRefusedOnEveryPath(end: End, isFusing: Bool) throws {
    let target = Self.target(end)
    let path = try file(target)
    let before = try bench.contents()

    for version in [1, 2] {
      do {
        try upgrade(path, target, to: version, fusing: isFusing)
        Issue.record("version 1 refuses")
      } catch let error as MigrationError {
        #expect(error.kind == .ruleBroken && error.version == 1)
        #expect(error.brokenRules.first?.first.map(\.identity) == [1])
      }
    }
    #expect(try bench.contents() == before)
  }

  @Test(arguments: End.allCases) func aPlanSaysSoBefore(end: End) throws {
    let target = Self.target(end)
    let plan = try UpgradePlan.make(
      path: try file(target), target: target, options: Upgrade.Options())
    #expect(plan.forecast.broken.map(\.version) == [1])
    #expect(plan.forecast.broken.first?.rules.map(\.count) == [1])
  }

  /// No version on the way has the rule.
  @Test func aRuleThatTheNextVersionDropsIsNotAskedFor() throws {
    let note = Property.optional("note", .string)
    let target = Self.target(
      Self.schema(0, rule: "n > 0"), Self.schema(1, rule: nil),
      Self.schema(2, rule: nil, [note]))
    let path = try file(target)

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT n FROM P ORDER BY _row") == [[.integer(-1)], [.integer(1)]])
  }

  /// Where objects keep what they kept, versions stay one pass.
  @Test func aRuleThatStaysCutsNothing() throws {
    let note = Property.optional("note", .string)
    let other = Property.optional("other", .string)
    let target = Self.target(
      Self.schema(0, rule: "n > 0"), Self.schema(1, rule: "n > 0", [note]),
      Self.schema(2, rule: "n > 0", [note, other]))

    let route = try UpgradeRoute(versions: target.history.versions, target: target)

    #expect(route.passes.count == 1)
  }
}
