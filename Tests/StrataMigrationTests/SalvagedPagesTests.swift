import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles

/// Pages of a collection that cannot be read cost what stands on them.
@Suite struct SalvagedPagesTests {
  private let bench: Workbench
  private let path: String
  private static let count = 20_000

  private static let target = UpgradeTarget(
    history: .chained(
      "Pages",
      [
        (
          "2026-01-01",
          Schema(
            name: "Pages", version: 0,
            models: [
              Model(
                name: "Note",
                properties: [
                  Property(name: "list", type: .list(ValueType(.scalar(.int)))),
                  Property(name: "map", type: .map(ValueType(.scalar(.int)))),
                  Property(name: "set", type: .set(ValueType(.scalar(.int)))),
                  Property(name: "tags", type: .set(ValueType(.scalar(.any)))),
                ])
            ]), nil
        )
      ]), steps: [])

  /// A note with collections of the numbers from 1 on.
  init() throws {
    bench = try Workbench()
    path = try bench.sample(version: 0, of: Self.target, objects: 0)
    let numbers =
      "WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < \(Self.count)) "
    for statement in [
      "INSERT INTO Note (_row) VALUES (1)",
      numbers + "INSERT INTO \"Note.list\" (_owner, _index, value) SELECT 1, x << 16, x FROM i",
      numbers
        + "INSERT INTO \"Note.map\" (_owner, _index, value) SELECT 1, printf('%05d', x), x FROM i",
      numbers + "INSERT INTO \"Note.set\" (_owner, value) SELECT 1, x FROM i",
      numbers + "INSERT INTO \"Note.tags\" (_owner, value) SELECT 1, x FROM i",
      "UPDATE _strata SET value = 2 WHERE key = 'nextRow'", "PRAGMA wal_checkpoint(TRUNCATE)",
    ] { try bench.sql(path, statement) }
  }

  /// Makes pages of a table zeros: the leaves that hold these of its entries; the last one for the number of them.
  private func damage(_ table: String, _ entries: [Int], of count: Int = count) throws {
    var content = try bench.bytes(path)
    let size = Int(Database.strataPageSize)
    let root = try #require(
      try bench.sql(path, "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")[0][0]
        .ifInteger)
    // An inner page names its children: https://sqlite.org/fileformat2.html#b_tree_pages.
    let start = (Int(root) - 1) * size
    let isOfIndex = content[start] == 2
    try #require(isOfIndex || content[start] == 5)
    let cells = Int(content[start + 3]) << 8 | Int(content[start + 4])
    for entry in entries {
      let pointer = start + 12 + 2 * (entry * cells / count)
      // The rightmost child stands in the page's head.
      let cell =
        entry == count
        ? start + 8 : start + (Int(content[pointer]) << 8 | Int(content[pointer + 1]))
      let page = content[cell..<cell + 4].reduce(0) { $0 << 8 | Int($1) }
      content.replaceSubrange(
        (page - 1) * size..<page * size, with: repeatElement(0, count: size))
    }
    try POSIXFiles().write(content, to: path, permissions: 0o600)
  }

  private func saved(_ table: String) throws -> [Int] {
    let output = bench.path("saved.db")
    let report = try Salvage(path: path, output: output).run()
    #expect(!report.losses.isEmpty)
    return try bench.sql(output, "SELECT value FROM \"\(table)\" ORDER BY value").compactMap {
      $0[0].ifInteger.map(Int.init)
    }
  }

  /// Between two damaged pages of a list everything is found, and in a map and a set from both ends.
  @Test(arguments: [
    ("Note.list", [4000, 12_000]), ("Note.list", [0, 19_000]), ("Note.list", [0, count]),
    ("Note.list", [0, 512, 8192, 15_000, count]), ("Note.map", [10_000]),
    ("Note.set", [10_000]), ("Note.tags", [4000, 4500, 12_000]),
  ])
  func onlyWhatStandsOnThemIsLost(_ table: String, _ entries: [Int]) throws {
    try damage(table, entries)
    let saved = try saved(table)
    // A page has room for 1,000 entries at most.
    #expect(saved.count >= Self.count - 1000 * entries.count)
    #expect(saved.count < Self.count)
    #expect(Set(saved).count == saved.count)
  }

  /// Lists that stand on damaged pages as a whole take no part in what is tried for others.
  @Test func oneOfManyListsIsSavedAsIfItStoodAlone() throws {
    let (lists, elements) = (1500, 20)
    let count = Self.count + lists * elements
    for statement in [
      "UPDATE \"Note.list\" SET _owner = 9000", "UPDATE Note SET _row = 9000",
      "WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < \(lists)) "
        + "INSERT INTO Note (_row) SELECT x FROM i",
      "WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < \(elements)) "
        + "INSERT INTO \"Note.list\" (_owner, _index, value) SELECT _row, x << 16, x + 100000 FROM Note, i WHERE _row < 9000",
      "UPDATE _strata SET value = 9001 WHERE key = 'nextRow'", "VACUUM",
      "PRAGMA wal_checkpoint(TRUNCATE)",
    ] { try bench.sql(path, statement) }
    try damage(
      "Note.list", Array(stride(from: 0, to: lists * elements, by: 2000)) + [40_000], of: count)

    let saved = try saved("Note.list")

    #expect(saved.filter { $0 <= Self.count }.count >= Self.count - 1000)
    #expect(saved.count >= count - 16 * 1000)
    #expect(saved.count < count)
  }

  /// Neither its first element nor its last can be read in the table; of those that stand in the order of their owners, some stood on the page that is lost.
  @Test(arguments: ["Note.list", "Note.map", "Note.set", "Note.tags"])
  func aCollectionWithoutItsRootIsFoundOnItsPages(_ table: String) throws {
    var content = try bench.bytes(path)
    let size = Int(Database.strataPageSize)
    let root = try #require(
      try bench.sql(path, "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")[0][0]
        .ifInteger)
    let start = (Int(root) - 1) * size
    let isOfIndex = content[start] == 2
    let cells = Int(content[start + 3]) << 8 | Int(content[start + 4])
    content.replaceSubrange(start..<start + size, with: repeatElement(0, count: size))
    try POSIXFiles().write(content, to: path, permissions: 0o600)
    let output = bench.path("saved.db")
    #expect(try Salvage(path: path, output: output).run().losses.isEmpty != isOfIndex)
    let count = try bench.sql(output, "SELECT count(DISTINCT value) FROM \"\(table)\"")[0][0]
    #expect(count.ifInteger.map(Int.init) == Self.count - (isOfIndex ? cells : 0))
  }

  /// All pages behind the first half are missing.
  @Test func aFileThatWasCutOffIsSavedAsFarAsItGoes() throws {
    let content = try bench.bytes(path)
    try POSIXFiles().write(
      Array(content.prefix(content.count / 2)), to: path, permissions: 0o600)
    let saved = try saved("Note.list")
    // Its pages come first.
    #expect(saved == Array(1...Self.count))
    #expect(try bench.sql(bench.path("saved.db"), "SELECT count(*) FROM Note") == [[.integer(1)]])
  }

  /// It is found from neither side.
  @Test(arguments: ["Person.scores", "Person.words"])
  func anElementOnAnInnerPageBetweenTwoDamagedOnesIsSaved(_ table: String) throws {
    let file = try SalvageDamage(people: 5000)
    let elements = try file.rows(table)
    let leaves = Array(try file.children(of: try file.root(of: table))[3...4])
    let lost = try leaves.map { try file.tree($0).cells.count }.reduce(0, +)
    try file.fill(leaves, with: 0)

    let report = try file.salvage()

    #expect(report.losses.count == 1, "\(report.losses)")
    let saved = try file.saved(table)
    #expect(saved.count == elements.count - lost)
    #expect(saved.allSatisfy(elements.contains))
  }

  /// However many others are damaged.
  @Test func rowsOnSoundPagesAmongManyDamagedOnesAreSaved() throws {
    let file = try SalvageDamage(people: 6000, noteLength: 900)
    let inner = try file.children(of: try file.root(of: "Person"))
    let leaves = try inner.flatMap { try file.children(of: $0) }
    let sound = leaves.indices.filter { $0 % 5 == 2 }.map { leaves[$0] }
    let kept = try sound.flatMap { try file.numbers(on: $0) }
    try file.fill(leaves.filter { !sound.contains($0) }, with: 0)

    _ = try file.salvage()

    #expect(try file.saved("Person").compactMap { $0[0].ifInteger } == kept.sorted())
  }

  /// Behind the end nothing can be read, however high the numbers may go.
  @Test func aFileThatWasCutOffTakesFewProbes() throws {
    let content = try bench.bytes(path)
    try POSIXFiles().write(
      Array(content.prefix(content.count / 2)), to: path, permissions: 0o600)
    let source = try Database(path: path, mode: .readWrite)
    defer { source.close() }
    try source.set(.defensive, false)
    try source.setPragma("writable_schema", true)
    var count = 0
    source.setProgressHandler(every: 1) {
      count += 1
      return false
    }
    let rows = DamagedRows(
      source: source,
      query:
        "SELECT rowid, value FROM \"Note.tags\" NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    )
    _ = try rows.read(before: StrataMetadata.maximumCount) { _, _ in }
    #expect(count < 20 * Self.count)
  }
}
