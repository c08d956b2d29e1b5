import Foundation
import Strata
import Testing

/// Random programs on two stores of one file: after each operation both show what a model in memory shows, that knows the
/// pages and nothing of the store.
///
/// `STRATA_LONG_TESTS=1` runs a hundred times as many; `STRATA_SEEDS=5000..<6000` names them.
@Suite struct RandomProgramTests {
  static let seeds: Range<Int> = {
    let environment = ProcessInfo.processInfo.environment
    let bounds = (environment["STRATA_SEEDS"] ?? "").components(separatedBy: "..<")
    if bounds.count == 2, let first = Int(bounds[0]), let end = Int(bounds[1]), first < end {
      return first..<end
    }
    return 0..<(environment["STRATA_LONG_TESTS"] == nil ? 12 : 1_200)
  }()

  /// Where a program fails and how, nil when it does not.
  private static func failure(_ steps: [ProgramStep]) -> (step: Int, problem: String)? {
    var done = 0
    do {
      let run = try ProgramRun()
      for step in steps {
        try run.perform(step)
        done += 1
      }
      return nil
    } catch {
      return (done, "\(error)")
    }
  }

  /// The failing part without the steps that it does not need; runs it 400 times at most.
  private static func smallest(_ steps: [ProgramStep]) -> [ProgramStep] {
    var (steps, runs, size) = (steps, 0, steps.count / 2)
    while size > 0 {
      var start = 0
      while start < steps.count, runs < 400 {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + size, steps.count))
        runs += 1
        if let (step, _) = failure(fewer) {
          steps = Array(fewer.prefix(step + 1))
        } else {
          start += size
        }
      }
      size /= 2
    }
    return steps
  }

  @Test(arguments: seeds) func bothStoresShowWhatTheModelShows(seed: Int) {
    var generator = ProgramGenerator(seed: seed)
    let steps = generator.program()
    guard let (step, problem) = Self.failure(steps) else { return }
    let small = Self.smallest(Array(steps.prefix(step + 1)))
    let lines = small.map { "  \($0)" }.joined(separator: "\n")
    let shown = Self.failure(small)?.problem ?? problem
    Issue.record("seed \(seed), step \(step): \(problem)\n\(lines)\n  \(shown)")
  }

  /// That a store which is not what the model is would be found.
  @Test func aDifferenceIsFound() throws {
    let run = try ProgramRun()
    let write = ProgramOperation.Write(
      property: 0, change: .append, value: 1, object: 0, isNew: false, key: "k")
    try run.perform(ProgramStep(store: 0, operation: .begin))
    try run.perform(ProgramStep(store: 0, operation: .add("Dog", [write], policy: 0)))
    let row = try #require(run.memories[0].rows(of: "Dog").first)
    run.memories[0].things[row]?.slots["age"] = .one(.int(1))
    #expect(throws: Difference.self) {
      try run.perform(ProgramStep(store: 0, operation: .commit))
    }
  }
}
