import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Changes of the schema that leave every row as it is are made in the file itself.
@Suite struct InPlaceTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  static let older = [
    Model(
      name: "Person",
      properties: [
        .required("age", .int), .link("boss", to: "Person"), .list("friends", of: "Person"),
        .required("name", .string), .required("nick", .string),
      ])
  ]

  static func target(_ newer: [Model], _ change: (inout MigrationStep) -> Void = { _ in })
    -> UpgradeTarget
  {
    UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: older), nil),
          ("2026-02-01", Schema(name: "Test", version: 1, models: newer), step(1, change)),
        ]),
      steps: [])
  }

  /// Everything at once that needs no row: names exchanged, properties with and without a default, an index, a model.
  static let everything = target(
    [
      Model(
        name: "Human", indexes: [["age", "name"]],
        properties: [
          .required("age", .int), .link("boss", to: "Human"),
          .required("city", .string, default: .string("O'Hara \"x\"")),
          .list("dogs", of: "Dog"), .optional("email", .string), .list("friends", of: "Human"),
          .link("home", to: "Place"), .required("name", .string), .required("nick", .string),
          .required("score", .double, default: .double(0.1)),
        ]),
      Model(name: "Dog", properties: [.required("name", .string)]),
      Model(name: "Place", properties: [.required("name", .string)]),
    ].sorted { $0.name < $1.name }
  ) {
    $0.renames = Renames(
      models: ["Person": "Human"],
      properties: [SchemaPath("Person", "name"): "nick", SchemaPath("Person", "nick"): "name"])
  }

  /// SQLite takes a name of other scalars for another one, though it is equal to Swift.
  @Test func aNameInAnotherNormalisationLeavesAWholeFile() throws {
    func schema(_ version: Int, _ name: String) -> Schema {
      Schema(
        name: "Test", version: version,
        models: [Model(name: "Person", properties: [.required(name, .int)])])
    }
    let (old, new) = ("caf\u{E9}", "cafe\u{301}")
    let target = UpgradeTarget(
      history: .chained(
        "Test", [("2026-01-01", schema(0, old), nil), ("2026-02-01", schema(1, new), nil)]),
      steps: [])
    let file = try bench.sample("a.db", version: 0, of: target, objects: 5)
    let before = try bench.sql(file, "SELECT \"\(old)\" FROM Person ORDER BY _row")

    var isUpgraded = true
    do { try Upgrade(path: file, target: target).run() } catch { isUpgraded = false }

    let database = try Database(path: file, mode: .readOnly)
    defer { database.close() }
    let expected = try DatabaseLayout(
      expectedOf: TableLayout(isUpgraded ? schema(1, new) : schema(0, old)))
    #expect(try DatabaseLayout(of: database).differences(from: expected) == [])
    let name = isUpgraded ? new : old
    #expect(try database.rows("SELECT \"\(name)\" FROM Person ORDER BY _row") == before)
  }

  /// Each of the statements would read the descriptions of all tables.
  @Test(arguments: [(models: 20, write: UpgradePlan.Write.inPlace), (models: 260, write: .aside)])
  func aSmallFileOfManyModelsIsBuiltAside(models: Int, write: UpgradePlan.Write) throws {
    func schema(_ version: Int, _ properties: [Property]) -> Schema {
      Schema(
        name: "Test", version: version,
        models: (0..<models).map { Model(name: "M\($0)", properties: properties) })
    }
    let age = Property.required("age", .int)
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", schema(0, [age]), nil),
          ("2026-02-01", schema(1, [age, .optional("name", .string)]), step(1) { _ in }),
        ]),
      steps: [])
    let file = try bench.sample("a.db", version: 0, of: target, objects: 1)

    #expect(try UpgradePlan.make(path: file, target: target, options: .init()).write == write)
    try Upgrade(path: file, target: target).run()
    #expect(try UpgradePlan.make(path: file, target: target, options: .init()).isCurrent)
  }

  private func file(_ name: String, _ target: UpgradeTarget) throws -> String {
    let path = try bench.sample(name, version: 0, of: target, objects: 0)
    try bench.sql(
      path,
      """
      INSERT INTO Person(_row, age, boss, name, nick) VALUES \
      (1, 3, NULL, 'Ada', 'a'), (2, 4, 1, 'Bob', 'b'), (3, 5, 2, 'Cleo', 'c')
      """)
    try bench.sql(
      path, "INSERT INTO \"Person.friends\"(_owner, _index, value) VALUES (1, 10, 2), (3, 10, 1)")
    return path
  }

  private func upgrade(_ path: String, _ target: UpgradeTarget, setBased: Bool) throws {
    var options = Upgrade.Options()
    options.isSetBased = setBased
    try Upgrade(path: path, target: target, options: options).run()
  }

  @Test func theResultIsThatOfAnUpgradeThatIsBuiltAside() throws {
    let target = Self.everything
    let (inPlace, aside) = (try file("a.db", target), try file("b.db", target))

    let plan = try UpgradePlan.make(path: inPlace, target: target, options: Upgrade.Options())
    try upgrade(inPlace, target, setBased: true)
    try upgrade(aside, target, setBased: false)

    #expect(plan.write == .inPlace)
    #expect(plan.tables.map(\.strategy) == [.new, .metadata, .new])
    #expect(try digest(inPlace, target) == digest(aside, target))
    #expect(
      try bench.sql(inPlace, "SELECT name, nick, city, score, email FROM Human WHERE _row = 3") == [
        [.text("c"), .text("Cleo"), .text("O'Hara \"x\""), .real(0.1), .null]
      ])
    #expect(try bench.sql(inPlace, "PRAGMA foreign_key_check").isEmpty)
    #expect(try bench.sql(inPlace, "PRAGMA integrity_check") == [[.text("ok")]])
  }

  /// SQLite takes `DEFAULT 5.0` of such a column for the integer 5.
  @Test(
    arguments: [
      5, -760_926_040, 0, -0.0, 0.1, -2.5, 9_007_199_254_740_992, 1e18, 1e300,
      .leastNonzeroMagnitude,
    ],
    [ScalarType.double, .float, .date, .any])
  func aNewPropertysDefaultIsTheSameToTheBit(_ number: Double, _ type: ScalarType) throws {
    let (value, cell): (Value, Double) =
      switch type {
      case .float: (.float(Float(number)), Double(Float(number)))
      case .date: (.date(number), number)
      default: (.double(number), number)
      }
    let older = [Model(name: "A", properties: [.optional("v", .int)])]
    let history = try EveryPath([
      older,
      [Model(name: "A", properties: older[0].properties + [.required("w", type, default: value)])],
    ])

    let rows = try history.rows(
      "SELECT w FROM A", after: "INSERT INTO A (_row, v) VALUES (7, 1)")

    guard case .real(let found)? = rows.first?.first else {
      Issue.record("\(rows)")
      return
    }
    #expect(found.bitPattern == cell.bitPattern)
  }

  /// The index of texts goes by the property's name: another one that takes the name has other words.
  @Test(arguments: [
    ("taken over", ["raw", "body"], ["body": "raw", "summary": "body"], UpgradePlan.Write.aside),
    ("exchanged", ["summary", "body"], ["body": "summary", "summary": "body"], .aside),
    ("another is renamed", ["body", "short"], ["summary": "short"], .inPlace),
  ])
  func aFulltextPropertyHasItsOwnWords(
    _ what: String, _ names: [String], _ renames: [String: String], _ write: UpgradePlan.Write
  ) throws {
    func note(_ names: [String]) -> Model {
      Model(
        name: "Note",
        properties: names.sorted().map { name in
          Property(
            name: name, type: .value(ValueType(.scalar(.string))),
            index: name == "body" ? .fulltext : .none)
        })
    }
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          (
            "2026-01-01", Schema(name: "Test", version: 0, models: [note(["body", "summary"])]), nil
          ),
          (
            "2026-02-01", Schema(name: "Test", version: 1, models: [note(names)]),
            step(1) { step in
              step.renames.properties = Dictionary(
                uniqueKeysWithValues: renames.map { (SchemaPath("Note", $0.key), $0.value) })
            }
          ),
        ]),
      steps: [])
    let path = try bench.sample("a.db", version: 0, of: target, objects: 0)
    let database = try Database(path: path, mode: .readWrite)
    // Its triggers write the index.
    try database.set(.trustedSchema, true)
    try database.execute("INSERT INTO Note(_row, body, summary) VALUES (1, 'apple', 'banana')")
    database.close()

    #expect(try UpgradePlan.make(path: path, target: target, options: .init()).write == write)
    try upgrade(path, target, setBased: true)

    let now = write == .aside ? "banana" : "apple"
    for word in ["apple", "banana"] {
      let found = try bench.sql(
        path, "SELECT rowid FROM \"Note.body.fulltext\" WHERE body MATCH '\(word)'")
      #expect(found.isEmpty == (word != now), "\(what): \(word)")
    }
  }

  @Test func aReaderKeepsItsSnapshot() throws {
    let target = Self.everything
    let path = try file("a.db", target)
    let reader = try Database(path: path, mode: .readOnly)
    defer { reader.close() }
    try reader.begin(.deferred)
    #expect(try reader.firstValue("SELECT count(*) FROM Person") == .integer(3))

    try upgrade(path, target, setBased: true)

    #expect(try reader.firstValue("SELECT count(*) FROM Person") == .integer(3))
    try reader.rollback()
    #expect(try reader.firstValue("SELECT count(*) FROM Human") == .integer(3))
  }

  @Test func aUniqueIndexOverDuplicatesIsRefusedAndTheFileIsAsItWas() throws {
    var name = Property.required("name", .string)
    name.isUnique = true
    let target = Self.target([
      Model(
        name: "Person", properties: Self.older[0].properties.filter { $0.name != "name" } + [name])
    ])
    let path = try file("a.db", target)
    try bench.sql(path, "UPDATE Person SET name = 'Ada'")
    try bench.sql(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try bench.bytes(path)

    #expect {
      try upgrade(path, target, setBased: true)
    } throws: { error in
      (error as? MigrationError)?.kind == .duplicateValue && "\(error)".contains("Ada")
    }

    #expect(try bench.bytes(path) == before)
  }

  /// An index is added, and a rule that all objects keep: each is one statement over so many objects.
  private func fileOfMany(_ name: String) throws -> (path: String, target: UpgradeTarget) {
    let age = Property.required("age", .int)
    var indexed = age
    indexed.index = .ordinary
    let rule = ModelRule(name: "born", condition: "age >= 0", sentence: nil)
    let target = try EveryPath([
      [Model(name: "Person", properties: [age])],
      [Model(name: "Person", properties: [indexed], rules: [rule])],
    ]).target
    let path = try bench.sample(name, version: 0, of: target, objects: 0)
    try bench.sql(
      path,
      """
      WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < 400000) \
      INSERT INTO Person(_row, age) SELECT x, x * 7919 % 400009 FROM i
      """)
    try bench.sql(path, "UPDATE _strata SET value = 400001 WHERE key = 'nextRow'")
    return (path, target)
  }

  @Test func progressGoesOnWhileOneStatementRuns() throws {
    let (path, target) = try fileOfMany("a.db")
    var seen: [UpgradeProgress.Phase: Int] = [:]
    var options = Upgrade.Options()
    options.progress = {
      seen[$0.phase, default: 0] += 1
      return .proceed
    }

    #expect(try UpgradePlan.make(path: path, target: target, options: .init()).write == .inPlace)
    try Upgrade(path: path, target: target, options: options).run()

    // One report comes before the index, one before the rules and one behind them.
    #expect(seen[.indexes, default: 0] > 1, "\(seen)")
    #expect(seen[.verifying, default: 0] > 2, "\(seen)")
    // What is being committed cannot be cancelled: the last report says that it is done.
    #expect(seen[.writing] == 1)
  }

  @Test(arguments: [UpgradeProgress.Phase.indexes, .verifying])
  func aStatementIsCancelledWhileItRuns(phase: UpgradeProgress.Phase) throws {
    let (path, target) = try fileOfMany("a.db")
    let before = try bench.contents()
    var reports = 0
    var options = Upgrade.Options()
    options.progress = {
      guard $0.phase == phase else { return .proceed }
      reports += 1
      return reports > 1 ? .cancel : .proceed
    }

    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }

    #expect(error?.kind == .cancelled)
    #expect(reports == 2)
    #expect(try bench.contents() == before)
  }

  @Test func aPropertyThatIsGivenUpIsBuiltAside() throws {
    let target = Self.target([
      Model(name: "Person", properties: Self.older[0].properties.filter { $0.name != "nick" })
    ]) { $0.drop = [SchemaPath("Person", "nick")] }
    let path = try file("a.db", target)

    let plan = try UpgradePlan.make(path: path, target: target, options: Upgrade.Options())

    #expect(plan.write == .aside)
  }
}
