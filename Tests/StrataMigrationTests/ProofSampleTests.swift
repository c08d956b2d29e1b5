import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
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

  /// The file that goes the paths is made anew of the objects.
  @Test(arguments: [(0, 12), (3, 0), (150, 0)])
  func damageThatSparesObjectsIsNoReasonToGiveUp(pages: Int, bytes: Int) throws {
    let plain = try prove()
    try bench.addUnused(pages: pages, bytes: bytes, to: sample)

    let report = try prove()

    #expect(report.isProven, "\(report)")
    #expect(report.objects == plain.objects)
    #expect(report.leftOut.isEmpty)
  }

  /// Upgrades that look at single objects leave such objects out, and others keep them: that is no fault of a step.
  @Test(
    arguments: [
      "INSERT INTO Place (_row, name) VALUES (900000, 'nowhere')",
      // `any` holds an object's number and the name of its model.
      "UPDATE Person SET thing = X'0900000000000DBBA0506572736F6E'",
    ])
  func oneThatUpgradesMakeDifferentThingsOfIsNamed(damage: String) throws {
    let place = Model(name: "Place", isEmbedded: true, properties: [.required("name", .string)])
    func person(_ more: [Property]) -> Model {
      Model(
        name: "Person",
        properties: [.required("thing", .any), .link("place", to: "Place")] + more)
    }
    let target = UpgradeTarget(
      history: .chained(
        "Places",
        [
          (
            "2026-01-01",
            Schema(name: "Places", version: 0, models: [person([]), place]), nil
          ),
          (
            "2026-02-01",
            Schema(
              name: "Places", version: 1, models: [person([.optional("age", .int)]), place]), nil
          ),
        ]), steps: [])
    let sample = try bench.sample("places.db", version: 0, of: target, objects: 10)
    try bench.sql(sample, damage)

    #expect {
      try MigrationProof(target: target, seed: 42, samples: FilePaths.folder(of: sample)).run()
    } throws: { error in
      "\(error)".hasPrefix(
        sample + " is damaged, so that not all of its objects can be read, or paths")
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
