import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What rules cost in an upgrade and in its plan, in SQLite's own instructions: four times as many objects about four times as much. A
/// table that is read anew for each object would make it 16.
@Suite struct RuleCostTests {
  /// Rules that lead to other objects, none of which is broken.
  static let conditions = [
    "l.@count < 5", "s.@count < 5", "m.@count < 5", "l.a.@max < 100", "ALL s.a >= 0",
    "i.@count < 5", "j.@count < 5", "SUBQUERY(i, $p, $p.a > 10).@count < 5", "b.l.@count < 5",
    "SUBQUERY(P, $p, $p.e == SELF.e).@count == 1", "lookup(P, key: a).k == a",
  ]

  private static let properties = [
    .required("k", .int), .required("a", .int),
    Property(
      name: "e", type: .value(ValueType(.scalar(.string), isOptional: true)), index: .ordinary),
    .link("b", to: "P"), .list("l", of: "P"),
    Property(name: "s", type: .set(ValueType(.object("P")))),
    Property(name: "m", type: .map(ValueType(.object("P")))),
    Property(name: "i", type: .inverse(model: "P", property: "b")),
    Property(name: "j", type: .inverse(model: "P", property: "l")),
  ]

  private static func schema(_ version: Int, rule: String? = nil, of ruled: String = "P") -> Schema
  {
    func rules(_ model: String) -> [ModelRule] {
      guard let rule, model == ruled else { return [] }
      return [ModelRule(name: "r", condition: rule, sentence: nil)]
    }
    return Schema(
      name: "Test", version: version,
      models: [
        Model(name: "P", primaryKey: ["k"], properties: properties, rules: rules("P")),
        Model(name: "Q", properties: [.required("n", .int)], rules: rules("Q")),
      ])
  }

  /// Objects each of which links to one other and is linked from one.
  private static func fill(_ count: Int, _ database: Database) throws {
    let numbers =
      "WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < \(count)) "
    let other = "1 + x * 7 % \(count)"
    for statement in [
      "INSERT INTO P(_row, k, a, e, b) SELECT x, x, x % 50 + 1, 'e' || x, \(other) FROM i",
      "INSERT INTO \"P.l\"(_owner, _index, value) SELECT x, 65536, \(other) FROM i",
      "INSERT INTO \"P.s\"(_owner, value) SELECT x, \(other) FROM i",
      "INSERT INTO \"P.m\"(_owner, _index, value) SELECT x, 'x', \(other) FROM i",
      "INSERT INTO Q(_row, n) SELECT \(count) + x, x FROM i",
    ] { try database.execute(numbers + statement) }
  }

  private func instructions(in database: Database, _ body: () throws -> Void) throws -> Int {
    let granularity = 10
    var ticks = 0
    database.setProgressHandler(every: granularity) {
      ticks += 1
      return false
    }
    defer { database.setProgressHandler(every: 0, nil) }
    try body()
    return ticks * granularity
  }

  private func expectLinear(_ cost: (Int) throws -> Int) throws {
    let (small, large) = (try cost(200), try cost(800))
    #expect(large < small * 6, "\(small) and \(large) instructions")
  }

  // MARK: - Upgrades

  @Test(arguments: conditions) func aRuleOfADraft(condition: String) throws {
    let schema = Self.schema(1, rule: condition)
    try expectLinear { count in
      let database = try Database(path: ":memory:")
      try DraftLayout.createTables(for: schema, in: database)
      try Self.fill(count, database)
      try DraftLayout.createIndexes(for: schema, in: database)
      return try instructions(in: database) {
        let broken = try RuleCheck(database, schema: schema).run()
        #expect(broken.isEmpty)
      }
    }
  }

  /// Values that look like numbers stay what they are: only links and owners have a type.
  @Test func aDraftKeepsValues() throws {
    let any = ValueType(.scalar(.any), isOptional: true)
    let schema = Schema(
      name: "Test", version: 1,
      models: [
        Model(
          name: "P",
          properties: [
            .required("text", .string), .required("number", .double), .optional("any", .any),
            .link("b", to: "P"), Property(name: "set", type: .set(any)),
            Property(name: "map", type: .map(any)), .list("l", of: "P"),
          ])
      ])
    let database = try Database(path: ":memory:")
    try DraftLayout.createTables(for: schema, in: database)
    try DraftLayout.createIndexes(for: schema, in: database)

    try database.execute(
      """
      INSERT INTO P(_row, text, number, "any", b) VALUES (1, '12', 3.0, '4.0', 1), (2, '1e3', 7, 3.0, NULL)
      """)
    try database.execute(
      "INSERT INTO \"P.set\"(_owner, value) VALUES (1, '12'), (1, 12), (1, 12.0)")
    try database.execute(
      "INSERT INTO \"P.map\"(_owner, _index, value) VALUES (1, '007', '12'), (1, '7', 12.0)")
    try database.execute("INSERT INTO \"P.l\"(_owner, _index, value) VALUES (1, 65536, 2)")

    #expect(
      try database.rows("SELECT text, number, \"any\", b FROM P ORDER BY _row") == [
        [.text("12"), .real(3), .text("4.0"), .integer(1)],
        [.text("1e3"), .integer(7), .real(3), .null],
      ])
    #expect(
      try database.rows("SELECT value FROM \"P.set\" ORDER BY rowid") == [
        [.text("12")], [.integer(12)], [.real(12)],
      ])
    #expect(
      try database.rows("SELECT _index, value FROM \"P.map\" ORDER BY rowid") == [
        [.text("007"), .text("12")], [.text("7"), .real(12)],
      ])
    #expect(
      try database.rows("SELECT * FROM \"P.l\"") == [[.integer(1), .integer(65536), .integer(2)]])
  }

  // MARK: - Plans

  @Test(arguments: conditions) func aRuleThatIsForeseen(condition: String) throws {
    try expectLinearPlan(Self.schema(1, rule: condition))
  }

  /// Q stands in the file as it will, P is made for the plan.
  @Test func aRuleThatReadsWhatChangesFromWhatStays() throws {
    try expectLinearPlan(Self.schema(1, rule: "lookup(P, key: n).k == n", of: "Q"))
  }

  private func expectLinearPlan(_ newer: Schema) throws {
    let bench = try Workbench()
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Self.schema(0), nil),
          (
            "2026-02-01", newer,
            step(1) { $0.set = ["P": ["a": expression("old.a + 0")]] }
          ),
        ]))
    let route = try UpgradeRoute(versions: target.history.versions, target: target)
    try expectLinear { count in
      let path = try bench.sample("\(count).db", version: 0, of: target, objects: 0)
      let database = try Database(path: path, mode: .readWrite)
      defer { database.close() }
      try Self.fill(count, database)
      return try instructions(in: database) {
        let forecast = try RuleForecast(route, database: database)
        #expect(forecast.broken.isEmpty && forecast.unknown.isEmpty)
      }
    }
  }
}
