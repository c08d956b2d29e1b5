import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What an upgrade says of objects that have the same values in a key: which they are, and what helps.
@Suite struct DuplicateValueTests {
  private let bench: Workbench

  init() throws { bench = try Workbench() }

  /// The sentence of an upgrade from version 0 to 1 that has to find duplicates, and leaves the file.
  private func sentence(
    from older: [Model], to newer: [Model], step: MigrationStep, blocks: [Step] = [],
    after statements: String...
  ) throws -> String {
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: older), nil),
          ("2026-02-01", Schema(name: "Test", version: 1, models: newer), step),
        ]),
      steps: blocks)
    let path = try bench.sample(version: 0, of: target, objects: 0)
    for statement in statements { try bench.sql(path, statement) }
    let before = try bench.contents()

    let error = #expect(throws: MigrationError.self) { try upgrade(path, target) }

    #expect(error?.kind == .duplicateValue)
    #expect(try bench.contents() == before)
    return error?.description ?? ""
  }

  private static let numbered = Model(name: "Person", properties: [.required("n", .int)])
  private static let keyed = Model(
    name: "Person", primaryKey: ["n"], properties: [.required("n", .int)])

  @Test func aDuplicateUnderANewKeyIsNamed() throws {
    let older = Model(name: "Person", properties: [.required("email", .string)])
    var newer = older
    newer.primaryKey = ["email"]

    let sentence = try sentence(
      from: [older], to: [newer], step: step(1) { _ in },
      after: "INSERT INTO Person(_row, email) VALUES (1, 'a'), (2, 'b'), (3, 'a')")

    #expect(
      sentence
        == "2 Person objects have the same email (“a”), which version 1 requires to be unique; the first is _row 1, the last is _row 3. Add `deduplicate:` to the step to version 1, or change the values there."
    )
  }

  /// Equal ones became one before their values were set.
  @Test func aStepThatMakesValuesEqualIsNotToldToDeduplicate() throws {
    let sentence = try sentence(
      from: [Self.numbered], to: [Self.keyed],
      step: step(1) {
        $0.deduplicate = ["Person": Deduplication(properties: ["n"], keep: .first)]
        $0.set = ["Person": ["n": expression("old.n / 2")]]
      }, after: "INSERT INTO Person(_row, n) VALUES (1, 2), (2, 3)")

    #expect(sentence.contains("`deduplicate:` compares the values from before the step"))
    #expect(!sentence.contains("Add `deduplicate:`"))
  }

  /// `deduplicate:` sees the values from before: what the step itself makes equal is for it to tell apart.
  @Test(arguments: [false, true])
  func aStepThatSetsEqualValuesIsToldToSetOthers(hasBlock: Bool) throws {
    let looking = Step(to: 1) { step in _ = try step.requireWorkspace() }

    let sentence = try sentence(
      from: [Self.numbered], to: [Self.keyed],
      step: step(1) {
        $0.set = ["Person": ["n": expression("old.n / 2")]]
        if hasBlock { $0.swiftModels = ["Person"] }
      }, blocks: hasBlock ? [looking] : [],
      after: "INSERT INTO Person(_row, n) VALUES (1, 2), (2, 3), (3, 3)")

    #expect(
      sentence == """
        3 Person objects have the same n (1), which version 1 requires to be unique; the first is _row 1, the last is _row 3. \
        Give each object its own with `set:`\(hasBlock ? " or the block" : "") in the step to version 1: `deduplicate:` compares \
        the values from before the step.
        """)
  }

  /// A new key that begins as a default is the step's, too.
  @Test func aNewKeyWithADefaultIsToldToBeSet() throws {
    let newer = Model(
      name: "Person", primaryKey: ["k"],
      properties: [.required("k", .int, default: .int(0)), .required("n", .int)])

    let sentence = try sentence(
      from: [Self.numbered], to: [newer], step: step(1) { _ in },
      after: "INSERT INTO Person(_row, n) VALUES (1, 2), (2, 3)")

    #expect(
      sentence.hasSuffix(
        "Give each object its own with `set:` in the step to version 1: `deduplicate:` compares the values from before the step."
      ), "\(sentence)")
  }

  /// `deduplicate:` takes objects without a value for no duplicates, except of what becomes the primary key.
  @Test(arguments: [
    ("(1, NULL), (2, 'a'), (3, NULL)", "", false, true),
    ("(1, NULL), (2, 'a'), (3, '')", "", false, true),
    ("(1, NULL), (2, 'a'), (3, 'a')", "a", false, false),
    ("(1, NULL), (2, 'a'), (3, NULL)", "", true, true),
  ])
  func nilsThatBecomeTheDefaultAreToldToBeSet(
    objects: String, value: String, isPrimaryKey: Bool, isDefault: Bool
  ) throws {
    let older = Model(name: "Person", properties: [.optional("email", .string)])
    let newer = Model(
      name: "Person", primaryKey: isPrimaryKey ? ["email"] : [],
      uniques: isPrimaryKey ? [] : [["email"]],
      properties: [.required("email", .string, default: .string(""))])

    let sentence = try sentence(
      from: [older], to: [newer], step: step(1) { _ in },
      after: "INSERT INTO Person(_row, email) VALUES \(objects)")

    #expect(sentence.contains("2 Person objects have the same email (“\(value)”)"), "\(sentence)")
    let equal = isPrimaryKey ? "the same value, or none," : "the same value"
    let advice =
      isDefault
      ? "Nil becomes this default in the step to version 1: give each object its own there with `set:`, or add `deduplicate:` if they had \(equal) before."
      : "Add `deduplicate:` to the step to version 1, or change the values there."
    #expect(sentence.hasSuffix(advice), "\(sentence)")
  }

  /// A key that is copied may be what the block has made of it, or what it was.
  @Test(arguments: [true, false])
  func aBlockThatMakesValuesEqualIsToldToGiveOthers(worksWithModel: Bool) throws {
    let other = Model(name: "Other", properties: [.required("n", .int)])
    let making = Step(to: 1) { step in
      let workspace = try step.requireWorkspace()
      _ = try workspace.create("Person", version: 1) { $0["n"] = .int(2) }
    }

    let sentence = try sentence(
      from: [Self.numbered, other], to: [Self.keyed, other],
      step: step(1) { $0.swiftModels = [worksWithModel ? "Person" : "Other"] }, blocks: [making],
      after: "INSERT INTO Person(_row, n) VALUES (1, 2), (2, 3)",
      "UPDATE _strata SET value = 9 WHERE key = 'nextRow'")

    let advice =
      worksWithModel
      ? "Give each object its own in the block of the step to version 1, or add `deduplicate:` there if they were equal before: it compares the values from before the step."
      : "Add `deduplicate:` to the step to version 1, or change the values there."
    #expect(
      sentence
        == "2 Person objects have the same n (2), which version 1 requires to be unique; the first is _row 1, the last is _row 9. \(advice)"
    )
  }

  /// Those that differ in nothing but where a link leads agree as soon as the link leads to one object.
  @Test func aLinkToObjectsThatBecomeOneIsNotToldToDeduplicate() throws {
    let firm = Model(name: "Firm", properties: [.required("n", .string)])
    let person = Model(
      name: "Person", uniques: [["firm", "badge"]],
      properties: [.link("firm", to: "Firm"), .required("badge", .string)])

    let sentence = try sentence(
      from: [firm, person], to: [firm, person],
      step: step(1) {
        $0.deduplicate = ["Firm": Deduplication(properties: ["n"], keep: .first)]
      }, after: "INSERT INTO Firm(_row, n) VALUES (1, 'a'), (2, 'a')",
      "INSERT INTO Person(_row, firm, badge) VALUES (3, 1, 'x'), (4, 2, 'x')")

    #expect(sentence.contains("2 Person objects have the same firm, badge"))
    #expect(sentence.contains("`deduplicate:` compares the values from before the step"))
    #expect(!sentence.contains("Add `deduplicate:`"))
  }
}
