import Strata
import StrataExpression
package import StrataHistory
package import StrataSQLite
package import StrataSchema

/// Makes a new database file at one version, whole or not at all.
package struct NewDatabase {
  /// Kibibytes of pages that the connection keeps.
  private static let cacheSize: Int64 = 5632

  let path: String
  let version: FrozenVersion
  let lineage: Lineage
  let vfs: String?
  /// Of the file; nil for what the process gives new files.
  let permissions: UInt32?
  let files: any FileOperations

  package init(
    path: String, version: FrozenVersion, lineage: Lineage, vfs: String? = nil,
    permissions: UInt32? = nil, files: any FileOperations = POSIXFiles()
  ) {
    self.path = path
    self.version = version
    self.lineage = lineage
    self.vfs = vfs
    self.permissions = permissions
    self.files = files
  }

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - source: a path or URI that `fill` sees attached as `source`.
  ///   - mend: changes what was filled in, when there are indexes and no triggers yet.
  ///   - blaming: what an answer of SQLite says about what was filled in; nil where it is about this file.
  ///   - fill: fills the tables, which have no indexes and triggers yet, and returns the identity of the next object.
  /// - Throws: `MigrationError` where something stands at the path already, and what `fill` throws; then there is no file.
  package func create(
    attaching source: String? = nil, mend: (Database) throws -> Void = { _ in },
    blaming: (SQLiteError) -> (any Error)? = { _ in nil }, _ fill: (Database) throws -> Int64
  ) throws {
    try FileInspector.translate(path) {
      try NewFile(path: path, files: files).make { draft in
        if let permissions { try files.write([], to: draft, permissions: permissions) }
        let database = try Database(
          path: draft, mode: .create, vfs: vfs, isURI: source != nil)
        defer { database.close() }
        try database.setPragma("page_size", .integer(Database.strataPageSize))
        try database.turnJournalOff()
        try database.setPragma("synchronous", "OFF")
        try database.setPragma("cache_size", .integer(-Self.cacheSize))
        if let source {
          try database.attach(source, as: "source")
          // Where the source has a table `mail` for text search, a defensive connection keeps `mail_content` to SQLite in every
          // file that is attached. No statement here names what is SQLite's own.
          try database.set(.defensive, false)
          // What is being made is larger than what fits into memory.
          try database.spillTemporaries()
        }
        do {
          try database.transaction { try write(to: database, mend, fill) }
        } catch let error as SQLiteError {
          throw blaming(error) ?? error
        }
        if source != nil { try database.detach("source") }
        try database.setPragma("journal_mode", "WAL")
      }
    }
  }

  private func write(
    to database: Database, _ mend: (Database) throws -> Void, _ fill: (Database) throws -> Int64
  ) throws {
    let layout = TableLayout(version.schema)
    for statement in StrataMetadata.createStatements() { try database.execute(statement) }
    for model in layout.models {
      for statement in model.statements(.tables) { try database.execute(statement) }
    }
    let nextRow = try fill(database)
    for part in [TableLayout.Part.indexes, .triggers] {
      for model in layout.models {
        for statement in model.statements(part) { try database.execute(statement) }
      }
      if part == .indexes { try mend(database) }
    }
    for fulltext in layout.models.flatMap(\.fulltexts) {
      try database.execute(fulltext.fillStatement())
    }
    try StrataMetadata(
      schema: version.schema, lineage: lineage, chain: version.chain, nextRow: nextRow
    ).write(to: database)
  }
}

/// Fills the table of one model of a new database, on a thread of its own.
package final class ModelWriter {
  private let writer: TableWriter

  /// - Parameter database: nothing else may use it until `finish`.
  package init(_ model: Model, schema: Schema, database: Database) throws {
    writer = try TableWriter(
      model: model, schema: schema, database: database, isInBackground: true)
  }

  /// - Parameter cells: one for each of the model's column properties, in their order.
  package func add(_ identity: Int64, _ cells: [Value]) throws {
    writer.beginRow(identity)
    for (position, value) in cells.enumerated() { try writer.write(value, to: position) }
    try writer.endRow()
  }

  /// Inserts what is not inserted yet, and lets the connection go.
  package func finish() throws {
    defer { writer.end() }
    try writer.flush()
  }
}

/// Fills the table of one collection of a new database, on a thread of its own.
package final class ElementWriter {
  /// Between the order keys of two elements of a list.
  package static let gap = ListCore.gap

  private let writer: TableWriter
  private let isSet: Bool
  private let isMap: Bool

  /// - Parameter database: nothing else may use it until `finish`.
  package init(_ property: Property, of model: Model, schema: Schema, database: Database) throws {
    writer = try TableWriter(
      elementsOf: property, of: model, schema: schema, database: database, isInBackground: true)
    var (isSet, isMap) = (false, false)
    if case .set = property.type { isSet = true }
    if case .map = property.type { isMap = true }
    self.isSet = isSet
    self.isMap = isMap
  }

  /// - Parameters:
  ///   - position: of a list's element, from 0.
  ///   - key: of a map's element.
  package func add(owner: Int64, position: Int, key: String?, _ value: Value) throws {
    writer.beginRow(owner)
    if isSet {
      try writer.write(value, to: 0)
    } else {
      let place: Value =
        isMap ? .string(key ?? "") : .int(Int64(position + 1) * ListCore.gap)
      try writer.write(place, to: 0)
      try writer.write(value, to: 1)
    }
    try writer.endRow()
  }

  /// Inserts what is not inserted yet, and lets the connection go.
  package func finish() throws {
    defer { writer.end() }
    try writer.flush()
  }
}
