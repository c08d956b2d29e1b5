import Foundation
import StrataSchema
import StrataTestSupport
import Testing

/// What `migrate --json` knows of files that were not upgraded.
@Suite struct FleetFailureTests {
  let run: CommandRunner

  /// `0.db` at version 0 and `5.db` at version 5.
  init() throws {
    run = try CommandRunner()
    try run.people("create", "0.db", "--version", "0", "--sample", "20", "--seed", "7")
    try run.people("create", "5.db", "--version", "5", "--sample", "20", "--seed", "7")
  }

  private func migrate(_ arguments: [String]) throws -> [[String: Any]] {
    let result = try run.people(["migrate", "--json"] + arguments, asNobody: false)
    #expect(result.status == 3, "\(result.errors)")
    return try files(result)
  }

  private func files(_ result: CommandRunner.Result) throws -> [[String: Any]] {
    #expect(try JSONSchema(ofCommand: "migrate").problems(JSON.parse(result.output)) == [])
    return try #require(result.json["files"] as? [[String: Any]])
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: run.path(path)))
  }

  /// Alone, in a worker, and in a dry run.
  private static let ways = [[], ["--journal", "j"], ["--dry-run"]]

  @Test(arguments: ways)
  func theVersionOfAFileThatFailsIsTold(way: [String]) throws {
    try write("mine", to: "old.db")

    let backup = try migrate(["0.db", "--backup", "old.db"] + way)
    #expect(backup.first?["status"] as? String == "failed")
    #expect(backup.first?["from"] as? Int == 0)
    #expect(backup.first?["to"] is NSNull)
    // An upgrade takes no file back.
    let newer = try migrate(["5.db", "--to", "3"] + way)
    #expect(newer.first?["from"] as? Int == 5)
  }

  @Test(arguments: ways)
  func whereNoVersionCanBeReadNoneIsTold(way: [String]) throws {
    try write("Dear diary", to: "diary.db")

    #expect(try migrate(["diary.db"] + way).first?["from"] is NSNull)
    #expect(try migrate(["none.db"] + way).first?["from"] is NSNull)
  }

  @Test(arguments: ways.prefix(2))
  func theTimeThatAFailureTookIsTold(way: [String]) throws {
    let writer = try SQLiteShell("0.db", in: run.folder)
    try writer.ask("BEGIN IMMEDIATE;")

    let file = try migrate(["0.db", "--wait", "1"] + way).first
    try writer.close()

    #expect((file?["error"] as? [String: String])?["code"] == "STR5113")
    #expect(file?["from"] as? Int == 0)
    #expect(try #require(file?["seconds"] as? Double) >= 1)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task")))
  func whatIsKnownOfAFileWhoseWorkerEndsIsTold() throws {
    let writer = try SQLiteShell("0.db", in: run.folder)
    try writer.ask("BEGIN IMMEDIATE;")
    let command = try run.startPeople(
      "migrate", "0.db", "--json", "--journal", "j", "--wait", "600")
    let tasks = "/proc/\(command.identifier)/task/\(command.identifier)/children"
    // It holds the names beside the file while it waits for the file itself.
    let lock = run.path("0.db-strata-upgrade")
    while command.isRunning, !FileManager.default.fileExists(atPath: lock) { usleep(10_000) }
    let worker = try #require(
      try String(contentsOfFile: tasks, encoding: .utf8).split(separator: " ").first.flatMap {
        Int32($0)
      })

    kill(worker, SIGKILL)
    let file = try files(try command.finish()).first
    try writer.close()

    #expect((file?["error"] as? [String: String])?["code"] == "STR5202")
    #expect(file?["from"] as? Int == 0)
    #expect(try #require(file?["seconds"] as? Double) > 0)
  }
}
