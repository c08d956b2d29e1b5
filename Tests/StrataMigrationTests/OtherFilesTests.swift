import StrataSQLite
import Testing

@testable import Strata

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files and processes beside the one that is upgraded.
@Suite struct OtherFilesTests {
  let bench: Workbench
  let target = PeopleHistory.target

  init() throws { bench = try Workbench() }

  /// The four bytes of the header that say in which format definitions are, https://sqlite.org/fileformat2.html#schema_format_number.
  @Test func aFormatOfDefinitionsThatThereIsNotIsDamage() throws {
    let file = try bench.sample(version: 0, of: target, objects: 4)
    var content = try bench.bytes(file)
    content[47] = 5
    try POSIXFiles().write(content, to: file, permissions: 0o600)

    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target).run()
    }
    #expect(error?.kind == .fileDamaged, "\(error?.description ?? "")")
    #expect(try bench.bytes(file) == content)
  }

  /// A reader may stand on the old content for hours.
  @Test(arguments: [FaultWay.fused, .inPlace])
  func nobodyWaitsForAReader(way: FaultWay) throws {
    let file = try bench.sample(version: 0, of: way.source, objects: 40)
    let before = try digest(file, way.target)
    let reader = try Database(path: file, mode: .readWrite)
    defer { reader.close() }
    try reader.begin(.deferred)
    let count = try reader.firstValue("SELECT count(*) FROM sqlite_schema")
    let vfs = FaultVFS()
    vfs.arm(at: 0, .inputOutput)

    try Upgrade(path: file, target: way.target, vfs: vfs.name).run()

    #expect(vfs.sleeps == 0)
    #expect(try reader.firstValue("SELECT count(*) FROM sqlite_schema") == count)
    #expect(try digest(file, way.target) != before)
  }

  /// Without a log a reader keeps every writer out; it is not called one.
  @Test func aFileWithoutALogHasToBeAloneOnce() throws {
    let file = try bench.abandoned(.noLogMode)
    let reader = try Database(path: file, mode: .readWrite)
    try reader.begin(.deferred)
    _ = try reader.firstValue("SELECT count(*) FROM Person")
    var options = Upgrade.Options()
    options.busyTimeout = 0

    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target, options: options).run()
    }

    #expect(error?.kind == .busy)
    #expect(error?.description.contains("in use by another process") == true)
    reader.close()
    try upgrade(file, target)
    #expect(try bench.names() == ["old.db"])
  }

  @Test(arguments: [
    "a.db", "./a.db", "link/a.db", "a.db-wal", "a.db-shm", "a.db-journal", "a.db-strata-upgrade",
    "a.db-strata-upgrade-1", "link/a.db-wal",
  ])
  func whatBelongsToTheFileIsNoPlaceForAnother(name: String) throws {
    let file = try bench.sample(version: 0, of: target, objects: 40)
    #expect(symlink(bench.path("."), bench.path("link")) == 0)
    let before = try digest(file, target)
    for isBackup in [false, true] {
      var options = Upgrade.Options()
      if isBackup { options.backup = bench.path(name) } else { options.output = bench.path(name) }
      let upgrade = Upgrade(path: file, target: target, options: options)
      for attempt in [{ _ = try upgrade.rehearse() }, { _ = try upgrade.run() }] {
        let error = #expect(throws: MigrationError.self) { try attempt() }
        #expect(error?.kind == .inputOutput)
        #expect(error?.description.contains(isBackup ? "--backup" : "--output") == true)
      }
    }
    #expect(try digest(file, target) == before)
    #expect(try bench.names() == ["a.db", "link"])
  }

  @Test(arguments: ["new.db", "new.db-wal", "new.db-strata-upgrade-copy"])
  func outputAndBackupAreTwoFiles(backup: String) throws {
    let file = try bench.sample(version: 0, of: target, objects: 40)
    var options = Upgrade.Options()
    options.output = bench.path("new.db")
    options.backup = bench.path(backup)
    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target, options: options).run()
    }
    #expect(error?.kind == .inputOutput)
    #expect(try bench.names() == ["a.db"])
  }
}
