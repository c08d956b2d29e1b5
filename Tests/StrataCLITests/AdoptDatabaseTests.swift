import Foundation
import StrataCipher
import StrataSQLite
import StrataSchema
import StrataTestSupport
import Testing

/// `strata adopt sqlite` of a database whose history Room or drift has written down, and of encrypted ones.
@Suite("The adopt command and databases")
struct AdoptDatabaseTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func write(_ path: String, _ text: String) throws {
    let url = run.folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func sql(_ name: String, vfs: String? = nil, _ statements: String...) throws {
    let database = try Database(path: run.path(name), mode: .create, vfs: vfs)
    defer { database.close() }
    for statement in statements { try database.execute(statement) }
  }

  // MARK: - Room

  private func writeRoom() throws {
    func field(_ name: String, _ affinity: String) -> String {
      #"{"fieldPath": "\#(name)", "columnName": "\#(name)", "affinity": "\#(affinity)", "notNull": true}"#
    }
    func entity(_ name: String, _ fields: [String], link: String? = nil) -> String {
      let keys =
        link.map {
          #"{"table": "account", "onDelete": "CASCADE", "onUpdate": "NO ACTION", "columns": ["\#($0)"], "referencedColumns": ["id"]}"#
        } ?? ""
      return
        #"{"tableName": "\#(name)", "createSql": "", "fields": [\#(fields.joined(separator: ", "))], "primaryKey": {"columnNames": ["id"], "autoGenerate": false}, "foreignKeys": [\#(keys)]}"#
    }
    let account = entity("account", [field("id", "INTEGER"), field("name", "TEXT")])
    let mail = [field("id", "INTEGER"), field("account", "INTEGER"), field("size", "REAL")]
    let versions = [
      1: [account, entity("mail", mail)],
      2: [account, entity("mail", mail, link: "account")],
      3: [account, entity("mail", mail + [field("read", "INTEGER")], link: "account")],
    ]
    for (number, entities) in versions {
      try write(
        "schemas/com.example.Shop/\(number).json",
        #"{"formatVersion": 1, "database": {"version": \#(number), "identityHash": "x", "entities": [\#(entities.joined(separator: ","))]}}"#
      )
    }
  }

  private func makeMail(_ name: String = "shop.db", version: Int = 1) throws {
    try sql(
      name, "CREATE TABLE account(id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)",
      "CREATE TABLE mail(id INTEGER NOT NULL PRIMARY KEY, account INTEGER NOT NULL, size REAL NOT NULL)",
      "CREATE TABLE room_master_table(id INTEGER PRIMARY KEY, identity_hash TEXT)",
      "INSERT INTO account VALUES (7, 'Ada'), (9, 'Bob')",
      "INSERT INTO mail VALUES (1, 9, 1.5), (2, 7, 2), (3, 8, 3)",
      "PRAGMA user_version = \(version)")
  }

  @Test(
    "A database of Room is its version, comes in with the whole history, and the printed next steps work"
  )
  func room() throws {
    try writeRoom()
    try makeMail()

    let result = try run.strata(
      "adopt", "sqlite", "shop.db", "--history", "schemas", "--output", "Shop", "--answer",
      "links=lookup", "--answer", "required=zero")

    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("the database is version 1, '1.json'"))
    let next = try #require(
      result.output.split(separator: "\n").last { $0.hasPrefix("next: ") }?.dropFirst(6))
    let steps = try run.shell(String(next))
    #expect(steps.status == 0, "\(steps.output)\(steps.errors)")
    let upgraded = try run.shell("cd Shop && strata migrate Shop.db && strata export Shop.db")
    #expect(upgraded.status == 0, "\(upgraded.output)\(upgraded.errors)")
    // The mail of an account that is not there went, as the step says; the others link to theirs.
    let mails = try upgraded.output.split(separator: "\n").filter { $0.contains("\"mail\"") }
      .map { try JSON.parse(String($0)) }
    #expect(mails.map { $0["id"]?.int } == [1, 2])
    #expect(mails.map { $0["read"]?.int } == [0, 0])
    let bob = try #require(
      try upgraded.output.split(separator: "\n").first { $0.contains("Bob") }
        .map { try JSON.parse(String($0)) })
    #expect(mails.first?["account"]?["$id"] == bob["$id"])

    // Where something is still asked, the check would fail at once.
    let asked = try run.strata(
      "adopt", "sqlite", "shop.db", "--history", "schemas", "--output", "Asked")
    #expect(
      asked.output.contains(
        "next, when all is answered: cd Asked && strata freeze --repair && strata check && strata inspect "
      ), "\(asked.output)\(asked.errors)")
  }

  @Test("What it calls itself does not decide; what is no version is told with what differs")
  func recognition() throws {
    try writeRoom()
    try makeMail(version: 3)
    let result = try run.strata(
      "adopt", "sqlite", "shop.db", "--history", "schemas", "--dry-run")
    #expect(
      result.output.contains(
        "the database is version 2, '2.json'; its tables are also those of 1; it calls itself version 3"
      ) || result.errors.contains("leads to no row"), "\(result.output)\(result.errors)")

    try sql("shop.db", "ALTER TABLE mail ADD COLUMN starred INTEGER", "PRAGMA user_version = 2")
    let other = try run.strata(
      "adopt", "sqlite", "shop.db", "--history", "schemas", "--output", "Other")
    #expect(other.status == 3)
    #expect(
      other.errors.contains(
        "is none of the 3 versions: of version 2, its column 'mail.starred' is not there"),
      "\(other.errors)")
    #expect(!FileManager.default.fileExists(atPath: run.path("Other")))
  }

  @Test(
    "A newer database of the same app goes into the one that was upgraded, through the steps between them"
  )
  func intoAnUpgradedDatabase() throws {
    try writeRoom()
    try makeMail()
    func adopt(_ more: String...) throws -> CommandRunner.Result {
      try run.strata(
        ["adopt", "sqlite", "shop.db", "--history", "schemas", "--output", "Shop"] + more)
    }
    #expect(try adopt("--answer", "links=lookup", "--answer", "required=zero").status == 0)
    #expect(try run.shell("cd Shop && strata migrate Shop.db").status == 0)
    try sql(
      "shop.db", "INSERT INTO account VALUES (8, 'Cleo')",
      "UPDATE account SET name = 'Ada L.' WHERE id = 7")

    let result = try adopt("--into", "Shop/Shop.db", "--json")

    #expect(result.status == 0, "\(result.errors)")
    let json = try JSON.parse(result.output)
    #expect(try JSONSchema(ofCommand: "adopt").problems(json) == [])
    let models = json["into"]?["models"]
    #expect(models?["account"]?["added"]?.int == 1)
    #expect(models?["account"]?["updated"]?.int == 1)
    #expect(models?["account"]?["unchanged"]?.int == 1)
    // The third mail has an account now.
    #expect(models?["mail"]?["added"]?.int == 1)
    #expect(models?["mail"]?["unchanged"]?.int == 2)
    let export = try run.shell("cd Shop && strata export Shop.db && strata inspect Shop.db --check")
    #expect(export.status == 0, "\(export.output)\(export.errors)")
    #expect(export.output.contains("Ada L."))
  }

  @Test("drift's bools and dates keep their meaning, seconds and texts")
  func drift() throws {
    func column(_ name: String, _ type: String) -> String {
      #"{"name": "\#(name)", "moor_type": "\#(type)", "nullable": false, "dsl_features": []}"#
    }
    try write(
      "drift_schemas/drift_schema_v2.json",
      #"{"_meta": {"version": "1.2.0"}, "entities": [{"id": 0, "references": [], "type": "table", "data": {"name": "item", "columns": [\#([column("id", "int"), column("done", "bool"), column("due", "dateTime")].joined(separator: ", "))], "explicit_pk": ["id"]}}]}"#
    )
    try sql(
      "todo.db",
      "CREATE TABLE item(id INTEGER NOT NULL PRIMARY KEY, done INTEGER NOT NULL, due NOT NULL)",
      "INSERT INTO item VALUES (1, 1, 978307260), (2, 0, '2001-01-01T00:01:00.125Z'), (3, 0, '2001-01-01 00:02:00')",
      "PRAGMA user_version = 2")

    let result = try run.strata(
      "adopt", "sqlite", "todo.db", "--history", "drift_schemas", "--output", "Todo", "--name",
      "Todo")

    #expect(result.status == 0, "\(result.errors)")
    let lines = try run.shell("cd Todo && strata export Todo.db").output.split(separator: "\n")
      .map { try JSON.parse(String($0)) }
    #expect(lines.map { $0["done"]?.bool } == [true, false, false])
    #expect(
      lines.map { $0["due"]?.string } == [
        "2001-01-01T00:01:00Z", "2001-01-01T00:01:00.125Z", "2001-01-01T00:02:00Z",
      ])
  }

  @Test("drift's local dates have a space before their offset; a text that is no date is named")
  func driftTexts() throws {
    try write(
      "drift_schemas/drift_schema_v1.json",
      #"{"_meta": {"version": "1.2.0"}, "entities": [{"id": 0, "references": [], "type": "table", "data": {"name": "item", "columns": [{"name": "id", "moor_type": "int", "nullable": false, "dsl_features": []}, {"name": "due", "moor_type": "dateTime", "nullable": true, "dsl_features": []}], "explicit_pk": ["id"]}}]}"#
    )
    try sql(
      "todo.db", "CREATE TABLE item(id INTEGER NOT NULL PRIMARY KEY, due TEXT)",
      "INSERT INTO item VALUES (1, '2022-07-25T11:28:42.015 +02:00'), (2, '2022-07-25T11:28:42.015 -03:00'), (3, '2022-07-25T11:28:42.015 Z'), (4, '2022-07-25T11:28:42 +00:00')",
      "PRAGMA user_version = 1")
    let result = try run.strata(
      "adopt", "sqlite", "todo.db", "--history", "drift_schemas", "--output", "Todo")
    #expect(result.status == 0, "\(result.errors)")
    let lines = try run.shell("cd Todo && strata export *.db").output.split(separator: "\n")
      .map { try JSON.parse(String($0)) }
    #expect(
      lines.compactMap { $0["due"]?.string?.prefix(19) } == [
        "2022-07-25T09:28:42", "2022-07-25T14:28:42", "2022-07-25T11:28:42", "2022-07-25T11:28:42",
      ])
    for text in ["2024-02-30T00:00:00Z", "2024-02-29T24:00:00Z", "now", "12:00", "2460000.5"] {
      try sql("todo.db", "UPDATE item SET due = '\(text)' WHERE id = 3")
      let refused = try run.strata(
        "adopt", "sqlite", "todo.db", "--history", "drift_schemas", "--output", "Out")
      #expect(refused.status == 3)
      #expect(
        refused.errors.contains("item.due has 1 value of another type than date"),
        "\(text): \(refused.errors)")
    }
  }

  @Test("A number of seconds that no date has is named, and no crash")
  func driftNumbers() throws {
    try write(
      "drift_schemas/drift_schema_v1.json",
      #"{"_meta": {"version": "1.2.0"}, "entities": [{"id": 0, "references": [], "type": "table", "data": {"name": "item", "columns": [{"name": "id", "moor_type": "int", "nullable": false, "dsl_features": []}, {"name": "due", "moor_type": "dateTime", "nullable": true, "dsl_features": []}], "explicit_pk": ["id"]}}]}"#
    )
    try sql(
      "todo.db", "CREATE TABLE item(id INTEGER NOT NULL PRIMARY KEY, due INTEGER)",
      "INSERT INTO item VALUES (1, -9007198276433792), (2, 9007198276433792)",
      "PRAGMA user_version = 1")
    let result = try run.strata(
      "adopt", "sqlite", "todo.db", "--history", "drift_schemas", "--output", "Todo")
    #expect(result.status == 0, "\(result.errors)")
    for number in [
      "-9223372036854775808", "-9007198276433793", "9007198276433793", "9223372036854775807",
    ] {
      try sql("todo.db", "UPDATE item SET due = \(number) WHERE id = 1")
      let refused = try run.strata(
        "adopt", "sqlite", "todo.db", "--history", "drift_schemas", "--output", "Out")
      #expect(refused.status == 3)
      #expect(
        refused.errors.contains("item.due has 1 value of another type than date"),
        "\(number): \(refused.errors)")
    }
  }

  @Test("What is made of a private database is as private", arguments: [UInt32(0o600), 0o640])
  func permissions(of source: UInt32) throws {
    try sql(
      "notes.db", "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
      "INSERT INTO note VALUES (1, 'private'), (2, x'FF')")
    try POSIXFiles().setPermissions(source, of: run.path("notes.db"))

    let result = try run.strata(
      "adopt", "sqlite", "notes.db", "--name", "Notes", "--output", "Notes")

    #expect(result.status == 0, "\(result.errors)")
    #expect(try POSIXFiles().status(of: run.path("Notes/Notes.db"))?.permissions == source)
    let leftOut = try POSIXFiles().status(of: run.path("Notes/LEFT-OUT.jsonl"))
    #expect(leftOut == nil || leftOut?.permissions == source)
  }

  // MARK: - Encrypted

  @Test("A database of SQLCipher is read with its key, and nothing of it comes to lie in the clear")
  func encrypted() throws {
    PageCiphers.install()
    let vfs = try #require(
      FileCipher(key: .passphrase(Array("open sesame".utf8)), kind: .sqlCipher).vfs())
    try sql(
      "secret.db", vfs: vfs, "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      "INSERT INTO person VALUES (1, 'Ada Lovelace')")
    try write("key", "open sesame\n")
    try write("wrong", "open barley\n")

    let refused = try run.strata(
      "adopt", "sqlite", "secret.db", "--key-file", "wrong", "--output", "Out")
    #expect(refused.status == 3)
    #expect(!FileManager.default.fileExists(atPath: run.path("Out")))
    let result = try run.strata(
      "adopt", "sqlite", "secret.db", "--key-file", "key", "--output", "Out", "--name", "Out")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("checked: the file, read a second time"))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: run.path("Out/Out.db")))
    #expect(bytes.range(of: Data("Ada Lovelace".utf8)) == nil)
    #expect(bytes.range(of: Data("SQLite format 3".utf8)) == nil)
    let export = try run.shell("cd Out && strata export Out.db --key-file ../key")
    #expect(export.output.contains("Ada Lovelace"), "\(export.errors)")
  }
}
