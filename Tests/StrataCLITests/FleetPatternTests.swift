import Foundation
import Testing

/// What arguments of `migrate` mean that are no plain files, and what is said of those that mean nothing.
@Suite struct FleetPatternTests {
  let run: CommandRunner

  /// `fleet/1.db` at version 0.
  init() throws {
    run = try CommandRunner()
    try FileManager.default.createDirectory(
      atPath: run.path("fleet/dir.db"), withIntermediateDirectories: true)
    try run.people("create", "fleet/1.db", "--version", "0", "--sample", "5", "--seed", "7")
  }

  @Test(arguments: ["fleet/*.db", "fleet/**/*.db", "fleet/[1d]*.db", "fleet/*"])
  func aFolderThatAPatternMatchesIsNoFile(pattern: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: run.path("fleet/link.db"), withDestinationPath: "dir.db")

    let result = try run.people("migrate", pattern)

    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("fleet/1.db: version 0 → 5, 5 objects"), "\(result.output)")
    // One that is named was taken for a file.
    #expect(try run.people("migrate", "fleet/dir.db").errors.contains("is a folder"))
  }

  @Test(arguments: ["none/*.db", "fleet/d*.db"])
  func whereNoFileMatchesNothingIsCounted(pattern: String) throws {
    let alone = try run.people("migrate", pattern)
    #expect(alone.status == 3)
    #expect(alone.errors == "error: No file matches \(pattern). [STR5101]\n")
    #expect(alone.output == "")

    let besideOthers = try run.people("migrate", "fleet/1.db", pattern)
    #expect(besideOthers.status == 3)
    #expect(besideOthers.output.contains("1 file: 1 upgraded, 0 current, 0 skipped, 0 failed"))
    #expect(besideOthers.output.contains("\n  No file matches \(pattern). [STR5101]\n"))
  }

  @Test(arguments: [["none/*.db"], ["none/*.db", "none/?.db"]])
  func aPatternThatIsNamedTwiceIsToldOnce(patterns: [String]) throws {
    let twice = patterns + patterns
    let alone = try run.people(["migrate", "--keep-going"] + twice, asNobody: false)
    #expect(
      alone.errors
        == patterns.map { "error: No file matches \($0). [STR5101]\n" }.joined(),
      "\(alone.output)")
    #expect(alone.output == "")

    let besideOthers = try run.people(
      ["migrate", "fleet/1.db", "--keep-going"] + twice, asNobody: false)
    #expect(besideOthers.status == 3)
    #expect(
      besideOthers.output.contains("1 file: 1 upgraded, 0 current, 0 skipped, 0 failed"),
      "\(besideOthers.output)")
    let answer = try run.people(["migrate", "--keep-going", "--json"] + twice, asNobody: false)
    #expect((answer.json["files"] as? [Any])?.count == patterns.count)
  }

  @Test func aLinkToWhatIsNotThereIsCalledOne() throws {
    try FileManager.default.createSymbolicLink(
      atPath: run.path("fleet/dangling.db"), withDestinationPath: "gone.db")

    for command in ["migrate", "plan", "inspect"] {
      let result = try run.people(command, "fleet/dangling.db")
      #expect(
        result.errors.contains("fleet/dangling.db is a link to gone.db, which is not there."),
        "\(command): \(result.errors)")
    }
  }

  /// `{}` names outputs, too.
  @Test func anOutputMayBeNamedAfterItsFile() throws {
    let result = try run.people("migrate", "fleet/*.db", "--output", "{}.new")
    #expect(result.status == 0, "\(result.errors)")
    #expect(FileManager.default.fileExists(atPath: run.path("fleet/1.db.new")))
    #expect(try run.people("migrate", "--help").output.contains("'{}.new'"))
  }

  @Test(arguments: [
    (
      "--shard", ["5/4", "1/0", "a/4", "1", "1/4/2"],
      "Name a part and a count, 1/4 to 4/4 for four parts (0/4 is 4/4)."
    ),
    ("--jobs", ["2.5", "two", "0"], "--jobs is a whole number from 1 to 1,024."),
    ("--wait", ["nan", "1.5", "86401"], "--wait is a whole number of seconds from 0 to 86,400."),
  ])
  func whatIsValidIsSaid(option: String, values: [String], sentence: String) throws {
    for value in values {
      let result = try run.people("migrate", "fleet/1.db", "\(option)=\(value)")
      #expect(result.status == 64, "\(value)")
      #expect(result.errors.contains(sentence), "\(result.errors)")
    }
  }
}
