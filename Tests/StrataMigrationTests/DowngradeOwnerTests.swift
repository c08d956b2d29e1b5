import Foundation
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// Models that the older version embeds and the newer one does not: there an object may have several owners, or none.
@Suite struct DowngradeOwnerTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }

  init() throws { downs = try DowngradeBench() }

  /// - Parameter embedded: the models that are.
  static func models(embedded: Set<String>) -> [Model] {
    [
      Model(
        name: "Firm",
        properties: [
          .required("n", .int), Property(name: "seat", type: .value(ValueType(.object("Place")))),
        ]),
      Model(
        name: "Part", isEmbedded: embedded.contains("Part"), properties: [.required("n", .int)]),
      Model(
        name: "Person",
        properties: [
          .required("n", .int), .link("home", to: "Place"), .list("places", of: "Place"),
          Property(name: "named", type: .map(ValueType(.object("Place")))),
          .optional("thing", .any),
        ]),
      Model(
        name: "Place", isEmbedded: embedded.contains("Place"),
        properties: [
          .required("n", .int), .link("inner", to: "Place"), .list("parts", of: "Part"),
        ]),
    ]
  }

  /// Both models stand on their own since version 1.
  private var target: UpgradeTarget {
    downs.target(Self.models(embedded: ["Place", "Part"]), Self.models(embedded: []))
  }

  /// Of the people 1 owns the place 11 as home, and 13 and 14 in a list; 2 owns 12, and 15 in a list; 3 owns 16 in a map. The firms 4 and 5
  /// own 17 and 18. Place 12 owns 19; 11 and 12 own the parts 21 and 22.
  static let objects = [
    "INSERT INTO Place(_row, n) VALUES (11, 1), (13, 3), (14, 4), (15, 5), (16, 6), (17, 7), (18, 8), (19, 9)",
    "INSERT INTO Place(_row, n, inner) VALUES (12, 2, 19)",
    "INSERT INTO Part(_row, n) VALUES (21, 1), (22, 2)",
    "INSERT INTO \"Place.parts\" VALUES (11, 10, 21), (12, 10, 22)",
    "INSERT INTO Person(_row, n, home) VALUES (1, 1, 11), (2, 2, 12), (3, 3, NULL)",
    "INSERT INTO \"Person.places\" VALUES (1, 10, 13), (1, 20, 14), (2, 10, 15)",
    "INSERT INTO \"Person.named\" VALUES (3, 'a', 16)",
    "INSERT INTO Firm(_row, n, seat) VALUES (4, 4, 17), (5, 5, 18)",
    "UPDATE _strata SET value = 1000 WHERE key = 'nextRow'",
  ]

  private func files(_ target: UpgradeTarget, _ edits: [String]) throws -> (
    old: String, new: String
  ) {
    let old = try bench.sample("old.db", version: 0, of: target, objects: 0)
    for statement in Self.objects { try bench.sql(old, statement) }
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    for statement in edits { try bench.sql(new, statement) }
    return (old, new)
  }

  /// Takes a file back in which something was changed: it is refused, and with its loss accepted it is sound.
  ///
  /// - Returns: what is lost, a line for each, and the file.
  private func lost(after edits: String...) throws -> (losses: [String], reasons: Set<String>) {
    let (old, new) = try files(target, edits)
    let before = try bench.bytes(new)
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(error?.kind == .losesData, "\(error?.description ?? "")")
    #expect(try bench.bytes(new) == before)

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    let found = try FileInspector().inspect(new, target: target, checksAll: true)
    #expect(found.status == .upgradable)
    #expect(found.contentProblems == [])
    return (
      report.losses.map { loss in
        (["\(loss.model)\(loss.property.map { ".\($0)" } ?? ""):"]
          + loss.objects.map { "\($0.identity)" }).joined(separator: " ")
      }.sorted(), Set(report.losses.map(\.reason))
    )
  }

  private func rows(_ sql: String) throws -> [[SQLiteValue]] {
    try bench.sql(bench.path("new.db"), sql)
  }

  /// What the old file had is in the downgraded one again.
  private func isAsBefore() throws -> Bool {
    try digest(bench.path("new.db"), target) == digest(bench.path("old.db"), target)
  }

  private static let shared =
    "it leads to an object that has several owners, and Place is embedded in version 0"
  private static func ownerless(_ model: String) -> String {
    "\(model) is embedded in version 0, and nothing owns this object there"
  }

  // MARK: - Several owners

  @Test func anObjectStaysWithItsOwnerAndTheOtherHasItsOwnAgain() throws {
    let (losses, reasons) = try lost(after: "UPDATE Person SET home = 11 WHERE _row = 2")
    #expect(losses == ["Person.home: 2"])
    #expect(reasons == [Self.shared])
    #expect(try isAsBefore())
  }

  @Test func anOwnerThatHadNoneHasNoneAgain() throws {
    let (losses, reasons) = try lost(
      after: "UPDATE Person SET home = 11 WHERE _row = 3",
      "INSERT INTO Person(_row, n, home) VALUES (100, 0, 12)")
    #expect(losses == ["Person.home: 3 100"])
    #expect(reasons == [Self.shared])
    #expect(
      try rows("SELECT _row, home FROM Person ORDER BY 1") == [
        [.integer(1), .integer(11)], [.integer(2), .integer(12)], [.integer(3), .null],
        [.integer(100), .null],
      ])
  }

  /// Where neither had it in the old file, the first keeps it.
  @Test func theFirstOfNewOwnersKeepsAnObject() throws {
    let (losses, _) = try lost(
      after: "INSERT INTO Place(_row, n) VALUES (100, 0)",
      "UPDATE Person SET home = 100 WHERE _row IN (1, 3)")
    #expect(losses == ["Part: 21", "Person.home: 3", "Place: 11"])
    #expect(
      try rows("SELECT home FROM Person ORDER BY _row") == [
        [.integer(100)], [.integer(12)], [.null],
      ])
  }

  @Test func whatHasToOwnAnObjectHasTheOldOneAgainOrGoes() throws {
    let (losses, reasons) = try lost(
      after: "UPDATE Firm SET seat = 17 WHERE _row = 5",
      "INSERT INTO Firm(_row, n, seat) VALUES (100, 0, 17)")
    #expect(losses == ["Firm.seat: 5", "Firm: 100"])
    #expect(reasons == [Self.shared])
    #expect(try isAsBefore())
  }

  @Test func anElementLeavesItsCollection() throws {
    let (losses, reasons) = try lost(
      after: "INSERT INTO \"Person.places\" VALUES (2, 5, 13), (2, 30, 15), (2, 40, 18)",
      "INSERT INTO \"Person.named\" VALUES (3, 'b', 14), (3, 'c', 12)")
    #expect(losses == ["Person.named: 3", "Person.places: 2"])
    #expect(reasons == [Self.shared])
    #expect(try isAsBefore())
  }

  @Test func anObjectThatChangesItsOwnerIsNotLost() throws {
    let (old, new) = try files(
      target,
      [
        "UPDATE Person SET home = NULL WHERE _row = 1",
        "UPDATE Person SET home = 11 WHERE _row = 3",
        "UPDATE Firm SET seat = 35 - seat",
      ])
    #expect(try rows("SELECT seat FROM Firm ORDER BY _row") == [[.integer(18)], [.integer(17)]])
    let report = try downs.downgrade(new, old, target)
    #expect(report.isLossless, "\(report.text)")
    #expect(try rows("SELECT _row FROM Person WHERE home = 11") == [[.integer(3)]])
    #expect(try rows("SELECT seat FROM Firm ORDER BY _row") == [[.integer(18)], [.integer(17)]])
  }

  // MARK: - None

  /// With all that it embeds.
  @Test func anObjectWithoutAnOwnerIsNamed() throws {
    let (losses, reasons) = try lost(after: "UPDATE Person SET home = NULL WHERE _row = 2")
    #expect(losses == ["Part: 22", "Place: 12 19"])
    #expect(reasons == [Self.ownerless("Part"), Self.ownerless("Place")])
    #expect(try rows("SELECT count(*) FROM Place") == [[.integer(7)]])
  }

  @Test func whatADeletedOwnerLeavesAndWhatWasCreatedAloneIsNamed() throws {
    let (losses, reasons) = try lost(
      after: "DELETE FROM \"Person.places\" WHERE _owner = 1", "DELETE FROM Person WHERE _row = 1",
      "INSERT INTO Place(_row, n) VALUES (100, 0)")
    #expect(losses == ["Part: 21", "Place: 11 13 14 100"])
    #expect(reasons == [Self.ownerless("Part"), Self.ownerless("Place")])
  }

  // MARK: - Rings

  @Test func aRingThatNothingOwnsIsNamed() throws {
    let (losses, reasons) = try lost(
      after: "DELETE FROM \"Person.places\" WHERE _owner = 1",
      "UPDATE Place SET inner = 27 - _row WHERE _row IN (13, 14)")
    #expect(losses == ["Place: 13 14"])
    #expect(reasons == [Self.ownerless("Place")])
  }

  /// In the old file 12 owns 19.
  @Test func aRingKeepsThePlaceThatLeadsIntoIt() throws {
    let (losses, _) = try lost(
      after: "UPDATE Person SET home = NULL WHERE _row = 2",
      "UPDATE Person SET home = 19 WHERE _row = 3", "UPDATE Place SET inner = 12 WHERE _row = 19")
    #expect(losses == ["Place.inner: 12"])
    #expect(
      try rows("SELECT _row, inner FROM Place WHERE _row IN (12, 19) ORDER BY 1") == [
        [.integer(12), .null], [.integer(19), .integer(12)],
      ])
    #expect(try rows("SELECT home FROM Person WHERE _row = 3") == [[.integer(19)]])
  }

  // MARK: - Values of type any

  @Test func aValueThatLinksToWhatIsEmbeddedIsNamed() throws {
    let (losses, reasons) = try lost(
      after: "UPDATE Person SET thing = x'09000000000000000B506C616365' WHERE _row = 2",
      "UPDATE Person SET thing = x'090000000000000001506572736F6E' WHERE _row = 3")
    #expect(losses == ["Person.thing: 2"])
    #expect(reasons == ["version 0 has no such value"])
    #expect(
      try rows("SELECT thing IS NULL FROM Person ORDER BY _row")
        == [1, 1, 0].map { [.integer($0)] }
    )
  }

  /// The newer version has no such property that its programs could have emptied.
  @Test func aValueThatLinksToWhatWasDeletedIsEmptied() throws {
    let number = Property.required("n", .int)
    let target = downs.target(
      [Model(name: "Person", properties: [number, .optional("thing", .any)])],
      [Model(name: "Person", properties: [number])]
    ) { $0.drop = [SchemaPath("Person", "thing")] }
    let old = try bench.sample("old.db", version: 0, of: target, objects: 0)
    try bench.sql(
      old, "INSERT INTO Person VALUES (1, 1, x'090000000000000002506572736F6E'), (2, 2, NULL)")
    try bench.sql(old, "UPDATE _strata SET value = 3 WHERE key = 'nextRow'")
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    try bench.sql(new, "DELETE FROM Person WHERE _row = 2")

    let report = try downs.downgrade(new, old, target)

    #expect(report.isLossless)
    #expect(try rows("SELECT * FROM Person") == [[.integer(1), .integer(1), .null]])
    let found = try FileInspector().inspect(new, target: target, checksAll: true)
    #expect(found.contentProblems == [])
  }

  // MARK: - Any edits

  /// One of the two models stands on its own, or both do.
  @Test(arguments: [["Part"], ["Place"], []])
  func aProofMeetsTheLosses(embedded: Set<String>) throws {
    var proof = MigrationProof(
      target: downs.target(
        Self.models(embedded: ["Place", "Part"]), Self.models(embedded: embedded)), seed: 42)
    proof.crowd = 0
    let report = try proof.run()
    #expect(report.isProven, "\(report)")
  }

  /// More of them: `STRATA_DOWNGRADES=2000 swift test --filter DowngradeOwnerTests`.
  private static let seeds =
    0..<(ProcessInfo.processInfo.environment["STRATA_DOWNGRADES"]
    .flatMap(Int.init) ?? 24)

  @Test(arguments: seeds)
  func whatIsEditedGoesBackOrIsNamed(seed: Int) throws {
    let embedded: Set<String> = [["Part"], ["Place"], []][seed % 3]
    let newer = Self.models(embedded: embedded)
    let target = downs.target(Self.models(embedded: ["Place", "Part"]), newer)
    let (old, new) = try files(target, [])
    let schema = try #require(target.history.newest?.schema)
    var edits = OwnerEdits(seed: UInt64(seed), schema: schema)
    try edits.run(new)
    let edited = try ProofData(reading: new, schema: schema)

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    let found = try FileInspector().inspect(new, target: target, checksAll: true)
    #expect(found.contentProblems == [], "\(edits.log)")
    try upgrade(new, target)
    let again = try ProofData(reading: new, schema: schema)
    for difference in ContentComparison(schema: schema).differences(edited, again) {
      let isNamed = report.losses.contains { loss in
        loss.model == difference.model
          && (loss.property == nil || loss.property == difference.property)
          && (loss.count > loss.objects.count
            || loss.objects.contains { $0.identity == difference.identity })
      }
      #expect(isNamed, "\(difference); \(report.text); \(edits.log)")
    }
  }
}

/// Edits by chance: links to objects that others own, owners that lose theirs, new objects and deleted ones.
private struct OwnerEdits {
  private static let count = 12
  private let schema: Schema
  private var random: StepRandom
  private var nextRow = 100
  private(set) var log: [String] = []

  init(seed: UInt64, schema: Schema) {
    random = StepRandom(seed: seed &* 31 &+ 7)
    self.schema = schema
  }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

  mutating func run(_ path: String) throws {
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    try database.configureForStrata()
    for _ in 0..<Self.count {
      guard let edit = try edit(database) else { continue }
      do {
        try database.begin()
        try database.execute(edit)
        try database.commit()
        log.append(edit)
      } catch let error as SQLiteError where error.primaryCode == .constraint {
        try database.rollback()
      }
    }
  }

  private mutating func row(_ model: String, _ database: Database) throws -> String? {
    try database.firstValue(
      "SELECT _row FROM \(SQL.identifier(model)) ORDER BY _row LIMIT 1 OFFSET \(pick(9))")?
      .ifInteger.map { "\($0)" }
  }

  private mutating func edit(_ database: Database) throws -> String? {
    let free = schema.storedModels.filter { !$0.isEmbedded }
    let model = free[pick(free.count)]
    guard let own = try row(model.name, database) else { return nil }
    let table = SQL.identifier(model.name)
    if pick(6) == 0 { return "DELETE FROM \(table) WHERE _row = \(own)" }
    let links = schema.storedModels.flatMap { holder in
      holder.storedProperties.compactMap { property in
        property.type.linkedModel.flatMap(schema.model(named:)).map { (holder, property, $0) }
      }
    }.filter { !$0.2.isEmbedded }
    guard !links.isEmpty else { return nil }
    let (holder, property, target) = links[pick(links.count)]
    guard let owner = try row(holder.name, database), let value = try row(target.name, database)
    else { return nil }
    nextRow += 1
    if pick(5) == 0, !holder.isEmbedded, !property.type.isCollection {
      return """
        INSERT INTO \(SQL.identifier(holder.name)) (_row, n, \(SQL.identifier(property.name))) \
        VALUES (\(nextRow), 0, \(value))
        """
    }
    let column = SQL.identifier(property.name)
    switch property.type {
    case .value:
      let isEmptied = pick(4) == 0
      return
        "UPDATE \(SQL.identifier(holder.name)) SET \(column) = \(isEmptied ? "NULL" : value) WHERE _row = \(owner)"
    default:
      let elements = SQL.identifier("\(holder.name).\(property.name)")
      let isMap = if case .map = property.type { true } else { false }
      return pick(3) == 0
        ? "DELETE FROM \(elements) WHERE _owner = \(owner)"
        : "INSERT OR REPLACE INTO \(elements) VALUES (\(owner), \(isMap ? "'\(pick(3))'" : "\(pick(99))"), \(value))"
    }
  }
}
