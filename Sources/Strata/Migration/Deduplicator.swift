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
    guard !duplicates.isEmpty else { return }
    try redirectInAny(Dictionary(duplicates) { first, _ in first }, model: new.name)
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

  /// Properties of type `any` say the model and the identity of the object that they lead to.
  private func redirectInAny(_ keepers: [Int64: Int64], model name: String) throws {
    for model in schema.storedModels {
      for property in model.storedProperties
      where property.type.valueType?.base.scalar == .any {
        let place = LinkHolder(model: model, property: property)
        let (table, column) = (
          "main.\(SQL.identifier(place.table))", SQL.identifier(place.targetColumn)
        )
        let links = try database.prepare(
          """
          SELECT rowid, \(column) FROM \(table) \
          WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = ?
          """)
        try links.bind([.blob([AnyCoding.Tag.object.rawValue])])
        var changes: [(row: Int64, keeper: Int64)] = []
        while try links.step() {
          guard case .object(name, let identity) = try AnyCoding.read(links.cell(at: 1)),
            let keeper = keepers[identity]
          else { continue }
          changes.append((links.integer(at: 0), keeper))
        }
        for (row, keeper) in changes {
          try database.execute(
            "UPDATE \(table) SET \(column) = ? WHERE rowid = ?",
            .blob(AnyCoding.bytes(ofLinkTo: name, keeper)), .integer(row))
        }
        if case .set = property.type, !changes.isEmpty {
          // A set that already held the one that stays.
          try database.execute(
            """
            DELETE FROM \(table) WHERE rowid NOT IN \
            (SELECT min(rowid) FROM \(table) GROUP BY _owner, \(column))
            """)
        }
      }
    }
  }
}
