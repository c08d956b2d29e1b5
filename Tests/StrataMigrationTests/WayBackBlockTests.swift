import StrataHistory
import StrataSQLite
import StrataSchema
import Synchronization
import Testing

@testable import Strata

/// What a block says with `step.back` is heard, or refused.
@Suite struct WayBackBlockTests {
  let downs: DowngradeBench

  init() throws { downs = try DowngradeBench() }

  private func target(_ body: @escaping @Sendable (StepContext) -> Void) -> UpgradeTarget {
    UpgradeTarget(
      history: PeopleHistory.history,
      steps: [
        Step(to: 1) { step in
          body(step)
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            new.fullName = "\(old.firstName) \(old.lastName)"
          }
        }
      ])
  }

  private func refusal(of target: UpgradeTarget) throws -> MigrationError? {
    let (old, new) = try downs.files(target)
    let before = try downs.bench.bytes(new)
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(try downs.bench.bytes(new) == before)
    return error
  }

  @Test func aSecondBackOfAModelIsRefused() throws {
    let error = try refusal(
      of: target { step in
        step.back(PersonAfter.self, PersonBefore.self) { new, old in old.firstName = new.fullName }
        step.back(PersonAfter.self, PersonBefore.self) { new, old in old.lastName = new.fullName }
      })
    #expect(error?.kind == .brokenHistory)
    #expect(
      error?.description.contains("The block of version 1 says `step.back` twice for Person")
        == true,
      "\(error?.description ?? "")")
  }

  private struct Human: FrozenObject {
    static let modelName = "Human"
    static let version = 0
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
  }

  @Test func aBackOfModelsThatAreNoPairIsRefused() throws {
    let error = try refusal(
      of: target { step in step.back(PersonAfter.self, Human.self) { _, _ in } })
    #expect(error?.kind == .brokenHistory)
    #expect(
      error?.description.contains(
        "takes Person back to Human with `step.back`, but Person does not continue Human there")
        == true, "\(error?.description ?? "")")
  }

  private struct NoteBefore: FrozenObject {
    static let modelName = "Note"
    static let version = 0
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
    var subject: AnyValue {
      get { _row.value(0) }
      nonmutating set { _row.setValue(0, newValue) }
    }
    var subjects: FrozenList<AnyValue> { _row.list(1) }
  }

  private struct NoteAfter: FrozenObject {
    static let modelName = "Note"
    static let version = 1
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
    var about: AnyValue {
      get { _row.value(0) }
      nonmutating set { _row.setValue(0, newValue) }
    }
    var abouts: FrozenList<AnyValue> { _row.list(1) }
  }

  /// An object in a property of type `any` says its model, which has another name in the older version.
  @Test func anObjectInAnyGoesBackByItsOldName() throws {
    func note(_ value: String, _ list: String) -> Model {
      Model(
        name: "Note",
        properties: [
          .optional(value, .any), Property(name: list, type: .list(ValueType(.scalar(.any)))),
        ])
    }
    let name = Property.required("name", .string)
    let target = downs.target(
      [Model(name: "Human", properties: [name]), note("subject", "subjects")],
      [note("about", "abouts"), Model(name: "Person", properties: [name])],
      [
        Step(to: 1) { step in
          step.back(NoteAfter.self, NoteBefore.self) { new, old in
            old.subject = new.about
            old.subjects.replaceAll(with: new.abouts)
          }
          try step.each(NoteBefore.self, NoteAfter.self) { old, new in
            new.about = old.subject
            new.abouts.replaceAll(with: old.subjects)
          }
        }
      ]
    ) {
      $0.renames.models = ["Human": "Person"]
      $0.drop = [SchemaPath("Note", "subject"), SchemaPath("Note", "subjects")]
      $0.swiftModels = ["Note"]
    }
    let bench = downs.bench
    let old = try bench.sample("old.db", version: 0, of: target, objects: 0)
    try bench.sql(old, "INSERT INTO Human (_row, name) VALUES (1, 'Ada'), (2, 'Bob')")
    try bench.sql(
      old, "INSERT INTO Note (_row, subject) VALUES (3, x'09000000000000000148756d616e')")
    try bench.sql(old, "UPDATE _strata SET value = 4 WHERE key = 'nextRow'")
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    let bob = "x'090000000000000002506572736f6e'"
    try bench.sql(new, "UPDATE Note SET about = \(bob)")
    try bench.sql(
      new, "INSERT INTO \"Note.abouts\" (_owner, _index, value) VALUES (3, 1, \(bob))")

    let report = try downs.downgrade(new, old, target)

    #expect(report.isLossless, "\(report)")
    let found = try bench.sql(
      new, "SELECT hex(subject), hex(value) FROM Note JOIN \"Note.subjects\" ON _owner = Note._row")
    let text = "09000000000000000248756D616E"
    #expect(found == [[.text(text), .text(text)]])
  }

  /// Counts those that are in memory.
  private final class Token: Sendable {
    final class Count: Sendable {
      let value = Mutex(0)
    }

    private let count: Count

    init(_ count: Count) {
      self.count = count
      count.value.withLock { $0 += 1 }
    }

    deinit { count.value.withLock { $0 -= 1 } }
  }

  /// A body may hold the step that holds the body.
  @Test func aBodyThatUsesItsStepIsNotKept() throws {
    let count = Token.Count()
    let target = self.target { step in
      let token = Token(count)
      step.back(PersonAfter.self, PersonBefore.self) { new, old in
        withExtendedLifetime((token, step)) { old.firstName = new.fullName }
      }
    }
    let (old, new) = try downs.files(target)
    try downs.downgrade(new, old, target)
    #expect(count.value.withLock { $0 } == 0)
  }
}
