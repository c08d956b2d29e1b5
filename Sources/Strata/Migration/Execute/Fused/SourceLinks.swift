import StrataExpression
package import StrataSQLite
package import StrataSchema

/// Reads objects of the version before a step by identity: what expressions find behind links.
final class SourceLinks {
  private let database: Database
  private let schema: Schema

  /// - Parameter database: has the version before the step attached as `source`.
  init(database: Database, schema: Schema) {
    self.database = database
    self.schema = schema
  }

  func value(_ index: Int, model: Int, identity: Int64) throws -> Value {
    let model = schema.models[model]
    let property = model.properties[index]
    guard property.isStored else { return .null }
    return try database.withStatement(
      """
      SELECT \(SQL.identifier(property.name)) FROM source.\(SQL.identifier(model.name)) \
      WHERE _row = ?
      """
    ) { statement in
      try statement.bind(identity, at: 1)
      return try statement.step()
        ? try property.codec(in: schema).read(statement, at: 0) : .null
    }
  }

  /// The object with a primary key, whose values stand in the key's order; nil where there is none.
  func object(ofModel model: Int, keyed key: [Value]) throws -> Int64? {
    let model = schema.models[model]
    var cells: [SQLiteValue] = []
    for (name, value) in zip(model.primaryKey, key) {
      // What the column cannot hold is no object's key.
      guard let codec = model.property(named: name)?.codec(in: schema),
        let cell = try? codec.sqliteValue(of: value)
      else { return nil }
      cells.append(cell)
    }
    let tests = model.primaryKey.map { "\(SQL.identifier($0)) = ?" }
    return try database.withStatement(
      """
      SELECT _row FROM source.\(SQL.identifier(model.name)) \
      WHERE \(tests.joined(separator: " AND "))
      """
    ) { statement in
      for (index, cell) in cells.enumerated() { try statement.bind(cell, at: index + 1) }
      return try statement.step() ? statement.integer(at: 0) : nil
    }
  }

  /// The elements of a collection, or the objects of an inverse.
  func elements(_ index: Int, model: Int, identity: Int64) throws -> [CollectionElement] {
    let model = schema.models[model]
    let property = model.properties[index]
    if case .inverse(let holderName, let name) = property.type {
      guard let holder = schema.model(named: holderName), let link = holder.property(named: name)
      else { return [] }
      let place = LinkHolder(model: holder, property: link)
      return try database.rows(
        """
        SELECT DISTINCT \(place.holderColumn) FROM source.\(SQL.identifier(place.table)) \
        WHERE \(SQL.identifier(place.targetColumn)) = ? ORDER BY 1
        """, .integer(identity)
      ).compactMap { $0[0].ifInteger }.map { CollectionElement(key: nil, value: .link($0)) }
    }
    return try StoredCollection(property: property, model: model, schema: schema, in: "source")
      .elements(of: identity, database: database)
  }
}

/// Reads a collection of one object.
package struct StoredCollection {
  package let property: Property
  let model: Model
  let schema: Schema
  /// The name of the database on its connection.
  let name: String

  package init(property: Property, model: Model, schema: Schema, in name: String) {
    self.property = property
    self.model = model
    self.schema = schema
    self.name = name
  }

  /// A list's elements in order, a set's in the order of their values, a map's by key.
  package func elements(of owner: Int64, database: Database) throws -> [CollectionElement] {
    let codec = property.codec(in: schema)
    var isMap = false
    var order = "_index"
    switch property.type {
    case .map: isMap = true
    case .set: order = "value"
    default: break
    }
    return try database.withStatement(
      """
      SELECT value\(isMap ? ", _index" : "") FROM \
      \(SQL.identifier("\(model.name).\(property.name)", in: name)) WHERE _owner = ? ORDER BY \(order)
      """
    ) { statement in
      try statement.bind(owner, at: 1)
      var elements: [CollectionElement] = []
      while try statement.step() {
        elements.append(
          CollectionElement(
            key: isMap ? statement.string(at: 1) : nil,
            value: try codec.read(statement, at: 0)))
      }
      return elements
    }
  }

  /// The value at a key of a map.
  func value(at key: String, of owner: Int64, database: Database) throws -> Value? {
    let codec = property.codec(in: schema)
    return try database.withStatement(
      "SELECT value FROM \(SQL.identifier("\(model.name).\(property.name)", in: name)) WHERE _owner = ? AND _index = ?"
    ) { statement in
      try statement.bind([.integer(owner), .text(key)])
      return try statement.step() ? codec.read(statement, at: 0) : nil
    }
  }
}

/// An object before a step, as expressions see it.
struct StepEvaluation: EvaluationContext {
  let row: FrozenRow

  var subjectIdentity: Int64? { row.identity }

  func value(_ property: Int, of object: EvaluatedObject) throws -> Value {
    switch object {
    case .subject: return try row.read(property)
    case .object(let model, let identity):
      return try links().value(property, model: model, identity: identity)
    }
  }

  func elements(_ property: Int, of object: EvaluatedObject) throws -> [Value] {
    try stored(property, of: object).map(\.value)
  }

  func entries(_ property: Int, of object: EvaluatedObject) throws -> [(key: String, value: Value)]
  {
    try stored(property, of: object).map { ($0.key ?? "", $0.value) }
  }

  func object(ofModel model: Int, keyed key: [Value]) throws -> Int64? {
    try links().object(ofModel: model, keyed: key)
  }

  private func stored(_ property: Int, of object: EvaluatedObject) throws -> [CollectionElement] {
    switch object {
    case .subject:
      let links = try links()
      return try links.elements(property, modelNamed: row.model.name, identity: row.identity)
    case .object(let model, let identity):
      return try links().elements(property, model: model, identity: identity)
    }
  }

  private func links() throws -> SourceLinks {
    // Only expressions that look at nothing but their row are evaluated where links cannot be followed.
    guard let links = row.links else {
      throw StepContext.LooksBeyond(version: row.environment.version)
    }
    return links
  }
}

extension SourceLinks {
  func elements(_ index: Int, modelNamed name: String, identity: Int64) throws
    -> [CollectionElement]
  {
    guard let model = schema.indexOfModel(named: name) else { return [] }
    return try elements(index, model: model, identity: identity)
  }
}
