import Foundation
import StrataSchema
import StrataTestSupport
import Testing

/// `migrate` of many files.
@Suite struct FleetTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    for folder in ["fleet/a", "fleet/b/deep"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: true)
    }
  }

  private static let paths = ["fleet/a/1.db", "fleet/a/2.db", "fleet/b/deep/1.db"]

  private func createFleet() throws {
    for path in Self.paths {
      try run.people("create", path, "--version", "0", "--sample", "20", "--seed", "7")
    }
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: run.path(path)))
  }

  private func statuses(_ result: CommandRunner.Result) -> [String: String] {
    let files = result.json["files"] as? [[String: Any]] ?? []
    return Dictionary(
      files.map { ($0["file"] as? String ?? "", $0["status"] as? String ?? "") }
    ) { first, _ in first }
  }

  private func version(_ path: String) throws -> Int? {
    try run.people("inspect", path, "--json").firstFile["version"] as? Int
  }

  @Test func aQuotedPatternFindsFilesInFoldersAndReportsThemInOrder() throws {
    try createFleet()
    let result = try run.people("migrate", "fleet/**/*.db", "--jobs", "2", "--json")
    #expect(result.status == 0)
    #expect(result.json["format"] as? String == "strata.migrate/1")
    let files = try #require(result.json["files"] as? [[String: Any]])
    #expect(files.map { $0["file"] as? String } == Self.paths)
    for file in files {
      #expect(file["status"] as? String == "upgraded")
      #expect(file["from"] as? Int == 0)
      #expect(file["to"] as? Int == 5)
      #expect(file["objects"] as? Int == 20)
      #expect(file["error"] is NSNull)
    }
  }

  @Test(
    "What other programs had in a file and the upgraded one has not is named",
    arguments: ["1", "2"])
  func whatIsLeftOut(jobs: String) throws {
    try createFleet()
    _ = try run.shell(
      "sqlite3 fleet/a/1.db 'CREATE TABLE notes (x)' 'CREATE VIEW \"all\" AS SELECT 1'")
    _ = try run.shell("cp fleet/a/1.db other.db")

    let told = try run.people("migrate", "other.db")
    let result = try run.people("migrate", "fleet/**/*.db", "--jobs", jobs, "--json")

    #expect(told.output.hasSuffix("; left out what other programs had in the file: all, notes\n"))
    let files = try #require(result.json["files"] as? [[String: Any]])
    #expect(files[0]["otherTables"] as? [String] == ["all", "notes"])
    #expect(files.dropFirst().allSatisfy { $0["otherTables"] == nil })
    #expect(try JSONSchema(ofCommand: "migrate").problems(JSON.parse(result.output)) == [])
  }

  @Test("Outputs and copies have the file's permissions, whatever the process masks")
  func permissions() throws {
    try createFleet()
    let modes = ["fleet/a/1.db": 0o660, "fleet/a/2.db": 0o604, "fleet/b/deep/1.db": 0o440]
    for (path, mode) in modes {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: run.path(path))
    }

    let result = try run.shell(
      "umask 077; people migrate 'fleet/**/*.db' --output out --backup kept --quiet")

    #expect(result.status == 0, "\(result.errors)")
    for (path, mode) in modes {
      let rest = path.dropFirst("fleet/".count)
      let (output, copy) = try (
        FileManager.default.attributesOfItem(atPath: run.path("out/\(rest)")),
        FileManager.default.attributesOfItem(atPath: run.path("kept/\(rest)"))
      )
      // What could only be read may be written by its owner from now on.
      #expect(output[.posixPermissions] as? Int == mode | 0o600)
      #expect(copy[.posixPermissions] as? Int == mode | 0o600)
    }
  }

  @Test(
    "A folder that a pattern leads into and that cannot be read is a failure, and no folder without files",
    arguments: [
      ("fleet/**/*.db", 0o000), ("fleet/*/*.db", 0o000), ("fleet/b/**/*.db", 0o000),
      ("fleet/b/*.db", 0o000), ("fleet/**/*.db", 0o444),
    ])
  func aFolderThatCannotBeRead(pattern: String, permissions: Int) throws {
    try createFleet()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: run.path("fleet/a"))
    for file in ["fleet/a/1.db", "fleet/a/2.db"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o666], ofItemAtPath: run.path(file))
    }
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: run.path("fleet/b"))
    defer {
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: run.path("fleet/b"))
    }

    let result = try run.people(
      "migrate", pattern, "--keep-going", "--json", asNobody: getuid() == 0)

    #expect(result.status == 3)
    let sentence = "The folder fleet/b cannot be read: this user has no permission."
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(statuses(result)["fleet/b"] == "failed")
    #expect(statuses(result)["fleet/a/1.db"] == (pattern.contains("/b/") ? nil : "upgraded"))
  }

  /// A `?` and a set stand for a character, whatever bytes it has.
  @Test func aPatternCountsCharacters() throws {
    try createFleet()
    let names = ["é.db", "😀.db", "e\u{301}.db", "\u{301}a.db"]
    for name in names {
      try FileManager.default.copyItem(
        atPath: run.path("fleet/a/1.db"), toPath: run.path("fleet/b/\(name)"))
    }
    func found(_ pattern: String) throws -> Set<[UInt8]> {
      Set(
        statuses(try run.people("migrate", pattern, "--dry-run", "--json")).keys
          .map { Array($0.utf8) })
    }
    func paths(_ names: String...) -> Set<[UInt8]> {
      Set(names.map { Array("fleet/b/\($0)".utf8) })
    }

    #expect(try found("fleet/b/?.db") == paths("é.db", "😀.db"))
    #expect(try found("fleet/b/[é😀].db") == paths("é.db", "😀.db"))
    #expect(try found("fleet/b/[!a-z].db") == paths("é.db", "😀.db"))
    #expect(try found("fleet/b/??.db") == paths("e\u{301}.db", "\u{301}a.db"))
    #expect(try found("fleet/b/\u{301}*.db") == paths("\u{301}a.db"))
  }

  @Test func hiddenFilesAndFoldersAreFoundWhereAPatternNamesThem() throws {
    try createFleet()
    try FileManager.default.moveItem(
      atPath: run.path("fleet/b"), toPath: run.path("fleet/.b"))
    try FileManager.default.moveItem(
      atPath: run.path("fleet/a/1.db"), toPath: run.path("fleet/a/.1.db"))
    func found(_ pattern: String) throws -> [String] {
      statuses(try run.people("migrate", pattern, "--dry-run", "--json")).keys.sorted()
    }

    #expect(try found("fleet/**/*.db") == ["fleet/a/2.db"])
    #expect(try found("fleet/.*/**/*.db") == ["fleet/.b/deep/1.db"])
    #expect(try found("fleet/**/.*.db") == ["fleet/a/.1.db"])
  }

  @Test func aFileWithSeveralNamesIsUpgradedOnce() throws {
    try createFleet()
    try FileManager.default.linkItem(
      atPath: run.path("fleet/a/1.db"), toPath: run.path("fleet/b/hard.db"))
    try FileManager.default.createSymbolicLink(
      atPath: run.path("fleet/b/symbolic.db"), withDestinationPath: "../a/2.db")
    let result = try run.people("migrate", "fleet/**/*.db", "fleet/a/1.db", "--json")
    #expect(statuses(result).keys.sorted() == Self.paths)
    #expect(try version("fleet/b/hard.db") == 5)
  }

  @Test func everyFileIsInExactlyOneShard() throws {
    try createFleet()
    for first in [0, 1] {
      var found: [String] = []
      for shard in first..<(first + 4) {
        let result = try run.people(
          "migrate", "fleet/**/*.db", "--shard", "\(shard)/4", "--dry-run", "--json")
        found += statuses(result).keys
      }
      #expect(found.sorted() == Self.paths)
    }
  }

  @Test func theFirstFailureStopsUnlessToldToKeepGoing() throws {
    try createFleet()
    try write("Dear diary", to: "fleet/a/0.db")
    let stopped = try run.people("migrate", "fleet/**/*.db", "--json")
    #expect(stopped.status == 3)
    #expect(
      statuses(stopped) == [
        "fleet/a/0.db": "failed", "fleet/a/1.db": "skipped", "fleet/a/2.db": "skipped",
        "fleet/b/deep/1.db": "skipped",
      ])
    let finished = try run.people("migrate", "fleet/**/*.db", "--keep-going")
    #expect(finished.status == 3)
    #expect(finished.output.contains("4 files: 3 upgraded, 0 current, 0 skipped, 1 failed"))
    #expect(finished.output.contains("fleet/a/0.db is not a database file"))
    #expect(try version("fleet/b/deep/1.db") == 5)
  }

  @Test func aSecondRunSkipsWhatIsFinishedAndTriesAgainWhatFailed() throws {
    try createFleet()
    try write("Dear diary", to: "fleet/a/0.db")
    try run.people("migrate", "fleet/**/*.db", "--keep-going")
    // As a process leaves it that was killed while it wrote.
    let journal = try FileHandle(
      forWritingTo: URL(fileURLWithPath: run.path("strata-migrate.journal")))
    try journal.seekToEnd()
    try journal.write(contentsOf: Data("{\"format\":\"strata.jour".utf8))
    try journal.close()
    try FileManager.default.removeItem(atPath: run.path("fleet/a/0.db"))
    try FileManager.default.removeItem(atPath: run.path("fleet/a/2.db"))
    for path in ["fleet/a/0.db", "fleet/a/2.db"] {
      try run.people("create", path, "--version", "1", "--sample", "3")
    }

    let resumed = try run.people("migrate", "fleet/**/*.db", "--resume", "--json")
    #expect(
      statuses(resumed) == [
        "fleet/a/0.db": "upgraded", "fleet/a/1.db": "skipped", "fleet/a/2.db": "upgraded",
        "fleet/b/deep/1.db": "skipped",
      ])
    let again = try run.people("migrate", "fleet/**/*.db", "--resume", "--json")
    #expect(Set(statuses(again).values) == ["skipped"])
  }

  @Test("Journals of other shards and runs that a pattern finds are no databases")
  func journalsOfOthers() throws {
    try createFleet()
    for options in ["", "--shard 1/2", "--shard 2/2", "--shard 1/3", ""] {
      let result = try run.shell("cd fleet/a && people migrate '*' --quiet \(options)")
      #expect(result.status == 0 && result.errors == "", "\(options): \(result.errors)")
    }
    #expect(FileManager.default.fileExists(atPath: run.path("fleet/a/strata-migrate.journal")))

    // One that is named is meant, and what only has such a name may be a database.
    let named = try run.shell("cd fleet/a && people migrate strata-migrate.1-of-2.journal")
    #expect(named.status == 3 && named.errors.contains("[STR5104]"), "\(named.errors)")
    try write("Dear diary", to: "fleet/a/strata-migrate.9-of-9.journal")
    let diary = try run.shell("cd fleet/a && people migrate '*' --keep-going")
    #expect(
      diary.output.contains("strata-migrate.9-of-9.journal is not a database file"),
      "\(diary.output)\(diary.errors)")
    #expect(diary.output.contains("3 files: 0 upgraded, 2 current, 0 skipped, 1 failed"))
  }

  @Test func backupsAndOutputsKeepTheirPlacesInAFolder() throws {
    try createFleet()
    try run.people("migrate", "fleet/**/*.db", "--output", "new")
    #expect(try version("new/b/deep/1.db") == 5)
    #expect(try version("fleet/b/deep/1.db") == 0)
    try run.people("migrate", "fleet/**/*.db", "--backup", "{}.old")
    #expect(try version("fleet/b/deep/1.db") == 5)
    #expect(try version("fleet/b/deep/1.db.old") == 0)
  }

  @Test("What a pattern finds goes into a folder, also where it is one file")
  func outputsOfAPatternThatFindsOneFile() throws {
    try run.people("create", "fleet/a/1.db", "--version", "0")
    let upgrade = ["migrate", "fleet/a/*.db", "--quiet"]

    let copied = try run.people(upgrade + ["--output", "new/out"], asNobody: false)
    let one = try run.people(upgrade + ["--backup", "old"], asNobody: false)
    try run.people("create", "fleet/a/2.db", "--version", "0")
    let two = try run.people(upgrade + ["--backup", "old"], asNobody: false)
    let named = try run.people("migrate", "new/out/1.db", "--output", "single.db")

    #expect([copied, one, two, named].map(\.errors) == ["", "", "", ""])
    for (path, expected) in [("new/out/1.db", 5), ("old/1.db", 0), ("old/2.db", 0)] {
      #expect(try version(path) == expected, "\(path)")
    }
    #expect(try version("single.db") == 5)
    let refused = try run.people(upgrade + ["--output", "single.db"], asNobody: false)
    #expect(refused.status == 64)
    #expect(
      refused.errors.contains("--output of a pattern names a folder, and single.db is a file."))
  }

  /// A place that moved with the number of files would be another one when the run is started again.
  @Test(arguments: [
    (["fleet/**/*.db"], ["b/deep/1.db"], ["a/1.db", "b/deep/1.db"]),
    (["fleet/**/*.db", "fleet/b/deep/1.db"], ["b/deep/1.db"], ["a/1.db", "b/deep/1.db"]),
    (["fleet/**/*.db", "fleet/b/**/*.db"], ["b/deep/1.db"], ["a/1.db", "b/deep/1.db"]),
    (["fleet/b/**/*.db", "fleet/a/*.db"], ["b/deep/1.db"], ["a/1.db", "b/deep/1.db"]),
    (["*/*/1.db", "*/b/*/1.db"], ["fleet/b/deep/1.db"], ["fleet/a/1.db", "fleet/b/deep/1.db"]),
  ])
  func placesOfAPatternAreCountedFromWhereItBegins(
    arguments: [String], one: [String], two: [String]
  ) throws {
    let upgrade = ["migrate", "--output", "new", "--resume", "--keep-going", "--quiet"] + arguments
    func outputs() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: run.path("new"))
        .filter { $0.hasSuffix(".db") }.sorted()
    }
    try run.people("create", "fleet/b/deep/1.db", "--version", "0")
    try run.people(upgrade, asNobody: false)
    #expect(try outputs() == one)

    try run.people("create", "fleet/a/1.db", "--version", "0")
    try run.people(upgrade, asNobody: false)
    #expect(try outputs() == two)
  }

  /// Where the link leads to is no folder that the others share.
  @Test func behindALinkAPlaceIsThatOfTheLink() throws {
    try FileManager.default.createDirectory(
      atPath: run.path("elsewhere"), withIntermediateDirectories: false)
    for file in ["fleet/a/1.db", "elsewhere/2.db"] {
      try run.people("create", file, "--version", "0")
    }
    try FileManager.default.createSymbolicLink(
      atPath: run.path("fleet/link"), withDestinationPath: "../elsewhere")

    try run.people("migrate", "fleet/*/*.db", "--output", "new")

    #expect(try version("new/a/1.db") == 5 && version("new/link/2.db") == 5)
  }

  /// The run was killed between the output and the journal's line about it.
  @Test func ofFilesThatFailNoFolderIsLeft() throws {
    try write("no database", to: "fleet/a/1.db")
    try write("no database", to: "fleet/b/deep/2.db")

    let one = try run.people("migrate", "fleet/a/1.db", "--output", "new/")
    let many = try run.people("migrate", "fleet/**/*.db", "--keep-going", "--output", "new")

    #expect(one.status == 3 && many.status == 3)
    #expect(!FileManager.default.fileExists(atPath: run.path("new")))
  }

  @Test func aCurrentFileNeedsNoBackupAndIsToldSo() throws {
    try run.people("create", "a.db")
    try run.people("create", "b.db")
    let told = "current; no backup, because nothing changed"

    let one = try run.people("migrate", "a.db", "--backup", "old/")
    let many = try run.people("migrate", "a.db", "b.db", "--backup", "old")

    #expect(one.output.contains(told))
    #expect(many.output.components(separatedBy: told).count == 3, "\(many.output)")
    #expect(!FileManager.default.fileExists(atPath: run.path("old")))
  }

  @Test func anOutputThatIsFinishedButNotInTheJournalIsTakenAsItIs() throws {
    try createFleet()
    try run.people("migrate", "fleet/**/*.db", "--output", "new")
    let journal = URL(fileURLWithPath: run.path("strata-migrate.journal"))
    let lines = try String(contentsOf: journal, encoding: .utf8).split(separator: "\n")
    try write(lines[..<2].joined(separator: "\n") + "\n", to: "strata-migrate.journal")

    let again = try run.people("migrate", "fleet/**/*.db", "--output", "new", "--keep-going")
    #expect(again.status == 3)
    #expect(again.errors.contains("new/b/deep/1.db exists already"))

    try write(lines[..<2].joined(separator: "\n") + "\n", to: "strata-migrate.journal")
    let resumed = try run.people(
      "migrate", "fleet/**/*.db", "--output", "new", "--resume", "--json")
    #expect(resumed.status == 0)
    #expect(
      statuses(resumed) == [
        "fleet/a/1.db": "skipped", "fleet/a/2.db": "skipped", "fleet/b/deep/1.db": "upgraded",
      ])
  }

  @Test func whatIsNoNumberOfAShardOrOfJobsIsWrongUsage() throws {
    for shard in ["5/4", "1/0", "a/4", "1", "-1/4", "1/4/2"] {
      #expect(try run.people("migrate", "a.db", "--shard=\(shard)").status == 64, "\(shard)")
    }
    #expect(try run.people("migrate", "a.db", "--jobs", "0").status == 64)
  }

  @Test func aPatternThatFindsNothingSaysSo() throws {
    let result = try run.people("migrate", "fleet/**/*.db")
    #expect(result.status == 3)
    #expect(result.errors.contains("No file matches fleet/**/*.db."))
  }
}
