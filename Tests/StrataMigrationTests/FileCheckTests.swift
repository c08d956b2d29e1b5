import Foundation
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles

/// What another program may have done to a file: `inspect --check` names each, and `salvage` saves what is left.
@Suite struct FileCheckTests {
  private let bench: Workbench
  private let path: String

  private static let target = UpgradeTarget(
    history: .chained(
      "Check",
      [("2026-01-01", Schema(name: "Check", version: 0, models: models), nil)]), steps: [])

  private static let models = [
    Model(
      name: "Note",
      properties: [
        .optional("about", .any), .required("day", .date), .required("isRead", .bool),
        .required("length", .double), .required("price", .decimal), .optional("rate", .float),
        Property(name: "tags", type: .list(ValueType(.scalar(.any), isOptional: true))),
        Property(name: "text", type: .value(ValueType(.scalar(.string))), index: .fulltext),
      ]),
    Model(name: "Part", isEmbedded: true, properties: [.required("n", .int)]),
    Model(
      name: "Whole",
      properties: [
        Property(name: "part", type: .value(ValueType(.object("Part"), isOptional: true)))
      ]),
  ]

  init() throws {
    bench = try Workbench()
    path = try bench.sample(version: 0, of: Self.target, objects: 0)
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    try database.set(.trustedSchema, true)
    for statement in [
      """
      INSERT INTO Note (_row, about, day, isRead, length, price, rate, text) VALUES \
      (1, 1.0, 1.0, 1, 0.1, '1.5', 0.5, 'one swift fox'), (2, x'0101', 2.0, 0, -0.0, '0', NULL, 'two foxes')
      """,
      "INSERT INTO \"Note.tags\" (_owner, _index, value) VALUES (1, 10, NULL), (1, 20, 'x')",
      "INSERT INTO Part (_row, n) VALUES (3, 7)", "INSERT INTO Whole (_row, part) VALUES (4, 3)",
      "UPDATE _strata SET value = 5 WHERE key = 'nextRow'",
    ] { try database.execute(statement) }
  }

  private func problems(of file: String? = nil) throws -> [ContentProblem] {
    try #require(
      try FileInspector().inspect(file ?? path, target: Self.target, checksAll: true)
        .contentProblems)
  }

  @Test func aSoundFileHasNone() throws {
    #expect(try problems() == [])
  }

  @Test(
    "A value that is stored in another form than the layout's is named",
    arguments: [
      ("isRead = 2", "is stored as 2 and read as"), ("price = '1.50'", "is stored as '1.50'"),
      ("price = '-0'", "is stored as '-0'"), ("price = '15e-1'", "price"),
      ("rate = 0.1", "is stored as 0.1"), ("rate = 1e300", "expected, found 1e+300"),
      ("length = x'3ff0000000000000'", "length is stored as"),
      ("day = x'3ff0000000000000'", "day is stored as"), ("about = x'0102'", "about is stored as"),
      ("about = x'033ff0000000000000'", "about is stored as"),
      ("about = x'07312e3530'", "about is stored as"), ("about = x'63'", "tag 99"),
      ("about = CAST(x'ff' AS TEXT)", "UTF-8"),
    ])
  func anotherForm(_ change: String, _ expected: String) throws {
    try bench.sql(path, "UPDATE Note SET \(change) WHERE _row = 1")
    let found = try problems()
    #expect(found.count == 1 && found[0].check == .values, "\(found)")
    #expect(found.first?.message.contains(expected) == true, "\(found)")
    #expect(found.first?.message.contains("Note _row 1") == true, "\(found)")
  }

  @Test func whatSQLiteFindsIsALineEach() throws {
    let database = try Database(path: path, mode: .readWrite)
    try database.execute("CREATE TABLE lost(a)")
    try database.execute("CREATE TABLE lost2(a)")
    // Pages that nothing names.
    try database.set(.defensive, false)
    try database.setPragma("writable_schema", true)
    try database.execute("DELETE FROM sqlite_schema WHERE name LIKE 'lost%'")
    database.close()

    let found = try problems()

    #expect(found.map(\.check) == [.sqlite, .sqlite], "\(found)")
    for message in found.map(\.message) {
      #expect(message.contains("never used") && !message.contains("\n"))
      #expect(!message.contains("***"))
    }
  }

  @Test func aWholeNumberMayStandForADouble() throws {
    try bench.sql(path, "UPDATE Note SET length = 3, day = -4, rate = 5 WHERE _row = 1")
    #expect(try problems() == [])
    // No double is this number.
    try bench.sql(path, "UPDATE Note SET length = 9007199254740993 WHERE _row = 1")
    #expect(try problems().map(\.check) == [.values])
  }

  @Test(
    "Objects in values of type any are looked for",
    arguments: [
      // The model's name in bytes.
      ("4e6f7465", 2, nil), ("4e6f7465", 9, "a Note that is not there, _row 9"),
      ("476f6e65", 2, "a Gone, and there is no such model"),
      ("50617274", 3, "a Part, which is embedded"),
    ] as [(String, Int, String?)])
  func linksInAny(_ model: String, _ row: Int, _ expected: String?) throws {
    let cell = "x'09000000000000000\(row)\(model)'"
    try bench.sql(path, "UPDATE Note SET about = \(cell) WHERE _row = 1")
    try bench.sql(path, "UPDATE \"Note.tags\" SET value = \(cell) WHERE _index = 20")
    let found = try problems()
    guard let expected else {
      #expect(found == [])
      return
    }
    #expect(found.map(\.check) == [.links, .links], "\(found)")
    #expect(found.allSatisfy { $0.message.contains(expected) }, "\(found)")
    #expect(found.first?.message.contains("Note.about of _row 1") == true, "\(found)")
    #expect(found.last?.message.contains("Note.tags of _row 1") == true, "\(found)")
  }

  @Test func twoModelsShareNoNumber() throws {
    try bench.sql(path, "INSERT INTO Whole (_row, part) VALUES (2, NULL)")
    let found = try problems()
    #expect(found.map(\.check) == [.unique])
    #expect(found.first?.message == "Whole _row 2: an object of another model has the same number")
  }

  @Test(
    "A full-text index is held against the texts",
    arguments: [
      // Emptied; a text forgotten; a text of an object that is not there.
      ("(\"Note.text.fulltext\") VALUES ('delete-all')", 1),
      ("(\"Note.text.fulltext\", rowid, text) VALUES ('delete', 2, 'two foxes')", 2),
      ("(rowid, text) VALUES (9, 'zebra')", 9),
    ])
  func fulltext(_ change: String, _ row: Int) throws {
    try bench.sql(path, "INSERT INTO \"Note.text.fulltext\" \(change)")
    let found = try problems()
    #expect(
      found == [
        ContentProblem(
          check: .sqlite,
          message:
            "the full-text index of Note.text does not agree with the text of Note _row \(row)",
          sparesObjects: true)
      ], "\(found)")
  }

  /// FTS5 refuses the next change of a text where its counts are damaged.
  @Test(arguments: ["DELETE FROM", "UPDATE"])
  func fulltextCounts(_ change: String) throws {
    let database = try Database(path: path, mode: .readWrite)
    try database.set(.defensive, false)
    try database.execute(
      change == "UPDATE"
        ? "UPDATE \"Note.text.fulltext_data\" SET block = x'0105' WHERE id = 1"
        : "DELETE FROM \"Note.text.fulltext_data\" WHERE id = 1")
    database.close()
    #expect(
      try problems().map(\.message) == [
        "the full-text index of Note.text has counted other texts than there are"
      ])
  }

  // MARK: - Salvage

  private func salvage() throws -> Salvage.Report {
    try Salvage(path: path, output: bench.path("saved.db")).run()
  }

  /// What is left has to be a file without a fault.
  private func saved(_ sql: String) throws -> [[SQLiteValue]] {
    #expect(try problems(of: bench.path("saved.db")) == [])
    return try bench.sql(bench.path("saved.db"), sql)
  }

  @Test func aSoundFileIsSavedWhole() throws {
    let before = try digest(path, Self.target)
    let report = try salvage()
    #expect(report.isComplete)
    #expect(try digest(bench.path("saved.db"), Self.target) == before)
    #expect(try saved("SELECT count(*) FROM Note") == [[.integer(2)]])
  }

  @Test func valuesAreSavedInTheFormOfTheLayout() throws {
    try bench.sql(
      path,
      "UPDATE Note SET isRead = 2, price = '1.50', length = x'3ff0000000000000' WHERE _row = 1")
    try bench.sql(path, "UPDATE Note SET rate = 1e300 WHERE _row = 2")
    let report = try salvage()
    #expect(report.losses == ["rate of Note _row 2, which cannot be read"])
    #expect(
      try saved("SELECT isRead, price, length FROM Note WHERE _row = 1") == [
        [.integer(1), .text("1.5"), .real(1)]
      ])
  }

  @Test(
    "What a table lost is told, and the others are saved",
    arguments: [
      ("DROP TABLE \"Note.tags\"", "all elements of Note.tags, whose table is missing", 2, 1),
      ("DROP TABLE Whole", "all objects of Whole, whose table is missing", 2, 0),
      (
        "ALTER TABLE Note DROP COLUMN rate",
        "rate of all objects of Note, whose column is missing", 2, 1
      ),
    ])
  func missingTables(_ change: String, _ loss: String, _ notes: Int64, _ wholes: Int64) throws {
    try bench.sql(path, change)
    let before = try bench.bytes(path)
    let report = try salvage()
    #expect(report.losses.contains(loss), "\(report.losses)")
    #expect(
      try saved("SELECT (SELECT count(*) FROM Note), (SELECT count(*) FROM Whole)") == [
        [.integer(notes), .integer(wholes)]
      ])
    #expect(try bench.bytes(path) == before)
  }

  @Test(
    "The file's description is worked out where it is lost",
    arguments: [
      "layout", "schema", "version", "shape", "chain", "lineage", "nextRow", "transaction",
    ],
    ["DELETE FROM _strata", "UPDATE _strata SET value = x'00'"])
  func missingFacts(_ fact: String, _ change: String) throws {
    let before = try bench.sql(path, "SELECT * FROM _strata ORDER BY key")
    let digestBefore = try digest(path, Self.target)
    try bench.sql(path, "\(change) WHERE key = '\(fact)'")
    let report = try salvage()
    #expect(report.losses.count == 1, "\(report.losses)")
    #expect(report.losses.first?.hasPrefix("\(fact) in _strata") == true, "\(report.losses)")
    let after = try saved("SELECT * FROM _strata ORDER BY key")
    let lost: [[SQLiteValue]] = fact == "chain" ? [[.text("chain"), .null]] : []
    #expect(after.filter { !before.contains($0) } == lost)
    #expect(try digest(bench.path("saved.db"), Self.target) == digestBefore)
  }

  @Test func withoutItsSchemaAFileSaysNothing() throws {
    try bench.sql(path, "DELETE FROM _strata WHERE key = 'definition'")
    #expect(throws: MigrationError.self) { try salvage() }
    #expect(try bench.names(beside: path).isEmpty)
  }

  @Test func whatWasReadOfADamagedPlaceIsNotCalledWhole() throws {
    let root = try bench.sql(path, "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0")
    let (note, part) = (
      try #require(root.first { $0[0] == .text("_strata_changes") }?[1].ifInteger),
      try #require(root.first { $0[0] == .text("Part") }?[1].ifInteger)
    )
    try bench.sql(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    var content = try bench.bytes(path)
    let (a, b) = (Int(note - 1) * 4096, Int(part - 1) * 4096)
    for offset in 0..<4096 { content.swapAt(a + offset, b + offset) }
    try POSIXFiles().write(content, to: path, permissions: 0o600)
    let report = try salvage()
    #expect(!report.isComplete)
    #expect(!report.problems.isEmpty)
  }

  @Test func aLinkThatLeadsNowhereIsNotReplaced() throws {
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("saved.db"), withDestinationPath: bench.path("gone.db"))
    #expect(throws: MigrationError.self) { try salvage() }
    #expect(try POSIXFiles().linkStatus(of: bench.path("saved.db"))?.kind == .link)
  }

  /// Without the unique index, several objects may have one value: the first keeps it.
  @Test func whatIsThereTwiceIsSavedOnce() throws {
    let history = UpgradeTarget(
      history: .chained(
        "Check",
        [
          (
            "2026-01-01",
            Schema(
              name: "Check", version: 0,
              models: [
                Model(
                  name: "Person", primaryKey: ["id"],
                  properties: [
                    .optional("id", .int),
                    Property(
                      name: "mail", type: .value(ValueType(.scalar(.string), isOptional: true)),
                      isUnique: true),
                    Property(
                      name: "any", type: .set(ValueType(.scalar(.any), isOptional: true))),
                    Property(
                      name: "home", type: .value(ValueType(.object("Place"), isOptional: true))),
                    Property(name: "homes", type: .list(ValueType(.object("Place")))),
                    .link("boss", to: "Person"),
                  ]),
                Model(name: "Place", isEmbedded: true, properties: [.required("n", .int)]),
              ]), nil
          )
        ]), steps: [])
    let file = try bench.sample("b.db", version: 0, of: history, objects: 0)
    for statement in [
      "DROP INDEX \"Person.primaryKey\"", "DROP INDEX \"Person.primaryKey.null\"",
      "DROP INDEX \"Person.mail.unique\"", "DROP INDEX \"Person.any.unique\"",
      "DROP INDEX \"Person.any.unique.null\"", "DROP INDEX \"Person.home.unique\"",
      "INSERT INTO Place (_row, n) VALUES (10, 1), (11, 2)",
      """
      INSERT INTO Person (_row, id, mail, home, boss) VALUES (1, 1, 'a', 10, 3), (2, NULL, NULL, 10, 4), \
      (3, 1, 'b', NULL, NULL), (4, NULL, 'c', NULL, NULL), (5, 5, 'a', NULL, 1), (6, 6, NULL, 11, 1)
      """,
      """
      INSERT INTO "Person.any" (_owner, value) VALUES (1, 1), (1, 1.0), (1, x'0101'), (1, x'0102'), (1, NULL), \
      (1, NULL), (99, 'gone')
      """,
      "INSERT INTO \"Person.homes\" (_owner, _index, value) VALUES (6, 10, 11)",
      "UPDATE _strata SET value = 12 WHERE key = 'nextRow'",
    ] { try bench.sql(file, statement) }

    let report = try Salvage(path: file, output: bench.path("saved.db")).run()

    #expect(report.losses.count == 9, "\(report.losses)")
    #expect(report.losses.contains("1 object of Person, with the same id as another one"))
    #expect(
      try FileInspector().inspect(bench.path("saved.db"), target: history, checksAll: true)
        .contentProblems == [])
    #expect(
      try bench.sql(bench.path("saved.db"), "SELECT _row, home, boss FROM Person") == [
        [.integer(1), .integer(10), .null], [.integer(2), .null, .null],
        [.integer(6), .integer(11), .integer(1)],
      ])
    #expect(
      try bench.sql(bench.path("saved.db"), "SELECT value FROM \"Person.any\" ORDER BY rowid") == [
        [.integer(1)], [.blob([1, 1])], [.null],
      ])
  }

  @Test func elementsAreReadWithoutTheirIndexes() throws {
    for statement in [
      "UPDATE \"Note.tags\" SET value = x'09000000000000000963' WHERE _index = 10",
      "UPDATE Note SET about = x'09000000000000000950617274' WHERE _row = 2",
      "INSERT INTO Part (_row, n) VALUES (4611686018427387904, 8), (9223372036854775807, 9)",
      "UPDATE _strata SET value = '{}' WHERE key = 'lineage'",
    ] { try bench.sql(path, statement) }
    let report = try salvage()
    #expect(report.losses.count == 5, "\(report.losses)")
    #expect(
      try saved("SELECT about FROM Note UNION ALL SELECT value FROM \"Note.tags\"") == [
        [.real(1)], [.null], [.text("x")],
      ])
  }

  @Test func aFileThatWasCutOffIsSavedAsFarAsItGoes() throws {
    for row in 10..<400 {
      try bench.sql(
        path,
        "INSERT INTO Part (_row, n) VALUES (\(row), \(row))")
      try bench.sql(path, "INSERT INTO Whole (_row, part) VALUES (\(row + 1000), \(row))")
    }
    try bench.sql(path, "UPDATE _strata SET value = 2000 WHERE key = 'nextRow'")
    try bench.sql(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    let content = try bench.bytes(path)
    for missing in [4096, 5000] {
      try POSIXFiles().write(
        Array(content.dropLast(missing)), to: path, permissions: 0o600)
      try? POSIXFiles().remove(bench.path("saved.db"))
      let report = try salvage()
      #expect(!report.isComplete)
      #expect(try saved("SELECT count(*) FROM Note") == [[.integer(2)]])
    }
  }

  /// The last page of definitions holds indexes and triggers only, without which all objects can be read.
  @Test func aDamagedPageOfDefinitionsCostsNoObject() throws {
    let name = String(repeating: "mine", count: 20)
    for number in 0..<40 { try bench.sql(path, "CREATE INDEX \(name)\(number) ON Part (n)") }
    try bench.sql(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    var content = try bench.bytes(path)
    // Of an inner page of a table: its kind, and the number of its last page (https://sqlite.org/fileformat2.html#b_tree_pages).
    try #require(content[100] == 5)
    let page = content[108..<112].reduce(0) { $0 << 8 | Int($1) }
    let size = Int(Database.strataPageSize)
    content.replaceSubrange((page - 1) * size..<page * size, with: repeatElement(0xff, count: size))
    try POSIXFiles().write(content, to: path, permissions: 0o600)

    let report = try salvage()
    #expect(report.models.map(\.saved) == [2, 1, 1])
    #expect(report.losses.isEmpty && !report.problems.isEmpty, "\(report)")
    #expect(try saved("SELECT text FROM Note") == [[.text("one swift fox")], [.text("two foxes")]])
  }

  @Test func aTextIsToldAsWhatItIs() throws {
    try POSIXFiles().write([UInt8]("hello\n".utf8), to: path, permissions: 0o600)
    let error = #expect(throws: MigrationError.self) { try salvage() }
    #expect(error?.kind == .notADatabase, "\(String(describing: error))")
  }

  @Test func aDamagedFirstPageIsDamage() throws {
    try bench.sql(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    var content = try bench.bytes(path)
    content.replaceSubrange(100..<4000, with: repeatElement(0xff, count: 3900))
    try POSIXFiles().write(content, to: path, permissions: 0o600)
    let error = #expect(throws: MigrationError.self) { try salvage() }
    #expect(error?.kind == .fileDamaged, "\(String(describing: error))")
    // Who reads it has tried that already.
    #expect(error?.description.contains("strata salvage") == false, "\(String(describing: error))")
  }

  @Test func aWishToStopLeavesNothing() throws {
    #expect {
      try Salvage(path: path, output: bench.path("saved.db"), isCancelled: { true }).run()
    } throws: { ($0 as? MigrationError)?.kind == .cancelled }
    #expect(try bench.names().filter { $0.hasPrefix("saved") } == [])
  }

  /// A new file beside a log that is left of another one: SQLite would play it into the new file.
  @Test(arguments: ["-wal", "-journal"])
  func aLogThatIsLeftIsNotTakenForThatOfANewFile(_ suffix: String) throws {
    let log = bench.path("new.db\(suffix)")
    try POSIXFiles().write([1, 2, 3], to: log, permissions: 0o600)
    var options = Upgrade.Options()
    options.output = bench.path("new.db")
    let upgrade = Upgrade(path: path, target: Self.target, options: options)
    let writers: [() throws -> Void] = [
      { _ = try Salvage(path: path, output: bench.path("new.db")).run() },
      { _ = try upgrade.run() }, { _ = try upgrade.rehearse() },
      { _ = try bench.sample("new.db", version: 0, of: Self.target, objects: 1) },
    ]
    for write in writers {
      #expect {
        try write()
      } throws: { "\($0)".contains("new.db\(suffix) was left by a database that is gone") }
    }
    #expect(try bench.names().sorted() == ["a.db", "new.db\(suffix)"])
    try POSIXFiles().remove(log)
    for write in writers.prefix(1) { try write() }
  }
}
