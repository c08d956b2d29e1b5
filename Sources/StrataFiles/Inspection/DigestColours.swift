import Strata
import StrataSQLite

/// 128 bits of a digest.
struct DigestColour: Hashable {
  let high: UInt64
  let low: UInt64

  init(_ digest: SIMD8<UInt32>) {
    high = UInt64(digest[0]) << 32 | UInt64(digest[1])
    low = UInt64(digest[2]) << 32 | UInt64(digest[3])
  }

  fileprivate init(high: Int64, low: Int64) {
    self.high = UInt64(bitPattern: high)
    self.low = UInt64(bitPattern: low)
  }
}

/// The colours of objects by identity, in temporary tables: those of the last round, and those of the round that is being
/// worked out.
final class DigestColours {
  private let database: Database
  private var insert: Statement?
  private var insertNext: Statement?
  private var select: Statement?

  private static let current = "temp.\"_strata_colours\""
  private static let next = "temp.\"_strata_next_colours\""

  init(_ database: Database) throws {
    self.database = database
    for table in [Self.current, Self.next] {
      try database.execute(
        "CREATE TABLE \(table) (identity INTEGER PRIMARY KEY, high INTEGER, low INTEGER)")
    }
    insert = try database.prepare("INSERT OR REPLACE INTO \(Self.current) VALUES (?, ?, ?)")
    insertNext = try database.prepare("INSERT OR REPLACE INTO \(Self.next) VALUES (?, ?, ?)")
    select = try database.prepare("SELECT high, low FROM \(Self.current) WHERE identity = ?")
  }

  /// Removes the tables.
  func close() {
    (insert, insertNext, select) = (nil, nil, nil)
    database.discardCachedStatements()
    // What is left in a temporary file goes with the connection.
    for table in [Self.current, Self.next] { try? database.execute("DROP TABLE \(table)") }
  }

  /// The colour of the last round; nil for an object that is not there.
  func colour(of identity: Int64) throws -> DigestColour? {
    guard let select else { return nil }
    try select.bind(identity, at: 1)
    defer { select.reset() }
    guard try select.step() else { return nil }
    return DigestColour(high: select.integer(at: 0), low: select.integer(at: 1))
  }

  func keep(_ colour: DigestColour, of identity: Int64) throws {
    try run(insert, colour, identity)
  }

  func keepNext(_ colour: DigestColour, of identity: Int64) throws {
    try run(insertNext, colour, identity)
  }

  private func run(_ statement: Statement?, _ colour: DigestColour, _ identity: Int64) throws {
    guard let statement else { return }
    try statement.bind(identity, at: 1)
    try statement.bind(Int64(bitPattern: colour.high), at: 2)
    try statement.bind(Int64(bitPattern: colour.low), at: 3)
    try statement.run()
  }

  /// How many colours the new round tells apart.
  func countNext() throws -> Int {
    let count = try database.firstValue(
      "SELECT count(*) FROM (SELECT 1 FROM \(Self.next) GROUP BY high, low)")
    return Int(count?.ifInteger ?? 0)
  }

  /// Makes the new round the last one.
  func adoptNext() throws {
    try database.execute("INSERT OR REPLACE INTO \(Self.current) SELECT * FROM \(Self.next)")
    try database.execute("DELETE FROM \(Self.next)")
  }
}
