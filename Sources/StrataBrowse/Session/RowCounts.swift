import StrataSQLite

/// How many rows tables have, each counted once until something changes. Counting reads a table; rows that are asked for meanwhile
/// would wait.
struct RowCounts {
  /// What counting may add to an answer that also brings rows.
  static let patience = Duration.milliseconds(50)
  /// SQLite's instructions between two looks at the clock.
  private static let instructions = 5000

  private let database: Database
  private var counts: [String: Int] = [:]

  init(_ database: Database) { self.database = database }

  subscript(table: String) -> Int? { counts[table] }

  mutating func forget() { counts = [:] }

  /// Whether a table has rows, without counting them.
  func hasRows(_ table: String) throws -> Bool {
    if let count = counts[table] { return count > 0 }
    return try database.firstValue("SELECT 1 FROM \(SQL.identifier(table)) LIMIT 1") != nil
  }

  /// Counts what is not counted yet.
  ///
  /// - Parameters:
  ///   - patience: how long all of it may take; what is not counted by then stays unknown. Nil counts everything.
  ///   - skippingUnreadable: whether a table that SQLite refuses to read, as a view over a table that is gone, stays unknown.
  mutating func count(
    _ tables: [String], within patience: Duration?, skippingUnreadable: Bool = false
  ) throws {
    let unknown = tables.filter { counts[$0] == nil }
    guard !unknown.isEmpty else { return }
    if let patience {
      let clock = ContinuousClock()
      let end = clock.now + patience
      database.setProgressHandler(every: Self.instructions) { clock.now > end }
    }
    defer { if patience != nil { database.setProgressHandler(every: 0, nil) } }
    do {
      for table in unknown {
        do {
          let count = try database.firstValue("SELECT count(*) FROM \(SQL.identifier(table))")
          counts[table] = Int(count?.ifInteger ?? 0)
        } catch let error as SQLiteError
          where skippingUnreadable && error.primaryCode == .error
        {
          continue
        }
      }
    } catch let error as SQLiteError
      where patience != nil && error.primaryCode == .interrupted
    {
      return
    }
  }
}
