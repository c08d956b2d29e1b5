import Foundation
import StrataAdopt
import StrataEvolution
import StrataFrontend
import StrataProject
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

/// What a step asks for is accepted when the answer that stands in it is taken.
@Suite("Questions and their answers")
struct AnswerTests {
  // MARK: - Room's versions

  private static func field(_ name: String, _ affinity: String, notNull: Bool = true) -> String {
    #"{"fieldPath": "\#(name)", "columnName": "\#(name)", "affinity": "\#(affinity)", "notNull": \#(notNull)}"#
  }

  private static func table(
    _ name: String, _ fields: [String], key: String, foreignKey: String? = nil,
    unique: String...
  ) -> String {
    let keys =
      foreignKey.map {
        #"{"table": "account", "onDelete": "CASCADE", "onUpdate": "NO ACTION", "columns": ["\#($0)"], "referencedColumns": ["id"]}"#
      } ?? ""
    let indices = unique.map { #"{"name": "u", "unique": true, "columnNames": [\#($0)]}"# }
      .joined(separator: ", ")
    return #"""
      {"tableName": "\#(name)", "createSql": "CREATE TABLE", "fields": [\#(fields.joined(separator: ", "))],
       "primaryKey": {"columnNames": [\#(key)], "autoGenerate": false}, "indices": [\#(indices)], "foreignKeys": [\#(keys)]}
      """#
  }

  private static func version(_ number: Int, _ tables: String...) -> (String, String) {
    (
      "com.example.Shop/\(number).json",
      #"""
      {"formatVersion": 1, "database": {"version": \#(number), "identityHash": "x", "entities": [\#(tables.joined(separator: ",\n"))]}}
      """#
    )
  }

  private static let account = table(
    "account", [field("id", "INTEGER"), field("name", "TEXT")], key: #""id""#)

  private func history(_ versions: (String, String)...) throws -> AdoptedHistory {
    let fixture = try AdoptFixture(Dictionary(uniqueKeysWithValues: versions))
    return try RoomFolder.read(fixture.folder.path, name: nil)
  }

  // MARK: - Pasting

  /// What is wrong with the history when each question's own answer is taken, and of two objects the first stays.
  func errors(afterPasting history: AdoptedHistory) throws -> [String] {
    let project = try AdoptedProject(history, date: "2026-11-21")
    let files = project.files.map { file in
      (
        file.path,
        file.text.replacing(#"keep: "???""#, with: "keep: first").replacing("\"??? ", with: "\"")
      )
    }
    func sources(_ folder: String) -> [SourceFile] {
      files.filter { $0.0.hasPrefix(folder) }.map { SourceFile(path: $0.0, text: $0.1) }
    }
    let found = ProjectCheck.run(
      ProjectFiles(
        schemas: sources("schemas/").filter {
          $0.path.hasSuffix(".yaml") && !$0.path.contains("versions")
        }, versions: sources("schemas/versions/"),
        lock: sources("schemas/schema.lock").first,
        steps: sources("migrations/").filter { $0.path.hasSuffix(".yaml") },
        swift: sources("migrations/").filter { $0.path.hasSuffix(".swift") }))
    // The answers are not sealed yet: strata freeze --repair does it.
    return found.sorted.filter { $0.severity == .error && $0.code != "STR4007" }.map {
      "\($0.code) \($0.message)"
    }
  }

  private func open(_ history: AdoptedHistory, _ answers: String...) throws -> [String] {
    try AdoptedProject(history, date: "2026-11-21", answers: AdoptAnswers(answers)).openSteps
      .flatMap(\.open).map { "\($0.kind.code) \($0.path)" }
  }

  // MARK: - Foreign keys

  @Test(
    "A foreign key that is added to a column is offered as a lookup, which is accepted as it stands"
  )
  func aForeignKeyIsAdded() throws {
    let fields = [
      Self.field("id", "INTEGER"), Self.field("account", "INTEGER", notNull: false),
    ]
    let history = try history(
      Self.version(1, Self.account, Self.table("mail", fields, key: #""id""#)),
      Self.version(
        2, Self.account, Self.table("mail", fields, key: #""id""#, foreignKey: "account")))

    #expect(try open(history) == ["STR3303 mail.account"])
    let step = try #require(try history.step(2))
    #expect(step.contains(#"account: "??? lookup(account, key: old.account)""#), "\(step)")
    #expect(try errors(afterPasting: history) == [])
    #expect(try open(history, "links=lookup") == [])
  }

  @Test(
    "Where the column is required, mails without an account go; a key that was one is not asked about"
  )
  func aRequiredForeignKeyInACompoundKey() throws {
    let fields = [Self.field("account", "INTEGER"), Self.field("number", "INTEGER")]
    let key = #""account", "number""#
    let history = try history(
      Self.version(1, Self.account, Self.table("mail", fields, key: key)),
      Self.version(2, Self.account, Self.table("mail", fields, key: key, foreignKey: "account")))

    #expect(try open(history) == ["STR3303 mail.account"])
    let step = try #require(try history.step(2))
    #expect(step.contains(#"mail: "??? lookup(account, key: old.account) == nil""#), "\(step)")
    #expect(!step.contains("deduplicate"))
    #expect(try errors(afterPasting: history) == [])
    #expect(try open(history, "links=lookup") == [])
  }

  @Test("A link that only became required stays a question: a lookup has no part in it")
  func aLinkBecomesRequired() throws {
    func mail(notNull: Bool) -> String {
      Self.table(
        "mail", [Self.field("id", "INTEGER"), Self.field("account", "INTEGER", notNull: notNull)],
        key: #""id""#, foreignKey: "account")
    }
    let history = try history(
      Self.version(1, Self.account, mail(notNull: false)),
      Self.version(2, Self.account, mail(notNull: true)))

    #expect(try open(history) == ["STR3709 mail.account"])
    #expect(try open(history, "links=lookup") == ["STR3709 mail.account"])
    let step = try #require(try history.step(2))
    #expect(step.contains(#"mail: "??? old.account == nil""#), "\(step)")
  }

  @Test("A column that gets its foreign key and becomes required is filled by the lookup")
  func aForeignKeyIsAddedAndRequired() throws {
    func mail(notNull: Bool, foreignKey: String?) -> String {
      Self.table(
        "mail", [Self.field("id", "INTEGER"), Self.field("account", "INTEGER", notNull: notNull)],
        key: #""id""#, foreignKey: foreignKey)
    }
    let history = try history(
      Self.version(1, Self.account, mail(notNull: false, foreignKey: nil)),
      Self.version(2, Self.account, mail(notNull: true, foreignKey: "account")))

    #expect(try open(history, "links=lookup") == [])
  }

  @Test("A foreign key that is taken away leaves its object's key")
  func aForeignKeyIsRemoved() throws {
    let fields = [Self.field("id", "INTEGER"), Self.field("account", "INTEGER")]
    let history = try history(
      Self.version(
        1, Self.account, Self.table("mail", fields, key: #""id""#, foreignKey: "account")),
      Self.version(2, Self.account, Self.table("mail", fields, key: #""id""#)))

    #expect(try open(history) == ["STR3303 mail.account"])
    #expect(try #require(try history.step(2)).contains(#"account: "??? old.account.id""#))
    #expect(try errors(afterPasting: history) == [])
  }

  // MARK: - Names

  /// With the name it would be the other column to the steps, whose values would go on in it.
  @Test("A made-up name of a column is none that another column has in any version")
  func aMadeUpName() throws {
    func table(_ fields: String...) -> String {
      Self.table(
        "person",
        [Self.field("id", "INTEGER")] + fields.map { Self.field($0, "TEXT", notNull: false) },
        key: #""id""#)
    }
    let history = try history(
      Self.version(1, table("first-name")), Self.version(2, table("first-name", "firstName")),
      Self.version(3, table("first-name")))

    let names = history.versions.map { version in
      version.schema.model(named: "person")?.properties.map(\.name).sorted() ?? []
    }
    #expect(
      names == [
        ["firstName2", "id"], ["firstName", "firstName2", "id"], ["firstName2", "id"],
      ])
    #expect(try open(history) == [])
    #expect(try history.step(2) == nil)
    #expect(try #require(try history.step(3)).contains("- person.firstName\n"))
  }

  // MARK: - Keys and uniqueness

  @Test("What a part of the columns told apart already is not asked about")
  func aPartWasUnique() throws {
    let fields = [
      Self.field("id", "INTEGER"), Self.field("name", "TEXT"), Self.field("size", "INTEGER"),
    ]
    let history = try history(
      Self.version(1, Self.table("tag", fields, key: #""id""#, unique: #""name""#)),
      Self.version(2, Self.table("tag", fields, key: #""id""#, unique: #""name", "size""#)),
      Self.version(3, Self.table("tag", fields, key: #""id", "name""#, unique: #""name", "id""#)),
      Self.version(4, Self.table("tag", fields, key: #""name""#)))

    // Only by the name alone may two tags of version 3 agree.
    #expect(try open(history) == ["STR3501 tag"])
    #expect(try history.step(2) == nil)
    #expect(try history.step(3) == nil)
    let step = try #require(try history.step(4))
    #expect(step.contains(#"tag: { by: [name], keep: "???" }"#), "\(step)")
    #expect(!step.contains("swift:"))
    #expect(try errors(afterPasting: history) == [])
    #expect(try open(history, "duplicates=last") == [])
  }

  @Test("A question about duplicates names the table, and columns that the older version has")
  func columnsOfTheOlderVersion() throws {
    let fields = [Self.field("id", "INTEGER"), Self.field("name", "TEXT")]
    let more =
      fields + [
        #"{"fieldPath": "size", "columnName": "size", "affinity": "INTEGER", "notNull": true, "defaultValue": "0"}"#
      ]
    let history = try history(
      Self.version(1, Self.table("tag", fields, key: #""id""#)),
      Self.version(2, Self.table("tag", more, key: #""id""#, unique: #""name", "size""#)))

    let step = try #require(try history.step(2))
    #expect(step.contains(#"tag: { by: [name], keep: "???" }"#), "\(step)")
    #expect(step.contains("name, size of 'tag' together have to be unique"), "\(step)")
    #expect(try errors(afterPasting: history) == [])
  }

  @Test("Two lists that share a column are not answered by that column, in which rows may agree")
  func listsThatOverlap() throws {
    let fields = ["id", "a", "b", "c"].map { Self.field($0, "INTEGER") }
    func history(_ uniques: (String, String)) throws -> AdoptedHistory {
      try self.history(
        Self.version(1, Self.table("tag", fields, key: #""id""#)),
        Self.version(2, Self.table("tag", fields, key: #""id""#, unique: uniques.0, uniques.1)))
    }

    let overlapping = try history((#""a", "b""#, #""b", "c""#))
    let asked = try open(overlapping)
    #expect(Set(asked) == ["STR3503 tag"])
    #expect(try open(overlapping, "duplicates=first") == asked)
    let step = try #require(try overlapping.step(2))
    #expect(!step.contains("deduplicate"), "\(step)")
    #expect(step.contains("swift: [tag]"), "\(step)")

    // Rows that agree in all of the longer list agree in the shorter one.
    let nested = try history((#""a", "b", "c""#, #""b", "c""#))
    #expect(try #require(try nested.step(2)).contains(#"tag: { by: [b, c], keep: "???" }"#))
    #expect(try open(nested, "duplicates=first") == [])
  }

  @Test("A key that no old row has is asked for as a value, and no Swift block is written")
  func aNewKey() throws {
    let history = try history(
      Self.version(
        1,
        Self.table("tag", [Self.field("id", "INTEGER"), Self.field("name", "TEXT")], key: #""id""#)),
      Self.version(
        2,
        Self.table(
          "tag", [Self.field("code", "TEXT"), Self.field("name", "TEXT")], key: #""code""#)))

    let project = try AdoptedProject(history, date: "2026-11-21")
    let swift = project.files.map(\.path).filter { $0.hasSuffix(".swift") }.sorted()
    // Without one, SwiftPM leaves a folder out; neither has a block.
    #expect(swift == ["migrations/Migrations.swift", "schemas/Models.swift"])
    let step = try #require(try history.step(2))
    #expect(step.contains("code: ???"), "\(step)")
  }
}
