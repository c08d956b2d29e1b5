import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles

/// The checksums of a file's pages: an upgrade, a way back and copies keep them, however its path is spelled, and also where another
/// process gives them to the file, or takes them away, at that moment.
@Suite struct KeptChecksumsTests {
  private static let objects = 60

  private let bench: Workbench
  private let path: String
  private let old: String
  private let target = PeopleHistory.target
  /// What the file holds, by version.
  private let digests: [Int: Digest]

  init() throws {
    bench = try Workbench()
    path = try bench.sample("x.db", version: 0, of: target, objects: Self.objects)
    old = try bench.sample("old.db", version: 0, of: target, objects: Self.objects)
    let new = try bench.sample("new.db", version: 0, of: target, objects: Self.objects)
    try upgrade(new, target)
    digests = [
      0: try #require(try digest(path, target)), 5: try #require(try digest(new, target)),
    ]
  }

  private func change(_ path: String, checksums: Bool) throws -> Rekeying.Report {
    try Rekeying(path: path, from: nil, to: nil, checksums: checksums).run()
  }

  private static func hasChecksums(_ path: String) throws -> Bool {
    try #require(Database.firstBytes(of: path, count: 21))[20] == 8
  }

  /// Reads every page, and holds what the objects are against what they were.
  private func expectWhole(_ path: String, _ version: Int, checksums: Bool?, _ what: Comment) throws
  {
    let found = try FileInspector().inspect(path, target: target, digest: true, checksAll: true)
    #expect(found.problem == nil && found.version == version, what)
    #expect(found.dataDigest == digests[version], what)
    #expect(try bench.sql(path, "PRAGMA integrity_check") == [[.text("ok")]], what)
    if let checksums { #expect(try Self.hasChecksums(path) == checksums, what) }
  }

  // MARK: - Paths

  /// SQLite reads a host's name behind two slashes of a URI.
  @Test func aPathMayBeginWithTwoSlashes() throws {
    let spelled = "/" + path
    #expect(try change(spelled, checksums: true) == Rekeying.Report(from: .plain, to: .checksums))
    try expectWhole(path, 0, checksums: true, "with checksums")
    var options = Upgrade.Options()
    options.output = "/" + bench.path("output.db")
    try Upgrade(path: spelled, target: target, options: options).run()
    try expectWhole(bench.path("output.db"), 5, checksums: true, "the output")
    options.output = "/" + bench.path("copy.db")
    try Upgrade(path: "/" + bench.path("output.db"), target: target, options: options).run()
    try expectWhole(bench.path("copy.db"), 5, checksums: true, "a copy of a current file")

    options = Upgrade.Options()
    options.backup = "/" + bench.path("kept.db")
    try Upgrade(path: spelled, target: target, options: options).run()
    try expectWhole(path, 5, checksums: true, "the upgraded file")
    try expectWhole(bench.path("kept.db"), 0, checksums: true, "the backup")

    var back = Downgrade.Options()
    back.output = "/" + bench.path("older.db")
    try Downgrade(path: spelled, from: "/" + old, target: target, options: back).run()
    try expectWhole(bench.path("older.db"), 0, checksums: true, "the older output")
    back = Downgrade.Options()
    back.backup = "/" + bench.path("newer.db")
    let kept = "/" + bench.path("kept.db")
    try Downgrade(path: spelled, from: kept, target: target, options: back).run()
    try expectWhole(path, 0, checksums: true, "the file that was taken back")
    try expectWhole(bench.path("newer.db"), 5, checksums: true, "the backup of the newer one")

    #expect(try change(spelled, checksums: false) == Rekeying.Report(from: .checksums, to: .plain))
    try expectWhole(path, 0, checksums: false, "without checksums")
  }

  // MARK: - Another process

  /// Writes the file anew in another form, as `rekey` does: it waits for the lock of a run that is at work on the file.
  private static func replace(_ path: String, by other: String) -> Bool {
    guard (try? FileLock.isTaken(path + AsideFile.suffix)) == false else { return false }
    return (try? POSIXFiles().rename(other, to: path)) != nil
  }

  /// Runs something once for each call on files that it makes, at which the form of the file changes where no lock keeps it.
  ///
  /// - Parameter body: gets the files, and what it is to say of a failure.
  private func changingForm(
    of file: String, to getsChecksums: Bool, _ body: (FaultyFiles, Comment) throws -> Void
  ) throws {
    _ = try change(file, checksums: !getsChecksums)
    let before = try bench.bytes(file)
    _ = try change(file, checksums: getsChecksums)
    let after = try bench.bytes(file)
    let twin = bench.path("twin.db")
    func run(_ files: FaultyFiles, _ what: Comment) throws {
      try bench.removeAll { $0 != "old.db" }
      try POSIXFiles().write(before, to: file, permissions: 0o600)
      try POSIXFiles().write(after, to: twin, permissions: 0o600)
      try body(files, what)
    }
    let quiet = FaultyFiles()
    try run(quiet, "quiet")
    var changes = 0
    for call in 1...quiet.count {
      let files = FaultyFiles(at: call, isHarmless: true)
      files.whenStruck = { if Self.replace(file, by: twin) { changes += 1 } }
      try run(files, "call \(call) of \(quiet.count)")
    }
    #expect(changes > 3)
  }

  @Test(arguments: [true, false])
  func theFormMayChangeBeforeTheLock(getsChecksums: Bool) throws {
    let backup = bench.path("kept.db")
    var options = Upgrade.Options()
    options.backup = backup
    try changingForm(of: path, to: getsChecksums) { files, what in
      try Upgrade(path: path, target: target, options: options, files: files).run()
      let isChanged = try !POSIXFiles().exists(bench.path("twin.db"))
      try expectWhole(path, 5, checksums: getsChecksums == isChanged, what)
      try expectWhole(backup, 0, checksums: getsChecksums == isChanged, what)
    }
  }

  @Test(arguments: [true, false])
  func theFormMayChangeWhileAnOutputIsWritten(getsChecksums: Bool) throws {
    var options = Upgrade.Options()
    options.output = bench.path("output.db")
    options.backup = bench.path("kept.db")
    try changingForm(of: path, to: getsChecksums) { files, what in
      try Upgrade(path: path, target: target, options: options, files: files).run()
      try expectWhole(path, 0, checksums: nil, what)
      try expectWhole(bench.path("output.db"), 5, checksums: nil, what)
      try expectWhole(bench.path("kept.db"), 0, checksums: nil, what)
    }
  }

  @Test(arguments: [true, false])
  func theFormMayChangeWhileACurrentFileIsCopied(getsChecksums: Bool) throws {
    try upgrade(path, target)
    var options = Upgrade.Options()
    options.output = bench.path("output.db")
    try changingForm(of: path, to: getsChecksums) { files, what in
      try Upgrade(path: path, target: target, options: options, files: files).run()
      try expectWhole(path, 5, checksums: nil, what)
      try expectWhole(bench.path("output.db"), 5, checksums: nil, what)
    }
  }

  @Test(arguments: [true, false], [true, false])
  func theFormMayChangeBeforeAWayBack(getsChecksums: Bool, writesOutput: Bool) throws {
    try upgrade(path, target)
    let output = bench.path("output.db")
    var options = Downgrade.Options()
    if writesOutput { options.output = output } else { options.backup = bench.path("kept.db") }
    try changingForm(of: path, to: getsChecksums) { files, what in
      try Downgrade(path: path, from: old, target: target, options: options, files: files).run()
      if writesOutput {
        try expectWhole(output, 0, checksums: nil, what)
        return try expectWhole(path, 5, checksums: nil, what)
      }
      let isChanged = try !POSIXFiles().exists(bench.path("twin.db"))
      try expectWhole(path, 0, checksums: getsChecksums == isChanged, what)
      try expectWhole(bench.path("kept.db"), 5, checksums: getsChecksums == isChanged, what)
    }
  }

  // MARK: - Where new files are to have checksums

  /// Begins to read, so that what is written to the file stays in its log.
  private func reader(of path: String) throws -> Database {
    let reader = try Database(path: path, mode: .readWrite)
    try reader.begin(.deferred)
    #expect(try reader.firstValue("SELECT count(*) FROM Person") != nil)
    return reader
  }

  /// As the file stands there with its log, any SQLite may write that back.
  private func expectPlain(_ path: String, _ version: Int, _ what: Comment) throws {
    #expect(try POSIXFiles().log(beside: path) != nil, what)
    let copy = try bench.copyWithNeighbours(of: path, to: "beside.db")
    let plain = try Database(path: copy, mode: .readWrite, vfs: Database.systemVFS)
    #expect(try plain.firstValue("PRAGMA integrity_check") == "ok", what)
    #expect(plain.reservedBytes == 0, what)
    plain.close()
    try expectWhole(copy, version, checksums: false, what)
    try bench.removeAll { $0.hasPrefix("beside.db") }
  }

  @Test func aFileWithoutChecksumsStaysWithout() throws {
    let (backup, vfs) = (bench.path("kept.db"), ChecksummedPages.vfs())
    let reading = try reader(of: path)
    var options = Upgrade.Options()
    options.backup = backup
    try Upgrade(path: path, target: target, options: options, vfs: vfs).run()
    try expectPlain(path, 5, "upgraded")
    reading.close()
    try expectWhole(path, 5, checksums: false, "upgraded, and its log written back")
    try expectWhole(backup, 0, checksums: false, "the backup")

    let again = try reader(of: path)
    try Downgrade(path: path, from: backup, target: target, vfs: vfs).run()
    try expectPlain(path, 0, "taken back")
    again.close()
    try expectWhole(path, 0, checksums: false, "taken back, and its log written back")
    options = Upgrade.Options()
    options.output = bench.path("output.db")
    try Upgrade(path: path, target: target, options: options, vfs: vfs).run()
    try expectWhole(bench.path("output.db"), 5, checksums: false, "the output")
  }

  /// Whatever made them different: a page without a checksum is damaged in a file that has them, and one with a checksum loses content in
  /// a file that has none.
  @Test(arguments: [true, false]) func pagesOfAnotherFormAreNotCopied(getsChecksums: Bool) throws {
    _ = try change(getsChecksums ? old : path, checksums: true)
    let before = try bench.bytes(path)
    let original = try OriginalFile(path: path, shownPath: path, vfs: nil, busyTimeout: 0)
    try original.lock()
    let content = try Database(path: old, mode: .readWrite)

    let error = #expect(throws: MigrationError.self) {
      try original.replaceContent(by: content, watch: UpgradeWatch(path: path, callback: nil))
    }

    content.close()
    original.close()
    #expect(error?.kind == .busy, "\(error?.description ?? "")")
    #expect(try bench.bytes(path) == before)
  }
}
