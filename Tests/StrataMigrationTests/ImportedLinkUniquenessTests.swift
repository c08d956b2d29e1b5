import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Links that have to be unique, alone or beside values, when all lines are stored.
@Suite struct ImportedLinkUniquenessTests {
  private let bench: Workbench
  private let target: UpgradeTarget
  private let file: String

  /// People 1 and 2; entries 1 and 2 with the place 1 and 2 of the same person, and a badge for each person.
  init() throws {
    bench = try Workbench()
    let person = Model(
      name: "Person", primaryKey: ["id"], properties: [.required("id", .int)])
    let entry = Model(
      name: "Comp", primaryKey: ["id"], uniques: [["a", "who"]],
      properties: [.required("id", .int), .required("a", .int), .link("who", to: "Person")])
    let badge = Model(
      name: "Badge", primaryKey: ["id"],
      properties: [
        .required("id", .int),
        Property(
          name: "owner", type: .value(ValueType(.object("Person"), isOptional: true)),
          isUnique: true),
      ])
    target = UpgradeTarget(
      history: .chained(
        "Test",
        [("2026-01-01", Schema(name: "Test", version: 0, models: [person, entry, badge]), nil)]))
    file = try bench.sample("comps.db", version: 0, of: target, objects: 0)
    try importing(
      #"{"$model":"Person","id":1}"#, #"{"$model":"Person","id":2}"#,
      #"{"$model":"Person","id":3}"#,
      #"{"$model":"Comp","id":1,"a":1,"who":{"$key":1}}"#,
      #"{"$model":"Comp","id":2,"a":2,"who":{"$key":1}}"#,
      #"{"$model":"Badge","id":1,"owner":{"$key":1}}"#,
      #"{"$model":"Badge","id":2,"owner":{"$key":2}}"#)
  }

  @discardableResult
  private func importing(into path: String? = nil, _ lines: String...) throws -> (
    created: Int, updated: Int
  ) {
    var rest = lines[...]
    return try ObjectImporter.run(into: path ?? file, target: nil, model: nil) {
      rest.popFirst().map { Array($0.utf8) }
    }
  }

  /// Of each entry the place and the person's number.
  private func comps(_ path: String? = nil) throws -> [String] {
    try bench.sql(
      path ?? file,
      """
      SELECT c.id || ': ' || a || ' of ' || coalesce(p.id, 'none') FROM Comp c LEFT JOIN Person p ON p._row = who ORDER BY c.id
      """
    ).compactMap { $0[0].ifText }
  }

  private func badges(_ path: String? = nil) throws -> [String] {
    try bench.sql(
      path ?? file,
      "SELECT b.id || ' of ' || p.id FROM Badge b JOIN Person p ON p._row = owner ORDER BY b.id"
    ).compactMap { $0[0].ifText }
  }

  /// The indexes are those of the layout again.
  private func expectSound(_ path: String? = nil) throws {
    #expect(
      try FileInspector().inspect(path ?? file, target: target, checksAll: true).contentProblems
        == [])
    #expect(throws: SQLiteError.self) {
      try bench.sql(path ?? file, "UPDATE Badge SET owner = (SELECT min(_row) FROM Person)")
    }
  }

  @Test func aValueChangesWithTheLinkBesideIt() throws {
    try importing(#"{"$model":"Comp","id":1,"a":2,"who":{"$key":2}}"#)

    #expect(try comps() == ["1: 2 of 2", "2: 2 of 1"])
    try expectSound()
  }

  @Test func linksAreExchanged() throws {
    try importing(
      #"{"$model":"Badge","id":1,"owner":{"$key":2}}"#,
      #"{"$model":"Badge","id":2,"owner":{"$key":1}}"#)
    #expect(try badges() == ["1 of 2", "2 of 1"])

    try importing(
      #"{"$model":"Badge","id":1,"owner":{"$key":3}}"#,
      #"{"$model":"Badge","id":3,"owner":{"$key":1}}"#,
      #"{"$model":"Badge","id":2,"owner":{"$key":2}}"#)
    #expect(try badges() == ["1 of 3", "2 of 2", "3 of 1"])
    try expectSound()
  }

  @Test func valuesAreExchangedBesideLinks() throws {
    try importing(
      #"{"$model":"Comp","id":1,"a":2}"#, #"{"$model":"Comp","id":2,"a":1}"#,
      #"{"$model":"Comp","id":3,"a":2,"who":{"$key":2}}"#)

    #expect(try comps() == ["1: 2 of 1", "2: 1 of 1", "3: 2 of 2"])
    try expectSound()
  }

  @Test(arguments: [
    (
      [#"{"$model":"Comp","id":1,"a":2,"who":{"$key":1}}"#],
      "There is a Comp with the same a, who already", 1
    ),
    (
      [
        #"{"$model":"Badge","id":2,"owner":{"$key":2}}"#,
        #"{"$model":"Badge","id":1,"owner":{"$key":2}}"#,
      ], "There is a Badge with the same owner already", 2
    ),
    (
      [
        #"{"$model":"Badge","id":3,"owner":{"$key":3}}"#,
        #"{"$model":"Badge","id":1,"owner":{"$key":2}}"#,
        #"{"$model":"Badge","id":2,"owner":{"$key":2}}"#,
      ], "There is a Badge with the same owner already", 2
    ),
  ])
  func theLineOfALinkThatIsAnothersIsNamed(_ lines: [String], _ message: String, _ line: Int)
    throws
  {
    let before = try comps() + badges()
    var rest = lines[...]

    #expect(throws: ImportError(line: line, message: message)) {
      try ObjectImporter.run(into: file, target: nil, model: nil) {
        rest.popFirst().map { Array($0.utf8) }
      }
    }

    #expect(try comps() + badges() == before)
    try expectSound()
  }

  /// A required link waits for the end, too, and is not the same as another one that waits.
  @Test func requiredLinksOfNewObjectsAreNoObstacle() throws {
    let person = Model(name: "Person", properties: [.required("n", .int)])
    let desk = Model(
      name: "Desk", uniques: [["floor", "owner"]],
      properties: [
        .required("floor", .int),
        Property(name: "owner", type: .value(ValueType(.object("Person"))), deleteRule: .deny),
        Property(
          name: "deputy", type: .value(ValueType(.object("Person"))), isUnique: true,
          deleteRule: .deny),
      ])
    let schema = Schema(name: "Desks", version: 0, models: [person, desk])
    let target = UpgradeTarget(history: .chained("Desks", [("2026-01-01", schema, nil)]))
    let file = try bench.sample("desks.db", version: 0, of: target, objects: 0)

    try importing(
      into: file, #"{"$model":"Person","$id":1,"n":1}"#, #"{"$model":"Person","$id":2,"n":2}"#,
      #"{"$model":"Desk","floor":1,"owner":{"$id":1},"deputy":{"$id":2}}"#,
      #"{"$model":"Desk","floor":1,"owner":{"$id":2},"deputy":{"$id":1}}"#)

    #expect(try bench.sql(file, "SELECT count(DISTINCT owner) FROM Desk") == [[.integer(2)]])
    #expect(
      try FileInspector().inspect(file, target: target, checksAll: true).contentProblems == [])
  }

  /// `adopt --into` brings objects in by the same class.
  @Test func aMergeCountsTheEnd() throws {
    let source = bench.path("source.db")
    _ = try bench.sample("source.db", version: 0, of: target, objects: 0)
    try importing(
      into: source, #"{"$model":"Person","id":1}"#, #"{"$model":"Person","id":2}"#,
      #"{"$model":"Comp","id":1,"a":2,"who":{"$key":2}}"#,
      #"{"$model":"Comp","id":2,"a":1,"who":{"$key":1}}"#,
      #"{"$model":"Badge","id":1,"owner":{"$key":2}}"#,
      #"{"$model":"Badge","id":2,"owner":{"$key":1}}"#)

    let report = try ObjectMerge.run(from: source, into: file)

    #expect(report.models["Badge"]?.updated == 2)
    #expect(try comps() == ["1: 2 of 2", "2: 1 of 1"])
    #expect(try badges() == ["1 of 2", "2 of 1"])
    try expectSound()
  }
}
