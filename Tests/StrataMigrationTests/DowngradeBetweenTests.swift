import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// A version between the older and the newer one has rules and unique values that the newer one has not: what an app writes there may be
/// refused when the file, taken back, is upgraded again.
@Suite struct DowngradeBetweenTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }

  init() throws { downs = try DowngradeBench() }

  private static let plain = Model(
    name: "Person", properties: [.required("high", .int), .required("low", .int)])
  private static let ordered = Model(
    name: "Person", properties: plain.properties,
    rules: [ModelRule(name: "ordered", condition: "low <= high", sentence: nil)])
  private static let unique = Model(
    name: "Person", uniques: [["low"]], properties: plain.properties)
  private static let keyed = Model(
    name: "Person", primaryKey: ["low"], properties: plain.properties)

  /// Versions 0 and 2 take any numbers.
  private func target(between: Model, newest: Model = plain) throws -> UpgradeTarget {
    try EveryPath([[Self.plain], [between], [newest]]).target
  }

  /// An old file with two objects that each version takes, and the same upgraded.
  private func files(_ target: UpgradeTarget) throws -> (old: String, new: String) {
    let (old, new) = (
      try bench.sample("old.db", version: 0, of: target, objects: 0), bench.path("new.db")
    )
    try bench.sql(old, "INSERT INTO Person(_row, high, low) VALUES (1, 9, 1), (2, 8, 2)")
    try bench.sql(old, "UPDATE _strata SET value = 3 WHERE key = 'nextRow'")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    return (old, new)
  }

  private static let refused: [(Model, String, MigrationError.Kind)] = [
    (ordered, "UPDATE Person SET low = 99 WHERE _row = 2", .ruleBroken),
    (ordered, "INSERT INTO Person(_row, high, low) VALUES (3, 1, 2)", .ruleBroken),
    (unique, "UPDATE Person SET low = 1 WHERE _row = 2", .duplicateValue),
    (keyed, "UPDATE Person SET low = 1 WHERE _row = 2", .duplicateValue),
  ]

  @Test(arguments: refused)
  func whatItRefusesIsLost(between: Model, change: String, refusal: MigrationError.Kind) throws {
    let target = try target(between: between)
    let (old, new) = try files(target)
    try bench.sql(new, change)

    let report = try downs.downgrade(new, old, target) { $0.isDryRun = true }
    #expect(report.losses.map(\.model) == ["Person"])
    let reason = try #require(report.losses.first?.reason)
    #expect(reason.hasPrefix("an upgrade of what goes back is refused ("), "\(reason)")
    #expect(!report.isLossless)
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(error?.kind == .losesData)

    try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    let again = #expect(throws: MigrationError.self) { try upgrade(new, target) }
    #expect(again?.kind == refusal)
  }

  @Test func whatItTakesGoesBack() throws {
    let target = try target(between: Self.ordered)
    let (old, new) = try files(target)
    try bench.sql(new, "UPDATE Person SET low = 8 WHERE _row = 2")
    let changed = try digest(new, target)

    #expect(try downs.downgrade(new, old, target).isLossless)
    try upgrade(new, target)
    #expect(try digest(new, target) == changed)
  }

  /// A proof changes objects as an app may that knows the newest version alone.
  @Test func aProofOfSuchAHistoryHolds() throws {
    var proof = MigrationProof(target: try target(between: Self.ordered), seed: 7)
    proof.crowd = 0

    let report = try proof.run()

    #expect(report.isProven, "\(report)")
  }

  private static let apart: [(Model, Model, Bool)] = [
    (plain, ordered, true), (ordered, plain, false), (ordered, ordered, true),
    (unique, plain, false), (unique, unique, true), (unique, keyed, true), (keyed, plain, false),
    (keyed, unique, false), (keyed, keyed, true),
  ]

  /// Where the newest version refuses the same, nothing has to be upgraded again to know.
  @Test(arguments: apart)
  func whatTheNewestVersionRefusesTooIsNotLookedFor(
    between: Model, newest: Model, isApart: Bool
  ) throws {
    let target = try target(between: between, newest: newest)
    let versions = target.history.versions
    let route = try BackRoute(UpgradeRoute(versions: versions, target: target), versions: versions)
    #expect(route.keepsObjectsApart == isApart)
  }
}
