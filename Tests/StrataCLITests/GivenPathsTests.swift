import Foundation
import StrataSchema
import Testing

@testable import StrataCLI

/// Paths that begin with `file:` stand in answers, reports and journals as they were given.
@Suite struct GivenPathsTests {
  private static func paths(_ given: [String]) -> GivenPaths {
    var paths = GivenPaths()
    for path in given { paths.add(path, spelled: PathArgument.spelledPlain(path)) }
    return paths
  }

  @Test(
    "In a sentence the longest known path stands for itself",
    arguments: [
      ("./file:a is missing", "file:a is missing"),
      ("./file:ab is missing", "./file:ab is missing"),
      ("./file:a.db-wal is beside ./file:a.db", "file:a.db-wal is beside file:a.db"),
      ("“./file:a”, ‘./file:a’ and (./file:a)", "“file:a”, ‘file:a’ and (file:a)"),
      ("./:memory:: 3 objects", ":memory:: 3 objects"),
      ("../file:a and x./file:a and y/./file:a", "../file:a and x./file:a and y/./file:a"),
      ("./file:b", "./file:b"),
    ])
  func sentences(text: String, shown: String) {
    let paths = Self.paths(["file:a", "./file:ab", "file:a.db", ":memory:"])
    #expect(paths.asGiven(text) == shown)
  }

  @Test("Names that look alike are two files")
  func accents() {
    let paths = Self.paths(["file:\u{E9}", "./file:e\u{301}"])
    let shown = ["./file:\u{E9}", "./file:e\u{301}"].map { Array(paths.asGiven($0).utf8) }
    #expect(shown == [Array("file:\u{E9}".utf8), Array("./file:e\u{301}".utf8)])
  }

  /// What each place in a text costs: it was a search for each of the paths.
  @Test("Of a thousand names of one length there is one look-up")
  func lookUps() {
    let paths = Self.paths((1000..<2000).map { "file:\($0).db" } + ["file:a"])
    #expect(paths.lengths == [14, 8])
    #expect(paths.asGiven("./file:1999.db and ./file:a") == "file:1999.db and file:a")
  }

  // MARK: - In commands

  @Test("A path that begins as another one keeps its spelling")
  func beginnings() throws {
    let run = try CommandRunner()
    for name in ["file:a", "file:ab"] { try run.people("create", name, "--version", "0") }
    try FileManager.default.createDirectory(
      atPath: run.path("x."), withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: run.path("file:a"), toPath: run.path("x./file:a"))

    let given = ["file:a", "./file:ab", "x./file:a"]
    let result = try run.people(["inspect"] + given + ["--json"], asNobody: false)

    let files = result.json["files"] as? [[String: Any]] ?? []
    #expect(files.map { $0["file"] as? String } == given, "\(result.output)")
  }

  @Test("The report of a downgrade is what --json prints")
  func report() throws {
    let run = try CommandRunner()
    try run.people("create", "file:o.db", "--version", "0", "--sample", "3")
    try run.people("migrate", "file:o.db", "--output", "file:n.db", "-q")

    let printed = try run.people(
      "downgrade", "file:n.db", "--from", "file:o.db", "--report", "r.json", "--json")

    let report = try String(contentsOfFile: run.path("r.json"), encoding: .utf8)
    #expect(printed.json["file"] as? String == "file:n.db", "\(printed.output)")
    #expect(report == printed.output)
  }

  @Test("browse names its file as it was given")
  func browse() throws {
    let run = try CommandRunner()
    try run.people("create", "file:x.db", "--sample", "3")
    let command = try run.startPeople("browse", "file:x.db", "--json")
    let answer = try JSON.parse(try #require(command.nextLine()))
    #expect(answer["file"]?.string == "file:x.db")
    command.send(SIGINT)
    #expect(try command.finish().status == 0)
  }

  @Test("A journal has the paths as they were given, and is read however they are given")
  func journal() throws {
    let run = try CommandRunner()
    for name in ["file:1.db", "file:2.db"] {
      try run.people("create", name, "--version", "0", "--sample", "3")
    }
    try run.people("migrate", "file:*.db", "--output", "file:new", "--jobs", "2")

    let journal = try String(contentsOfFile: run.path("strata-migrate.journal"), encoding: .utf8)
    let outputs = try journal.split(separator: "\n").map { line in
      let entry = try JSON.parse(String(line))
      #expect(entry["outcome"]?["file"]?.string?.hasPrefix("file:") == true, "\(line)")
      #expect(entry["outcome"]?["output"] == entry["output"])
      return entry["output"]?.string ?? ""
    }
    #expect(outputs.sorted() == ["file:new/file:1.db", "file:new/file:2.db"])

    for output in ["file:new", "./file:new"] {
      let again = try run.people("migrate", "file:*.db", "--output", output, "--resume", "--json")
      let files = again.json["files"] as? [[String: Any]] ?? []
      #expect(files.map { $0["reason"] as? String } == ["finished", "finished"], "\(again.output)")
      #expect(
        files.map { $0["output"] as? String } == ["\(output)/file:1.db", "\(output)/file:2.db"])
    }
  }
}
