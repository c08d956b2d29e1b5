import Foundation
import StrataTestSupport
import Testing

/// `migrate --dry-run` says what would be done, finds what would refuse it, and writes nothing.
@Suite struct DryRunTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    try run.people("create", "a.db", "--version", "0", "--sample", "30", "--seed", "7")
  }

  @Test func thePlanIsShownAndNothingIsWritten() throws {
    let before = try run.contents()
    let text = try run.people("migrate", "a.db", "--dry-run")
    #expect(text.status == 0)
    #expect(text.output.contains("a.db: version 0 → 5 by steps 1, 2, 3, 4, 5"))
    let json = try run.people("migrate", "a.db", "--dry-run", "--json").firstFile
    #expect(json["status"] as? String == "skipped")
    #expect((json["plan"] as? [String: Any])?["write"] as? String == "aside")
    #expect(try run.contents() == before)
  }

  /// What stands in the way, and what is said of it.
  enum Obstacle: CaseIterable {
    case anotherWriter, writerWithoutLog, outputExists, outputWithoutFolder, backupExists
    case blockMissing

    var sentence: String {
      switch self {
      case .anotherWriter: "a.db is being written by another process"
      case .writerWithoutLog:
        "a.db is in use by another process, and has to be alone for a moment"
      case .outputExists: "there.db exists already; --output names a file that does not"
      case .outputWithoutFolder: "its folder nowhere does not exist"
      case .backupExists: "there.db exists already; --backup names a file that does not"
      case .blockMissing: "is reached by a Swift block, which this program does not have"
      }
    }
  }

  @Test(arguments: Obstacle.allCases)
  func whatWouldRefuseTheUpgradeIsFound(obstacle: Obstacle) throws {
    try Data("mine".utf8).write(to: URL(fileURLWithPath: run.path("there.db")))
    let writer = try SQLiteShell("a.db", in: run.folder)
    if obstacle == .anotherWriter { try writer.ask("BEGIN IMMEDIATE; UPDATE Person SET age = 1;") }
    if obstacle == .writerWithoutLog {
      #expect(try writer.ask("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE;") == ["delete"])
    }
    let before = try run.contents()

    let result =
      switch obstacle {
      case .anotherWriter, .writerWithoutLog: try run.people("migrate", "a.db", "--dry-run")
      case .outputExists: try run.people("migrate", "a.db", "--dry-run", "--output", "there.db")
      case .outputWithoutFolder:
        try run.people("migrate", "a.db", "--dry-run", "--output", "nowhere/new.db")
      case .backupExists: try run.people("migrate", "a.db", "--dry-run", "--backup", "there.db")
      case .blockMissing:
        try run.strata(
          "migrate", "a.db", "--dry-run",
          "--schemas", CommandRunner.root.appendingPathComponent("schemas").path,
          "--migrations", CommandRunner.root.appendingPathComponent("migrations").path)
      }

    #expect(result.status == 3)
    #expect(result.errors.contains(obstacle.sentence), "\(result.errors)")
    #expect(try run.contents() == before)
    try writer.close()
  }

  @Test func foldersThatWillBeMadeAreNotMissing() throws {
    let result = try run.people("migrate", "a.db", "--dry-run", "--output", "nowhere/{}")
    #expect(result.status == 0, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: run.path("nowhere")))
  }

  /// Needs to mount a file system.
  @Test(.enabled(if: MountedFolder.isPermitted)) func aDiskWithoutRoomIsFound() throws {
    let disk = try MountedFolder(run.path("small"), megabytes: 1)
    try run.people("create", "large.db", "--version", "0", "--sample", "16000", "--seed", "7")
    let file = try Data(contentsOf: URL(fileURLWithPath: run.path("large.db")))
    #expect(file.count > 1 << 18 && file.count < 1 << 20)
    try file.write(to: URL(fileURLWithPath: run.path("small/a.db")))
    let before = try Data(contentsOf: URL(fileURLWithPath: run.path("small/a.db")))

    for arguments in [["--dry-run"], []] {
      let result = try run.people(["migrate", "small/a.db"] + arguments, asNobody: false)
      #expect(result.status == 3)
      #expect(result.errors.contains(" MB of disk space, and "), "\(result.errors)")
      #expect(result.errors.contains("[STR5114]"), "\(result.errors)")
    }

    #expect(try Data(contentsOf: URL(fileURLWithPath: run.path("small/a.db"))) == before)
    withExtendedLifetime(disk) {}
  }
}
