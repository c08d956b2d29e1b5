import StrataSQLite
import StrataSchema

/// Deletes objects that take long chains of others along: embedded in one another, or joined by links that cascade.
///
/// SQLite's triggers and foreign keys follow a chain for 1,000 rows, in a time that grows with the square of its length; then
/// the statement fails, and what it has deleted by then stays deleted
/// (<https://www.sqlite.org/limits.html#max_trigger_depth>). So everything that goes is found first, level by level, and is
/// deleted from the last level on: each statement finds nothing any more that SQLite would have to follow.
///
/// What is found stands in a table of the connection, so that memory does not grow with the objects.
struct ChainDeletion {
  /// Triggers and actions of foreign keys, one from the other, up to which SQLite is the faster one.
  static let followedBySQLite = 64

  private let database: Database
  private let schema: Schema
  /// The model of the objects that are deleted.
  private let model: Int
  /// Links that take objects along, by the index of the model that they take them along with.
  private var followers: [Int: [Follower]] = [:]

  /// Objects that go with those of a model.
  private struct Follower {
    let model: Int
    let link: LinkHolder
    /// Whether the object that holds the link goes; else the one that it leads to.
    let isHolder: Bool
  }

  init(of model: Model, _ database: Database, _ schema: Schema) {
    self.database = database
    self.schema = schema
    let indices = Dictionary(
      uniqueKeysWithValues: schema.models.enumerated().map { ($1.name, $0) })
    self.model = indices[model.name] ?? 0
    var rest = [model]
    while let next = rest.popLast() {
      guard let index = indices[next.name], followers[index] == nil else { continue }
      let embedded = schema.embeddings(of: next)
      let holders = schema.cascades(to: next)
      rest += embedded.map(\.target) + holders.map(\.model)
      followers[index] =
        embedded.map {
          Follower(model: indices[$0.target.name] ?? 0, link: $0.holder, isHolder: false)
        }
        + holders.map { Follower(model: indices[$0.model.name] ?? 0, link: $0, isHolder: true) }
    }
  }

  /// Deletes objects and what goes with them.
  ///
  /// - Parameter selection: a query for the rows of the objects.
  func delete(_ selection: SQLText) throws { try delete(find(selection)) }

  /// Deletes what goes with objects, and leaves the objects themselves.
  ///
  /// - Parameter selection: a query for the rows of the objects.
  func deleteFollowers(of selection: SQLText) throws { try delete(find(selection).dropFirst()) }

  // MARK: - Finding

  /// What goes: a model's index, the row, and how many steps it is away from the objects that are deleted.
  private static let found = "temp.\"_strata found\""
  /// The rows of a model on a level, the first two parameters.
  private static let rows = "SELECT row FROM \(found) WHERE model = ?1 AND level = ?2"
  private static let allRows = "SELECT row FROM \(found) WHERE model = "
  /// The number that stands for the model of the objects that are deleted, until it is known which of them others embed.
  private static let given = -1

  /// Notes all that goes.
  ///
  /// - Returns: the levels that hold something.
  private func find(_ selection: SQLText) throws -> Range<Int> {
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS \(Self.found) (model INTEGER, row INTEGER, level INTEGER, \
      PRIMARY KEY (model, row)) WITHOUT ROWID
      """)
    try database.execute(
      "CREATE INDEX IF NOT EXISTS temp.\"_strata level\" ON \"_strata found\" (level, model)")
    try database.execute("DELETE FROM \(Self.found)")
    try database.execute(
      "INSERT OR IGNORE INTO \(Self.found) SELECT \(Self.given), object.*, 0 FROM (\(selection.sql)) AS object",
      selection.values)
    if schema.models[model].isEmbedded { try forgetEmbeddedInOthers() }
    try database.execute(
      "UPDATE \(Self.found) SET model = ? WHERE model = \(Self.given)", .integer(Int64(model)))
    return try 0..<follow(from: 0)
  }

  /// Leaves those of the given objects that no other one of them embeds: the others are found behind these, on the level where
  /// they stand.
  private func forgetEmbeddedInOthers() throws {
    for follower in followers[model] ?? [] { try note(follower, of: Self.given, on: 0) }
    _ = try follow(from: 1)
    try database.execute(
      "DELETE FROM \(Self.found) WHERE model = \(Self.given) AND row IN (\(Self.allRows)\(model))")
    try database.execute("DELETE FROM \(Self.found) WHERE model <> \(Self.given)")
  }

  /// Notes what goes with the objects of a level, and what goes with that.
  ///
  /// - Returns: the first level that holds nothing. Each one before holds rows that none before it holds.
  private func follow(from first: Int) throws -> Int {
    var level = first
    while case let models = try self.models(on: level), !models.isEmpty {
      for model in models {
        for follower in followers[model] ?? [] { try note(follower, of: model, on: level) }
      }
      level += 1
    }
    return level
  }

  private func note(_ follower: Follower, of model: Int, on level: Int) throws {
    let link = follower.link
    let holder = link.holderColumn
    let target = SQL.identifier(link.targetColumn)
    try database.execute(
      """
      INSERT OR IGNORE INTO \(Self.found) \
      SELECT \(follower.model), \(follower.isHolder ? holder : target), ?2 + 1 \
      FROM \(SQL.identifier(link.table)) \
      WHERE \(follower.isHolder ? target : holder) IN (\(Self.rows)) AND \(target) IS NOT NULL
      """, .integer(Int64(model)), .integer(Int64(level)))
  }

  private func models(on level: Int) throws -> [Int] {
    try database.rows(
      "SELECT DISTINCT model FROM \(Self.found) WHERE level = ? ORDER BY model",
      .integer(Int64(level))
    ).compactMap { $0[0].ifInteger.map { Int($0) } }
  }

  // MARK: - Deleting

  private func delete(_ levels: Range<Int>) throws {
    try cutCascades()
    for level in levels.reversed() {
      for model in try models(on: level) {
        try database.execute(
          "DELETE FROM \(SQL.identifier(schema.models[model].name)) WHERE \"_row\" IN (\(Self.rows))",
          .integer(Int64(model)), .integer(Int64(level)))
      }
    }
    try database.execute("DELETE FROM \(Self.found)")
  }

  /// Takes the links that cascade out of what goes: they may lead in a circle, or to and fro between objects of one level.
  /// Required ones stay, which never lead back to the model that they come from.
  private func cutCascades() throws {
    for (model, followers) in followers {
      for follower in followers where follower.isHolder {
        let link = follower.link
        let target = SQL.identifier(link.targetColumn)
        // With `+` no index is searched for each pair of the two.
        let isBetween =
          "\(link.holderColumn) IN (\(Self.allRows)\(follower.model)) "
          + "AND +\(target) IN (\(Self.allRows)\(model))"
        if link.property.type.isCollection {
          try database.execute("DELETE FROM \(SQL.identifier(link.table)) WHERE \(isBetween)")
        } else if link.property.type.valueType?.isOptional == true {
          try database.execute(
            "UPDATE \(SQL.identifier(link.table)) SET \(target) = NULL WHERE \(isBetween)")
        }
      }
    }
  }
}
