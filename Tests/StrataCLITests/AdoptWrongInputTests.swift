import Foundation
import RealmFixtures
import StrataSQLite
import StrataSchema
import StrataTestSupport
import Testing

/// What a newcomer gives `strata adopt`, and what happens when a run is cut off: a sentence, and nothing half left.
@Suite("Wrong and interrupted adoptions")
struct AdoptWrongInputTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    try write("text", Array("hello\n".utf8))
    try write("empty", [])
    try write("good.realm", FixtureFiles.all(count: 3).file)
    try FileManager.default.createDirectory(
      atPath: run.path("folder"), withIntermediateDirectories: false)
    let database = try Database(path: run.path("tables.db"), mode: .create)
    try database.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT)")
    try database.execute("INSERT INTO note VALUES (1, 'a')")
    database.close()
    try Database(path: run.path("bare.db"), mode: .create).close()
  }

  private func write(_ name: String, _ bytes: [UInt8]) throws {
    let url = URL(fileURLWithPath: run.path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: run.folder.path).filter { $0 != "people" }
      .sorted()
  }

  @Test(
    "What is no file of the system is named, with what to do where there is something",
    arguments: [
      ("realm", "empty", "'empty' is empty: it holds no Realm"),
      ("realm", "text", "'text' cannot be read: it is no Realm file, which has 'T-DB' at byte 16"),
      ("realm", "folder", "'folder' is a folder: name the .realm file in it"),
      ("realm", "missing", "there is no 'missing'"),
      ("realm", "tables.db", "is a SQLite database, not a Realm file: 'adopt sqlite' brings it in"),
      ("sqlite", "empty", "empty is empty, not a database file"),
      ("sqlite", "text", "it starts with the text"), ("sqlite", "folder", "folder is a folder"),
      ("sqlite", "missing", "missing does not exist"),
      ("sqlite", "good.realm", "`strata adopt realm good.realm --output DIR`"),
      ("coredata", "empty", "empty is empty, not a database file"),
      ("coredata", "text", "it starts with the text"),
      ("coredata", "folder", "'folder' holds no .xcdatamodel"),
      ("coredata", "missing", "there is no 'missing'"),
      ("coredata", "tables.db", "'adopt sqlite' reads any SQLite database"),
      ("coredata", "good.realm", "`strata adopt realm good.realm --output DIR`"),
      ("room", "folder", "'folder' holds no schema of Room"), ("room", "text", "is not a folder"),
      ("drift", "missing", "'missing'"),
    ])
  func wrongSources(system: String, file: String, sentence: String) throws {
    let before = try (names(), run.contents())

    let result = try run.strata("adopt", system, file, "--output", "out")

    #expect(result.status == 3)
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.output == "")
    #expect(try names() == before.0)
    #expect(try run.contents() == before.1)
  }

  /// Opening one would wait for a program that writes to it.
  @Test("A pipe is not waited for", arguments: ["realm", "sqlite", "coredata"])
  func pipes(system: String) throws {
    for target in ["--output out", "--into tables.db"] {
      let result = try run.shell(
        "test -p pipe || mkfifo pipe; timeout -k 2 600 strata adopt \(system) pipe \(target)")

      #expect(result.status == 3)
      #expect(result.errors.contains("is a pipe, socket or device"), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test("With --json what went wrong is an object, as of other commands")
  func machineOutput() throws {
    let result = try run.strata("adopt", "sqlite", "missing", "--output", "out", "--json")

    #expect(result.status == 3)
    let json = try JSON.parse(result.output)
    #expect(try JSONSchema(ofCommand: "adopt").problems(json) == [])
    #expect(json["format"]?.string == "strata.adopt/1")
    #expect(json["source"]?.string == "missing")
    let message = try #require(json["error"]?["message"]?.string)
    #expect(message.contains("missing does not exist"))
    #expect(result.errors.contains(message))
  }

  @Test("A place that cannot take the result stays as it is", arguments: ["folder", "text"])
  func wrongPlaces(place: String) throws {
    try write("folder/note", [1])
    let before = try names()

    let result = try run.strata("adopt", "realm", "good.realm", "--output", place)

    #expect(result.status == 3)
    #expect(result.errors.contains("othing was written."), "\(result.errors)")
    #expect(try names() == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.path("folder")) == ["note"])
  }

  @Test(
    "What may not be read or written is a sentence",
    .enabled(if: getuid() == 0, "only root can become another user"))
  func permissions() throws {
    for name in ["good.realm", "tables.db"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: run.path(name))
    }
    for (system, file) in [("realm", "good.realm"), ("sqlite", "tables.db")] {
      let unread = try run.people(
        ["adopt", system, file, "--output", "out"], asNobody: true)
      #expect(unread.status == 3)
      #expect(
        unread.errors.localizedCaseInsensitiveContains("permission")
          || unread.errors.contains("cannot be read"), "\(unread.errors)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: run.path(file))
      let unwritten = try run.people(
        ["adopt", system, file, "--output", "folder/out"], asNobody: true)
      #expect(unwritten.status == 3)
      #expect(unwritten.errors.contains("folder/out"), "\(unwritten.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: run.path("folder")) == [])
  }

  // MARK: - Cut off

  private func makeLarge(_ rows: Int) throws {
    let place = URL(fileURLWithPath: run.path("large.db"))
    if FileManager.default.fileExists(atPath: place.path) {
      try FileManager.default.removeItem(at: place)
    }
    let database = try Database(path: place.path, mode: .create)
    defer { database.close() }
    try database.execute(
      "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT, other INTEGER REFERENCES note(id))")
    try database.execute(
      "WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < ?) INSERT INTO note SELECT x, 'note ' || x, 1 + x / 2 FROM i",
      .integer(Int64(rows)))
  }

  /// Cuts a run off that has begun to write.
  ///
  /// A run that is done before the signal comes, because the test stood still, says nothing: the next one has four times as much to do. One that
  /// no signal stops is done each time, and its result is given back.
  private func cutOff(
    _ signal: Int32, _ arguments: [String], environment: [String: String] = [:],
    hasBegun: () throws -> Bool, isDone: () throws -> Bool
  ) throws -> CommandRunner.Result {
    var rows = Self.rows
    while true {
      try makeLarge(rows)
      let running = try run.startPeople(
        ["adopt", "sqlite", "large.db"] + arguments, environment: environment)
      while running.isRunning, try !hasBegun() { sched_yield() }
      running.send(signal)
      let result = try running.finish()
      guard try isDone(), rows < Self.maximumRows else { return result }
      try? FileManager.default.removeItem(atPath: run.path("out"))
      rows *= 4
    }
  }

  private func hasDraft(besides before: [String]) throws -> Bool {
    try names().contains { $0.hasPrefix("out.adopting-") && !before.contains($0) }
  }

  private func hasOutput() -> Bool { FileManager.default.fileExists(atPath: run.path("out")) }

  private static let rows = 60_000
  private static let maximumRows = rows << 6

  @Test("Ctrl-C leaves nothing, and the same command then does it all")
  func interrupted() throws {
    try makeLarge(Self.rows)
    let before = try names()
    let result = try cutOff(
      SIGINT, ["--output", "out"], hasBegun: { try hasDraft(besides: before) }, isDone: hasOutput)

    #expect(result.status == 130, "\(result.errors)")
    #expect(
      result.errors.contains("large.db was cancelled. Nothing was written."), "\(result.errors)")
    #expect(try names() == before)
    try makeLarge(Self.rows)
    let again = try run.people("adopt", "sqlite", "large.db", "--output", "out")
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("note: 60,000"))
  }

  @Test("What a killed run leaves is removed by the next one; a folder of another kind is not")
  func killed() throws {
    try makeLarge(Self.rows)
    try FileManager.default.createDirectory(
      atPath: run.path("out.adopting-2026"), withIntermediateDirectories: false)
    try write("out.adopting-2026/diary.txt", [1])
    let before = try names()
    _ = try cutOff(
      SIGKILL, ["--output", "out"], hasBegun: { try hasDraft(besides: before) }, isDone: hasOutput)
    #expect(try names().count == before.count + 1)
    #expect(!hasOutput())

    try makeLarge(Self.rows)
    let again = try run.people("adopt", "sqlite", "large.db", "--output", "out")

    #expect(again.status == 0, "\(again.errors)")
    #expect(try names() == (before + ["out"]).sorted())
  }

  @Test("Copies of a killed run in the folder for temporary files are removed by a later one")
  func killedWithCopies() throws {
    let temporary = run.path("temporary")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    // Nothing where the folder goes while it is read.
    func copies() -> [String] {
      let paths = try? FileManager.default.subpathsOfDirectory(atPath: temporary)
      return (paths ?? []).filter { $0.contains(".db") }
    }
    _ = try cutOff(
      SIGKILL, ["--dry-run"], environment: ["TMPDIR": temporary],
      hasBegun: { !copies().isEmpty }, isDone: { copies().isEmpty })
    #expect(!copies().isEmpty)

    let later = try run.startPeople(
      ["adopt", "sqlite", "tables.db", "--dry-run"], environment: ["TMPDIR": temporary]
    ).finish()

    #expect(later.status == 0, "\(later.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
  }

  @Test(
    "What cannot be read is named with its line and column",
    arguments: [
      ("<model>\n<entity name=\"A>\n</model>", ":3:1: the value of 'name' has no end"),
      ("<model>\n  <entity>", ":2:11: the text ends inside <entity>"),
      ("<model><a></b></model>", ":1:14: <a> is closed by </b>"),
      ("", ":1:1: there is no element in it"),
      (
        "<!DOCTYPE m [\n<!ENTITY a \"aaaaaaaaaa\">\n<!ENTITY b \"&a;&a;&a;&a;\">]>\n<model>&b;</model>",
        ":1:1: it declares entities"
      ),
      ("<model>&a;</model>", "there is no entity 'a'"),
      (String(repeating: "<a>", count: 100_000), "elements are nested more than 32 deep"),
    ])
  func malformedXML(text: String, sentence: String) throws {
    try write("Shop.xcdatamodeld/Shop.xcdatamodel/contents", Array(text.utf8))
    let result = try run.strata("adopt", "coredata", "Shop.xcdatamodeld", "--dry-run")
    #expect(result.status == 3)
    #expect(
      result.errors.contains("Shop.xcdatamodeld/Shop.xcdatamodel/contents:"), "\(result.errors)")
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  @Test(
    "JSON that is none is named with its line and column",
    arguments: [
      ("{\"database\": {\n  \"version\": 1,\n  \"entities\": [}", ":3:16: it is no JSON"),
      ("", ":1:1: it is no JSON"), (String(repeating: "[", count: 100_000), "nested more than"),
    ])
  func malformedJSON(text: String, sentence: String) throws {
    try write("schemas/1.json", Array(text.utf8))
    let result = try run.strata("adopt", "room", "schemas", "--dry-run")
    #expect(result.status == 3)
    #expect(result.errors.contains("schemas/1.json:"))
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }
}
