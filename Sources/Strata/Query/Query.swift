import StrataSQLite
import StrataSchema

/// A question about the objects of one model.
struct Query {
  let store: Store
  // The store owns it.
  unowned(unsafe) let access: ModelAccess
  /// SQL conditions that all have to hold, over the model's table.
  var conditions: [Condition] = []

  struct Condition {
    var sql: String
    var values: [SQLiteValue]
  }

  init(_ access: ModelAccess) {
    self.access = access
    store = access.store
  }

  var values: [SQLiteValue] { conditions.flatMap(\.values) }

  /// `FROM "Person" WHERE …`.
  private var source: String {
    "FROM \(access.quotedTable)"
      + (conditions.isEmpty
        ? "" : " WHERE " + conditions.map { "(\($0.sql))" }.joined(separator: " AND "))
  }

  private var order: String { " ORDER BY \(access.quotedTable).\"_row\"" }

  /// Whether all objects are asked for, in the order of their identities.
  var isWholeTable: Bool { conditions.isEmpty }

  /// What a cursor runs: all columns or those of some properties, from the beginning or, of a whole table, behind a row.
  func cursorStatement(
    properties: [Int]?, after row: Int64?
  ) -> (sql: String, values: [SQLiteValue]) {
    var query = self
    if let row {
      query.conditions.append(Condition(sql: "\"_row\" > ?", values: [.integer(row)]))
    }
    let columns =
      properties.map { properties in
        SQL.identifiers(
          [LayoutNames.row] + properties.map { access.model.properties[$0].name })
      } ?? access.selectColumns
    return ("SELECT \(columns) \(query.source)\(order)", query.values)
  }

  func makeCursor() -> RowCursor? {
    guard store.prepareToRead() else { return nil }
    do {
      return try RowCursor(self)
    } catch {
      store.fail(error)
      return nil
    }
  }

  func count() -> Int {
    guard store.prepareToRead() else { return 0 }
    do {
      return Int(
        try store.database.withStatement("SELECT count(*) \(source)") { statement in
          try statement.bind(values)
          return try statement.step() ? statement.integer(at: 0) : 0
        })
    } catch {
      store.fail(error)
      return 0
    }
  }

  /// The identities of so many objects from a position on.
  func rows(from position: Int, count: Int) -> [Int64] {
    guard store.prepareToRead() else { return [] }
    do {
      return try store.database.withStatement(
        "SELECT \"_row\" \(source)\(order) LIMIT ? OFFSET ?"
      ) { statement in
        let values = values + [.integer(Int64(count)), .integer(Int64(position))]
        try statement.bind(values)
        var rows: [Int64] = []
        while try statement.step() { rows.append(statement.integer(at: 0)) }
        return rows
      }
    } catch {
      store.fail(error)
      return []
    }
  }
}

/// What a result has found out about its positions, until the store moves on.
final class ResultWindow {
  /// Identities that are read at once the first time; each time after it as many as there are.
  private static let firstRead = 64

  private let query: Query
  private var generation: UInt64 = 0
  private var rows: [Int64] = []
  private var isComplete = false
  private var knownCount: Int?

  init(_ query: Query) { self.query = query }

  var count: Int {
    refresh()
    if isComplete { return rows.count }
    if let knownCount { return knownCount }
    let count = query.count()
    knownCount = count
    return count
  }

  /// The identity at a position; nil behind the end.
  func row(at index: Int) -> Int64? {
    refresh()
    while index >= rows.count && !isComplete {
      let wanted = max(Self.firstRead, rows.count)
      let more = query.rows(from: rows.count, count: wanted)
      rows += more
      isComplete = more.count < wanted
    }
    return index < rows.count ? rows[index] : nil
  }

  private func refresh() {
    guard query.store.prepareToRead(), generation != query.store.generation else { return }
    generation = query.store.generation
    rows = []
    isComplete = false
    knownCount = nil
  }
}
