import Testing

/// Short here; `scripts/fuzz` runs 200,000 inputs and more.
@Suite struct FuzzTests {
  @Test func mutatedTextsKeepThePromises() {
    for number in 0..<1_500 {
      if let problem = FuzzCheck.run(seed: 1, number: number) {
        Issue.record("\(problem)")
        return
      }
    }
  }
}
