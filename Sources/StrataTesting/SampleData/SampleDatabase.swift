import Strata
import StrataExpression
import StrataFiles
package import StrataHistory
package import StrataSQLite
import StrataSchema

/// Makes new database files at any version of a history, empty or with sample objects.
package struct SampleDatabase {
  /// Objects of a model at most.
  package static let maximumObjects = 100_000_000
  /// SQLite's instructions between two questions whether to stop.
  private static let instructionsBetweenQuestions = 100_000

  let version: FrozenVersion
  let lineage: Lineage
  let vfs: String?

  package init(version: FrozenVersion, of history: History, vfs: String? = nil) {
    self.version = version
    self.vfs = vfs
    lineage = history.lineage(at: version.number) ?? Lineage(beginning: version.schema)
  }

  /// Creates the file; the same arguments give the same objects.
  ///
  /// Where a unique key of a model has fewer values than there would be objects, the model has as many objects as it has values; where no values are found
  /// that keep its rules, it has fewer.
  ///
  /// - Parameters:
  ///   - objects: objects of each model that is not embedded; 0 for an empty database.
  ///   - seed: decides what the objects are.
  ///   - isCancelled: asked again and again whether to stop; then nothing is written.
  /// - Returns: the number of objects of each model that is not embedded.
  /// - Throws: `MigrationError` where something stands at the path already.
  @discardableResult
  package func create(
    at path: String, objects: Int, seed: UInt64, files: any FileOperations = POSIXFiles(),
    isCancelled: @escaping () -> Bool = { false }
  ) throws -> [String: Int] {
    let numbering = SampleNumbering(schema: version.schema, objects: objects)
    let new = NewDatabase(path: path, version: version, lineage: lineage, vfs: vfs, files: files)
    var counts: [String: Int] = [:]
    func mend(_ database: Database) throws {
      try RuleMender(database, schema: version.schema, seed: seed)?.run()
      // An object that keeps no rule, whatever values it gets, is gone.
      for model in version.schema.storedModels where !model.isEmbedded {
        counts[model.name] = try database.count(of: SQL.identifier(model.name))
      }
    }
    do {
      try new.create(mend: mend) { database in
        database.setProgressHandler(every: Self.instructionsBetweenQuestions, isCancelled)
        let filler = SampleFiller(
          database: database, schema: version.schema, numbering: numbering, seed: seed)
        try filler.fill {
          if isCancelled() { throw MigrationError.cancelledMaking(path) }
        }
        return filler.nextRow
      }
    } catch {
      // SQLite says of a statement that was stopped only that it was.
      throw isCancelled() ? MigrationError.cancelledMaking(path) : error
    }
    return counts
  }
}

extension MigrationError {
  fileprivate static func cancelledMaking(_ path: String) -> MigrationError {
    MigrationError(.cancelled, "Making \(path) was cancelled. Nothing was written.")
  }
}

/// Fills the tables of a new database, model by model.
private final class SampleFiller {
  private static let maximumElements = 3

  private let database: Database
  private let schema: Schema
  private let numbering: SampleNumbering
  private let values: SampleValues
  /// Where each model's identities begin.
  private var firstRows: [String: Int64] = [:]
  /// Embedded objects are made when their owner is.
  private var embeddedWriters: [String: TableWriter] = [:]
  private var embeddedCounts: [String: Int] = [:]
  private(set) var nextRow: Int64 = 1

  init(database: Database, schema: Schema, numbering: SampleNumbering, seed: UInt64) {
    self.database = database
    self.schema = schema
    self.numbering = numbering
    values = SampleValues(seed: seed, schema: schema)
  }

  /// - Parameter check: called before each object.
  func fill(check: () throws -> Void) throws {
    let models = schema.storedModels.filter { !$0.isEmbedded }
    for model in models {
      firstRows[model.name] = nextRow
      nextRow += Int64(count(of: model.name))
    }
    for model in schema.storedModels where model.isEmbedded {
      embeddedWriters[model.name] = try TableWriter(
        model: model, schema: schema, database: database)
    }
    for model in models {
      let writer = try TableWriter(model: model, schema: schema, database: database)
      let collections = try collectionWriters(of: model)
      for object in 0..<count(of: model.name) {
        try check()
        let identity = (firstRows[model.name] ?? 1) + Int64(object)
        try write(model, object: object, identity: identity, to: writer, depth: 0)
        for (property, statement) in collections {
          try fillCollection(property, statement, of: model, object: object, owner: identity)
        }
      }
      try writer.flush()
    }
    for writer in embeddedWriters.values { try writer.flush() }
  }

  private func count(of model: String) -> Int { numbering.counts[model] ?? 0 }

  private func write(
    _ model: Model, object: Int, identity: Int64, to writer: TableWriter, depth: Int
  ) throws {
    let unique = Set(model.uniqueKeys.flatMap { $0 })
    var cells: [Value] = []
    for property in model.columnProperties {
      guard let type = property.type.valueType else { continue }
      let digit = numbering.digit(of: property, in: model)
      if let digit, digit.number(of: object) == nil {
        cells.append(.null)
      } else if case .object(let target) = type.base {
        cells.append(try link(property, of: model, to: target, object: object, depth: depth))
      } else if let number = digit?.number(of: object) {
        cells.append(values.value(of: type.base, number: number))
      } else {
        cells.append(
          values.value(
            of: type.base, name: property.name, model: model.name, object: object,
            isUnique: unique.contains(property.name)
              && numbering.size(of: property, in: schema) == nil))
      }
    }
    writer.beginRow(identity)
    for (position, value) in cells.enumerated() { try writer.write(value, to: position) }
    try writer.endRow()
  }

  /// Embedded objects within embedded ones at most.
  private static let maximumDepth = 3

  private func link(
    _ property: Property, of model: Model, to target: String, object: Int, depth: Int
  ) throws -> Value {
    guard let targetModel = schema.model(named: target) else { return .null }
    guard targetModel.isEmbedded else {
      guard let digit = numbering.digit(of: property, in: model) else {
        var random = values.generator(model.name, property.name, object)
        return link(to: target, number: random.next())
      }
      // From anywhere on, so that a model's links to itself do not lead to the object they come from.
      var random = values.generator(model.name, property.name, 0)
      let number = digit.number(of: object) ?? 0
      return link(to: target, number: random.next() % UInt64(digit.size) + UInt64(number))
    }
    let isOptional = property.type.valueType?.isOptional ?? true
    guard depth < Self.maximumDepth || !isOptional else { return .null }
    if let identity = try embed(targetModel, depth: depth + 1) { return .link(identity) }
    if isOptional { return .null }
    let count = count(of: target)
    throw MigrationError(
      .duplicateValue,
      "There is no sample data of so many objects: each \(model.name) needs \(target) objects of its own in "
        + "'\(property.name)', and the unique keys of \(target) allow no more than "
        + "\(count). Make fewer objects.")
  }

  private func link(to target: String, number: UInt64) -> Value {
    .link((firstRows[target] ?? 1) + Int64(number % UInt64(max(1, count(of: target)))))
  }

  /// Makes a new embedded object; nil where its unique keys allow no more of them.
  private func embed(_ model: Model, depth: Int) throws -> Int64? {
    let object = embeddedCounts[model.name, default: 0]
    guard object < count(of: model.name) else { return nil }
    let identity = nextRow
    nextRow += 1
    embeddedCounts[model.name] = object + 1
    if let writer = embeddedWriters[model.name] {
      try write(model, object: object, identity: identity, to: writer, depth: depth)
    }
    return identity
  }

  // MARK: - Collections

  private func collectionWriters(of model: Model) throws -> [(Property, Statement)] {
    try model.collectionProperties.map { property in
      let columns = DraftLayout.collectionColumns(of: property)
      let count = columns.split(separator: ",").count
      return (
        property,
        try database.prepare(
          """
          INSERT INTO \(SQL.identifier("\(model.name).\(property.name)")) (\(columns)) \
          VALUES (\(SQL.placeholders(count)))
          """)
      )
    }
  }

  private func fillCollection(
    _ property: Property, _ statement: Statement, of model: Model, object: Int, owner: Int64
  ) throws {
    guard let type = property.type.valueType else { return }
    let codec = ColumnCodec(type, in: schema)
    var random = values.generator(model.name, property.name + "[]", object)
    let count = 1 + Int(random.next() % UInt64(Self.maximumElements))
    var seen: Set<Value> = []
    for position in 0..<count {
      let value: Value
      if case .object(let target) = type.base {
        guard let targetModel = schema.model(named: target) else { return }
        if targetModel.isEmbedded {
          guard let identity = try embed(targetModel, depth: 1) else { return }
          value = .link(identity)
        } else {
          value = link(to: target, number: random.next())
        }
      } else {
        value = values.value(
          of: type.base, name: property.name, model: model.name,
          object: object * (Self.maximumElements + 1) + position, isUnique: false)
      }
      // What keeps a set's elements apart is built when the tables are filled.
      if case .set = property.type, !seen.insert(value).inserted { continue }
      try statement.bind(owner, at: 1)
      switch property.type {
      case .set: try codec.bind(value, to: statement, at: 2)
      case .map:
        try statement.bind("key\(position + 1)", at: 2)
        try codec.bind(value, to: statement, at: 3)
      default:
        try statement.bind(Int64(position + 1) * ListCore.gap, at: 2)
        try codec.bind(value, to: statement, at: 3)
      }
      try statement.run()
    }
  }
}
