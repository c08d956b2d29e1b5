import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// `SQLITE_READONLY_DBMOVED` and `SQLITE_IOERR_SHMSIZE`.
private let readOnlyBecauseMoved: Int32 = 1032
private let noRoomForIndex: Int32 = 4874

/// Lines of JSON become objects, whatever the order in which they stand.
@Suite struct ImportTests {
  private let bench: Workbench
  private let file: String

  init() throws {
    bench = try Workbench()
    file = try Graph.file("a.db", in: bench)
  }

  @discardableResult
  private func importing(
    _ lines: String..., into path: String? = nil
  ) throws -> (created: Int, updated: Int) {
    var rest = lines[...]
    return try ObjectImporter.run(into: path ?? file, target: nil, model: "Node") {
      rest.popFirst().map { Array($0.utf8) }
    }
  }

  /// The file was opened without a schema of the program's: nothing but another process makes it newer or older.
  @Test(arguments: [
    StoreError.fileIsNewer(path: "/data/a.db", version: 1, newest: 0),
    .needsMigration(path: "/data/a.db", from: 0, to: 1, reason: "it was taken back"),
    StoreError(SQLiteError(code: readOnlyBecauseMoved, message: "moved"), path: "/data/a.db"),
  ])
  func whatAnotherProcessDidMeanwhileIsTriedAgain(error: StoreError) {
    #expect(MigrationError(importing: error, path: "a.db").kind == .busy)
  }

  /// The log of the file that was replaced would be taken for that of the new one.
  @Test func whatBecomesOfTheLogOfAReplacedFileIsSaid() {
    let told = MigrationError(importing: .replaced(path: file, hasLog: true), path: "a.db")
    #expect(told.kind == .busy)
    #expect(
      told.description == """
        \(file): another process has put another file into its place. Nothing was written. \(file)-wal and \(file)-shm may be left of \
        the old one: remove them where nothing else has the new file open, before it is opened.
        """)
    let withoutLog = MigrationError(importing: .replaced(path: file, hasLog: false), path: "a.db")
    #expect(withoutLog.kind == .busy)
    #expect(
      withoutLog.description
        == "a.db was written anew by another process at this moment. Try again.")
  }

  @Test func aPathIsSaidOnce() {
    let error = StoreError.fileAccess(path: "/data/a.db", reason: "it is not a file")
    let told = MigrationError(importing: error, path: "a.db")
    #expect(told.description == "/data/a.db: it is not a file")
  }

  /// The index of the log is the first thing that needs room.
  @Test func aDiskWithoutRoomForTheIndexOfTheLogIsFull() {
    let error = SQLiteError(code: noRoomForIndex, message: "disk I/O error")
    #expect(StoreError(error, path: "a.db") == .diskFull(path: "a.db"))
    #expect(MigrationError(error, path: "a.db").kind == .diskFull)
  }

  private func problem(_ lines: String...) throws -> ImportError? {
    var rest = lines[...]
    var problem: ImportError?
    do {
      _ = try ObjectImporter.run(into: file, target: nil, model: "Node") {
        rest.popFirst().map { Array($0.utf8) }
      }
    } catch let error as ImportError {
      problem = error
    }
    // Nothing is stored then.
    #expect(try bench.sql(file, "SELECT count(*) FROM Node") == [[.integer(0)]])
    return problem
  }

  private func exported(_ path: String) throws -> [String] {
    var lines: [String] = []
    try ObjectExporter.export(path, target: nil) { lines.append($0) }
    return lines
  }

  @Test func aSecondLineWithoutAKeyIsNamed() throws {
    let schema = Schema(
      name: "Test", version: 0,
      models: [
        Model(name: "Node", primaryKey: ["id"], properties: [.optional("id", .string)])
      ])
    let target = UpgradeTarget(history: .chained("Test", [("2026-01-01", schema, nil)]))
    let path = try bench.sample("keys.db", version: 0, of: target, objects: 0)
    var lines = [#"{"id": null}"#, #"{"id": null}"#, "{}"][...]

    #expect(
      throws: ImportError(
        line: 3,
        message:
          "there is a Node with the primary key nil already, and the line does not name its key")
    ) {
      try ObjectImporter.run(into: path, target: nil, model: "Node") {
        lines.popFirst().map { Array($0.utf8) }
      }
    }
  }

  @Test func whatWasExportedIsTheSameWhenItIsImported() throws {
    for statement in Graph.objects { try bench.sql(file, statement) }
    let copy = try Graph.file("b.db", in: bench)
    var lines = try exported(file)
    #expect(lines.count == 400)
    // Links lead forwards and back.
    lines.sort { String($0.reversed()) < String($1.reversed()) }

    _ = try ObjectImporter.run(into: copy, target: nil, model: nil) {
      lines.popLast().map { Array($0.utf8) }
    }

    #expect(try Graph.digest(copy) == (try Graph.digest(file)))
  }

  @Test func linksLeadToLaterLinesAndBack() throws {
    try importing(
      #"{"$id":1,"n":1,"next":{"$id":2},"others":[{"$id":2},{"$id":1},{"$id":2}]}"#,
      #"{"$id":2,"n":2,"next":{"$id":1},"peers":[{"$id":1},{"$id":2},{"$id":1}]}"#)

    #expect(
      try bench.sql(
        file, "SELECT a.n, b.n FROM Node a JOIN Node b ON a.next = b._row ORDER BY a.n")
        == [[.integer(1), .integer(2)], [.integer(2), .integer(1)]])
    #expect(
      try bench.sql(
        file,
        "SELECT n FROM \"Node.others\" JOIN Node ON value = _row WHERE _owner = 1 ORDER BY _index")
        == [[.integer(2)], [.integer(1)], [.integer(2)]])
    #expect(
      try bench.sql(file, "SELECT count(*) FROM \"Node.peers\"") == [[.integer(2)]])
  }

  @Test func aLinkOfAnyTypeSaysItsModel() throws {
    try importing(
      #"{"n":1,"thing":{"$model":"Keyed","$id":7}}"#,
      #"{"n":2,"thing":{"$model":"Keyed","$key":3}}"#,
      #"{"$model":"Keyed","$id":7,"id":3}"#)

    let lines = try exported(file)
    #expect(
      lines[1] == #"{"$id":1,"$model":"Node","home":null,"n":1,"names":{},"next":null,"others":[],"#
        + #""peers":[],"tags":[],"text":null,"thing":{"$id":3,"$model":"Keyed"}}"#)
    #expect(lines[2].contains(#""thing":{"$id":3,"$model":"Keyed"}"#))
  }

  @Test func aKeyFindsObjectsOfTheFileAndOfTheImport() throws {
    try importing(#"{"$model":"Keyed","id":5}"#)

    let counts = try importing(
      #"{"$model":"Keyed","id":5,"node":{"$id":9}}"#, #"{"$id":9,"n":4}"#,
      #"{"$model":"Keyed","id":6,"places":[{"city":"Bonn","spot":{"raw":"AQ=="}}]}"#)

    #expect(counts.created == 2)
    #expect(counts.updated == 1)
    #expect(
      try bench.sql(file, "SELECT id, n FROM Keyed LEFT JOIN Node ON node = Node._row ORDER BY id")
        == [[.integer(5), .integer(4)], [.integer(6), .null]])
    #expect(
      try bench.sql(file, "SELECT city, raw FROM Place JOIN Spot ON spot = Spot._row")
        == [[.text("Bonn"), .blob([1])]])
  }

  @Test func theLastLineOfAnObjectCounts() throws {
    try importing(
      #"{"$id":1,"n":1}"#, #"{"$id":2,"n":2}"#,
      #"{"$model":"Keyed","id":5,"node":{"$id":1},"places":[{"city":"Bonn","height":2},{"city":"Rome"}]}"#,
      #"{"$model":"Keyed","id":6,"node":{"$id":1}}"#,
      #"{"$model":"Keyed","id":7,"node":{"$id":1}}"#,
      #"{"$model":"Keyed","id":5,"node":{"$id":2},"places":[{"city":"Oslo"}]}"#,
      #"{"$model":"Keyed","id":6,"node":null}"#, #"{"$model":"Keyed","id":7}"#)

    #expect(
      try bench.sql(file, "SELECT id, n FROM Keyed LEFT JOIN Node ON node = Node._row ORDER BY id")
        == [[.integer(5), .integer(2)], [.integer(6), .null], [.integer(7), .integer(1)]])
    // What its line leaves out of an embedded object has its default.
    #expect(try bench.sql(file, "SELECT city, height FROM Place") == [[.text("Oslo"), .null]])
  }

  // MARK: Input that comes late

  /// A slow producer keeps nobody from the file.
  @Test func untilInputComesOthersWrite() throws {
    var lines = [#"{"n":2}"#][...]

    let counts = try ObjectImporter.run(
      into: file, target: nil, model: "Node",
      awaitInput: { try bench.sql(file, "INSERT INTO Node(_row, n) VALUES (7, 1)") },
      nextLine: { lines.popFirst().map { Array($0.utf8) } })

    #expect(counts.created == 1)
    #expect(try bench.sql(file, "SELECT n FROM Node ORDER BY n") == [[.integer(1)], [.integer(2)]])
  }

  @Test func whatIsWrongWithTheFileIsToldBeforeInputComes() throws {
    for (path, model) in [("none.db", "Node"), (file, "Nope"), (file, "Place")] {
      var awaited = 0
      #expect(throws: MigrationError.self, "\(path) \(model)") {
        try ObjectImporter.run(
          into: path, target: nil, model: model, awaitInput: { awaited += 1 }, nextLine: { nil })
      }
      #expect(awaited == 0, "\(path) \(model)")
    }
  }

  @Test func anImportThatIsCancelledBeforeInputComesSaysSo() throws {
    var isCancelled = false
    let error = #expect(throws: MigrationError.self) {
      try ObjectImporter.run(
        into: file, target: nil, model: "Node", isCancelled: { isCancelled },
        awaitInput: {
          isCancelled = true
          throw MigrationError(.cancelled, "Reading standard input was cancelled.")
        }, nextLine: { nil })
    }
    #expect(error?.description == "The import into \(file) was cancelled. Nothing was stored.")
  }

  @Test func aLinkToNothingNamesItsLine() throws {
    let problem = try problem(
      #"{"$id":1,"n":1}"#, #"{"n":2,"next":{"$id":8}}"#, #"{"n":3,"next":{"$id":1}}"#)

    #expect(problem?.line == 2)
    #expect(problem?.message == "Node.next links to Node 8, which no line has as its \"$id\"")
  }

  /// As of two exports in one file.
  @Test func aNameOfTwoObjectsNamesItsLine() throws {
    let problem = try problem(
      #"{"$id":1,"n":1}"#, #"{"$id":1,"n":2}"#, #"{"n":3,"next":{"$id":1}}"#)

    #expect(problem?.line == 2)
    #expect(
      problem?.message == #"another object of this import is Node 1, too: "$id" names one"#)
  }

  @Test(arguments: [
    (#"{"text":"x"}"#, "Node.n is required and has no value"),
    (#"{"n":null}"#, "Node.n is required and cannot be null"),
    (#"{"n":"x"}"#, "Node.n is int, which \"x\" is not"),
    (#"{"n":1,"tags":"x"}"#, "Node.tags is set<string>, which \"x\" is not"),
    (
      #"{"$model":"Place","city":"x"}"#,
      "Place is embedded: its objects stand inside of their owners"
    ),
    // Models whose objects can be lines, and no others.
    (#"{"$model":"Nope","n":1}"#, "the file has no model Nope; it has Keyed, Node"),
    (
      #"{"n":1,"thing":{"$model":"Nope","$id":1}}"#,
      "the file has no model Nope; it has Keyed, Node"
    ),
    (#"{"n":1,"next":5}"#, "Node.next is a link: {\"$id\": …} or {\"$key\": …} is expected"),
    (
      #"{"n":1,"next":{"$id":1,"$model":"Keyed"}}"#,
      #"Node.next is a link to Node, and the line says "$model": "Keyed""#
    ),
    (#"{"n":1,"home":5}"#, "Node.home holds an object of Place itself: {…} is expected"),
    (
      #"{"n":1,"home":{"$model":"Spot","city":"x"}}"#,
      #"Node.home holds an object of Place, and the line says "$model": "Spot""#
    ),
    (#"{"n":1,"$id":"x"}"#, #""$id" is a whole number, which "x" is not"#),
    (#"{"n":1,"$id":null}"#, #""$id" is a whole number, which null is not"#),
    (#"{"n":1,"$model":7}"#, #""$model" is a text, which 7 is not"#),
    (#"{"n":9007199254740993.5}"#, "Node.n is int, which 9007199254740993.5 is not"),
    (#"{"n":1e400}"#, "Node.n is int, which 1e400 is not"),
    (#"{"n":1,"home":{"height":1}}"#, "Place.city is required and has no value"),
    // Of a collection the element is what is wrong.
    (#"{"n":1,"tags":[null]}"#, "Node.tags is set<string>, which null as element 1 is not"),
    (#"{"n":1,"tags":["a",2]}"#, "Node.tags is set<string>, which 2 as element 2 is not"),
    (
      #"{"n":1,"names":{"a":"x","b":7}}"#,
      "Node.names is map<string>, which 7 at the key b is not"
    ),
    (
      #"{"n":1,"others":[{"$id":1},null]}"#, "Node.others is [Node], which null as element 2 is not"
    ),
    (
      #"{"n":1,"others":[{"$id":1},5]}"#,
      #"Node.others is a link: {"$id": …} or {"$key": …} is expected as element 2"#
    ),
    (
      #"{"n":1,"peers":[{"$id":1,"$model":"Keyed"}]}"#,
      #"Node.peers is a link to Node, and the line says "$model": "Keyed" as element 1"#
    ),
    (
      #"{"n":1,"others":[{"$key":1}]}"#,
      #"Node.others links to Node, which has no primary key: {"$id": …} is expected as element 1"#
    ),
    (
      #"{"$model":"Keyed","id":1,"places":[{"city":"x"},5]}"#,
      "Keyed.places holds an object of Place itself: {…} is expected as element 2"
    ),
  ])
  func aWrongLineIsNamed(_ line: String, _ message: String) throws {
    let problem = try problem(#"{"n":1}"#, line)

    #expect(problem == ImportError(line: 2, message: message))
  }
}
