import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Models that are called as SQL of ours calls a row: each has the data that one with any other name has.
@Suite struct ModelNameTests {
  private static let names = [
    "T", "t", "S", "X1", "x2", "Old", "New", "V", "Pair", "Base", "Excluded", "M", "B", "O",
    "Source",
  ]

  let bench: Workbench

  init() throws { bench = try Workbench() }

  private static func properties(_ name: String, _ more: [Property] = []) -> [Property] {
    [
      .required("n", .int), .required("g", .int), .link("boss", to: name),
      .list("friends", of: name),
    ] + more
  }

  /// Paths over links in all that a step and a rule may say.
  private static func target(_ name: String) -> UpgradeTarget {
    let rules = [
      ModelRule(
        name: "led",
        condition: "boss == nil OR boss.n >= -5 AND (boss.boss == nil OR boss.boss.n >= -5)",
        sentence: nil),
      ModelRule(
        name: "small", condition: "n != 4 AND (boss == nil OR boss.n != 12)", sentence: nil),
    ]
    return UpgradeTarget(
      history: .chained(
        "Test",
        [
          (
            "2026-01-01",
            Schema(
              name: "Test", version: 0, models: [Model(name: name, properties: properties(name))]),
            nil
          ),
          (
            "2026-02-01",
            Schema(
              name: "Test", version: 1,
              models: [
                Model(
                  name: name,
                  properties: properties(
                    name, [.optional("above", .int), .optional("far", .int)]), rules: rules)
              ]),
            step(1) {
              $0.set = [
                name: [
                  "above": expression("old.boss.n"), "far": expression("old.boss.boss.boss.n"),
                ]
              ]
              $0.delete = [name: expression("old.boss.n == 13 OR ANY old.friends.boss.n == 7")]
              $0.deduplicate = [name: Deduplication(properties: ["g"], keep: .first)]
              $0.repair = [
                SchemaPath(name, "small"): Repair(set: ["n": expression("(boss.n ?? 0) + 100")])
              ]
            }
          ),
        ]))
  }

  private func rows(_ name: String, _ isSetBased: Bool) throws -> [[SQLiteValue]] {
    let target = Self.target(name)
    let path = try bench.sample("\(name)-\(isSetBased).db", version: 0, of: target, objects: 0)
    for row in 1...30 {
      let boss = row == 1 ? "NULL" : "\(row * 7 % (row - 1) + 1)"
      try bench.sql(
        path,
        "INSERT INTO \(name)(_row, n, g, boss) VALUES (\(row), \(row * 5 % 19 - 2), \(row % 27), \(boss))"
      )
      try bench.sql(
        path, "INSERT INTO \"\(name).friends\" VALUES (\(row), 1, \(row * 11 % 30 + 1))")
    }
    var options = Upgrade.Options()
    options.isSetBased = isSetBased
    try Upgrade(path: path, target: target, options: options).run()
    return try bench.sql(path, "SELECT * FROM \(name) ORDER BY _row")
  }

  @Test(arguments: names, [false, true])
  func anUpgradeGivesTheSame(name: String, isSetBased: Bool) throws {
    let plain = try rows("Plain", isSetBased)
    #expect(plain.count > 5 && plain.count < 30)
    #expect(try rows(name, isSetBased) == plain)
  }

  @Test(arguments: names)
  func aRenameInABlockKeepsValues(name: String) throws {
    func schema(_ version: Int, _ property: String) -> Schema {
      Schema(
        name: "Test", version: version,
        models: [Model(name: name, properties: [.required(property, .int)])])
    }
    let path = bench.path("a.db")
    let old = UpgradeTarget(history: .chained("Test", [("2026-01-01", schema(0, "a"), nil)]))
    _ = try bench.sample("a.db", version: 0, of: old, objects: 0)
    for row in 1...3 { try bench.sql(path, "INSERT INTO \(name) VALUES (\(row), \(row * 10))") }

    try upgrade(
      path,
      UpgradeTarget(classic: schema(1, "b")) { migration, _ in
        migration.enumerateObjects(ofType: name) { _, _ in }
        migration.renameProperty(onType: name, from: "a", to: "b")
      })
    #expect(
      try bench.sql(path, "SELECT b FROM \(name) ORDER BY _row")
        == [[.integer(10)], [.integer(20)], [.integer(30)]])
  }

  /// An embedded object that holds one of its own kind, under the name that a trigger gives to the row that is gone.
  @Test(arguments: ["Plain", "Old", "New"])
  func whatIsEmbeddedGoesWithItsOwner(name: String) throws {
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          (
            "2026-01-01",
            Schema(
              name: "Test", version: 0,
              models: [
                Model(name: "Owner", properties: [.link("child", to: name)]),
                Model(
                  name: name, isEmbedded: true,
                  properties: [.link("child", to: name), .required("n", .int)]),
              ]), nil
          )
        ]))
    let path = try bench.sample("a.db", version: 0, of: target, objects: 0)
    for statement in [
      "INSERT INTO \(name)(_row, child, n) VALUES (3, NULL, 1)",
      "INSERT INTO \(name)(_row, child, n) VALUES (2, 3, 1)",
      "INSERT INTO Owner(_row, child) VALUES (1, 2)",
    ] { try bench.sql(path, statement) }
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    try database.configureForStrata()
    try database.execute("DELETE FROM Owner")
    #expect(try database.rows("SELECT count(*) FROM \(name)") == [[.integer(0)]])
  }
}
