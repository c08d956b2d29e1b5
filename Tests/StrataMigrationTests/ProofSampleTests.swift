import StrataFiles
import StrataSQLite
import Testing

@testable import Strata
@testable import StrataTesting

/// Samples of a proof whose pages have checksums.
@Suite struct ProofSampleTests {
  private let bench: Workbench
  private let sample: String

  init() throws {
    bench = try Workbench()
    sample = try bench.sample(version: 0, of: PeopleHistory.target, objects: 100)
  }

  private func prove() throws -> MigrationProofReport {
    try MigrationProof(
      target: PeopleHistory.target, seed: 42, samples: FilePaths.folder(of: sample)
    ).run()
  }

  private func addChecksums() throws {
    _ = try Rekeying(path: sample, from: nil, to: nil, checksums: true).run()
  }

  @Test func oneWithChecksumsIsUpgradedLikeAnyOther() throws {
    let plain = try prove()
    try addChecksums()
    let before = try bench.contents()

    let report = try prove()

    #expect(report.isProven, "\(report)")
    #expect(report.objects == plain.objects)
    #expect(report.leftOut.isEmpty)
    #expect(try bench.contents() == before)
  }

  /// The damage is the sample's own, and so is the name.
  @Test func aDamagedOneIsNamed() throws {
    try addChecksums()
    var bytes = try POSIXFiles().read(sample, from: 0, count: 1 << 20)
    for offset in stride(from: 4096 + 2000, to: bytes.count, by: 4096) { bytes[offset] ^= 1 }
    try POSIXFiles().write(bytes, to: sample, permissions: 0o600)

    #expect {
      try prove()
    } throws: { error in
      "\(error)".contains(sample + " is damaged")
    }
  }

  @Test func aFolderThatIsNotThereIsToldBeforeAnythingIsProven() throws {
    let missing = bench.path("none")
    var proof = MigrationProof(target: PeopleHistory.target, seed: 42, samples: missing)
    proof.progress = { path, _ in Issue.record("\(path) was proven before.") }

    #expect {
      try proof.run()
    } throws: { error in
      "\(error)".hasPrefix("The samples in \(missing) cannot be listed: ")
    }
  }
}
