import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles
@testable import StrataTesting

/// A file with the objects of some models, of which pages are made unreadable.
struct SalvageDamage {
  static let target = UpgradeTarget(
    history: .chained(
      "Strays",
      [
        (
          "2026-01-01",
          Schema(
            name: "Strays", version: 0,
            models: [
              Model(
                name: "Person",
                properties: [
                  .required("name", .string), .required("age", .int), .required("weight", .double),
                  .optional("note", .string),
                  Property(name: "scores", type: .list(ValueType(.scalar(.int)))),
                  Property(name: "words", type: .map(ValueType(.scalar(.string)))),
                ]),
              Model(
                name: "Dog",
                properties: [.required("name", .string), .optional("master", .int)]),
              Model(
                name: "Cat",
                properties: [.required("name", .string), .optional("master", .int)]),
            ]), nil
        )
      ]), steps: [])

  let bench: Workbench
  let path: String
  let vfs: String?
  private static let size = Int(Database.strataPageSize)

  /// - Parameters:
  ///   - people: from 1 on, one number out of two; dogs and cats stand in between.
  ///   - noteLength: characters of each person's note.
  ///   - wordLength: characters of each person's two words, at least.
  init(
    people: Int, dogs: Int = 0, cats: Int = 0, noteLength: Int = 0, wordLength: Int = 0,
    vfs: String? = nil
  ) throws {
    bench = try Workbench()
    path = bench.path("a.db")
    self.vfs = vfs
    let version = try #require(Self.target.history.version(0))
    try SampleDatabase(version: version, of: Self.target.history, vfs: vfs).create(
      at: path, objects: 0, seed: 7)
    func numbers(_ count: Int) -> String {
      "WITH RECURSIVE i(x) AS (SELECT 1 WHERE \(count) > 0 UNION ALL SELECT x + 1 FROM i WHERE x < \(count)) "
    }
    let note = noteLength == 0 ? "NULL" : "substr(hex(randomblob(\(noteLength))), 1, \(noteLength))"
    for statement in [
      "INSERT INTO Person (_row, name, age, weight, note) SELECT 2 * x - 1, 'person ' || x, x % 90, x / 3.0, \(note) FROM i",
      "INSERT INTO \"Person.scores\" (_owner, _index, value) SELECT 2 * x - 1, y * 65536, x * y FROM i, (SELECT 1 AS y UNION SELECT 2)",
      "INSERT INTO \"Person.words\" (_owner, _index, value) SELECT 2 * x - 1, 'key ' || y, printf('%\(wordLength)s', 'word ' || x * y) FROM i, (SELECT 1 AS y UNION SELECT 2)",
    ] { try sql(numbers(people) + statement) }
    try sql(
      numbers(dogs) + "INSERT INTO Dog (_row, name, master) SELECT 2 * x, 'dog ' || x, x FROM i")
    try sql(
      numbers(cats)
        + "INSERT INTO Cat (_row, name, master) SELECT 1000000 + x, 'cat ' || x, NULL FROM i")
    try sql("UPDATE _strata SET value = 2000000 WHERE key = 'nextRow'")
    try sql("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  @discardableResult
  func sql(_ text: String, of file: String? = nil) throws -> [[SQLiteValue]] {
    let database = try Database(path: file ?? path, mode: .readWrite, vfs: vfs)
    defer { database.close() }
    return try database.rows(text)
  }

  /// Deletes people and what they hold.
  func delete(_ condition: String) throws {
    try sql("DELETE FROM Person WHERE \(condition)")
    for table in ["Person.scores", "Person.words"] {
      try sql("DELETE FROM \"\(table)\" WHERE _owner NOT IN (SELECT _row FROM Person)")
    }
    try sql("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// All rows of a table, in the order of the first columns.
  func rows(_ table: String, of file: String? = nil) throws -> [[SQLiteValue]] {
    try sql("SELECT * FROM \"\(table)\" ORDER BY 1, 2", of: file)
  }

  func salvage() throws -> Salvage.Report {
    try Salvage(path: path, output: bench.path("saved.db"), vfs: vfs).run()
  }

  func saved(_ table: String) throws -> [[SQLiteValue]] {
    try rows(table, of: bench.path("saved.db"))
  }

  // MARK: - Pages

  func root(of table: String) throws -> Int {
    let rows = try sql("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
    return Int(try #require(rows.first?.first?.ifInteger))
  }

  /// A page as SQLite sees it, and how many of its bytes hold content.
  private func content(of number: Int) throws -> (page: [UInt8], usableSize: Int) {
    let database = try Database(path: path, mode: .readOnly, vfs: vfs)
    defer { database.close() }
    let reader = try #require(PageReader(database))
    var page: [UInt8] = []
    try #require(reader.read(number, into: &page))
    return (page, reader.usableSize)
  }

  func page(_ number: Int) throws -> [UInt8] { try content(of: number).page }

  func tree(_ number: Int) throws -> BTreePage {
    let (page, size) = try content(of: number)
    return try #require(BTreePage(page, usableSize: size))
  }

  func children(of number: Int) throws -> [Int] { try tree(number).children }

  /// The numbers of the rows on a leaf.
  func numbers(on leaf: Int) throws -> [Int64] { try tree(leaf).cells.map(\.row) }

  /// Overwrites a page as the disk holds it.
  func fill(_ number: Int, with byte: UInt8) throws {
    try overwrite(number, [UInt8](repeating: byte, count: Self.size))
  }

  /// Overwrites pages as the disk holds them.
  func fill(_ numbers: [Int], with byte: UInt8) throws {
    var content = try bench.bytes(path)
    for number in numbers {
      content.replaceSubrange(
        (number - 1) * Self.size..<number * Self.size,
        with: repeatElement(byte, count: Self.size))
    }
    try write(content)
  }

  func write(_ content: [UInt8]) throws {
    try POSIXFiles().write(content, to: path, permissions: 0o600)
  }

  func overwrite(_ number: Int, _ page: [UInt8]) throws {
    var content = try bench.bytes(path)
    content.replaceSubrange((number - 1) * Self.size..<number * Self.size, with: page)
    try POSIXFiles().write(content, to: path, permissions: 0o600)
  }

  /// A page as the disk holds it.
  func image(of number: Int) throws -> [UInt8] {
    Array(try bench.bytes(path)[(number - 1) * Self.size..<number * Self.size])
  }
}
