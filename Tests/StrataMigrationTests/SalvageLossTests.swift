import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles

/// What a salvage says of what is not in the new file.
@Suite struct SalvageLossTests {
  private let bench: Workbench

  init() throws { bench = try Workbench() }

  private func file(_ models: [Model]) throws -> String {
    let schema = Schema(name: "Test", version: 0, models: models)
    let target = UpgradeTarget(history: .chained("Test", [("2026-01-01", schema, nil)]))
    let path = try bench.sample(version: 0, of: target, objects: 0)
    try bench.sql(path, "UPDATE _strata SET value = 1000000 WHERE key = 'nextRow'")
    return path
  }

  private func salvage(_ path: String) throws -> Salvage.Report {
    try Salvage(path: path, output: bench.path("saved.db")).run()
  }

  private func saved(_ sql: String) throws -> [[SQLiteValue]] {
    try bench.sql(bench.path("saved.db"), sql)
  }

  private static func numbers(_ count: Int) -> String {
    "WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < \(count)) "
  }

  @Test("What is saved of a private file is as private", arguments: [UInt32(0o600), 0o640, 0o400])
  func permissions(_ permissions: UInt32) throws {
    let path = try file([Model(name: "P", properties: [.required("n", .int)])])
    try POSIXFiles().setPermissions(permissions, of: path)
    _ = try salvage(path)
    let saved = try #require(try POSIXFiles().status(of: bench.path("saved.db")))
    // The owner goes on with it.
    #expect(saved.permissions == permissions | 0o600)
  }

  // MARK: - Many losses

  @Test func manyLossesOfOneKindHideNoOther() throws {
    let path = try file([
      Model(
        name: "P",
        properties: [
          .optional("price", .decimal), .optional("rate", .decimal),
          Property(name: "tags", type: .set(ValueType(.scalar(.string)))),
        ]), Model(name: "Q", properties: [.required("n", .int)]),
      Model(name: "R", properties: [.required("price", .decimal)]),
    ])
    let numbers = Self.numbers(1500)
    try bench.sql(path, numbers + "INSERT INTO P (_row, price) SELECT x, 'none' FROM i")
    try bench.sql(path, numbers + "INSERT INTO R (_row, price) SELECT 2000 + x, 'none' FROM i")
    for table in ["Q", "P.tags"] { try bench.sql(path, "DROP TABLE \"\(table)\"") }

    let losses = try salvage(path).losses

    #expect(losses.contains("all objects of Q, whose table is missing"))
    #expect(losses.contains("all elements of P.tags, whose table is missing"))
    #expect(losses.filter { $0.hasPrefix("price of P _row") }.count == Salvage.maximumLosses)
    #expect(losses.filter { $0.hasPrefix("R _row") }.count == Salvage.maximumLosses)
    #expect(losses.contains("500 more values of objects of P that cannot be read"))
    #expect(
      losses.contains("500 more objects of R, of which a required value cannot be read"))
    #expect(losses.count == 2 * Salvage.maximumLosses + 4)
    #expect(try saved("SELECT count(*) FROM P WHERE price IS NULL") == [[.integer(1500)]])
  }

  @Test func numbersThatNoObjectHasAreCounted() throws {
    let path = try file([Model(name: "P", properties: [.required("n", .int)])])
    try bench.sql(path, Self.numbers(1050) + "INSERT INTO P (_row, n) SELECT -x, x FROM i")

    let losses = try salvage(path).losses

    #expect(losses.filter { $0.hasPrefix("P _row -") }.count == Salvage.maximumLosses)
    #expect(losses.last == "50 more objects of P whose numbers no object can have")
    #expect(losses.count == Salvage.maximumLosses + 1)
  }

  // MARK: - Names of SQLite

  /// Rows that share a `rowid` of their own are not those that share a value.
  @Test func propertiesMayHaveTheNamesThatSQLiteHasForARow() throws {
    let place = Model(name: "Place", isEmbedded: true, properties: [.required("n", .int)])
    let path = try file([
      Model(
        name: "P",
        properties: [
          .optional("_rowid_", .int), .link("home", to: "Place"),
          Property(
            name: "mail", type: .value(ValueType(.scalar(.string), isOptional: true)),
            isUnique: true),
          .optional("oid", .int), .optional("rowid", .int),
        ]), place,
    ])
    for statement in [
      "DROP INDEX \"P.home.unique\"", "DROP INDEX \"P.mail.unique\"",
      "INSERT INTO Place (_row, n) VALUES (10, 1), (11, 2)",
      """
      INSERT INTO P (_row, _rowid_, oid, rowid, home, mail) VALUES (1, 20, 20, 20, 10, 'a'), \
      (2, 20, 20, 20, 10, 'b'), (3, 20, 20, 20, 11, 'c'), (4, 20, 20, 20, NULL, 'a')
      """,
    ] { try bench.sql(path, statement) }

    let losses = try salvage(path).losses

    #expect(
      losses.sorted() == [
        "1 link by P.home to objects that another one has",
        "1 object of P, with the same mail as another one",
      ])
    #expect(
      try saved("SELECT _row, home, mail FROM P ORDER BY _row") == [
        [.integer(1), .integer(10), .text("a")], [.integer(2), .null, .text("b")],
        [.integer(3), .integer(11), .text("c")],
      ])
  }

  // MARK: - Chains

  private static let node = Model(
    name: "Node", isEmbedded: true,
    properties: [
      .link("next", to: "Node"), .list("parts", of: "Node"), .link("seat", to: "Seat"),
    ])
  private static let seat = Model(
    name: "Seat", isEmbedded: true, properties: [.required("n", .int)])
  private static let person = Model(name: "Person", properties: [.link("first", to: "Node")])

  /// A chain that nothing owns goes as a whole, and is told once, however long it is.
  @Test func aChainWithoutAnOwnerIsOneLoss() throws {
    let path = try file([Self.node, Self.seat, Self.person])
    let length = 3000
    for statement in [
      // 1 → 2 → 3, which has 4 in its list, a person owns.
      "INSERT INTO Seat (_row, n) VALUES (900, 1), (901, 2)",
      "INSERT INTO Node (_row, next, seat) VALUES (1, 2, NULL), (2, 3, NULL), (3, NULL, NULL), (4, NULL, 900)",
      "INSERT INTO \"Node.parts\" (_owner, _index, value) VALUES (3, 65536, 4)",
      "INSERT INTO Person (_row, first) VALUES (5, 1)",
      // A ring leads to itself alone.
      "INSERT INTO Node (_row, next) VALUES (10, 11), (11, 12), (12, 10)",
      Self.numbers(length) + """
        INSERT INTO Node (_row, next) SELECT 1000 + x, CASE WHEN x < \(length) THEN 1001 + x END FROM i
        """,
      "UPDATE Node SET seat = 901 WHERE _row = \(1000 + length)",
    ] { try bench.sql(path, statement) }

    let report = try salvage(path)

    #expect(
      report.losses == [
        "\(grouped(length + 3)) embedded objects of Node without an owner",
        "1 embedded object of Seat without an owner",
      ])
    #expect(try saved("SELECT _row FROM Node") == [1, 2, 3, 4].map { [.integer($0)] })
    #expect(try saved("SELECT _row FROM Seat") == [[.integer(900)]])
    #expect(
      try FileInspector().inspect(bench.path("saved.db"), target: nil, checksAll: true)
        .contentProblems == [])
  }

  /// By the model alone each object would be held against all others.
  @Test func whatIsOwnedIsFoundByItsNumber() throws {
    let models = [Self.node, Self.seat, Self.person]
    let target = try Database(path: try file(models), mode: .readWrite)
    defer { target.close() }
    let owners = SalvagedOwners(Schema(name: "Test", version: 0, models: models), target)
    try owners.find()
    let plan = try target.rows("EXPLAIN QUERY PLAN " + owners.deletion(of: Self.node))
      .compactMap { $0.last?.ifText }
    #expect(plan.contains { $0.contains("(model=? AND row=?)") }, "\(plan)")
  }

  // MARK: - Numbers of several models

  private func problems(of file: SalvageDamage) throws -> [ContentProblem]? {
    try FileInspector().inspect(file.bench.path("saved.db"), target: nil, checksAll: true)
      .contentProblems
  }

  /// A page of people stands in the place of the cats: what has elements is a person.
  @Test func anObjectOfTwoModelsIsWhatItsElementsSay() throws {
    let file = try SalvageDamage(people: 2000, dogs: 100)
    let (people, dogs) = (try file.rows("Person"), try file.rows("Dog"))
    let leaf = try file.children(of: try file.root(of: "Person"))[3]
    try file.overwrite(try file.root(of: "Cat"), try file.image(of: leaf))

    let report = try file.salvage()

    let count = try file.numbers(on: leaf).count
    #expect(
      report.losses == [
        "\(count) objects of Cat, whose numbers objects of another model have, and those in whose place they stand"
      ])
    #expect(try file.saved("Person") == people && file.saved("Dog") == dogs)
    #expect(try file.saved("Cat") == [])
    #expect(try problems(of: file) == [])
  }

  /// Nothing says whether they are dogs or cats.
  @Test func anObjectOfTwoModelsThatNothingLeadsToIsNone() throws {
    let file = try SalvageDamage(people: 10, dogs: 50)
    try file.overwrite(try file.root(of: "Cat"), try file.image(of: try file.root(of: "Dog")))

    let report = try file.salvage()

    #expect(
      report.losses.sorted() == [
        "50 objects of Cat, whose numbers objects of another model have, and those in whose place they stand",
        "50 objects of Dog, whose numbers objects of another model have, and those in whose place they stand",
      ])
    #expect(try file.saved("Dog") == [] && file.saved("Cat") == [])
    #expect(try problems(of: file) == [])
  }
}
