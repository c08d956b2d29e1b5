package import StrataSQLite
package import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Stores JSON lines as objects: an object with a primary key updates the one that has it, every other one is new.
///
/// The form is `ObjectExporter`'s. `$id` in a line is a name for links of the same import, whatever identity the object gets; a link
/// may also say `{"$key": …}`, the primary key of an object of the file or of the import. Lines may link to later ones. A missing
/// property stays as it is, or has its default in a new object; unknown properties are left out.
///
/// Objects are added as `Store.add` does it. Names and links wait in temporary tables: memory does not grow with the lines.
package final class ObjectImporter {
  /// Bytes of a line at most, more than the largest text or data of most files: what has no line breaks at all is not read
  /// until memory ends.
  package static let maximumLineLength = 1 << 30
  /// Embedded objects within embedded ones at most, as in an object's own JSON. `JSON.maximumDepth` has room for them.
  package static let maximumDepth = 64
  /// Kibibytes of pages that are kept in memory, of the file and of temporary tables.
  private static let cacheSize: Int64 = 8192
  private static let temporaryCacheSize: Int64 = 8192

  package let store: Store
  package let schema: Schema
  let links: ImportedLinks
  private var models: [String: ImportedModel] = [:]
  /// Links of the line that is being read: their owners get identities with the whole line.
  private var pending: [ImportedLink] = []
  package internal(set) var created = 0
  package internal(set) var updated = 0
  private(set) var line = 0
  /// How many embedded objects the one stands in that is being read, itself among them.
  var depth = 0
  /// Two objects may exchange unique values: what counts is the end.
  let uniqueness: TakenOffUniqueness
  /// Kept where lines are what a caller knows.
  var rows: ImportedRows?
  /// By model and properties the first object that met another one with the same unique values, and what is said of its line.
  var conflicts: [[String]: (row: Int64, reason: any Error)] = [:]

  /// Runs `body` in one transaction of a file.
  ///
  /// - Parameters:
  ///   - commits: whether it stays; a run that only looks takes everything back.
  ///   - note: told where all is stored, but in the file's log alone.
  package static func transaction<Result>(
    on path: String, files: any FileOperations = POSIXFiles(), commits: Bool = true,
    note: (String) -> Void = { _ in }, _ body: (ObjectImporter) throws -> Result
  ) throws -> Result {
    let (_, place) = try checkWritable(path, files: files)
    let inspector = FileInspector(files: files)
    do {
      return try FileInspector.translate(path) {
        let store = try Store(
          configuration: Store.Configuration(fileURL: URL(fileURLWithPath: path)))
        var failure: SQLiteError?
        defer {
          store.close()
          if let failure, let size = try? files.size(of: place + "-wal"), size > 0 {
            note(noteOnLog(of: path, failure))
          }
        }
        try store.database.spillTemporaries(cacheSize: temporaryCacheSize)
        try store.database.setPragma("cache_size", .integer(-cacheSize))
        try store.beginWrite()
        // An upgrade may have come in between; closing takes back what was not committed.
        guard
          store.definition.schema
            == (try inspector.stored(in: store.database, path: path, for: .writing)).schema
        else {
          throw MigrationError(
            .busy, "\(path) was upgraded by another process at this moment. Try again.")
        }
        let importer = try ObjectImporter(store)
        let result = try body(importer)
        guard commits else {
          store.cancelWrite()
          return result
        }
        do throws(StoreError) {
          try store.commit(withoutNotifying: [])
        } catch {
          let reason = importer.namingLine(ofCommit: error)
          store.cancelWrite()
          throw reason
        }
        // Closing does it, too, and says nothing of a failure.
        do throws(SQLiteError) {
          _ = try store.database.copyLogOrThrow()
        } catch {
          failure = error
        }
        return result
      }
    } catch let error as StoreError {
      // It says which object and why, for the caller to tell.
      if case .ruleBroken = error { throw error }
      throw MigrationError(importing: error, path: path)
    }
  }

  /// What keeps a file from being written, as far as that shows before it is.
  ///
  /// - Returns: what stands in it, and where it is.
  static func checkWritable(
    _ path: String, files: any FileOperations
  ) throws -> (stored: StoredSchema, place: String) {
    let stored = try FileInspector(files: files).stored(at: path, for: .writing)
    guard files.isAccessible(path, forWriting: true) else {
      throw MigrationError(.readOnly, "\(path) cannot be written: this user may only read it.")
    }
    // A log that others keep beside the file is used; else one has to be made.
    let place = try files.realPath(of: path)
    if try !files.exists(place + "-wal") || !files.exists(place + "-shm") {
      try NewFile(path: place, files: files).checkFolder(isMade: false)
    }
    return (stored, place)
  }

  private init(_ store: Store) throws {
    self.store = store
    schema = store.definition.schema
    links = try ImportedLinks(store)
    uniqueness = TakenOffUniqueness(store.database)
  }

  func error(_ message: String) -> ImportError { ImportError(line: line, message: message) }

  // MARK: - Lines

  /// - Parameter known: the object that the line is about, where something else than its primary key says so.
  package func add(_ text: [UInt8], defaultModel: String?, known: Int64? = nil) throws {
    line += 1
    guard !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return }
    let json: JSON
    do {
      json = try JSON.parse(text)
    } catch {
      throw self.error("no JSON: \(error)")
    }
    guard let members = json.object else { throw error("an object is expected, {…}") }
    guard let name = try textMember("$model", of: members) ?? defaultModel else {
      throw error("the object does not say its \"$model\", and no --model was given")
    }
    let model = try model(named: name)
    guard !model.access.isEmbedded else {
      throw error("\(name) is embedded: its objects stand inside of their owners")
    }
    let id = try integerMember("$id", of: members)
    try namingLine {
      let identity = try storeUntilUnique(members, as: model, known: known)
      if let id {
        guard try links.name(identity, model: model.access.index, id: id) else {
          throw error("another object of this import is \(name) \(id), too: \"$id\" names one")
        }
      }
    }
  }

  /// - Throws: `ImportError` where it is there and is no text.
  func textMember(_ name: String, of members: [String: JSON]) throws -> String? {
    guard let json = members[name] else { return nil }
    guard let text = json.string else { throw wrongName(name, "a text", json) }
    return text
  }

  /// - Throws: `ImportError` where it is there and is no whole number.
  private func integerMember(_ name: String, of members: [String: JSON]) throws -> Int64? {
    guard let json = members[name] else { return nil }
    guard let integer = json.int else { throw wrongName(name, "a whole number", json) }
    return integer
  }

  private func wrongName(_ name: String, _ expected: String, _ json: JSON) -> ImportError {
    error("\"\(name)\" is \(expected), which \(json.canonicalText.prefix(60)) is not")
  }

  /// Runs what may refuse a value of the line.
  private func namingLine(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error where error is StoreError || error is SQLiteError {
      let reason = store.storeError(error)
      if reason.isOfValue { throw self.error(reason.reasonOfLine) }
      throw error
    }
  }

  func model(named name: String) throws -> ImportedModel {
    if let model = models[name] { return model }
    guard let found = schema.model(named: name), !found.isAbstract else {
      // The model of an embedded object is always there.
      throw error("the file \(schema.reasonAgainstLines(of: name) ?? "has no model \(name)")")
    }
    let model = ImportedModel(try store.access(named: name), in: schema)
    models[name] = model
    return model
  }

  /// Stores one object and gives its identity.
  func store(
    _ members: [String: JSON], as model: ImportedModel, known: Int64?
  ) throws -> Int64 {
    pending.removeAll(keepingCapacity: true)
    let identity: Int64
    if let existing = try known ?? existingObject(members, model) {
      identity = existing
      updated += 1
      try update(existing, members, model)
    } else {
      let object = try object(members, model)
      identity = try Addition.add(object, to: store, update: .error)
      created += 1
    }
    for link in pending {
      try links.add(
        link, line: line, of: link.object?.managedAccess?.index ?? model.access.index,
        owner: link.object?.row ?? identity)
    }
    return identity
  }

  /// The object with the primary key that a line gives; nil where it does not give all of it.
  private func existingObject(
    _ members: [String: JSON], _ model: ImportedModel
  ) throws -> Int64? {
    guard !model.access.keyProperties.isEmpty else { return nil }
    var key: [Value] = []
    for property in model.access.keyProperties {
      guard let json = members[model.access.model.properties[property].name],
        case .scalar(let scalar) = model.roles[property]
      else { return nil }
      key.append(try value(json, as: scalar, property, model))
    }
    return try model.access.row(forKey: key)
  }

  /// A new object, its links left open.
  func object(_ members: [String: JSON], _ model: ImportedModel) throws -> Object {
    let object = model.access.generated.newObject()
    let storage = object.standaloneStorage
    for (index, property) in model.properties {
      guard let json = members[property.name] else {
        if property.hasToBeGiven {
          throw error("\(model.name).\(property.name) is required and has no value")
        }
        continue
      }
      if property.type.isCollection {
        let elements = try elements(json, index, model)
        if elements.isOpen {
          open(elements, of: object, index)
        } else if !elements.values.isEmpty {
          storage.values[index] = .collection(standalone(elements, property))
        }
      } else {
        switch try element(json, index, model) {
        case .stored(let value): storage.values[index] = value
        case .link(let target):
          pending.append(ImportedLink(object: object, property: index, place: .null, to: target))
        }
      }
    }
    return object
  }

  private func standalone(_ elements: ImportedElements, _ property: Property) -> CollectionCore {
    switch property.type {
    case .set:
      let core = SetCore()
      for element in elements.values { if let value = element.value { core.insert(value) } }
      return core
    case .map:
      let core = MapCore()
      for (key, element) in zip(elements.keys, elements.values) {
        if let value = element.value { core.set(value, forKey: key) }
      }
      return core
    default:
      let core = ListCore()
      for element in elements.values { if let value = element.value { core.append(value) } }
      return core
    }
  }

  /// Changes the given properties of an object that is there.
  private func update(
    _ row: Int64, _ members: [String: JSON], _ model: ImportedModel
  ) throws {
    links.hasUpdates = true
    var values: [(property: Int, value: Value)] = []
    for (index, property) in model.properties where !model.isKnownKey(index) {
      guard let json = members[property.name] else { continue }
      // What an earlier line wanted is no more.
      if model.roles[index].isOfLinks {
        try links.forget(owner: row, property: index)
      }
      if property.type.isCollection {
        let elements = try elements(json, index, model)
        try replace(index, of: row, with: elements, model)
        if elements.isOpen { open(elements, of: nil, index) }
      } else {
        switch try element(json, index, model) {
        case .stored(.value(let value)) where model.access.targets[index] == nil:
          values.append((index, value))
        case .stored(let value):
          try model.access.set(index, of: row, to: value.cell ?? .null)
        case .link(let target):
          pending.append(ImportedLink(object: nil, property: index, place: .null, to: target))
        }
      }
    }
    try model.set(values, of: row)
  }

  private func replace(
    _ property: Int, of row: Int64, with elements: ImportedElements, _ model: ImportedModel
  ) throws {
    let access = model.access
    if let target = access.targets[property], target.isEmbedded {
      try store.watchDeletions(of: target)
    }
    let core: CollectionCore =
      switch access.model.properties[property].type {
      case .set: SetCore()
      case .map: MapCore()
      default: ListCore()
      }
    core.attach(to: store, access, property: property, owner: row)
    var values: [(key: String, value: Value)] = []
    if !elements.isOpen {
      let standalone = standalone(elements, access.model.properties[property])
      values = try standalone.standaloneStoredElements { element in
        switch element {
        case .value(let value): value
        case .object(let object): try store.link(to: object, from: access, property: property)
        case .collection: .null
        }
      }
    }
    store.willChange(access)
    try core.replaceElements(values)
    store.didChange(access, row, property: property)
  }

  /// Leaves a collection to the end, all of its elements in their places.
  private func open(_ elements: ImportedElements, of object: Object?, _ property: Int) {
    for (index, element) in elements.values.enumerated() {
      let place: SQLiteValue =
        elements.keys.isEmpty
        ? .integer(Int64(index + 1) * ListCore.gap) : .text(elements.keys[index])
      let target: ImportedLink.Target
      switch element {
      case .link(let link): target = link
      case .stored(.value(let value)): target = .value(value)
      case .stored: continue
      }
      pending.append(ImportedLink(object: object, property: property, place: place, to: target))
    }
  }

  // MARK: - Links

  /// Resolves the links, when all lines are read.
  package func finish() throws {
    do {
      try namingLine {
        try links.resolve(line: { self.line = $0 }, mayRepeat: mayRepeatLink)
      }
      try putBackUniqueness()
    } catch let problem as ImportedLinks.Unresolved {
      throw error(problem.description)
    }
  }
}
