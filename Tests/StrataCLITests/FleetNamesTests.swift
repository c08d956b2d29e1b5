import Foundation
import Testing

/// Which of the names that a pattern finds `migrate` takes for databases.
@Suite struct FleetNamesTests {
  let run: CommandRunner

  /// `fleet/b/1.db` at version 0.
  init() throws {
    run = try CommandRunner()
    for folder in ["fleet/a", "fleet/b"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: true)
    }
    try run.people("create", "fleet/b/1.db", "--version", "0", "--sample", "20", "--seed", "7")
  }

  private func copy(_ path: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: run.path(path), toPath: run.path(other))
  }

  private func link(_ path: String, as other: String) throws {
    try FileManager.default.linkItem(atPath: run.path(path), toPath: run.path(other))
  }

  /// The files of a report, with what became of each.
  private func statuses(_ result: CommandRunner.Result) -> [String] {
    (result.json["files"] as? [[String: Any]] ?? []).map {
      "\($0["file"] as? String ?? ""): \($0["status"] as? String ?? "")"
    }
  }

  private func version(_ path: String) throws -> Int? {
    try run.people("inspect", path, "--json").firstFile["version"] as? Int
  }

  /// The age of the first person.
  private func firstLine(of path: String) throws -> String {
    let lines = try run.people("export", path, "--model", "Person").output.split(separator: "\n")
    return lines.first.map(String.init) ?? ""
  }

  // MARK: - Folders

  @Test func foldersMayBeginWithADash() throws {
    let folders = ["--schemas=-s", "--migrations=-m"]
    try FileManager.default.createDirectory(
      atPath: run.path("-s"), withIntermediateDirectories: false)
    func freeze(_ version: Int, _ properties: String) throws {
      let models = "models: { P: { properties: { \(properties) } } }"
      let text = "schema: Club\nversion: \(version)\n\(models)\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: run.path("-s/Club.yaml")))
      #expect(try run.strata(["freeze", "--date", "2026-11-21"] + folders).status == 0)
    }
    try freeze(0, "name: string")
    for file in ["1.db", "2.db"] {
      #expect(try run.strata(["create", file, "--sample", "3"] + folders).status == 0)
    }
    try freeze(1, "name: string, age: int?")

    let result = try run.strata(["migrate", "*.db", "--json"] + folders)

    #expect(statuses(result) == ["1.db: upgraded", "2.db: upgraded"], "\(result.errors)")
  }

  // MARK: - Hard links

  @Test func ofHardLinksTheOneWithALogIsUpgraded() throws {
    try link("fleet/b/1.db", as: "fleet/a/1.db")
    let writer = try SQLiteShell("fleet/b/1.db", in: run.folder)
    try writer.ask("UPDATE Person SET age = 99 WHERE _row = 1;")
    writer.command.send(SIGKILL)
    _ = try writer.command.finish()
    #expect(FileManager.default.fileExists(atPath: run.path("fleet/b/1.db-wal")))

    let result = try run.people("migrate", "fleet/**/*.db", "--json")

    #expect(result.status == 0, "\(result.output)")
    #expect(statuses(result) == ["fleet/b/1.db: upgraded"])
    #expect(try firstLine(of: "fleet/b/1.db").contains("\"age\":99"))
    #expect(!FileManager.default.fileExists(atPath: run.path("fleet/b/1.db-wal")))
    #expect(try firstLine(of: "fleet/a/1.db").contains("\"age\":99"))
  }

  @Test func aFileThatIsInUseByTwoOfItsNamesIsLeftAlone() throws {
    try link("fleet/b/1.db", as: "fleet/a/1.db")
    for name in ["fleet/a/1.db-wal", "fleet/b/1.db-wal"] {
      try Data("a log".utf8).write(to: URL(fileURLWithPath: run.path(name)))
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: run.path("fleet/b/1.db")))

    for mode in [[], ["--dry-run"]] {
      let result = try run.people(["migrate", "fleet/**/*.db", "--json"] + mode, asNobody: false)
      #expect(result.status == 3)
      #expect(statuses(result) == ["fleet/a/1.db: failed"])
      #expect(
        result.output.contains("fleet/a/1.db and fleet/b/1.db are names of one file"),
        "\(result.output)")
    }

    #expect(try Data(contentsOf: URL(fileURLWithPath: run.path("fleet/b/1.db"))) == before)
  }

  /// Shards are begun one after the other, and the log may be gone by then.
  @Test func whichNameIsInUseDoesNotChangeTheShard() throws {
    try link("fleet/b/1.db", as: "fleet/a/1.db")
    func shards() throws -> [Int] {
      try (0..<4).filter { shard in
        let result = try run.people(
          "migrate", "fleet/**/*.db", "--shard", "\(shard)/4", "--dry-run", "--json")
        return !statuses(result).isEmpty
      }
    }
    let before = try shards()

    let reader = try SQLiteShell("fleet/b/1.db", in: run.folder)
    try reader.ask("SELECT count(*) FROM Person;")

    #expect(before.count == 1)
    #expect(try shards() == before)
    try reader.close()
  }

  // MARK: - What stands beside databases

  @Test(arguments: [["fleet/b/*"], ["fleet/**"], ["fleet/b/1.db", "fleet/b/1.db.kept-0-20261127"]])
  func aKeptFileBelongsToItsDatabase(files: [String]) throws {
    for end in ["", "-2"] { try copy("fleet/b/1.db", to: "fleet/b/1.db.kept-0-20261127" + end) }
    let before = try run.digest("fleet/b/1.db")

    let result = try run.people(["migrate", "--json"] + files, asNobody: false)

    #expect(result.status == 0, "\(result.output)")
    #expect(statuses(result) == ["fleet/b/1.db: upgraded"])
    #expect(try version("fleet/b/1.db.kept-0-20261127") == 0)
    #expect(try run.people("downgrade", "fleet/b/1.db").status == 0)
    #expect(try run.digest("fleet/b/1.db") == before)
  }

  @Test(arguments: [
    // Named alone, without a database beside it, and with names that only look like it.
    ("1.db.kept-0-20261127", ["fleet/b/1.db.kept-0-20261127"]),
    ("2.db.kept-0-20261127", ["fleet/b/2*"]), ("1.db.kept-0", ["fleet/b/*kept*"]),
    ("1.db.kept-old-20261127", ["fleet/b/*kept*"]),
  ])
  func whatIsNoKeptFileIsTaken(name: String, files: [String]) throws {
    try copy("fleet/b/1.db", to: "fleet/b/" + name)

    let result = try run.people(["migrate", "--json"] + files, asNobody: false)

    #expect(statuses(result) == ["fleet/b/\(name): upgraded"], "\(result.errors)")
  }

  @Test(arguments: ["fleet/c/*", "fleet/c/**", "fleet/c/notes-journal"])
  func aFolderHasNoLog(files: String) throws {
    try FileManager.default.createDirectory(
      atPath: run.path("fleet/c/notes"), withIntermediateDirectories: true)
    try copy("fleet/b/1.db", to: "fleet/c/notes-journal")

    try run.people("migrate", files, "--keep-going")

    #expect(try version("fleet/c/notes-journal") == 5)
  }

  @Test func theOnlyFileIsNoJournal() throws {
    let result = try run.people("migrate", "fleet/b/1.db", "--journal", "./fleet/b/1.db")
    #expect(result.status == 3)
    #expect(result.errors.contains("--journal names a file of its own"), "\(result.errors)")
    #expect(try version("fleet/b/1.db") == 0)
  }

  // MARK: - What an earlier run has written

  /// Started again as after a kill, with a file that fails.
  @Test(arguments: [
    ("fleet/b/*", "{}.old", ["fleet/b/1.db.old", "fleet/b/2.db.old"]),
    ("fleet/**/*.db", "fleet/old", ["fleet/old/b/1.db", "fleet/old/b/2.db"]),
    ("fleet/**/*.db", "fleet/old/{}", ["fleet/old/fleet/b/1.db", "fleet/old/fleet/b/2.db"]),
    ("**/*.db", "old/", ["old/fleet/b/1.db", "old/fleet/b/2.db"]),
  ])
  func backupsAreNoDatabases(pattern: String, target: String, backups: [String]) throws {
    try copy("fleet/b/1.db", to: "fleet/b/2.db")
    try Data("Dear diary".utf8).write(to: URL(fileURLWithPath: run.path("fleet/b/3.db")))
    let upgrade = ["migrate", pattern, "--backup", target, "--keep-going", "--resume", "--json"]
    let first = try run.people(upgrade, asNobody: false)
    #expect(
      statuses(first) == [
        "fleet/b/1.db: upgraded", "fleet/b/2.db: upgraded", "fleet/b/3.db: failed",
      ])

    for _ in 0..<2 {
      let again = try run.people(upgrade, asNobody: false)
      #expect(
        statuses(again) == [
          "fleet/b/1.db: skipped", "fleet/b/2.db: skipped", "fleet/b/3.db: failed",
        ])
      #expect(again.errors.contains("left alone"), "\(again.errors)")
    }

    for backup in backups { #expect(try version(backup) == 0, "\(backup)") }
  }

  @Test func outputsAreNoDatabases() throws {
    try copy("fleet/b/1.db", to: "fleet/a/1.db")
    let upgrade = ["migrate", "fleet/**/*.db", "--output", "fleet/new", "--resume", "--json"]
    try run.people(upgrade, asNobody: false)

    let again = try run.people(upgrade, asNobody: false)

    #expect(statuses(again) == ["fleet/a/1.db: skipped", "fleet/b/1.db: skipped"])
    #expect(!FileManager.default.fileExists(atPath: run.path("fleet/new/new")))
  }

  /// The folder of the backups may be one of databases, too.
  @Test(arguments: [
    ["fleet/a/1.db", "fleet/b/1.db", "--backup", "fleet"],
    ["fleet/**/*.db", "--backup", "{}.old"], ["fleet/*/1.db", "--backup", "fleet"],
  ])
  func databasesInTheFolderOfTheBackupsStayThose(arguments: [String]) throws {
    try copy("fleet/b/1.db", to: "fleet/a/1.db")

    let result = try run.people(["migrate", "--dry-run", "--json"] + arguments, asNobody: false)

    #expect(
      (result.json["files"] as? [[String: Any]] ?? []).map { $0["file"] as? String }
        == ["fleet/a/1.db", "fleet/b/1.db"])
  }
}
