package import StrataSQLite
package import StrataSchema

/// The unique indexes over a model's values while many of its objects change one after the other: one may take a value that another
/// one has still, and gives up later. What counts is the end.
///
/// Those of primary keys stay, by which objects are found, and those of embedded objects, which nothing else can have.
package final class TakenOffUniqueness {
  private struct Taken {
    let name: String
    let table: String
    let columns: [String]
    let sql: String
    /// Whether an index that is not unique stands in its place.
    let isReplaced: Bool
  }

  private let database: Database
  private var models: Set<String> = []
  private var taken: [Taken] = []
  /// Whether all indexes are there.
  var isWhole: Bool { taken.isEmpty }

  package init(_ database: Database) { self.database = database }

  /// - Returns: whether an index was taken off.
  @discardableResult
  package func takeOff(of model: Model) throws -> Bool {
    guard models.insert(model.name).inserted else { return false }
    let count = taken.count
    let indexes = try database.rows(
      """
      SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL
      """, .text(model.name))
    for row in indexes {
      guard let name = row[0].ifText, let sql = row[1].ifText,
        sql.uppercased().hasPrefix("CREATE UNIQUE")
      else { continue }
      let columns = try database.rows("SELECT name FROM pragma_index_info(?)", .text(name))
        .compactMap { $0[0].ifText }
      guard model.uniqueKeys.contains(columns), !Set(columns).isSubset(of: model.primaryKey)
      else { continue }
      try database.execute("DROP INDEX main.\(SQL.identifier(name))")
      // SQLite looks for links when an object goes, and this is the only index for that.
      let isReplaced =
        columns.count == 1 && model.property(named: columns[0])?.type.linkedModel != nil
      if isReplaced { try database.execute("CREATE " + sql.dropFirst("CREATE UNIQUE ".count)) }
      taken.append(
        Taken(
          name: name, table: model.name, columns: columns, sql: sql, isReplaced: isReplaced))
    }
    return taken.count > count
  }

  /// - Parameters:
  ///   - suspect: of a model and properties an object that met another one with the same values of them, and what is thrown where
  ///   it still does.
  ///   - latest: what is thrown, of the same and of values that several objects have, where no suspect is one of them.
  /// - Throws: `MigrationError` that names objects which are not unique.
  package func putBack(
    _ suspect: (_ model: String, _ properties: [String]) -> (row: Int64, reason: any Error)? = {
      _, _ in nil
    },
    latest: (_ model: String, _ properties: [String], _ values: [SQLiteValue]) throws -> (
      any Error
    )? = { _, _, _ in nil }
  ) throws {
    for index in taken {
      do {
        if index.isReplaced {
          try database.execute("DROP INDEX main.\(SQL.identifier(index.name))")
        }
        try database.execute(index.sql)
      } catch let error as SQLiteError where error.constraint == .unique {
        if let (row, reason) = suspect(index.table, index.columns), try isRepeated(row, index) {
          throw reason
        }
        guard let (count, values) = try repeated(index) else { throw error }
        if let reason = try latest(index.table, index.columns, values) { throw reason }
        throw duplicates(of: index, count, values)
      }
    }
    taken = []
  }

  /// Whether another object has the same values as this one.
  private func isRepeated(_ row: Int64, _ index: Taken) throws -> Bool {
    let (table, columns) = (SQL.identifier(index.table), SQL.identifiers(index.columns))
    let same = try database.firstValue(
      """
      SELECT count(*) FROM main.\(table) WHERE (\(columns)) = (SELECT \(columns) FROM main.\(table) WHERE _row = ?)
      """, .integer(row))
    return (same?.ifInteger ?? 0) > 1
  }

  /// Values that several objects have, and how many have them.
  private func repeated(_ index: Taken) throws -> (count: Int64, values: [SQLiteValue])? {
    let columns = SQL.identifiers(index.columns)
    let isThere = index.columns.map { "\(SQL.identifier($0)) IS NOT NULL" }
      .joined(separator: " AND ")
    let found = try database.rows(
      """
      SELECT count(*), \(columns) FROM main.\(SQL.identifier(index.table)) WHERE \(isThere) \
      GROUP BY \(columns) HAVING count(*) > 1 LIMIT 1
      """
    ).first
    guard let found, let count = found[0].ifInteger else { return nil }
    return (count, Array(found.dropFirst()))
  }

  private func duplicates(
    of index: Taken, _ count: Int64, _ values: [SQLiteValue]
  ) -> MigrationError {
    MigrationError(
      .duplicateValue,
      """
      \(count) objects of \(index.table) would have the same \(index.columns.joined(separator: ", ")), which is unique: \
      \(values.map(\.shortText).joined(separator: ", ")). Nothing was changed.
      """)
  }
}
