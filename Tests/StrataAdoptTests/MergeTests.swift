import Foundation
import RealmFixtures
import StrataAdopt
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataCLI
@testable import StrataFiles

/// A newer file of the same source goes into a database that is there.
@Suite("Adopting again, into a database")
struct MergeTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  private var source: String { scratch.path + "/shop.sqlite" }
  private var destination: String { scratch.path + "/out/App.db" }

  private func sql(_ path: String, _ statements: String...) throws {
    let database = try Database(path: path, mode: .create)
    defer { database.close() }
    for statement in statements { try database.execute(statement) }
  }

  private func text(_ query: String) throws -> [String] {
    let database = try scratch.database()
    defer { database.close() }
    return try database.rows(query).map { row in
      row.map { "\($0.ifText ?? $0.ifInteger.map(String.init) ?? "-")" }.joined(separator: " ")
    }
  }

  /// Authors with books that link to them, a list of tags, notes without a key, and pairs that are unique.
  private func make() throws {
    try sql(
      source, "CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      "CREATE TABLE tag(id INTEGER PRIMARY KEY, label TEXT)",
      "CREATE TABLE book(isbn TEXT PRIMARY KEY NOT NULL, title TEXT, author INTEGER REFERENCES author(id))",
      "CREATE TABLE book_tag(book TEXT NOT NULL REFERENCES book(isbn), tag INTEGER NOT NULL REFERENCES tag(id), position INTEGER, PRIMARY KEY(book, tag))",
      "CREATE TABLE note(text TEXT, book TEXT REFERENCES book(isbn))",
      "CREATE TABLE loan(day TEXT NOT NULL UNIQUE, book TEXT REFERENCES book(isbn))",
      "INSERT INTO author VALUES (10, 'Ada'), (20, 'Bob')",
      "INSERT INTO tag VALUES (1, 'red'), (2, 'green')",
      "INSERT INTO book VALUES ('a', 'First', 10), ('b', 'Second', 20)",
      "INSERT INTO book_tag VALUES ('a', 1, 1), ('a', 2, 2)",
      "INSERT INTO note VALUES ('good', 'a'), ('good', 'a'), ('bad', 'b')",
      "INSERT INTO loan VALUES ('monday', 'a'), ('friday', 'b')")
    try scratch.adopt(try SQLiteAdoption(path: source, name: "App"))
  }

  private func merge(commits: Bool = true) throws -> MergeReport {
    let file = try SQLiteAdoption(
      path: source, name: "App", as: try FileInspector().stored(at: destination).schema)
    let project = try AdoptedProject(file.history, date: "2026-11-22")
    return try AdoptedMerge(path: destination, folder: nil)
      .run(file, of: project, commits: commits).report
  }

  private func counts(_ report: MergeReport, _ model: String) -> [Int] {
    let counts = report.models[model] ?? MergeReport.Counts()
    return [counts.added, counts.updated, counts.unchanged, counts.others]
  }

  @Test("The same file again changes nothing, however often")
  func nothingTwice() throws {
    try make()
    for _ in 0..<2 {
      let report = try merge()
      #expect(report.total == MergeReport.Counts(unchanged: report.total.unchanged))
      #expect(report.total.unchanged == 11)
    }
    #expect(try text("SELECT count(*) FROM note") == ["3"])
    #expect(try text("SELECT count(*) FROM \"book.book_tag\"") == ["2"])
  }

  @Test("Lines of what is left out name the objects of the database that is there")
  func leftOut() throws {
    try sql(
      source, "CREATE TABLE a(id INTEGER PRIMARY KEY, s TEXT, f INTEGER REFERENCES a(id))",
      "INSERT INTO a(id, s) VALUES (10, 'x'), (20, 'y'), (30, 'z')")
    try scratch.adopt(try SQLiteAdoption(path: source, name: "App"))
    try sql(
      source, "INSERT INTO a(id, s) VALUES (1, 'new'), (2, CAST(x'fd' AS TEXT))",
      "UPDATE a SET s = CAST(x'fe' AS TEXT), f = 77 WHERE id = 30")

    #expect(counts(try merge(), "a") == [2, 1, 2, 0])

    #expect(
      try text("SELECT _row, id FROM a ORDER BY _row") == ["1 10", "2 20", "3 30", "4 1", "5 2"])
    let damaged = "the text is no UTF-8: what is not was replaced"
    #expect(
      try scratch.text("out/App.db.LEFT-OUT.jsonl").split(separator: "\n") == [
        #"{"$id":3,"$model":"a","property":"f","reason":"the value leads to no row","value":77}"#,
        #"{"$id":5,"$model":"a","property":"s","reason":"\#(damaged)","value":{"$data":"/Q=="}}"#,
        #"{"$id":3,"$model":"a","property":"s","reason":"\#(damaged)","value":{"$data":"/g=="}}"#,
      ])
  }

  @Test("Without a place for the lines of what is left out nothing is written")
  func noPlaceForLines() throws {
    try sql(source, "CREATE TABLE a(id INTEGER PRIMARY KEY, s TEXT)")
    try scratch.adopt(try SQLiteAdoption(path: source, name: "App"))
    try sql(source, "INSERT INTO a(id, s) VALUES (2, CAST(x'fd' AS TEXT))")
    try FileManager.default.createDirectory(
      atPath: destination + ".LEFT-OUT.jsonl", withIntermediateDirectories: false)

    let failure = #expect(throws: CommandFailure.self) { try merge() }

    #expect(failure?.message.contains("is a folder") == true)
    #expect(try text("SELECT count(*) FROM a") == ["0"])
  }

  @Test("A newer file adds and updates by primary key, with links to what is there and what comes")
  func aNewerFile() throws {
    try make()
    try sql(
      source, "DELETE FROM book_tag WHERE tag = 1", "DELETE FROM author WHERE id = 20",
      "INSERT INTO author VALUES (5, 'Cleo')", "UPDATE author SET name = 'Ada L.' WHERE id = 10",
      "UPDATE book SET author = 5 WHERE isbn = 'b'", "INSERT INTO book VALUES ('0', 'Zero', 10)",
      "INSERT INTO book_tag VALUES ('0', 2, 1)", "INSERT INTO note VALUES ('new', '0')",
      "UPDATE loan SET book = '0' WHERE day = 'monday'")

    let report = try merge()

    #expect(counts(report, "author") == [1, 1, 0, 1])
    #expect(counts(report, "book") == [1, 2, 0, 0])
    #expect(counts(report, "tag") == [0, 0, 2, 0])
    #expect(counts(report, "note") == [1, 0, 3, 0])
    #expect(counts(report, "loan") == [0, 1, 1, 0])
    #expect(
      try text(
        "SELECT b.isbn, b.title, a.name FROM book b JOIN author a ON a._row = b.author ORDER BY 1")
        == ["0 Zero Ada L.", "a First Ada L.", "b Second Cleo"])
    #expect(
      try text(
        "SELECT b.isbn, t.label FROM \"book.book_tag\" l JOIN book b ON b._row = l._owner JOIN tag t ON t._row = l.value ORDER BY 1, _index"
      ) == ["0 green", "a green"])
    #expect(
      try text(
        "SELECT l.day, b.isbn FROM loan l JOIN book b ON b._row = l.book ORDER BY 1")
        == ["friday b", "monday 0"])
    let again = try merge()
    #expect(again.total.added == 0)
    #expect(again.total.updated == 0)
    let database = try scratch.database()
    defer { database.close() }
    let schema = try FileInspector().stored(at: destination).schema
    #expect(try FileCheck(database: database, schema: schema).run() == [])
  }

  @Test("What the database has of its own stays, and what both have is the file's")
  func ownObjects() throws {
    try make()
    try sql(
      destination, "UPDATE author SET name = 'Other' WHERE id = 10",
      "INSERT INTO author(_row, id, name) VALUES (100, 99, 'Own')",
      "UPDATE _strata SET value = 101 WHERE key = 'nextRow'")

    let report = try merge()

    #expect(counts(report, "author") == [0, 1, 1, 1])
    #expect(try text("SELECT name FROM author ORDER BY id") == ["Ada", "Bob", "Own"])
  }

  /// One takes what another one has still, and gives up later; what counts is the end.
  @Test("Unique values that change places come as they are in the file")
  func uniqueValuesThatChangePlaces() throws {
    try sql(
      source, "CREATE TABLE person(id INTEGER PRIMARY KEY, mail TEXT UNIQUE)",
      "INSERT INTO person VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    try scratch.adopt(try SQLiteAdoption(path: source, name: "App"))
    let indexes = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY 1"
    let before = try text(indexes)
    try sql(
      source, "DELETE FROM person",
      "INSERT INTO person VALUES (1, 'b'), (2, 'a'), (3, NULL), (4, 'c')"
    )

    #expect(counts(try merge(), "person") == [1, 3, 0, 0])
    #expect(try text("SELECT id, mail FROM person ORDER BY id") == ["1 b", "2 a", "3 -", "4 c"])
    #expect(try text(indexes) == before)
  }

  @Test("What would not be unique at the end is named, and the database is as it was")
  func whatWouldNotBeUnique() throws {
    try sql(
      source, "CREATE TABLE person(id INTEGER PRIMARY KEY, mail TEXT UNIQUE)",
      "INSERT INTO person VALUES (1, 'a'), (2, 'b')")
    try scratch.adopt(try SQLiteAdoption(path: source, name: "App"))
    try sql(destination, "UPDATE person SET mail = 'own' WHERE id = 2")
    try sql(
      source, "UPDATE person SET mail = 'own' WHERE id = 1", "DELETE FROM person WHERE id = 2")

    let error = #expect(throws: MigrationError.self) { try merge() }
    #expect(
      error?.description.contains(
        "2 objects of person would have the same mail, which is unique: “own”") == true,
      "\(error?.description ?? "")")
    #expect(try text("SELECT id, mail FROM person ORDER BY id") == ["1 a", "2 own"])
  }

  @Test("A dry run counts the same, and the database is byte for byte as it was")
  func dryRun() throws {
    try make()
    try sql(source, "INSERT INTO author VALUES (5, 'Cleo')")
    let before = try POSIXFiles().read(destination, from: 0, count: 1 << 24)

    let report = try merge(commits: false)

    #expect(counts(report, "author") == [1, 0, 2, 0])
    #expect(try POSIXFiles().read(destination, from: 0, count: 1 << 24) == before)
    #expect(
      try POSIXFiles().contents(ofFolder: scratch.path + "/out").filter { $0.hasPrefix("App.db") }
        .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == ["App.db"])
  }

  @Test("A file with other tables is refused, and the database is as it was")
  func anotherSchema() throws {
    try make()
    try sql(source, "CREATE TABLE more(id INTEGER PRIMARY KEY)")
    let before = try POSIXFiles().read(destination, from: 0, count: 1 << 24)

    let error = #expect(throws: CommandFailure.self) { try merge() }

    #expect(
      error?.message.hasSuffix(
        "both version 0, of different schemas. From the one to the other: 'more' is added. Nothing was written."
      ) == true, "\(String(describing: error))")
    #expect(try POSIXFiles().read(destination, from: 0, count: 1 << 24) == before)
  }

  @Test("A user_version that is not the database's is refused; one that was never set says nothing")
  func versionsOfOneShape() throws {
    try sql(
      source, "PRAGMA user_version = 3", "CREATE TABLE person(id INTEGER PRIMARY KEY, mail TEXT)",
      "INSERT INTO person VALUES (1, 'a')")
    try scratch.adopt(try SQLiteAdoption(path: source, name: "App"))
    for (number, sentence) in [
      (2, "has version 3, and what comes is version 2. Name the folder that has the steps"),
      (4, "has version 3, and what comes is version 4. Upgrade it first"),
    ] {
      try sql(source, "PRAGMA user_version = \(number)", "UPDATE person SET mail = 'b'")
      let failure = #expect(throws: CommandFailure.self) { try merge() }
      #expect(failure?.message.contains(sentence) == true, "\(String(describing: failure))")
    }
    #expect(try text("SELECT mail FROM person") == ["a"])

    try sql(source, "PRAGMA user_version = 0")
    #expect(counts(try merge(), "person") == [0, 1, 0, 0])
    #expect(try text("SELECT mail FROM person") == ["b"])
  }

  /// Swift takes texts that differ in Unicode normalisation alone for equal, so that its own order of these four depends on where one
  /// begins to sort.
  @Test("An object whose keys of a map, or elements of a set, look alike is the same each time")
  func keysThatLookAlike() throws {
    let texts = ["e\u{301}", "\u{E9}", "\u{E9}bw", "\u{E9}u", "\u{FFFD}qgbxof"].map {
      Array($0.utf8)
    }
    let words = FixtureClass(
      name: "Words",
      columns: [
        .init(name: "map", type: 0, attributes: FixtureFiles.dictionary) { writer, _ in
          let values = writer.refs([writer.integers((1...5).map { $0 << 8 | 1 })])
          return writer.refs([writer.refs([writer.texts(texts), values])])
        },
        .init(name: "set", type: 2, attributes: FixtureFiles.set) { writer, _ in
          writer.refs([writer.texts(texts)])
        },
      ], count: 1)
    let file = try RealmAdoption(
      path: try scratch.write("words.realm", RealmFixture(classes: [words]).file), keyFile: nil,
      name: "App")
    let (project, _) = try scratch.adopt(file)

    for _ in 0..<12 {
      let report = try AdoptedMerge(path: destination, folder: nil)
        .run(file, of: project, commits: true).report
      #expect(report.total == MergeReport.Counts(unchanged: 1))
    }
    #expect(try text("SELECT count(*) FROM \"Words.map\"") == ["5"])
    #expect(try text("SELECT count(*) FROM \"Words.set\"") == ["5"])
  }

  @Test(
    "Every Realm file again adds nothing: lists, sets, dictionaries, embedded objects and mixed values are the same",
    .enabled(if: SharedRealmAdoptionTests.isThere, SharedRealmAdoptionTests.isMissing),
    arguments: SharedRealmAdoptionTests.entriesOnce)
  func realmFiles(_ entry: SharedRealmAdoptionTests.Entry) throws {
    let key = try entry.keyHex.map { try scratch.write("key", Array($0.utf8)) }
    let file = try RealmAdoption(
      path: SharedRealmAdoptionTests.folder + "/" + entry.name, keyFile: key, name: "App")
    let (project, data) = try scratch.adopt(file)
    let before = try text("SELECT count(*) FROM sqlite_schema")

    let report = try AdoptedMerge(path: destination, folder: nil)
      .run(file, of: project, commits: true).report

    #expect(report.total == MergeReport.Counts(unchanged: report.total.unchanged))
    let embedded = Set(project.history.versions[0].schema.models.filter(\.isEmbedded).map(\.name))
    #expect(
      report.total.unchanged
        == data.transfer.objects.filter { !embedded.contains($0.key) }.values.reduce(0, +))
    #expect(try text("SELECT count(*) FROM sqlite_schema") == before)
  }
}
