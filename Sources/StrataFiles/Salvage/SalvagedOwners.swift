import Strata
import StrataSQLite
import StrataSchema

/// Finds the embedded objects of a draft that nothing leads to from an object that stands on its own, in time that grows with the objects
/// alone: they may be in one another thousands of levels deep, or in a ring.
struct SalvagedOwners {
  /// What embedded objects hold others, by the numbers of their models.
  private static let held = "temp.\"_salvage held\""
  /// The embedded objects that are owned.
  private static let owned = "temp.\"_salvage reached\""

  private let target: Database
  /// The embedded models that something may hold, and the numbers of all embedded ones.
  private let models: [Model]
  private let numbers: [String: Int]
  private let holders: LinkHolders

  init(_ schema: Schema, _ target: Database) {
    self.target = target
    holders = LinkHolders(in: schema)
    let embedded = schema.storedModels.filter(\.isEmbedded)
    numbers = Dictionary(
      embedded.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    models = embedded.filter { [holders] in !holders.holders(of: $0.name).isEmpty }
  }

  /// Deletes the objects that are not owned.
  ///
  /// - Returns: how many of each model, where there were some.
  func dropOwnerless() throws -> [(model: Model, count: Int)] {
    guard !models.isEmpty else { return [] }
    try find()
    defer { for table in [Self.held, Self.owned] { try? target.execute("DROP TABLE \(table)") } }
    return try models.compactMap { model in
      try target.execute(deletion(of: model))
      return target.changes > 0 ? (model, target.changes) : nil
    }
  }

  /// Deletes what was not found of a model.
  func deletion(of model: Model) -> String {
    """
    DELETE FROM \(SQL.identifier(model.name)) WHERE NOT EXISTS \
    (SELECT 1 FROM \(Self.owned) o WHERE o.model = \(number(of: model)) AND o.row = _row)
    """
  }

  private func number(of model: Model) -> Int { numbers[model.name] ?? -1 }

  /// Notes the objects that are owned.
  func find() throws {
    for (table, columns) in [
      (Self.held, ["model", "owner", "held", "row"]), (Self.owned, ["model", "row"]),
    ] {
      // A column without a type compares otherwise than a row's number, and no index is searched by it.
      let definitions = columns.map { "\($0) INTEGER" }.joined(separator: ", ")
      try target.execute(
        "CREATE TABLE \(table) (\(definitions), PRIMARY KEY (\(columns.joined(separator: ", ")))) WITHOUT ROWID"
      )
    }
    for model in models {
      for holder in holders.holders(of: model.name) {
        let column = SQL.identifier(holder.targetColumn)
        let places = "FROM \(SQL.identifier(holder.table)) WHERE \(column) > 0"
        // What nothing can hold stands on its own here, too.
        if let owner = numbers[holder.model.name],
          models.contains(where: { $0.name == holder.model.name })
        {
          let row = holder.property.type.isCollection ? LayoutNames.owner : LayoutNames.row
          try target.execute(
            "INSERT OR IGNORE INTO \(Self.held) SELECT \(owner), \(row), \(number(of: model)), \(column) \(places)"
          )
        } else {
          try target.execute(
            "INSERT OR IGNORE INTO \(Self.owned) SELECT \(number(of: model)), \(column) \(places)")
        }
      }
    }
    try target.execute(
      """
      WITH RECURSIVE reached(model, row) AS (SELECT model, row FROM \(Self.owned) \
      UNION SELECT h.held, h.row FROM reached r CROSS JOIN \(Self.held) h \
      ON h.model = r.model AND h.owner = r.row) \
      INSERT OR IGNORE INTO \(Self.owned) SELECT model, row FROM reached
      """)
  }
}
