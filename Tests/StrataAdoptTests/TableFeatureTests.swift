import Foundation
import StrataAdopt
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

/// Each thing that schemas of Room and drift can say: adopted as it is, or a line of the report.
@Suite("What schemas of Room and drift can say")
struct TableFeatureTests {
  private func room(_ entities: String, _ more: String = "") throws -> (AdoptedHistory, Schema) {
    let fixture = try AdoptFixture([
      "com.example.Shop/1.json":
        #"{"formatVersion": 1, "database": {"version": 1, "entities": [\#(entities)]\#(more)}}"#
    ])
    let history = try RoomFolder.read(fixture.path("com.example.Shop"), name: nil)
    return (history, try #require(try history.compiled().first))
  }

  private static func field(
    _ name: String, _ affinity: String, notNull: Bool = true, default text: String? = nil,
    path: String? = nil
  ) -> String {
    let value = text.map { #", "defaultValue": "\#($0)""# } ?? ""
    return
      #"{"fieldPath": "\#(path ?? name)", "columnName": "\#(name)", "affinity": "\#(affinity)", "notNull": \#(notNull)\#(value)}"#
  }

  private static func entity(
    _ name: String, _ fields: [String], key: [String], automatic: Bool = false, _ more: String = ""
  ) -> String {
    let columns = key.map { "\"\($0)\"" }.joined(separator: ", ")
    return
      #"{"tableName": "\#(name)", "createSql": "CREATE TABLE", "fields": [\#(fields.joined(separator: ", "))], "primaryKey": {"columnNames": [\#(columns)], "autoGenerate": \#(automatic)}\#(more)}"#
  }

  @Test("Room: keys of one and of several columns, also those that the database numbers")
  func roomKeys() throws {
    let (history, schema) = try room(
      [
        Self.entity("a", [Self.field("id", "INTEGER")], key: ["id"], automatic: true),
        Self.entity(
          "b", [Self.field("x", "TEXT"), Self.field("y", "INTEGER")], key: ["x", "y"]),
        Self.entity("c", [Self.field("x", "REAL")], key: ["x"]),
      ].joined(separator: ","))
    #expect(schema.model(named: "a")?.primaryKey == ["id"])
    #expect(
      history.reasons("a", "id") == [
        "its numbers are no longer given out by the database (autoGenerate)"
      ])
    #expect(schema.model(named: "b")?.primaryKey == ["x", "y"])
    #expect(history.reasons("b") == [])
    #expect(schema.model(named: "c")?.primaryKey == [])
    #expect(history.reasons("c").count == 1)
  }

  @Test("Room: embedded columns keep their place in Swift, defaults are values or reported")
  func roomColumns() throws {
    let (history, schema) = try room(
      Self.entity(
        "a",
        [
          Self.field("id", "INTEGER"),
          Self.field("home_street", "TEXT", notNull: false, path: "home.street"),
          Self.field("n", "INTEGER", default: "-5"), Self.field("r", "REAL", default: "1.5"),
          Self.field("t", "TEXT", default: "'it''s'"), Self.field("null", "TEXT", notNull: false),
          Self.field("made", "INTEGER", default: "CURRENT_TIMESTAMP"),
          Self.field("sum", "INTEGER", default: "(1 + 2)"), Self.field("raw", "BLOB"),
          Self.field("none", "TEXT", notNull: false, default: "NULL"),
        ], key: ["id"]))
    #expect(schema.spelling("a", "home_street") == "string?")
    #expect(schema.model(named: "a")?.property(named: "home_street")?.swiftName == "homeStreet")
    #expect(schema.spelling("a", "n") == "int default int(-5)")
    #expect(schema.spelling("a", "r") == "double default double(1.5)")
    #expect(schema.spelling("a", "t") == #"string default string("it\'s")"#)
    #expect(schema.spelling("a", "raw") == "data")
    #expect(schema.spelling("a", "none") == "string?")
    #expect(history.reasons("a", "made") == ["its default CURRENT_TIMESTAMP is no int"])
    #expect(history.reasons("a", "sum") == ["its default (1 + 2) is no int"])
    #expect(history.reasons("a", "none") == [])
  }

  @Test(
    "Room: a foreign key is a link with its rule",
    arguments: [
      ("CASCADE", "NO ACTION", false, "b? cascade", 0), ("SET NULL", "NO ACTION", false, "b?", 0),
      ("RESTRICT", "CASCADE", true, "b deny", 0), ("NO ACTION", "NO ACTION", true, "b deny", 0),
      ("SET NULL", "NO ACTION", true, "b deny", 1),
      ("SET DEFAULT", "NO ACTION", false, "b? deny", 1),
      ("CASCADE", "SET NULL", true, "b cascade", 1),
    ])
  func roomForeignKeys(
    onDelete: String, onUpdate: String, notNull: Bool, spelling: String, notes: Int
  ) throws {
    let key =
      #", "foreignKeys": [{"table": "b", "onDelete": "\#(onDelete)", "onUpdate": "\#(onUpdate)", "columns": ["b_id"], "referencedColumns": ["id"]}]"#
    let (history, schema) = try room(
      [
        Self.entity(
          "a", [Self.field("id", "TEXT"), Self.field("b_id", "TEXT", notNull: notNull)],
          key: ["id"], key),
        Self.entity("b", [Self.field("id", "TEXT")], key: ["id"]),
      ].joined(separator: ","))
    #expect(schema.spelling("a", "b_id") == spelling)
    #expect(history.reasons("a", "b_id").count == notes)
  }

  @Test("Room: foreign keys that are no links leave their columns, and say so")
  func roomOtherForeignKeys() throws {
    let keys = #"""
      , "foreignKeys": [
        {"table": "b", "onDelete": "CASCADE", "onUpdate": "NO ACTION", "columns": ["x", "y"], "referencedColumns": ["x", "y"]},
        {"table": "c", "onDelete": "CASCADE", "onUpdate": "NO ACTION", "columns": ["z"], "referencedColumns": ["code"]},
        {"table": "gone", "onDelete": "CASCADE", "onUpdate": "NO ACTION", "columns": ["w"], "referencedColumns": ["id"]}]
      """#
    let fields = ["id", "x", "y", "z", "w"].map { Self.field($0, "TEXT") }
    let (history, schema) = try room(
      [
        Self.entity("a", fields, key: ["id"], keys),
        Self.entity("b", [Self.field("x", "TEXT"), Self.field("y", "TEXT")], key: ["x", "y"]),
        Self.entity("c", [Self.field("id", "TEXT"), Self.field("code", "TEXT")], key: ["id"]),
      ].joined(separator: ","))
    for name in ["x", "y", "z", "w"] { #expect(schema.spelling("a", name) == "string") }
    #expect(
      history.reasons("a", "x, y") == [
        "the foreign key to b: a link is over one column; the columns stay values"
      ])
    #expect(
      history.reasons("a", "z") == [
        "the foreign key to c: it leads to code, which is not the primary key; the column stays a value"
      ])
    #expect(history.reasons("a", "w") == ["the foreign key to gone: that table is not there"])
  }

  @Test("Room: indexes, search tables with their options, views, checks and collations")
  func roomRest() throws {
    let indices = #"""
      , "indices": [
        {"name": "i1", "unique": true, "columnNames": ["x"]},
        {"name": "i2", "unique": true, "columnNames": ["x", "y"]},
        {"name": "i3", "unique": false, "columnNames": ["y"]},
        {"name": "i4", "unique": false, "columnNames": ["y", "x"], "orders": ["ASC", "DESC"]}]
      """#
    let search = #"""
      {"ftsVersion": "FTS4", "ftsOptions": {"tokenizer": "porter", "tokenizerArgs": ["remove_diacritics=0"], "contentTable": "a",
       "languageIdColumnName": "", "matchInfo": "FTS4", "notIndexedColumns": ["y"], "prefixSizes": [2, 4], "preferredOrder": "ASC"},
       "tableName": "aFts", "createSql": "", "fields": [
         {"fieldPath": "x", "columnName": "x", "affinity": "TEXT", "notNull": true},
         {"fieldPath": "y", "columnName": "y", "affinity": "TEXT", "notNull": true}], "primaryKey": {"columnNames": []}}
      """#
    let checked = #"""
      {"tableName": "c", "createSql": "CREATE TABLE IF NOT EXISTS c (id TEXT COLLATE NOCASE, CHECK (id <> ''))",
       "fields": [{"fieldPath": "id", "columnName": "id", "affinity": "TEXT", "notNull": true}], "primaryKey": {"columnNames": ["id"]}}
      """#
    let (history, schema) = try room(
      [
        Self.entity(
          "a", [Self.field("id", "TEXT"), Self.field("x", "TEXT"), Self.field("y", "TEXT")],
          key: ["id"], indices), search, checked,
      ].joined(separator: ","), #", "views": [{"viewName": "v", "createSql": "CREATE VIEW"}]"#)
    #expect(schema.spelling("a", "x") == "string unique fulltext")
    #expect(schema.spelling("a", "y") == "string indexed")
    #expect(schema.model(named: "a")?.uniques == [["x", "y"]])
    #expect(schema.model(named: "a")?.indexes == [["y", "x"]])
    #expect(schema.model(named: "aFts") == nil)
    #expect(history.reasons("a") == ["the index over y, x is ascending"])
    #expect(
      history.reasons("aFts") == [
        "it is a search table over 'a': full-text indexes of its columns",
        "its prefixSizes 2, 4", "its tokenizer porter", "its tokenizerArgs remove_diacritics=0",
      ])
    #expect(history.reasons("c").count == 2)
    #expect(history.reasons("v") == ["it is a view"])
  }

  @Test("Room: a changed key is a question about duplicates, and a gap of numbers stays")
  func roomHistory() throws {
    let fields = [Self.field("id", "TEXT"), Self.field("rank", "INTEGER")]
    let fixture = try AdoptFixture([
      "S/2.json":
        #"{"database": {"version": 2, "entities": [\#(Self.entity("news_items", fields, key: ["id"]))]}}"#,
      "S/5.json":
        #"{"database": {"version": 5, "entities": [\#(Self.entity("news_items", fields, key: ["rank"]))]}}"#,
    ])
    let project = try AdoptedProject(
      try RoomFolder.read(fixture.path("S"), name: nil), date: "2026-11-21")
    #expect(
      project.files.map(\.path) == [
        "migrations/Migrations.swift", "migrations/5.yaml", "schemas/Models.swift",
        "schemas/S.yaml", "schemas/schema.lock", "schemas/versions/2.yaml",
        "schemas/versions/5.yaml",
      ])
    #expect(project.files[1].text.contains("news_items: { by: [rank], keep: \"???\" }"))
    #expect(project.findings.sorted.map(\.code) == ["STR4106"])
    #expect(project.frozen.openCount == 1)
  }

  @Test("Room: a search table over columns that are links, or hold no text, leaves those out")
  func roomSearchTableOfLinks() throws {
    let key =
      #", "foreignKeys": [{"table": "b", "onDelete": "NO ACTION", "onUpdate": "NO ACTION", "columns": ["b_id"], "referencedColumns": ["id"]}]"#
    let (history, schema) = try room(
      [
        Self.entity(
          "a",
          [
            Self.field("id", "INTEGER"), Self.field("b_id", "TEXT"), Self.field("t", "TEXT"),
            Self.field("n", "INTEGER"),
          ], key: ["id"], key),
        Self.entity("b", [Self.field("id", "TEXT")], key: ["id"]),
        Self.entity(
          "aFts", ["b_id", "t", "n"].map { Self.field($0, "TEXT") }, key: [],
          #", "ftsVersion": "FTS4", "ftsOptions": {"contentTable": "a"}"#),
      ].joined(separator: ","))

    #expect(schema.spelling("a", "b_id") == "b deny")
    #expect(schema.spelling("a", "t") == "string fulltext")
    #expect(schema.spelling("a", "n") == "int")
    #expect(history.reasons("a", "b_id") == ["its full-text index: a link has none"])
    #expect(history.reasons("a", "n") == ["its full-text index: it holds no text"])
  }

  @Test("Room: what a table says beside its columns is reported; a name with such a word is none")
  func roomWordsOfATable() throws {
    func reasons(_ columns: String) throws -> [String] {
      let table = Self.entity(
        "a", [Self.field("id", "INTEGER"), Self.field("isChecked", "INTEGER")], key: ["id"])
      return try room(table.replacing("CREATE TABLE", with: "CREATE TABLE `a` (\(columns))")).0
        .reasons("a")
    }

    #expect(try reasons("`isChecked` INTEGER, `check` TEXT DEFAULT 'COLLATE it'") == [])
    #expect(
      try reasons("`isChecked` INTEGER CHECK(isChecked < 2)") == [
        "its table says CHECK: CREATE TABLE `a` (`isChecked` INTEGER CHECK(isChecked < 2))"
      ])
  }

  @Test("drift: a default in a column's own constraints is its default, or is reported")
  func driftDefaultsInConstraints() throws {
    let columns = [
      ("a", "string", "NOT NULL DEFAULT 'open'"), ("b", "int", "NOT NULL DEFAULT -5"),
      ("c", "string", "NOT NULL DEFAULT 'it''s'"), ("d", "string", "NOT NULL DEFAULT ''"),
      ("e", "int", "NOT NULL DEFAULT (1 + 2)"),
    ].map {
      #"{"name": "\#($0.0)", "moor_type": "\#($0.1)", "nullable": false, "customConstraints": "\#($0.2)", "dsl_features": []}"#
    }
    let (history, schema) = try drift(
      #"{"id": 0, "references": [], "type": "table", "data": {"name": "t", "columns": [\#(columns.joined(separator: ","))]}}"#
    )

    #expect(schema.spelling("t", "a") == #"string default string("open")"#)
    #expect(schema.spelling("t", "b") == "int default int(-5)")
    #expect(schema.spelling("t", "c") == "string")
    #expect(schema.spelling("t", "d") == #"string default string("")"#)
    #expect(
      history.reasons("t", "c") == ["its default in the constraint NOT NULL DEFAULT 'it''s'"])
    #expect(
      history.reasons("t", "e") == ["its default in the constraint NOT NULL DEFAULT (1 + 2)"])
  }

  private func drift(_ entities: String, meta: String = "1.2.0", _ options: String = "") throws
    -> (AdoptedHistory, Schema)
  {
    let fixture = try AdoptFixture([
      "drift_schema_v7.json":
        #"{"_meta": {"version": "\#(meta)"}\#(options), "entities": [\#(entities)]}"#
    ])
    let history = try DriftFolder.read(fixture.folder.path, name: "Shop")
    return (history, try #require(try history.compiled().first))
  }

  @Test("drift: types of every edition of its format, converters and enums")
  func driftColumns() throws {
    let columns = [
      ("a", "int", "int"), ("b", "bigInt", "int64"), ("c", "string", "string"),
      ("d", "bool", "bool"), ("e", "dateTime", "date"), ("f", "double", "double"),
      ("g", "blob", "data"), ("h", "any", "any"), ("i", "ColumnType.integer", "int"),
      ("j", "ColumnType.text", "string"), ("k", "ColumnType.boolean", "bool"),
      ("l", "ColumnType.datetime", "date"), ("m", "ColumnType.real", "double"),
      ("n", "ColumnType.blob", "data"), ("o", "ColumnType.bigInt", "int64"),
    ]
    let json = columns.map {
      #"{"name": "\#($0.0)", "moor_type": "\#($0.1)", "nullable": true, "dsl_features": []}"#
    }
    let more = #"""
      {"name": "mood", "getter_name": "mood", "moor_type": "int", "nullable": false, "dsl_features": [],
       "type_converter": {"dart_expr": "const EnumIndexConverter<Mood>(Mood.values)", "dart_type_name": "Mood"}},
      {"name": "made", "moor_type": "dateTime", "nullable": false, "default_dart": "currentDateAndTime", "dsl_features": []},
      {"name": "token", "moor_type": "string", "nullable": false, "default_client_dart": "() => uuid()", "dsl_features": []},
      {"name": "nick", "moor_type": "string", "nullable": false, "dsl_features": [{"allowed-lengths": {"min": 1, "max": 20}}]}
      """#
    let (history, schema) = try drift(
      #"{"id": 0, "references": [], "type": "table", "data": {"name": "t", "columns": [\#(json.joined(separator: ",")), \#(more)]}}"#,
      #", "options": {"store_date_time_values_as_text": true}"#)
    for (name, _, type) in columns { #expect(schema.spelling("t", name) == type + "?") }
    #expect(schema.spelling("t", "mood") == "int")
    #expect(
      history.reasons("t", "mood") == [
        "its converter const EnumIndexConverter<Mood>(Mood.values) is not kept: it holds what is stored"
      ])
    #expect(history.reasons("t", "made") == ["its default currentDateAndTime"])
    #expect(history.reasons("t", "token") == ["its default in Dart: () => uuid()"])
    #expect(history.reasons("t", "nick").count == 1)
    #expect(history.reasons("") == ["dates are stored as text there, and as seconds here"])
  }

  @Test("drift: keys, uniqueness, references and constraints, however they are written")
  func driftKeys() throws {
    let (history, schema) = try drift(
      #"""
      {"id": 0, "references": [], "type": "table", "data": {"name": "users", "is_virtual": false, "columns": [
        {"name": "id", "moor_type": "int", "nullable": false, "defaultConstraints": "PRIMARY KEY AUTOINCREMENT", "dialectAwareDefaultConstraints": {"sqlite": "PRIMARY KEY AUTOINCREMENT"}, "dsl_features": ["auto-increment"]},
        {"name": "mail", "moor_type": "string", "nullable": false, "defaultConstraints": "UNIQUE", "dsl_features": ["unknown"]},
        {"name": "first", "moor_type": "string", "nullable": false, "dsl_features": []},
        {"name": "last", "moor_type": "string", "nullable": true, "customConstraints": "COLLATE NOCASE", "dsl_features": []}],
        "unique_keys": [["first", "last"]]}},
      {"id": 1, "references": [0], "type": "table", "data": {"name": "entries", "columns": [
        {"name": "owner", "moor_type": "int", "nullable": true, "dialectAwareDefaultConstraints": {"sqlite": "REFERENCES users (id) ON DELETE SET NULL"}, "dsl_features": ["unknown"]},
        {"name": "other", "moor_type": "int", "nullable": true, "dsl_features": []},
        {"name": "at", "moor_type": "dateTime", "nullable": false, "dsl_features": []}],
        "constraints": ["FOREIGN KEY(other) REFERENCES users(id) ON DELETE CASCADE", "CHECK (at > 0)", "UNIQUE (owner, at)"]}},
      {"id": 2, "references": [], "type": "table", "data": {"name": "pairs", "without_rowid": true, "columns": [
        {"name": "x", "moor_type": "string", "nullable": false, "dsl_features": []},
        {"name": "y", "moor_type": "int", "nullable": false, "dsl_features": []}], "explicit_pk": ["x", "y"]}},
      {"id": 3, "references": [0], "type": "index", "data": {"on": 0, "name": "i", "sql": "CREATE UNIQUE INDEX i ON users (last)"}},
      {"id": 4, "references": [1], "type": "index", "data": {"on": 1, "name": "j", "sql": "CREATE INDEX j ON entries (at) WHERE at > 5"}},
      {"id": 5, "references": [1], "type": "index", "data": {"on": 1, "name": "k", "sql": null, "unique": false, "columns": ["at"]}},
      {"id": 6, "references": [0], "type": "view", "data": {"name": "v", "sql": "CREATE VIEW v AS SELECT 1", "columns": []}},
      {"id": 7, "references": [0], "type": "trigger", "data": {"name": "tr", "on": 0, "sql": "CREATE TRIGGER"}},
      {"id": 8, "references": [], "type": "special-query", "data": {"scenario": "create", "sql": "INSERT"}}
      """#)
    #expect(schema.model(named: "users")?.primaryKey == ["id"])
    #expect(schema.spelling("users", "mail") == "string unique")
    #expect(schema.spelling("users", "last") == "string? unique")
    #expect(schema.model(named: "users")?.uniques == [["first", "last"]])
    #expect(history.reasons("users", "last") == ["the constraint COLLATE NOCASE"])
    #expect(schema.spelling("entries", "owner") == "users?")
    #expect(schema.spelling("entries", "other") == "users? cascade")
    #expect(schema.spelling("entries", "at") == "date indexed")
    #expect(schema.model(named: "entries")?.uniques == [["owner", "at"]])
    #expect(
      history.reasons("entries") == [
        "the constraint CHECK (at > 0)",
        "the index 'j': CREATE INDEX j ON entries (at) WHERE at > 5",
      ])
    #expect(schema.model(named: "pairs")?.primaryKey == ["x", "y"])
    #expect(history.reasons("v") == ["it is a view"])
    #expect(history.reasons("tr") == ["it is a trigger"])
    #expect(history.reasons("") == ["it is a special-query"])
  }
}
