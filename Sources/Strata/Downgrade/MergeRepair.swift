import StrataSQLite
import StrataSchema

/// Makes a merged file one that its version would have: values that have to be unique are, links lead somewhere, embedded objects
/// have one owner.
struct MergeRepair {
  /// Rounds in which a value that is given back may take another one's, before all of them are given back.
  private static let maximumRounds = 64

  private let database: Database
  private let route: BackRoute
  private let found: ChangeDetection.Result
  /// The links of the older version.
  private let links: LinkHolders

  init(_ database: Database, _ route: BackRoute, _ found: ChangeDetection.Result) {
    self.database = database
    self.route = route
    self.found = found
    links = LinkHolders(in: route.older)
  }

  func run(_ notes: inout LossNotes) throws {
    let covered = try tablesWithUniqueIndexes()
    for way in route.ways {
      guard let oldest = way.oldest else { continue }
      guard found.carries(way) else { continue }
      // Where unique indexes were taken off, duplicates may be.
      guard !covered.contains(oldest.name) else { continue }
      for key in oldest.uniqueKeys { try separate(way, oldest, key, &notes) }
    }
    if found.touchesLinks(route) { try mendLinks(&notes) }
  }

  /// The tables whose unique indexes were not taken off.
  private func tablesWithUniqueIndexes() throws -> Set<String> {
    Set(
      try database.rows(
        "SELECT tbl_name FROM main.sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE%'"
      ).compactMap { $0[0].ifText })
  }

  // MARK: - Uniqueness

  private func separate(
    _ way: BackWay, _ model: Model, _ key: [String], _ notes: inout LossNotes
  ) throws {
    for round in 1...Self.maximumRounds {
      let rows = try conflicts(way, model, key, all: round == Self.maximumRounds)
      guard try database.firstValue("SELECT 1 FROM temp.\"_strata_back_same\" LIMIT 1") != nil
      else {
        return try database.execute("DROP TABLE temp.\"_strata_back_same\"")
      }
      notes.add(way, nil, .duplicate(key))
      for name in key {
        if let position = model.storedProperties.firstIndex(where: { $0.name == name }) {
          notes.add(way, way.origin(of: position), .duplicate(key))
        }
      }
      try giveBack(rows, way, model, key)
      try database.execute("DROP TABLE temp.\"_strata_back_same\"")
    }
  }

  /// Objects that have come back and have what another one has.
  private func conflicts(_ way: BackWay, _ model: Model, _ key: [String], all: Bool) throws
    -> String
  {
    let table = "main.\(SQL.identifier(model.name))"
    let columns = SQL.identifiers(key)
    let known = key.map { "\(SQL.identifier($0)) IS NOT NULL" }.joined(separator: " AND ")
    let condition = key == model.primaryKey ? "" : "WHERE \(known)"
    try database.execute("CREATE TABLE temp.\"_strata_back_same\" (row INTEGER PRIMARY KEY)")
    let changed =
      "SELECT row FROM \(ChangeDetection.objects) WHERE way = ? AND kind <> \(ChangeDetection.Kind.deleted.rawValue)"
    if all {
      let duplicates =
        "SELECT \(columns) FROM \(table) \(condition) GROUP BY \(columns) HAVING count(*) > 1"
      let first = try database.firstValue("SELECT 1 FROM (\(duplicates)) LIMIT 1")
      guard first != nil else { return "" }
      try database.execute(
        "INSERT INTO temp.\"_strata_back_same\" \(changed)", .integer(Int64(way.index)))
    } else {
      // One pass over the objects in the order of the key: its index is off, so that a group could not be looked up.
      try database.execute(
        """
        INSERT INTO temp."_strata_back_same" SELECT _row FROM (SELECT _row, \
        count(*) OVER (PARTITION BY \(columns)) AS same FROM \(table) \(condition)) \
        WHERE same > 1 AND _row IN (\(changed))
        """, .integer(Int64(way.index)))
    }
    return "SELECT row FROM temp.\"_strata_back_same\""
  }

  /// Objects of the old file take its values again, others go.
  private func giveBack(_ rows: String, _ way: BackWay, _ model: Model, _ key: [String]) throws {
    let table = SQL.identifier(model.name)
    let assignments = key.map {
      "\(SQL.identifier($0)) = (SELECT o.\(SQL.identifier($0)) FROM old.\(table) o WHERE o._row = main.\(table)._row)"
    }
    try database.execute(
      """
      UPDATE main.\(table) SET \(assignments.joined(separator: ", ")) \
      WHERE _row IN (\(rows)) AND _row IN (SELECT _row FROM old.\(table))
      """)
    try database.execute(
      """
      DELETE FROM main.\(table) WHERE _row IN (\(rows)) AND _row NOT IN (SELECT _row FROM old.\(table))
      """)
  }

  // MARK: - Links

  private func mendLinks(_ notes: inout LossNotes) throws {
    let owners = OwnerRepair(database, route, links)
    let touched = owners.models(touchedBy: found)
    try owners.separate(touched, &notes)
    try owners.removeOwnerless(touched, &notes)
    let oldOnly = try OldOnlyObjects(database, route)
    // What goes because it links to nothing may be linked to itself, and own others. Each round takes links away.
    while try cutLinks(oldOnly, &notes) {
      notes.hasCutLinks = true
      try owners.removeOwnerless(owners.models, &notes)
    }
    notes.oldOnly = try oldOnly.losses()
    try MissingAnyLinks(database: database, schema: route.older).cut { holder in
      notes.addCutLinks(of: holder, route, .misfit)
    }
  }

  /// Each link by itself, in the order of its index: a check of all foreign keys would look each of them up all over its target.
  ///
  /// - Returns: whether some led nowhere.
  private func cutLinks(_ oldOnly: OldOnlyObjects, _ notes: inout LossNotes) throws -> Bool {
    var hasCut = false
    for model in route.older.storedModels {
      for holder in links.holders(of: model.name)
      where try leadsNowhere(holder.table, holder.targetColumn, model) {
        hasCut = true
        try cut(holder, to: model, oldOnly, &notes)
      }
      for property in model.collectionProperties {
        let table = "\(model.name).\(property.name)"
        guard try leadsNowhere(table, "_owner", model) else { continue }
        hasCut = true
        try database.execute(
          "DELETE FROM main.\(SQL.identifier(table)) WHERE \(nowhere("_owner", model))")
      }
    }
    return hasCut
  }

  private func leadsNowhere(_ table: String, _ link: String, _ target: Model) throws -> Bool {
    try database.firstValue(
      "SELECT 1 FROM main.\(SQL.identifier(table)) WHERE \(nowhere(link, target)) LIMIT 1") != nil
  }

  private func nowhere(_ link: String, _ target: Model) -> String {
    let column = SQL.identifier(link)
    return
      "\(column) IS NOT NULL AND \(column) NOT IN (SELECT _row FROM main.\(SQL.identifier(target.name)))"
  }

  private func cut(
    _ holder: LinkHolder, to target: Model, _ oldOnly: OldOnlyObjects, _ notes: inout LossNotes
  ) throws {
    let table = "main.\(SQL.identifier(holder.table))"
    let link = SQL.identifier(holder.targetColumn)
    let leadsNowhere = nowhere(holder.targetColumn, target)
    if !holder.property.type.isCollection, !holder.property.isRequiredColumn {
      return try database.execute("UPDATE \(table) SET \(link) = NULL WHERE \(leadsNowhere)")
    }
    if !holder.property.type.isCollection {
      try oldOnly.note(holder, where: leadsNowhere)
      if let way = route.way(ofModel: holder.model.name, at: 0) {
        notes.add(way, nil, .linkToNothing(holder.property.name))
      }
    }
    try database.execute("DELETE FROM \(table) WHERE \(leadsNowhere)")
  }
}
