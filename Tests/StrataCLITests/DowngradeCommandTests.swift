import Foundation
import StrataSchema
import StrataTestSupport
import Testing

/// `downgrade` takes an upgrade back, says what it does, and refuses what would lose something.
@Suite struct DowngradeCommandTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    try run.people("create", "old.db", "--version", "0", "--sample", "30", "--seed", "7")
    try run.people("migrate", "old.db", "--output", "new.db", "-q")
  }

  @Test func upAndDownGivesTheOldData() throws {
    let before = try run.digest("old.db")
    let result = try run.people("downgrade", "new.db", "--from", "old.db")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.output == """
        new.db: version 5 → 0 taken back
          nothing has changed since the upgrade
          nothing is lost

        """)
    #expect(try run.digest("new.db") == before)
  }

  /// Whatever this process masks: both files may be read and written by a group.
  @Test func anOutputHasTheFilesPermissions() throws {
    let result = try run.shell(
      """
      chmod 664 old.db new.db
      umask 077
      people downgrade new.db --from old.db --output down.db
      """)
    #expect(result.status == 0, "\(result.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: run.path("down.db"))
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o664)
  }

  @Test func whatWouldBeLostIsRefusedWithAReport() throws {
    try SQLiteShell("new.db", in: run.folder).ask(
      "UPDATE Person SET nickname = 'x' WHERE _row = 1;")
    let before = try run.digest("new.db")
    let refused = try run.people("downgrade", "new.db", "--from", "old.db", "--report", "r.json")
    #expect(refused.status == 1)
    #expect(refused.errors.contains(": 1 change of version 5 cannot be carried back."))
    #expect(refused.errors.contains("lost: Person.nickname of 1 object:"))
    #expect(refused.errors.contains("[STR5211]"))
    #expect(try run.digest("new.db") == before)
    let report = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: run.path("r.json"))))
    #expect(((report as? [String: Any])?["losses"] as? [Any])?.count == 1)
    #expect((report as? [String: Any])?["written"] as? Bool == false)

    let told = try run.people("downgrade", "new.db", "--from", "old.db", "--json")
    #expect(told.status == 1)
    #expect(try JSONSchema(ofCommand: "downgrade").problems(JSON.parse(told.output)) == [])
    #expect(told.json["written"] as? Bool == false)

    let dry = try run.people("downgrade", "new.db", "--from", "old.db", "--dry-run")
    #expect(dry.status == 1)
    #expect(dry.output.hasPrefix("new.db: version 5 → 0 would be taken back\n"))
    #expect(try run.digest("new.db") == before)

    let taken = try run.people("downgrade", "new.db", "--from", "old.db", "--accept-loss", "--json")
    #expect(taken.status == 0)
    #expect(try JSONSchema(ofCommand: "downgrade").problems(JSON.parse(taken.output)) == [])
    #expect(try run.digest("new.db") == run.digest("old.db"))
  }

  /// Once, whether the file is taken back or not: a reader cannot take back what it has read.
  @Test(arguments: [["--accept-loss"], []])
  func aReportMayGoToAReader(options: [String]) throws {
    try SQLiteShell("new.db", in: run.folder).ask(
      "UPDATE Person SET nickname = 'x' WHERE _row = 1;")

    let result = try run.people(
      ["downgrade", "new.db", "--from", "old.db", "--report", "/dev/stdout", "--quiet"] + options,
      asNobody: false)

    #expect(result.status == (options.isEmpty ? 1 : 0), "\(result.errors)")
    #expect(result.json["format"] as? String == "strata.downgrade/1")
    #expect(result.json["written"] as? Bool == !options.isEmpty)
  }

  @Test func aProgramIsAnsweredQuietly() throws {
    let downgrade = ["downgrade", "new.db", "--from", "old.db", "--quiet"]
    let answered = try run.people(downgrade + ["--dry-run", "--json"], asNobody: false)
    #expect(answered.json["format"] as? String == "strata.downgrade/1", "\(answered.errors)")
    #expect(try run.people(downgrade, asNobody: false).output == "")
  }

  @Test func theWrongFileIsRefusedWithASentence() throws {
    let result = try run.people("downgrade", "old.db", "--from", "new.db")
    #expect(result.status == 3)
    #expect(result.errors.contains("later than old.db at version 0"))
    #expect(result.errors.contains("[STR5212]"))
    #expect(try run.people("downgrade", "new.db").status == 3)
    #expect(try run.people("downgrade", "new.db", "--from", "none.db").errors.contains("STR5101"))
  }

  @Test func anEncryptedFileTakesItsKey() throws {
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: run.path("key")))
    for file in ["old.db", "new.db"] {
      #expect(try run.people("rekey", file, "--new-key-file", "key").status == 0)
    }
    #expect(try run.people("downgrade", "new.db", "--from", "old.db").errors.contains("STR5106"))
    let result = try run.people("downgrade", "new.db", "--from", "old.db", "--key-file", "key")
    #expect(result.status == 0, "\(result.errors)")
    let kind = try run.people("inspect", "new.db", "--key-file", "key", "--json").firstFile
    #expect(kind["version"] as? Int == 0)
    #expect(kind["encrypted"] as? Bool == true)
  }

  @Test(arguments: [["--dry-run"], []])
  func aReportNeedsItsFolder(options: [String]) throws {
    let before = try run.digest("new.db")

    let result = try run.people(
      ["downgrade", "new.db", "--from", "old.db", "--report", "no/r.json"] + options,
      asNobody: false)

    #expect(result.status == 3)
    #expect(
      result.errors.contains("no/r.json cannot be written: its folder no does not exist."),
      "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: run.path("no")))
    #expect(try run.digest("new.db") == before)
  }

  /// What can be known of the report's place is known before the old file is looked at.
  @Test(
    .enabled(if: getuid() == 0, "only root can become another user"),
    arguments: [
      ("folder", "Is a directory"), ("link", "Is a directory"),
      ("dangling", "No such file or directory"), ("old.db/r.json", "Not a directory"),
      ("closed/r.json", "Permission denied"), ("pipe", "Permission denied"),
    ])
  func aReportNeedsAPlaceThatCanBeWritten(place: String, reason: String) throws {
    for folder in ["folder", "closed"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: false)
    }
    for (link, target) in [("link", "folder"), ("dangling", "gone/r.json")] {
      try FileManager.default.createSymbolicLink(
        atPath: run.path(link), withDestinationPath: target)
    }
    mkfifo(run.path("pipe"), 0o600)
    let before = try run.digest("new.db")

    for options in [[], ["--dry-run"]] {
      let result = try run.people(
        ["downgrade", "new.db", "--from", "none.db", "--report", place] + options, asNobody: true)

      #expect(result.status == 3)
      #expect(
        result.errors.contains("'\(place)' cannot be written: \(reason)"), "\(result.errors)")
    }
    #expect(try run.digest("new.db") == before)
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [
      ([], "new.db was taken back to version 0"),
      (["--output", "back.db"], "back.db was written at version 0"),
    ])
  func aReportThatIsMissingIsNoWayBackThatFailed(options: [String], done: String) throws {
    let result = try run.people(
      ["downgrade", "new.db", "--from", "old.db", "--report", "/dev/full"] + options,
      asNobody: false)

    #expect(result.status != 0)
    #expect(
      result.errors.hasPrefix(
        "error: \(done). Only the report of it is missing: '/dev/full' cannot be written: "),
      "\(result.errors)")
    #expect(try run.digest(options.last ?? "new.db") == run.digest("old.db"))
  }

  @Test func checkSaysOfEachStepHowItGoesBack() throws {
    let folders = ["schemas", "migrations"].flatMap {
      ["--\($0)", CommandRunner.root.appendingPathComponent($0).path]
    }
    let text = try run.people(["check", "-v"] + folders, asNobody: false).output
    #expect(text.contains("step 5: loses Person.nickname"))
    #expect(text.contains("step 3: loses Person.email"))
    let steps = try #require(
      try run.people(["check", "--json"] + folders, asNobody: false).json["steps"]
        as? [[String: Any]])
    #expect(steps.map { $0["to"] as? Int } == [1, 2, 3, 4, 5])
  }
}
