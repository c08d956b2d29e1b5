package import StrataSQLite
import StrataSchema

/// Writes all objects of a database as JSON lines, model by model in identity order.
///
/// A line is one object: `{"$model":"Person","$id":7,"fullName":"Ada","dogs":[{"$id":9}]}`. `$id` is the object's identity, which
/// links name; embedded objects stand inside their owner. The keys cannot clash with properties, whose names are identifiers.
package struct ObjectExporter {
  private let database: Database
  private let schema: Schema

  /// - Parameter path: a file that is not changed.
  package static func export(
    _ path: String, target: UpgradeTarget?, models: [String] = [],
    files: any FileOperations = POSIXFiles(), to write: (String) throws -> Void
  ) throws {
    let inspector = FileInspector(files: files)
    let stored = try inspector.stored(at: path)
    if let target { _ = try target.version(of: stored, path: path) }
    let untouched = try inspector.openUntouched(path)
    defer { untouched.close() }
    try FileInspector.translate(path) {
      for name in models where stored.schema.model(named: name) == nil {
        throw MigrationError(.unknownVersion, "\(path) has no model \(name).")
      }
      let exporter = ObjectExporter(database: untouched.database, schema: stored.schema)
      for model in stored.schema.storedModels where !model.isEmbedded {
        guard models.isEmpty || models.contains(model.name) else { continue }
        try exporter.export(model, to: write)
      }
    }
  }

  private func export(_ model: Model, to write: (String) throws -> Void) throws {
    let reader = try TableReader(model: model, schema: schema, database: database, in: "main")
    let cursors = try model.collectionProperties.map {
      try CollectionCursor(
        property: $0, model: model, schema: schema, database: database, "main")
    }
    while try reader.next() {
      var members = try members(of: model, reader, depth: 0) { position in
        try cursors[position].elements(of: reader.identity)
      }
      members["$model"] = .string(model.name)
      members["$id"] = .int(reader.identity)
      try write(JSON.object(members).canonicalText)
    }
  }

  /// Embedded objects within embedded ones at most; the schema bounds it, a damaged file might not.
  private static let maximumDepth = 32

  private func members(
    of model: Model, _ reader: TableReader, depth: Int,
    elements: (Int) throws -> [CollectionElement]
  ) throws -> [String: JSON] {
    guard depth <= Self.maximumDepth else { return [:] }
    var members: [String: JSON] = [:]
    var collection = 0
    for (position, property) in model.storedProperties.enumerated() {
      guard let type = property.type.valueType else { continue }
      guard property.type.isCollection else {
        members[property.name] = try json(try reader.value(at: position), type, depth: depth)
        continue
      }
      let all = try elements(collection)
      collection += 1
      if case .map = property.type {
        var object: [String: JSON] = [:]
        for element in all {
          object[element.key ?? ""] = try json(element.value, type, depth: depth)
        }
        members[property.name] = .object(object)
      } else {
        members[property.name] = .array(try all.map { try json($0.value, type, depth: depth) })
      }
    }
    return members
  }

  private func json(_ value: Value, _ type: ValueType, depth: Int) throws -> JSON {
    switch value {
    case .link(let identity):
      guard let name = type.base.objectName, let model = schema.model(named: name),
        model.isEmbedded
      else { return .object(["$id": .int(identity)]) }
      return try embedded(model, identity, depth: depth + 1)
    case .object(let model, let identity):
      return .object(["$model": .string(model), "$id": .int(identity)])
    default:
      return JSONCoding.json(value, as: schema.storedScalar(of: type.base) ?? .any)
    }
  }

  private func embedded(_ model: Model, _ identity: Int64, depth: Int) throws -> JSON {
    let reader = try TableReader(
      model: model, schema: schema, database: database, in: "main", condition: "_row = ?")
    try reader.statement.bind(identity, at: 1)
    guard try reader.next() else { return .null }
    return .object(
      try members(of: model, reader, depth: depth) { position in
        let property = model.collectionProperties[position]
        return try CollectionCursor(
          property: property, model: model, schema: schema, database: database, "main"
        ).elements(of: identity)
      })
  }
}

extension BaseType {
  /// The model of a link; nil for a scalar or an enum.
  var objectName: String? {
    if case .object(let name) = self { return name }
    return nil
  }
}
