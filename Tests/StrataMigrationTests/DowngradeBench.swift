import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

@testable import Strata
@testable import StrataTesting

/// Files to take back, in a folder of their own.
struct DowngradeBench {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// An old file and the same upgraded.
  func files(_ target: UpgradeTarget, objects: Int = 40) throws -> (
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
  func downgrade(
    _ new: String, _ old: String, _ target: UpgradeTarget,
    _ change: (inout Downgrade.Options) -> Void = { _ in }
  ) throws -> DowngradeReport {
    var options = Downgrade.Options()
    change(&options)
    return try Downgrade(path: new, from: old, target: target, options: options).run()
  }

  func target(
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

  func rows(_ path: String, _ sql: String) throws -> [[SQLiteValue]] {
    try bench.sql(path, sql)
  }

  static let people = Model(
    name: "Person", primaryKey: ["id"],
    properties: [
      .required("id", .int), .required("name", .string), .optional("age", .int32),
      .link("boss", to: "Person"), .list("friends", of: "Person"),
      Property(name: "tags", type: .set(ValueType(.scalar(.string)))),
      Property(name: "notes", type: .map(ValueType(.scalar(.string)))),
      .link("home", to: "Place"), .required("secret", .string, default: .string("none")),
    ])
  static let place = Model(
    name: "Place", isEmbedded: true, properties: [.required("city", .string)])

  /// A rename of the model and of a property, a widening, and a property that is given up.
  var renaming: UpgradeTarget {
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
}

/// An expression under `back:` of a test; its text is known to be right.
func backExpression(_ text: String) -> Expression {
  do {
    return try Expression.parse(text, for: .back)
  } catch {
    preconditionFailure("\(text): \(error)")
  }
}
