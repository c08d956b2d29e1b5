import Foundation
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What a downgrade has left that was killed when the file was taken back already. It is in nothing's way, and goes with what is done next.
@Suite struct RecoveryTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }
  let target = PeopleHistory.target
  let (old, file): (String, String)
  let older: Digest?

  init() throws {
    downs = try DowngradeBench()
    (old, file) = try downs.files(target)
    try downs.downgrade(file, old, target)
    older = try digest(file, target)
    // The lock's own file, the old one upgraded anew, its copy, and what that is upgraded into.
    for name in [
      "", "-base", "-down", "-down-strata-upgrade-base", "-base-strata-upgrade-1", "-1-journal",
      "-new-wal",
    ] {
      try POSIXFiles().write(
        name.isEmpty ? [] : Array("half".utf8), to: file + AsideFile.suffix + name,
        permissions: 0o600)
    }
  }

  private var left: [String] {
    get throws { try bench.names().filter { $0.contains(AsideFile.suffix) } }
  }

  @Test func inspectingReadsAndChangesNothing() throws {
    let before = try bench.contents()
    let found = try FileInspector().inspect(file, target: target, digest: true)
    #expect(found.version == 0 && found.dataDigest == older && found.problem == nil)
    #expect(try bench.contents() == before)
  }

  @Test func openingTidies() throws {
    try Store(path: file).close()
    #expect(try left.isEmpty)
    #expect(try digest(file, target) == older)
  }

  @Test func whatAUserCallsAlikeStays() throws {
    let own = [
      "", "-notes.txt", "-copyright", "d", ".db", "-1st", "-2024-11-02", "-20241102", "-2024",
      "-01",
      "-1.bak",
      "-copy.db", "-new-notes", "-1-wal.txt", "-base-strata-upgrade-mine",
    ]
    for name in own {
      try POSIXFiles().write(
        Array("mine".utf8), to: file + AsideFile.suffix + name, permissions: 0o600)
    }
    try Store(path: file).close()
    try upgrade(file, target)
    #expect(try left.count == own.count)
    for name in own {
      #expect(
        try POSIXFiles().read(file + AsideFile.suffix + name, from: 0, count: 9)
          == Array("mine".utf8))
    }
  }

  @Test func openingToReadLeavesThem() throws {
    let count = try left.count
    let configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: file), readOnly: true)
    try Store(configuration: configuration).close()
    #expect(try left.count == count)
  }

  /// Another process is at work: what stands there is its own.
  @Test func openingLeavesWhatAnotherProcessWrites() throws {
    let files = POSIXFiles()
    let lock = try #require(
      try AsideFile.lockNames(beside: files.realPath(of: file), waiting: 0, files: files))
    let count = try left.count
    try Store(path: file).close()
    #expect(try left.count == count)
    lock.release()
  }

  @Test func takingBackAgainTidies() throws {
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(file, old, target) }
    #expect(error?.kind == .cannotGoBack)
    #expect(try left.isEmpty)
  }

  @Test func takingBackAgainWithoutTheOldFileTidies() throws {
    let error = #expect(throws: MigrationError.self) {
      try Downgrade.keptFile(of: file, target, isDryRun: true)
    }
    #expect(error?.kind == .cannotGoBack)
    #expect(try !left.isEmpty, "a dry run changes nothing")
    #expect(throws: MigrationError.self) { try Downgrade.keptFile(of: file, target) }
    #expect(try left.isEmpty)
  }

  @Test(arguments: [0, 5]) func upgradingTidies(version: Int) throws {
    try upgrade(file, target, to: version)
    #expect(try left.isEmpty)
    #expect(try FileInspector().stored(at: file).version == version)
  }
}
