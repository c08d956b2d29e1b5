import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What deletions in an upgrade cost, in SQLite's own instructions: four times as many objects about four times as much. A table that
/// is read anew for each object would make it 16.
@Suite struct DraftCostTests {
  private static let schema = Schema(
    name: "Trees", version: 1,
    models: [
      Model(
        name: "Node", isEmbedded: true,
        properties: [.link("child", to: "Node"), .list("children", of: "Node")]),
      Model(name: "Reply", properties: [.link("parent", to: "Reply", .cascade)]),
      Model(name: "Tree", properties: [.required("n", .int), .link("root", to: "Node")]),
    ])

  private static func numbers(_ count: Int) -> String {
    "WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < \(count)) "
  }

  /// - Parameters:
  ///   - fill: what stands in the draft, after numbers up to `count` in `i`.
  ///   - model: its object 1 is deleted.
  ///   - left: a query for what is there in the end, and its result.
  private func cost(
    _ count: Int, _ fill: [String], deleting model: String, left: (query: String, number: Int)
  ) throws -> Int {
    let database = try Database(path: ":memory:")
    try DraftLayout.createTables(for: Self.schema, in: database)
    for statement in fill { try database.execute(Self.numbers(count) + statement) }
    try DraftLayout.createIndexes(for: Self.schema, in: database)
    let granularity = 10
    var ticks = 0
    database.setProgressHandler(every: granularity) {
      ticks += 1
      return false
    }
    let deletion = DraftDeletion(database: database, schema: Self.schema)
    try deletion.mark(model, selectedBy: "_row FROM main.\"\(model)\" WHERE _row % 4 = 1")
    try deletion.deleteWaiting()
    try deletion.deleteOrphans()
    database.setProgressHandler(every: 0, nil)
    #expect(try database.firstValue(left.query) == .integer(Int64(left.number)))
    return ticks * granularity
  }

  private func expectLinear(
    _ fill: [String], deleting model: String, left query: String, _ number: (Int) -> Int
  ) throws {
    let (few, many) = (400, 1_600)
    let small = try cost(few, fill, deleting: model, left: (query, number(few)))
    let large = try cost(many, fill, deleting: model, left: (query, number(many)))
    #expect(large < small * 6, "\(small) and \(large) instructions")
  }

  @Test func whatObjectsEmbed() throws {
    try expectLinear(
      [
        "INSERT INTO Tree(_row, n, root) SELECT x, x, 10000 + x FROM i",
        "INSERT INTO Node(_row, child) SELECT 10000 + x, 20000 + x FROM i",
        "INSERT INTO Node(_row) SELECT 20000 + x FROM i",
        "INSERT INTO Node(_row) SELECT 30000 + x FROM i",
        "INSERT INTO \"Node.children\"(_owner, _index, value) SELECT 20000 + x, 1, 30000 + x FROM i",
      ], deleting: "Tree", left: "SELECT count(*) FROM Node"
    ) { $0 * 3 / 4 * 3 }
  }

  @Test func whatIsEmbeddedInALongChain() throws {
    try expectLinear(
      [
        "INSERT INTO Tree(_row, n, root) VALUES (1, 1, 10001), (2, 2, 20001)",
        "INSERT INTO Node(_row, child) SELECT 10000 + x, iif(x % 2, 10001 + x, NULL) FROM i",
        "INSERT INTO Node(_row, child) SELECT 20000 + x, 20001 + x FROM i",
        """
        INSERT INTO "Node.children"(_owner, _index, value) \
        SELECT 10000 + x, 1, 10001 + x FROM i WHERE x % 2 = 0
        """,
      ], deleting: "Tree", left: "SELECT count(*) FROM Node"
    ) { $0 }
  }

  @Test func whatACascadeTakesAlong() throws {
    try expectLinear(
      [
        "INSERT INTO Reply(_row, parent) SELECT 1 + 4 * x, 4 * x - 3 FROM i",
        "INSERT INTO Reply(_row) VALUES (1)", "INSERT INTO Reply(_row) SELECT 4 * x FROM i",
      ], deleting: "Reply", left: "SELECT count(*) FROM Reply"
    ) { $0 }
  }
}
