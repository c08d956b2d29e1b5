import StrataSQLite
import StrataSchema

/// The names that lines give their objects, and the links that wait for them, in temporary tables.
final class ImportedLinks {
  /// A link that leads to nothing.
  struct Unresolved: Error, CustomStringConvertible {
    let description: String
  }

  /// The names of one model's objects.
  struct Names {
    let table: String
    let insert: Statement
    let find: Statement
  }

  let store: Store
  private let schema: Schema
  /// By the model's index; nil where no line has named an object of it.
  private(set) var names: [Names?]
  private var insertLink: Statement?
  private var deleteLinks: Statement?
  /// By model, as links by keys ask for it.
  private var knownKeys: [Int: [(property: Property, scalar: ScalarType)]] = [:]
  /// No link has a higher one.
  private(set) var lastNumber: Int64 = 0
  /// By model and property.
  private(set) var waiting: [[WaitingLinks]]
  /// Whether links are found by their owners: not before an object is changed that may have some.
  private var hasIndex = false
  /// Whether a line has changed an object, and may have put another one in the place of an embedded one.
  var hasUpdates = false
  /// Objects from this identity on are of this import.
  private let firstNew: Int64

  /// Kibibytes of the file's pages that are kept while links are made, those of their owners and those of their targets.
  private static let cacheSize: Int64 = 16384
  /// How many links to a property are many enough that its index is made anew.
  var manyLinks = 1_000
  /// Links that are sorted by their targets before they are made: what they lead to is looked for by SQLite, too, and the pages of a
  /// large table would be read again and again. Their owners are neighbours, whose pages stay in memory.
  var linksAtOnce: Int64 = 1 << 16
  static let links = "temp.\"_strata_import_links\""

  /// What the column `kind` says.
  private enum Kind: Int64 {
    case value
    case named
    case key
  }

  init(_ store: Store) throws {
    self.store = store
    schema = store.definition.schema
    firstNew = store.writing.nextRow
    names = Array(repeating: nil, count: schema.models.count)
    waiting = schema.models.map { Array(repeating: WaitingLinks(), count: $0.properties.count) }
    let database = store.database
    // Columns without a type keep what is stored in them as it is.
    try database.execute(
      """
      CREATE TABLE \(Self.links) (number INTEGER PRIMARY KEY, line INTEGER, model INTEGER, \
      property INTEGER, owner INTEGER, place, kind INTEGER, target INTEGER, value)
      """)
    insertLink = try database.prepare(
      "INSERT INTO \(Self.links) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)")
  }

  /// Notes what a line calls its object.
  ///
  /// - Returns: false where another object is called so: links could lead to either.
  func name(_ identity: Int64, model: Int, id: Int64) throws -> Bool {
    let insert = try names(of: model).insert
    try insert.bind(id, at: 1)
    try insert.bind(identity, at: 2)
    try insert.run()
    return store.database.changes > 0
  }

  /// A table for each model: SQLite finds and appends whole numbers in half the time that it takes for pairs of them.
  private func names(of model: Int) throws -> Names {
    if let known = names[model] { return known }
    let table = "temp.\"_strata_import_names_\(model)\""
    let database = store.database
    try database.execute("CREATE TABLE \(table) (id INTEGER PRIMARY KEY, identity INTEGER)")
    let made = Names(
      table: table,
      insert: try database.prepare(
        """
        INSERT INTO \(table) VALUES (?, ?)
        ON CONFLICT DO UPDATE SET identity = excluded.identity WHERE identity = excluded.identity
        """),
      find: try database.prepare("SELECT identity FROM \(table) WHERE id = ?"))
    names[model] = made
    return made
  }

  /// The object that a line has called so; nil where none has.
  ///
  /// - Parameter model: its index, asked first; nil for one that the schema does not have.
  func identity(named id: Int64, model: Int?) throws -> Int64? {
    for model in [model].compactMap(\.self) + Array(schema.models.indices) {
      if let found = try identity(named: id, of: model) { return found }
    }
    return nil
  }

  private func identity(named id: Int64, of model: Int) throws -> Int64? {
    guard let find = names[model]?.find else { return nil }
    try find.bind(id, at: 1)
    defer { find.reset() }
    return try find.step() ? find.integer(at: 0) : nil
  }

  /// Notes a link.
  func add(_ link: ImportedLink, line: Int, of model: Int, owner: Int64) throws {
    guard let insertLink else { return }
    let codec: ColumnCodec
    let kind: Kind
    var target = 0
    var value = SQLiteValue.null
    switch link.target {
    case .value(let content):
      kind = .value
      codec = schema.models[model].properties[link.property].codec(in: schema)
      value = try codec.sqliteValue(of: content)
    case .named(let model, let id):
      kind = .named
      target = model
      value = .integer(id)
    case .key(let model, let key):
      kind = .key
      target = model
      value = try stored(key, of: model)
    }
    try insertLink.bind(Int64(line), at: 1)
    try insertLink.bind(Int64(model), at: 2)
    try insertLink.bind(Int64(link.property), at: 3)
    try insertLink.bind(owner, at: 4)
    try insertLink.bind(link.place, at: 5)
    try insertLink.bind(kind.rawValue, at: 6)
    try insertLink.bind(Int64(target), at: 7)
    try insertLink.bind(value, at: 8)
    try insertLink.run()
    lastNumber = store.database.lastInsertedRow
    waiting[model][link.property].add(
      target: kind == .named ? target : nil, isOfNewObject: owner >= firstNew)
  }

  // MARK: - Keys

  private func keyProperties(of model: Int) -> [(property: Property, scalar: ScalarType)] {
    if let known = knownKeys[model] { return known }
    let properties = schema.models[model].primaryKey.compactMap { name in
      let property = schema.models[model].property(named: name)
      let scalar = (property?.type.valueType?.base).flatMap { schema.storedScalar(of: $0) }
      return property.flatMap { property in scalar.map { (property: property, scalar: $0) } }
    }
    knownKeys[model] = properties
    return properties
  }

  /// A key of one property as its column holds it; a compound one as text.
  private func stored(_ key: [Value], of model: Int) throws -> SQLiteValue {
    let properties = keyProperties(of: model)
    if let first = properties.first, key.count == 1 {
      return try first.property.codec(in: schema).sqliteValue(of: key[0])
    }
    return .text(text(of: key, model))
  }

  private func key(of rows: Statement, at column: Int, model: Int) throws -> [Value] {
    let properties = keyProperties(of: model)
    if properties.count == 1 {
      return [try properties[0].property.codec(in: schema).read(rows, at: column)]
    }
    let json = try JSON.parse(Array(rows.string(at: column).utf8))
    return properties.map { property, scalar in
      json[property.name].flatMap { JSONCoding.value($0, as: scalar) } ?? .null
    }
  }

  /// As JSON: `7`, `{"list":1,"position":2}`.
  private func text(of key: [Value], _ model: Int) -> String {
    let parts = zip(keyProperties(of: model), key).map { part, value in
      (part.property.name, JSONCoding.json(value, as: part.scalar))
    }
    if let first = parts.first, parts.count == 1 { return first.1.canonicalText }
    return JSON.object(Dictionary(parts) { first, _ in first }).canonicalText
  }

  /// Forgets the links of a property that a later line sets anew.
  func forget(owner: Int64, property: Int) throws {
    guard lastNumber > 0 else { return }
    if !hasIndex {
      hasIndex = true
      try store.database.execute(
        """
        CREATE INDEX IF NOT EXISTS temp."_strata_import_owners" \
        ON "_strata_import_links" (owner, property)
        """)
      deleteLinks = try store.database.prepare(
        "DELETE FROM \(Self.links) WHERE owner = ? AND property = ?")
    }
    guard let deleteLinks else { return }
    try deleteLinks.bind(owner, at: 1)
    try deleteLinks.bind(Int64(property), at: 2)
    try deleteLinks.run()
  }

  /// The index was perhaps made by a line that was taken back.
  func forgetIndex() {
    hasIndex = false
    deleteLinks = nil
  }

  // MARK: - Making them

  /// Makes all links, in the order of their lines but for those that are made together.
  ///
  /// - Parameters:
  ///   - line: told before the links of a line are made.
  ///   - mayRepeat: of an object and the error that its link met, whether the link can be made now.
  /// - Throws: `Unresolved` for a link to nothing.
  func resolve(
    line: (Int) -> Void, mayRepeat: (_ owner: Int64, _ error: any Error) throws -> Bool
  ) throws {
    guard lastNumber > 0 else { return }
    let database = store.database
    let cacheSize = try database.pragma("cache_size", in: "main").ifInteger ?? 0
    try database.setPragma("cache_size", .integer(-Self.cacheSize), in: "main")
    var indexes = try takeOffIndexes()
    let made = try makeTogether()
    let isOpen = made.map { "NOT (model = \($0.model) AND property = \($0.property)) AND " }
    let rows = try database.prepare(
      """
      SELECT line, model, property, owner, place, kind, target, value, number \
      FROM \(Self.links) WHERE \(isOpen.joined())number > ? ORDER BY number
      """)
    defer { rows.reset() }
    var last: Int64 = 0
    try rows.bind(last, at: 1)
    while try rows.step() {
      line(Int(rows.integer(at: 0)))
      let owner = rows.integer(at: 3)
      do {
        try make(rows, of: owner)
        last = rows.integer(at: 8)
      } catch {
        // No index is taken off while rows are read.
        rows.reset()
        guard try mayRepeat(owner, error) else { throw error }
        try rows.bind(last, at: 1)
      }
    }
    rows.reset()
    try database.setPragma("cache_size", .integer(cacheSize), in: "main")
    try database.sortingWithLittleMemory { try indexes.putBack() }
  }

  private func make(_ rows: Statement, of owner: Int64) throws {
    guard let access = store.accesses[Int(rows.integer(at: 1))] else { return }
    let property = Int(rows.integer(at: 2))
    // A line may have taken an embedded object's place that another line had filled: what that one linked to need not be there.
    if access.isEmbedded, hasUpdates, try !access.exists(owner) { return }
    let target = try target(of: rows, access, property)
    try set(property, of: owner, access, place: rows, to: target)
    // A new object's links are part of its insertion.
    if owner < firstNew { store.sink.updated(owner, of: access.index, property: property) }
  }

  /// What a link is stored as.
  private func target(
    of rows: Statement, _ access: ModelAccess, _ property: Int
  ) throws -> Value {
    let model = Int(rows.integer(at: 6))
    switch Kind(rawValue: rows.integer(at: 5)) {
    case .named:
      if let identity = try identity(named: rows.integer(at: 7), of: model) {
        return value(of: identity, model, access, property)
      }
      throw Unresolved(
        description:
          "\(place(access, property)) links to \(schema.models[model].name) \(rows.integer(at: 7)), which no line has as its \"$id\""
      )
    case .key:
      let key = try key(of: rows, at: 7, model: model)
      if let identity = try store.accesses[model]?.row(forKey: key) {
        return value(of: identity, model, access, property)
      }
      throw Unresolved(
        description:
          "\(place(access, property)) links to the \(schema.models[model].name) with the key \(text(of: key, model)), which is not there"
      )
    case .value, nil:
      return try access.model.properties[property].codec(in: schema).read(rows, at: 7)
    }
  }

  /// A link to an object, as the property stores it.
  private func value(
    of identity: Int64, _ model: Int, _ access: ModelAccess, _ property: Int
  ) -> Value {
    access.targets[property] == nil
      ? .object(model: schema.models[model].name, identity: identity) : .link(identity)
  }

  private func place(_ access: ModelAccess, _ property: Int) -> String {
    "\(access.model.name).\(access.model.properties[property].name)"
  }

  private func set(
    _ property: Int, of owner: Int64, _ access: ModelAccess, place rows: Statement,
    to target: Value
  ) throws {
    guard let table = access.collectionTables[property] else {
      return try access.update(owner, property, target)
    }
    var isSet = false
    if case .set = access.model.properties[property].type { isSet = true }
    // A set takes an object once, however often a line names it.
    let sql =
      isSet
      ? "INSERT OR IGNORE INTO \(table.quotedName) (_owner, value) VALUES (?1, ?2)"
      : "INSERT OR IGNORE INTO \(table.quotedName) (_owner, value, _index) VALUES (?1, ?2, ?3)"
    try store.database.withStatement(sql) { statement in
      try statement.bind(owner, at: 1)
      try table.codec.bind(target, to: statement, at: 2)
      if !isSet { try statement.bind(columnOf: rows, at: 4, to: 3) }
      try statement.run()
    }
  }
}
