import Foundation
import Testing

/// The journal of a run over many files: kept or refused before the first file is touched.
@Suite struct JournalTests {
  let run: CommandRunner
  private static let names = ["1.db", "2.db", "3.db"]

  init() throws {
    run = try CommandRunner()
    try run.people("create", "1.db", "--version", "0", "--sample", "20", "--seed", "7")
    for name in Self.names.dropFirst() {
      try FileManager.default.copyItem(atPath: run.path("1.db"), toPath: run.path(name))
    }
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: run.path(path)))
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: URL(fileURLWithPath: run.path(path)), encoding: .utf8)
  }

  private func statuses(_ result: CommandRunner.Result) -> [String] {
    (result.json["files"] as? [[String: Any]] ?? []).map { $0["status"] as? String ?? "" }
  }

  /// A database, notes, one of the files themselves: none of them gets lines of a journal.
  @Test(arguments: ["keep.db", "notes.txt", "2.db", "/dev/full", "folder"])
  func anotherFileIsNoJournal(name: String) throws {
    try FileManager.default.copyItem(atPath: run.path("1.db"), toPath: run.path("keep.db"))
    try write("Dear diary", to: "notes.txt")
    try FileManager.default.createDirectory(
      atPath: run.path("folder"), withIntermediateDirectories: false)
    let before = try run.contents()

    for option in [[], ["--resume"]] {
      let result = try run.people(
        ["migrate", "[123].db", "--journal", name] + option, asNobody: false)
      #expect(result.status == 3)
      #expect(result.errors.contains("journal"), "\(result.errors)")
      #expect(try run.contents() == before)
    }
  }

  @Test func oneThatHasNoFolderIsFoundOutBeforeTheFirstFile() throws {
    let before = try run.contents()
    let result = try run.people("migrate", "*.db", "--journal", "missing/of.journal")
    #expect(result.status == 3)
    #expect(result.errors.contains("The journal missing/of.journal cannot be written"))
    #expect(try run.contents() == before)
  }

  /// What is opened first takes the number of a standard stream that is closed.
  @Test(arguments: [("<&-", 0), (">&-", 3), ("2>&-", 0), ("<&- >&- 2>&-", 3)] as [(String, Int32)])
  func nothingIsPrintedIntoItWhereStandardStreamsAreClosed(closed: String, status: Int32) throws {
    let result = try run.shell("people migrate '*.db' \(closed)")

    #expect(result.status == status, "\(result.errors)")
    let lines = try text("strata-migrate.journal").split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.hasPrefix(#"{"file":"#) })
    #expect(
      statuses(try run.people("migrate", "*.db", "--resume", "--json"))
        == ["skipped", "skipped", "skipped"])
  }

  /// A run was killed, or the disk was full, while the first line was written.
  @Test func oneWhoseFirstLineIsHalfWrittenGoesOn() throws {
    try write(#"{"fi"#, to: "strata-migrate.journal")
    #expect(
      statuses(try run.people("migrate", "*.db", "--resume", "--json"))
        == ["upgraded", "upgraded", "upgraded"])
    let lines = try text("strata-migrate.journal").split(separator: "\n")
    #expect(lines.count == 4 && lines[0] == #"{"fi"#)
    #expect(
      statuses(try run.people("migrate", "*.db", "--resume", "--json"))
        == ["skipped", "skipped", "skipped"])
  }

  @Test func aLineThatIsTornInTheMiddleLosesItsFileAndNoOther() throws {
    try run.people("migrate", "*.db")
    var lines = try text("strata-migrate.journal").split(separator: "\n").map(String.init)
    lines[1] = String(lines[1].prefix(40))
    try write(lines.joined(separator: "\n") + "\n", to: "strata-migrate.journal")
    let result = try run.people("migrate", "*.db", "--resume", "--json")
    #expect(statuses(result) == ["skipped", "current", "skipped"])
  }

  @Test func severalShardsMayShareOne() throws {
    for shard in 1...3 {
      try run.people("migrate", "*.db", "--shard", "\(shard)/3", "--journal", "one.journal")
    }
    #expect(try text("one.journal").split(separator: "\n").count == 3)
    let result = try run.people(
      "migrate", "*.db", "--resume", "--journal", "one.journal", "--json")
    #expect(statuses(result) == ["skipped", "skipped", "skipped"])
  }

  /// Of a file that needs no upgrade, too, the copy is what has to be there.
  @Test func aCopyThatIsGoneIsMadeAgain() throws {
    try run.people("migrate", "3.db")
    let upgrade = ["migrate", "[123].db", "--resume", "--json"]
    let intoNew = upgrade + ["--output", "new"]

    #expect(
      statuses(try run.people(intoNew, asNobody: false)) == ["upgraded", "upgraded", "current"])
    #expect(
      statuses(try run.people(intoNew, asNobody: false)) == ["skipped", "skipped", "skipped"])

    for name in ["2.db", "3.db"] {
      try FileManager.default.removeItem(atPath: run.path("new/" + name))
    }
    #expect(
      statuses(try run.people(intoNew, asNobody: false)) == ["skipped", "upgraded", "current"])
    #expect(try names("new") == Self.names)

    // Another folder, after a run that wrote none.
    try run.people(upgrade, asNobody: false)
    try run.people(upgrade + ["--output", "other"], asNobody: false)
    #expect(try names("other") == Self.names)
  }

  /// What was committed since stands in the log, and the file itself has not changed.
  @Test func aFileWithANewLogIsNotFinished() throws {
    let app = try SQLiteShell("1.db", in: run.folder)
    try app.ask("PRAGMA wal_autocheckpoint = 0; UPDATE Person SET age = 98 WHERE _row = 1;")
    let upgrade = ["migrate", "[123].db", "--output", "new", "--resume", "--keep-going", "--json"]
    try run.people(upgrade, asNobody: false)
    #expect(
      statuses(try run.people(upgrade, asNobody: false)) == ["skipped", "skipped", "skipped"])

    try app.ask("UPDATE Person SET age = 99 WHERE _row = 1;")

    let result = try run.people(upgrade, asNobody: false)
    #expect(statuses(result) == ["failed", "skipped", "skipped"])
    #expect(result.output.contains("new/1.db exists already"), "\(result.output)")
    try app.close()
  }

  /// Of a version that is frozen anew nothing is finished: the files are looked at again.
  @Test func aVersionThatIsFrozenAnewIsAnotherGoal() throws {
    for folder in ["schemas", "migrations", "clubs"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: false)
    }
    func freeze(_ version: Int, _ properties: String, _ options: String...) throws {
      try write(
        """
        schema: Club
        version: \(version)
        models:
          Member: { properties: \(properties) }

        """, to: "schemas/Club.yaml")
      let result = try run.strata(["freeze"] + options)
      #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
    func resume() throws -> [String] {
      statuses(try run.strata("migrate", "clubs/*.db", "--resume", "--json"))
    }
    try freeze(0, "{ name: string }")
    for name in ["a", "b"] {
      try run.strata("create", "clubs/\(name).db", "--version", "0", "--sample", "5")
    }
    try write("to: 1\nset: { Member: { note: \"'first'\" } }\n", to: "migrations/1.yaml")
    try freeze(1, "{ name: string, note: string? }")
    #expect(try resume() == ["upgraded", "upgraded"])
    #expect(try resume() == ["skipped", "skipped"])

    try write("to: 1\nset: { Member: { note: \"'second'\" } }\n", to: "migrations/1.yaml")
    try freeze(1, "{ name: string, note: string? }", "--amend")

    #expect(try resume() == ["current", "current"])
    #expect(try resume() == ["skipped", "skipped"])
  }

  /// The files of a folder.
  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: run.path(folder)).sorted()
  }

  @Test func aDryRunKeepsNone() throws {
    let before = try run.contents()
    let result = try run.people("migrate", "*.db", "--dry-run", "--backup", "old")
    #expect(result.status == 0)
    #expect(result.output.contains("3 files: 3 to upgrade, 0 current, 0 skipped, 0 failed"))
    #expect(try run.contents() == before)
  }
}
