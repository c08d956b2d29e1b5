import Foundation
import StrataAdopt
import StrataSchema
import Testing

@testable import StrataCLI

@Suite("Room and drift")
struct TableTests {
  static let room = #"""
    {"formatVersion": 1, "database": {"version": 3, "identityHash": "x", "entities": [
      {"tableName": "news", "createSql": "CREATE TABLE", "fields": [
        {"fieldPath": "id", "columnName": "id", "affinity": "TEXT", "notNull": true},
        {"fieldPath": "headerImage", "columnName": "header_image", "affinity": "TEXT", "defaultValue": "'it''s'"}],
       "primaryKey": {"columnNames": ["id"], "autoGenerate": false},
       "indices": [{"name": "i", "unique": true, "columnNames": ["header_image"]}], "foreignKeys": []},
      {"tableName": "news_topics", "createSql": "CREATE TABLE", "fields": [
        {"fieldPath": "newsId", "columnName": "news_id", "affinity": "TEXT", "notNull": true},
        {"fieldPath": "rank", "columnName": "rank", "affinity": "INTEGER", "notNull": true, "defaultValue": "0"}],
       "primaryKey": {"columnNames": ["news_id", "rank"], "autoGenerate": false},
       "indices": [{"name": "j", "unique": false, "columnNames": ["rank"], "orders": ["DESC"]}],
       "foreignKeys": [{"table": "news", "onDelete": "CASCADE", "onUpdate": "NO ACTION", "columns": ["news_id"], "referencedColumns": ["id"]}]},
      {"ftsVersion": "FTS4", "ftsOptions": {"contentTable": "news"}, "tableName": "newsFts", "createSql": "",
       "fields": [{"fieldPath": "headerImage", "columnName": "header_image", "affinity": "TEXT", "notNull": true}],
       "primaryKey": {"columnNames": []}}],
     "views": [{"viewName": "latest", "createSql": "CREATE VIEW"}]}}
    """#

  @Test("Tables of Room keep columns, keys, uniqueness and foreign keys")
  func roomTables() throws {
    let fixture = try AdoptFixture(["com.example.NewsDatabase/3.json": Self.room])
    let history = try RoomFolder.read(fixture.folder.path, name: nil)
    let schema = try #require(try history.compiled().first)
    #expect(schema.name == "NewsDatabase")
    #expect(schema.version == 3)
    #expect(schema.model(named: "news")?.primaryKey == ["id"])
    #expect(schema.model(named: "news_topics")?.swiftName == "NewsTopics")
    #expect(
      schema.spelling("news", "header_image") == #"string? default string("it\'s") unique fulltext"#
    )
    #expect(
      schema.model(named: "news")?.property(named: "header_image")?.swiftName == "headerImage")
    #expect(schema.spelling("news_topics", "news_id") == "news cascade")
    #expect(schema.spelling("news_topics", "rank") == "int default int(0) indexed")
    #expect(schema.model(named: "news_topics")?.uniques == [["news_id", "rank"]])
    #expect(history.reasons("latest") == ["it is a view"])
    #expect(history.reasons("newsFts").count == 1)
  }

  @Test("Tables of drift keep columns, keys, defaults and references")
  func driftTables() throws {
    let fixture = try AdoptFixture([
      "drift_schema_v2.json": #"""
      {"_meta": {"version": "1.2.0"}, "entities": [
        {"id": 0, "references": [], "type": "table", "data": {"name": "users", "columns": [
          {"name": "id", "getter_name": "id", "moor_type": "int", "nullable": false, "defaultConstraints": "PRIMARY KEY AUTOINCREMENT", "dsl_features": ["auto-increment"]},
          {"name": "description", "getter_name": "description", "moor_type": "string", "nullable": false, "default_dart": "const Constant('new')", "dsl_features": []},
          {"name": "born", "getter_name": "born", "moor_type": "dateTime", "nullable": true, "dsl_features": []}],
          "unique_keys": [["description", "born"]], "constraints": ["CHECK (1)"]}},
        {"id": 1, "references": [0], "type": "table", "data": {"name": "groups", "columns": [
          {"name": "deleted", "moor_type": "bool", "nullable": true, "customConstraints": "NULL DEFAULT FALSE", "dsl_features": []},
          {"name": "owner", "moor_type": "int", "nullable": false, "customConstraints": "NOT NULL REFERENCES users(id) ON DELETE CASCADE", "dsl_features": ["unknown"]}]}},
        {"id": 2, "references": [0], "type": "index", "data": {"on": 0, "name": "i", "sql": null, "unique": false, "columns": ["born"]}},
        {"id": 3, "references": [0], "type": "trigger", "data": {"name": "watch", "on": 0, "sql": ""}}]}
      """#
    ])
    let history = try DriftFolder.read(fixture.folder.path, name: "People")
    let schema = try #require(try history.compiled().first)
    #expect(schema.version == 2)
    #expect(schema.model(named: "users")?.primaryKey == ["id"])
    #expect(schema.spelling("users", "description") == #"string default string("new")"#)
    #expect(schema.spelling("users", "born") == "date? indexed")
    #expect(schema.model(named: "users")?.uniques == [["description", "born"]])
    #expect(schema.spelling("groups", "deleted") == "bool? default bool(false)")
    #expect(schema.spelling("groups", "owner") == "users cascade")
    #expect(history.reasons("watch") == ["it is a trigger"])
    #expect(history.reasons("users") == ["the constraint CHECK (1)"])
  }

  @Test(
    "What is no history is refused with a sentence",
    arguments: [
      (["notes.txt": ""], "holds no schema of Room"), (["1.json": "{"], "is no JSON"),
      (["1.json": "{}"], "has no database with entities"),
      (
        ["2.json": #"{"database": {"version": 1, "entities": []}}"#],
        "another version than its name"
      ),
      (["a/1.json": "{}", "b/1.json": "{}"], "holds 2 databases"),
    ])
  func malformed(files: [String: String], sentence: String) throws {
    let fixture = try AdoptFixture(files)
    let error = #expect(throws: AdoptError.self) {
      try RoomFolder.read(fixture.folder.path, name: nil)
    }
    #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
  }

  private static func room(
    _ version: Int, _ tables: [(String, [(String, String, Bool)])]
  ) -> String {
    let entities = tables.map { name, columns in
      let fields = columns.map { column, affinity, notNull in
        #"{"fieldPath": "\#(column)", "columnName": "\#(column)", "affinity": "\#(affinity)", "notNull": \#(notNull)}"#
      }
      return
        #"{"tableName": "\#(name)", "createSql": "", "fields": [\#(fields.joined(separator: ", "))], "primaryKey": {"columnNames": ["id"], "autoGenerate": false}}"#
    }
    return
      #"{"formatVersion": 1, "database": {"version": \#(version), "entities": [\#(entities.joined(separator: ", "))]}}"#
  }

  @Test("Room: where things go and others of a fitting type come, each is a question")
  func goneWithCandidates() throws {
    let id = ("id", "INTEGER", true)
    let fixture = try AdoptFixture([
      "s/1.json": Self.room(
        1,
        [
          ("user", [id, ("first", "TEXT", false), ("last", "TEXT", false)]),
          ("note", [id, ("text", "TEXT", true), ("at", "INTEGER", true), ("size", "REAL", true)]),
          ("log", [id, ("line", "BLOB", true)]),
        ]),
      "s/2.json": Self.room(
        2,
        [
          ("user", [id, ("given", "TEXT", false), ("family", "TEXT", true)]),
          (
            "memo",
            [id, ("text", "TEXT", true), ("at", "INTEGER", true)]
              + ["a", "b", "c", "d", "e"].map { ($0, "BLOB", false) }
          ),
        ]),
      "s/3.json": Self.room(
        3,
        [("user", [id, ("given", "TEXT", false)]), ("memo", [id, ("text", "TEXT", true)])]),
    ])
    let history = try RoomFolder.read(fixture.path("s"), name: "App")
    let step = try #require(try history.step(2))
    #expect(step.contains(#"- "??? user.first""#), "\(step)")
    #expect(step.contains(#"- "??? user.last""#), "\(step)")
    #expect(step.contains(#"- "??? note""#), "\(step)")
    #expect(step.contains("- log"), "\(step)")
    let last = try #require(try history.step(3))
    #expect(!last.contains("???"), "\(last)")
    #expect(
      try AdoptedProject(
        history, date: "2026-11-21", answers: AdoptAnswers(["gone=drop", "required=zero"])
      ).frozen.openCount == 0)
  }
}
