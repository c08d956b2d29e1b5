import StrataSQLite
import StrataSchema

/// Gives each embedded object of a merged file one owner: of several places that hold it one keeps it, and what nothing owns goes.
///
/// In the newer version the model may stand on its own. There any number of links lead to an object, or none, and objects may lead to each
/// other in a ring that nothing else leads to.
struct OwnerRepair {
  /// Embedded objects that are owned, and how many embedded ones stand above each: an owner stands above what it owns.
  private static let owned = "temp.\"_strata_back_owned\""
  /// Objects that several places hold.
  private static let shared = "temp.\"_strata_back_shared\""
  /// The places that hold them; of each object the one that keeps it comes first.
  private static let claims = "temp.\"_strata_back_claims\""

  private let database: Database
  private let route: BackRoute
  /// The links of the older version.
  private let links: LinkHolders

  init(_ database: Database, _ route: BackRoute, _ links: LinkHolders) {
    self.database = database
    self.route = route
    self.links = links
  }

  /// The older version's embedded models.
  var models: [Model] { route.older.storedModels.filter(\.isEmbedded) }

  /// Those of which an object may have other owners than in the old file: of models that have changed, and what these embed.
  func models(touchedBy found: ChangeDetection.Result) -> [Model] {
    var names = Set(
      route.ways.filter { way in found.counts[way.index].values.contains { $0 > 0 } }
        .compactMap(\.oldest?.name))
    var touched: Set<String> = []
    var hasMore = true
    while hasMore {
      let more = models.filter { model in
        !touched.contains(model.name)
          && (names.contains(model.name)
            || links.holders(of: model.name).contains { names.contains($0.model.name) })
      }.map(\.name)
      touched.formUnion(more)
      names.formUnion(more)
      hasMore = !more.isEmpty
    }
    return models.filter { touched.contains($0.name) }
  }

  // MARK: - What is owned

  private func findOwned(_ models: [Model]) throws {
    try database.execute("DROP TABLE IF EXISTS \(Self.owned)")
    try database.execute(
      "CREATE TABLE \(Self.owned) (row INTEGER PRIMARY KEY, level INTEGER NOT NULL)")
    let names = Set(models.map(\.name))
    let holders = models.flatMap { links.holders(of: $0.name) }
    for holder in holders where !names.contains(holder.model.name) {
      let target = SQL.identifier(holder.targetColumn)
      try database.execute(
        """
        INSERT OR IGNORE INTO \(Self.owned) SELECT \(target), 0 \
        FROM main.\(SQL.identifier(holder.table)) WHERE \(target) > 0
        """)
    }
    let inner = holders.filter { names.contains($0.model.name) }
    guard !inner.isEmpty else { return }
    try database.execute(
      "CREATE INDEX temp.\"_strata_back_levels\" ON \"_strata_back_owned\" (level)")
    var level: Int64 = 0
    var hasMore = true
    while hasMore {
      hasMore = false
      for holder in inner {
        let target = "t.\(SQL.identifier(holder.targetColumn))"
        try database.execute(
          """
          INSERT OR IGNORE INTO \(Self.owned) SELECT \(target), ?1 + 1 FROM \(Self.owned) o \
          CROSS JOIN main.\(SQL.identifier(holder.table)) t ON t.\(holder.holderColumn) = o.row \
          WHERE o.level = ?1 AND \(target) > 0
          """, .integer(level))
        if database.changes > 0 { hasMore = true }
      }
      level += 1
    }
  }

  /// Removes objects that nothing owns.
  func removeOwnerless(_ models: [Model], _ notes: inout LossNotes) throws {
    guard !models.isEmpty else { return }
    try findOwned(models)
    for model in models where !links.holders(of: model.name).isEmpty {
      let ownerless =
        "FROM main.\(SQL.identifier(model.name)) WHERE _row NOT IN (SELECT row FROM \(Self.owned))"
      if let way = route.way(ofModel: model.name, at: 0) {
        // What the newer file has not either is not lost.
        let lost = try database.firstValue(
          """
          SELECT 1 \(ownerless) \
          AND _row IN (SELECT _row FROM theirs.\(SQL.identifier(way.newest.name))) LIMIT 1
          """)
        if lost != nil { notes.add(way, nil, .ownerless(model.name)) }
      }
      try database.execute("DELETE \(ownerless)")
    }
  }

  // MARK: - Several owners

  /// Leaves an object that several places hold to one of them: to that which has it in the old file, else to the first. The others
  /// get the old file's object again, where that is free; else a link is nil, an element leaves its collection, and an object that has to
  /// have one goes.
  func separate(_ models: [Model], _ notes: inout LossNotes) throws {
    var knowsOwned = false
    for model in models {
      let holders = links.holders(of: model.name)
      guard try findShared(holders) else { continue }
      if !knowsOwned { try findOwned(models) }
      knowsOwned = true
      try claim(holders, Set(models.map(\.name)))
      for (number, holder) in holders.enumerated() where try hasClaims(number) {
        notes.addCutLinks(of: holder, route, .shared(model.name))
        try release(number, holder)
      }
      for (number, holder) in holders.enumerated()
      where try !holder.property.type.isCollection && hasClaims(number) {
        try giveBack(number, holder, model, holders, &notes)
      }
    }
  }

  private func owners(_ holders: [LinkHolder]) -> String {
    holders.map {
      let target = SQL.identifier($0.targetColumn)
      return
        "SELECT \(target) AS target FROM main.\(SQL.identifier($0.table)) WHERE \(target) > 0"
    }.joined(separator: " UNION ALL ")
  }

  private func findShared(_ holders: [LinkHolder]) throws -> Bool {
    guard !holders.isEmpty else { return false }
    try database.execute("DROP TABLE IF EXISTS \(Self.shared)")
    try database.execute("CREATE TABLE \(Self.shared) (row INTEGER PRIMARY KEY)")
    try database.execute(
      """
      INSERT INTO \(Self.shared) SELECT target FROM (\(owners(holders))) \
      GROUP BY target HAVING count(*) > 1
      """)
    return database.changes > 0
  }

  /// Notes the places that do not keep what they hold.
  private func claim(_ holders: [LinkHolder], _ models: Set<String>) throws {
    try database.execute("DROP TABLE IF EXISTS \(Self.claims)")
    try database.execute(
      """
      CREATE TABLE \(Self.claims) (target INTEGER, rank INTEGER, holder INTEGER, owner INTEGER, place, \
      PRIMARY KEY (target, rank, holder, owner, place)) WITHOUT ROWID
      """)
    for (number, holder) in holders.enumerated() {
      let table = SQL.identifier(holder.table)
      let (owner, column) = (holder.holderColumn, SQL.identifier(holder.targetColumn))
      func level(_ row: String) -> String { "(SELECT level FROM \(Self.owned) WHERE row = \(row))" }
      let own = models.contains(holder.model.name) ? level("t.\(owner)") : "-1"
      try database.execute(
        """
        INSERT INTO \(Self.claims) SELECT t.\(column), \
        CASE WHEN \(own) IS NULL OR \(own) >= \(level("t.\(column)")) THEN 2 \
        WHEN EXISTS (SELECT 1 FROM old.\(table) o WHERE o.\(owner) = t.\(owner) AND o.\(column) = t.\(column)) \
        THEN 0 ELSE 1 END, ?, t.\(owner), \(key(holder).map { "t.\($0)" } ?? "0") \
        FROM main.\(table) t WHERE t.\(column) IN (SELECT row FROM \(Self.shared))
        """, .integer(Int64(number)))
    }
    func order(_ name: String) -> String {
      ["rank", "holder", "owner", "place"].map { "\(name).\($0)" }.joined(separator: ", ")
    }
    try database.execute(
      """
      DELETE FROM \(Self.claims) WHERE NOT EXISTS (SELECT 1 FROM \(Self.claims) b \
      WHERE b.target = "_strata_back_claims".target AND (\(order("b"))) < (\(order("\"_strata_back_claims\""))))
      """)
  }

  /// The column that tells an element from the others of its collection; nil for a link.
  private func key(_ holder: LinkHolder) -> String? {
    switch holder.property.type {
    case .list, .map: "_index"
    case .set: "value"
    case .value, .inverse: nil
    }
  }

  private func hasClaims(_ number: Int) throws -> Bool {
    try database.firstValue(
      "SELECT 1 FROM \(Self.claims) WHERE holder = ? LIMIT 1", .integer(Int64(number))) != nil
  }

  private func release(_ number: Int, _ holder: LinkHolder) throws {
    let table = "main.\(SQL.identifier(holder.table))"
    let number = SQLiteValue.integer(Int64(number))
    let places = "FROM \(Self.claims) WHERE holder = ?"
    if let key = key(holder) {
      return try database.execute(
        "DELETE FROM \(table) WHERE (_owner, \(key)) IN (SELECT owner, place \(places))", number)
    }
    // No identity is below 0, and a unique index takes each of them.
    let nothing = holder.property.isRequiredColumn ? "-_row" : "NULL"
    try database.execute(
      """
      UPDATE \(table) SET \(SQL.identifier(holder.targetColumn)) = \(nothing) \
      WHERE _row IN (SELECT owner \(places))
      """, number)
  }

  private func giveBack(
    _ number: Int, _ holder: LinkHolder, _ target: Model, _ holders: [LinkHolder],
    _ notes: inout LossNotes
  ) throws {
    let table = SQL.identifier(holder.table)
    let column = SQL.identifier(holder.targetColumn)
    // The plus signs keep SQLite from the index of the link, in which it would look up each target for each owner.
    try database.execute(
      """
      UPDATE main.\(table) AS t SET \(column) = o.\(column) FROM old.\(table) AS o \
      WHERE o._row = t._row AND t._row IN (SELECT owner FROM \(Self.claims) WHERE holder = ?) \
      AND +o.\(column) IN (SELECT _row FROM main.\(SQL.identifier(target.name))) \
      AND +o.\(column) NOT IN (\(owners(holders)))
      """, .integer(Int64(number)))
    guard holder.property.isRequiredColumn else { return }
    try database.execute("DELETE FROM main.\(table) WHERE \(column) < 0")
    guard database.changes > 0, let way = route.way(ofModel: holder.model.name, at: 0) else {
      return
    }
    notes.add(way, nil, .shared(target.name))
  }
}
