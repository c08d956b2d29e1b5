import Strata
package import StrataSQLite
import StrataSchema

/// What a merge did with the objects of each model, embedded ones counted with their owners.
package struct MergeReport: Hashable, Sendable {
  package struct Counts: Hashable, Sendable {
    package var added = 0
    package var updated = 0
    package var unchanged = 0
    /// Objects that only the destination has; they stay.
    package var others = 0

    package init(added: Int = 0, updated: Int = 0, unchanged: Int = 0, others: Int = 0) {
      self.added = added
      self.updated = updated
      self.unchanged = unchanged
      self.others = others
    }
  }

  package var models: [String: Counts] = [:]

  package var total: Counts {
    models.values.reduce(into: Counts()) { total, counts in
      total.added += counts.added
      total.updated += counts.updated
      total.unchanged += counts.unchanged
      total.others += counts.others
    }
  }
}

/// Brings the objects of one database into another one of the same schema, so that nothing is there twice.
///
/// An object with a primary key is the one of the destination with that key: it takes over all values where one differs. Without a
/// key, what has to be unique tells objects apart; where nothing has, an object is one that has the same values and links, also
/// those of the objects without a key that it links to, and what differs is added (docs/decisions/0134). What only the destination
/// has stays. Everything happens in one transaction; which object is which waits in temporary tables, so that memory does not grow
/// with the objects.
package final class ObjectMerge {
  private static let map = "temp.\"_strata_merge_map\""
  private static let mapByObject = "temp.\"_strata_merge_map_object\""
  /// By side (0 the destination, 1 the source), model and object: the digest of what it holds and what it leads to, and the one
  /// that is worked out of these.
  private static let contents = "temp.\"_strata_merge_contents\""
  private static let forms = "temp.\"_strata_merge_forms\""

  /// Links among objects without a key that are followed from each: what lies farther away tells no two apart.
  private static let maximumDepth = 8

  private let importer: ObjectImporter
  /// The database that the objects come from.
  private let source: Database
  private let schema: Schema
  private var report = MergeReport()
  private let uniqueness: TakenOffUniqueness

  private var database: Database { importer.store.database }

  /// - Parameters:
  ///   - source: a database of the same schema; it is not changed.
  ///   - commits: false only counts.
  ///   - brought: called once all objects are there, before they are committed, with what tells the destination's object that one of
  ///     the source, by its model and identity, is; what it throws takes everything back.
  ///   - note: told where all is stored, but in the file's log alone.
  /// - Throws: `MigrationError` where a file cannot be read or written, or where the schemas differ.
  package static func run(
    from source: String, into path: String, commits: Bool = true,
    files: any FileOperations = POSIXFiles(),
    brought: ((_ identity: (String, Int64) throws -> Int64?) throws -> Void)? = nil,
    note: (String) -> Void = { _ in }
  ) throws -> MergeReport {
    let inspector = FileInspector(files: files)
    return try ObjectImporter.transaction(
      on: path, files: files, commits: commits, note: note
    ) { importer in
      // An error takes back what was brought.
      try inspector.readingOnce(source, isLocked: false) { database in
        let schema = try inspector.stored(in: database, path: source).schema
        guard importer.schema.shape == schema.shape else {
          throw MigrationError(
            .unknownVersion, "\(path) has another schema than the objects that come.")
        }
        let report = try ObjectMerge(importer, database, schema).run()
        try brought? { try importer.identity(named: $1, of: $0) }
        return report
      }
    }
  }

  private init(_ importer: ObjectImporter, _ source: Database, _ schema: Schema) {
    self.importer = importer
    self.source = source
    self.schema = schema
    uniqueness = TakenOffUniqueness(importer.store.database)
  }

  private func run() throws -> MergeReport {
    try database.execute(
      """
      CREATE TABLE \(Self.map) (model INTEGER, source INTEGER, object INTEGER, \
      PRIMARY KEY (model, source)) WITHOUT ROWID
      """)
    try database.execute(
      """
      CREATE TABLE \(Self.contents) (side INTEGER, model INTEGER, object INTEGER, form BLOB, next BLOB, \
      PRIMARY KEY (side, model, object)) WITHOUT ROWID
      """)
    try database.execute(
      """
      CREATE TABLE \(Self.forms) (model INTEGER, object INTEGER, form BLOB, \
      PRIMARY KEY (model, object)) WITHOUT ROWID
      """)
    let models = schema.storedModels.filter { !$0.isEmbedded }
    let keyed = models.filter { !$0.primaryKey.isEmpty }
    let keyless = models.filter { $0.primaryKey.isEmpty }
    for model in keyed { try matchByKey(model) }
    try matchByValues(keyless)
    try noteForms(models)
    try bring(models)
    try importer.finish()
    try uniqueness.putBack()
    for model in models { try countOthers(model) }
    return report
  }

  private func index(of model: Model) -> Int {
    schema.models.firstIndex { $0.name == model.name } ?? 0
  }

  // MARK: - Which object is which

  private func matchByKey(_ model: Model) throws {
    let codecs = model.primaryKey.compactMap { model.property(named: $0)?.codec(in: schema) }
    let rows = try source.prepare(
      "SELECT _row, \(SQL.identifiers(model.primaryKey)) FROM main.\(SQL.identifier(model.name))")
    defer { rows.reset() }
    while try rows.step() {
      var key: [Value] = []
      for (position, codec) in codecs.enumerated() {
        key.append(try codec.read(rows, at: position + 1))
      }
      guard let found = try importer.identity(of: model.name, key: key) else { continue }
      try database.execute(
        "INSERT INTO \(Self.map) VALUES (?, ?, ?)",
        [.integer(Int64(index(of: model))), .integer(rows.integer(at: 0)), .integer(found)])
    }
  }

  /// What tells objects of a model without a primary key apart; empty where nothing does.
  private static func unique(_ model: Model) -> [String] {
    model.properties.first { $0.isUnique && $0.isStored }.map { [$0.name] } ?? model.uniques.first
      ?? []
  }

  /// Objects without a key are the same where their unique properties are, else where their values are, and what they link to is
  /// the same. Objects without a key that they link to are compared in the same way, one link farther in each round.
  private func matchByValues(_ models: [Model]) throws {
    guard !models.isEmpty else { return }
    var distinct = 0
    let hasLinks = haveLinksAmong(models)
    for _ in 0..<(hasLinks ? Self.maximumDepth : 1) {
      for side: Int64 in 0...1 {
        try digestContents(of: models, side) { _, _, _ in (.byContents, false) }
      }
      try database.execute("UPDATE \(Self.contents) SET form = next")
      let found = try database.firstValue("SELECT count(DISTINCT form) FROM \(Self.contents)")
      // Another round would tell no more apart.
      guard let count = found?.ifInteger, count > distinct else { break }
      distinct = Int(count)
    }
    // Several that are equal are paired in their order.
    try database.execute(
      """
      INSERT INTO \(Self.map) WITH numbered AS (SELECT side, model, form, object, \
      row_number() OVER (PARTITION BY side, model, form ORDER BY object) AS number FROM \(Self.contents)) \
      SELECT new.model, new.object, old.object FROM numbered AS old JOIN numbered AS new \
      ON new.model = old.model AND new.form = old.form AND new.number = old.number \
      WHERE old.side = 0 AND new.side = 1
      """)
    if hasLinks { try matchTheOnlyOnes(models) }
  }

  /// What links to an object without a key that has changed is the same where it is the only one of its values on both sides, and the
  /// rest of its links lead to the same: a folder that has got another name keeps its notes.
  private func matchTheOnlyOnes(_ models: [Model]) throws {
    try database.execute(
      "CREATE INDEX \(Self.mapByObject) ON \"_strata_merge_map\" (model, object)")
    var isWaiting = try matchTheOnlyOnes(models, againByUnique: false)
    for _ in 0..<Self.maximumDepth where isWaiting {
      let before = try database.firstValue("SELECT count(*) FROM \(Self.map)")
      isWaiting = try matchTheOnlyOnes(models, againByUnique: true)
      if try database.firstValue("SELECT count(*) FROM \(Self.map)") == before { return }
    }
  }

  /// What is unique may lead to an object without a key that no object of the other side is, as yet: then the object itself is none of
  /// the other side's, either.
  ///
  /// - Parameter againByUnique: whether only objects are looked at that their unique values tell apart.
  /// - Returns: whether there are objects that wait for what they lead to.
  private func matchTheOnlyOnes(_ models: [Model], againByUnique: Bool) throws -> Bool {
    var isWaiting = false
    try database.execute("DELETE FROM \(Self.contents)")
    for side: Int64 in 0...1 {
      try digestContents(of: models, side) { [self] identity, model, unique in
        let isMatched =
          try side == 1 ? match(model, identity) != nil : isDestination(identity, model)
        if isMatched { return (.byMatch, true) }
        guard let unique else { return (.byMatch, againByUnique) }
        let waits = try leadsToUnmatched(unique, schema.models[model], isSource: side == 1)
        if waits { isWaiting = true }
        return (.byMatch, waits)
      }
    }
    func only(_ side: Int) -> String {
      """
      (SELECT model, next, min(object) AS object FROM \(Self.contents) WHERE side = \(side) \
      GROUP BY model, next HAVING count(*) = 1)
      """
    }
    try database.execute(
      """
      INSERT INTO \(Self.map) SELECT new.model, new.object, old.object FROM \(only(0)) AS old \
      JOIN \(only(1)) AS new ON new.model = old.model AND new.next = old.next
      """)
    return isWaiting
  }

  /// Whether a unique value of an object leads to one without a key that is not matched.
  private func leadsToUnmatched(
    _ unique: [String: JSON], _ model: Model, isSource: Bool
  ) throws -> Bool {
    let form = try canonical(
      .object(unique), model, Rewriting(isSource: isSource, keyless: .byMatch))
    return (form.object ?? [:]).values.contains {
      $0["$model"] != nil && $0["$id"] == nil && $0["$new"] == nil
    }
  }

  /// Whether an object of the destination is one of the source already.
  private func isDestination(_ identity: Int64, _ model: Int) throws -> Bool {
    try database.firstValue(
      "SELECT 1 FROM \(Self.map) WHERE model = ? AND object = ?", .integer(Int64(model)),
      .integer(identity)) != nil
  }

  /// - Parameter way: how links to objects without a key are taken, and whether the object is passed over. `unique` is what tells the
  ///   object apart by itself, if anything does.
  private func digestContents(
    of models: [Model], _ side: Int64,
    _ way:
      @escaping (_ identity: Int64, _ model: Int, _ unique: [String: JSON]?) throws -> (
        keyless: Rewriting.Keyless, isKnown: Bool
      )
  ) throws {
    let isSource = side == 1
    try ObjectExporter.lines(of: isSource ? source : database, schema, models) { [self] line in
      guard let (model, identity) = object(of: line) else { return }
      let names = Self.unique(model)
      let known = line.object?.filter { names.contains($0.key) && $0.value != .null } ?? [:]
      let unique = names.isEmpty || known.count < names.count ? nil : known
      let way = try way(identity, index(of: model), unique)
      if way.isKnown { return }
      let form = try form(
        of: unique.map { JSON.object($0) } ?? line, model, isSource: isSource, keyless: way.keyless)
      try database.execute(
        """
        INSERT INTO \(Self.contents) (side, model, object, next) VALUES (?, ?, ?, ?) \
        ON CONFLICT DO UPDATE SET next = excluded.next
        """,
        [.integer(side), .integer(Int64(index(of: model))), .integer(identity), .blob(form)])
    }
  }

  /// Whether objects of the models, none of which has a key, may lead to one another.
  private func haveLinksAmong(_ models: [Model]) -> Bool {
    let names = Set(models.map(\.name))
    return (models + schema.storedModels.filter(\.isEmbedded)).contains { model in
      model.storedProperties.contains { property in
        switch property.type.valueType?.base {
        case .object(let target)?: names.contains(target)
        case .scalar(.any)?: true
        default: false
        }
      }
    }
  }

  private func noteForms(_ models: [Model]) throws {
    try ObjectExporter.lines(of: database, schema, models) { [self] line in
      guard let (model, identity) = object(of: line) else { return }
      try database.execute(
        "INSERT INTO \(Self.forms) VALUES (?, ?, ?)",
        [
          .integer(Int64(index(of: model))), .integer(identity),
          .blob(try form(of: line, model, isSource: false)),
        ])
    }
  }

  private func bring(_ models: [Model]) throws {
    for model in models { report.models[model.name] = MergeReport.Counts() }
    try ObjectExporter.lines(of: source, schema, models) { [self] line in
      guard let (model, identity) = object(of: line) else { return }
      guard let known = try match(index(of: model), identity) else {
        report.models[model.name]?.added += 1
        try uniqueness.takeOff(of: model)
        return try importer.add(Array(line.canonicalText.utf8), defaultModel: nil)
      }
      let before = try database.firstValue(
        "SELECT form FROM \(Self.forms) WHERE model = ? AND object = ?",
        .integer(Int64(index(of: model))), .integer(known))
      if before == .blob(try form(of: line, model, isSource: true)) {
        report.models[model.name]?.unchanged += 1
        // Identities of one file are names of one object each.
        _ = try importer.name(known, model: index(of: model), id: identity)
        return
      }
      report.models[model.name]?.updated += 1
      try uniqueness.takeOff(of: model)
      try importer.add(Array(line.canonicalText.utf8), defaultModel: nil, known: known)
    }
  }

  private func countOthers(_ model: Model) throws {
    guard let counts = report.models[model.name] else { return }
    let all = try database.firstValue("SELECT count(*) FROM main.\(SQL.identifier(model.name))")
    report.models[model.name]?.others =
      Int(all?.ifInteger ?? 0) - counts.added - counts.updated - counts.unchanged
  }

  private func object(of line: JSON) -> (Model, Int64)? {
    guard let name = line["$model"]?.string, let model = schema.model(named: name),
      let identity = line["$id"]?.int
    else { return nil }
    return (model, identity)
  }

  /// The destination's object that one of the source is.
  private func match(_ model: Int, _ identity: Int64) throws -> Int64? {
    try database.firstValue(
      "SELECT object FROM \(Self.map) WHERE model = ? AND source = ?", .integer(Int64(model)),
      .integer(identity))?.ifInteger
  }

  // MARK: - Forms

  /// The digest of what an object holds, its links by the identities that their objects have in the destination.
  private func form(
    of line: JSON, _ model: Model, isSource: Bool, keyless: Rewriting.Keyless = .byIdentity
  ) throws -> [UInt8] {
    let form = try canonical(line, model, Rewriting(isSource: isSource, keyless: keyless))
    return Digest(of: form.canonicalText).bytes
  }

  private struct Rewriting {
    /// What stands for an object without a key that is linked to.
    enum Keyless {
      case byIdentity
      /// As long as it is not known which ones are the same.
      case byContents
      /// By identity where it is known which one it is, and else by nothing.
      case byMatch
    }

    var isSource: Bool
    var keyless: Keyless
  }

  private func canonical(_ object: JSON, _ model: Model, _ way: Rewriting) throws -> JSON {
    var members: [String: JSON] = [:]
    for property in model.storedProperties {
      guard let json = object[property.name], let type = property.type.valueType else { continue }
      switch property.type {
      case .list:
        members[property.name] = .array(
          try (json.array ?? []).map { try canonical($0, type, way) })
      case .set:
        // Sets of objects stand in the order of identities, which is no other's.
        let elements = try (json.array ?? []).map { try canonical($0, type, way) }
        members[property.name] = .array(
          elements.map { ($0.canonicalText, $0) }.sorted { $0.0.precedesInBytes($1.0) }.map(\.1))
      case .map:
        members[property.name] = .array(
          try (json.members ?? []).sorted { $0.key.precedesInBytes($1.key) }.map {
            .array([.string($0.key), try canonical($0.value, type, way)])
          })
      default: members[property.name] = try canonical(json, type, way)
      }
    }
    return .object(members)
  }

  private func canonical(_ json: JSON, _ type: ValueType, _ way: Rewriting) throws -> JSON {
    let name: String?
    switch type.base {
    case .object(let target): name = target
    case .scalar(.any): name = json["$model"]?.string
    default: name = nil
    }
    guard let name, let model = schema.model(named: name) else { return json }
    if model.isEmbedded { return json == .null ? json : try canonical(json, model, way) }
    guard let identity = json["$id"]?.int else { return json }
    if model.primaryKey.isEmpty, way.keyless == .byContents {
      return .object([
        "$model": .string(name),
        "$contents": try contents(of: identity, model, isSource: way.isSource),
      ])
    }
    if way.keyless == .byMatch, model.primaryKey.isEmpty, !way.isSource,
      try !isDestination(identity, index(of: model))
    {
      return .object(["$model": .string(name)])
    }
    guard way.isSource else { return link(name, identity) }
    if let known = try match(index(of: model), identity) { return link(name, known) }
    if way.keyless == .byMatch, model.primaryKey.isEmpty {
      return .object(["$model": .string(name)])
    }
    return .object(["$model": .string(name), "$new": .int(identity)])
  }

  /// What was worked out of an object in the round before; null in the first.
  private func contents(of identity: Int64, _ model: Model, isSource: Bool) throws -> JSON {
    let found = try database.firstValue(
      "SELECT form FROM \(Self.contents) WHERE side = ? AND model = ? AND object = ?",
      .integer(isSource ? 1 : 0), .integer(Int64(index(of: model))), .integer(identity))
    guard case .blob(let digest)? = found else { return .null }
    return .string(Hex.encode(digest))
  }

  private func link(_ model: String, _ identity: Int64) -> JSON {
    .object(["$model": .string(model), "$id": .int(identity)])
  }
}
