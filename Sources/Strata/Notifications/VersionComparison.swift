import StrataSQLite
import StrataSchema

/// Compares the objects of a model in two versions of a file, row by row, when the change log does not say what was changed.
struct VersionComparison {
  private let access: ModelAccess

  init(_ access: ModelAccess) { self.access = access }

  /// What has changed from the version of one connection to that of another; nil for nothing.
  func changes(_ old: Database, _ new: Database) throws -> ChangeRecord.Changes? {
    var changes = ChangeRecord.Changes()
    try compareRows(old, new, &changes)
    for collection in access.layout.collections {
      try compare(collection, old, new, &changes)
    }
    return changes.hasOthers || changes.isEverything || !changes.updates.isEmpty ? changes : nil
  }

  private func compareRows(
    _ old: Database, _ new: Database, _ changes: inout ChangeRecord.Changes
  ) throws {
    let sql = "SELECT \(access.selectColumns) FROM \(access.quotedTable) ORDER BY \"_row\""
    let (olds, news) = (try old.prepare(sql), try new.prepare(sql))
    var (hasOld, hasNew) = (try olds.step(), try news.step())
    while hasOld || hasNew {
      let oldRow = hasOld ? olds.integer(at: 0) : .max
      let newRow = hasNew ? news.integer(at: 0) : .max
      if oldRow == newRow {
        var properties = PropertySet()
        for (column, stored) in access.storedColumns.enumerated()
        where olds.value(at: column + 1) != news.value(at: column + 1) {
          properties.insert(stored.property)
        }
        if !properties.isEmpty { changes.update(oldRow...oldRow, properties) }
      } else {
        let row = min(oldRow, newRow)
        changes.comeOrGo(row...row)
      }
      if oldRow <= newRow { hasOld = try olds.step() }
      if newRow <= oldRow { hasNew = try news.step() }
    }
  }

  private func compare(
    _ collection: CollectionLayout, _ old: Database, _ new: Database,
    _ changes: inout ChangeRecord.Changes
  ) throws {
    let columns = collection.table.columns.map(\.name)
    let sql =
      "SELECT \(SQL.identifiers(columns)) FROM \(SQL.identifier(collection.table.name)) "
      + "ORDER BY \(SQL.identifiers(columns))"
    var olds = try OwnedRows(old, sql, columns)
    var news = try OwnedRows(new, sql, columns)
    guard let index = access.model.indexOfProperty(named: collection.property.name) else { return }
    let property = PropertySet(index)
    while olds.owner != nil || news.owner != nil {
      let owner = min(olds.owner ?? .max, news.owner ?? .max)
      let (before, after) = (try olds.take(owner), try news.take(owner))
      if before != after { changes.update(owner...owner, property) }
    }
  }

  /// The rows of a collection's table, one owner after the other.
  private struct OwnedRows {
    private let statement: Statement
    private let columnCount: Int
    private let ownerColumn: Int
    private(set) var owner: Int64?

    init(_ database: Database, _ sql: String, _ columns: [String]) throws {
      statement = try database.prepare(sql)
      columnCount = columns.count
      ownerColumn = columns.firstIndex(of: LayoutNames.owner) ?? 0
      owner = try statement.step() ? statement.integer(at: ownerColumn) : nil
    }

    mutating func take(_ wanted: Int64) throws -> [[SQLiteValue]] {
      var rows: [[SQLiteValue]] = []
      while owner == wanted {
        rows.append((0..<columnCount).map { statement.value(at: $0) })
        owner = try statement.step() ? statement.integer(at: ownerColumn) : nil
      }
      return rows
    }
  }
}
