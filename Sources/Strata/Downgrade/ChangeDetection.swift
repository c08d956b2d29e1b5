import StrataSQLite
import StrataSchema

/// Finds what has changed in a file since the upgrade, by comparing it with the old file upgraded anew: statements over whole
/// tables, whose results stand in temporary ones.
struct ChangeDetection {
  enum Kind: Int64 {
    case changed = 1
    case created = 2
    case deleted = 3
    /// It is as it was, and a `back:` reads objects of which some have changed.
    case reached = 4

  }

  /// What was found.
  struct Result {
    var changes: [DowngradeReport.ModelChanges] = []
    /// By way: how many objects of each kind.
    var counts: [[Kind: Int]] = []
    /// By way: stored properties that are not the same in some object of both.
    var properties: [Set<Int>] = []

    /// Whether links may lead elsewhere than before, or embedded objects have other owners.
    func touchesLinks(_ route: BackRoute) -> Bool {
      route.ways.contains { way in
        let counts = counts[way.index]
        if (counts[.created] ?? 0) + (counts[.deleted] ?? 0) > 0 { return true }
        guard (counts[.changed] ?? 0) + (counts[.reached] ?? 0) > 0 else { return false }
        return way.isWorkedOut
          || properties[way.index].contains {
            let type = way.newest.storedProperties[$0].type
            return type.linkedModel != nil || type.isCollection
              || type.valueType?.base.scalar == .any
          }
      }
    }

    /// Whether objects of the way are looked at one by one.
    func carries(_ way: BackWay) -> Bool {
      let counts = counts[way.index]
      return [.changed, .created, .reached].contains { (counts[$0] ?? 0) > 0 }
    }

    var isEmpty: Bool { counts.allSatisfy { $0.values.allSatisfy { $0 == 0 } } }
  }

  /// Objects by way, identity and kind.
  static let objects = "temp.\"_strata_back\""
  /// Collections that are not the same, by way, stored property and owner.
  static let elements = "temp.\"_strata_back_elements\""

  let database: Database
  let route: BackRoute

  /// - Precondition: the file is attached as `theirs`, the old one upgraded anew as `base`.
  /// - Parameter isMadeOfOldFile: what the newer file says of it; nil where it does not know.
  /// - Throws: `MigrationError` where the two have nothing to do with each other.
  func run(path: String, old: String, isMadeOfOldFile: Bool?) throws -> Result {
    try CellComparison.addFunction(to: database)
    try database.execute(
      """
      CREATE TABLE \(Self.objects) (way INTEGER, row INTEGER, kind INTEGER, PRIMARY KEY (way, row)) \
      WITHOUT ROWID
      """)
    try database.execute(
      """
      CREATE TABLE \(Self.elements) (way INTEGER, property INTEGER, row INTEGER, \
      PRIMARY KEY (way, property, row)) WITHOUT ROWID
      """)
    var result = Result()
    var (shared, before, now) = (0, 0, 0)
    for way in route.ways {
      try findObjects(of: way)
      var properties = try findElements(of: way)
      properties.formUnion(try changedColumns(of: way))
      var counts: [Kind: Int] = [:]
      for row in try database.rows(
        "SELECT kind, count(*) FROM \(Self.objects) WHERE way = ? GROUP BY kind",
        .integer(Int64(way.index)))
      {
        if let kind = row[0].ifInteger.flatMap(Kind.init(rawValue:)) {
          counts[kind] = Int(row[1].ifInteger ?? 0)
        }
      }
      let table = SQL.identifier(way.newest.name)
      let (base, theirs) =
        (try database.count(of: "base.\(table)"), try database.count(of: "theirs.\(table)"))
      shared += theirs - (counts[.created] ?? 0)
      before += base
      now += theirs
      result.counts.append(counts)
      result.properties.append(properties)
      guard counts.values.contains(where: { $0 > 0 }) else { continue }
      result.changes.append(
        DowngradeReport.ModelChanges(
          model: way.newest.name, changed: counts[.changed] ?? 0, created: counts[.created] ?? 0,
          deleted: counts[.deleted] ?? 0))
    }
    try findReached(&result)
    let changed = result.counts.reduce(0) { $0 + ($1[.changed] ?? 0) }
    // Two files may have the same number of transactions by chance, so that what a file says of its old one is not enough alone.
    if before > 0, now > 0,
      try shared == 0
        ? !(isMadeOfOldFile == true && hasOnlyLaterObjects()) : changed == shared && !keepsKeys()
    {
      throw MigrationError(
        .cannotGoBack,
        """
        \(path) was not made from \(old): none of its objects is one that the upgrade of \(old) gives. Name the old file that \
        was kept when \(path) was upgraded.
        """)
    }
    return result
  }

  private func findObjects(of way: BackWay) throws {
    let table = SQL.identifier(way.newest.name)
    let differences = way.newest.columnProperties.map { property in
      let column = SQL.identifier(property.name)
      return CellComparison.differ(
        "t.\(column)", "b.\(column)", property.codec(in: route.newer))
    }
    let condition = CellComparison.any(["b._row IS NULL"] + differences)
    try database.execute(
      """
      INSERT INTO \(Self.objects) SELECT ?1, t._row, \
      CASE WHEN b._row IS NULL THEN \(Kind.created.rawValue) ELSE \(Kind.changed.rawValue) END \
      FROM theirs.\(table) t LEFT JOIN base.\(table) b ON b._row = t._row WHERE \(condition)
      """, .integer(Int64(way.index)))
    // Counting is cheaper than looking for each object.
    let created = try database.firstValue(
      "SELECT count(*) FROM \(Self.objects) WHERE way = ? AND kind = \(Kind.created.rawValue)",
      .integer(Int64(way.index)))?.ifInteger
    guard
      try database.count(of: "base.\(table)")
        != database.count(of: "theirs.\(table)") - Int(created ?? 0)
    else { return }
    try database.execute(
      """
      INSERT INTO \(Self.objects) SELECT ?1, _row, \(Kind.deleted.rawValue) FROM base.\(table) b \
      WHERE NOT EXISTS (SELECT 1 FROM theirs.\(table) t WHERE t._row = b._row)
      """, .integer(Int64(way.index)))
  }

  /// Of a model whose `back:` reads other objects, all objects are asked as soon as one of those has changed: whose it is
  /// would take as long to find.
  private func findReached(_ result: inout Result) throws {
    let read = route.ways.map(route.read)
    var touched = Set(result.counts.indices.filter { !result.counts[$0].isEmpty })
    // What a `back:` reads may itself be worked out from others.
    var hasMore = true
    while hasMore {
      let more = route.ways.indices.filter {
        !touched.contains($0) && !read[$0].isDisjoint(with: touched)
      }
      touched.formUnion(more)
      hasMore = !more.isEmpty
    }
    for way in route.ways where way.oldest != nil && !read[way.index].isDisjoint(with: touched) {
      let table = SQL.identifier(way.newest.name)
      try database.execute(
        """
        INSERT OR IGNORE INTO \(Self.objects) SELECT ?1, t._row, \(Kind.reached.rawValue) \
        FROM theirs.\(table) t JOIN base.\(table) b ON b._row = t._row
        """, .integer(Int64(way.index)))
      if database.changes > 0 { result.counts[way.index][.reached] = database.changes }
    }
  }

  /// Which of the way's collections are not the same in some object.
  private func findElements(of way: BackWay) throws -> Set<Int> {
    var found: Set<Int> = []
    for (position, property) in way.newest.storedProperties.enumerated()
    where property.type.isCollection {
      for (one, other) in [("theirs", "base"), ("base", "theirs")] {
        try database.execute(
          """
          INSERT OR IGNORE INTO \(Self.elements) SELECT ?1, ?2, t._owner \
          FROM \(SQL.identifier("\(way.newest.name).\(property.name)", in: one)) t NOT INDEXED \
          \(Self.join(property, way.newest, route.newer, with: other))
          """, .integer(Int64(way.index)), .integer(Int64(position)))
      }
      if case .list = property.type { try forgetSameLists(property, position, of: way) }
      let first = try database.firstValue(
        "SELECT 1 FROM \(Self.elements) WHERE way = ? AND property = ? LIMIT 1",
        .integer(Int64(way.index)), .integer(Int64(position)))
      guard first != nil else { continue }
      found.insert(position)
      // Of objects that were created or deleted this is known.
      try database.execute(
        """
        INSERT OR IGNORE INTO \(Self.objects) SELECT way, row, \(Kind.changed.rawValue) \
        FROM \(Self.elements) WHERE way = ? AND property = ?
        """, .integer(Int64(way.index)), .integer(Int64(position)))
    }
    return found
  }

  /// Lists that have the same elements in the same order: an element that was moved there and back has another order key.
  private func forgetSameLists(_ property: Property, _ position: Int, of way: BackWay) throws {
    let place: [SQLiteValue] = [.integer(Int64(way.index)), .integer(Int64(position))]
    let codec = property.codec(in: route.newer)
    let lists = try ["theirs", "base"].map { name in
      try database.prepare(
        """
        SELECT value FROM \(SQL.identifier("\(way.newest.name).\(property.name)", in: name)) \
        WHERE _owner = ? ORDER BY _index
        """)
    }
    /// Step by step, because a list may have more elements than memory holds.
    func isSame(_ owner: Int64) throws -> Bool {
      for list in lists {
        list.reset()
        try list.bind(owner, at: 1)
      }
      while true {
        let (hasTheirs, hasOurs) = (try lists[0].step(), try lists[1].step())
        guard hasTheirs, hasOurs else { return hasTheirs == hasOurs }
        guard try codec.read(lists[0], at: 0) == codec.read(lists[1], at: 0) else { return false }
      }
    }
    var last = Int64.min
    while let owner = try database.rows(
      "SELECT min(row) FROM \(Self.elements) WHERE way = ? AND property = ? AND row > ?",
      place + [.integer(last)]
    ).first?.first?.ifInteger {
      last = owner
      guard try isSame(owner) else { continue }
      try database.execute(
        "DELETE FROM \(Self.elements) WHERE way = ? AND property = ? AND row = ?",
        place + [.integer(owner)])
    }
    for list in lists { list.reset() }
  }

  /// Behind the elements `t` of a collection: those that `other` has not, at that place. The elements are `NOT INDEXED`: by the index of
  /// what they link to, which has all columns, they would be looked up all over the other file.
  static func join(_ property: Property, _ model: Model, _ schema: Schema, with other: String)
    -> String
  {
    var key = "_index"
    if case .set = property.type { key = "value" }
    let difference = CellComparison.differ("t.value", "b.value", property.codec(in: schema))
    return """
      LEFT JOIN \(SQL.identifier("\(model.name).\(property.name)", in: other)) b \
      ON b._owner = t._owner AND b.\(key) IS t.\(key) WHERE b._owner IS NULL OR \(difference)
      """
  }

  private func changedColumns(of way: BackWay) throws -> Set<Int> {
    let columns = way.newest.storedProperties.enumerated().filter { !$0.element.type.isCollection }
    guard !columns.isEmpty else { return [] }
    let table = SQL.identifier(way.newest.name)
    let differences = columns.map { _, property in
      let column = SQL.identifier(property.name)
      let differ = CellComparison.differ(
        "t.\(column)", "b.\(column)", property.codec(in: route.newer))
      return "max(\(differ))"
    }
    let row = try database.rows(
      """
      SELECT \(differences.joined(separator: ", ")) FROM \(Self.objects) c \
      CROSS JOIN theirs.\(table) t ON t._row = c.row CROSS JOIN base.\(table) b ON b._row = c.row \
      WHERE c.way = ? AND c.kind = \(Kind.changed.rawValue)
      """, .integer(Int64(way.index))
    ).first
    return Set(
      columns.enumerated().compactMap { row?[$0.offset].ifInteger == 1 ? $0.element.offset : nil })
  }

  /// Whether the newer file has given all its identities since the upgrade, as where all objects were replaced.
  private func hasOnlyLaterObjects() throws -> Bool {
    let next = try StrataMetadata.nextRow(of: database, schema: route.newer, in: "base")
    return try route.ways.allSatisfy { way in
      try database.firstValue(
        "SELECT 1 FROM theirs.\(SQL.identifier(way.newest.name)) WHERE _row < ? LIMIT 1",
        .integer(next)) == nil
    }
  }

  /// Whether some object has kept its primary key; true where no model has one.
  private func keepsKeys() throws -> Bool {
    var hasKeys = false
    for way in route.ways where !way.newest.primaryKey.isEmpty {
      let table = SQL.identifier(way.newest.name)
      let same = way.newest.primaryKey.map {
        "t.\(SQL.identifier($0)) IS b.\(SQL.identifier($0))"
      }
      let rows = try database.rows(
        """
        SELECT \(same.joined(separator: " AND ")) AS same FROM theirs.\(table) t \
        JOIN base.\(table) b ON b._row = t._row ORDER BY same DESC LIMIT 1
        """)
      guard let first = rows.first else { continue }
      hasKeys = true
      if first[0].ifInteger == 1 { return true }
    }
    return !hasKeys
  }
}
