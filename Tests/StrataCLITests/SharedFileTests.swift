import Foundation
import Strata
import StrataCipher
import StrataSchema
import StrataTestSupport
import Testing

/// A file that other processes use while it is upgraded, and files with several names.
@Suite struct SharedFileTests {
  let run: CommandRunner
  let new: String?

  init() throws {
    run = try CommandRunner()
    // The same objects, upgraded undisturbed.
    try run.people("create", "expected.db", "--version", "0", "--sample", "300", "--seed", "7")
    try FileManager.default.copyItem(
      atPath: run.path("expected.db"), toPath: run.path("a.db"))
    try run.people("migrate", "expected.db")
    new = try run.digest("expected.db")
  }

  private func names(_ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: run.path(folder)).sorted()
  }

  private func inode(_ name: String) throws -> UInt64? {
    try FileManager.default.attributesOfItem(atPath: run.path(name))[.systemFileNumber] as? UInt64
  }

  /// Runs a command that does not get the file, until it names who has it open: the look for them ends early where the machine is busy with
  /// something else.
  private func runUntilNamed(_ arguments: [String]) throws -> CommandRunner.Result {
    #if os(Linux)
      let maximumRuns = 20
    #else
      // No other system tells.
      let maximumRuns = 1
    #endif
    var result = try run.people(arguments, asNobody: false)
    for _ in 1..<maximumRuns
    where !(result.output + result.errors).contains("It is open in ") {
      result = try run.people(arguments, asNobody: false)
    }
    return result
  }

  /// The app is open with its old schema while the command upgrades its file.
  @Test func anOpenStoreOfTheOldSchemaWritesNothingIntoTheUpgradedFile() throws {
    let store = try Store(path: run.path("a.db"))
    let people = try store.objects(named: "Person")
    let count = people.count
    #expect(count > 0)

    #expect(try run.people("migrate", "a.db").status == 0)

    // What it stands on is still there to be read.
    #expect(people.count == count)
    for _ in 0..<2 {
      #expect(throws: StoreError.fileIsNewer(path: run.path("a.db"), version: 5, newest: 0)) {
        try store.write { try store.deleteAll() }
      }
      #expect(throws: StoreError.fileIsNewer(path: run.path("a.db"), version: 5, newest: 0)) {
        try store.refresh()
      }
    }
    store.close()
    #expect(try run.digest("a.db") == new)
  }

  @Test func ofSeveralProcessesOneUpgradesAndTheOthersFindItDone() throws {
    // They start while another process keeps them from writing.
    let writer = try SQLiteShell("a.db", in: run.folder)
    try writer.ask("BEGIN IMMEDIATE;")
    let commands = try (1...4).map { _ in
      try run.startPeople("migrate", "a.db", "--json", "--wait", "600")
    }
    try writer.ask("COMMIT;")
    try writer.close()

    let results = try commands.map { try $0.finish() }

    #expect(results.map(\.status) == [0, 0, 0, 0], "\(results.map(\.output))")
    let statuses = results.map { $0.firstFile["status"] as? String ?? "" }
    #expect(statuses.sorted() == ["current", "current", "current", "upgraded"])
    #expect(try run.digest("a.db") == new)
    #expect(try names() == ["a.db", "expected.db"])
  }

  @Test func aFileThatAnotherProcessIsWritingIsBusy() throws {
    let writer = try SQLiteShell("a.db", in: run.folder)
    try writer.ask("BEGIN IMMEDIATE; UPDATE Person SET age = 1;")
    let result = try runUntilNamed(["migrate", "a.db", "--json", "--wait", "0"])
    try writer.ask("ROLLBACK;")
    try writer.close()

    #expect(result.status == 3)
    let error = result.firstFile["error"] as? [String: String]
    #expect(error?["code"] == "STR5113")
    #expect(
      error?["message"]?.hasPrefix(
        "a.db is being written by another process. Try again when it has finished.") == true)
    #expect(try JSONSchema(ofCommand: "migrate").problems(try JSON.parse(result.output)) == [])
    #if os(Linux)
      // The system tells who it is.
      let processes = result.firstFile["processes"] as? [[String: Any]]
      #expect(processes?.map { $0["name"] as? String } == ["sqlite3"])
      let number = processes?.first?["id"] as? Int ?? 0
      #expect(
        error?["message"]?.hasSuffix(" It is open in sqlite3 (process \(number)).") == true)
    #endif
    #expect(try run.people("migrate", "a.db").status == 0)
    #expect(try run.digest("a.db") == new)
    #expect(try names() == ["a.db", "expected.db"])
  }

  /// So does a worker of a run over many files, and a dry run.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func whoHasTheFileOpenIsNamedInEveryWay() throws {
    let writer = try SQLiteShell("a.db", in: run.folder)
    try writer.ask("BEGIN IMMEDIATE; UPDATE Person SET age = 1;")
    for options in [["--jobs", "2"], ["--dry-run"]] {
      let result = try runUntilNamed(["migrate", "a.db", "--json"] + options)
      #expect(result.status == 3)
      let processes = result.firstFile["processes"] as? [[String: Any]]
      #expect(processes?.map { $0["name"] as? String } == ["sqlite3"], "\(options)")
    }
    try writer.ask("ROLLBACK;")
    // A file without a log has to be alone for a moment: an idle reader is in the way.
    try writer.ask("PRAGMA journal_mode = DELETE; BEGIN; SELECT count(*) FROM Person;")
    let result = try runUntilNamed(["migrate", "a.db"])
    #expect(result.status == 3)
    #expect(result.errors.contains("It is open in sqlite3 (process "), "\(result.errors)")
    let rekeyed = try runUntilNamed(["rekey", "a.db", "--checksums"])
    #expect(rekeyed.status == 3)
    #expect(rekeyed.errors.contains("It is open in sqlite3 (process "), "\(rekeyed.errors)")
    try writer.ask("COMMIT;")
    try writer.close()
    #expect(try run.people("migrate", "a.db").status == 0)
  }

  /// The same with a key: the old store writes nothing into the file that another process has upgraded.
  @Test(arguments: ["aes-gcm", "sqlcipher"])
  func anEncryptedFileThatAnotherProcessUpgradesIsNewer(cipher: String) throws {
    PageCiphers.install()
    let key = Data((0..<32).map { UInt8($0 &* 3 &+ 9) })
    try key.write(to: run.folder.appendingPathComponent("the.key"))
    let options = ["--key-file", "the.key"]
    try run.people(
      ["create", "b.db", "--version", "0", "--sample", "300", "--seed", "7", "--cipher", cipher]
        + options, asNobody: false)
    var configuration = Store.Configuration(path: run.path("b.db"))
    configuration.encryptionKey = key
    configuration.cipher = cipher == "aes-gcm" ? .aesGCM : .sqlCipher
    let store = try Store(configuration: configuration)
    let people = try store.objects(named: "Person")
    let count = people.count

    #expect(try run.people(["migrate", "b.db"] + options, asNobody: false).status == 0)

    #expect(count > 0 && people.count == count)
    for _ in 0..<2 {
      #expect(throws: StoreError.fileIsNewer(path: run.path("b.db"), version: 5, newest: 0)) {
        try store.write { try store.deleteAll() }
      }
      #expect(throws: StoreError.fileIsNewer(path: run.path("b.db"), version: 5, newest: 0)) {
        try store.refresh()
      }
    }
    store.close()
    let found = try run.people(
      ["inspect", "b.db", "--digest", "--json"] + options, asNobody: false)
    #expect(found.firstFile["dataDigest"] as? String == new)
  }

  /// Its own start takes the waiting command no longer than the starts of the others take.
  @Test func anImportThatWaitsForItsInputKeepsNoOtherOut() throws {
    try run.people("create", "b.db")
    let slow = try run.startPeople("import", "b.db", "--model", "Person")
    for _ in 0..<3 {
      let other = try run.people("import", "b.db", "/dev/null")
      #expect(other.status == 0, "\(other.errors)")
    }
    let result = try slow.finish()

    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "b.db: 0 created, 0 updated\n")
  }

  @Test func aReaderKeepsItsSnapshotAsLongAsItWants() throws {
    let reader = try SQLiteShell("a.db", in: run.folder)
    let before = try reader.ask("BEGIN; SELECT _row, firstName, lastName, age FROM Person;")
    #expect(before.count == 300)

    #expect(try run.people("migrate", "a.db").status == 0)

    #expect(try reader.ask("SELECT _row, firstName, lastName, age FROM Person;") == before)
    let after = try reader.ask("COMMIT; SELECT count(fullName) FROM Person;")
    #expect(after == ["300"])
    #expect(try reader.ask("PRAGMA integrity_check;") == ["ok"])
    try reader.close()
    #expect(try run.digest("a.db") == new)
    #expect(try names() == ["a.db", "expected.db"])
  }

  /// It holds no lock, so that nothing tells of it: a file that was replaced would be mixed with the new one's log.
  @Test func aProcessThatHasOpenedTheFileAndNotReadYetSeesANewFile() throws {
    let other = try SQLiteShell("a.db", in: run.folder)
    // Opens the file, and reads nothing of it.
    #expect(try other.ask("SELECT 1;") == ["1"])

    #expect(try run.people("migrate", "a.db").status == 0)

    #expect(try other.ask("SELECT count(fullName) FROM Person;") == ["300"])
    #expect(try other.ask("PRAGMA integrity_check;") == ["ok"])
    // It writes, too, into the same file.
    try other.ask("UPDATE Person SET age = 99 WHERE _row = 1;")
    try other.close()
    let exported = try run.people("export", "a.db", "--model", "Person").output
    #expect(exported.split(separator: "\n").first?.contains("\"age\":99") == true)
    #expect(try names() == ["a.db", "expected.db"])
  }

  @Test func behindASymbolicLinkTheFileItselfIsUpgraded() throws {
    for folder in ["real", "links"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: false)
    }
    try FileManager.default.moveItem(atPath: run.path("a.db"), toPath: run.path("real/a.db"))
    try FileManager.default.createSymbolicLink(
      atPath: run.path("links/b.db"), withDestinationPath: "../real/a.db")
    let before = try inode("real/a.db")
    // With a reader the log and its index stay: beside the file, not beside the link.
    let reader = try SQLiteShell("real/a.db", in: run.folder)
    try reader.ask("BEGIN; SELECT count(*) FROM Person;")

    #expect(try run.people("migrate", "links/b.db").status == 0)

    #expect(try names("links") == ["b.db"])
    #expect(try names("real") == ["a.db", "a.db-shm", "a.db-wal"])
    try reader.close()
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: run.path("links/b.db"))
        == "../real/a.db")
    #expect(try inode("real/a.db") == before)
    #expect(try run.digest("real/a.db") == new)
    #expect(try names("real") == ["a.db"])
  }

  @Test func allHardLinksLeadToTheUpgradedFile() throws {
    try FileManager.default.linkItem(atPath: run.path("a.db"), toPath: run.path("b.db"))
    let before = try inode("a.db")

    #expect(try run.people("migrate", "b.db").status == 0)

    #expect(try inode("a.db") == before)
    #expect(try inode("b.db") == before)
    #expect(try run.digest("a.db") == new)
    #expect(try names() == ["a.db", "b.db", "expected.db"])
  }

  /// What stands in the log of one name is not found by the other.
  @Test func aFileThatIsInUseByItsOtherNameIsLeftAlone() throws {
    try FileManager.default.linkItem(atPath: run.path("a.db"), toPath: run.path("b.db"))
    let other = try SQLiteShell("a.db", in: run.folder)
    try other.ask("UPDATE Person SET age = 99 WHERE _row = 1;")
    let before = try run.contents()["a.db"]

    let result = try run.people("migrate", "b.db")

    #expect(result.status == 3)
    #expect(result.errors.contains("are names of one file"), "\(result.errors)")
    #expect(try run.contents()["a.db"] == before)
    try other.close()
    #expect(try run.people("migrate", "b.db").status == 0)
    let exported = try run.people("export", "a.db", "--model", "Person").output
    #expect(exported.split(separator: "\n").first?.contains("\"age\":99") == true)
  }
}
