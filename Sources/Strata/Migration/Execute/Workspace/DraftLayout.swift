import StrataExpression
import StrataSQLite
package import StrataSchema

/// The tables of an intermediate version: without constraints or references, so that a step can pass through states that its version
/// would refuse at the end. They live between two passes of one upgrade only.
///
/// Columns have no types but for those of identities, links and owners, which hold integers and nil alone: SQLite compares what is of
/// type INTEGER with a column without a type by no index of that column
/// (<https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison>), and a condition on an inverse or a list reads the whole
/// table for each object then.
package enum DraftLayout {
  static func createTables(for schema: Schema, in database: Database) throws {
    try DraftDeletion.createTables(in: database)
    try Deduplicator.createTables(in: database)
    try AnyLinks.createTables(in: database)
    for model in schema.storedModels {
      try database.execute(
        "CREATE TABLE main.\(SQL.identifier(model.name)) (\(columns(of: model, isInteger: isLink)))"
      )
      for property in model.collectionProperties {
        try database.execute(
          """
          CREATE TABLE main.\(SQL.identifier(LayoutNames.collection(model.name, property.name))) \
          (\(columns(ofCollection: property, isInteger: isLink)))
          """)
      }
    }
  }

  /// Indexes of links and of collections, which deletions, blocks and rules look up.
  static func createIndexes(for schema: Schema, in database: Database) throws {
    let lookups = RuleReads.lookups(in: schema)
    try database.sortingWithLittleMemory {
      for model in schema.storedModels {
        for index in indexes(of: model, in: schema, lookups: lookups) {
          try database.execute(index.createStatement(in: "main"))
        }
      }
    }
  }

  /// What is looked up of a model.
  ///
  /// - Parameter lookups: `RuleReads.lookups` of the schema.
  static func indexes(
    of model: Model, in schema: Schema, lookups: [String: Set<String>]
  ) -> [IndexDefinition] {
    var wanted: [(table: String, columns: [String])] = []
    for property in model.columnProperties where isLink(property) {
      wanted.append((model.name, [property.name]))
    }
    for property in model.collectionProperties {
      let table = LayoutNames.collection(model.name, property.name)
      // What blocks look for: the end of a list, an element of a set, a key of a map.
      var isSet = false
      if case .set = property.type { isSet = true }
      wanted.append(
        (table, [LayoutNames.owner, isSet ? LayoutNames.value : LayoutNames.index]))
      if isLink(property) { wanted.append((table, [LayoutNames.value])) }
    }
    if !model.primaryKey.isEmpty { wanted.append((model.name, model.primaryKey)) }
    // The version's own, where a rule finds any object by them.
    if let names = lookups[model.name] {
      let indexed = model.storedProperties.filter { $0.isUnique || $0.index == .ordinary }
      wanted += (indexed.map { [$0.name] } + model.indexes + model.uniques)
        .filter { $0.first.map(names.contains) ?? false }.map { (model.name, $0) }
    }
    var seen: Set<String> = []
    return wanted.compactMap { table, columns in
      let name = "_draft \(table) \(columns.joined(separator: " "))"
      guard seen.insert(name).inserted else { return nil }
      return IndexDefinition(name: name, table: table, columns: columns)
    }
  }

  // MARK: - Columns

  /// Whether a column holds identities.
  static func isLink(_ property: Property) -> Bool { property.type.linkedModel != nil }

  /// The definitions of the columns of a model's table, as SQL.
  ///
  /// - Parameter isInteger: whether all that a property's column ever holds is integers and nil.
  static func columns(of model: Model, isInteger: (Property) -> Bool) -> String {
    let columns = model.columnProperties.map {
      SQL.identifier($0.name) + (isInteger($0) ? " INTEGER" : "")
    }
    return (["\(SQL.identifier(LayoutNames.row)) INTEGER PRIMARY KEY"] + columns)
      .joined(separator: ", ")
  }

  /// The definitions of the columns of a collection's table, as SQL.
  static func columns(
    ofCollection property: Property, isInteger: (Property) -> Bool
  ) -> String {
    names(ofCollection: property).map { name in
      let isTyped = name == LayoutNames.owner || name == LayoutNames.value && isInteger(property)
      return SQL.identifier(name) + (isTyped ? " INTEGER" : "")
    }.joined(separator: ", ")
  }

  /// The columns of a collection's table, as SQL.
  package static func collectionColumns(of property: Property) -> String {
    SQL.identifiers(names(ofCollection: property))
  }

  private static func names(ofCollection property: Property) -> [String] {
    if case .set = property.type { return [LayoutNames.owner, LayoutNames.value] }
    return [LayoutNames.owner, LayoutNames.index, LayoutNames.value]
  }
}

extension RuleReads {
  /// By model, the properties by which rules of a schema may look for any object: what `SUBQUERY(Person, $p, $p.email == email)`
  /// compares.
  static func lookups(in schema: Schema) -> [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    for (index, model) in schema.models.enumerated() where !model.isAbstract {
      for rule in model.rules {
        guard let condition = rule.resolved(in: schema, of: model) else { continue }
        for (read, properties) in RuleReads(condition, in: schema, ofModel: index).anywhere {
          let source = schema.models[read]
          result[source.name, default: []].formUnion(properties.map { source.properties[$0].name })
        }
      }
    }
    return result
  }
}
