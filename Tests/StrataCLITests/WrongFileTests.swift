import Foundation
import StrataSchema
import StrataTestSupport
import Testing

/// Files that cannot be upgraded: each has its own sentence, exit status 3, and stays as it is, byte for byte.
@Suite struct WrongFileTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  enum WrongFile: String, CaseIterable {
    case newer, newerLayout, truncated, cutInLastPage, text, folder, empty, oneByte, otherDatabase
    case unreadable, realm

    var status: String {
      switch self {
      case .newer, .newerLayout: "newer"
      case .truncated, .cutInLastPage: "damaged"
      case .text, .folder, .empty, .oneByte, .otherDatabase, .unreadable, .realm: "foreign"
      }
    }

    var sentence: String {
      switch self {
      case .newer: "is at version 9 of People; the newest version that this program knows is 5"
      case .newerLayout: "was written by a newer program: it has edition 2 of the layout of files"
      case .truncated: "is damaged: it has 4096 bytes where its header says"
      case .cutInLastPage: "It was cut off; restore it from a backup."
      case .text: "is not a database file: it starts with the text “Dear diary”"
      case .folder: "is a folder, not a database file"
      case .empty: "is empty, not a database file"
      case .oneByte: "has one byte, not a database file"
      case .otherDatabase: "is a SQLite database that Strata did not write"
      case .unreadable: "cannot be read: this user has no permission"
      case .realm: "is a Realm file."
      }
    }
  }

  private func make(_ kind: WrongFile) throws -> String {
    let file = run.path("a.db")
    switch kind {
    case .newer:
      try run.people("create", "a.db", "--sample", "5")
      try sqlite(
        file, "UPDATE _strata SET value = 9 WHERE key = 'version'",
        "UPDATE _strata SET value = '\(String(repeating: "0", count: 64))' WHERE key = 'chain'",
        "PRAGMA user_version = 9")
    case .newerLayout:
      try run.people("create", "a.db", "--sample", "5")
      try sqlite(file, "UPDATE _strata SET value = 2 WHERE key = 'layout'")
    case .truncated:
      try run.people("create", "a.db", "--version", "0", "--sample", "500")
      let whole = try Data(contentsOf: URL(fileURLWithPath: file))
      try whole.prefix(4096).write(to: URL(fileURLWithPath: file))
    case .cutInLastPage:
      try run.people("create", "a.db", "--version", "0", "--sample", "500")
      let whole = try Data(contentsOf: URL(fileURLWithPath: file))
      try whole.dropLast(1).write(to: URL(fileURLWithPath: file))
    case .text: try "Dear diary\nToday".write(toFile: file, atomically: true, encoding: .utf8)
    case .folder:
      try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    case .empty: _ = FileManager.default.createFile(atPath: file, contents: Data())
    case .oneByte: _ = FileManager.default.createFile(atPath: file, contents: Data("x".utf8))
    case .realm:
      var bytes = Data(count: 4096)
      bytes.replaceSubrange(16..<24, with: Data("T-DB".utf8) + Data([24, 24, 0, 0]))
      try bytes.write(to: URL(fileURLWithPath: file))
    case .otherDatabase: try sqlite(file, "CREATE TABLE t(a)")
    case .unreadable:
      try run.people("create", "a.db", "--version", "0", "--sample", "5")
      try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file)
    }
    return file
  }

  private func sqlite(_ file: String, _ statements: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", file] + statements
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  @Test(arguments: WrongFile.allCases)
  func isRefusedWithASentenceAndLeftAlone(kind: WrongFile) throws {
    let file = try make(kind)
    // Root may read everything.
    let asNobody = kind == .unreadable && getuid() == 0
    let before = try run.contents()

    for command in ["migrate", "plan", "export"] {
      let result = try run.people(command, file, asNobody: asNobody)
      #expect(result.status == 3, "\(command): \(result.errors)")
      #expect(result.errors.contains(kind.sentence), "\(command): \(result.errors)")
      #expect(result.output == "")
    }
    let inspection = try run.people("inspect", file, "--json", asNobody: asNobody)
    #expect(inspection.status == 0)
    #expect(inspection.firstFile["status"] as? String == kind.status)
    // What this user may not read is called foreign, and may be of this very schema.
    #expect(inspection.firstFile["judged"] as? Bool == (kind != .unreadable))
    #expect(try run.contents() == before)
  }

  /// Without a history nothing is known of upgrades: "current" would be said of a file of any version.
  @Test func withoutAHistoryAFileIsNotJudged() throws {
    try run.people("create", "a.db", "--version", "0", "--sample", "5")

    let text = try run.strata("inspect", "a.db")
    let json = try run.strata("inspect", "a.db", "--json")

    #expect(
      text.output.contains(
        "  status   not judged: there is no readable history of versions here\n"))
    #expect(json.firstFile["status"] as? String == "current")
    #expect(json.firstFile["judged"] as? Bool == false)
    #expect(try JSONSchema(ofCommand: "inspect").problems(try JSON.parse(json.output)) == [])
    let known = try run.people("inspect", "a.db", "--json").firstFile
    #expect(known["status"] as? String == "upgradable")
    #expect(known["judged"] as? Bool == true)
  }

  @Test func aLaterLayoutIsNotShown() throws {
    _ = try make(.newerLayout)

    let result = try run.shell("timeout -k 2 600 people browse a.db")

    #expect(result.status == 3)
    #expect(result.errors.contains(WrongFile.newerLayout.sentence), "\(result.errors)")
    #expect(result.errors.contains("[STR5108]"))
  }

  /// Opening one would wait for a program that writes to it.
  @Test(arguments: [
    "inspect", "inspect --check", "export", "browse", "plan", "import", "rekey --checksums",
  ])
  func aPipeIsNotWaitedFor(command: String) throws {
    let result = try run.shell("mkfifo pipe.db && people \(command) pipe.db < /dev/null")

    #expect((result.output + result.errors).contains("pipe.db is a pipe, socket or device"))
  }

  /// What another key makes of a database, the program that it belongs to has to say.
  @Test func theDatabaseOfAnotherProgramGetsNoChecksums() throws {
    let file = try make(.otherDatabase)
    let before = try run.contents()

    let result = try run.people("rekey", file, "--checksums")

    #expect(result.status == 3)
    #expect(result.errors.contains("[STR5107]"), "\(result.errors)")
    #expect(try run.contents() == before)
  }

  /// Of the system's words people see its sentence, and no function of its library.
  @Test(arguments: [
    "inspect", "migrate", "plan", "export", "adopt realm --dry-run", "create b.db --key-file",
  ])
  func whatCannotBeReachedIsToldInASentence(command: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: run.path("loop.db"), withDestinationPath: "loop.db")

    let result = try run.shell("people \(command) loop.db")

    let said = result.output + result.errors
    #expect(said.contains("cannot be re"), "\(said)")
    #expect(said.contains(": Too many levels of symbolic links"), "\(said)")
    #expect(!said.contains("stat loop.db") && !said.contains("open loop.db"), "\(said)")
  }

  @Test func aMissingFileIsAnErrorForInspectToo() throws {
    for command in ["migrate", "plan", "export", "inspect"] {
      let result = try run.people(command, "missing.db")
      #expect(result.status == 3)
      #expect(result.errors.contains("missing.db does not exist"))
    }
    #expect(try run.contents().isEmpty)
  }

  /// A process that was killed leaves its log beside the file.
  @Test func inspectingLeavesTheLogOfAKilledProcess() throws {
    try run.people("create", "a.db", "--sample", "5")
    let file = run.path("a.db")
    try sqlite(file, ".dbconfig no_ckpt_on_close on", "UPDATE Pet SET age = 99")
    #expect(FileManager.default.fileExists(atPath: file + "-wal"))
    let before = try run.contents()
    #expect(try run.people("inspect", "a.db", "--digest").status == 0)
    #expect(try run.people("export", "a.db").output.contains("\"age\":99"))
    #expect(try run.contents() == before)
  }
}
