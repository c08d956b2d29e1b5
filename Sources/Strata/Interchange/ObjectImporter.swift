package import StrataSQLite
import StrataSchema

/// What is wrong with a line of an import. Nothing of the import was stored.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  package let line: Int
  package let message: String

  package var description: String { message }
}

/// Stores JSON lines as objects: an object with a primary key updates the one that has it, every other one is new.
///
/// The form is `ObjectExporter`'s. `$id` in a line is a name for links of the same import, whatever identity the object gets; a link
/// may also say `{"$key": …}`, the primary key of an object of the file or of the import. Lines may link to later ones. A missing
/// property stays as it is, or has its default in a new object; unknown properties are left out.
package final class ObjectImporter {
  /// Bytes of a line at most.
  package static let maximumLineLength = 64 << 20

  private let database: Database
  private let schema: Schema
  private let sink: ChangeSink
  private var nextRow: Int64
  /// What lines call their objects.
  private var identities: [ObjectName: Int64] = [:]
  /// Links to objects that may come later.
  private var pendingLinks: [PendingLink] = []
  package private(set) var created = 0
  package private(set) var updated = 0
  private var line = 0

  private struct ObjectName: Hashable {
    let model: String
    let id: Int64
  }

  private struct PendingLink {
    let line: Int
    let property: Property
    let model: Model
    let owner: Int64
    /// The order key in a list, the key in a map.
    let place: SQLiteValue?
    let json: JSON
  }

  /// Stores everything in one transaction.
  ///
  /// - Parameters:
  ///   - model: the model of lines that do not say theirs.
  ///   - nextLine: gives a line after the other without its line break, nil at the end.
  /// - Throws: `ImportError` for a line, `MigrationError` for the file.
  package static func run(
    into path: String, target: UpgradeTarget?, model: String?,
    files: any FileOperations = POSIXFiles(), nextLine: () throws -> [UInt8]?
  ) throws -> (created: Int, updated: Int) {
    let inspector = FileInspector(files: files)
    let stored = try inspector.stored(at: path)
    if let target { _ = try target.version(of: stored, path: path) }
    return try FileInspector.translate(path) {
      guard files.isAccessible(path, forWriting: true) else {
        throw MigrationError(.readOnly, "\(path) cannot be written: this user may only read it.")
      }
      let database = try Database(path: path, mode: .readWrite)
      defer { database.close() }
      try database.configureForStrata()
      return try database.transaction {
        let importer = try ObjectImporter(
          database: database, schema: try inspector.stored(in: database, path: path).schema)
        while let line = try nextLine() { try importer.add(line, defaultModel: model) }
        try importer.finish()
        return (importer.created, importer.updated)
      }
    }
  }

  private init(database: Database, schema: Schema) throws {
    self.database = database
    self.schema = schema
    sink = ChangeSink(schema: schema)
    nextRow = try StrataMetadata.counter(.nextRow, of: database)
  }

  private func error(_ message: String) -> ImportError { ImportError(line: line, message: message) }

  // MARK: - Lines

  private func add(_ text: [UInt8], defaultModel: String?) throws {
    line += 1
    guard !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return }
    let json: JSON
    do {
      json = try JSON.parse(text)
    } catch {
      throw self.error("no JSON: \(error)")
    }
    guard let members = json.object else { throw error("an object is expected, {…}") }
    guard let name = members["$model"]?.string ?? defaultModel else {
      throw error("the object does not say its \"$model\", and no --model was given")
    }
    guard let model = schema.model(named: name), !model.isAbstract else {
      throw error(
        "there is no model '\(name)'; there are \(schema.storedModels.map(\.name).joined(separator: ", "))"
      )
    }
    guard !model.isEmbedded else {
      throw error("\(name) is embedded: its objects stand inside of their owners")
    }
    let identity = try store(members, as: model)
    if let id = members["$id"]?.int {
      identities[ObjectName(model: name, id: id)] = identity
    }
  }

  /// Stores one object and gives its identity.
  private func store(_ members: [String: JSON], as model: Model) throws -> Int64 {
    var columns: [(property: Property, value: SQLiteValue)] = []
    for property in model.columnProperties {
      guard let json = members[property.name] else { continue }
      guard !property.type.isToOne else { continue }
      columns.append((property, try cell(json, property, of: model)))
    }
    let existing = try existingObject(model, columns)
    let identity: Int64
    let modelIndex = schema.models.firstIndex { $0.name == model.name } ?? 0
    if let existing {
      identity = existing
      updated += 1
      if !columns.isEmpty {
        try database.execute(
          """
          UPDATE \(SQL.identifier(model.name)) SET \
          \(columns.map { "\(SQL.identifier($0.property.name)) = ?" }.joined(separator: ", ")) \
          WHERE _row = ?
          """, columns.map(\.value) + [.integer(identity)])
      }
      for (property, _) in columns {
        sink.updated(
          identity, of: modelIndex, property: model.indexOfProperty(named: property.name) ?? 0)
      }
    } else {
      identity = nextRow
      nextRow += 1
      created += 1
      try insert(model, identity, columns, members)
      sink.inserted(identity, of: modelIndex)
    }
    try storeLinks(members, of: model, identity)
    for property in model.collectionProperties {
      guard let json = members[property.name] else { continue }
      try storeCollection(json, property, of: model, identity)
    }
    return identity
  }

  private func insert(
    _ model: Model, _ identity: Int64, _ columns: [(property: Property, value: SQLiteValue)],
    _ members: [String: JSON]
  ) throws {
    var columns = columns
    let given = Set(columns.map(\.property.name))
    for property in model.columnProperties
    where !given.contains(property.name) && !property.type.isToOne {
      let value = property.generate.map { newValue($0) } ?? property.defaultValue ?? .null
      if value.isNull, property.isRequiredColumn {
        throw error("\(model.name).\(property.name) is required and has no value")
      }
      columns.append((property, try property.codec(in: schema).sqliteValue(of: value)))
    }
    for property in model.columnProperties where property.type.isToOne && property.isRequiredColumn
    {
      guard members[property.name] != nil else {
        throw error("\(model.name).\(property.name) is required and has no value")
      }
      // Set when all lines are read; 0 is no object, which the deferred reference refuses.
      columns.append((property, .integer(0)))
    }
    try database.execute(
      """
      INSERT INTO \(SQL.identifier(model.name)) \
      (\(SQL.identifiers(["_row"] + columns.map(\.property.name)))) \
      VALUES (\(SQL.placeholders(columns.count + 1)))
      """, [.integer(identity)] + columns.map(\.value))
  }

  /// A value that no other object has, or the time.
  private func newValue(_ generator: Property.Generator) -> Value {
    var random = SystemRandomNumberGenerator()
    switch generator {
    case .uuid:
      return .uuid(
        UUIDValue(
          high: random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
          low: random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000))
    case .objectID:
      let seconds = UInt64(max(0, WallClock.secondsSinceReferenceDate + 978_307_200))
      return .objectID(
        ObjectIDValue(
          high: seconds << 32 | random.next() & 0xFFFF_FFFF,
          low: UInt32(truncatingIfNeeded: random.next())))
    case .now: return .date(WallClock.secondsSinceReferenceDate)
    }
  }

  private func existingObject(
    _ model: Model, _ columns: [(property: Property, value: SQLiteValue)]
  ) throws -> Int64? {
    guard !model.primaryKey.isEmpty else { return nil }
    let values = model.primaryKey.compactMap { key in
      columns.first { $0.property.name == key }?.value
    }
    guard values.count == model.primaryKey.count else { return nil }
    let condition = model.primaryKey.map { "\(SQL.identifier($0)) IS ?" }
      .joined(separator: " AND ")
    return try database.rows(
      "SELECT _row FROM \(SQL.identifier(model.name)) WHERE \(condition)", values
    ).first?[0].ifInteger
  }

  /// A scalar or enum value as its cell.
  private func cell(_ json: JSON, _ property: Property, of model: Model) throws -> SQLiteValue {
    let type = property.type.valueType ?? ValueType(.scalar(.any))
    let scalar = schema.storedScalar(of: type.base) ?? .any
    guard let value = JSONCoding.value(json, as: scalar) else {
      throw error(
        "\(model.name).\(property.name) is \(type.spelling), which \(json.canonicalText.prefix(60)) is not"
      )
    }
    if value.isNull, !type.isOptional, scalar != .any {
      throw error("\(model.name).\(property.name) is required and cannot be null")
    }
    return try property.codec(in: schema).sqliteValue(of: value)
  }

  // MARK: - Links

  private func storeLinks(_ members: [String: JSON], of model: Model, _ identity: Int64) throws {
    for property in model.columnProperties where property.type.isToOne {
      guard let json = members[property.name] else { continue }
      if let target = embeddedModel(of: property), let content = json.object {
        let child = try storeEmbedded(content, target)
        try setLink(property, of: model, identity, to: child)
      } else if json == .null {
        if property.isRequiredColumn {
          throw error("\(model.name).\(property.name) is required and cannot be null")
        }
        try setLink(property, of: model, identity, to: nil)
      } else {
        pendingLinks.append(
          PendingLink(
            line: line, property: property, model: model, owner: identity, place: nil, json: json))
      }
    }
  }

  private func embeddedModel(of property: Property) -> Model? {
    property.type.linkedModel.flatMap { schema.model(named: $0) }.flatMap {
      $0.isEmbedded ? $0 : nil
    }
  }

  private func storeEmbedded(_ members: [String: JSON], _ model: Model) throws -> Int64 {
    let (created, updated) = (created, updated)
    defer { (self.created, self.updated) = (created, updated) }
    return try store(members, as: model)
  }

  private func setLink(_ property: Property, of model: Model, _ owner: Int64, to target: Int64?)
    throws
  {
    try database.execute(
      """
      UPDATE \(SQL.identifier(model.name)) SET \(SQL.identifier(property.name)) = ? WHERE _row = ?
      """, target.map { .integer($0) } ?? .null, .integer(owner))
  }

  private func storeCollection(
    _ json: JSON, _ property: Property, of model: Model, _ owner: Int64
  ) throws {
    let table = SQL.identifier("\(model.name).\(property.name)")
    try database.execute("DELETE FROM \(table) WHERE _owner = ?", .integer(owner))
    var elements: [(place: SQLiteValue?, json: JSON)]
    switch (property.type, json) {
    case (.map, .object(let members)):
      elements = members.sorted { $0.key < $1.key }.map { (.text($0.key), $0.value) }
    case (.set, .array(let values)): elements = values.map { (nil, $0) }
    case (.list, .array(let values)):
      elements = values.enumerated().map { (.integer(Int64($0 + 1) * ListCore.gap), $1) }
    case (_, .null): elements = []
    default:
      throw error(
        "\(model.name).\(property.name) is \(property.type.spelling), which \(json.canonicalText.prefix(60)) is not"
      )
    }
    for (place, json) in elements {
      if let target = embeddedModel(of: property), let content = json.object {
        try insertElement(
          .integer(try storeEmbedded(content, target)), place, property, of: model, owner)
      } else if property.type.linkedModel != nil {
        pendingLinks.append(
          PendingLink(
            line: line, property: property, model: model, owner: owner, place: place, json: json))
      } else {
        try insertElement(try cell(json, property, of: model), place, property, of: model, owner)
      }
    }
  }

  private func insertElement(
    _ value: SQLiteValue, _ place: SQLiteValue?, _ property: Property, of model: Model,
    _ owner: Int64
  ) throws {
    let values = [.integer(owner)] + (place.map { [$0] } ?? []) + [value]
    try database.execute(
      """
      INSERT OR IGNORE INTO \(SQL.identifier("\(model.name).\(property.name)")) \
      (\(DraftLayout.collectionColumns(of: property))) VALUES (\(SQL.placeholders(values.count)))
      """, values)
  }

  private func resolve(_ link: PendingLink) throws -> Int64 {
    line = link.line
    guard let name = link.property.type.linkedModel, let target = schema.model(named: name) else {
      throw error("\(link.model.name).\(link.property.name) links to no model")
    }
    if let id = link.json["$id"]?.int {
      guard let identity = identities[ObjectName(model: name, id: id)] else {
        throw error(
          "\(link.model.name).\(link.property.name) links to \(name) \(id), which no line has as its \"$id\""
        )
      }
      return identity
    }
    if let key = link.json["$key"], target.primaryKey.count == 1,
      let property = target.property(named: target.primaryKey[0])
    {
      let value = try cell(key, property, of: target)
      if let identity = try existingObject(target, [(property, value)]) { return identity }
      throw error(
        "\(link.model.name).\(link.property.name) links to the \(name) with the key \(key.canonicalText), which is not there"
      )
    }
    throw error(
      "\(link.model.name).\(link.property.name) is a link: {\"$id\": …} or {\"$key\": …} is expected"
    )
  }

  private func finish() throws {
    for link in pendingLinks {
      let target = try resolve(link)
      if link.property.type.isCollection {
        try insertElement(
          .integer(target), link.place, link.property, of: link.model, link.owner)
      } else {
        try setLink(link.property, of: link.model, link.owner, to: target)
      }
    }
    try StrataMetadata.write(.integer(nextRow), for: .nextRow, to: database)
    _ = try sink.write(to: database)
  }
}
