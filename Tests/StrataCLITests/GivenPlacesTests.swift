import Foundation
import StrataSQLite
import Testing

@testable import StrataCLI

/// Messages name files as they were given, also where a store names them from the root.
@Suite struct GivenPlacesTests {
  /// In the folder `/home`, where `link.db` leads to `data/real.db`.
  private static func message(_ text: String, given: [String]) -> String {
    var places = GivenPlaces()
    for argument in given { places.add(argument) }
    return places.asGiven(text) { argument in
      switch argument {
      case "link.db":
        [.init(path: "/home/link.db"), .init(path: "/home/data/real.db", namesNeighbours: false)]
      case "../b.db": [.init(path: "/b.db")]
      case "out/", "./out/.": [.init(path: "/home/out")]
      case ".": [.init(path: "/home")]
      case "..": [.init(path: "/")]
      case "../app/": [.init(path: "/app")]
      case "folder/":
        [.init(path: "/home/folder"), .init(path: "/data/folder", namesNeighbours: false)]
      default: [.init(path: argument.hasPrefix("/") ? argument : "/home/" + argument)]
      }
    }
  }

  @Test(
    "A path from the root is that of an argument",
    arguments: [
      ("Another process is writing /home/a.db.", "Another process is writing a.db."),
      ("/home/a.db-wal and /home/a.db.kept-0-20260101", "a.db-wal and a.db.kept-0-20260101"),
      ("“/home/a.db” (/b.db)", "“a.db” (../b.db)"),
      (
        "/home/c.db, /other/home/a.db and x/home/a.db",
        "/home/c.db, /other/home/a.db and x/home/a.db"
      ),
      ("/home/link.db-wal", "link.db-wal"),
      (
        "There is no room left to write /home/data/real.db.",
        "There is no room left to write link.db."
      ),
      // Beside the link there is no such file.
      ("/home/data/real.db-wal", "/home/data/real.db-wal"),
      ("/home/data/real.db.kept-0-20260101", "/home/data/real.db.kept-0-20260101"),
      ("/home/full.db", "/home/full.db"),
      ("nothing of that", "nothing of that"),
    ])
  func messages(text: String, shown: String) {
    let given = ["a.db", "../b.db", "link.db", "full.db", "/home/full.db"]
    #expect(Self.message(text, given: given) == shown)
  }

  @Test(
    "A folder is named as the argument with what is in it, and its siblings are other files",
    arguments: [
      ("out/", "/home/out/a.db and /home/out", "out/a.db and out/"),
      ("out/", "/home/out-old/a.db, /home/out.db", "/home/out-old/a.db, /home/out.db"),
      ("./out/.", "/home/out/a.db", "./out/./a.db"),
      (".", "/home/a.db, “/home” and /home2/a.db", "./a.db, “.” and /home2/a.db"),
      ("..", "/a.db and /", "/a.db and .."),
      ("../app/", "/app/x.yaml in /app-data", "../app/x.yaml in /app-data"),
      ("folder/", "/data/folder/a.db, /data/folder2", "folder/a.db, /data/folder2"),
      // A name that goes on is one beside the folder.
      ("out", "/home/out/a.db, /home/out-old", "out/a.db, out-old"),
    ])
  func folders(argument: String, text: String, shown: String) {
    #expect(Self.message(text, given: [argument]) == shown)
  }

  // MARK: - In commands

  @Test("The summary of a fleet names files as its lines do, and the sibling of a folder as it is")
  func siblings() throws {
    let run = try CommandRunner()
    for name in ["fleet", "fleet-old"] {
      try FileManager.default.createDirectory(
        atPath: run.path(name), withIntermediateDirectories: false)
    }
    let old = run.path("fleet-old/a.db")
    try run.people("create", "fleet-old/a.db", "--version", "0", "--sample", "1")
    try run.people("create", "fleet-old/b.db", "--version", "0", "--sample", "1")
    try "no database".write(toFile: old, atomically: true, encoding: .utf8)

    let answer = try run.people(
      "migrate", run.path("fleet-old") + "/*.db", "--output", "fleet/", "--keep-going")

    #expect(answer.status == 3)
    #expect(answer.output.contains("failed: \(old)"), "\(answer.output)")
    #expect(answer.errors.contains("error: \(old)"), "\(answer.errors)")
    #expect(!(answer.output + answer.errors).contains("fleet/-old"))
  }

  @Test(
    "An import into a file that has no numbers left names its file as it was given",
    arguments: ["a.db", "./a.db"])
  func importing(name: String) throws {
    let run = try CommandRunner()
    try run.people("create", "a.db", "--version", "0", "--sample", "1")
    let exported = try run.people("export", "a.db").output
    let lines = exported.split(separator: "\n").prefix(1).joined() + "\n"
    try lines.write(toFile: run.path("a.jsonl"), atomically: true, encoding: .utf8)
    try Database(path: run.path("a.db"), mode: .readWrite)
      .execute("UPDATE _strata SET value = \(Int64(1) << 62) WHERE key = 'transaction'")

    let refused = try run.people("import", name, "a.jsonl", "--json")

    #expect(refused.status == 3)
    let error = refused.json["error"] as? [String: Any]
    let message = try #require(error?["message"] as? String)
    #expect(
      message.hasPrefix("\(name): the numbers of transactions are used up"), "\(message)")
    #expect(!(refused.output + refused.errors).contains(run.folder.path), "\(refused.errors)")
  }

  /// A file in the folder `data` that was upgraded, with the old one kept beside it.
  private func withKeptFile() throws -> CommandRunner {
    let run = try CommandRunner()
    try FileManager.default.createDirectory(
      atPath: run.path("data"), withIntermediateDirectories: false)
    try run.people("create", "data/a.db", "--version", "0", "--sample", "3")
    try FileManager.default.copyItem(
      atPath: run.path("data/a.db"), toPath: run.path("data/a.db.kept-0-20260101"))
    try run.people("migrate", "data/a.db", "-q")
    return run
  }

  /// What is kept beside the file itself is not beside the link, though both have one name.
  @Test("A kept file is found behind a link, and another one beside the link is not taken")
  func keptFilesBehindALink() throws {
    let run = try withKeptFile()
    try FileManager.default.createSymbolicLink(
      atPath: run.path("a.db"), withDestinationPath: "data/a.db")
    try run.people("create", "a.db.kept-0-20260101", "--version", "0", "--sample", "7")

    let answer = try run.people("downgrade", "a.db", "--dry-run", "--json")

    #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
    let old = try #require(answer.json["old"] as? String)
    #expect(old.hasPrefix("/") && old.hasSuffix("/data/a.db.kept-0-20260101"), "\(old)")
  }

  @Test("A kept file is named beside the file that was given")
  func keptFiles() throws {
    let run = try withKeptFile()

    let answer = try run.people("downgrade", "data/a.db", "--dry-run", "--json")
    #expect(answer.json["old"] as? String == "data/a.db.kept-0-20260101", "\(answer.errors)")

    let rekeyed = try run.people("rekey", "data/a.db", "--checksums")
    #expect(
      rekeyed.errors
        == "note: data/a.db.kept-0-20260101, an old file that is kept beside, is as it was: "
        + "rekey it, too, or remove it\n")
  }
}
