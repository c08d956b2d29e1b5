import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// One object of a proof: everything that a file holds of it.
struct ProofObject: Hashable {
  var model: String
  var identity: Int64
  var values: [String: Value] = [:]
  var collections: [String: [CollectionElement]] = [:]
}

/// The objects of a small database in memory, so that a proof can take some away and look whether a failure stays.
struct ProofData {
  /// Objects that a proof looks at in one file; larger samples are left out with a note.
  static let maximumObjects = 200_000

  let schema: Schema
  var objects: [ProofObject]
  /// The identity of the next object.
  var nextRow: Int64

  var identities: [Int64] { objects.map(\.identity) }

  /// The objects without those, and without what cannot be without them: holders of required links and owned objects.
  func removing(_ removed: Set<Int64>) -> ProofData {
    var kept = Set(identities).subtracting(removed)
    var isStable = false
    while !isStable {
      isStable = true
      var owned: Set<Int64> = []
      for object in objects where kept.contains(object.identity) {
        let model = schema.model(named: object.model)
        let lacks = object.values.contains { name, value in
          guard case .link(let target) = value, !kept.contains(target) else { return false }
          return model?.property(named: name)?.isRequiredColumn ?? false
        }
        if lacks {
          kept.remove(object.identity)
          isStable = false
          continue
        }
        for value in object.values.values { value.link.map { _ = owned.insert($0) } }
        for element in object.collections.values.joined() {
          element.value.link.map { _ = owned.insert($0) }
        }
      }
      for object in objects where kept.contains(object.identity) {
        guard schema.model(named: object.model)?.isEmbedded == true,
          !owned.contains(object.identity)
        else { continue }
        kept.remove(object.identity)
        isStable = false
      }
    }
    var result = self
    result.objects = objects.filter { kept.contains($0.identity) }
    for index in result.objects.indices {
      for (name, value) in result.objects[index].values {
        if let target = value.link, !kept.contains(target) {
          result.objects[index].values[name] = .null
        }
      }
      for (name, elements) in result.objects[index].collections {
        result.objects[index].collections[name] = elements.filter { element in
          element.value.link.map(kept.contains) ?? true
        }
      }
    }
    return result
  }
}

extension Value {
  /// The object that the value leads to.
  var link: Int64? {
    switch self {
    case .link(let identity), .object(_, let identity): identity
    default: nil
    }
  }
}

// MARK: - Files

extension ProofData {
  /// Writes a file at a version, as the store of that version would have.
  func write(to path: String, at version: FrozenVersion, lineage: Lineage) throws {
    let database = try Database(path: path, mode: .create)
    defer { database.close() }
    try database.setPragma("page_size", .integer(Database.strataPageSize))
    try database.turnJournalOff()
    try database.setPragma("synchronous", "OFF")
    try database.transaction {
      for statement in StrataMetadata.createStatements() { try database.execute(statement) }
      try writeObjects(to: database) {}
      try StrataMetadata(
        schema: schema, lineage: lineage, chain: version.chain, nextRow: nextRow
      ).write(to: database)
    }
    try database.setPragma("journal_mode", "WAL")
  }

  /// - Parameter mend: changes what was written, when there are indexes and no triggers yet.
  private func writeObjects(to database: Database, mend: () throws -> Void) throws {
    let layout = TableLayout(schema)
    for statement in layout.models.flatMap({ $0.statements(.tables) }) {
      try database.execute(statement)
    }
    for object in objects { try write(object, to: database) }
    for part in [TableLayout.Part.indexes, .triggers] {
      for statement in layout.models.flatMap({ $0.statements(part) }) {
        try database.execute(statement)
      }
      if part == .indexes { try mend() }
    }
    for fulltext in layout.models.flatMap(\.fulltexts) {
      try database.execute(fulltext.fillStatement())
    }
  }

  /// The same objects, changed so that they keep the rules of their version: what an upgrade refuses is its own then.
  func keepingRules(seed: UInt64) -> ProofData {
    guard schema.hasRules else { return self }
    do {
      let database = try Database(path: ":memory:", mode: .create)
      defer { database.close() }
      try writeObjects(to: database) {
        try RuleMender(database, schema: schema, seed: seed)?.run()
      }
      var data = self
      data.objects = try Self.objects(in: database, schema: schema)
      return data
    } catch {
      // Data that no file can hold is what the upgrade is asked about then.
      return self
    }
  }

  private func write(_ object: ProofObject, to database: Database) throws {
    guard let model = schema.model(named: object.model) else { return }
    let columns = model.columnProperties
    let values = try columns.map { property -> SQLiteValue in
      let value = object.values[property.name] ?? .null
      return value.isNull ? .null : try property.codec(in: schema).sqliteValue(of: value)
    }
    try database.execute(
      """
      INSERT INTO main.\(SQL.identifier(model.name)) \
      (\(SQL.identifiers(["_row"] + columns.map(\.name)))) \
      VALUES (\(SQL.placeholders(columns.count + 1)))
      """, [.integer(object.identity)] + values)
    for property in model.collectionProperties {
      try CollectionWriter(property: property, model: model, schema: schema).append(
        object.collections[property.name] ?? [], owner: object.identity, database: database)
    }
  }

  /// Reads every object of a file.
  init(reading path: String, schema: Schema) throws {
    let database = try Database(path: path, mode: .readOnly)
    defer { database.close() }
    try self.init(of: database, schema: schema)
  }

  /// Reads every object of an open file.
  init(of database: Database, schema: Schema) throws {
    self.schema = schema
    nextRow = try StrataMetadata.counter(.nextRow, of: database)
    objects = try Self.objects(in: database, schema: schema)
  }

  private static func objects(in database: Database, schema: Schema) throws -> [ProofObject] {
    var objects: [ProofObject] = []
    for model in schema.storedModels {
      let reader = try TableReader(model: model, schema: schema, database: database, in: "main")
      let collections = model.collectionProperties.map {
        StoredCollection(property: $0, model: model, schema: schema, in: "main")
      }
      while try reader.next() {
        var object = ProofObject(model: model.name, identity: reader.identity)
        for (position, property) in model.storedProperties.enumerated()
        where !property.type.isCollection {
          object.values[property.name] = try reader.value(at: position)
        }
        for collection in collections {
          object.collections[collection.property.name] = try collection.elements(
            of: reader.identity, database: database)
        }
        objects.append(object)
      }
    }
    return objects
  }
}
