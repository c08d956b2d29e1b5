import StrataSQLite
import StrataSchema

/// Objects that the old file alone has, and that go because what they have to link to is deleted. An upgrade of the downgraded file
/// does not miss them, so that they are noted where they go.
struct OldOnlyObjects {
  private static let table = "temp.\"_strata_back_gone\""

  private let database: Database
  private let route: BackRoute

  init(_ database: Database, _ route: BackRoute) throws {
    self.database = database
    self.route = route
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS \(Self.table) (model TEXT, property TEXT, row INTEGER, \
      PRIMARY KEY (model, row)) WITHOUT ROWID
      """)
  }

  /// Notes those that are about to go.
  ///
  /// - Parameters:
  ///   - holder: a link of the older version that an object has to have.
  ///   - condition: which objects go, over the columns of their table.
  func note(_ holder: LinkHolder, where condition: String) throws {
    // The older version deletes these itself.
    guard holder.property.deleteRule != .cascade else { return }
    let name = SQL.identifier(holder.model.name)
    var isOldOnly = "_row IN (SELECT _row FROM old.\(name))"
    if let way = route.way(ofModel: holder.model.name, at: 0) {
      isOldOnly +=
        " AND _row NOT IN (SELECT _row FROM theirs.\(SQL.identifier(way.newest.name)))"
    }
    try database.execute(
      """
      INSERT OR IGNORE INTO \(Self.table) SELECT ?, ?, _row FROM main.\(name) \
      WHERE \(condition) AND \(isOldOnly)
      """, .text(holder.model.name), .text(holder.property.name))
  }

  /// What the report says of them.
  func losses() throws -> [DowngradeReport.Loss] {
    try database.rows(
      "SELECT model, property, count(*) FROM \(Self.table) GROUP BY model, property ORDER BY model, property"
    ).compactMap { row in
      guard let name = row[0].ifText, let property = row[1].ifText,
        let model = route.older.model(named: name)
      else { return nil }
      return DowngradeReport.Loss(
        model: route.way(ofModel: name, at: 0)?.newest.name ?? name, property: nil,
        reason: "the old file alone has it, and \(name).\(property) has to lead to what is deleted",
        count: Int(row[2].ifInteger ?? 0), objects: try objects(model, property))
    }
  }

  private func objects(_ model: Model, _ property: String) throws -> [DowngradeReport.LostObject] {
    let columns = (["_row"] + model.primaryKey).map { "o.\(SQL.identifier($0))" }
    return try database.rows(
      """
      SELECT \(columns.joined(separator: ", ")) FROM \(Self.table) g \
      CROSS JOIN old.\(SQL.identifier(model.name)) o ON o._row = g.row \
      WHERE g.model = ? AND g.property = ? ORDER BY g.row LIMIT \(DowngradeReport.maximumNamed)
      """, .text(model.name), .text(property)
    ).map { row in
      DowngradeReport.LostObject(
        identity: row[0].ifInteger ?? 0,
        key: model.primaryKey.isEmpty
          ? nil : DowngradeReport.LostObject.key(row.dropFirst()))
    }
  }
}
