import Foundation
import StrataExpression
import StrataHistory
import StrataSchema
import Synchronization
import Testing

@testable import Strata
@testable import StrataTesting

/// Good blocks that were made wrong in one way each: a proof has to find each of them, at its step, on few objects.
@Suite struct ProofMutationTests {
  /// What a block does to one object; made anew for each proof.
  struct Mutation: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let property: String
    /// Whether no chance makes the first step's results equal.
    let isAlwaysAnother: Bool
    let body: @Sendable () -> @Sendable (PersonBefore, PersonAfter) throws -> Void

    init(
      _ name: String, _ property: String, isAlwaysAnother: Bool = true,
      _ body: @escaping @Sendable () -> @Sendable (PersonBefore, PersonAfter) throws -> Void
    ) {
      testDescription = name
      self.property = property
      self.isAlwaysAnother = isAlwaysAnother
      self.body = body
    }
  }

  static let mutations: [Mutation] = [
    Mutation("a set of names seen in any run", "fullName") {
      let seen = Remembered<Set<String>>([])
      return { old, new in
        let isFirst = seen.value.withLock { $0.insert(old.firstName).inserted }
        new.fullName = isFirst ? "first" : "later"
      }
    },
    Mutation("the highest number of any run", "age") {
      let highest = Remembered(0)
      return { old, new in
        new.age = highest.value.withLock { value in
          value = max(value, old.age)
          return value
        }
      }
    },
    Mutation("each thousandth object", "age") {
      let count = Remembered(0)
      return { old, new in
        let number = count.value.withLock { value in
          value += 1
          return value
        }
        if number % 1000 == 0 { new.age = -1 }
      }
    },
    Mutation("chance for one letter", "age") {
      { old, new in if old.firstName == "ß" { new.age = .random(in: 0...Int.max) } }
    },
    Mutation("chance for the highest number", "fullName") {
      { old, new in if old.age == .max { new.fullName = UUID().uuidString } }
    },
    Mutation("chance for a number of 32 bits", "fullName") {
      { old, new in if old.age == 2_147_483_647 { new.fullName = UUID().uuidString } }
    },
    Mutation("chance where two properties are the same", "age") {
      { old, new in if old.firstName == old.lastName { new.age = .random(in: 0...Int.max) } }
    },
    Mutation("chance where everything is empty", "age") {
      { old, new in
        if old.age == 0, old.firstName.isEmpty, old.lastName.isEmpty {
          new.age = .random(in: 0...Int.max)
        }
      }
    },
    Mutation("chance for long texts", "age") {
      { old, new in if old.firstName.utf8.count > 10_000 { new.age = .random(in: 0...Int.max) } }
    },
    // Two dictionaries at the same address have the same order: it may show behind the step alone.
    Mutation("the order of a dictionary", "fullName", isAlwaysAnother: false) {
      { old, new in
        let letters = Dictionary(uniqueKeysWithValues: (0..<26).map { ($0, old.age) })
        new.fullName = letters.keys.map(String.init).joined(separator: " ")
      }
    },
    Mutation("a clock", "fullName") {
      { _, new in new.fullName = "\(ContinuousClock().now)" }
    },
    Mutation("the clock's second", "age") {
      { _, new in new.age = Int(Date().timeIntervalSince1970) }
    },
  ]

  @Test(arguments: mutations)
  func isFound(_ mutation: Mutation) throws {
    let body = mutation.body()
    let report = try Self.prove(
      Step(to: 1) { step in
        try step.each(PersonBefore.self, PersonAfter.self) { old, new in
          new.fullName = "\(old.firstName) \(old.lastName)"
          try body(old, new)
        }
      })
    let failure = try #require(report.failures.first)
    #expect(failure.object.hasPrefix("Person #"))
    #expect(failure.property == mutation.property)
    #expect(failure.step == 1 || !mutation.isAlwaysAnother)
    #expect(report.description.contains("(seed 0)"))
  }

  /// On all paths upwards it is the same second; it goes on while the file is on its way back.
  @Test func aClockThatGoesOnBehindAllPaths() throws {
    let calls = Remembered((path: "", ofPath: 0, objects: 0, second: 0))
    var proof = MigrationProof(
      target: Self.target(
        Step(to: 1) { step in
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            new.fullName = "\(old.firstName) \(old.lastName)"
            new.age = calls.value.withLock { calls in
              calls.ofPath += 1
              // Behind the last path, and the upgrade from which the way back begins.
              if calls.path.hasSuffix("backwards"), calls.ofPath > 2 * calls.objects {
                calls.second = 1
              }
              return calls.second
            }
          }
        }), seed: 0)
    proof.progress = { label, _ in
      calls.value.withLock { calls in
        if calls.path.hasSuffix("run again") { calls.objects = calls.ofPath }
        (calls.path, calls.ofPath) = (label, 0)
      }
    }
    let failure = try #require(try proof.run().failures.first)
    #expect(failure.object.hasPrefix("Person #"))
    #expect(failure.property == "age")
    #expect(failure.step == 1)
    #expect(failure.path == "0 → 1 → 2, run again")
  }

  /// A counter that is only wrong between objects needs two of them, and no value of theirs.
  @Test func theSmallestDataIsShown() throws {
    let report = try Self.prove(
      Step(to: 1) { step in
        var names: Set<String> = []
        try step.each(PersonBefore.self, PersonAfter.self) { old, new in
          new.fullName = names.insert(old.firstName).inserted ? "first" : "again"
        }
      })
    let lines = try #require(report.failures.first).explanation.split(separator: "\n")
    let objects = lines.filter { $0.contains("Person #") }
    #expect(objects.count == 2, "\(report)")
    #expect(objects.allSatisfy { $0.hasSuffix(#"{ age: 0, firstName: "", lastName: "" }"#) })
  }

  // MARK: - Another process

  /// Stands for the time zone, the language, the folder, the seed of hashes.
  @Test func whatIsAnotherOneInAnotherProcess() throws {
    let place = Remembered("here")
    var proof = MigrationProof(
      target: Self.target(
        Step(to: 1) { step in
          let name = place.value.withLock { $0 }
          try step.each(PersonBefore.self, PersonAfter.self) { _, new in new.fullName = name }
        }), seed: 0)
    proof.otherProcess = { upgrade, target in
      place.value.withLock { $0 = "elsewhere" }
      defer { place.value.withLock { $0 = "here" } }
      try upgrade.run(target)
    }
    let failure = try #require(try proof.run().failures.first)
    #expect(failure.path == "0 → 1 → 2, in another process")
    #expect(failure.property == "fullName")
    #expect(failure.step == 1)
    #expect(failure.explanation.contains(#"this path:    "elsewhere""#))
  }

  // MARK: - Blocks that do not return

  /// As a command's worker tells it: the process is gone.
  @Test func aBlockThatTraps() throws {
    struct Trap: Error {}
    var proof = MigrationProof(
      target: Self.target(
        Step(to: 1) { step in
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            new.fullName = old.lastName
            if old.age == .max { throw Trap() }
          }
        }), seed: 0)
    proof.engine = { upgrade, target in
      do {
        try upgrade.run(target)
      } catch let error as MigrationError where error.kind == .blockFailed {
        var crash = ProofCrash("signal 4, Illegal instruction; Fatal error: overflow")
        crash.version = error.version
        crash.model = error.model
        crash.identity = error.identity
        throw crash
      }
    }
    let failure = try #require(try proof.run().failures.first)
    #expect(failure.object.hasPrefix("Person #"))
    #expect(failure.step == 1)
    #expect(failure.code == "STR5202")
    #expect(failure.explanation.contains("the block ends the process: signal 4"))
    let objects = failure.explanation.split(separator: "\n").filter { $0.contains("Person #") }
    #expect(objects.count == 1)
    #expect(objects[0].hasSuffix(#"{ age: 9223372036854775807, firstName: "", lastName: "" }"#))
  }

  /// That is pure, and users with such an object could not upgrade: it is told, and no failure.
  @Test func aBlockThatThrowsForRareValues() throws {
    struct NoName: Error {}
    let notes = Remembered<[String]>([])
    var proof = MigrationProof(
      target: Self.target(
        Step(to: 1) { step in
          try step.each(PersonBefore.self, PersonAfter.self) { old, new in
            if old.firstName == "ß" { throw NoName() }
            new.fullName = old.lastName
          }
        }), seed: 0)
    proof.note = { note in notes.value.withLock { $0.append(note) } }
    #expect(try proof.run().isProven)
    let told = notes.value.withLock { $0 }
    #expect(told.contains { $0.contains("NoName") && $0.contains("version 1, Person") }, "\(told)")
  }

  // MARK: - What is proven

  private static func prove(_ block: Step) throws -> MigrationProofReport {
    try MigrationProof(target: target(block), seed: 0).run()
  }

  private static func target(_ block: Step) -> UpgradeTarget {
    let history = History(
      name: "People", versions: PeopleHistory.history.versions.filter { $0.number < 3 })
    return UpgradeTarget(history: history, steps: [block])
  }
}

/// What a block keeps from one object, and one run, to the next.
private final class Remembered<Value: Sendable>: Sendable {
  let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }
}
