import StrataSQLite
package import StrataSchema

/// The tables of an intermediate version: columns without types, constraints or references, so that a step can pass through
/// states that its version would refuse at the end. They live between two passes of one upgrade only.
package enum DraftLayout {
  static func createTables(for schema: Schema, in database: Database) throws {
    try DraftDeletion.createTables(in: database)
    try Deduplicator.createTables(in: database)
    try AnyLinks.createTables(in: database)
    for model in schema.storedModels {
      let columns = model.columnProperties.map { SQL.identifier($0.name) }
      try database.execute(
        """
        CREATE TABLE main.\(SQL.identifier(model.name)) \
        (\((["_row INTEGER PRIMARY KEY"] + columns).joined(separator: ", ")))
        """)
      for property in model.collectionProperties {
        try database.execute(
          """
          CREATE TABLE main.\(SQL.identifier("\(model.name).\(property.name)")) \
          (\(collectionColumns(of: property)))
          """)
      }
    }
  }

  /// Indexes of links and of collections, which deletions and blocks look up.
  static func createIndexes(for schema: Schema, in database: Database) throws {
    try database.sortingWithLittleMemory {
      for model in schema.storedModels { try createIndexes(for: model, in: database) }
    }
  }

  private static func createIndexes(for model: Model, in database: Database) throws {
    for property in model.columnProperties where property.type.isToOne {
      try index(model.name, [property.name], in: database)
    }
    for property in model.collectionProperties {
      let table = "\(model.name).\(property.name)"
      // What blocks look for: the end of a list, an element of a set, a key of a map.
      var isSet = false
      if case .set = property.type { isSet = true }
      try index(table, ["_owner", isSet ? "value" : "_index"], in: database)
      if property.type.linkedModel != nil { try index(table, ["value"], in: database) }
    }
    if !model.primaryKey.isEmpty { try index(model.name, model.primaryKey, in: database) }
  }

  private static func index(_ table: String, _ columns: [String], in database: Database) throws {
    let name = "_draft \(table) \(columns.joined(separator: " "))"
    try database.execute(
      """
      CREATE INDEX main.\(SQL.identifier(name)) \
      ON \(SQL.identifier(table)) (\(SQL.identifiers(columns)))
      """)
  }

  /// The columns of a collection's table, as SQL.
  package static func collectionColumns(of property: Property) -> String {
    if case .set = property.type { return SQL.identifiers(["_owner", "value"]) }
    return SQL.identifiers(["_owner", "_index", "value"])
  }
}
