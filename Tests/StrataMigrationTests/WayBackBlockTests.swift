import StrataHistory
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
