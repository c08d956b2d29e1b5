import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What one version makes or refuses, every path through it makes and refuses.
@Suite struct EveryPathTests {
  private static func thing(_ properties: Property...) -> Model {
    Model(name: "Thing", properties: properties)
  }

  private static let n = Property.required("n", .int, default: .int(0))

  private static func unique(_ name: String, isOptional: Bool, default value: Value? = nil)
    -> Property
  {
    Property(
      name: name, type: .value(ValueType(.scalar(.string), isOptional: isOptional)),
      defaultValue: value, isUnique: true)
  }

  /// A bound that cannot be worked out and need not be.
  @Test func anUpperBoundBehindALowerOneThatDecides() throws {
    let (z, r) = (Property.required("z", .int), Property.required("r", .int))
    var made = Property.required("made", .uuid)
    made.generate = .uuid
    let history = try EveryPath(
      [
        [Self.thing(Self.n, z)], [Self.thing(Self.n, r, z)], [Self.thing(made, Self.n, r, z)],
      ],
      steps: [
        1: { $0.set = ["Thing": ["r": expression("if(old.n BETWEEN {5, 10 / old.z}, 1, 0)")]] }
      ])

    let rows = try history.rows(
      "SELECT r FROM Thing", after: "INSERT INTO Thing(_row, n, z) VALUES (1, 3, 0)")
    #expect(rows == [[.integer(0)]])
  }

  // MARK: - Collections

  private static func list(_ type: ScalarType) -> Property {
    Property(name: "values", type: .list(ValueType(.scalar(type))))
  }

  @Test(arguments: [
    (ScalarType.int32, [SQLiteValue.integer(5), .integer(6), .integer(6)]),
    (.double, [.real(5), .real(6), .real(6)]),
    (.decimal, [.text("5"), .text("6"), .text("6")]),
    (.string, [.text("5"), .text("6"), .text("6")]),
    (.any, [.integer(5), .integer(6), .integer(6)]),
  ])
  func elementsTakeAWiderType(_ type: ScalarType, _ expected: [SQLiteValue]) throws {
    let paths = try EveryPath([[Self.thing(Self.list(.int8))], [Self.thing(Self.list(type))]])

    let rows = try paths.rows(
      "SELECT value FROM \"Thing.values\" ORDER BY _index",
      after: "INSERT INTO Thing(_row) VALUES (1)",
      "INSERT INTO \"Thing.values\" VALUES (1, 10, 5), (1, 20, 6), (1, 30, 6)")

    #expect(rows == expected.map { [$0] })
  }

  @Test(arguments: [
    (ScalarType.int32, [SQLiteValue.integer(5), .integer(6)]), (.double, [.real(5), .real(6)]),
  ])
  func elementsTakeAWiderTypeInASet(_ type: ScalarType, _ expected: [SQLiteValue]) throws {
    let set = Property(name: "values", type: .set(ValueType(.scalar(type))))
    let paths = try EveryPath([[Self.thing(Self.list(.int8))], [Self.thing(set)]])

    let rows = try paths.rows(
      "SELECT value FROM \"Thing.values\" ORDER BY value",
      after: "INSERT INTO Thing(_row) VALUES (1)",
      "INSERT INTO \"Thing.values\" VALUES (1, 10, 5), (1, 20, 6), (1, 30, 6)")

    #expect(rows == expected.map { [$0] })
  }

  @Test func theValuesOfAMapTakeAWiderType() throws {
    func map(_ type: ScalarType) -> Model {
      Self.thing(Property(name: "values", type: .map(ValueType(.scalar(type)))))
    }
    let paths = try EveryPath([[map(.float)], [map(.double)]])

    let rows = try paths.rows(
      "SELECT _index, value FROM \"Thing.values\"", after: "INSERT INTO Thing(_row) VALUES (1)",
      "INSERT INTO \"Thing.values\" VALUES (1, 'a', 1.5)")

    #expect(rows == [[.text("a"), .real(1.5)]])
  }

  @Test(arguments: [(ScalarType.int32, SQLiteValue.integer(4)), (.double, .real(4))])
  func oneValueBecomesAListOfAWiderType(_ type: ScalarType, _ expected: SQLiteValue) throws {
    let older = Self.thing(
      Property(name: "values", type: .value(ValueType(.scalar(.int8), isOptional: true))))
    let paths = try EveryPath([[older], [Self.thing(Self.list(type))]])

    let rows = try paths.rows(
      "SELECT _owner, value FROM \"Thing.values\"",
      after: "INSERT INTO Thing(_row, \"values\") VALUES (1, 4), (2, NULL)")

    #expect(rows == [[.integer(1), expected]])
  }

  @Test func aListOfObjectsBecomesASetOfThemByAnotherName() throws {
    let pets = Property(name: "dogs", type: .set(ValueType(.object("Pet"))))
    let paths = try EveryPath(
      [
        [Self.thing(.list("dogs", of: "Dog")), Model(name: "Dog", properties: [Self.n])],
        [Self.thing(pets), Model(name: "Pet", properties: [Self.n])],
      ],
      steps: [1: { $0.renames.models = ["Dog": "Pet"] }])

    let rows = try paths.rows(
      "SELECT value FROM \"Thing.dogs\"", after: "INSERT INTO Thing(_row) VALUES (1)",
      "INSERT INTO Dog(_row, n) VALUES (2, 4)",
      "INSERT INTO \"Thing.dogs\" VALUES (1, 10, 2), (1, 20, 2)")

    #expect(rows == [[.integer(2)]])
  }

  // MARK: - Refusals of a version that later ones don't see

  @Test func nilThatBecomesTheSameDefaultIsNoLongerUnique() throws {
    let paths = try EveryPath(
      [
        [Self.thing(Self.unique("mail", isOptional: true), Self.n)],
        [Self.thing(Self.unique("mail", isOptional: false, default: .string("")), Self.n)],
        [Self.thing(Self.n)], [Self.thing(Self.n)],
      ],
      steps: [2: { $0.drop = [SchemaPath("Thing", "mail")] }])

    let refusal = try paths.refusal(after: "INSERT INTO Thing(_row, n) VALUES (1, 1), (2, 1)")

    #expect(refusal == .refused(code: "STR5205", version: 1, model: "Thing"))
  }

  @Test func aPrimaryKeyTakesOneNil() throws {
    let mail = Self.unique("mail", isOptional: true)
    let paths = try EveryPath(
      [
        [Self.thing(mail, Self.n)],
        [Model(name: "Thing", primaryKey: ["mail"], properties: [mail, Self.n])],
        [Self.thing(Self.n)], [Self.thing(Self.n)],
      ],
      steps: [2: { $0.drop = [SchemaPath("Thing", "mail")] }])

    let refusal = try paths.refusal(after: "INSERT INTO Thing(_row, n) VALUES (1, 1), (2, 1)")

    #expect(refusal == .refused(code: "STR5205", version: 1, model: "Thing"))
  }

  @Test(arguments: [false, true])
  func aLinkThatIsRequiredNowHasToBeThere(_ isEmbedded: Bool) throws {
    let place = Model(name: "Place", isEmbedded: isEmbedded, properties: [Self.n])
    let required = Property(
      name: "place", type: .value(ValueType(.object("Place"))),
      deleteRule: isEmbedded ? .nullify : .cascade)
    let paths = try EveryPath(
      [
        [Self.thing(.link("place", to: "Place"), Self.n), place],
        [Self.thing(required, Self.n), place], [Self.thing(Self.n)], [Self.thing(Self.n)],
      ],
      steps: [2: { $0.drop = [SchemaPath("Thing", "place"), SchemaPath("Place")] }])

    let refusal = try paths.refusal(
      after: "INSERT INTO Place(_row, n) VALUES (1, 1)",
      "INSERT INTO Thing(_row, n, place) VALUES (2, 1, 1), (3, 1, NULL), (4, 1, NULL)")

    #expect(refusal == .refused(code: "STR5204", version: 1, model: "Thing"))
  }

  @Test func aLinkThatABlockMakesToADeletedObjectIsRefused() throws {
    let block = Step(to: 1) { step in
      let things = Array(try step.objects(ThingThen.self))
      let gone = things[0].row.identity
      try step.delete(things[0])
      things[1].row.write(0, .link(gone))
    }
    let older = Self.thing(.link("friend", to: "Thing"), Self.n)
    let paths = try EveryPath(
      [[older], [older], [Self.thing(Self.n)]],
      steps: [
        1: { $0.swiftModels = ["Thing"] }, 2: { $0.drop = [SchemaPath("Thing", "friend")] },
      ],
      blocks: [block])

    let refusal = try paths.refusal(after: "INSERT INTO Thing(_row, n) VALUES (1, 1), (2, 1)")

    #expect(refusal == .refused(code: "STR5208", version: 1, model: "Thing"))
  }

  // MARK: - Deletions

  /// A holds no deletion up whose holder goes as well, in whatever order.
  @Test func aHolderThatGoesTooDeniesNothing() throws {
    let models = [
      Model(name: "A", properties: [Self.n]),
      Model(
        name: "B", properties: [.link("a", to: "A", .deny), .link("c", to: "C", .cascade)]),
      Model(name: "C", properties: [Self.n]),
    ]
    let paths = try EveryPath(
      [models, models],
      steps: [1: { $0.delete = ["A": expression("old.n < 0"), "C": expression("old.n < 0")] }])
    let (a, c) = (
      "INSERT INTO A(_row, n) VALUES (1, -1)", "INSERT INTO C(_row, n) VALUES (2, -1), (4, 0)"
    )

    let rows = try paths.rows(
      "SELECT count(*) FROM B", after: a, c, "INSERT INTO B(_row, a, c) VALUES (3, 1, 2)")
    #expect(rows == [[.integer(0)]])

    let refusal = try paths.refusal(after: a, c, "INSERT INTO B(_row, a, c) VALUES (3, 1, 4)")
    #expect(refusal == .refused(code: "STR5207", version: 1, model: "A"))
  }

  /// No object breaks the rule but by the link that the deletion would leave behind.
  @Test func aDeniedDeletionIsNoBrokenRule() throws {
    let models = [
      Model(name: "A", properties: [Self.n]),
      Model(
        name: "B", properties: [.link("a", to: "A", .deny)],
        rules: [ModelRule(name: "positive", condition: "a.n > 0", sentence: nil)]),
    ]
    let paths = try EveryPath(
      [models, models], steps: [1: { $0.delete = ["A": expression("old.n == 1")] }])

    let refusal = try paths.refusal(
      after: "INSERT INTO A(_row, n) VALUES (1, 1), (2, 2)",
      "INSERT INTO B(_row, a) VALUES (3, 1), (4, 2)")

    #expect(refusal == .refused(code: "STR5207", version: 1, model: "A"))
  }

  @Test func whatABlockCreatesIsNotGoneThroughOnTheWay() throws {
    let block = Step(to: 1) { step in
      for _ in try step.objects(ThingThen.self) { try step.create(ThingThen.self) }
    }
    let paths = try EveryPath(
      [[Self.thing(Self.n)], [Self.thing(Self.n)]],
      steps: [1: { $0.swiftModels = ["Thing"] }], blocks: [block])

    let rows = try paths.rows(
      "SELECT count(*) FROM Thing", after: "INSERT INTO Thing(_row, n) VALUES (1, 1), (2, 1)")

    #expect(rows == [[.integer(4)]])
  }

  // MARK: - Bounds

  /// What doubles with each step, or takes it apart again.
  @Test(arguments: [
    ("old.n + 1", 200), ("old.n + old.n", 0), ("-(old.n * 2 - old.n)", 0),
    ("if(old.n % 2 == 0, old.n + 1, old.n + 1)", 200),
  ])
  func twoHundredSteps(_ text: String, _ expected: Int64) throws {
    let bench = try Workbench()
    var steps: [Int: (inout MigrationStep) -> Void] = [:]
    for version in 1...200 { steps[version] = { $0.set = ["Thing": ["n": expression(text)]] } }
    let target = try EveryPath(
      Array(repeating: [Self.thing(Self.n)], count: 201), steps: steps
    ).target
    let file = try bench.sample(version: 0, of: target, objects: 0)
    try bench.sql(file, "INSERT INTO Thing(_row, n) VALUES (1, 0)")

    try upgrade(file, target)

    #expect(try bench.sql(file, "SELECT n FROM Thing") == [[.integer(expected)]])
  }

  /// What waits to be asked for waits on the stack.
  @Test func twoHundredStepsBehindABlock() throws {
    let bench = try Workbench()
    let thing = Self.thing(.required("name", .string))
    var steps: [Int: (inout MigrationStep) -> Void] = [1: { $0.swiftModels = ["Thing"] }]
    for version in 2...200 {
      steps[version] = { $0.set = ["Thing": ["name": expression("old.name + 'x'")]] }
    }
    let block = Step(to: 1) { step in
      try step.map("Thing", to: "Thing") { _, new in new.write(0, .string("block")) }
    }
    let target = try EveryPath(
      Array(repeating: [thing], count: 201), steps: steps, blocks: [block]
    ).target
    let file = try bench.sample(version: 0, of: target, objects: 3)

    try upgrade(file, target)

    let name = "block" + String(repeating: "x", count: 199)
    #expect(try bench.sql(file, "SELECT DISTINCT name FROM Thing") == [[.text(name)]])
  }

  /// More than SQLite's functions take arguments: all properties in one expression, and most of them in a block.
  @Test func threeHundredProperties() throws {
    let names = (0..<300).map { "p\($0)" }
    let older = Model(name: "Thing", properties: names.map { .required($0, .int) })
    let newer = Model(
      name: "Thing", properties: older.properties + [.required("sum", .int, default: .int(0))])
    let block = Step(to: 2) { step in
      try step.map("Thing", to: "Thing") { old, new in
        var sum: Int64 = 0
        for index in 0..<200 { if case .int(let value) = try old.read(index) { sum += value } }
        new.write(0, .int(sum))
      }
    }
    let sum = names.map { "old.\($0)" }.joined(separator: " + ")
    let paths = try EveryPath(
      [[older], [newer], [newer]],
      steps: [
        1: { $0.set = ["Thing": ["sum": expression(sum)]] }, 2: { $0.swiftModels = ["Thing"] },
      ],
      blocks: [block])

    let rows = try paths.rows(
      "SELECT sum, p0, p299 FROM Thing",
      after: "INSERT INTO Thing VALUES (1\(String(repeating: ", 2", count: 300)))")

    #expect(rows == [[.integer(600), .integer(400), .integer(2)]])
  }
}

private struct ThingThen: FrozenObject {
  static let modelName = "Thing"
  static let version = 1
  let _row: FrozenRow
}
