import Foundation
import Testing

/// What a command writes beside its databases never takes the place of one, nor of what is kept beside one.
@Suite struct WrittenPlacesTests {
  let run: CommandRunner

  /// `old.db` at version 0, `new.db` upgraded from it, and a copy of the old one that is kept beside that.
  init() throws {
    run = try CommandRunner()
    try run.people("create", "old.db", "--version", "0", "--sample", "10", "--seed", "7")
    try run.people("migrate", "old.db", "--output", "new.db", "-q")
    try copy("old.db", to: "new.db.kept-0-20260101")
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: run.path("key")))
    try FileManager.default.createSymbolicLink(
      atPath: run.path("link.db"), withDestinationPath: "new.db")
  }

  private func copy(_ name: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: run.path(name), toPath: run.path(other))
  }

  private func report(_ name: String) throws -> [String: Any] {
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: run.path(name))))
    return json as? [String: Any] ?? [:]
  }

  // MARK: - Reports

  @Test(arguments: [
    ["./new.db"], ["link.db"], ["none/../new.db"], ["./old.db", "--from", "old.db"],
    ["./new.db.kept-0-20260101"], ["new.db.kept-0-20260202"], ["new.db-wal"], ["new.db-shm"],
    ["new.db-journal"], ["old.db-wal", "--from", "old.db"], ["./out.db", "--output", "out.db"],
    ["out.db-wal", "--output", "out.db"], ["./b.db", "--backup", "b.db"],
    ["new.db-strata-upgrade-new"], ["./key", "--key-file", "key"],
  ])
  func aReportHasAPlaceOfItsOwn(_ options: [String]) throws {
    let before = try run.contents()

    for mode in [["--dry-run"], []] {
      let result = try run.people(
        ["downgrade", "new.db", "--report"] + options + mode, asNobody: false)
      #expect(result.status == 3)
      #expect(result.errors.contains("--report names"), "\(result.errors)")
    }

    #expect(try run.contents() == before)
  }

  @Test func aReportSaysWhatWasWritten() throws {
    try SQLiteShell("new.db", in: run.folder).ask(
      "UPDATE Person SET nickname = 'x' WHERE _row = 1;")
    try Data("kept".utf8).write(to: URL(fileURLWithPath: run.path("other.db")))
    let before = try run.digest("new.db")
    let taking = ["downgrade", "new.db", "--from", "old.db", "--accept-loss", "--report", "r.json"]

    let refused = try run.people(taking + ["--backup", "other.db"], asNobody: false)
    #expect(refused.status == 3)
    #expect(refused.errors.contains("other.db exists already"))
    #expect(try run.digest("new.db") == before)
    #expect(!FileManager.default.fileExists(atPath: run.path("r.json")))

    #expect(try run.people(taking + ["--dry-run"], asNobody: false).status == 0)
    #expect(try report("r.json")["written"] as? Bool == false)

    let taken = try run.people(taking + ["--backup", "b.db"], asNobody: false)
    #expect(taken.status == 0, "\(taken.errors)")
    #expect(try report("r.json")["written"] as? Bool == true)
    #expect(try run.digest("b.db") == before)
  }

  // MARK: - Other files

  @Test func aJournalIsNoLogOfADatabase() throws {
    let before = try run.contents()

    for journal in ["./new.db-wal", "old.db-journal", "out/old.db-shm", "key"] {
      let result = try run.people(
        "migrate", "old.db", "new.db", "--output", "out", "--journal", journal)
      #expect(result.status == 3)
      #expect(
        result.errors.contains("--journal names") || result.errors.contains("no journal"),
        "\(result.errors)")
    }

    #expect(try run.contents() == before)
  }

  @Test func aNewFileIsNoLogOfADatabase() throws {
    let before = try run.contents()

    for suffix in ["-wal", "-shm", "-journal"] {
      for arguments in [
        ["salvage", "new.db", "--output", "./new.db\(suffix)"],
        ["salvage", "old.db", "--output", "./new.db\(suffix)"],
        ["create", "new.db\(suffix)", "--version", "0"],
        ["migrate", "old.db", "--output", "new.db\(suffix)"],
        ["downgrade", "new.db", "--output", "old.db\(suffix)"],
      ] {
        let result = try run.people(arguments, asNobody: false)
        #expect(result.status == 3, "\(arguments)")
        #expect(result.errors.contains("is a name that belongs to"), "\(result.errors)")
      }
    }
    for name in ["new.db-strata-upgrade-new", "new.db.kept-0-20260202"] {
      #expect(try run.people("salvage", "new.db", "--output", name).status == 3)
    }

    #expect(try run.contents() == before)
  }

  @Test func aDependencyFileIsNoneOfThoseThatItNames() throws {
    let schema = "schema: S\nversion: 0\nmodels:\n  P: { properties: { n: int } }\n"
    let folder = run.folder.appendingPathComponent("schemas")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(schema.utf8).write(to: folder.appendingPathComponent("S.yaml"))

    for place in ["schemas/S.yaml", "./schemas/../schemas/S.yaml", "Generated/P+Strata.swift"] {
      let result = try run.strata("generate", "--output", "Generated", "--depfile", place)
      #expect(result.status == 3)
      #expect(result.errors.contains("--depfile names a file of its own"), "\(result.errors)")
    }

    #expect(
      try String(contentsOf: folder.appendingPathComponent("S.yaml"), encoding: .utf8) == schema)
    #expect(!FileManager.default.fileExists(atPath: run.path("Generated")))
  }
}
