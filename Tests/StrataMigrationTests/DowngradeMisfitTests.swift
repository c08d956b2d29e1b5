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
}
