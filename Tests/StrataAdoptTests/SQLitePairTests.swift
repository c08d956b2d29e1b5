import Strata
import StrataSQLite
import StrataSchema
import StrataSource
import Testing

@testable import StrataAdopt
@testable import StrataCLI

/// Tables of pairs with a column whose name says that it orders them.
@Suite("Orders of join tables")
struct SQLitePairTests {
  private let scratch: AdoptScratch

  init() throws { scratch = try AdoptScratch() }

  /// A database of these statements, which is left open.
  private func make(_ statements: [String]) throws -> (path: String, database: Database) {
    let path = scratch.path + "/source.sqlite"
    let database = try Database(path: path, mode: .create)
    for statement in statements { try database.execute(statement) }
    return (path, database)
  }

  /// Adopts three songs, two playlists and what is between them.
  ///
  /// - Parameters:
  ///   - columns: of the table between them, beside its two foreign keys.
  ///   - entries: the song, the playlist, and the other columns.
  private func adopt(
    _ columns: String, _ entries: String
  ) throws -> (schema: Schema, notes: [String]) {
    let (path, database) = try make([
      "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT NOT NULL)",
      "CREATE TABLE playlist(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      "CREATE TABLE entry(song INTEGER NOT NULL REFERENCES song(id), playlist INTEGER NOT NULL REFERENCES playlist(id), \(columns))",
      "INSERT INTO song VALUES (1, 'A'), (2, 'B'), (3, 'C')",
      "INSERT INTO playlist VALUES (10, 'mine'), (20, 'yours')",
      "INSERT INTO entry VALUES \(entries)",
    ])
    database.close()
    let (project, data) = try scratch.adopt(try SQLiteAdoption(path: path, name: "App"))
    #expect(project.findings.errorCount == 0)
    #expect(data.check != nil)
    return (
      project.history.versions[0].schema,
      project.history.entries.map { "\($0.note.entity): \($0.note.reason)" }
    )
  }

  private func playlists() throws -> [[SQLiteValue]] {
    try scratch.database().rows(
      """
      SELECT p.name, s.title FROM "playlist.entry" e JOIN playlist p ON p._row = e._owner \
      JOIN song s ON s._row = e.value ORDER BY p.name, e._index
      """)
  }

  /// Another state of the same database would turn the list round, which would look the same.
  @Test(arguments: [
    ("(5, 1, 1)", "", false), ("(5, 1, 1), (6, 1, 2)", "", false),
    ("(5, 1, 1), (6, 1, 2)", ", UNIQUE (parent, position)", true),
  ])
  func ofOneTableWithItselfOnlyAUniquenessSaysWhoHasTheList(
    entries: String, unique: String, isList: Bool
  ) throws {
    let (path, database) = try make([
      "CREATE TABLE node(id INTEGER PRIMARY KEY)", "INSERT INTO node VALUES (1), (5), (6)",
      "CREATE TABLE links(child INTEGER NOT NULL REFERENCES node(id), parent INTEGER NOT NULL REFERENCES node(id), position INTEGER NOT NULL\(unique))",
      "INSERT INTO links VALUES \(entries)",
    ])
    database.close()

    let (project, _) = try scratch.adopt(try SQLiteAdoption(path: path, name: "App"))

    let schema = project.history.versions[0].schema
    #expect((schema.model(named: "links") == nil) == isList)
    guard isList else { return }
    #expect(
      try scratch.database().rows(
        "SELECT o.id, v.id FROM \"node.links\" l JOIN node o ON o._row = l._owner JOIN node v ON v._row = l.value ORDER BY l._index"
      ) == [[.integer(1), .integer(5)], [.integer(1), .integer(6)]])
  }

  @Test(
    "Where the numbers order the second one's elements, that one has the list",
    arguments: [
      "(3, 10, 1), (1, 10, 2), (2, 10, 3), (3, 20, 1), (2, 20, 2)",
      // A song's one number orders nothing.
      "(3, 10, 1), (1, 10, 2), (2, 10, 3)",
    ])
  func secondOwner(entries: String) throws {
    let (schema, notes) = try adopt("position INTEGER NOT NULL", entries)
    #expect(schema.spelling("playlist", "entry") == "[song] deny")
    #expect(schema.spelling("song", "entry") == nil)
    #expect(try playlists().prefix(3) == [["mine", "C"], ["mine", "A"], ["mine", "B"]])
    #expect(notes.contains("entry: the join table is the list playlist.entry"))
    #expect(
      notes.contains("entry: its position: the list keeps the order, and not the numbers"))
  }

  @Test(
    "Where they order the first one's, or there is nothing to order, that one has it",
    arguments: ["(3, 10, 2), (3, 20, 1), (2, 10, 2)", "(3, 10, 1), (2, 20, 1)"])
  func firstOwner(entries: String) throws {
    let (schema, _) = try adopt("position INTEGER NOT NULL", entries)
    #expect(schema.spelling("song", "entry") == "[playlist] deny")
  }

  @Test(
    "Where they may order either's, a uniqueness says whose; without one the table stays a model")
  func eitherOwner() throws {
    let entries = "(1, 10, 1), (2, 10, 2), (1, 20, 2), (2, 20, 1)"
    let (schema, _) = try adopt("position INTEGER NOT NULL, UNIQUE(position, playlist)", entries)
    #expect(schema.spelling("playlist", "entry") == "[song] deny")
    #expect(
      try playlists() == [["mine", "A"], ["mine", "B"], ["yours", "B"], ["yours", "A"]])

    let (other, _) = try SQLitePairTests().adopt("position INTEGER NOT NULL", entries)
    #expect(other.spelling("entry", "position") == "int")
  }

  @Test(
    "Numbers that order neither side's are values: the table stays a model",
    arguments: [
      // Of three, two have the same in the song and in the playlist.
      "(1, 10, 1, 5), (1, 20, 2, 5), (2, 10, 3, 5)",
      "(1, 10, 1, 1), (2, 10, 2, NULL)",
      // Songs have one each, and the playlist's are no order.
      "(1, 10, 1, 5), (2, 10, 2, 5)",
    ])
  func noOrder(entries: String) throws {
    let (schema, notes) = try adopt("id INTEGER PRIMARY KEY, rank INTEGER", entries)
    #expect(schema.spelling("entry", "rank") == "int?")
    #expect(schema.spelling("entry", "song") == "song deny")
    #expect(schema.spelling("entry", "playlist") == "playlist deny")
    #expect(notes.allSatisfy { !$0.contains("its rank") })
  }

  /// Of tables whose names are no legal ones, too.
  @Test func withAnEarlierDatabaseItIsWhatItIsThere() throws {
    let (path, database) = try make([
      "CREATE TABLE \"a song\"(id INTEGER PRIMARY KEY)",
      "CREATE TABLE \"set\"(id INTEGER PRIMARY KEY, \"the entry\" TEXT)",
      "CREATE TABLE \"the entry\"(song INTEGER NOT NULL REFERENCES \"a song\"(id), list INTEGER NOT NULL REFERENCES \"set\"(id), position INTEGER NOT NULL)",
      "INSERT INTO \"a song\" VALUES (1), (3)", "INSERT INTO \"set\" VALUES (10, ''), (20, '')",
      "INSERT INTO \"the entry\" VALUES (3, 10, 1), (1, 10, 2)",
    ])
    let first = try SQLiteAdoption(path: path, name: "App").history.versions[0].schema
    #expect(first.spelling("setModel", "theEntry2") == "[aSong] deny")

    // By these alone either side could have the list.
    try database.execute("INSERT INTO \"the entry\" VALUES (3, 20, 2)")
    database.close()

    let alone = try SQLiteAdoption(path: path, name: "App").history.versions[0].schema
    #expect(alone.model(named: "theEntry") != nil)
    let again = try SQLiteAdoption(path: path, name: "App", as: first).history.versions[0].schema
    #expect(again == first)
    let asModel = try SQLiteAdoption(path: path, name: "App", as: alone).history.versions[0].schema
    #expect(asModel == alone)
  }

  @Test("A list that would be called as the index of its owner's key is called otherwise")
  func listOfTheKeysName() throws {
    let (path, database) = try make([
      "CREATE TABLE song(id INTEGER PRIMARY KEY)", "CREATE TABLE playlist(id INTEGER PRIMARY KEY)",
      "CREATE TABLE PrimaryKey(playlist INT NOT NULL REFERENCES playlist(id), song INT NOT NULL REFERENCES song(id))",
      "INSERT INTO song VALUES (1), (2)", "INSERT INTO playlist VALUES (10)",
      "INSERT INTO PrimaryKey VALUES (10, 2), (10, 1)",
    ])
    database.close()

    let (project, data) = try scratch.adopt(try SQLiteAdoption(path: path, name: "App"))

    #expect(project.findings.errorCount == 0)
    #expect(project.history.versions[0].schema.spelling("playlist", "xPrimaryKey") == "[song] deny")
    #expect(data.transfer.elements == 2)
  }

  @Test("Pairs that lead to no row have no say in it, and keep their numbers")
  func strayPairs() throws {
    let (schema, _) = try adopt(
      "position INTEGER", "(3, 10, 1), (2, 10, 2), (3, 20, 1), (3, 77, 1), (99, 10, 2)")
    #expect(schema.spelling("playlist", "entry") == "[song] deny")
    #expect(try playlists() == [["mine", "C"], ["mine", "B"], ["yours", "C"]])
    let lines = try scratch.text("out/LEFT-OUT.jsonl").split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasSuffix(#""value":[10,99,2]}"#) == true)
    #expect(lines.last?.hasSuffix(#""value":[77,3,1]}"#) == true)
  }
}
