import StrataSQLite
import StrataSchema

/// Deletes objects of a draft as the schema's delete rules say: what SQLite's foreign keys do in a final file.
///
/// Deletions go model by model and round by round, all objects of a round with the same statements. What waits stands in tables
/// of the draft, so that memory does not grow with the objects.
struct DraftDeletion {
  let database: Database
  let schema: Schema
  /// Whether no link stays that leads to a deleted object, as what makes objects needs it: one that denies the deletion is emptied,
  /// and a required one takes its holder along.
  var leavesNoLink = false

  /// Objects that are to be deleted, by the model's index.
  private static let waiting = "main.\"_draft waiting\""
  /// Embedded objects that have lost an owner. They stay where they have another one by now.
  private static let abandoned = "main.\"_draft abandoned\""
  /// The objects of the round that is running, all of one model.
  private static let round = "main.\"_draft round\""
  /// Embedded objects of models that may embed themselves to which an owner leads that is none of them.
  private static let owned = "main.\"_draft owned\""

  /// Makes the tables; a draft has them from its beginning.
  static func createTables(in database: Database) throws {
    for table in [waiting, abandoned, owned] {
      try database.execute(
        """
        CREATE TABLE \(table) (model INTEGER, identity INTEGER, PRIMARY KEY (model, identity)) \
        WITHOUT ROWID
        """)
    }
    try database.execute("CREATE TABLE \(round) (identity INTEGER PRIMARY KEY)")
  }

  /// Takes the tables away again, from what is no draft.
  static func dropTables(in database: Database) throws {
    for table in [waiting, abandoned, owned, round] { try database.execute("DROP TABLE \(table)") }
  }

  /// The objects that one round deletes, as SQL behind a column.
  private enum Victims {
    case one(Int64)
    case round

    var condition: String {
      switch self {
      case .one: "= ?1"
      case .round: "IN (SELECT identity FROM \(DraftDeletion.round))"
      }
    }

    var values: [SQLiteValue] {
      if case .one(let identity) = self { return [.integer(identity)] }
      return []
    }
  }

  /// Deletes one object and what goes with it. The object's own row may be missing already.
  func delete(_ model: String, _ identity: Int64) throws {
    guard let index = index(of: model) else { return }
    if try delete(.one(identity), of: index) { try deleteWaiting() }
  }

  /// Deletes an object that is not to have been there: links to it are emptied whatever their rule.
  ///
  /// - Returns: the property where a link that is required leads to it; the object stays then.
  func takeBack(_ model: String, _ identity: Int64) throws -> SchemaPath? {
    for holder in schema.holders(of: model) {
      let table = "main.\(SQL.identifier(holder.table))"
      let link = SQL.identifier(holder.targetColumn)
      if holder.property.type.isCollection {
        try database.execute("DELETE FROM \(table) WHERE \(link) = ?", .integer(identity))
      } else if holder.property.isRequiredColumn {
        let held = try database.firstValue(
          "SELECT 1 FROM \(table) WHERE \(link) = ? LIMIT 1", .integer(identity))
        if held != nil { return SchemaPath(holder.model.name, holder.property.name) }
      } else {
        try database.execute(
          "UPDATE \(table) SET \(link) = NULL WHERE \(link) = ?", .integer(identity))
      }
    }
    try delete(model, identity)
    return nil
  }

  /// Notes an object for `deleteWaiting`.
  func mark(_ model: String, _ identity: Int64) throws {
    guard let index = index(of: model) else { return }
    try database.execute(
      "INSERT OR IGNORE INTO \(Self.waiting) VALUES (?, ?)", .integer(Int64(index)),
      .integer(identity))
  }

  /// Notes an embedded object that has lost an owner.
  func abandon(_ model: String, _ identity: Int64) throws {
    guard let index = index(of: model) else { return }
    try database.execute(
      "INSERT OR IGNORE INTO \(Self.abandoned) VALUES (?, ?)", .integer(Int64(index)),
      .integer(identity))
  }

  /// Notes the objects that a query gives.
  func mark(_ model: String, selectedBy query: String) throws {
    guard let index = index(of: model) else { return }
    try database.execute("INSERT OR IGNORE INTO \(Self.waiting) SELECT \(index), \(query)")
  }

  /// Deletes what was noted, and what goes with it.
  func deleteWaiting() throws {
    // Each round takes rows away; what is noted anew is found behind links of those that are left.
    while true {
      if let model = try first(in: Self.abandoned) {
        try keepOwned(model)
      } else if let model = try first(in: Self.waiting) {
        try database.execute(
          "INSERT INTO \(Self.round) SELECT identity FROM \(Self.waiting) WHERE model = ?",
          .integer(Int64(model)))
        try clear(Self.waiting, of: model)
        _ = try delete(.round, of: model)
        try database.execute("DELETE FROM \(Self.round)")
      } else {
        return
      }
    }
  }

  /// Removes embedded objects without an owner, and what leads to them or to objects that are gone in values of type `any`.
  func settle() throws {
    try deleteOrphans()
    try AnyLinks(database: database, schema: schema).forgetMissing()
  }

  /// Removes embedded objects without an owner, and what they own. Those that own themselves, or each other in a ring, have none: nothing
  /// leads into the ring from outside.
  func deleteOrphans() throws {
    for (index, model) in schema.models.enumerated() where model.isEmbedded && !model.isAbstract {
      try database.execute(
        """
        INSERT OR IGNORE INTO \(Self.waiting) SELECT \(index), _row \
        FROM main.\(SQL.identifier(model.name)) AS object WHERE \(isUnowned(model, "object._row"))
        """)
    }
    try deleteWaiting()
    try deleteRings()
  }

  private func deleteRings() throws {
    let names = schema.modelsEmbeddedInRings().sorted()
    guard !names.isEmpty else { return }
    let links = names.flatMap { name in
      schema.holders(of: name).map { (target: index(of: name) ?? 0, holder: $0) }
    }
    let outer = links.filter { !names.contains($0.holder.model.name) }
    for (target, holder) in outer {
      let column = SQL.identifier(holder.targetColumn)
      try database.execute(
        """
        INSERT OR IGNORE INTO \(Self.owned) SELECT \(target), \(column) \
        FROM main.\(SQL.identifier(holder.table)) WHERE \(column) > 0
        """)
    }
    let inner = links.compactMap { link -> String? in
      guard let owner = index(of: link.holder.model.name), names.contains(link.holder.model.name)
      else { return nil }
      let column = "place.\(SQL.identifier(link.holder.targetColumn))"
      // What is owned comes first: each object's own links are looked up, and no table is read for each object.
      return """
        SELECT \(link.target), \(column) FROM owned \
        CROSS JOIN main.\(SQL.identifier(link.holder.table)) AS place \
        WHERE owned.model = \(owner) AND place.\(link.holder.holderColumn) = owned.identity AND \(column) > 0
        """
    }
    let first = "SELECT model, identity FROM \(Self.owned)"
    try database.execute(
      """
      INSERT OR IGNORE INTO \(Self.owned) WITH RECURSIVE owned(model, identity) AS \
      (\(([first] + inner).joined(separator: " UNION "))) SELECT model, identity FROM owned
      """)
    for name in names {
      guard let index = index(of: name) else { continue }
      try mark(
        name,
        selectedBy: """
          _row FROM main.\(SQL.identifier(name)) \
          WHERE _row NOT IN (SELECT identity FROM \(Self.owned) WHERE model = \(index))
          """)
    }
    try database.execute("DELETE FROM \(Self.owned)")
    try deleteWaiting()
  }

  // MARK: - Rounds

  private func index(of model: String) -> Int? {
    schema.indexOfModel(named: model)
  }

  private func first(in table: String) throws -> Int? {
    try database.firstValue("SELECT model FROM \(table) ORDER BY model LIMIT 1")?.ifInteger
      .map { Int($0) }
  }

  private func clear(_ table: String, of model: Int) throws {
    try database.execute("DELETE FROM \(table) WHERE model = ?", .integer(Int64(model)))
  }

  /// Deletes objects of one model, and notes what has to follow.
  ///
  /// - Returns: whether anything has to.
  private func delete(_ victims: Victims, of index: Int) throws -> Bool {
    let model = schema.models[index]
    var hasMore = false
    for property in model.storedProperties {
      guard let name = property.type.linkedModel, let target = self.index(of: name),
        schema.models[target].isEmbedded
      else { continue }
      let link = LinkHolder(model: model, property: property)
      let column = SQL.identifier(link.targetColumn)
      // A required link that is not set yet is 0.
      try database.execute(
        """
        INSERT OR IGNORE INTO \(Self.abandoned) SELECT \(target), \(column) \
        FROM main.\(SQL.identifier(link.table)) \
        WHERE \(link.holderColumn) \(victims.condition) AND \(column) <> 0
        """, victims.values)
      if database.changes > 0 { hasMore = true }
    }
    for property in model.collectionProperties {
      try database.execute(
        """
        DELETE FROM main.\(SQL.identifier("\(model.name).\(property.name)")) \
        WHERE _owner \(victims.condition)
        """, victims.values)
    }
    try database.execute(
      "DELETE FROM main.\(SQL.identifier(model.name)) WHERE _row \(victims.condition)",
      victims.values)
    for holder in schema.holders(of: model.name) {
      if try release(victims, from: holder) { hasMore = true }
    }
    return hasMore
  }

  /// Applies the rule of one link to the victims.
  ///
  /// - Returns: whether holders go as well.
  private func release(_ victims: Victims, from holder: LinkHolder) throws -> Bool {
    let table = "main.\(SQL.identifier(holder.table))"
    let target = SQL.identifier(holder.targetColumn)
    var rule = holder.property.deleteRule
    if leavesNoLink, rule != .cascade {
      rule = holder.property.isRequiredColumn ? .cascade : .nullify
    }
    switch rule {
    case .cascade:
      guard let index = index(of: holder.model.name) else { return false }
      try database.execute(
        """
        INSERT OR IGNORE INTO \(Self.waiting) SELECT \(index), \(holder.holderColumn) \
        FROM \(table) WHERE \(target) \(victims.condition)
        """, victims.values)
      return database.changes > 0
    case .deny:
      // Whether the holder is there at the end of the step counts, as it does at the end of a transaction.
      return false
    case .nullify:
      let change =
        holder.property.type.isCollection
        ? "DELETE FROM \(table)" : "UPDATE \(table) SET \(target) = NULL"
      try database.execute("\(change) WHERE \(target) \(victims.condition)", victims.values)
      return false
    }
  }

  /// Those of a model that have lost an owner and have no other one have to go; the others are forgotten. Another owner may be
  /// deleted later, too, and takes them along then.
  private func keepOwned(_ index: Int) throws {
    try database.execute(
      """
      INSERT OR IGNORE INTO \(Self.waiting) SELECT model, identity FROM \(Self.abandoned) AS object \
      WHERE model = ? AND \(isUnowned(schema.models[index], "object.identity"))
      """, .integer(Int64(index)))
    try clear(Self.abandoned, of: index)
  }

  /// SQL that says whether no link leads to an object.
  private func isUnowned(_ model: Model, _ identity: String) -> String {
    let owners = schema.holders(of: model.name).map {
      """
      NOT EXISTS (SELECT 1 FROM main.\(SQL.identifier($0.table)) AS owner \
      WHERE owner.\(SQL.identifier($0.targetColumn)) = \(identity))
      """
    }
    return owners.isEmpty ? "1" : owners.joined(separator: " AND ")
  }
}
