import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Steps that delete many objects at once: what goes with them, and what loses its links.
@Suite struct ManyDeletionsTests {
  private static let numbers =
    "WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < 60) "

  private static func deletion(_ step: inout MigrationStep) {
    step.delete = ["Person": expression("old.n == 1")]
  }

  @Test func aChainOfCascadesGoesToItsEnd() throws {
    let person = Model(
      name: "Person", properties: [.link("boss", to: "Person", .cascade), .required("n", .int)])
    let paths = try EveryPath([[person], [person]], steps: [1: Self.deletion])

    // Two chains; the first one begins with the person that is deleted, and ends in a circle.
    let rows = try paths.rows(
      "SELECT count(*), min(_row) FROM Person",
      after: Self.numbers + "INSERT INTO Person(_row, n, boss) SELECT x, x, x - 1 FROM i",
      "UPDATE Person SET boss = 30 WHERE _row = 1", "UPDATE Person SET boss = NULL WHERE _row = 31")

    #expect(rows == [[.integer(30), .integer(31)]])
  }

  /// As `nullify` does with a link: a property becomes nil, an element leaves its collection.
  @Test func whatIsOfTypeAnyForgetsThem() throws {
    let any = ValueType(.scalar(.any), isOptional: true)
    let dog = Model(name: "Dog", properties: [.required("n", .int)])
    let bag = Model(
      name: "Bag",
      properties: [
        .optional("one", .any), .optional("other", .any), Property(name: "all", type: .list(any)),
      ])
    let paths = try EveryPath(
      [[bag, dog], [bag, dog]], steps: [1: { $0.delete = ["Dog": expression("old.n == 1")] }])
    let (gone, kept) = ("x'090000000000000001446f67'", "x'090000000000000002446f67'")

    let rows = try paths.rows(
      """
      SELECT one IS NULL, other = \(kept), (SELECT count(*) FROM "Bag.all"), \
      (SELECT count(*) FROM "Bag.all" WHERE value = \(kept)) FROM Bag
      """,
      after: "INSERT INTO Dog(_row, n) VALUES (1, 1), (2, 2)",
      "INSERT INTO Bag(_row, one, other) VALUES (3, \(gone), \(kept))",
      "INSERT INTO \"Bag.all\"(_owner, _index, value) VALUES (3, 1, \(gone)), (3, 2, \(kept)), (3, 3, 7)"
    )

    #expect(rows == [[.integer(1), .integer(1), .integer(2), .integer(1)]])
  }

  /// Nothing of a later model of the same name is to be found where an object of the old one was.
  @Test func whatIsOfTypeAnyForgetsObjectsOfADroppedModel() throws {
    let any = ValueType(.scalar(.any), isOptional: true)
    let dog = Model(name: "Dog", properties: [.required("n", .int)])
    let cat = Model(name: "Cat", properties: [.required("n", .int)])
    let bag = Model(
      name: "Bag",
      properties: [
        .optional("one", .any), .optional("other", .any), Property(name: "all", type: .list(any)),
      ])
    let paths = try EveryPath(
      [[bag, cat, dog], [bag, cat], [bag, cat, dog]],
      steps: [1: { $0.drop = [SchemaPath("Dog")] }])
    let (gone, kept) = ("x'090000000000000001446f67'", "x'090000000000000002436174'")

    let rows = try paths.rows(
      """
      SELECT one IS NULL, other = \(kept), (SELECT count(*) FROM "Bag.all"), \
      (SELECT count(*) FROM "Bag.all" WHERE value = \(kept)) FROM Bag
      """,
      after: "INSERT INTO Dog(_row, n) VALUES (1, 1)", "INSERT INTO Cat(_row, n) VALUES (2, 1)",
      "INSERT INTO Bag(_row, one, other) VALUES (3, \(gone), \(kept))",
      "INSERT INTO \"Bag.all\"(_owner, _index, value) VALUES (3, 1, \(gone)), (3, 2, \(kept)), (3, 3, 7)"
    )

    #expect(rows == [[.integer(1), .integer(1), .integer(2), .integer(1)]])
  }

  @Test func eachRuleHoldsForManyAtOnce() throws {
    let page = Model(
      name: "Page", isEmbedded: true,
      properties: [.link("note", to: "Note"), .required("text", .string)])
    let note = Model(name: "Note", isEmbedded: true, properties: [.required("text", .string)])
    let person = Model(
      name: "Person",
      properties: [
        .link("friend", to: "Person"), .required("n", .int), .list("pages", of: "Page"),
        Property(name: "peers", type: .set(ValueType(.object("Person")))),
      ])
    let dog = Model(
      name: "Dog", properties: [.required("n", .int), .link("owner", to: "Person", .cascade)])
    let models = [dog, note, page, person]
    let paths = try EveryPath([models, models], steps: [1: Self.deletion])
    let statements = [
      "INSERT INTO Person(_row, n, friend) SELECT x, x % 2, 1 + x % 60 FROM i",
      "INSERT INTO \"Person.peers\"(_owner, value) SELECT 2, x FROM i",
      "INSERT INTO Dog(_row, n, owner) SELECT 100 + x, x, x FROM i",
      "INSERT INTO Note(_row, text) SELECT 200 + x, 'n' FROM i",
      "INSERT INTO Page(_row, text, note) SELECT 300 + x, 'p', 200 + x FROM i",
      "INSERT INTO \"Person.pages\"(_owner, _index, value) SELECT x, 65536, 300 + x FROM i",
    ].map { Self.numbers + $0 }

    let outcomes = try paths.outcomes(
      """
      SELECT (SELECT count(*) FROM Person), (SELECT count(*) FROM Person WHERE friend IS NULL), \
      (SELECT count(*) FROM "Person.peers"), (SELECT count(*) FROM Dog), (SELECT count(*) FROM Page), \
      (SELECT count(*) FROM Note), (SELECT min(_row % 2) FROM Page)
      """, after: statements)

    // Persons of an even number are left, each with a friend of an odd one.
    let left: EveryPath.Outcome = .rows([
      ([30, 30, 30, 30, 30, 30, 0] as [Int64]).map { SQLiteValue.integer($0) }
    ])
    for (path, outcome) in outcomes { #expect(outcome == left, "\(path)") }
  }

  @Test func duplicatesAreMergedInEveryKindOfLink() throws {
    let person = Model(
      name: "Person",
      properties: [
        .list("friends", of: "Person"), .required("name", .string),
        Property(name: "peers", type: .set(ValueType(.object("Person")))), .optional("thing", .any),
        Property(name: "things", type: .set(ValueType(.scalar(.any)))),
      ])
    let paths = try EveryPath(
      [[person], [person]],
      steps: [
        1: { $0.deduplicate = ["Person": Deduplication(properties: ["name"], keep: .first)] }
      ])
    // 1, 2 and 3 become 1; 4 and 5 become 4.
    let rows = try paths.rows(
      """
      SELECT (SELECT group_concat(_row) FROM Person), \
      (SELECT group_concat(value) FROM (SELECT value FROM "Person.friends" ORDER BY _owner, _index)), \
      (SELECT group_concat(value) FROM (SELECT value FROM "Person.peers" ORDER BY _owner, value)), \
      (SELECT hex(thing) FROM Person WHERE _row = 1), (SELECT count(*) FROM "Person.things")
      """,
      after: """
        INSERT INTO Person(_row, name, thing) VALUES (1, 'a', x'090000000000000005506572736F6E'), \
        (2, 'a', 'two'), (3, 'a', NULL), (4, 'b', NULL), (5, 'b', NULL)
        """,
      "INSERT INTO \"Person.friends\" VALUES (4, 1, 2), (4, 2, 3), (4, 3, 5), (4, 4, 1)",
      "INSERT INTO \"Person.peers\" VALUES (4, 1), (4, 2), (4, 3), (1, 5), (1, 4), (5, 1)",
      """
      INSERT INTO "Person.things" VALUES (4, x'090000000000000002506572736F6E'), \
      (4, x'090000000000000003506572736F6E'), (4, 7)
      """)

    #expect(
      rows == [
        [
          .text("1,4"), .text("1,1,4,1"), .text("4,1"), .text("090000000000000004506572736F6E"),
          .integer(2),
        ]
      ])
  }
}
