import Strata
import StrataFiles
import StrataSQLite
import StrataSchema
import StrataSource
import Testing

@testable import StrataAdopt
@testable import StrataCLI

/// What a database of Room has beside the tables of its version: it comes in, or is named.
@Suite("Databases of Room with more than their version")
struct SQLiteHistoryTests {
  private let scratch: AdoptScratch

  init() throws {
    scratch = try AdoptScratch()
    func field(_ name: String, _ affinity: String) -> String {
      #"{"fieldPath": "\#(name)", "columnName": "\#(name)", "affinity": "\#(affinity)", "notNull": true}"#
    }
    _ = try scratch.write(
      "1.json",
      Array(
        """
        {"formatVersion": 1, "database": {"version": 1, "entities": [
          {"tableName": "topic", "createSql": "",
            "fields": [\(field("id", "INTEGER")), \(field("name", "TEXT")), \(field("kind", "TEXT"))],
            "primaryKey": {"columnNames": ["id"], "autoGenerate": false},
            "indices": [{"name": "index_topic_kind", "unique": false, "columnNames": ["kind"]}]},
          {"tableName": "noteFts", "createSql": "", "ftsVersion": "FTS4", "ftsOptions": {"contentTable": ""},
            "fields": [\(field("topic", "TEXT")), \(field("body", "TEXT"))],
            "primaryKey": {"columnNames": [], "autoGenerate": false}},
          {"tableName": "topicFts", "createSql": "", "ftsVersion": "FTS4", "ftsOptions": {"contentTable": "topic"},
            "fields": [\(field("name", "TEXT"))], "primaryKey": {"columnNames": [], "autoGenerate": false}}
        ], "views": []}}
        """.utf8))
  }

  private static let room = [
    "CREATE TABLE topic(id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL)",
    "CREATE INDEX index_topic_kind ON topic(kind)",
    "CREATE VIRTUAL TABLE noteFts USING FTS4(topic TEXT NOT NULL, body TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE topicFts USING FTS4(name TEXT NOT NULL, content=`topic`)",
    "CREATE TRIGGER room_fts_content_sync_topicFts_BEFORE_DELETE BEFORE DELETE ON topic BEGIN DELETE FROM topicFts WHERE docid = OLD.rowid; END",
    "CREATE TABLE room_master_table(id INTEGER PRIMARY KEY, identity_hash TEXT)",
    "INSERT INTO topic VALUES (1, 'Tea', 'drink'), (2, 'Ink', 'tool')", "PRAGMA user_version = 1",
  ]

  private func adopt(
    _ more: String..., history: Bool = true
  ) throws -> (AdoptedProject, AdoptedData, notes: [String]) {
    let path = scratch.path + "/app.sqlite"
    let database = try Database(path: path, mode: .create)
    for statement in Self.room + more { try database.execute(statement) }
    database.close()
    let (project, data) = try scratch.adopt(
      try SQLiteAdoption(path: path, history: history ? scratch.path : nil, name: "App"))
    #expect(data.check != nil)
    return (
      project, data,
      project.history.entries.filter { $0.note.kind == .leftOut }
        .map { "\($0.note.entity): \($0.note.reason)" }
    )
  }

  @Test("A search table with texts of its own comes in with its rows")
  func searchTable() throws {
    let (_, data, notes) = try adopt(
      "INSERT INTO noteFts(docid, topic, body) VALUES (7, 'Tea', 'only here'), (3, 'Ink', 'black')")
    #expect(data.transfer.objects == ["noteFts": 2, "topic": 2])
    #expect(
      try scratch.database().rows("SELECT topic, body FROM noteFts ORDER BY _row") == [
        ["Ink", "black"], ["Tea", "only here"],
      ])
    #expect(notes == ["room_master_table: a table that the former library kept for itself"])
  }

  @Test("One with values that its version's types do not have is left out, and named with its rows")
  func searchTableOfOtherTypes() throws {
    let (_, data, notes) = try adopt(
      "INSERT INTO noteFts(topic, body) VALUES ('Tea', 'fine'), ('Tea', NULL)")
    #expect(data.transfer.objects == ["topic": 2])
    #expect(
      notes.contains(
        "noteFts: its 2 rows: noteFts.body has 1 row without a value, although it is required"))
    #expect(
      try scratch.text("out/ADOPTED.md").contains(
        "its 2 rows: noteFts.body has 1 row without a value"))
  }

  @Test("What the app made beside its version is named")
  func strangers() throws {
    let (_, _, notes) = try adopt(
      "CREATE TRIGGER stamped AFTER INSERT ON topic BEGIN SELECT 1; END",
      "CREATE VIEW names AS SELECT name FROM topic", "CREATE VIRTUAL TABLE draft USING fts5(text)",
      "INSERT INTO draft VALUES ('hello')", "CREATE INDEX part ON topic(name) WHERE name > 'x'",
      "CREATE UNIQUE INDEX pair ON topic(kind, name)", "CREATE INDEX byName ON topic(name)",
      "CREATE UNIQUE INDEX again ON topic(id)")
    #expect(
      notes.sorted() == [
        "draft: it is a virtual table, as those of full-text search; its row is in no other table",
        "names: it is a view",
        "room_master_table: a table that the former library kept for itself",
        "topic: the index byName over name: version 1 has none",
        "topic: the index part: it is partial, or over an expression",
        "topic: the trigger stamped",
        "topic: the unique index pair over kind, name: version 1 has none",
      ])
  }

  @Test(
    "Without the history the rows of a search table are counted, and nothing says that all is in the database"
  )
  func withoutHistory() throws {
    let (_, _, notes) = try adopt(
      "INSERT INTO noteFts(topic, body) VALUES ('Tea', 'only here'), ('Ink', 'black')",
      history: false)
    let virtual = "it is a virtual table, as those of full-text search"
    #expect(notes.contains("noteFts: \(virtual); its 2 rows are in no other table"))
    #expect(notes.contains("topicFts: \(virtual)"))
    #expect(
      try scratch.text("out/ADOPTED.md").hasSuffix(
        "\nEvery value of these objects is in the database.\n"))
  }
}
