import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// A value for which a version between has none stops there: nothing is worked out from a default in its place.
@Suite struct DowngradeMisfitTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }

  init() throws { downs = try DowngradeBench() }

  /// An age that was a text, became a number that every person has, and may be missing since.
  private var ages: UpgradeTarget {
    func person(_ age: Property) -> Model {
      Model(name: "Person", properties: [age, .required("note", .string)])
    }
    return UpgradeTarget(
      history: .chained(
        "Test",
        [
          (
            "2026-01-01",
            Schema(name: "Test", version: 0, models: [person(.required("birth", .string))]), nil
          ),
          (
            "2026-02-01",
            Schema(
              name: "Test", version: 1,
              models: [person(.required("age", .int32, default: .int(18)))]),
            step(1) {
              $0.set = ["Person": ["age": expression("int32(old.birth) ?? 18")]]
              $0.back = ["Person": ["birth": backExpression("string(new.age)")]]
              $0.drop = [SchemaPath("Person", "birth")]
            }
          ),
          (
            "2026-03-01",
            Schema(name: "Test", version: 2, models: [person(.optional("age", .int))]), nil
          ),
        ]))
  }

  @Test func whatIsWorkedOutFromSuchAValueKeepsTheOldFiles() throws {
    let (old, new) = try downs.files(ages, objects: 3)
    for path in [old, new] { try bench.sql(path, "UPDATE Person SET note = 'n'") }
    try bench.sql(old, "UPDATE Person SET birth = 40 + _row")
    try bench.sql(new, "UPDATE Person SET age = 40 + _row")
    try bench.sql(new, "UPDATE Person SET age = NULL, note = 'changed' WHERE _row = 1")
    try bench.sql(new, "UPDATE Person SET age = 3000000000 WHERE _row = 2")
    try bench.sql(new, "UPDATE Person SET age = 50 WHERE _row = 3")

    let report = try downs.downgrade(new, old, ages) { $0.acceptsLoss = true }

    #expect(
      try downs.rows(new, "SELECT birth, note FROM Person ORDER BY _row") == [
        [.text("41"), .text("changed")], [.text("42"), .text("n")], [.text("50"), .text("n")],
      ])
    #expect(report.losses.map(\.property) == ["age"])
    #expect(report.losses.map(\.reason) == ["version 1 has no such value of Person.age"])
    #expect(report.losses.first?.objects.map(\.identity) == [1, 2])
  }

  /// It has no older value to keep, and takes its default.
  @Test func anObjectThatWasCreatedSinceGoesBackWithoutIt() throws {
    let optional = Model(
      name: "Person", properties: [.optional("birth", .string), .required("n", .int)])
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: [optional]), nil),
          (
            "2026-02-01",
            Schema(
              name: "Test", version: 1,
              models: [
                Model(
                  name: "Person",
                  properties: [.required("age", .int32, default: .int(18)), .required("n", .int)])
              ]),
            step(1) {
              $0.set = ["Person": ["age": expression("int32(old.birth) ?? 18")]]
              $0.back = ["Person": ["birth": backExpression("string(new.age)")]]
              $0.drop = [SchemaPath("Person", "birth")]
            }
          ),
          (
            "2026-03-01",
            Schema(
              name: "Test", version: 2,
              models: [
                Model(
                  name: "Person", properties: [.optional("age", .int), .required("n", .int)])
              ]), nil
          ),
        ]))
    let (old, new) = try downs.files(target, objects: 1)
    try bench.sql(new, "INSERT INTO Person(_row, age, n) VALUES (1000, NULL, 1), (1001, 30, 2)")

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    #expect(
      try downs.rows(new, "SELECT birth, n FROM Person WHERE _row >= 1000 ORDER BY _row") == [
        [.null, .integer(1)], [.text("30"), .integer(2)],
      ])
    #expect(report.losses.map(\.reason) == ["version 1 has no such value of Person.age"])
    #expect(report.losses.first?.objects.map(\.identity) == [1000])
  }

  /// A block that puts a full name together, whose `back` reads it, and a version behind it in which the names are others.
  private func names(
    _ newest: (Property) -> Property?, step last: MigrationStep? = nil
  ) throws -> UpgradeTarget {
    let versions = PeopleHistory.history.versions.map(\.schema)
    let people = try #require(versions[1].model(named: "Person"))
    let model = Model(
      name: "Person",
      properties: people.properties.compactMap { $0.name == "fullName" ? newest($0) : $0 })
    return UpgradeTarget(
      history: .chained(
        "People",
        [
          ("2026-01-01", versions[0], nil),
          (
            "2026-02-01", versions[1],
            step(1) {
              $0.swiftModels = ["Person"]
              $0.drop = [SchemaPath("Person", "firstName"), SchemaPath("Person", "lastName")]
            }
          ),
          ("2026-03-01", Schema(name: "People", version: 2, models: [model]), last),
        ]),
      steps: [
        Step(to: 1) { step in
          step.back(PersonAfter.self, PersonBefore.self) { new, old in
            old.lastName = "of \(new.fullName)"
          }
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            new.fullName = "\(old.firstName) \(old.lastName)"
          }
        }
      ])
  }

  /// What a block would have made of the rest is not known, so that all of the object stays as the old file has it.
  @Test func aBlockThatReadsSuchAValueKeepsItsObjectFromGoingBack() throws {
    let target = try names { .optional($0.name, .string) }
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET fullName = NULL, age = 7 WHERE _row = 1")
    try bench.sql(new, "UPDATE Person SET fullName = 'Ada', age = 8 WHERE _row = 2")

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    let first = "SELECT * FROM Person WHERE _row = 1"
    #expect(try downs.rows(new, first) == downs.rows(old, first))
    #expect(
      try downs.rows(new, "SELECT lastName, age FROM Person WHERE _row = 2") == [
        [.text("of Ada"), .integer(8)]
      ])
    #expect(
      report.losses.contains {
        $0.reason.contains("version 1 has no such value of Person.fullName")
          && $0.objects.first?.identity == 1
      }, "\(report.losses)")
  }

  /// As little is known of what it would have made of a value that the newest version no longer has.
  @Test func aBlockThatReadsAPropertyThatIsGoneKeepsItsObjectFromGoingBack() throws {
    let target = try names(
      { _ in nil }, step: step(2) { $0.drop = [SchemaPath("Person", "fullName")] })
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET age = 7 WHERE _row = 1")

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    let all = "SELECT * FROM Person ORDER BY _row"
    #expect(try downs.rows(new, all) == downs.rows(old, all))
    #expect(
      report.losses.map(\.reason) == [
        "The block of version 1, Person #1 stopped the downgrade: nothing says what Person.fullName was in version 1"
      ])
    #expect(report.losses.first?.objects.map(\.identity) == [1])
  }

  /// What the old file has is not worked out again from a default in the place of what the newest version has not.
  @Test func whatIsWorkedOutFromAPropertyThatIsGoneKeepsTheOldFiles() throws {
    func person(_ names: String...) -> [Model] {
      [
        Model(
          name: "Person", properties: names.map { .required($0, .string, default: .string("-")) })
      ]
    }
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          (
            "2026-01-01", Schema(name: "Test", version: 0, models: person("first", "last")), nil
          ),
          (
            "2026-02-01", Schema(name: "Test", version: 1, models: person("full", "suffix")),
            step(1) {
              $0.set = [
                "Person": [
                  "full": expression("old.first"), "suffix": expression("old.last"),
                ]
              ]
              $0.back = [
                "Person": [
                  "first": backExpression("new.full"),
                  "last": backExpression("new.full + new.suffix"),
                ]
              ]
              $0.drop = [SchemaPath("Person", "first"), SchemaPath("Person", "last")]
            }
          ),
          (
            "2026-03-01", Schema(name: "Test", version: 2, models: person("full")),
            step(2) { $0.drop = [SchemaPath("Person", "suffix")] }
          ),
        ]))
    let (old, new) = try downs.files(target, objects: 2)
    for path in [old, new] {
      let column = path == old ? "first" : "full"
      try bench.sql(path, "UPDATE Person SET \(column) = 'Ada'")
    }
    try bench.sql(old, "UPDATE Person SET last = 'Byron'")
    try bench.sql(new, "UPDATE Person SET full = 'Eve' WHERE _row = 1")
    try bench.sql(new, "INSERT INTO Person(_row, full) VALUES (1000, 'Bob')")

    try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    #expect(
      try downs.rows(new, "SELECT first, last FROM Person ORDER BY _row") == [
        [.text("Eve"), .text("Byron")], [.text("Ada"), .text("Byron")],
        [.text("Bob"), .text("Bob-")],
      ])
  }

  /// Created objects, and what they lead to, have nothing in the old file.
  @Test func anObjectThatWasCreatedSinceReadsTheDefaultOfAnotherOne() throws {
    func club(_ properties: Property...) -> Model { Model(name: "Club", properties: properties) }
    let city = Property.required("city", .string, default: .string("Bonn"))
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          (
            "2026-01-01",
            Schema(
              name: "Test", version: 0,
              models: [
                Model(
                  name: "Person",
                  properties: [.required("town", .string), .link("club", to: "Club")]),
                club(.required("n", .int), city),
              ]), nil
          ),
          (
            "2026-02-01",
            Schema(
              name: "Test", version: 1,
              models: [
                Model(name: "Person", properties: [.link("club", to: "Club")]),
                club(.required("n", .int), city),
              ]),
            step(1) {
              $0.back = ["Person": ["town": backExpression("new.club.city ?? '?'")]]
              $0.drop = [SchemaPath("Person", "town")]
            }
          ),
          (
            "2026-03-01",
            Schema(
              name: "Test", version: 2,
              models: [
                Model(name: "Person", properties: [.link("club", to: "Club")]),
                club(.required("n", .int)),
              ]), step(2) { $0.drop = [SchemaPath("Club", "city")] }
          ),
        ]))
    let (old, new) = try downs.files(target, objects: 2)
    try bench.sql(new, "INSERT INTO Club(_row, n) VALUES (1000, 1)")
    try bench.sql(new, "INSERT INTO Person(_row, club) VALUES (1001, 1000)")

    try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    #expect(
      try downs.rows(new, "SELECT town FROM Person WHERE _row = 1001") == [[.text("Bonn")]])
  }
}
