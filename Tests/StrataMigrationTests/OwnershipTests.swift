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

  @Test func aModelThatBecomesEmbeddedLosesWhatHasNoOwner() throws {
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

  private static func trees(isEmbedded: Bool) -> [Model] {
    [
      Model(
        name: "Node", isEmbedded: isEmbedded,
        properties: [
          .list("more", of: "Node"), .required("n", .int), .link("next", to: "Node"),
          .link("twig", to: "Twig"),
        ]),
      Model(name: "Tree", properties: [.link("root", to: "Node")]),
      Model(name: "Twig", isEmbedded: isEmbedded, properties: [.link("node", to: "Node")]),
    ]
  }

  /// 1 leads to itself, 2 and 3 to each other and 2 to 4 besides, 5 to a twig that leads back. 6 has a tree, and 7 and 8 have 6.
  @Test func objectsThatOwnThemselvesOrEachOtherHaveNoOwner() throws {
    let paths = try EveryPath([
      Self.trees(isEmbedded: false), Self.trees(isEmbedded: true),
      Self.trees(isEmbedded: true) + [Self.other],
    ])

    let rows = try paths.rows(
      "SELECT _row FROM Node UNION ALL SELECT _row FROM Twig ORDER BY 1",
      after: """
        INSERT INTO Node(_row, n, next, twig) VALUES (1, 0, 1, NULL), (2, 0, 3, NULL), (3, 0, 2, NULL), \
        (4, 0, NULL, NULL), (5, 0, NULL, 15), (6, 0, 7, NULL), (7, 0, NULL, NULL), (8, 0, NULL, NULL)
        """,
      "INSERT INTO \"Node.more\"(_owner, _index, value) VALUES (2, 1, 4), (6, 1, 8)",
      "INSERT INTO Twig(_row, node) VALUES (15, 5)", "INSERT INTO Tree(_row, root) VALUES (16, 6)")

    #expect(rows == [[.integer(6)], [.integer(7)], [.integer(8)]])
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
