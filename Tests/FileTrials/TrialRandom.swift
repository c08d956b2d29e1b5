import Strata

/// Numbers that follow from a seed and the number of a trial.
struct TrialRandom: RandomNumberGenerator {
  private var numbers: StepRandom

  init(_ seed: Int, _ number: Int) {
    numbers = StepRandom(seed: UInt64(truncatingIfNeeded: seed) << 32 ^ UInt64(number))
  }

  mutating func next() -> UInt64 { numbers.next() }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }
}
