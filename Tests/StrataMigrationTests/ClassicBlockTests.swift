import StrataExpression
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// The cases of Realm's migration block: what continues without its doing, and what it reads and writes.
@Suite struct ClassicBlockTests {
  let bench: ClassicBench

  init() throws { bench = try ClassicBench() }

  private static func person(_ properties: Property...) -> [Model] {
    [Model(name: "Person", properties: properties)]
  }

  private static let names = person(.required("firstName", .string), .required("lastName", .string))
  private static let twoNames = """
    INSERT INTO Person(_row, firstName, lastName) VALUES (1, 'Ada', 'Lovelace'), (2, 'Alan', 'Turing')
    """

  @Test func case7WithoutABlockTheOthersKeepTheirValues() throws {
    try bench.write(
      1, Self.person(.required("kept", .string), .required("gone", .int)),
      "INSERT INTO Person(_row, kept, gone) VALUES (1, 'a', 1), (2, 'b', 2)")

    try bench.migrate(
      to: 2,
      Self.person(
        .required("kept", .string), .required("age", .int, default: .int(18)),
        .required("city", .string)))

    #expect(
      try bench.sql("SELECT kept, age, city FROM Person ORDER BY _row")
        == [
          [.text("a"), .integer(18), .text("")], [.text("b"), .integer(18), .text("")],
        ])
  }

  @Test func case8AValueOfAnotherTypeCanBeReadAndIsCarriedOverWhereNothingIsLost() throws {
    let seen = Tally()
    try bench.write(
      1, Self.person(.required("number", .int), .required("text", .string)),
      "INSERT INTO Person(_row, number, text) VALUES (1, 2, 'seven')")

    try bench.migrate(
      to: 2, Self.person(.required("number", .string), .required("text", .int))
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        seen.note("\(old!["number"] as? Int ?? -1) \(new!["number"] as? String ?? "-")")
        seen.note("\(old!["text"] as? String ?? "-") \(new!["text"] as? Int ?? -1)")
      }
    }

    #expect(seen.noted == ["2 2", "seven 0"])
    #expect(try bench.sql("SELECT number, text FROM Person") == [[.text("2"), .integer(0)]])
  }

  @Test func case9RequiredToOptionalKeepsTheValues() throws {
    try bench.write(1, Self.names, Self.twoNames)

    try bench.migrate(
      to: 2, Self.person(.optional("firstName", .string), .optional("lastName", .string)))

    #expect(try bench.column("SELECT firstName FROM Person") == [.text("Ada"), .text("Alan")])
  }

  private static let optionalAge = person(.optional("age", .int))
  private static let ages = "INSERT INTO Person(_row, age) VALUES (1, 36), (2, NULL), (3, NULL)"

  @Test func case10OptionalToRequiredTakesTheDefaultForNull() throws {
    try bench.write(1, Self.optionalAge, Self.ages)

    try bench.migrate(to: 2, Self.person(.required("age", .int, default: .int(18)))) { _, _ in }

    #expect(
      try bench.column("SELECT age FROM Person") == [.integer(36), .integer(18), .integer(18)])
  }

  @Test(arguments: [false, true])
  func case10OptionalToRequiredWithoutADefaultCountsTheNulls(hasBlock: Bool) throws {
    try bench.write(1, Self.optionalAge, Self.ages)

    let error = try bench.refusal(
      to: 2, Self.person(.required("age", .int)),
      hasBlock ? looking(at: "Person") : nil)

    #expect(error?.kind == .requiredValueMissing)
    #expect(error?.description.contains("Person.age") == true)
    if hasBlock { #expect(error?.description.contains("2 of the Person objects") == true) }
  }

  @Test func case10OptionalToRequiredIsFineWhereTheBlockSetsTheNulls() throws {
    try bench.write(1, Self.optionalAge, Self.ages)

    try bench.migrate(to: 2, Self.person(.required("age", .int))) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        if old!["age"] == nil { new!["age"] = 99 }
      }
    }

    #expect(
      try bench.column("SELECT age FROM Person") == [.integer(36), .integer(99), .integer(99)])
  }

  @Test func case11OptionalToRequiredCopiedByTheBlock() throws {
    try bench.write(1, Self.optionalAge, Self.ages)

    try bench.migrate(to: 2, Self.person(.required("age", .int))) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new!["age"] = (old!["age"] as? Int) ?? 7
      }
    }

    #expect(try bench.column("SELECT age FROM Person") == [.integer(36), .integer(7), .integer(7)])
  }

  @Test(arguments: [false, true])
  func case12ListsAndSetsAreCarriedOver(hasBlock: Bool) throws {
    let int = ValueType(.scalar(.int))
    try bench.write(
      1,
      Self.person(
        Property(name: "list", type: .list(int)), .required("single", .int)),
      "INSERT INTO Person(_row, single) VALUES (1, 5), (2, 6)",
      """
      INSERT INTO "Person.list"(_owner, _index, value) VALUES (1, 10, 3), (1, 20, 1), (1, 30, 3)
      """)

    try bench.migrate(
      to: 2,
      Self.person(
        Property(name: "list", type: .set(int)), Property(name: "single", type: .list(int))),
      hasBlock ? looking(at: "Person") : nil)

    #expect(
      try bench.column(#"SELECT value FROM "Person.list" ORDER BY value"#)
        == [.integer(1), .integer(3)])
    #expect(
      try bench.column(#"SELECT value FROM "Person.single" ORDER BY _owner"#)
        == [.integer(5), .integer(6)])
  }

  @Test func case13NamesArePutTogether() throws {
    try bench.write(1, Self.names, Self.twoNames)

    try bench.migrate(to: 2, Self.person(.required("fullName", .string))) { migration, old in
      guard old < 2 else { return }
      migration.enumerateObjects(ofType: "Person") { old, new in
        let first = old!["firstName"] as? String ?? ""
        let last = old!["lastName"] as? String ?? ""
        new!["fullName"] = "\(first) \(last)"
      }
    }

    #expect(
      try bench.column("SELECT fullName FROM Person ORDER BY _row")
        == [.text("Ada Lovelace"), .text("Alan Turing")])
  }

  // MARK: - Models that go away and come

  private static let dog = Model(name: "Dog", properties: [.required("name", .string)])
  private static let dogs = "INSERT INTO Dog(_row, name) VALUES (11, 'Rex'), (12, 'Fido')"

  @Test func case14TheObjectsOfARemovedModelDoNotReturnWithIt() throws {
    try bench.write(1, Self.names + [Self.dog], Self.twoNames, Self.dogs)

    try bench.migrate(to: 2, Self.names) { _, _ in }
    #expect(try bench.column("SELECT 1 FROM sqlite_schema WHERE name = 'Dog'") == [])
    try bench.migrate(to: 3, Self.names + [Self.dog]) { _, _ in }

    #expect(try bench.column("SELECT count(*) FROM Dog") == [.integer(0)])
    let lineage = try FileInspector().stored(at: bench.path).lineage
    #expect(lineage.origins[SchemaPath("Dog")]?.version == 3)
    #expect(lineage.origins[SchemaPath("Person")]?.version == 1)
  }

  @Test func case15DeletingTheDataOfARemovedModelTakesItsTable() throws {
    try bench.write(1, Self.names + [Self.dog], Self.dogs)
    let answers = Tally()

    try bench.migrate(to: 2, Self.names) { migration, _ in
      answers.note("\(migration.deleteData(forType: "Dog"))")
    }

    #expect(answers.noted == ["true"])
    #expect(try bench.column("SELECT 1 FROM sqlite_schema WHERE name = 'Dog'") == [])
  }

  @Test func case15DeletingTheDataOfAModelThatStaysTakesItsObjects() throws {
    try bench.write(1, [Self.dog], Self.dogs)

    try bench.migrate(to: 2, [Self.dog]) { migration, _ in
      migration.deleteData(forType: "Dog")
      migration.create("Dog", value: ["name": "New"])
    }

    #expect(try bench.column("SELECT name FROM Dog") == [.text("New")])
  }

  @Test func case16DeletingTheDataOfAnUnknownModelIsFalse() throws {
    try bench.write(1, [Self.dog], Self.dogs)
    let answers = Tally()

    try bench.migrate(to: 2, [Self.dog]) { migration, _ in
      answers.note("\(migration.deleteData(forType: "Cat"))")
    }

    #expect(answers.noted == ["false"])
    #expect(try bench.column("SELECT count(*) FROM Dog") == [.integer(2)])
  }

  @Test func case17ARemovedModelHasOldObjectsAlone() throws {
    try bench.write(1, Self.names + [Self.dog], Self.dogs)
    let seen = Tally()

    try bench.migrate(to: 2, Self.names) { migration, _ in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        seen.note("\(old!["name"]!) \(new == nil)")
      }
    }

    #expect(seen.noted == ["Rex true", "Fido true"])
  }

  @Test func case18AnAddedModelHasNewObjectsAlone() throws {
    try bench.write(1, Self.names, Self.twoNames)
    let seen = Tally()

    try bench.migrate(to: 2, Self.names + [Self.dog]) { migration, _ in
      migration.create("Dog", value: ["name": "Rex"])
      migration.enumerateObjects(ofType: "Dog") { old, new in
        seen.note("\(old == nil) \(new!["name"]!)")
        new!["name"] = "Fido"
        migration.create("Dog", value: ["name": "another"])
      }
    }

    #expect(seen.noted == ["true Rex"])
    #expect(
      try bench.column("SELECT name FROM Dog ORDER BY _row") == [.text("Fido"), .text("another")])
  }
}
