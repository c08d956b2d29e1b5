import Strata
package import StrataSQLite
package import StrataSchema

/// A Core Data store in our terms: which version of a model it is, and which table and column each model and property comes from.
package struct CoreDataSource {
  /// Objects that a link leads to.
  struct Target {
    let table: String
    /// What is added to the number of a row.
    let firstRow: Int64
    /// Number of an entity → model.
    let models: [Int64: String]
  }

  struct Column {
    let property: Property
    /// nil where the store has none.
    let name: String?
    /// nil for an attribute.
    let target: Target?
    /// Whether large values are files of their own.
    let isExternal: Bool
  }

  struct Collection {
    let property: Property
    let pairs: CoreDataLayout.Pairs
    let target: Target
  }

  /// An entity that has objects of its own.
  struct Entry {
    let model: Model
    let entity: Int64
    let table: String
    /// What is added to the number of a row.
    let firstRow: Int64
    let count: Int
    let columns: [Column]
    let collections: [Collection]
  }

  /// How the store's version was found.
  package struct Recognition: Sendable {
    /// The number of the version here.
    package var version: Int
    /// The versions that are the store's own, the one that was taken first.
    package var equal: [(number: Int, name: String)]
    /// For people.
    package var text: String

    package init(version: Int, equal: [(number: Int, name: String)], text: String) {
      self.version = version
      self.equal = equal
      self.text = text
    }
  }

  package let path: String
  package let history: AdoptedHistory
  package let recognition: Recognition
  let store: CoreDataStore
  let entries: [Entry]
  /// Rows of entities that the model does not have: table → how many.
  let strangers: [String]
  /// Columns that no attribute or relationship of the model has, with values: the parts of composite attributes, and what no type is
  /// known for. Table → columns.
  let strayColumns: [(table: String, columns: [String])]
  let nextRow: Int64

  /// The schema of the store's version.
  package let schema: Schema

  /// - Parameters:
  ///   - model: the folder of the model's versions; nil for what the store itself says.
  ///   - name: the schema's; nil for one like the file's or the model's.
  package init(path: String, model folder: String?, database: Database, name: String?) throws {
    self.path = path
    let store = try CoreDataStore(database, path: path)
    self.store = store
    let own =
      try store.cached.map { try store.addingUniqueness(to: $0, database) }
    var (history, found) =
      try folder.map {
        try Self.recognise(
          store, own, in: try CoreDataFolder.read($0, name: name), database)
      }
      ?? Self.history(
        of: own ?? store.addingUniqueness(to: store.modelOfTables(database), database), store, path,
        name: name)
    history.notes += store.notes
    guard
      let index = history.versions.firstIndex(where: {
        $0.schema.version == found.version
      }), let origin = history.versions[index].coreData
    else { throw AdoptError("'\(path)' has no version that can be read") }
    let layout = CoreDataLayout(CoreDataModel(origin.root), store)
    let rows = try Rows(layout, store, database, path: path)
    history.versions[index].schema = try Self.looseningLinks(
      history.versions[index].schema, origin, layout, database, &history.versions[index].notes)
    schema = history.versions[index].schema
    var builder = Builder(origin: origin, own: own, layout: layout, rows: rows, schema: schema)
    entries = try builder.entries(database)
    strangers = rows.strangers
    strayColumns = try Self.strayColumns(entries, store, database)
    nextRow = rows.nextRow
    history.versions[index].notes += builder.notes
    for table in try Self.otherTables(layout, entries, store, database) {
      history.notes.append(
        AdoptNote(
          kind: .leftOut, entity: table.name, property: nil,
          reason:
            "\(counted(table.count, "row", "rows")) of a table that the model does not have"))
    }
    self.history = history
    recognition = found
  }

  /// Whether nothing in the store keeps it from being another version that has its shape.
  package func mayBe(version number: Int) -> Bool {
    // Core Data takes equal versions for one, and converts from none of them to another.
    guard recognition.equal.isEmpty else {
      return recognition.equal.contains { $0.number == number }
    }
    return !store.identifiers.contains { Int($0) == recognition.version }
  }

  package var counts: [String: Int] {
    Dictionary(entries.map { ($0.model.name, $0.count) }, uniquingKeysWith: { first, _ in first })
  }

  /// Where large values stand that are files of their own.
  func externalFile(_ name: String) -> [String] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let file = parts.last.map(String.init) ?? path
    let folder = parts.dropLast().joined(separator: "/") + (parts.count > 1 ? "/" : "")
    let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    return [stem, file].map { "\(folder).\($0)_SUPPORT/_EXTERNAL_DATA/\(name)" }
  }

  // MARK: - The store's version

  private static func history(
    of model: CoreDataModel, _ store: CoreDataStore, _ path: String, name: String?
  ) throws -> (AdoptedHistory, Recognition) {
    let title = path.split(separator: "/").last.map { $0.split(separator: ".").first ?? $0 }
    let schemaName = try SchemaName.make(name, near: String(title ?? "App"))
    let number = store.identifiers.first.flatMap { Int($0) } ?? 1
    let version = try CoreDataFolder.version(
      model.root, path: path, schemaName: schemaName, number: max(0, min(number, Int(Int32.max))),
      label: store.identifiers.first ?? "the store's own model")
    return (
      AdoptedHistory(source: .coredata, name: schemaName, versions: [version], notes: []),
      Recognition(
        version: version.schema.version, equal: [],
        text: store.cached == nil
          ? "the store keeps no model: its schema is read from its tables"
          : "its schema is the model that it keeps of itself")
    )
  }

  /// Finds the versions that are the store's own by what they say, whatever the file calls itself.
  private static func recognise(
    _ store: CoreDataStore, _ own: CoreDataModel?, in history: AdoptedHistory,
    _ database: Database
  ) throws -> (AdoptedHistory, Recognition) {
    struct Candidate {
      let index: Int
      let differences: Int
      let details: Int
      let isNamed: Bool
    }
    let indexes = try CoreDataStore.uniqueIndexes(database)
    var candidates: [Candidate] = []
    for (index, version) in history.versions.enumerated() {
      guard let origin = version.coreData else { continue }
      let model = CoreDataModel(origin.root)
      let layout = CoreDataLayout(model, store)
      let identifier = origin.root.attributes["userDefinedModelVersionIdentifier"]
      let differences = own.map { $0.differences(from: model).count } ?? layout.differences
      let details =
        try own?.detailDifferences(from: model)
        ?? (differences == 0 ? Self.misread(layout, database) : 0)
      candidates.append(
        Candidate(
          index: index, differences: differences,
          details: details + layout.uniquenessDifferences(from: indexes),
          isNamed: identifier.map { store.identifiers.contains($0) } ?? false))
    }
    // Of equal ones the one that says most of the same, then the one that the file calls itself, then the newest:
    // Core Data itself would never convert from one to the other.
    candidates.sort {
      ($0.differences, $0.details, $0.isNamed ? 0 : 1, -$0.index)
        < ($1.differences, $1.details, $1.isNamed ? 0 : 1, -$1.index)
    }
    guard let best = candidates.first else {
      throw AdoptError("the model has no version that can be read")
    }
    func name(_ index: Int) -> String {
      "version \(history.versions[index].schema.version), '\(history.versions[index].name)'"
    }
    let says = store.identifiers.joined(separator: ", ")
    if best.differences == 0 {
      let equal = candidates.filter { $0.differences == 0 }
      var text = "the store is \(name(best.index))"
      if !best.isNamed, !says.isEmpty { text += "; it calls itself '\(says)'" }
      if equal.count > 1 {
        text +=
          "; equal to a store: \(equal.dropFirst().map { name($0.index) }.joined(separator: ", "))"
      }
      return (
        history,
        Recognition(
          version: history.versions[best.index].schema.version,
          equal: equal.map {
            (history.versions[$0.index].schema.version, history.versions[$0.index].name)
          }, text: text)
      )
    }
    guard let own else {
      throw AdoptError(
        "the store keeps no model that can be read, and its tables are those of no version: the nearest is \(name(best.index)), with \(best.differences) differences. Without --model its schema is read from its tables."
      )
    }
    return try inserting(own, store, before: best.index, says: says, of: history)
  }

  /// The columns of binary data whose values are not what a version makes of them.
  private static func misread(_ layout: CoreDataLayout, _ database: Database) throws -> Int {
    var count = 0
    for (table, column, isExternal) in layout.binaryColumns {
      switch try CoreDataStore.form(of: column, in: table, database) {
      case .plain: count += isExternal ? 1 : 0
      case .marked, .files: count += isExternal ? 0 : 1
      case .empty, .mixed: break
      }
    }
    return count
  }

  /// None of the versions is the store's own: its own model stands before the nearest one.
  private static func inserting(
    _ own: CoreDataModel, _ store: CoreDataStore, before index: Int, says: String,
    of history: AdoptedHistory
  ) throws -> (AdoptedHistory, Recognition) {
    var history = history
    let nearest = history.versions[index]
    let nearestModel = CoreDataModel(nearest.coreData?.root ?? XMLNode(name: "model"))
    try Self.checkIsOfOneApp(
      own, nearestModel, "version \(nearest.schema.version), '\(nearest.name)'")
    let differences = own.differences(from: nearestModel)
    let before = index == 0 ? -1 : history.versions[index - 1].schema.version
    var number = nearest.schema.version - 1
    if number <= before {
      // No number is free: all from the nearest on move up.
      number = nearest.schema.version
      for place in history.versions.indices where place >= index {
        history.versions[place].schema.version += 1
      }
    }
    let label = says.isEmpty ? "the store's own model" : says
    let version = try CoreDataFolder.version(
      own.root, path: "the store", schemaName: history.name, number: number, label: label)
    history.versions.insert(version, at: index)
    history.versions[index + 1].notes += history.notesOfStep(
      from: version, to: history.versions[index + 1])
    let text =
      "the store is none of the \(history.versions.count - 1) versions; its own model stands before the nearest one as version \(number): \(history.versions[index + 1].schema.version), '\(nearest.name)', which differs in \(differences.count) places (\(differences.prefix(5).joined(separator: ", "))\(differences.count > 5 ? ", …" : ""))"
    history.notes.append(AdoptNote(kind: .changed, entity: "", property: nil, reason: text))
    return (history, Recognition(version: number, equal: [], text: text))
  }

  /// Entities that a message names at most.
  private static let maximumNamed = 5

  /// A step from the store's own model to another app's would drop all that the store has.
  ///
  /// - Throws: `AdoptError` where fewer than half of the store's entities go on in the nearest version.
  private static func checkIsOfOneApp(
    _ own: CoreDataModel, _ nearest: CoreDataModel, _ version: String
  ) throws {
    let goingOn = own.entities.keys.count { nearest.continues($0) }
    guard 2 * goingOn < own.entities.count else { return }
    func list(_ model: CoreDataModel) -> String {
      let names = model.entities.keys.sorted()
      return names.prefix(maximumNamed).joined(separator: ", ")
        + (names.count > maximumNamed ? " and \(names.count - maximumNamed) more" : "")
    }
    throw AdoptError(
      "the store is none of the versions of this model, and the nearest one, \(version), goes on with \(goingOn) of its \(own.entities.count) entities: the store has \(list(own)), the version \(list(nearest)). Name the model that the store is of with --model; without it the schema is the model that the store keeps of itself"
    )
  }

  /// Tables with rows that neither the model nor Core Data itself needs.
  private static func otherTables(
    _ layout: CoreDataLayout, _ entries: [Entry], _ store: CoreDataStore, _ database: Database
  ) throws -> [(name: String, count: Int64)] {
    var known: Set<String> = ["Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY"]
    for entity in layout.model.entities.values {
      known.insert(layout.table(of: entity.name))
      for name in entity.properties.keys {
        if let pairs = layout.pairs(of: name, of: entity.name) { known.insert(pairs.table) }
      }
    }
    var result: [(name: String, count: Int64)] = []
    for table in store.tables.keys.sorted() where !known.contains(table) {
      if table.hasPrefix("sqlite_") { continue }
      let count = try database.firstValue(
        "SELECT count(*) FROM \(SQL.identifier(table)) NOT INDEXED")
      if let count = count?.ifInteger, count > 0 { result.append((table, count)) }
    }
    return result
  }

  /// Columns with values that no entry reads.
  private static func strayColumns(
    _ entries: [Entry], _ store: CoreDataStore, _ database: Database
  ) throws -> [(table: String, columns: [String])] {
    var used: [String: Set<String>] = [:]
    for entry in entries {
      used[entry.table, default: []].formUnion(entry.columns.compactMap(\.name))
      for pairs in entry.collections.map(\.pairs) {
        used[pairs.table, default: []].formUnion([pairs.owner, pairs.element])
        if let order = pairs.order { used[pairs.table]?.insert(order) }
      }
    }
    var result: [(table: String, columns: [String])] = []
    for table in Set(entries.map(\.table)).sorted() {
      // Beside its properties a table has numbers of rows and entities, which begin with "Z_" or "Z" and a digit, and orders of lists.
      let names = store.columns(of: table).subtracting(used[table] ?? []).filter {
        $0.hasPrefix("Z_FOK_")
          || $0.hasPrefix("Z") && !$0.hasPrefix("Z_") && !($0.dropFirst().first?.isNumber ?? false)
      }
      var found: [String] = []
      for name in names.sorted() {
        let value = try database.firstValue(
          "SELECT 1 FROM \(SQL.identifier(table)) NOT INDEXED WHERE \(SQL.identifier(name)) IS NOT NULL LIMIT 1"
        )
        if value != nil { found.append(name) }
      }
      if !found.isEmpty { result.append((table, found)) }
    }
    return result
  }
}
