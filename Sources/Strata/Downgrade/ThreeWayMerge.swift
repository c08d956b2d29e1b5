import StrataExpression
import StrataSQLite
import StrataSchema

/// Carries the changes of a newer file into a copy of the old one, object by object and property by property: what has not
/// changed keeps the old file's value.
///
/// The copy is `main`; attached are the newer file as `theirs`, the old one upgraded anew as `base`, and the old one as `old`.
final class ThreeWayMerge {
  let database: Database
  let route: BackRoute
  let watch: UpgradeWatch
  let found: ChangeDetection.Result
  /// Why something was not carried, as the report says it.
  private(set) var notes = LossNotes()
  /// Indexes and triggers that are taken off while rows change.
  private var taken: [(kind: String, name: String, table: String, sql: String)] = []

  init(
    _ database: Database, _ route: BackRoute, _ found: ChangeDetection.Result, _ watch: UpgradeWatch
  ) {
    self.database = database
    self.route = route
    self.found = found
    self.watch = watch
  }

  func run() throws {
    try takeOff()
    let (theirs, base) = (
      BackSide(database, "theirs", route), BackSide(database, "base", route)
    )
    for way in route.ways where way.oldest != nil { try delete(way) }
    for way in route.ways { try carry(way, theirs, base) }
    for way in route.ways { try carryCollections(way) }
    try MergeRepair(database, route, found).run(&notes)
    try putBack()
  }

  // MARK: - Indexes and triggers

  /// Deletions are carried one by one, so that no trigger deletes anything of its own; a unique index would be in the way of values
  /// that are exchanged.
  private func takeOff() throws {
    let fulltext = Set(
      TableLayout(route.older).models.flatMap { $0.fulltexts.flatMap(\.triggers) }.map(\.name))
    let disturbed = disturbedTables()
    for row in try database.rows(
      "SELECT type, name, tbl_name, sql FROM main.sqlite_schema WHERE type IN ('trigger', 'index') AND sql IS NOT NULL"
    ) {
      guard let kind = row[0].ifText, let name = row[1].ifText, let table = row[2].ifText,
        let sql = row[3].ifText
      else { continue }
      let isInTheWay =
        kind == "trigger"
        ? !fulltext.contains(name)
        : sql.uppercased().hasPrefix("CREATE UNIQUE") && disturbed.contains(table)
      guard isInTheWay else { continue }
      taken.append((kind, name, table, sql))
    }
    for (kind, name, _, _) in taken {
      try database.execute("DROP \(kind.uppercased()) main.\(SQL.identifier(name))")
    }
  }

  private func putBack() throws {
    for (_, _, table, sql) in taken {
      do {
        try database.execute(sql)
      } catch let error as SQLiteError where error.primaryCode == .constraint {
        let model = route.older.storedModels.first { model in
          model.name == table
            || model.collectionProperties.contains { "\(model.name).\($0.name)" == table }
        }
        throw MigrationError(
          .verificationFailed,
          """
          The older content was refused before anything was written: several rows of \(table) hold what version \
          \(route.older.version) has once. The file is as it was. Please report this with the schema history.
          """, version: route.older.version, model: model?.name)
      }
    }
  }

  /// The tables in which what a unique index covers may change.
  private func disturbedTables() -> Set<String> {
    var tables: Set<String> = []
    for way in route.ways {
      guard let oldest = way.oldest else { continue }
      let counts = found.counts[way.index]
      if (counts[.created] ?? 0) > 0 || changesKey(of: way, oldest) { tables.insert(oldest.name) }
      if counts.values.contains(where: { $0 > 0 }) {
        tables.formUnion(oldest.collectionProperties.map { "\(oldest.name).\($0.name)" })
      }
    }
    return tables
  }

  private func changesKey(of way: BackWay, _ oldest: Model) -> Bool {
    let counts = found.counts[way.index]
    guard (counts[.changed] ?? 0) + (counts[.reached] ?? 0) > 0 else { return false }
    let keys = Set(oldest.uniqueKeys.flatMap { $0 })
    return oldest.storedProperties.enumerated().contains { position, property in
      guard keys.contains(property.name) || property.owns(in: route.older) else { return false }
      guard let top = way.plainOrigin(of: position) else { return true }
      return found.properties[way.index].contains(top)
    }
  }

  // MARK: - Objects

  private func delete(_ way: BackWay) throws {
    guard let oldest = way.oldest, (found.counts[way.index][.deleted] ?? 0) > 0 else { return }
    let rows =
      "SELECT row FROM \(ChangeDetection.objects) WHERE way = ? AND kind = \(ChangeDetection.Kind.deleted.rawValue)"
    for property in oldest.collectionProperties {
      try database.execute(
        """
        DELETE FROM main.\(SQL.identifier("\(oldest.name).\(property.name)")) WHERE _owner IN (\(rows))
        """, .integer(Int64(way.index)))
    }
    try database.execute(
      "DELETE FROM main.\(SQL.identifier(oldest.name)) WHERE _row IN (\(rows))",
      .integer(Int64(way.index)))
  }

  private func carry(_ way: BackWay, _ theirs: BackSide, _ base: BackSide) throws {
    guard found.carries(way), let oldest = way.oldest else { return }
    let statement = try database.prepare(
      """
      SELECT row, kind FROM \(ChangeDetection.objects) WHERE way = ? \
      AND kind <> \(ChangeDetection.Kind.deleted.rawValue) ORDER BY row
      """)
    try statement.bind(Int64(way.index), at: 1)
    let carrier = MergedModel(way, oldest, self)
    var done = 0
    while try statement.step() {
      let identity = statement.integer(at: 0)
      let isCreated = statement.integer(at: 1) == ChangeDetection.Kind.created.rawValue
      guard let newer = try theirs.object(way, identity) else { continue }
      let isThere = try database.firstValue(
        "SELECT 1 FROM main.\(SQL.identifier(oldest.name)) WHERE _row = ?", .integer(identity))
      if isThere != nil {
        try carrier.update(newer, isCreated ? nil : base.object(way, identity), &notes)
      } else if !isCreated {
        // The step has made it, and the older version knows nothing of it.
        notes.add(way, nil, .madeByStep)
      } else {
        try carrier.insert(newer, &notes)
      }
      done += 1
      if done % UpgradeWatch.objectsPerReport == 0 { try watch.report() }
    }
  }

  /// Copies collections whose elements the two versions store alike.
  private func carryCollections(_ way: BackWay) throws {
    guard let oldest = way.oldest else { return }
    for (position, property) in oldest.storedProperties.enumerated()
    where property.type.isCollection {
      guard let top = way.plainOrigin(of: position),
        found.properties[way.index].contains(top)
      else { continue }
      let owners = "SELECT row FROM \(ChangeDetection.elements) WHERE way = ?1 AND property = ?2"
      let table = SQL.identifier("\(oldest.name).\(property.name)")
      let newer = way.newest.storedProperties[top]
      let columns = DraftLayout.collectionColumns(of: property)
      let values: [SQLiteValue] = [.integer(Int64(way.index)), .integer(Int64(top))]
      try database.execute("DELETE FROM main.\(table) WHERE _owner IN (\(owners))", values)
      try database.execute(
        """
        INSERT INTO main.\(table) (\(columns)) SELECT \(columns) \
        FROM theirs.\(SQL.identifier("\(way.newest.name).\(newer.name)")) WHERE _owner IN (\(owners)) \
        AND _owner IN (SELECT _row FROM main.\(SQL.identifier(oldest.name)))
        """, values)
    }
  }
}

extension BackWay {
  /// Where an older property is stored in the newest version, where it is passed on unread on the whole way; its position among the
  /// stored ones.
  func plainOrigin(of position: Int) -> Int? {
    var position = position
    for number in 0..<top {
      guard let level = level(number), level.mapping == nil,
        case .carried(let newer, let conversion) = level.properties[position], conversion.isPlain
      else { return nil }
      position = newer
    }
    return position
  }

  /// The same, whatever is converted on the way.
  func origin(of position: Int) -> Int? {
    var position = position
    for number in 0..<top {
      guard let level = level(number), level.mapping == nil,
        case .carried(let newer, _) = level.properties[position]
      else { return nil }
      position = newer
    }
    return position
  }
}
