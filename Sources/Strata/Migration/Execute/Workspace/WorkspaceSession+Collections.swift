import StrataSQLite
import StrataSchema

/// The collections of old and new objects. Blocks reach them by accessors that cannot throw.
extension WorkspaceSession {
  func elements(of property: Property, in row: FrozenRow) throws -> [CollectionElement] {
    try watch.finishingStatements {
      try flush()
      return try collection(of: property, in: row).elements(of: row.identity, database: database)
    }
  }

  func replaceElements(
    of property: Property, in row: FrozenRow, with elements: [CollectionElement]
  ) throws {
    try watch.finishingStatements {
      guard let table = try tableToWrite(of: property, in: row) else { return }
      try database.execute("DELETE FROM \(table) WHERE _owner = ?", .integer(row.identity))
      try CollectionWriter(property: property, model: row.model, schema: transition.target)
        .append(elements, owner: row.identity, database: database)
    }
  }

  func append(_ value: Value, to property: Property, in row: FrozenRow) throws {
    try watch.finishingStatements {
      guard let table = try tableToWrite(of: property, in: row) else { return }
      let cell = try element(value, of: property)
      if case .set = property.type {
        try database.execute(
          """
          INSERT INTO \(table) (_owner, value) SELECT ?1, ?2 \
          WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE _owner = ?1 AND value IS ?2)
          """, .integer(row.identity), cell)
      } else {
        try database.execute(
          """
          INSERT INTO \(table) (_owner, _index, value) SELECT ?1, \
          coalesce((SELECT max(_index) FROM \(table) WHERE _owner = ?1), 0) + \(ListCore.gap), ?2
          """, .integer(row.identity), cell)
      }
    }
  }

  func value(at key: String, of property: Property, in row: FrozenRow) throws -> Value? {
    try watch.finishingStatements {
      try flush()
      return try collection(of: property, in: row).value(
        at: key, of: row.identity, database: database)
    }
  }

  private func collection(of property: Property, in row: FrozenRow) -> StoredCollection {
    StoredCollection(
      property: property, model: row.model,
      schema: row.isReadOnly ? transition.source : transition.target,
      in: row.isReadOnly ? "source" : "main")
  }

  func set(_ value: Value?, at key: String, of property: Property, in row: FrozenRow) throws {
    try watch.finishingStatements {
      guard let table = try tableToWrite(of: property, in: row) else { return }
      try database.execute(
        "DELETE FROM \(table) WHERE _owner = ? AND _index = ?", .integer(row.identity), .text(key))
      guard let value else { return }
      try database.execute(
        "INSERT INTO \(table) (_owner, _index, value) VALUES (?, ?, ?)", .integer(row.identity),
        .text(key), element(value, of: property))
    }
  }

  private func element(_ value: Value, of property: Property) throws -> SQLiteValue {
    value.isNull ? .null : try property.codec(in: transition.target).sqliteValue(of: value)
  }

  /// Nil where the object is gone: what it is given goes with it.
  private func tableToWrite(of property: Property, in row: FrozenRow) throws -> String? {
    guard !row.isReadOnly else {
      throw BlockFailure.error(
        refusal(toWrite: property, of: row.model), transition: transition, row: row)
    }
    let isThere = try database.firstValue(
      "SELECT 1 FROM main.\(SQL.identifier(row.model.name)) WHERE _row = ?", .integer(row.identity))
    return isThere == nil ? nil : "main.\(SQL.identifier("\(row.model.name).\(property.name)"))"
  }
}
