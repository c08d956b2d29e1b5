import Foundation
import StrataExpression
import StrataHistory
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// Chains of steps and blocks made by chance: every path has to give the same data, and to refuse the same.
@Suite struct GeneratedChainsTests {
  /// Objects of each model; what they own comes on top.
  private static let objects = 14

  /// More of them: `STRATA_GENERATED_CHAINS=5000 swift test --filter GeneratedChainsTests`, and others:
  /// `STRATA_GENERATED_CHAINS=5000..<10000`. Each number is a seed.
  private static let seeds: Range<Int> = {
    let text = ProcessInfo.processInfo.environment["STRATA_GENERATED_CHAINS"] ?? "12"
    let bounds = text.split(separator: "..<").compactMap { Int($0) }
    guard let last = bounds.last else { return 0..<0 }
    return (bounds.count > 1 ? min(bounds[0], last) : 0)..<last
  }()

  @Test(arguments: [0, 1, 2, 3])
  func everyPathGivesTheSame(_ part: Int) throws {
    for seed in Self.seeds where seed % 4 == part {
      var chain = GeneratedChain(seed: UInt64(seed))
      let target = chain.target()
      var proof = MigrationProof(target: target, seed: UInt64(seed))
      proof.objectsPerModel = Self.objects
      proof.crowd = 0
      let report = try proof.run()
      let steps = target.history.versions.compactMap { $0.step?.json.canonicalText }
      #expect(report.isProven, "chain \(seed): \(report)\n\(steps.joined(separator: "\n"))")
    }
  }
}
