import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// A repair looks at what the step has left: nothing counts that goes anyway.
@Suite struct RepairOrderTests {
  private static let other = Model(name: "Other", properties: [.required("n", .int)])

  /// A link of type `any` to a row.
  private static func link(_ model: Character, _ row: Int) -> String {
    "x'0900000000000000\(row < 10 ? "0" : "")\(row)\(String(model.asciiValue ?? 0, radix: 16))'"
  }

  private static func query(_ text: String) throws -> Expression {
    try Expression.parse(text, for: .query)
  }

  private static func rule(_ name: String, _ condition: String) -> ModelRule {
    ModelRule(name: name, condition: condition, sentence: nil)
  }

  private static func repair(_ model: String, _ rule: String, _ repair: Repair) -> [SchemaPath:
    Repair]
  {
    [SchemaPath(model, rule): repair]
  }

  /// What the text of a value of type `any` is; a link in hexadecimal.
  private static let things = """
    SELECT CASE typeof(thing) WHEN 'text' THEN thing ELSE hex(thing) END FROM C ORDER BY _row
    """

  private static func cup(_ rules: [ModelRule] = []) -> Model {
    Model(name: "C", properties: [.optional("thing", .any)], rules: rules)
  }

  private static func ball(_ rules: [ModelRule] = []) -> Model {
    Model(name: "B", properties: [.required("n", .int)], rules: rules)
  }

  @Test func aLinkOfTypeAnyToADeletedObjectIsNil() throws {
    let has = Self.rule("has", "thing != nil")
    let newer = [Self.ball(), Self.cup([has])]
    let repair = Self.repair("C", "has", Repair(set: ["thing": try Self.query("'repaired'")]))
    let paths = try EveryPath(
      [[Self.ball(), Self.cup()], newer, newer + [Self.other]],
      steps: [
        1: {
          $0.delete = ["B": expression("old.n < 0")]
          $0.repair = repair
        }
      ])

    let rows = try paths.rows(
      Self.things, after: "INSERT INTO B(_row, n) VALUES (1, -1), (2, 1)",
      "INSERT INTO C(_row, thing) VALUES (3, \(Self.link("B", 1))), (4, \(Self.link("B", 2))), (5, NULL)"
    )

    #expect(
      rows == [[.text("repaired")], [.text("09000000000000000242")], [.text("repaired")]])
  }

  @Test func whatADroppedPropertyOwnedDoesNotCount() throws {
    let old = Model(name: "A", properties: [.link("e", to: "E"), .list("es", of: "E")])
    let new = Model(name: "A", properties: [.list("es", of: "E")])
    func part(_ rules: [ModelRule]) -> Model {
      Model(name: "E", isEmbedded: true, properties: [.required("n", .int)], rules: rules)
    }
    let newer = [new, part([Self.rule("few", "E.@count <= 2")])]
    let repair = Self.repair("E", "few", Repair(delete: try Self.query("n > 100")))
    let paths = try EveryPath(
      [[old, part([])], newer, newer + [Self.other]],
      steps: [
        1: {
          $0.drop = [SchemaPath("A", "e")]
          $0.repair = repair
        }
      ])

    let rows = try paths.rows(
      "SELECT n FROM E ORDER BY _row",
      after: "INSERT INTO E(_row, n) VALUES (1, 200), (2, 1), (3, 300), (4, 2)",
      "INSERT INTO A(_row, e) VALUES (5, 1), (6, 4)",
      "INSERT INTO \"A.es\"(_owner, _index, value) VALUES (5, 1, 2), (5, 2, 3)")

    #expect(rows == [[.integer(1)], [.integer(300)]])
  }

  /// `B.kept` has its turn before `C.has`.
  @Test func aRepairSeesWhatAnotherHasLeft() throws {
    let newer = [
      Self.ball([Self.rule("kept", "n >= 0")]), Self.cup([Self.rule("has", "thing != nil")]),
    ]
    let repairs = [
      SchemaPath("B", "kept"): Repair(delete: try Self.query("n < 0")),
      SchemaPath("C", "has"): Repair(set: ["thing": try Self.query("'repaired'")]),
    ]
    let paths = try EveryPath(
      [[Self.ball(), Self.cup()], newer, newer + [Self.other]],
      steps: [1: { $0.repair = repairs }])

    let rows = try paths.rows(
      Self.things, after: "INSERT INTO B(_row, n) VALUES (1, -1), (2, 1)",
      "INSERT INTO C(_row, thing) VALUES (3, \(Self.link("B", 1))), (4, \(Self.link("B", 2)))")

    #expect(rows == [[.text("repaired")], [.text("09000000000000000242")]])
  }

  /// Those that stay get values that are worked out when the others are gone.
  @Test func aValueSeesWhatItsOwnRepairHasDeleted() throws {
    func person(_ rules: [ModelRule]) -> Model {
      Model(
        name: "P",
        properties: [.required("n", .int), .required("role", .string), .optional("thing", .any)],
        rules: rules)
    }
    let newer = [person([Self.rule("kept", "n >= 0")])]
    let repair = Self.repair(
      "P", "kept",
      Repair(
        delete: try Self.query("n < -5"),
        set: ["n": try Self.query("0"), "role": try Self.query("if(thing == nil, 'alone', 'led')")]
      ))
    let paths = try EveryPath(
      [[person([])], newer, newer + [Self.other]], steps: [1: { $0.repair = repair }])

    let rows = try paths.rows(
      "SELECT _row, role FROM P ORDER BY _row",
      after:
        "INSERT INTO P(_row, n, role, thing) VALUES (1, -1, '', \(Self.link("P", 2))), (2, -9, '', NULL), (3, -1, '', \(Self.link("P", 1)))"
    )

    #expect(rows == [[.integer(1), .text("alone")], [.integer(3), .text("led")]])
  }
}
