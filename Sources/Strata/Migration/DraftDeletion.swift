import StrataSQLite
import StrataSchema

/// Deletes objects of a draft as the schema's delete rules say: what SQLite's foreign keys do in a final file.
struct DraftDeletion {
  let database: Database
  let schema: Schema
  /// The version that is being made, for errors.
  let version: Int

  private struct Victim: Hashable {
    let model: String
    let identity: Int64
    /// Whether it goes because its owner does. It stays where it has another one by now.
    var isOwned = false
  }

  /// Deletes one object and whatever goes with it. The object's own row may be missing already.
  func delete(_ model: String, _ identity: Int64) throws {
    var pending = [Victim(model: model, identity: identity)]
    var seen: Set<Victim> = [pending[0]]
    while let victim = pending.popLast() {
      if victim.isOwned, try hasOwner(victim) {
        // That one may be deleted, too, and takes it along then.
        seen.remove(victim)
        continue
      }
      var next: [Victim] = []
      for holder in schema.holders(of: victim.model) {
        next += try release(victim, from: holder)
      }
      next += try embeddedObjects(of: victim)
      try remove(victim)
      for victim in next where seen.insert(victim).inserted { pending.append(victim) }
    }
  }

  /// Applies the rule of one link to the victim; the holders that go as well.
  private func release(_ victim: Victim, from holder: LinkHolder) throws -> [Victim] {
    let table = SQL.identifier(holder.table)
    let target = SQL.identifier(holder.targetColumn)
    func holders() throws -> [Int64] {
      try database.rows(
        "SELECT \(holder.holderColumn) FROM main.\(table) WHERE \(target) = ?",
        .integer(victim.identity)
      ).compactMap { $0[0].ifInteger }
    }
    switch holder.property.deleteRule {
    case .cascade:
      return try holders().map { Victim(model: holder.model.name, identity: $0) }
    case .deny:
      // Whether the holder is there at the end of the step counts, as it does at the end of a transaction.
      return []
    case .nullify:
      let change =
        holder.property.type.isCollection
        ? "DELETE FROM main.\(table)" : "UPDATE main.\(table) SET \(target) = NULL"
      try database.execute("\(change) WHERE \(target) = ?", .integer(victim.identity))
      return []
    }
  }

  /// What the victim owns.
  private func embeddedObjects(of victim: Victim) throws -> [Victim] {
    guard let model = schema.model(named: victim.model) else { return [] }
    var owned: [Victim] = []
    for property in model.storedProperties {
      guard let name = property.type.linkedModel, schema.model(named: name)?.isEmbedded == true
      else { continue }
      let link = LinkHolder(model: model, property: property)
      owned += try database.rows(
        """
        SELECT \(SQL.identifier(link.targetColumn)) FROM main.\(SQL.identifier(link.table)) \
        WHERE \(link.holderColumn) = ?
        """, .integer(victim.identity)
      ).compactMap { $0[0].ifInteger }.map { Victim(model: name, identity: $0, isOwned: true) }
    }
    return owned
  }

  private func hasOwner(_ victim: Victim) throws -> Bool {
    try schema.holders(of: victim.model).contains { holder in
      try database.firstValue(
        """
        SELECT 1 FROM main.\(SQL.identifier(holder.table)) \
        WHERE \(SQL.identifier(holder.targetColumn)) = ? LIMIT 1
        """, .integer(victim.identity)) != nil
    }
  }

  private func remove(_ victim: Victim) throws {
    guard let model = schema.model(named: victim.model) else { return }
    for property in model.collectionProperties {
      try database.execute(
        "DELETE FROM main.\(SQL.identifier("\(model.name).\(property.name)")) WHERE _owner = ?",
        .integer(victim.identity))
    }
    try database.execute(
      "DELETE FROM main.\(SQL.identifier(model.name)) WHERE _row = ?", .integer(victim.identity))
  }

  /// Removes embedded objects that nobody owns any more, and what they own.
  func deleteOrphans() throws {
    for model in schema.storedModels where model.isEmbedded {
      let owners = schema.holders(of: model.name).map {
        """
        SELECT \(SQL.identifier($0.targetColumn)) FROM main.\(SQL.identifier($0.table)) \
        WHERE \(SQL.identifier($0.targetColumn)) IS NOT NULL
        """
      }
      let condition =
        owners.isEmpty ? "" : " WHERE _row NOT IN (\(owners.joined(separator: " UNION ALL ")))"
      let orphans = try database.rows(
        "SELECT _row FROM main.\(SQL.identifier(model.name))\(condition)")
      for row in orphans {
        if let identity = row[0].ifInteger { try delete(model.name, identity) }
      }
    }
  }
}
