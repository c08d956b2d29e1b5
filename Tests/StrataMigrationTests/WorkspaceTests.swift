import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Steps that look beyond one object.
@Suite struct WorkspaceTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  // MARK: - Histories of two versions

  private func target(
    from older: [Model], to newer: [Model], step: MigrationStep, blocks: [Step] = []
  ) -> UpgradeTarget {
    UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: older), nil),
          ("2026-02-01", Schema(name: "Test", version: 1, models: newer), step),
        ]),
      steps: blocks)
  }

  private func file(_ target: UpgradeTarget, _ statements: String...) throws -> String {
    let path = try bench.sample(version: 0, of: target, objects: 0)
    for statement in statements { try bench.sql(path, statement) }
    return path
  }

  private static let person = Model(
    name: "Person",
    properties: [
      .required("name", .string), .link("boss", to: "Person"), .list("friends", of: "Person"),
    ])

  private static let three = """
    INSERT INTO Person(_row, name, boss) VALUES (1, 'Ada', NULL), (2, 'Bob', 1), (3, 'Cleo', 2)
    """
  private static let friends = """
    INSERT INTO "Person.friends"(_owner, _index, value) VALUES (1, 10, 2), (1, 20, 3), (3, 10, 2)
    """

  // MARK: - Declarative steps

  @Test func anExpressionFollowsALink() throws {
    let target = target(
      from: [Self.person],
      to: [
        Model(
          name: "Person", properties: Self.person.properties + [.optional("bossName", .string)])
      ],
      step: step(1) { $0.set = ["Person": ["bossName": expression("old.boss.name")]] })
    let path = try file(target, Self.three)

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT bossName FROM Person ORDER BY _row")
        == [[.null], [.text("Ada")], [.text("Bob")]])
  }

  @Test func aListBecomesItsFirstElement() throws {
    let target = target(
      from: [Self.person],
      to: [
        Model(
          name: "Person", properties: [.required("name", .string), .link("best", to: "Person")])
      ],
      step: step(1) {
        $0.set = ["Person": ["best": expression("old.friends[0]")]]
        $0.drop = [SchemaPath("Person", "boss"), SchemaPath("Person", "friends")]
      })
    let path = try file(target, Self.three, Self.friends)

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT best FROM Person ORDER BY _row")
        == [[.integer(2)], [.null], [.integer(2)]])
  }

  @Test func aDeletedObjectLeavesLinksAndLists() throws {
    let target = target(
      from: [Self.person], to: [Self.person],
      step: step(1) { $0.delete = ["Person": expression("old.name == 'Bob'")] })
    let path = try file(target, Self.three, Self.friends)

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT _row, boss FROM Person ORDER BY _row")
        == [[.integer(1), .null], [.integer(3), .null]])
    #expect(
      try bench.sql(path, "SELECT _owner, value FROM \"Person.friends\"")
        == [[.integer(1), .integer(3)]])
  }

  @Test func duplicatesBecomeOneAndLinksFollow() throws {
    let target = target(
      from: [Self.person], to: [Self.person],
      step: step(1) {
        $0.deduplicate = ["Person": Deduplication(properties: ["name"], keep: .first)]
      })
    let path = try file(
      target,
      "INSERT INTO Person(_row, name, boss) VALUES (1, 'Ada', NULL), (2, 'Ada', NULL), (3, 'Bob', 2)"
    )

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT _row, boss FROM Person ORDER BY _row")
        == [[.integer(1), .null], [.integer(3), .integer(1)]])
  }

  /// 1 and 2 would have the same key, and so would 4 and 5; 3 is without a value as well, and another one.
  @Test(arguments: [
    (["a", "b"], ["a", "b"]), (["a", "b"], ["b", "a"]), (["b", "a"], ["a", "b"]),
    (["a", "b"], ["a"]), (["id", "b"], ["a", "b"]), (["b", "id"], ["a"]),
  ])
  func objectsWithoutAValueAreDuplicatesUnderANewKey(key: [String], by: [String]) throws {
    let name = key.contains("id") ? "id" : "a"
    let older = Model(name: "M", properties: [.optional("a", .string), .optional("b", .string)])
    let newer = Model(
      name: "M", primaryKey: key,
      properties: [.optional("b", .string), .optional(name, .string)].sorted { $0.name < $1.name })
    let target = target(
      from: [older], to: [newer],
      step: step(1) {
        if name == "id" { $0.renames.properties = [SchemaPath("M", "a"): "id"] }
        $0.deduplicate = ["M": Deduplication(properties: by, keep: .first)]
      })
    let path = try file(
      target,
      """
      INSERT INTO M(_row, a, b) VALUES (1, NULL, 'x'), (2, NULL, 'x'), (3, NULL, 'y'), \
      (4, 'k', 'x'), (5, 'k', 'x')
      """)

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT _row FROM M ORDER BY _row").map { $0[0] }
        == [.integer(1), .integer(3), .integer(4)])
  }

  /// Of a property that is unique, and no key, any number may have none.
  @Test(arguments: [[["a"], []], [["a", "b"], ["b"]]])
  func objectsWithoutAValueStayWhereNoKeyAsksForMore(lists: [[String]]) throws {
    let properties: [Property] = [.optional("a", .string), .optional("b", .string)]
    let target = target(
      from: [Model(name: "M", properties: properties)],
      to: [Model(name: "M", primaryKey: lists[1], properties: properties)],
      step: step(1) {
        $0.deduplicate = ["M": Deduplication(properties: lists[0], keep: .last)]
      })
    let path = try file(
      target, "INSERT INTO M(_row, a, b) VALUES (1, NULL, 'x'), (2, NULL, 'y')")

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT _row FROM M ORDER BY _row").map { $0[0] }
        == [.integer(1), .integer(2)])
  }

  /// What has no value takes another one of the step: they are two objects then.
  @Test func objectsWhoseNewKeyIsSetAreNoDuplicates() throws {
    let older = Model(
      name: "M",
      properties: [.optional("a", .string), .required("b", .int), .required("c", .string)])
    let newer = Model(
      name: "M", primaryKey: ["a", "b"],
      properties: [.required("a", .string), .required("b", .int), .required("c", .string)])
    let target = target(
      from: [older], to: [newer],
      step: step(1) {
        $0.deduplicate = ["M": Deduplication(properties: ["a"], keep: .first)]
        $0.set = ["M": ["a": expression("old.a ?? old.c")]]
      })
    let path = try file(
      target, "INSERT INTO M(_row, a, b, c) VALUES (1, NULL, 1, 'x'), (2, NULL, 1, 'y')")

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT a FROM M ORDER BY _row").map { $0[0] } == [
        .text("x"), .text("y"),
      ])
  }

  /// The same where the rule spells the key itself: what counts is the key that each gets.
  @Test(arguments: [
    ("a", "a", "old.a ?? old.c", ["x", "y"]), ("a", "a", "old.a ?? 'none'", ["none"]),
    ("a", "id", "old.a ?? old.c", ["x", "y"]), ("a", "id", "old.a ?? 'none'", ["none"]),
  ])
  func objectsWithoutAValueAreDuplicatesWhereTheyGetOneKey(
    _ by: String, _ key: String, _ value: String, _ expected: [String]
  ) throws {
    let older = Model(
      name: "M",
      properties: [
        .optional("a", .string), .required("c", .string), .link("next", to: "M"),
      ])
    let newer = Model(
      name: "M", primaryKey: [key],
      properties: [
        .required(key, .string), .required("c", .string), .link("next", to: "M"),
      ].sorted { $0.name < $1.name })
    let target = target(
      from: [older], to: [newer],
      step: step(1) {
        if key != by { $0.renames = Renames(properties: [SchemaPath("M", by): key]) }
        $0.deduplicate = ["M": Deduplication(properties: [by], keep: .first)]
        $0.set = ["M": [key: expression(value)]]
      })
    let path = try file(
      target,
      """
      INSERT INTO M(_row, a, c, next) VALUES (1, NULL, 'x', 2), (2, NULL, 'y', NULL), \
      (3, 'z', 'q', 2), (4, 'z', 'r', NULL)
      """)

    try upgrade(path, target)

    #expect(
      try bench.sql(path, "SELECT \(key) FROM M ORDER BY _row").map { $0[0] }
        == (expected + ["z"]).map { .text($0) })
    let last = try bench.sql(path, "SELECT next FROM M WHERE _row = 3")
    #expect(last == [[.integer(expected.count == 2 ? 2 : 1)]])
  }

  @Test func aRequiredPropertyWithoutValueStopsTheUpgradeAndCounts() throws {
    let older = Model(name: "Person", properties: [.optional("email", .string)])
    let newer = Model(name: "Person", properties: [.required("email", .string)])
    let target = target(from: [older], to: [newer], step: step(1) { _ in })
    let path = try file(
      target, "INSERT INTO Person(_row, email) VALUES (1, 'a@b'), (2, NULL), (3, NULL)")
    let before = try bench.contents()

    let error = #expect(throws: MigrationError.self) { try upgrade(path, target) }

    #expect(error?.kind == .requiredValueMissing)
    #expect(error?.identity == 2)
    #expect(error?.description.contains("Person.email") == true)
    #expect(try bench.contents() == before)
  }

  // MARK: - Blocks

  @Test func aBlockSplitsAModel() throws {
    let older = Model(
      name: "Person", properties: [.required("name", .string), .required("city", .string)])
    let newer = [
      Model(name: "Person", properties: [.required("name", .string), .link("home", to: "Place")]),
      Model(name: "Place", properties: [.required("city", .string)]),
    ]
    let split = Step(to: 1) { step in
      for old in try step.objects(OldPerson.self) {
        let place = try step.create(NewPlace.self) { $0.city = old.city }
        try step.counterpart(of: old, as: NewPerson.self)?.home = place.link
      }
    }
    let target = target(
      from: [older], to: newer,
      step: step(1) {
        $0.drop = [SchemaPath("Person", "city")]
        $0.swiftModels = ["Person", "Place"]
      }, blocks: [split])
    let path = try file(
      target,
      "INSERT INTO Person(_row, name, city) VALUES (1, 'Ada', 'London'), (2, 'Bob', 'Rome')",
      "UPDATE _strata SET value = 3 WHERE key = 'nextRow'")

    try upgrade(path, target)

    #expect(
      try bench.sql(
        path, "SELECT name, city FROM Person JOIN Place ON Place._row = home ORDER BY Person._row")
        == [[.text("Ada"), .text("London")], [.text("Bob"), .text("Rome")]])
    #expect(try bench.sql(path, "SELECT _row FROM Place") == [[.integer(3)], [.integer(4)]])
  }

  @Test func aBlockFindsObjectsByACompoundKey() throws {
    let model = Model(
      name: "Person", primaryKey: ["name", "city"],
      properties: [.required("name", .string), .required("city", .string)])
    let finding = Step(to: 1) { step in
      let found = try step.object(OldPerson.self, primaryKey: "Ada", "Rome")
      let missing = try step.object(OldPerson.self, primaryKey: "Bob", "Rome")
      #expect(found?.row.identity == 3)
      #expect(missing == nil)
      _ = try step.object(OldPerson.self, primaryKey: "Ada")
    }
    let target = target(
      from: [model], to: [model], step: step(1) { $0.swiftModels = ["Person"] }, blocks: [finding])
    let path = try file(
      target,
      """
      INSERT INTO Person(_row, name, city) VALUES \
      (1, 'Ada', 'London'), (2, 'Bob', 'London'), (3, 'Ada', 'Rome')
      """)

    let error = #expect(throws: MigrationError.self) { try upgrade(path, target) }

    #expect(error?.description.contains("its primary key is name, city") == true)
  }

  @Test func aBlockThatThrowsNamesWhereAndLeavesTheFile() throws {
    struct TooYoung: Error {}
    let model = Model(
      name: "Person", properties: [.required("name", .string), .required("city", .string)])
    let failing = Step(to: 1) { step in
      try step.each(OldPerson.self, KeptPerson.self) { old, _ in
        if old.name == "Bob" { throw TooYoung() }
      }
    }
    let target = target(
      from: [model], to: [model], step: step(1) { $0.swiftModels = ["Person"] }, blocks: [failing])
    let path = try file(
      target, "INSERT INTO Person(_row, name, city) VALUES (1, 'Ada', 'London'), (2, 'Bob', 'Rome')"
    )
    let before = try bench.contents()

    let error = #expect(throws: MigrationError.self) { try upgrade(path, target) }

    #expect(error?.kind == .blockFailed)
    #expect(error?.version == 1)
    #expect(error?.model == "Person")
    #expect(error?.identity == 2)
    #expect(error?.description.contains("TooYoung") == true)
    #expect(try bench.contents() == before)
  }

  @Test func aMissingBlockIsExplained() throws {
    let model = Model(name: "Person", properties: [.required("name", .string)])
    let target = target(
      from: [model], to: [model], step: step(1) { $0.swiftModels = ["Person"] })
    let path = try file(target)
    let error = #expect(throws: MigrationError.self) { try upgrade(path, target) }
    #expect(error?.kind == .blockMissing)
    #expect(error?.description.contains("StrataCLI.main(migrations: TestMigrations.self)") == true)
  }

  @Test func writingToAnOldObjectIsRefused() throws {
    let model = Model(
      name: "Person", properties: [.required("name", .string), .required("city", .string)])
    let writing = Step(to: 1) { step in
      try step.each(OldPerson.self, KeptPerson.self) { old, _ in old.city = "Paris" }
    }
    let target = target(
      from: [model], to: [model], step: step(1) { $0.swiftModels = ["Person"] }, blocks: [writing])
    let path = try file(target, "INSERT INTO Person(_row, name, city) VALUES (1, 'Ada', 'London')")
    let error = #expect(throws: MigrationError.self) { try upgrade(path, target) }
    #expect(error?.description.contains("Old objects are read only") == true)
  }
}

// As code generation writes them; properties stand by name.

private struct OldPerson: FrozenObject {
  static let modelName = "Person"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var city: String {
    get { row.value(0) }
    nonmutating set { row.setValue(0, newValue) }
  }
  var name: String { row.value(1) }
}

private struct KeptPerson: FrozenObject {
  static let modelName = "Person"
  static let version = 1
  let _row: FrozenRow
}

private struct NewPerson: FrozenObject {
  static let modelName = "Person"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var home: FrozenLink<NewPlace>? {
    get { row.link(0) }
    nonmutating set { row.setLink(0, newValue) }
  }
}

private struct NewPlace: FrozenObject {
  static let modelName = "Place"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var city: String {
    get { row.value(0) }
    nonmutating set { row.setValue(0, newValue) }
  }
}
