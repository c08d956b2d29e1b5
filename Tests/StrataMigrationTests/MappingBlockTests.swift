import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What the body of an `each` may do beyond its two objects: read collections, keep what it finds for later, keep the objects.
@Suite struct MappingBlockTests {
  private struct Mine: Error {}

  private static let scores = Property(name: "scores", type: .list(ValueType(.scalar(.int))))
  private static let marks = Property(name: "marks", type: .map(ValueType(.scalar(.int))))

  private static func thing(_ properties: Property...) -> Model {
    Model(name: "Thing", properties: [scores, marks] + properties)
  }

  private static let found = Property.required("found", .int, default: .int(-1))

  /// A thing with two scores and a mark, brought over a block of version 1 and a change that has nothing to do with it.
  private func found(
    _ body: @escaping @Sendable (FrozenRow, FrozenRow) throws -> Void
  ) throws -> [[SQLiteValue]] {
    let paths = try EveryPath(
      [
        [Self.thing()], [Self.thing(Self.found)],
        [Self.thing(Self.found, .optional("later", .int))],
      ],
      steps: [1: { $0.swiftModels = ["Thing"] }],
      blocks: [Step(to: 1) { try $0.map("Thing", to: "Thing", body) }])
    return try paths.rows(
      """
      SELECT found, (SELECT group_concat(value) FROM "Thing.scores" WHERE _owner = Thing._row), \
      (SELECT group_concat(_index || value) FROM "Thing.marks" WHERE _owner = Thing._row) FROM Thing
      """,
      after: "INSERT INTO Thing (_row) VALUES (1)",
      #"INSERT INTO "Thing.scores" VALUES (1, 10, 7), (1, 20, 5)"#,
      #"INSERT INTO "Thing.marks" VALUES (1, 'a', 3)"#)
  }

  // MARK: - Collections

  /// An empty list would stop the program at the division, and at the position.
  @Test func aBodyCountsOnTheElements() throws {
    #expect(
      try found { old, new in
        let scores: FrozenList<Int> = old.list(named: "scores")
        let marks: FrozenMap<Int> = new.map(named: "marks")
        new["found"] = .int(Int64(12 / scores.count * 100 + scores[1] * 10 + marks["a"]!))
      } == [[.integer(653), .text("7,5"), .text("a3")]])
  }

  @Test func aBodyThrowsWithoutElements() throws {
    #expect(
      try found { old, new in
        let scores: FrozenList<Int> = old.list(named: "scores")
        guard let first = scores.elements.first else { throw Mine() }
        new["found"] = .int(Int64(first))
      } == [[.integer(7), .text("7,5"), .text("a3")]])
  }

  /// It would never end with a list that stays as it is.
  @Test func aBodySeesWhatItHasAppended() throws {
    #expect(
      try found { _, new in
        let scores: FrozenList<Int> = new.list(named: "scores")
        while scores.count < 4 { scores.append(1) }
        let marks: FrozenMap<Int> = new.map(named: "marks")
        while marks["b"] == nil { marks["b"] = 2 }
        marks["a"] = nil
        new["found"] = .int(Int64(scores.reduce(0, +)))
      } == [[.integer(14), .text("7,5,1,1"), .text("b2")]])
  }

  // MARK: - State beside the objects

  private static let account = Model(
    name: "Account", properties: [.required("code", .string), .required("owner", .string)])
  private static let invoice = Model(name: "Invoice", properties: [.required("code", .string)])
  private static let owned = Model(
    name: "Invoice",
    properties: [.required("code", .string), .required("owner", .string, default: .string("?"))])

  /// What is found out of one model is given to the next, whichever comes first by name, and what a later version makes of the first.
  @Test(arguments: ["Account", "Zone"], [false, true])
  func whatOneMappingFindsTheNextGives(first: String, isDropped: Bool) throws {
    let source = Model(name: first, properties: Self.account.properties)
    let later: [Model] = isDropped ? [Self.owned] : [Self.owned, source]
    let paths = try EveryPath(
      [[source, Self.invoice], [source, Self.owned], later],
      steps: [
        1: { $0.swiftModels = [first, "Invoice"] },
        2: { if isDropped { $0.drop = [SchemaPath(first)!] } },
      ],
      blocks: [
        Step(to: 1) { step in
          var owners: [String: String] = [:]
          try step.map(first, to: first) { old, _ in owners[old.text("code")] = old.text("owner") }
          try step.map("Invoice", to: "Invoice") { old, new in
            new["owner"] = .string(owners[old.text("code")] ?? "none")
          }
        }
      ])

    #expect(
      try paths.rows(
        "SELECT code, owner FROM Invoice ORDER BY _row",
        after: "INSERT INTO \(first) (_row, code, owner) VALUES (1, 'a', 'Ada'), (2, 'b', 'Bob')",
        "INSERT INTO Invoice (_row, code) VALUES (3, 'b'), (4, 'a'), (5, 'c')")
        == [["b", "Bob"], ["a", "Ada"], ["c", "none"]].map { $0.map { .text($0) } })
  }

  /// What stands between two mappings sees what the first has found.
  @Test func aBlockGoesOnBetweenItsMappings() throws {
    let models = ["A", "B"].map { Model(name: $0, properties: [.required("n", .int)]) }
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["A", "B"] }],
      blocks: [
        Step(to: 1) { step in
          var sum: Int64 = 0
          try step.map("A", to: "A") { old, _ in sum += old.number("n") }
          let total = sum
          try step.map("B", to: "B") { _, new in new["n"] = .int(total) }
        }
      ])

    #expect(
      try paths.rows(
        "SELECT n FROM B", after: "INSERT INTO A (_row, n) VALUES (1, 4), (2, 6)",
        "INSERT INTO B (_row, n) VALUES (3, 0)") == [[.integer(10)]])
  }

  // MARK: - Behind the only mapping

  private static let item = Model(
    name: "Item", properties: [.required("category", .string), .required("n", .int)])
  private static let bareItem = Model(name: "Item", properties: [.required("n", .int)])
  private static let category = Model(name: "Category", properties: [.required("name", .string)])

  private func categories(_ body: @escaping @Sendable (StepContext) throws -> Void) throws
    -> [[SQLiteValue]]
  {
    let paths = try EveryPath(
      [[Self.item], [Self.item, Self.category], [Self.bareItem, Self.category]],
      steps: [
        1: { $0.swiftModels = ["Item", "Category"] },
        2: { $0.drop = [SchemaPath("Item", "category")] },
      ],
      blocks: [Step(to: 1, body)])
    return try paths.rows(
      "SELECT name FROM Category ORDER BY _row",
      after: "INSERT INTO Item (_row, category, n) VALUES (1, 'b', 1), (2, 'a', 2), (3, 'b', 3)")
  }

  /// When the block is called to learn what it maps, it has found no name yet.
  @Test func objectsAreMadeOfWhatAMappingHasFound() throws {
    #expect(
      try categories { step in
        var names: Set<String> = []
        try step.map("Item", to: "Item") { old, _ in names.insert(old.text("category")) }
        for name in names.sorted() {
          _ = try step.requireWorkspace().create("Category", version: 1) {
            $0["name"] = .string(name)
          }
        }
      } == [[.text("a")], [.text("b")]])
  }

  /// What a version or the next one refuses may be given behind the mapping: a required link, a unique value, a number.
  @Test(arguments: [false, true])
  func whatAMappingLacksIsGivenBehindIt(isLast: Bool) throws {
    let slug = Property(
      name: "slug", type: .value(ValueType(.scalar(.string))), defaultValue: .string(""),
      isUnique: true)
    let link = Property(
      name: "owner", type: .value(ValueType(.object("Category"))), deleteRule: .cascade)
    let made = Model(
      name: "Item",
      properties: [.required("n", .int), link, .required("rank", .int, default: .int(0)), slug])
    let share = Model(
      name: "Item",
      properties: [
        .required("n", .int), link, .required("rank", .int, default: .int(0)), slug,
        .required("share", .int),
      ])
    let versions = [[Self.bareItem], [made, Self.category], [share, Self.category]]
    let paths = try EveryPath(
      isLast ? Array(versions[..<2]) : versions,
      steps: [
        1: { $0.swiftModels = ["Item", "Category"] },
        2: { $0.set = ["Item": ["share": expression("100 / old.rank")]] },
      ],
      blocks: [
        Step(to: 1) { step in
          var count: Int64 = 0
          try step.map("Item", to: "Item") { _, _ in count += 1 }
          guard count > 0 else { return }
          let workspace = try step.requireWorkspace()
          let category = try workspace.create("Category", version: 1) {
            $0["name"] = .string("all")
          }
          for item in try workspace.rows(of: "Item", version: 1) {
            item["owner"] = .link(category.identity)
            item["rank"] = .int(count)
            item["slug"] = .string("\(item.identity)")
          }
        }
      ])

    #expect(
      try paths.rows(
        "SELECT rank, slug, (SELECT name FROM Category WHERE _row = owner) FROM Item ORDER BY _row",
        after: "INSERT INTO Item (_row, n) VALUES (1, 1), (2, 2)")
        == ["1", "2"].map { [.integer(2), .text($0), .text("all")] })
  }

  /// The second mapping shows only when the first has run, also where the first's body begins it.
  @Test(arguments: [false, true])
  func aMappingMayDependOnWhatAnotherHasFound(isInside: Bool) throws {
    let models = ["A", "B"].map { Model(name: $0, properties: [.required("n", .int)]) }
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["A", "B"] }],
      blocks: [
        Step(to: 1) { step in
          var sum: Int64 = 0
          func addToB() throws {
            try step.map("B", to: "B") { _, new in new["n"] = .int(sum) }
          }
          try step.map("A", to: "A") { old, _ in
            sum += old.number("n")
            if isInside, sum == 10 { try addToB() }
          }
          if !isInside, sum > 0 { try addToB() }
        }
      ])

    #expect(
      try paths.rows(
        "SELECT n FROM B", after: "INSERT INTO A (_row, n) VALUES (1, 4), (2, 6)",
        "INSERT INTO B (_row, n) VALUES (3, 0)") == [[.integer(10)]])
  }

  /// Neither are objects refused that the block finds, nor does it let others pass.
  @Test(arguments: [(found: Int64(3), isRefused: false), (4, true)])
  func whatStandsBehindChecksWhatAMappingHasFound(found: Int64, isRefused: Bool) throws {
    let models = [Model(name: "A", properties: [.required("n", .int)])]
    let later = [Model(name: "A", properties: [.required("n", .int), .optional("later", .int)])]
    let paths = try EveryPath(
      [models, models, later],
      steps: [1: { $0.swiftModels = ["A"] }, 2: { $0.swiftModels = ["A"] }],
      blocks: [
        Step(to: 1) { step in
          var count: Int64 = 0
          try step.map("A", to: "A") { old, new in
            count += 1
            new["n"] = .int(old.number("n") * 2)
          }
          guard count == found else { throw Mine() }
        },
        // Its block is called inside of the one before.
        Step(to: 2) { step in
          var sum: Int64 = 0
          try step.map("A", to: "A") { old, new in
            sum += old.number("n")
            new["later"] = .int(sum > 0 ? 1 : 0)
          }
          guard sum == 12 else { throw Mine() }
        },
      ])
    let insert = "INSERT INTO A (_row, n) VALUES (1, 1), (2, 2), (3, 3)"

    if isRefused {
      #expect(
        try paths.refusal(after: insert) == .refused(code: "STR5202", version: 1, model: nil))
    } else {
      #expect(
        try paths.rows("SELECT n, later FROM A", after: insert)
          == [[2, 1], [4, 1], [6, 1]].map { $0.map { .integer($0) } })
    }
  }

  /// Objects behind it would not have been mapped.
  @Test(arguments: [false, true])
  func whatABodyThrowsStopsTheUpgradeAlsoWhereItIsCaught(looksBeyond: Bool) throws {
    let models = [Model(name: "A", properties: [.required("n", .int)])]
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["A"] }],
      blocks: [
        Step(to: 1) { step in
          if looksBeyond { _ = try step.requireWorkspace() }
          try? step.map("A", to: "A") { old, _ in if old.number("n") < 0 { throw Mine() } }
        }
      ])

    #expect(
      try paths.refusal(after: "INSERT INTO A (_row, n) VALUES (1, -1), (2, 7)")
        == .refused(code: "STR5202", version: 1, model: "A"))
  }

  /// The orders of two blocks, which one pass could not both keep.
  @Test func theMappingsOfTwoBlocksKeepTheirOrders() throws {
    let (one, two) = ("Account", "Invoice")
    let models = [one, two].map {
      Model(name: $0, properties: [.required("n", .int, default: .int(0))])
    }
    @Sendable func number(_ step: StepContext, _ models: [String]) throws {
      var count: Int64 = 0
      for model in models {
        try step.map(model, to: model) { old, new in
          count += 1
          new["n"] = .int(old.number("n") * 10 + count)
        }
      }
    }
    let paths = try EveryPath(
      [models, models, models],
      steps: [1: { $0.swiftModels = [one, two] }, 2: { $0.swiftModels = [one, two] }],
      blocks: [
        Step(to: 1) { try number($0, [one, two]) }, Step(to: 2) { try number($0, [two, one]) },
      ])

    #expect(
      try paths.rows(
        "SELECT n FROM Account UNION ALL SELECT n FROM Invoice",
        after: "INSERT INTO Account (_row, n) VALUES (1, 0)",
        "INSERT INTO Invoice (_row, n) VALUES (2, 0)")
        == [[.integer(12)], [.integer(21)]])
  }

  /// What is gone through twice may rest on the first time.
  @Test func aModelIsMappedTwice() throws {
    let models = [Model(name: "Account", properties: [.required("n", .int)])]
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.swiftModels = ["Account"] }],
      blocks: [
        Step(to: 1) { step in
          var sum: Int64 = 0
          try step.map("Account", to: "Account") { old, _ in sum += old.number("n") }
          try step.map("Account", to: "Account") { old, new in
            new["n"] = .int(100 * old.number("n") / sum)
          }
        }
      ])

    #expect(
      try paths.rows(
        "SELECT n FROM Account ORDER BY _row",
        after: "INSERT INTO Account (_row, n) VALUES (1, 1), (2, 3)")
        == [[.integer(25)], [.integer(75)]])
  }

  // MARK: - Objects that are kept

  @Test(arguments: [false, true])
  func anObjectThatIsKeptStaysItself(isOld: Bool) throws {
    let models = [
      Model(name: "Account", properties: [.required("n", .int), .required("delta", .int)])
    ]
    let paths = try EveryPath(
      [models, models, models],
      steps: [1: { $0.swiftModels = ["Account"] }],
      blocks: [
        Step(to: 1) { step in
          var last: FrozenRow?
          try step.map("Account", to: "Account") { old, new in
            new["delta"] = .int(old.number("n") - (last?.number("n") ?? 0))
            last = isOld ? old : new
          }
        }
      ])

    // A path goes through the objects backwards, where the first one is the last.
    let outcomes = try paths.outcomes(
      "SELECT sum(delta) FROM Account WHERE delta <> 0",
      after: ["INSERT INTO Account (_row, n, delta) VALUES (1, 5, 0), (2, 7, 0), (3, 12, 0)"])
    for (path, outcome) in outcomes {
      #expect([.rows([[.integer(12)]]), .rows([[.integer(5)]])].contains(outcome), "\(path)")
    }
  }

  /// What looks at nothing else is run once for each object.
  @Test func aPlainMappingIsRunOnce() throws {
    let models = [Self.account]
    let runs = Counter()
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: models), nil),
          (
            "2026-02-01", Schema(name: "Test", version: 1, models: models),
            step(1) { $0.swiftModels = ["Account"] }
          ),
        ]),
      steps: [
        Step(to: 1) { step in
          try step.map("Account", to: "Account") { old, new in
            runs.count += 1
            new["owner"] = .string(old.text("owner") + "!")
          }
        }
      ])
    let bench = try Workbench()
    let path = try bench.sample(version: 0, of: target, objects: 20)

    try upgrade(path, target)

    #expect(runs.count == 20)
  }

  private final class Counter: @unchecked Sendable { var count = 0 }
}
