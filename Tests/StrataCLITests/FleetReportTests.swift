import Foundation
import StrataSchema
import StrataTestSupport
import Testing

/// What a run over many files says of each of them, and that a dry run says the same.
@Suite struct FleetReportTests {
  let run: CommandRunner

  /// `fleet/1.db` to `fleet/3.db` at version 0.
  init() throws {
    run = try CommandRunner()
    try FileManager.default.createDirectory(
      atPath: run.path("fleet"), withIntermediateDirectories: false)
    try run.people("create", "fleet/1.db", "--version", "0", "--sample", "20", "--seed", "7")
    for name in ["2.db", "3.db"] {
      try FileManager.default.copyItem(
        atPath: run.path("fleet/1.db"), toPath: run.path("fleet/\(name)"))
    }
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: run.path(path)))
  }

  @discardableResult private func migrate(_ arguments: String...) throws -> CommandRunner.Result {
    try run.people(["migrate", "fleet/*.db"] + arguments, asNobody: false)
  }

  private func files(_ result: CommandRunner.Result) throws -> [[String: Any]] {
    #expect(try JSONSchema(ofCommand: "migrate").problems(JSON.parse(result.output)) == [])
    return try #require(result.json["files"] as? [[String: Any]])
  }

  /// The status of each file, or why it was skipped.
  private func statuses(_ result: CommandRunner.Result) throws -> [String?] {
    try files(result).map { file in
      let reason = file["reason"] as? String
      #expect((file["status"] as? String == "skipped") == (reason != nil))
      return reason ?? file["status"] as? String
    }
  }

  private func isThere(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: run.path(path))
  }

  // MARK: - What became of a file

  @Test func whatADryRunWouldUpgradeIsPlanned() throws {
    let result = try migrate("--dry-run", "--json")

    #expect(try statuses(result) == ["planned", "planned", "planned"])
    #expect(try files(result).allSatisfy { $0["objects"] as? Int == 0 && $0["plan"] != nil })
    #expect(
      try migrate("--dry-run").output.contains(
        "3 files: 3 to upgrade, 0 current, 0 skipped, 0 failed; in "))
  }

  @Test func filesBehindAFailureAreNotReached() throws {
    try write("Dear diary", to: "fleet/0.db")

    let told = try migrate("--verbose")
    let result = try migrate("--json")

    #expect(
      told.output.contains("4 files: 0 upgraded, 0 current, 0 skipped, 3 not reached, 1 failed"))
    #expect(told.output.contains("fleet/2.db: not reached\n"), "\(told.output)")
    #expect(try statuses(result) == ["failed", "notReached", "notReached", "notReached"])
  }

  @Test func onlyWhatAnEarlierRunHasFinishedIsSkipped() throws {
    _ = try run.people("migrate", "fleet/1.db", "--journal", "strata-migrate.journal")
    try write("Dear diary", to: "fleet/2.db")

    let result = try migrate("--resume", "--json")

    #expect(try statuses(result) == ["finished", "failed", "notReached"])
    #expect(try migrate("--resume").output.contains("1 skipped, 1 not reached, 1 failed"))
  }

  @Test func whereAnOutputStandsIsSaid() throws {
    try run.people("migrate", "fleet/3.db")
    let planned = try files(try migrate("--output", "new", "--dry-run", "--json"))
    #expect(planned.map { $0["output"] as? String } == ["new/1.db", "new/2.db", "new/3.db"])

    let written = try files(try migrate("--output", "new", "--resume", "--json"))
    let again = try files(try migrate("--output", "new", "--resume", "--json"))
    let inPlace = try files(try run.people("migrate", "fleet/1.db", "--json"))

    #expect(written.map { $0["status"] as? String } == ["upgraded", "upgraded", "current"])
    for found in [written, again] {
      #expect(found.map { $0["output"] as? String } == ["new/1.db", "new/2.db", "new/3.db"])
    }
    #expect(inPlace.first?["output"] is NSNull)
  }

  // MARK: - A dry run says what the run says

  @Test func aDryRunSkipsWhatTheJournalSaysIsFinished() throws {
    try migrate("--output", "new", "--quiet")
    try FileManager.default.removeItem(atPath: run.path("new/2.db"))
    let before = try run.contents()

    let planned = try migrate("--output", "new", "--resume", "--dry-run", "--json")

    #expect(try statuses(planned) == ["finished", "planned", "finished"])
    #expect(try run.contents() == before)
    let told = try migrate("--output", "new", "--resume", "--dry-run").output
    #expect(told.contains("fleet/1.db: skipped, finished by an earlier run\n"))
    #expect(
      try statuses(try migrate("--output", "new", "--resume", "--json"))
        == ["finished", "upgraded", "finished"])
  }

  @Test func aDryRunRefusesAJournalThatIsNone() throws {
    try write("Dear diary", to: "notes.txt")
    for mode in [[], ["--dry-run"]] {
      let result = try run.people(
        ["migrate", "fleet/*.db", "--resume", "--journal", "notes.txt"] + mode, asNobody: false)
      #expect(result.status == 3)
      #expect(result.errors.contains("notes.txt is there and is no journal"), "\(result.errors)")
    }
  }

  @Test func aDryRunSaysThatACurrentFileIsCopied() throws {
    try run.people("migrate", "fleet/1.db")
    let copy = ["migrate", "fleet/1.db", "--output", "copy.db", "--backup", "old.db"]

    let planned = try run.people(copy + ["--dry-run"], asNobody: false)
    let done = try run.people(copy, asNobody: false)

    let noBackup = "; no backup, because nothing changed\n"
    #expect(
      planned.output == "fleet/1.db: version 5, current; would be copied to copy.db" + noBackup)
    #expect(done.output == "fleet/1.db: version 5, current; copied to copy.db" + noBackup)
  }

  // MARK: - Failures

  @Test func aFailureNamesItsFile() throws {
    for folder in ["new", "old"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: false)
      try write("mine", to: "\(folder)/2.db")
    }
    try write("mine", to: "fleet/2.db.old")
    let place = CommandRunner.root
    let folders = ["schemas", "migrations"].flatMap {
      ["--\($0)", place.appendingPathComponent($0).path]
    }

    let results = [
      (try migrate("--output", "new", "--keep-going"), "new/2.db exists already"),
      (try migrate("--backup", "old", "--keep-going"), "old/2.db exists already"),
      (try migrate("--backup", "{}.old", "--keep-going"), "fleet/2.db.old exists already"),
      (
        try run.strata(["migrate", "fleet/2.db", "fleet/3.db"] + folders),
        "Version 1 of People is reached by a Swift block"
      ),
    ]

    for (result, sentence) in results {
      #expect(result.errors.contains("error: fleet/2.db: \(sentence)"), "\(result.errors)")
      #expect(result.output.contains("  failed: fleet/2.db: \(sentence)"), "\(result.output)")
    }
  }

  /// What names it already does not name it twice.
  @Test func aFileIsNamedOnce() throws {
    try write("Dear diary", to: "fleet/0.db")
    let result = try migrate()
    #expect(result.errors.hasPrefix("error: fleet/0.db is not a database file"))
    #expect(result.output.contains("  failed: fleet/0.db is not a database file"))
  }

  @Test(arguments: [[], ["--dry-run"]])
  func aVersionThatIsNotThereConcernsTheCall(options: [String]) throws {
    let before = try run.contents()

    let result = try run.people(
      ["migrate", "fleet/*.db", "--to", "9"] + options, asNobody: false)

    #expect(result.status == 3)
    #expect(
      result.errors == "error: People has no version 9; it has 0, 1, 2, 3, 4, 5. [STR5110]\n")
    #expect(result.output == "")
    #expect(try run.contents() == before)
  }

  // MARK: - What a killed run has left

  @Test func whatIsLeftBesideFilesThatAreSkippedIsRemoved() throws {
    for (target, options) in [("fleet", []), ("new", ["--output", "new"])] {
      let upgrade = ["migrate", "fleet/*.db", "--resume", "--quiet"] + options
      try run.people(upgrade, asNobody: false)
      let left = ["1.db-strata-upgrade", "1.db-strata-upgrade-1"].map { "\(target)/\($0)" }
      for name in left + ["\(target)/1.db-strata-upgrade-mine"] { try write("", to: name) }

      try run.people(upgrade + ["--dry-run"], asNobody: false)
      #expect(left.allSatisfy(isThere))
      try run.people(upgrade, asNobody: false)

      #expect(!left.contains(where: isThere), "\(target)")
      #expect(isThere("\(target)/1.db-strata-upgrade-mine"))
      try FileManager.default.removeItem(
        atPath: run.path("\(target)/1.db-strata-upgrade-mine"))
    }
  }
}
