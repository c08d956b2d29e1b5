import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema

@testable import Strata
@testable import StrataTesting

/// A graph with all that links can be: to one, lists, sets and maps, cycles, of type `any`, embedded ones, with and without
/// primary keys.
enum Graph {
  static let node = Model(
    name: "Node",
    properties: [
      .link("home", to: "Place"), .required("n", .int),
      Property(name: "names", type: .map(ValueType(.scalar(.string)))),
      .link("next", to: "Node"), .list("others", of: "Node"),
      Property(name: "peers", type: .set(ValueType(.object("Node")))),
      Property(name: "tags", type: .set(ValueType(.scalar(.string)))),
      .optional("text", .string), .optional("thing", .any),
    ])
  static let keyed = Model(
    name: "Keyed", primaryKey: ["id"],
    properties: [.required("id", .int), .link("node", to: "Node"), .list("places", of: "Place")])
  static let place = Model(
    name: "Place", isEmbedded: true,
    properties: [
      .required("city", .string), .optional("height", .double), .link("spot", to: "Spot"),
    ])
  static let spot = Model(
    name: "Spot", isEmbedded: true, properties: [.optional("raw", .data)])

  static func numbers(_ count: Int) -> String {
    "WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < \(count)) "
  }

  /// Its objects, as SQL.
  static let objects = [
    numbers(100) + "INSERT INTO Spot(_row, raw) SELECT 3000 + x, zeroblob(x % 3) FROM i",
    numbers(400)
      + """
      INSERT INTO Place(_row, city, height, spot) SELECT 1000 + x, 'c' || (x % 7), x / 8.0, \
      CASE WHEN x <= 100 THEN 3000 + x END FROM i
      """,
    numbers(300)
      + """
      INSERT INTO Node(_row, home, n, next, text, thing) SELECT x, 1000 + x, x % 5, \
      CASE WHEN x % 4 THEN 1 + (x * 7) % 300 END, CASE WHEN x % 3 THEN 'é' || (x % 3) ELSE 'e' END, \
      CASE x % 3 WHEN 0 THEN NULL WHEN 1 THEN x % 2 ELSE 'text' END FROM i
      """,
    "UPDATE Node SET thing = x'0900000000000007D14B65796564' WHERE _row % 10 = 0",
    "UPDATE Node SET thing = x'0900000000000000054E6F6465' WHERE _row % 10 = 1",
    numbers(100) + "INSERT INTO Keyed(_row, id, node) SELECT 2000 + x, x * 3, 1 + x % 40 FROM i",
    numbers(100)
      + "INSERT INTO \"Keyed.places\"(_owner, _index, value) SELECT 2000 + (x + 1) / 2, x, 1300 + x FROM i",
    numbers(300)
      + "INSERT OR IGNORE INTO \"Node.peers\"(_owner, value) SELECT x / 2 + 1, 1 + (x * x) % 300 FROM i",
    numbers(300)
      + "INSERT INTO \"Node.others\"(_owner, _index, value) SELECT 1 + x % 20, x, 1 + (x * 11) % 300 FROM i",
    numbers(300)
      + "INSERT OR IGNORE INTO \"Node.tags\"(_owner, value) SELECT 1 + x % 50, 't' || (x % 6) FROM i",
    numbers(300)
      + "INSERT OR IGNORE INTO \"Node.names\"(_owner, _index, value) SELECT 1 + x % 50, 'k' || (x % 9), 'v' || x FROM i",
  ]

  /// An empty file.
  static func file(
    _ name: String, models: [Model] = [node, keyed, place, spot], in bench: Workbench
  ) throws -> String {
    let version = FrozenVersion(
      schema: Schema(name: "Graph", version: 0, models: models),
      step: nil, date: "2026-01-01T00:00:00Z", stepDigest: nil, chain: nil)
    let path = bench.path(name)
    try SampleDatabase(version: version, of: History(name: "Graph", versions: [version])).create(
      at: path, objects: 0, seed: 0)
    return path
  }

  static func digest(_ path: String) throws -> String? {
    try FileInspector().inspect(path, target: nil, digest: true).dataDigest?.description
  }
}
