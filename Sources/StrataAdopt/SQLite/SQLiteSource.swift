import Strata
package import StrataSQLite
package import StrataSchema

/// A SQLite database of another program in our terms: its schema, and which table and column each model and property comes from.
package struct SQLiteSource {
  /// A table and its model.
  struct Entry {
    let table: SQLiteCatalogue.Table
    let model: Model
    /// The source's column of each of the model's column properties, in their order.
    let columns: [(column: String, property: Property)]
    /// The foreign key of each column that is a link.
    let links: [String: SourceTable.Reference]
    /// The identity of its first row; the others follow in the order of their keys.
    let firstRow: Int64
  }

  /// A table of pairs that is a list.
  struct JoinTable {
    let pairs: Pairs
    let model: Model
    let property: Property
  }

  package let path: String
  package let history: AdoptedHistory
  let entries: [Entry]
  let joins: [JoinTable]
  /// The identity after those of all rows.
  let nextRow: Int64
  /// Which version of a history the database is; nil where it is read by itself.
  package let recognition: Recognition?

  /// Which version of a history of tables a database is.
  package struct Recognition: Sendable {
    /// The version's number.
    package var version: Int
    /// The versions that have the database's tables, the one that was taken first.
    package var equal: [(number: Int, name: String)]
    /// For people.
    package var text: String
    /// Whether the version is also the one that the database calls itself.
    var isNamed: Bool
  }

  /// A database that is a version of a history.
  init(
    path: String, history: AdoptedHistory, entries: [Entry], nextRow: Int64,
    recognition: Recognition
  ) {
    self.path = path
    self.history = history
    self.entries = entries
    joins = []
    self.nextRow = nextRow
    self.recognition = recognition
  }

  /// - Parameter earlier: the schema of the database that an earlier state of this one went into: what may be one thing or another by
  ///   what it holds is what it is there.
  package init(
    path: String, database: Database, name: String?, as earlier: Schema? = nil
  ) throws {
    self.path = path
    recognition = nil
    let catalogue = try SQLiteCatalogue(database, path: path)
    var notes = catalogue.notes
    let known = earlier.map { AdoptedTables($0, of: catalogue.tables) }
    let pairs = try catalogue.tables.compactMap {
      try Self.pairs(of: $0, among: catalogue.tables, database, as: known)
    }
    // What is said of a column that a list does not have: the list itself tells what becomes of it.
    notes.removeAll { note in
      pairs.contains { pair in
        note.entity == pair.table.source.name
          && note.property.map(pair.columnsOfNoLink.contains) == true
      }
    }
    let others = catalogue.tables.filter { table in
      !pairs.contains { $0.table.source.name == table.source.name }
    }
    guard !others.isEmpty else {
      throw AdoptError("'\(path)' has no tables: there is nothing to adopt")
    }
    var sources = others.map(\.source)
    try Self.makeDanglingLinksOptional(&sources, others, database, &notes)
    try Self.relaxUniqueness(&sources, others, database, &notes)
    var mapping = TableMapping(sources, notes: notes)
    let title = path.split(separator: "/").last.map { $0.split(separator: ".").first ?? $0 }
    let schemaName = try SchemaName.make(name, near: String(title ?? "App"))
    // SQLite keeps it in 32 bits.
    let version = max(0, catalogue.userVersion)
    var schema = try mapping.schema(named: schemaName, version: version, path: path)
    notes = mapping.notes
    if version != catalogue.userVersion {
      notes.append(
        AdoptNote(
          kind: .changed, entity: "", property: nil,
          reason: "its user_version is \(catalogue.userVersion), and no version is below 0: it is 0"
        ))
    }
    var places: [(pairs: Pairs, model: String, property: Property)] = []
    for pairs in pairs {
      let table = pairs.table.source.name
      guard let model = mapping.names[pairs.owner.table]?.model,
        let target = mapping.names[pairs.target.table]?.model
      else { continue }
      let (changed, property) = Self.adding(
        list: table, of: target, to: model, rule: Self.rule(pairs, &notes), in: schema)
      schema = changed
      places.append((pairs, model, property))
      notes.append(
        AdoptNote(
          kind: .changed, entity: table, property: nil,
          reason: "the join table is the list \(model).\(property.name)"))
      notes += Self.losses(of: pairs)
    }
    var next: Int64 = 1
    var entries: [Entry] = []
    for (table, source) in zip(others, sources) {
      guard let names = mapping.names[source.name], let model = schema.model(named: names.model)
      else { continue }
      let columns = Dictionary(
        names.columns.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
      var known = table
      known.source = source
      entries.append(
        Entry(
          table: known, model: model,
          columns: model.columnProperties.compactMap { property in
            columns[property.name].map { ($0, property) }
          }, links: names.links, firstRow: next))
      next += Int64(table.count)
    }
    self.entries = entries
    joins = places.compactMap { pairs, model, property in
      schema.model(named: model).map { JoinTable(pairs: pairs, model: $0, property: property) }
    }
    nextRow = next
    history = AdoptedHistory(
      source: .sqlite, name: schemaName,
      versions: [
        AdoptedVersion(name: "user_version \(catalogue.userVersion)", schema: schema, notes: notes)
      ], notes: [])
  }

  /// The number of the database's version in the history.
  package var version: Int {
    recognition?.version ?? history.versions[history.versions.count - 1].schema.version
  }

  /// Whether nothing in the database keeps it from being another version that has its shape.
  package func mayBe(version number: Int) -> Bool {
    // 0 is the user_version of databases whose app sets none.
    guard let recognition else { return version == 0 }
    return !recognition.isNamed && recognition.equal.contains { $0.number == number }
  }

  func entry(ofTable name: String) -> Entry? { entries.first { $0.table.source.name == name } }

  package var counts: [String: Int] {
    Dictionary(
      entries.map { ($0.model.name, $0.table.count) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: - Links that lead nowhere

  private static func makeDanglingLinksOptional(
    _ sources: inout [SourceTable], _ tables: [SQLiteCatalogue.Table], _ database: Database,
    _ notes: inout [AdoptNote]
  ) throws {
    for (index, table) in tables.enumerated() {
      let source = sources[index]
      for reference in source.references where reference.columns.count == 1 {
        guard let target = sources.first(where: { $0.name == reference.table }),
          let key = reference.targetColumns.first ?? target.primaryKey.first,
          target.primaryKey == [key], target.isFoundByColumn(reference),
          let column = source.columns.firstIndex(where: { $0.name == reference.columns[0] }),
          !source.columns[column].isOptional
        else { continue }
        let own = "s.\(SQL.identifier(reference.columns[0]))"
        let count = try database.firstValue(
          """
          SELECT count(*) FROM \(SQL.identifier(source.name)) AS s \(table.walk) WHERE NOT EXISTS \
          (SELECT 1 FROM \(SQL.identifier(target.name)) AS t WHERE t.\(SQL.identifier(key)) = +\(own))
          """)?.ifInteger
        guard let count, count > 0 else { continue }
        sources[index].columns[column].isOptional = true
        notes.append(
          AdoptNote(
            kind: .changed, entity: source.name, property: reference.columns[0],
            reason:
              "it is optional: \(counted(count, "row has", "rows have")) a value that leads to no row"
          ))
      }
    }
  }
}
