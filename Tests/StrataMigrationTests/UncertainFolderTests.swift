import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The last call of a run makes its folder durable, so that the new name survives a loss of power. Some file systems cannot do that,
/// and a disk may fail at it.
@Suite struct UncertainFolderTests {
  private let bench: Workbench
  private let path: String
  private let target = PeopleHistory.target

  init() throws {
    bench = try Workbench()
    path = try bench.sample("x.db", version: 0, of: target, objects: 40)
  }

  private static func files(failing number: Int32) -> FaultyFiles {
    let files = FaultyFiles()
    files.folderFailure = number
    return files
  }

  private func rekey(_ files: FaultyFiles) throws {
    _ = try Rekeying(path: path, from: nil, to: nil, checksums: true, files: files).run()
  }

  /// Everything that gives a new file its name, and the name.
  private func makers() throws -> [(name: String, make: (FaultyFiles) throws -> Void)] {
    let new = try bench.sample("new.db", version: 0, of: target, objects: 40)
    try upgrade(new, target)
    func output(_ files: FaultyFiles) throws {
      var options = Upgrade.Options()
      options.output = bench.path("output.db")
      try Upgrade(path: path, target: target, options: options, files: files).run()
    }
    func copy(_ files: FaultyFiles) throws {
      var options = Upgrade.Options()
      options.output = bench.path("copy.db")
      try Upgrade(path: new, target: target, options: options, files: files).run()
    }
    func backup(_ files: FaultyFiles) throws {
      var options = Upgrade.Options()
      options.output = bench.path("other.db")
      options.backup = bench.path("backup.db")
      try Upgrade(path: path, target: target, options: options, files: files).run()
    }
    func older(_ files: FaultyFiles) throws {
      var options = Downgrade.Options()
      options.output = bench.path("older.db")
      try Downgrade(path: new, from: path, target: target, options: options, files: files).run()
    }
    func saved(_ files: FaultyFiles) throws {
      _ = try Salvage(path: path, output: bench.path("saved.db"), files: files).run()
    }
    return [
      ("output.db", output), ("copy.db", copy), ("backup.db", backup), ("older.db", older),
      ("saved.db", saved),
    ]
  }

  @Test(arguments: [EINVAL, ENOTSUP])
  func aFileSystemThatCannotIsNoFailure(number: Int32) throws {
    for (name, make) in try makers() {
      try make(Self.files(failing: number))
      #expect(try POSIXFiles().exists(bench.path(name)), "\(name)")
    }
    try rekey(Self.files(failing: number))
    #expect(Database.firstBytes(of: path, count: 21)?[20] == 8)
  }

  @Test func aNewFileIsTakenAwayWhereItsNameIsNotCertain() throws {
    for (name, make) in try makers() {
      let before = try bench.contents()
      let error = #expect(throws: MigrationError.self, "\(name)") {
        try make(Self.files(failing: EIO))
      }
      #expect(error?.kind == .inputOutput, "\(name)")
      #expect(try bench.contents() == before, "\(name)")
    }
  }

  /// The old file is gone by then.
  @Test func aFileThatIsWrittenAnewIsSaidToBe() throws {
    let before = try digest(path, target)

    let error = #expect(throws: MigrationError.self) { try rekey(Self.files(failing: EIO)) }

    #expect(Database.firstBytes(of: path, count: 21)?[20] == 8)
    #expect(try digest(path, target) == before)
    #expect(
      error?.description.contains(
        "x.db was written anew. That it stays so after a loss of power is not certain") == true,
      "\(error?.description ?? "")")
  }
}
