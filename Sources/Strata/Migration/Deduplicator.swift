import StrataExpression
import StrataSQLite
import StrataSchema

/// Makes one object of those that agree in some properties: the others are deleted, and links to them lead to the one that stays.
struct Deduplicator {
  let database: Database
  /// The version that is read, and the one that is made.
  let source: Schema
  let schema: Schema
  let deletion: DraftDeletion

  func run(_ rule: Deduplication, old: Model, new: Model) throws {
    let columns = SQL.identifiers(rule.properties)
    let keeper = rule.keep == .first ? "min" : "max"
    // Objects without a value are no duplicates of each other, except where the properties become the primary key.
    let condition =
      new.primaryKey == rule.properties
      ? ""
      : " WHERE "
        + rule.properties.map { "\(SQL.identifier($0)) IS NOT NULL" }.joined(separator: " AND ")
    // Only objects that were carried over count: what the step deletes is gone already.
    let pairs = try database.prepare(
      """
      SELECT _row, keeper FROM (SELECT _row, \(keeper)(_row) OVER (PARTITION BY \(columns)) AS keeper \
      FROM (SELECT * FROM source.\(SQL.identifier(old.name)) WHERE _row IN \
      (SELECT _row FROM main.\(SQL.identifier(new.name))))\(condition)) \
      WHERE _row <> keeper ORDER BY _row
      """)
    var duplicates: [(identity: Int64, keeper: Int64)] = []
    while try pairs.step() {
      duplicates.append((pairs.integer(at: 0), pairs.integer(at: 1)))
    }
    for (identity, keeper) in duplicates {
      for holder in schema.holders(of: new.name) {
        try redirect(holder, from: identity, to: keeper)
      }
      try deletion.delete(new.name, identity)
    }
  }

  private func redirect(_ holder: LinkHolder, from identity: Int64, to keeper: Int64) throws {
    let table = "main.\(SQL.identifier(holder.table))"
    let column = SQL.identifier(holder.targetColumn)
    if case .set = holder.property.type {
      // A set that already holds the one that stays loses the other.
      try database.execute(
        """
        DELETE FROM \(table) WHERE \(column) = ? AND _owner IN \
        (SELECT _owner FROM \(table) WHERE \(column) = ?)
        """, .integer(identity), .integer(keeper))
    }
    try database.execute(
      "UPDATE \(table) SET \(column) = ? WHERE \(column) = ?", .integer(keeper), .integer(identity))
  }
}
