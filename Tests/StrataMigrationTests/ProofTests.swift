import Foundation
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Synchronization
import Testing

@testable import Strata
@testable import StrataTesting

/// What a proof finds, and what it does not complain of.
@Suite struct ProofTests {
  /// A seed for each test, so that a failure can be repeated.
  private let seed: UInt64 = 42

  private func prove(
    _ target: UpgradeTarget, engine: @escaping ProofBench.Engine = ProofBench.ownEngine,
    samples: String? = nil
  ) throws -> MigrationProofReport {
    var proof = MigrationProof(target: target, seed: seed, samples: samples)
    proof.engine = engine
    return try proof.run()
  }

  @Test func goodMigrationsAreProven() throws {
    let report = try prove(PeopleHistory.target)

    #expect(report.failures.isEmpty, "\(report)")
    #expect(report.versions == [0, 1, 2, 3, 4, 5])
    #expect(report.paths > 30)
    #expect(report.objects > 100)
    #expect(report.description.hasPrefix("PeopleMigrations: 6 versions, "))
    #expect(report.description.hasSuffix(": every path gives the same data. (seed 42)"))
  }

  @Test func aSeedMakesTheSameObjects() {
    for version in PeopleHistory.history.versions {
      let data = ProofGenerator.data(for: version.schema, seed: 3)
      #expect(data.objects == ProofGenerator.data(for: version.schema, seed: 3).objects)
      #expect(data.objects != ProofGenerator.data(for: version.schema, seed: 4).objects)
    }
  }

  @Test func whatNoObjectWasMadeOfIsTold() throws {
    func schema(_ version: Int, _ more: [Property] = []) -> Schema {
      let cat = Model(name: "Cat", properties: [.required("age", .int)])
      let dog = Model(
        name: "Dog", properties: [.required("age", .int)] + more,
        rules: [ModelRule(name: "never", condition: "age > age", sentence: nil)])
      return Schema(name: "Pets", version: version, models: [cat, dog])
    }
    let history = History.chained(
      "Pets",
      [
        ("2026-01-01", schema(0), nil),
        ("2026-02-01", schema(1, [.optional("name", .string)]), MigrationStep(to: 1)),
      ])
    let notes = Mutex<[String]>([])
    var proof = MigrationProof(target: UpgradeTarget(history: history), seed: seed)
    proof.note = { note in notes.withLock { $0.append(note) } }

    #expect(try proof.run().isProven)
    #expect(
      notes.withLock { $0 } == [
        "No Dog of version 0 could be generated that keeps the rules, so that none was upgraded from it. Files of your own (samples) bring some."
      ])
  }

  /// Values of type `any` have no foreign keys, and a link that denies a deletion stops none.
  @Test func nothingLinksToWhatARuleTakesOut() throws {
    var number = Property.required("n", .int)
    number.isUnique = true
    let cat = Model(
      name: "Cat", properties: [number],
      rules: [ModelRule(name: "late", condition: "n >= 10", sentence: nil)])
    let dog = Model(
      name: "Dog",
      properties: [
        .optional("thing", .any), .link("cat", to: "Cat", .deny),
        Property(name: "things", type: .list(ValueType(.scalar(.any)))),
        Property(name: "cats", type: .set(ValueType(.object("Cat"))), deleteRule: .deny),
      ])
    let schema = Schema(name: "Pets", version: 0, models: [cat, dog])
    let data = ProofGenerator.data(for: schema, seed: seed)

    let identities = Set(data.identities)
    let links = data.objects.flatMap { object in
      object.values.values.compactMap(\.link)
        + object.collections.values.joined().compactMap(\.value.link)
    }
    // Those numbered 0 to 9, and three with a negative number at an edge.
    #expect(data.objects.count { $0.model == "Cat" } == ProofGenerator.objectsPerModel - 13)
    #expect(links.filter { !identities.contains($0) } == [])
    #expect(!links.isEmpty)
  }

  // MARK: - Blocks that are not pure

  private func failure(of block: Step) throws -> MigrationProofReport.Failure? {
    let history = History(
      name: "People", versions: PeopleHistory.history.versions.filter { $0.number < 3 })
    let report = try prove(UpgradeTarget(history: history, steps: [block]))
    #expect(report.failures.count == 1)
    return report.failures.first
  }

  @Test func aBlockThatCountsDependsOnTheOrder() throws {
    let failure = try failure(
      of: Step(to: 1) { step in
        var count = 0
        try step.each(PersonBefore.self, PersonAfter.self) { _, new in
          count += 1
          new.fullName = "Person \(count)"
        }
      })
    #expect(failure?.object.hasPrefix("Person #") == true)
    #expect(failure?.property == "fullName")
    #expect(failure?.step == 1)
    #expect(failure?.path == "0 → 2, objects backwards")
    // Two objects have an order, one has none.
    let shown = failure?.explanation.split(separator: "\n").filter { $0.contains("Person #") }
    #expect(shown?.count == 2, "\(failure?.explanation ?? "")")
  }

  @Test func aBlockThatSaysItsWayBackTooLate() throws {
    let failure = try failure(
      of: Step(to: 1) { step in
        _ = Array(try step.objects(PersonBefore.self))
        step.back(PersonAfter.self, PersonBefore.self) { new, old in old.firstName = new.fullName }
        try step.each(PersonBefore.self, PersonAfter.self) { old, new in
          new.fullName = old.firstName
        }
      })
    #expect(failure?.object == "Person")
    #expect(failure?.step == 1)
    #expect(
      failure?.explanation
        == "  the block of version 1 says `step.back` of Person after it has looked at other objects, when it is not heard: say it before"
    )
  }

  /// Where mappings are collected their bodies are not run, so that what is said behind them is heard.
  @Test func aWayBackBehindAMappingThatLooksBeyondIsHeard() throws {
    let history = History(
      name: "People", versions: PeopleHistory.history.versions.filter { $0.number < 3 })
    let block = Step(to: 1) { step in
      try step.each(PersonBefore.self, PersonAfter.self) { old, new in
        let again = try step.counterpart(of: old, as: PersonAfter.self)
        new.fullName = "\(old.firstName) \(old.lastName) \(again == nil ? 0 : 1)"
      }
      step.back(PersonAfter.self, PersonBefore.self) { new, old in
        old.firstName = new.fullName
      }
    }
    let report = try prove(UpgradeTarget(history: history, steps: [block]))
    #expect(report.failures.isEmpty, "\(report)")
  }

  @Test func aWayBackThatIsAnotherTheNextTime() throws {
    let calls = Mutex(0)
    let failure = try failure(
      of: Step(to: 1) { step in
        step.back(PersonAfter.self, PersonBefore.self) { new, old in
          let number = calls.withLock { count in
            count += 1
            return count
          }
          old.firstName = "\(new.fullName) \(number)"
        }
        try step.each(PersonBefore.self, PersonAfter.self) { old, new in
          new.fullName = old.firstName
        }
      })
    #expect(failure?.property == "firstName")
    #expect(failure?.path.hasSuffix(", edited, run again") == true, "\(failure?.path ?? "")")
    #expect(
      failure?.explanation.hasPrefix("  what goes back is another when it is taken back again: ")
        == true)
  }

  /// As the command's other process does, and not the proof with it.
  @Test func aWayBackThatEndsItsProcess() throws {
    let report = try prove(PeopleHistory.target) { upgrade, target in
      guard upgrade.old == nil else {
        var crash = ProofCrash("exit status 0")
        (crash.version, crash.model, crash.identity) = (1, "Person", 7)
        throw crash
      }
      try upgrade.run(target)
    }
    let failure = try #require(report.failures.first)
    #expect(report.failures.count == 1)
    #expect(failure.object == "Person #7")
    #expect(failure.step == 1)
    #expect(failure.explanation == "  the block ends the process: exit status 0")
    #expect(failure.code == "STR5202")
  }

  /// Where nothing says of which model it comes, the file stands for it.
  @Test func aWayBackThatIsRefusedHasASubject() throws {
    let report = try prove(PeopleHistory.target) { upgrade, target in
      guard upgrade.old == nil else { throw MigrationError(.verificationFailed, "No.") }
      try upgrade.run(target)
    }
    let failure = try #require(report.failures.first)
    #expect(failure.object == "a file of version 0")
    #expect(failure.explanation == "  the way back is refused: No.")
    #expect(report.description.contains("\na file of version 0, step 5, path 0 → 5 → 0:\n"))
  }

  @Test func aBlockThatThrowsDice() throws {
    let failure = try failure(
      of: Step(to: 1) { step in
        try step.each(PersonBefore.self, PersonAfter.self) { old, new in
          new.fullName = old.firstName
          new.age = Int.random(in: 0...Int.max)
        }
      })
    #expect(failure?.property == "age")
    #expect(failure?.step == 1)
    #expect(failure?.path == "0 → 1 → 2, run again")
  }

  @Test func aBlockThatAsksTheClock() throws {
    let failure = try failure(
      of: Step(to: 1) { step in
        try step.each(PersonBefore.self, PersonAfter.self) { _, new in
          new.fullName = "since \(Date().timeIntervalSinceReferenceDate)"
        }
      })
    #expect(failure?.property == "fullName")
    #expect(failure?.step == 1)
  }

  @Test func aBlockThatRemembersEarlierRuns() throws {
    let counter = Mutex(0)
    let failure = try failure(
      of: Step(to: 1) { step in
        try step.each(PersonBefore.self, PersonAfter.self) { old, new in
          new.fullName = old.firstName
          new.age = counter.withLock { count in
            count += 1
            return count
          }
        }
      })
    #expect(failure?.property == "age")
    #expect(failure?.step == 1)
    #expect(failure?.path == "0 → 1 → 2, run again")
  }

  // MARK: - An engine that is wrong

  /// Compares the stored shape with the newest one, as if nothing had been between.
  private let skippingEngine: ProofBench.Engine = { upgrade, target in
    let stored = try FileInspector().stored(at: upgrade.file)
    let history = History(
      name: target.history.name,
      versions: target.history.versions.filter {
        $0.number == stored.version || $0.number == upgrade.options.target
      })
    try Upgrade(
      path: upgrade.file, target: UpgradeTarget(history: history), options: upgrade.options
    ).run()
  }

  private func history(_ properties: [[Property]]) -> UpgradeTarget {
    UpgradeTarget(
      history: .chained(
        "People",
        properties.enumerated().map { number, properties in
          (
            "2026-01-0\(number + 1)",
            Schema(
              name: "People", version: number,
              models: [Model(name: "Person", properties: properties)]), nil
          )
        }))
  }

  @Test func aPropertyThatIsResurrected() throws {
    let target = history([
      [.required("name", .string), .optional("email", .string)],
      [.required("name", .string)],
      [.required("name", .string), .optional("email", .string)],
    ])
    #expect(try prove(target).isProven)

    let failure = try prove(target, engine: skippingEngine).failures.first
    #expect(failure?.object.hasPrefix("Person #") == true)
    #expect(failure?.property == "email")
    #expect(failure?.path == "0 → 2")
    #expect(failure?.step == 2)
  }

  @Test func aDefaultThatChanged() throws {
    let target = history([
      [.required("name", .string)],
      [.required("name", .string), .required("mood", .string, default: .string("calm"))],
      [.required("name", .string), .required("mood", .string, default: .string("angry"))],
    ])
    #expect(try prove(target).isProven)

    let failure = try prove(target, engine: skippingEngine).failures.first
    #expect(failure?.property == "mood")
    #expect(failure?.path == "0 → 2")
    #expect(failure?.step == 2)
    #expect(failure?.explanation.contains("calm") == true)
  }

  // MARK: - What steps refuse

  @Test func whatEveryPathRefusesIsTakenOut() throws {
    let target = history([
      [.optional("name", .string), .required("age", .int)],
      [.required("name", .string), .required("age", .int)],
      [.required("name", .string), .required("age", .int), .optional("email", .string)],
    ])
    let report = try prove(target)
    #expect(report.isProven, "\(report)")
    #expect(report.paths > 10)
  }

  /// Two values are enough for one object each, and not for fifty.
  @Test func whatIsRefusedForItsNeighboursIsTakenOut() throws {
    let unique = Property(name: "flag", type: .value(ValueType(.scalar(.bool))), isUnique: true)
    var proof = MigrationProof(
      target: history([[.required("flag", .bool)], [unique], [unique, .optional("name", .string)]]),
      seed: seed)
    proof.objectsPerModel = 1
    proof.crowd = 50

    let report = try proof.run()

    #expect(report.isProven, "\(report)")
  }

  /// A key that a step makes the same for all: the proof does not take the objects out one by one.
  @Test func whatAllObjectsShareIsTakenOutSoon() throws {
    let key = Model(
      name: "A", primaryKey: ["key"],
      properties: [.required("key", .int), .optional("name", .string)])
    let older = Schema(name: "Test", version: 0, models: [key])
    let newer = Schema(
      name: "Test", version: 1,
      models: [Model(name: "A", primaryKey: ["key"], properties: [.required("key", .int)])])
    let upgrades = Mutex(0)
    var proof = MigrationProof(
      target: UpgradeTarget(
        history: .chained(
          "Test",
          [
            ("2026-01-01", older, nil),
            ("2026-02-01", newer, step(1) { $0.set = ["A": ["key": expression("7")]] }),
          ]), steps: []), seed: seed)
    proof.objectsPerModel = 60
    proof.crowd = 0
    proof.engine = { upgrade, target in
      upgrades.withLock { $0 += 1 }
      return try ProofBench.ownEngine(upgrade, target)
    }

    let report = try proof.run()

    #expect(report.isProven, "\(report)")
    #expect(upgrades.withLock { $0 } < 60, "\(upgrades.withLock { $0 })")
  }

  @Test func aStepThatRefusesEveryFileFails() throws {
    struct Never: Error {}
    let history = History(
      name: "People", versions: PeopleHistory.history.versions.filter { $0.number < 2 })
    let report = try prove(
      UpgradeTarget(history: history, steps: [Step(to: 1) { _ in throw Never() }]))
    #expect(report.failures.first?.step == 1)
    #expect(report.failures.first?.property == nil)
  }

  @Test func aMissingBlockIsToldWithTheThreeLines() {
    let error = #expect(throws: MigrationError.self) {
      try prove(UpgradeTarget(history: PeopleHistory.history))
    }
    #expect(error?.kind == .blockMissing)
    #expect(error?.description.contains("StrataCLI.main(migrations:") == true)
  }

  // MARK: - Samples

  @Test func samplesAreUpgradedAndStayAsTheyWere() throws {
    let bench = try Workbench()
    _ = try bench.sample("a.db", version: 0, of: PeopleHistory.target, objects: 30)
    _ = try bench.sample("b.db", version: 4, of: PeopleHistory.target, objects: 30)
    let before = try bench.contents()
    let folder = FilePaths.folder(of: bench.path("a.db"))

    let without = try prove(PeopleHistory.target)
    let report = try prove(PeopleHistory.target, samples: folder)

    #expect(report.isProven, "\(report)")
    #expect(report.objects == without.objects + 30 + 60)
    #expect(report.paths > without.paths)
    #expect(try bench.contents() == before)
  }

  /// What people write beside them is no sample.
  @Test func aSampleThatIsNoDatabaseOfThisHistoryIsToldOf() throws {
    let bench = try Workbench()
    let pointer = "version https://git-lfs.github.com/spec/v1\nsize 12345\n"
    for (name, text) in [("a.db", pointer), ("b.db", ""), ("README.md", "x"), (".keep", "")] {
      try POSIXFiles().write(Array(text.utf8), to: bench.path(name), permissions: 0o600)
    }

    let report = try prove(
      PeopleHistory.target, samples: FilePaths.folder(of: bench.path("a.db")))

    #expect(report.isProven)
    #expect(
      report.leftOut.count == 2 && report.leftOut.allSatisfy { $0.hasSuffix("It was left out.") })
    #expect(report.leftOut.first?.contains("a.db") == true)
    #expect(Set(report.notes).isSuperset(of: report.leftOut))
    #expect("\(MigrationProofError(report: report))".contains("\nnote: "))
  }
}
