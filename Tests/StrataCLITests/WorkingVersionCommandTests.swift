import Foundation
import Testing

/// A project whose declarations are ahead of its newest frozen version, as people work on it.
@Suite struct WorkingVersionCommandTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    try declare(version: 0, "name: string")
    try run.strata("freeze")
    try declare(version: 1, "name: string", "age: int32?")
    // What a program of yesterday has written.
    try run.strata("freeze")
    try run.strata("create", "a.db", "--version", "1", "--sample", "5", "--seed", "7")
    for file in ["schemas/versions/1.yaml", "schemas/schema.lock"] {
      try FileManager.default.removeItem(atPath: run.path(file))
    }
    try declare(version: 0, "name: string")
    try run.strata("freeze", "--repair")
    _ = try run.shell(
      "sqlite3 a.db \"DELETE FROM _strata WHERE key = 'chain'\" 'PRAGMA wal_checkpoint(TRUNCATE)'")
  }

  private func declare(version: Int, _ properties: String...) throws {
    let text =
      "schema: Test\nversion: \(version)\nmodels:\n  Person:\n    properties:\n"
      + properties.map { "      \($0)\n" }.joined()
    let url = run.folder.appendingPathComponent("schemas/test.yaml")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  @Test func anEarlierShapeIsInspectedPlannedAndUpgraded() throws {
    try declare(version: 1, "name: string", "age: double?", "email: { type: string, default: '-' }")

    let before = try run.strata("inspect", "a.db", "--json").firstFile
    #expect(before["status"] as? String == "upgradable", "\(before)")
    #expect(before["version"] as? Int == 1)
    let plan = try run.strata("plan", "a.db", "--json").json
    #expect(plan["status"] as? String == "upgradable")
    #expect(plan["steps"] as? [Int] == [1])
    #expect(try run.strata("plan", "a.db").output.hasPrefix("a.db: version 1, an earlier shape"))
    let result = try run.strata("migrate", "a.db", "--json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.firstFile["status"] as? String == "upgraded")
    #expect(try run.strata("inspect", "a.db", "--json").firstFile["status"] as? String == "current")
    #expect(try run.strata("migrate", "a.db", "--json").firstFile["status"] as? String == "current")
    let exported = try run.strata("export", "a.db").output
    #expect(exported.split(separator: "\n").allSatisfy { $0.contains("\"email\":\"-\"") })
  }

  @Test func changesThatAreNotAutomaticAreListed() throws {
    try declare(version: 1, "name: string", "age: int", "email: string")
    let before = try run.contents()["a.db"]

    for command in ["migrate", "plan"] {
      let result = try run.strata(command, "a.db")
      #expect(result.status == 3)
      #expect(result.errors.contains("an earlier shape of version 1 of Test"), "\(result.errors)")
      #expect(result.errors.contains("'Person.age'"))
      #expect(result.errors.contains("'Person.email'"))
    }
    let file = try run.strata("inspect", "a.db", "--json").firstFile
    #expect(file["status"] as? String == "unknown-shape")
    #expect(try run.contents()["a.db"] == before)
  }

  /// Files of frozen versions go to the newest frozen one: what is worked on changes again tomorrow.
  @Test func filesOfFrozenVersionsDoNotBecomeFilesOfTheWorkingOne() throws {
    try run.strata("create", "b.db", "--version", "0", "--sample", "5")
    try declare(version: 1, "name: string", "age: double?")
    #expect(try run.strata("migrate", "b.db", "--json").firstFile["status"] as? String == "current")
  }
}
