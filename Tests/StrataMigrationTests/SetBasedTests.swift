import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// One SQL statement over all objects makes what going object by object makes, refusals included.
@Suite struct SetBasedTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private static let source = Model(
    name: "Thing",
    properties: [
      .required("n", .int), .optional("m", .int), .required("small", .int8),
      .required("s", .string), .optional("t", .string), .required("d", .double),
      .required("flag", .bool), .required("day", .date), .required("price", .decimal),
    ])

  /// Versions 0, 1, …: each declares properties anew, sets those that have an expression and keeps everything else.
  private func target(_ steps: [[(property: Property, expression: String)]]) -> UpgradeTarget {
    var versions: [(date: String, schema: Schema, step: MigrationStep?)] = []
    var properties = Self.source.properties
    func schema() -> Schema {
      Schema(
        name: "Test", version: versions.count,
        models: [
          Model(name: "Thing", properties: properties.sorted { $0.name < $1.name })
        ])
    }
    versions.append(("2026-01-01", schema(), nil))
    for sets in steps {
      for (property, _) in sets {
        properties.removeAll { $0.name == property.name }
        properties.append(property)
      }
      let step = step(versions.count) {
        $0.set = [
          "Thing": Dictionary(
            uniqueKeysWithValues: sets.filter { !$0.expression.isEmpty }
              .map { ($0.property.name, expression($0.expression)) })
        ]
      }
      versions.append(("2026-02-01", schema(), step))
    }
    return UpgradeTarget(history: .chained("Test", versions), steps: [])
  }

  private static let columns = "_row, n, m, small, s, t, d, flag, day, price"

  private func file(_ name: String, _ target: UpgradeTarget, _ rows: [String]) throws -> String {
    let path = try bench.sample(name, version: 0, of: target, objects: 0)
    for row in rows {
      try bench.sql(path, "INSERT INTO Thing (\(Self.columns)) VALUES (\(row))")
    }
    return path
  }

  private static let rows = [
    "1, 7, 3, -5, 'Ada', 'x', 1.5, 1, 100.25, '10.5'",
    "2, -7, NULL, 127, 'Zoë 🦊', NULL, -0.0, 0, -1.0, '-0.01'",
    "3, 0, 0, 0, '', '12', 1e300, 1, 0.0, '0'",
    "4, 9007199254740993, -1, -128, '8', 'X', x'7FF8000000000000', 0, 5e9, '99'",
  ]

  /// The rows, or the refusal, of one way to upgrade.
  private func outcome(
    _ name: String, _ target: UpgradeTarget, _ rows: [String], setBased: Bool, fusing: Bool = true
  ) throws -> String {
    let path = try file(name, target, rows)
    var options = Upgrade.Options()
    options.isSetBased = setBased
    options.isFusing = fusing
    do {
      _ = try Upgrade(path: path, target: target, options: options).run()
      return "\(try bench.sql(path, "SELECT * FROM Thing ORDER BY _row"))"
    } catch let error as MigrationError {
      return "\(error.code): \(error)"
    }
  }

  @Test(arguments: [
    ("old.n + 1", ScalarType.int), ("1 + old.n - 3", .int), ("old.n - 2", .int),
    ("old.n * 2", .int), ("old.n / 2", .int), ("old.n % 3", .int), ("old.n + old.small", .int),
    ("old.n * old.small", .int), ("-old.n", .int), ("old.m ?? 5", .int),
    ("(old.m ?? old.n) + 1", .int), ("int(old.s) ?? -1", .int), ("length(old.s)", .int),
    ("old.s + '-' + string(old.n)", .string), ("old.t ?? old.s", .string),
    ("upper(old.s)", .string), ("if(old.n > 0, old.s, 'none')", .string),
    ("if(old.t == 'x' OR old.flag, 'a', 'b')", .string), ("string(old.small)", .string),
    ("old.n > 3 AND old.s BEGINSWITH 'A'", .bool), ("NOT old.flag", .bool),
    ("old.n == 0 OR 10 / old.n > 2", .bool), ("(old.n != 0 AND 10 / old.n < 1) == true", .bool),
    ("old.t == nil", .bool), ("old.s IN {'Ada', '8'}", .bool), ("old.d > 1.0", .bool),
    ("old.small", .double), ("old.d * 2.0", .double), ("old.d", .double),
    ("old.price + old.price", .decimal), ("old.n", .any), ("old.day", .any), ("old.flag", .any),
    ("old.d", .any), ("old.price", .any),
    ("if(old.flag, old.day, old.s)", .any), ("if(old.flag, old.n, old.d)", .any),
    ("if(old.n > 0, uuid('00000000-0000-0000-0000-000000000001'), 7)", .any),
    ("if(old.n > 0, objectId('000000000000000000000001'), data('x'))", .any),
    ("if(old.n > 0, decimal('1.5'), float('nan'))", .any), ("decimal(old.t) ?? old.d", .any),
    ("old.t ?? old.flag", .any), ("old.t ?? date(0)", .any), ("old.n > 0", .any),
    ("if(old.n > 0, if(old.flag, true, old.price), x'00')", .any), ("-old.d", .any),
    ("min(old.d, 1.0)", .any), ("old.small", .decimal), ("string(old.d)", .string),
    ("double(old.day)", .double), ("int8(old.n) ?? 0", .int8),
    ("{old.d, old.n}.@min", .double), ("{old.n, old.d}[0]", .double),
    ("{old.price, old.n}.@sum", .decimal), ("{old.n, old.price}.@avg", .decimal),
    ("if(old.flag, {old.n}, {old.d + 1.0})[0]", .double),
  ])
  func anExpressionGivesTheSame(_ text: String, _ type: ScalarType) throws {
    let target = target([[(.optional("result", type), text)]])

    let statement = try outcome("a.db", target, Self.rows, setBased: true)
    let objects = try outcome("b.db", target, Self.rows, setBased: false)

    #expect(statement == objects)
    #expect(statement.contains("Ada"), "refused: \(statement)")
  }

  @Test(arguments: [
    ("old.n + 1", "9223372036854775807"), ("old.n - 1", "-9223372036854775808"),
    ("old.n + -1", "-9223372036854775808"), ("old.n * 3", "4611686018427387904"),
    ("old.n + old.small", "9223372036854775807"), ("-old.n", "-9223372036854775808"),
    ("old.n / old.small", "5"), ("100 % old.n", "0"), ("old.n / -1", "-9223372036854775808"),
  ])
  func whatDoesNotFitIsRefusedWithTheObject(_ text: String, _ n: String) throws {
    let small = text.contains("/") ? "0" : "1"
    let rows = [Self.rows[0], "9, \(n), 1, \(small), 's', 't', 1.0, 1, 1.0, '1'"]
    let target = target([[(.required("result", .int), text)]])

    let statement = try outcome("a.db", target, rows, setBased: true)
    let objects = try outcome("b.db", target, rows, setBased: false)

    #expect(statement == objects)
    #expect(statement.contains("#9"), "\(statement)")
  }

  @Test func aNullThatOnlyAnEarlierVersionRefusesIsRefusedFused() throws {
    let target = target([
      [(.required("t", .string), "")], [(.optional("t", .string), "")],
    ])

    let ways = try [(true, true), (false, true), (false, false)].enumerated().map { number, way in
      try outcome("\(number).db", target, Self.rows, setBased: way.0, fusing: way.1)
    }

    #expect(ways[0].contains("_row 2") && ways[0].contains("version 1"), "\(ways[0])")
    #expect(ways[0] == ways[1])
    #expect(ways[2].contains("_row 2") && ways[2].contains("version 1"), "\(ways[2])")
  }

  @Test func anOverflowThatNoLaterVersionReadsIsRefusedFused() throws {
    let rows = [Self.rows[0], "9, 9223372036854775807, 1, 1, 's', 't', 1.0, 1, 1.0, '1'"]
    let target = target([
      [(.required("u", .int), "old.n + 1")], [(.required("u", .int), "0")],
    ])

    for (name, setBased, fusing) in [
      ("a.db", true, true), ("b.db", false, true), ("c.db", false, false),
    ] {
      let outcome = try outcome(name, target, rows, setBased: setBased, fusing: fusing)
      #expect(outcome.contains("#9") && outcome.contains("version 1"), "\(outcome)")
    }
  }

  private static let divided = [
    rows[0], "9, 7, 1, 0, 's', 't', 1.0, 1, 1.0, '1'",
  ]

  /// What is always false, or true, still has a part that may be an error.
  @Test(arguments: [
    "old.n / old.small < nil", "nil > old.n / old.small", "NOT (old.n / old.small >= nil)",
    "double(old.n / old.small) < double('nan')", "old.n / old.small IN {}",
    "old.n / old.small BETWEEN {nil, 1}", "old.n / old.small > 0 AND false",
    "old.n / old.small > 0 OR true", "if(old.n / old.small < nil, true, false)",
  ])
  func whatDecidesNothingIsWorkedOut(_ text: String) throws {
    let target = target([[(.required("result", .bool), text)]])

    let statement = try outcome("a.db", target, Self.divided, setBased: true)
    let objects = try outcome("b.db", target, Self.divided, setBased: false)

    #expect(statement == objects)
    #expect(statement.contains("#9"), "\(statement)")
  }

  @Test(arguments: ["old.u < nil", "double(old.u) < double('nan')", "if(old.u < nil, true, false)"])
  func whatALaterVersionComparesWithNilIsRefusedFused(_ text: String) throws {
    let target = target([
      [(.optional("u", .int), "old.n / old.small")],
      [(.optional("u", .int), "0"), (.required("b", .bool), text)],
    ])

    for (name, setBased, fusing) in [
      ("a.db", true, true), ("b.db", false, true), ("c.db", false, false),
    ] {
      let outcome = try outcome(
        name, target, Self.divided, setBased: setBased, fusing: fusing)
      #expect(outcome.contains("#9") && outcome.contains("version 1"), "\(outcome)")
    }
  }

  @Test func manyVersionsAreOneStatement() throws {
    let steps = (1...50).map { _ in [(Property.required("n", .int), "old.n + 1")] }
    let target = target(steps)
    let path = try file("a.db", target, Self.rows)

    let plan = try UpgradePlan.make(path: path, target: target, options: Upgrade.Options())
    try upgrade(path, target)

    #expect(plan.tables.map(\.strategy) == [.setBased])
    #expect(plan.tables[0].fused == Array(1...50))
    #expect(
      try bench.sql(path, "SELECT n FROM Thing ORDER BY _row").map { $0[0] } == [
        .integer(57), .integer(43), .integer(50), .integer(9_007_199_254_741_043),
      ])
  }

  /// A nil that is copied is asked for once a version. Twice, and forty versions would be 2⁴⁰ questions.
  @Test func nilIsReadOnceAVersion() throws {
    let steps = (1...40).map { _ in [(Property.required("n", .int), "old.n + 1")] }
    let target = target(steps)

    let statement = try outcome("a.db", target, Self.rows, setBased: true)
    let objects = try outcome("b.db", target, Self.rows, setBased: false)

    #expect(statement == objects)
    #expect(objects.contains("Ada"))
  }

  @Test func progressGoesOnWhileOneStatementRuns() throws {
    let target = target([[(.required("n", .int), "old.n + 1")]])
    let path = try bench.sample(version: 0, of: target, objects: 60_000)
    var seen: [Int] = []
    var options = Upgrade.Options()
    options.progress = {
      if $0.phase == .objects { seen.append($0.objectsDone) }
      return .proceed
    }

    try Upgrade(path: path, target: target, options: options).run()

    #expect(seen.contains { $0 > 0 && $0 < 60_000 }, "\(seen)")
    #expect(seen == seen.sorted())
  }

  /// Each version doubles the expression: put into each other, forty would have 2⁴⁰ nodes.
  @Test func expressionsThatGrowBeyondABoundAreCut() throws {
    let steps = (1...40).map { _ in
      [(Property.required("s", .string), "if(old.s == old.s + 'x', '', old.s)")]
    }
    let target = target(steps)

    let statement = try outcome("a.db", target, Self.rows, setBased: true)
    let objects = try outcome("b.db", target, Self.rows, setBased: false)

    #expect(statement == objects)
    #expect(statement.contains("Ada"))
  }
}
