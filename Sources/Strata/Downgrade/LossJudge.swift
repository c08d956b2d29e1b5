import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// Finds what a downgrade loses: the downgraded file is upgraded again, and what is not as it is in the newer file is lost. So a
/// change survives where the report does not name it, whatever steps do.
///
/// `main` is the downgraded file upgraded again; attached are the newer file as `theirs` and the old one upgraded as `base`.
struct LossJudge {
  let database: Database
  let route: BackRoute
  let notes: LossNotes
  /// The first identities that steps give in the upgraded files: of the downgraded one, and of the old one.
  let firstMade: (down: Int64, old: Int64)

  /// Objects that steps have made, in both files: they take identities from the counter, which has gone on.
  private static let same = "temp.\"_strata_back_twins\""
  /// What is lost: by way, property (below 0 for an object that is missing or one too many) and identity.
  private static let lost = "temp.\"_strata_back_lost\""
  private static let suspects = "temp.\"_strata_back_suspects\""
  private static let missing: Int64 = -1
  /// An object too many that the upgrade of the old file made, too: it was deleted since.
  private static let returning: Int64 = -2
  /// One that the upgrade of the old file gave up.
  private static let kept: Int64 = -3
  /// One that a step makes.
  private static let added: Int64 = -4

  private var hasTwins: Bool { firstMade.down != firstMade.old }

  func run() throws -> [DowngradeReport.Loss] {
    try CellComparison.addFunction(to: database)
    try database.execute(
      "CREATE TABLE \(Self.same) (made INTEGER PRIMARY KEY, theirs INTEGER UNIQUE)")
    try database.execute(
      """
      CREATE TABLE \(Self.lost) (way INTEGER, property INTEGER, row INTEGER, \
      PRIMARY KEY (way, property, row)) WITHOUT ROWID
      """)
    try database.execute("CREATE TABLE \(Self.suspects) (row INTEGER PRIMARY KEY)")
    if hasTwins { for way in route.ways { try findTwins(way) } }
    for way in route.ways {
      try compareObjects(way)
      try compareCollections(way)
    }
    return try route.ways.flatMap(losses)
  }

  /// Objects that steps make of others come in the order of these: the first is the first again.
  private func findTwins(_ way: BackWay) throws {
    let table = SQL.identifier(way.newest.name)
    func numbered(_ name: String) -> String {
      "SELECT _row, row_number() OVER (ORDER BY _row) AS number FROM \(name).\(table) WHERE _row >= ?"
    }
    try database.execute(
      """
      INSERT INTO \(Self.same) SELECT m._row, b._row FROM (\(numbered("main"))) m \
      JOIN (\(numbered("base"))) b ON b.number = m.number
      """, .integer(firstMade.down), .integer(firstMade.old))
  }

  /// The identity in `main` of an object of the newer file.
  private func made(_ identity: String) -> String {
    hasTwins
      ? "coalesce((SELECT made FROM \(Self.same) WHERE theirs = \(identity)), \(identity))"
      : identity
  }

  /// The identity in the newer file of an object of `main`.
  private func theirs(_ identity: String) -> String {
    hasTwins
      ? "coalesce((SELECT theirs FROM \(Self.same) WHERE made = \(identity)), \(identity))"
      : identity
  }

  // MARK: - Objects

  private func compareObjects(_ way: BackWay) throws {
    let table = SQL.identifier(way.newest.name)
    let number = SQLiteValue.integer(Int64(way.index))
    try database.execute(
      """
      INSERT INTO \(Self.lost) SELECT ?, \(Self.missing), _row FROM theirs.\(table) t \
      WHERE NOT EXISTS (SELECT 1 FROM main.\(table) m WHERE m._row = \(made("t._row")))
      """, number)
    try database.execute(
      """
      INSERT INTO \(Self.lost) SELECT ?1, CASE \
      WHEN EXISTS (SELECT 1 FROM base.\(table) b WHERE b._row = m.identity) THEN \(Self.returning) \
      WHEN m.identity < ?2 THEN \(Self.kept) ELSE \(Self.added) END, m.identity \
      FROM (SELECT \(theirs("o._row")) AS identity FROM main.\(table) o) m \
      WHERE NOT EXISTS (SELECT 1 FROM theirs.\(table) t WHERE t._row = m.identity)
      """, number, .integer(firstMade.old))
    let columns = way.newest.storedProperties.enumerated().filter { !$0.element.type.isCollection }
      .map { (position: $0.offset, differ: differ($0.element)) }
    guard !columns.isEmpty else { return }
    let pairs = "theirs.\(table) t CROSS JOIN main.\(table) m ON m._row = \(made("t._row"))"
    try database.execute("DELETE FROM \(Self.suspects)")
    try database.execute(
      """
      INSERT INTO \(Self.suspects) SELECT t._row FROM \(pairs) \
      WHERE \(CellComparison.any(columns.map(\.differ)))
      """)
    guard try database.firstValue("SELECT 1 FROM \(Self.suspects) LIMIT 1") != nil else { return }
    for column in columns {
      try database.execute(
        """
        INSERT INTO \(Self.lost) SELECT ?, ?, t._row FROM \(Self.suspects) s CROSS JOIN \(pairs) \
        WHERE t._row = s.row AND \(column.differ)
        """, number, .integer(Int64(column.position)))
    }
  }

  private func differ(_ property: Property) -> String {
    let column = SQL.identifier(property.name)
    let codec = property.codec(in: route.newer)
    let own = codec.kind == .link ? theirs("m.\(column)") : "m.\(column)"
    return CellComparison.differ("t.\(column)", own, codec)
  }

  // MARK: - Collections

  /// Lists may hold the same elements under other order keys: where a key differs, the elements are compared in their order.
  private func compareCollections(_ way: BackWay) throws {
    for (position, property) in way.newest.storedProperties.enumerated()
    where property.type.isCollection {
      let table = SQL.identifier("\(way.newest.name).\(property.name)")
      try database.execute("DELETE FROM \(Self.suspects)")
      if hasTwins {
        try database.execute(
          "INSERT OR IGNORE INTO \(Self.suspects) SELECT DISTINCT _owner FROM theirs.\(table)")
        try database.execute(
          "INSERT OR IGNORE INTO \(Self.suspects) SELECT DISTINCT \(theirs("m._owner")) FROM main.\(table) m"
        )
      } else {
        for (one, other) in [("theirs", "main"), ("main", "theirs")] {
          let join = ChangeDetection.join(property, way.newest, route.newer, with: other)
          try database.execute(
            "INSERT OR IGNORE INTO \(Self.suspects) SELECT t._owner FROM \(one).\(table) t NOT INDEXED \(join)"
          )
        }
      }
      let statement = try database.prepare("SELECT row FROM \(Self.suspects) ORDER BY row")
      let insert = "INSERT INTO \(Self.lost) VALUES (?, ?, ?)"
      while try statement.step() {
        let owner = statement.integer(at: 0)
        guard try differ(property, way.newest, owner) else { continue }
        try database.execute(
          insert, .integer(Int64(way.index)), .integer(Int64(position)), .integer(owner))
      }
    }
  }

  private func differ(_ property: Property, _ model: Model, _ owner: Int64) throws -> Bool {
    let twin =
      try database.firstValue("SELECT \(made("?1"))", .integer(owner))?.ifInteger ?? owner
    // A collection of what is missing, or too many, is counted with its object.
    for (name, row) in [("theirs", owner), ("main", twin)] {
      let found = try database.firstValue(
        "SELECT 1 FROM \(name).\(SQL.identifier(model.name)) WHERE _row = ?", .integer(row))
      if found == nil { return false }
    }
    func elements(_ name: String, _ owner: Int64) throws -> [CollectionElement] {
      try StoredCollection(property: property, model: model, schema: route.newer, in: name)
        .elements(of: owner, database: database)
    }
    var own = try elements("main", twin)
    if hasTwins {
      for (index, element) in own.enumerated() {
        guard case .link(let identity) = element.value else { continue }
        let known = try database.firstValue("SELECT \(theirs("?1"))", .integer(identity))
        own[index].value = .link(known?.ifInteger ?? identity)
      }
    }
    let others = try elements("theirs", owner)
    if case .list = property.type { return own != others }
    return Set(own) != Set(others)
  }

  // MARK: - What it means

  /// Why there is an object that the newer file has not.
  private static let surplus = [
    returning: "it was deleted, and the upgrade of the old file makes it",
    kept: "the upgrade of the old file gave it up, and an upgrade of what goes back does not",
    added: "a step makes it of what goes back, and the newer file has no such object",
  ]

  private func losses(_ way: BackWay) throws -> [DowngradeReport.Loss] {
    try database.rows(
      "SELECT property, count(*) FROM \(Self.lost) WHERE way = ? GROUP BY property ORDER BY property",
      .integer(Int64(way.index))
    ).map { row in
      let number = row[0].ifInteger ?? 0
      let position = number < 0 ? nil : Int(number)
      return DowngradeReport.Loss(
        model: way.newest.name, property: position.map { way.newest.storedProperties[$0].name },
        reason: Self.surplus[number] ?? LossReason(route: route, notes: notes).text(way, position),
        count: Int(row[1].ifInteger ?? 0), objects: try objects(way, number))
    }
  }

  private func objects(_ way: BackWay, _ number: Int64) throws -> [DowngradeReport.LostObject] {
    let table = SQL.identifier(way.newest.name)
    let key = way.newest.primaryKey
    return try database.rows(
      """
      SELECT row FROM \(Self.lost) WHERE way = ? AND property = ? ORDER BY row \
      LIMIT \(DowngradeReport.maximumNamed)
      """, .integer(Int64(way.index)), .integer(number)
    ).compactMap { $0[0].ifInteger }.map { identity in
      guard !key.isEmpty else {
        return DowngradeReport.LostObject(identity: identity, key: nil)
      }
      let values = try database.rows(
        "SELECT \(SQL.identifiers(key)) FROM theirs.\(table) WHERE _row = ?", .integer(identity)
      ).first
      return DowngradeReport.LostObject(
        identity: identity, key: values.map(DowngradeReport.LostObject.key))
    }
  }
}

/// Why something does not go back, for people.
struct LossReason {
  let route: BackRoute
  let notes: LossNotes

  /// - Parameter position: of the property among the stored ones of the newest version; nil for a whole object.
  func text(_ way: BackWay, _ position: Int?) -> String {
    let version = route.older.version
    guard let oldest = way.oldest else {
      return "version \(version) has no such model"
    }
    switch notes.reason(way, position) {
    case .misfit?: return "version \(version) has no such value"
    case .required(let name)?:
      return
        "version \(version) requires \(oldest.name).\(name), and neither a default nor `back:` says its value"
    case .duplicate(let key)?:
      return
        "another object has the same \(key.joined(separator: ", ")), which is unique in version \(version)"
    case .madeByStep?: return "a step has made the object, which version \(version) does not know"
    case .linkToNothing(let name)?:
      return "\(oldest.name).\(name) has to lead to an object that version \(version) has not"
    case .shared(let target)?:
      return
        "it leads to an object that has several owners, and \(target) is embedded in version \(version)"
    case .ownerless(let name)?:
      return "\(name) is embedded in version \(version), and nothing owns this object there"
    case nil: break
    }
    let failure = notes.failure(way)
    guard let position else { return failure ?? "a step gives up such objects" }
    return text(way, property: position, failure)
  }

  /// - Parameter failure: why what a step says gave no value for some object of the model.
  private func text(_ way: BackWay, property position: Int, _ failure: String?) -> String {
    var position = position
    for number in (0..<way.top).reversed() {
      guard let level = way.level(number) else { break }
      let back = level.properties.firstIndex {
        if case .carried(let newer, _) = $0 { return newer == position }
        return false
      }
      if let back {
        position = back
        continue
      }
      let property = level.newer.storedProperties[position]
      return text(level, property, failure)
    }
    return failure ?? "an upgrade makes another value of what goes back"
  }

  private func text(_ level: BackLevel, _ property: Property, _ failure: String?) -> String {
    // Of a block nothing says what it reads.
    let hasBack =
      level.mapping != nil
      || level.properties.contains {
        guard case .expression(let expression) = $0 else { return false }
        return (expression.readProperties + expression.readCollections).contains {
          level.newer.properties[$0].name == property.name
        }
      }
    let version = level.newerVersion
    let step = level.transition.model(named: level.newer.name)?.property(named: property.name)
    let isWorkedOut: Bool =
      if case .expression? = step?.origin { true } else {
        level.transition.step.swiftModels.contains(level.newer.name)
      }
    if hasBack {
      if let failure { return failure }
      return "what `back:` of the step to version \(version) gives is upgraded to another value"
    }
    if isWorkedOut {
      return level.isCutShort && level.transition.step.swiftModels.contains(level.newer.name)
        ? "the block of version \(version) works it out, and says no `step.back` before it looks at other objects or throws"
        : "the step to version \(version) works it out and says with no `back:` how it goes back"
    }
    return "the version before \(version) has no such property"
  }
}
