import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// An embedded object has one owner and goes with it, whatever the path.
@Suite struct OwnershipTests {
  private static let place = Model(
    name: "Place", isEmbedded: true, properties: [.required("city", .string)])
  private static let standingPlace = Model(
    name: "Place", properties: [.required("city", .string)])
  private static let person = Model(
    name: "Person",
    properties: [.link("home", to: "Place"), .required("n", .int), .link("work", to: "Place")])
  private static let other = Model(name: "Other", properties: [.required("n", .int)])

  private static let places = "INSERT INTO Place(_row, city) VALUES (1, 'Bonn'), (2, 'Rome')"
  private static let remaining = "SELECT _row FROM Place ORDER BY _row"

  @Test func whatARemovedModelOwnedGoesWithIt() throws {
    let draft = Model(name: "Draft", properties: [.link("home", to: "Place")])
    let paths = try EveryPath(
      [[draft, Self.person, Self.place], [Self.person, Self.place]],
      steps: [1: { $0.drop = [SchemaPath("Draft")] }])

    let rows = try paths.rows(
      Self.remaining, after: Self.places, "INSERT INTO Draft(_row, home) VALUES (3, 1)",
      "INSERT INTO Person(_row, n, home) VALUES (4, 0, 2)")

    #expect(rows == [[.integer(2)]])
  }

  @Test func whatAPropertyOwnedGoesWhereItLeadsElsewhere() throws {
    let newer = Model(
      name: "Person",
      properties: [.link("home", to: "Yard"), .required("n", .int), .link("work", to: "Place")])
    let yard = Model(name: "Yard", isEmbedded: true, properties: [.required("n", .int)])
    let paths = try EveryPath(
      [[Self.person, Self.place], [newer, Self.place, yard]],
      steps: [1: { $0.drop = [SchemaPath("Person", "home")] }])

    let rows = try paths.rows(
      Self.remaining, after: Self.places,
      "INSERT INTO Person(_row, n, home, work) VALUES (4, 0, 1, 2)")

    #expect(rows == [[.integer(2)]])
  }

  @Test func aModelThatBecomesEmbeddedLosesWhatNobodyOwns() throws {
    let paths = try EveryPath([
      [Self.person, Self.standingPlace], [Self.person, Self.place],
      [Self.person, Self.place, Self.other],
    ])

    let rows = try paths.rows(
      Self.remaining, after: Self.places, "INSERT INTO Person(_row, n, home) VALUES (4, 0, 1)")

    #expect(rows == [[.integer(1)]])
  }

  @Test(arguments: ["(4, 0, 1, NULL), (5, 0, 1, NULL)", "(4, 0, 1, 1)"])
  func oneWithTwoOwnersIsRefused(_ persons: String) throws {
    let paths = try EveryPath([
      [Self.person, Self.standingPlace], [Self.person, Self.place],
      [Self.person, Self.place, Self.other],
    ])

    let refusal = try paths.refusal(
      after: Self.places, "INSERT INTO Person(_row, n, home, work) VALUES \(persons)")

    #expect(refusal == .refused(code: "STR5208", version: 1, model: "Place"))
  }

  @Test func aBlockThatLetsGoOfOneDeletesIt() throws {
    let block = Step(to: 1) { step in
      try step.map("Person", to: "Person") { _, new in new.write(0, .null) }
    }
    let paths = try EveryPath(
      [
        [Self.person, Self.place], [Self.person, Self.place],
        [Self.person, Self.place, Self.other],
      ],
      steps: [1: { $0.swiftModels = ["Person"] }], blocks: [block])

    let rows = try paths.rows(
      Self.remaining, after: Self.places,
      "INSERT INTO Person(_row, n, home, work) VALUES (4, 0, 1, 2)")

    #expect(rows == [[.integer(2)]])
  }

  /// Of two persons one is left, with the other's home.
  @Test func oneThatABlockMovesOutlivesItsFirstOwner() throws {
    let block = Step(to: 1) { step in
      let persons = Dictionary(
        uniqueKeysWithValues: try step.objects(PersonThen.self).map { ($0.row.identity, $0) })
      guard let gone = persons[4], let kept = persons[5] else { return }
      kept.row.write(0, try gone.row.read(0))
      try step.delete(gone)
    }
    let paths = try EveryPath(
      [[Self.person, Self.place], [Self.person, Self.place]],
      steps: [1: { $0.swiftModels = ["Person"] }], blocks: [block])

    let rows = try paths.rows(
      "SELECT Person._row, city FROM Person LEFT JOIN Place ON home = Place._row",
      after: Self.places, "INSERT INTO Person(_row, n, home) VALUES (4, 0, 1), (5, 0, NULL)")

    #expect(rows == [[.integer(5), .text("Bonn")]])
  }

  // MARK: - Classic form

  @Test func aMigrationBlockThatLetsGoOfOneDeletesIt() throws {
    let bench = try Workbench()
    let target = UpgradeTarget(
      classic: Schema(name: "Test", version: 1, models: [Self.person, Self.place])
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new!["home"] = nil }
    }
    let older = try EveryPath([[Self.person, Self.place]]).target
    let file = try bench.sample(version: 0, of: older, objects: 0)
    try bench.sql(file, Self.places)
    try bench.sql(file, "INSERT INTO Person(_row, n, home, work) VALUES (4, 0, 1, 2)")

    try upgrade(file, target)

    #expect(try bench.sql(file, Self.remaining) == [[.integer(2)]])
  }
}

private struct PersonThen: FrozenObject {
  static let modelName = "Person"
  static let version = 1
  let _row: FrozenRow
}
