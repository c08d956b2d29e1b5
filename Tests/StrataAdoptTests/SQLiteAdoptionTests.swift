import Strata
import StrataAdopt
import StrataFiles
import StrataSQLite
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

@Suite("Adopting SQLite databases")
struct SQLiteAdoptionTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  private static let library = """
    CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE book(isbn TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT 'untitled',
      author_id INTEGER REFERENCES author(id) ON DELETE CASCADE, price REAL, cover BLOB, extra,
      isNew BOOLEAN NOT NULL, CHECK (price > 0));
    CREATE INDEX book_title ON book(title);
    CREATE INDEX cheap ON book(price) WHERE price < 5;
    CREATE TABLE tag(id INTEGER PRIMARY KEY, label TEXT UNIQUE);
    CREATE TABLE book_tag(book TEXT NOT NULL REFERENCES book(isbn), tag INTEGER NOT NULL REFERENCES tag(id),
      position INTEGER, PRIMARY KEY(book, tag));
    CREATE TABLE loan(book TEXT NOT NULL REFERENCES book(isbn), day TEXT NOT NULL, PRIMARY KEY(book, day)) WITHOUT ROWID;
    CREATE VIEW titles AS SELECT title FROM book;
    CREATE TRIGGER noticed AFTER INSERT ON tag BEGIN SELECT 1; END;
    CREATE VIRTUAL TABLE search USING fts5(title);
    PRAGMA user_version = 4;
    INSERT INTO author VALUES (10, 'Ada'), (500, 'Bob');
    INSERT INTO book VALUES ('b', 'Second', 500, 2, x'0102', 7, 1), ('a', 'First', 10, 1.5, NULL, 'text', 0),
      ('c', 'Third', 99, NULL, NULL, x'FF', 1);
    INSERT INTO tag VALUES (1, 'red'), (2, 'green'), (3, NULL);
    INSERT INTO book_tag VALUES ('a', 1, 2), ('a', 3, 1), ('b', 2, 1);
    INSERT INTO loan VALUES ('a', '2026-01-02'), ('a', '2026-01-01'), ('c', '2026-01-01');
    """

  private func make(_ sql: String = library) throws -> String {
    let path = scratch.path + "/library.sqlite"
    let database = try Database(path: path, mode: .create)
    defer { database.close() }
    // One statement after the other; a trigger has a semicolon inside.
    var statement = ""
    for line in sql.split(separator: "\n") {
      statement += line + "\n"
      guard line.hasSuffix(";") else { continue }
      try database.execute(statement)
      statement = ""
    }
    return path
  }

  private func adopt() throws -> (AdoptedProject, AdoptedData) {
    try scratch.adopt(try SQLiteAdoption(path: try make(), name: "App"))
  }

  @Test("Tables are models, foreign keys links, join tables lists; the rest is named")
  func schema() throws {
    let (project, _) = try adopt()
    #expect(project.findings.errorCount == 0)
    let schema = project.history.versions[0].schema
    #expect(schema.version == 4)
    #expect(schema.models.map(\.name) == ["author", "book", "loan", "tag"])
    let book = try #require(schema.model(named: "book"))
    #expect(book.primaryKey == ["isbn"])
    #expect(
      book.properties.map { "\($0.name): \($0.type.spelling)" } == [
        "author_id: author?", "book_tag: [tag]", "cover: data?", "extra: any?", "isNew: bool",
        "isbn: string", "price: double?", "title: string",
      ])
    #expect(book.property(named: "author_id")?.deleteRule == .cascade)
    #expect(book.property(named: "title")?.index == .ordinary)
    #expect(book.property(named: "title")?.defaultValue == .string("untitled"))
    #expect(schema.model(named: "tag")?.property(named: "label")?.isUnique == true)
    #expect(schema.model(named: "loan")?.uniques == [["book", "day"]])
    let notes = project.history.entries.map { "\($0.note.entity): \($0.note.reason)" }
    #expect(notes.contains("titles: it is a view"))
    #expect(notes.contains("tag: the trigger noticed"))
    #expect(notes.contains("search: it is a virtual table, as those of full-text search"))
    #expect(notes.contains("book: its CHECK"))
    #expect(notes.contains("book: the index cheap: it is partial, or over an expression"))
    #expect(notes.contains("book_tag: the join table is the list book.book_tag"))
  }

  @Test("A database that ends inside of its last page is refused: SQLite takes zeros for the rest")
  func cutOff() throws {
    let path = try make()
    let files = POSIXFiles()
    let size = try #require(try files.size(of: path))
    let bytes = try files.read(path, from: 0, count: size - 1)
    try files.remove(path)
    try files.write(bytes, to: path, permissions: 0o600)
    let error = #expect(throws: MigrationError.self) {
      try scratch.adopt(try SQLiteAdoption(path: path, name: "App"))
    }
    #expect(error?.kind == .fileDamaged)
    #expect(error?.description.contains("It was cut off") == true)
  }

  @Test("Rows, links and lists in their order stand in the database, and a second reading agrees")
  func rows() throws {
    let (_, data) = try adopt()
    #expect(data.transfer.objects == ["author": 2, "book": 3, "loan": 3, "tag": 3])
    #expect(data.check?.parts == 14)
    let database = try scratch.database()
    func rows(_ sql: String) throws -> [[SQLiteValue]] { Array(try database.rows(sql)) }
    #expect(
      try rows(
        "SELECT b.title, a.name, b.price, b.isNew FROM book b LEFT JOIN author a ON a._row = b.author_id ORDER BY b.isbn"
      ) == [
        [.text("First"), .text("Ada"), .real(1.5), .integer(0)],
        [.text("Second"), .text("Bob"), .real(2), .integer(1)],
        [.text("Third"), .null, .null, .integer(1)],
      ])
    #expect(
      try rows("SELECT extra, cover FROM book ORDER BY isbn") == [
        [.text("text"), .null], [.integer(7), .blob([1, 2])], [.blob([4, 0xFF]), .null],
      ])
    #expect(
      try rows(
        "SELECT b.isbn, t._row - (SELECT min(_row) FROM tag) FROM \"book.book_tag\" l JOIN book b ON b._row = l._owner JOIN tag t ON t._row = l.value ORDER BY b.isbn, l._index"
      ) == [
        [.text("a"), .integer(2)], [.text("a"), .integer(0)], [.text("b"), .integer(1)],
      ])
    #expect(
      try rows("SELECT b.isbn, l.day FROM loan l JOIN book b ON b._row = l.book ORDER BY l._row")
        == [
          [.text("a"), .text("2026-01-01")], [.text("a"), .text("2026-01-02")],
          [.text("c"), .text("2026-01-01")],
        ])
    #expect(try rows("PRAGMA foreign_key_check").isEmpty)
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl")
        == #"{"$id":5,"$model":"book","property":"author_id","reason":"the value leads to no row","value":99}"#
        + "\n")
    let inspection = try FileInspector().inspect(scratch.path + "/out/App.db", target: nil)
    #expect(inspection.problem == nil)
    #expect(inspection.version == 4)
  }

  @Test(
    "Tables and rows are of one state: what others write in between is kept out, or not seen",
    arguments: ["DELETE", "WAL"])
  func oneState(journal: String) throws {
    let path = scratch.path + "/app.sqlite"
    let writer = try Database(path: path, mode: .create)
    defer { writer.close() }
    for sql in [
      "PRAGMA journal_mode = \(journal)", "CREATE TABLE a(id INTEGER PRIMARY KEY)",
      "CREATE TABLE b(id INTEGER PRIMARY KEY)", "INSERT INTO a VALUES (1), (2)",
      "INSERT INTO b VALUES (1)",
    ] {
      _ = try writer.rows(sql)
    }
    let adoption = try SQLiteAdoption(path: path, name: "App")
    if journal == "WAL" {
      try writer.execute("INSERT INTO a VALUES (3)")
    } else {
      #expect(throws: SQLiteError.self) { try writer.execute("INSERT INTO a VALUES (3)") }
    }

    let (_, data) = try scratch.adopt(adoption)

    #expect(data.transfer.objects == ["a": 2, "b": 1])
    #expect(data.check?.parts == 3)
    #expect(
      Array(
        try scratch.database().rows("SELECT _row FROM a UNION ALL SELECT _row FROM b ORDER BY 1"))
        == [[.integer(1)], [.integer(2)], [.integer(3)]])
    // The file is free again.
    try writer.execute("INSERT INTO a VALUES (4)")
  }

  @Test("A dry run reads all rows: it tells what a run tells, and writes nothing")
  func dryRun() throws {
    let path = try make()
    let adoption = try SQLiteAdoption(path: path, name: "App")
    let project = try AdoptedProject(adoption.history, date: "2026-11-22")
    let dry = try adoption.bring(into: nil, of: project)
    #expect(try POSIXFiles().contents(ofFolder: scratch.path) == ["library.sqlite"])

    let (_, data) = try scratch.adopt(try SQLiteAdoption(path: path, name: "App"))

    #expect(dry.leftOut == 1)
    #expect(dry.transfer.objects == data.transfer.objects)
    #expect(dry.transfer.values == data.transfer.values)
    #expect(dry.transfer.elements == data.transfer.elements)
    #expect(dry.transfer.exceptions == data.transfer.exceptions)
    #expect(dry.database == nil)
    #expect(dry.check == nil)
  }

  @Test("A text that is no UTF-8 is read with replacements, and its bytes are kept beside")
  func textsOfOtherEncodings() throws {
    let path = try make(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT NOT NULL, extra);
      INSERT INTO a VALUES (1, CAST(x'4DFC6C6C6572' AS TEXT), CAST(x'FF' AS TEXT)), (2, 'Zoë', 5);
      """)
    let (_, data) = try scratch.adopt(try SQLiteAdoption(path: path, name: "App"))
    #expect(data.check != nil)
    #expect(
      Array(try scratch.database().rows("SELECT name, extra FROM a ORDER BY _row")) == [
        [.text("M\u{FFFD}ller"), .text("\u{FFFD}")], [.text("Zoë"), .integer(5)],
      ])
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl").contains(
        #""property":"name","reason":"the text is no UTF-8: what is not was replaced","value":{"$data":"TfxsbGVy"}"#
      ))
  }

  @Test("A second run into its folder keeps what is said of the objects that stay there")
  func secondRun() throws {
    let (project, _) = try adopt()
    let before = try scratch.text("out/ADOPTED.md")
    #expect(before.contains("\n| book | 3 |\n"))
    #expect(before.contains("\nNot in the database as they were, each a line of"))

    let update = try #require(try AdoptedUpdate(path: scratch.path + "/out"))
    #expect(try update.write(project) == [])

    #expect(try scratch.text("out/ADOPTED.md") == before)
  }

  @Test("A required link of which a row leads nowhere becomes optional, reported")
  func danglingRequiredLink() throws {
    let path = try make(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY);
      CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES a(id), note TEXT);
      INSERT INTO b VALUES (1, 5, 'x');
      """)
    let (project, _) = try scratch.adopt(try SQLiteAdoption(path: path, name: "App"))
    let schema = project.history.versions[0].schema
    #expect(schema.model(named: "b")?.property(named: "a")?.type.spelling == "a?")
    #expect(
      project.history.entries.contains {
        $0.note.reason == "it is optional: 1 row has a value that leads to no row"
      })
  }
}
