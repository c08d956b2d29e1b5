import Strata
package import StrataSQLite
import StrataSchema

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
    let table: SQLiteCatalogue.Table
    let owner: SourceTable.Reference
    let target: SourceTable.Reference
    /// The column that orders the pairs, where there is one.
    let order: String?
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

  package init(path: String, database: Database, name: String?) throws {
    self.path = path
    recognition = nil
    let catalogue = try SQLiteCatalogue(database, path: path)
    var notes = catalogue.notes
    let joined = catalogue.tables.filter { Self.isJoin($0, among: catalogue.tables) }
    let others = catalogue.tables.filter { table in
      !joined.contains { $0.source.name == table.source.name }
    }
    guard !others.isEmpty else {
      throw AdoptError("'\(path)' has no tables: there is nothing to adopt")
    }
    var sources = others.map(\.source)
    try Self.makeDanglingLinksOptional(&sources, database, &notes)
    try Self.relaxUniqueness(&sources, database, &notes)
    var mapping = TableMapping(sources, notes: notes)
    let title = path.split(separator: "/").last.map { $0.split(separator: ".").first ?? $0 }
    let schemaName = try SchemaName.make(name, near: String(title ?? "App"))
    var schema = try mapping.schema(
      named: schemaName, version: max(0, min(catalogue.userVersion, Int(Int32.max))), path: path)
    notes = mapping.notes
    var places: [(table: SQLiteCatalogue.Table, model: String, property: Property)] = []
    for table in joined {
      guard let model = mapping.names[table.source.references[0].table]?.model,
        let target = mapping.names[table.source.references[1].table]?.model
      else { continue }
      let (changed, property) = Self.adding(
        list: table.source.name, of: target, to: model, rule: Self.rule(table.source, &notes),
        in: schema)
      schema = changed
      places.append((table, model, property))
      notes.append(
        AdoptNote(
          kind: .changed, entity: table.source.name, property: nil,
          reason: "the join table is the list \(model).\(property.name)"))
      notes += Self.losses(of: table.source)
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
    joins = places.compactMap { table, model, property in
      guard let model = schema.model(named: model) else { return nil }
      let keys = Set(table.source.references.flatMap(\.columns))
      return JoinTable(
        table: table, owner: table.source.references[0], target: table.source.references[1],
        order: table.source.columns.first {
          !keys.contains($0.name) && !table.source.primaryKey.contains($0.name)
        }?.name, model: model, property: property)
    }
    nextRow = next
    history = AdoptedHistory(
      source: .sqlite, name: schemaName,
      versions: [
        AdoptedVersion(name: "user_version \(catalogue.userVersion)", schema: schema, notes: notes)
      ], notes: [])
  }

  func entry(ofTable name: String) -> Entry? { entries.first { $0.table.source.name == name } }

  package var counts: [String: Int] {
    Dictionary(
      entries.map { ($0.model.name, $0.table.count) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: - Join tables

  private static let orderNames: Set<String> = [
    "position", "index", "idx", "sort", "sortorder", "sort_order", "order", "ordering", "rank",
    "sequence", "seq",
  ]

  /// Whether a table holds nothing but pairs of rows of two others, perhaps with their order and a number of its own.
  private static func isJoin(
    _ table: SQLiteCatalogue.Table, among all: [SQLiteCatalogue.Table]
  ) -> Bool {
    let source = table.source
    guard source.references.count == 2,
      source.references.allSatisfy({ $0.columns.count == 1 }),
      source.references[0].columns != source.references[1].columns,
      !all.contains(where: { $0.source.references.contains { $0.table == source.name } })
    else { return false }
    let keys = source.references.flatMap(\.columns)
    for reference in source.references {
      guard let target = all.first(where: { $0.source.name == reference.table }),
        target.source.primaryKey.count == 1,
        reference.targetColumns.isEmpty || reference.targetColumns == target.source.primaryKey,
        source.columns.contains(where: {
          $0.name == reference.columns[0]
            && (!$0.isOptional || source.primaryKey.contains($0.name))
        })
      else { return false }
    }
    let rest = source.columns.filter { !keys.contains($0.name) }
    let orders = rest.filter {
      $0.type == .int && orderNames.contains($0.name.lowercased())
        && !source.primaryKey.contains($0.name)
    }
    let numbers = rest.filter { source.primaryKey == [$0.name] && $0.type == .int }
    return orders.count <= 1 && rest.count == orders.count + numbers.count
  }

  /// What a table of pairs has and a list has not: the pairs' own numbers, and what is unique of them.
  private static func losses(of table: SourceTable) -> [AdoptNote] {
    let keys = table.references.flatMap(\.columns)
    let numbers = table.primaryKey.filter { !keys.contains($0) }
    let order = table.columns.map(\.name).filter { !keys.contains($0) && !numbers.contains($0) }
    var reasons = numbers.map { "its \($0): elements of a list have no numbers of their own" }
    // Places in one list differ by themselves.
    var told = order.map { [$0, keys[0]] as Set }
    for columns in [table.primaryKey] + table.uniques
    where !columns.isEmpty && !columns.contains(where: numbers.contains) {
      if told.contains(Set(columns)) { continue }
      told.append(Set(columns))
      reasons.append("the uniqueness of \(columns.joined(separator: ", ")): lists have none")
    }
    return reasons.map {
      AdoptNote(kind: .leftOut, entity: table.name, property: nil, reason: $0)
    }
  }

  /// What a list says where one of its elements is deleted. A pair that goes with its element, or loses it, is an element that goes;
  /// what keeps the element there, keeps it here. A list always goes with its owner.
  private static func rule(
    _ table: SourceTable, _ notes: inout [AdoptNote]
  ) -> Property.DeleteRule {
    func keeps(_ reference: SourceTable.Reference) -> Bool {
      switch reference.onDelete.uppercased() {
      case "CASCADE": false
      case "SET NULL":
        table.columns.first { $0.name == reference.columns[0] }?.isOptional != true
      default: true
      }
    }
    let (owner, target) = (table.references[0], table.references[1])
    if keeps(owner) {
      notes.append(
        AdoptNote(
          kind: .changed, entity: table.name, property: owner.columns[0],
          reason:
            "ON DELETE \(owner.onDelete) of the foreign key to \(owner.table): the list goes with its object"
        ))
    }
    if target.onDelete.uppercased() == "SET DEFAULT" {
      notes.append(
        AdoptNote(
          kind: .changed, entity: table.name, property: target.columns[0],
          reason: "the foreign key to \(target.table): ON DELETE SET DEFAULT became deny"))
    }
    return keeps(target) ? .deny : .nullify
  }

  private static func adding(
    list name: String, of target: String, to model: String, rule: Property.DeleteRule,
    in schema: Schema
  ) -> (Schema, Property) {
    var models = schema.models
    guard let place = models.firstIndex(where: { $0.name == model }) else {
      return (schema, Property(name: name, type: .list(ValueType(.object(target)))))
    }
    let old = models[place]
    var keeper = NameKeeper(ofTypes: false)
    for property in old.properties { _ = keeper.name(property.name, swift: property.swiftName) }
    let found = keeper.name(name)
    let property = Property(
      name: found.name, swiftName: found.swiftName, type: .list(ValueType(.object(target))),
      deleteRule: rule)
    models[place] = Model(
      name: old.name, swiftName: old.swiftName, doc: old.doc, isEmbedded: old.isEmbedded,
      isAbstract: old.isAbstract, extends: old.extends, primaryKey: old.primaryKey,
      indexes: old.indexes, uniques: old.uniques, properties: old.properties + [property])
    return (
      Schema(
        name: schema.name, version: schema.version, language: schema.language, models: models,
        enums: schema.enums), property
    )
  }

  // MARK: - Links that lead nowhere

  private static func makeDanglingLinksOptional(
    _ sources: inout [SourceTable], _ database: Database, _ notes: inout [AdoptNote]
  ) throws {
    for index in sources.indices {
      let source = sources[index]
      for reference in source.references where reference.columns.count == 1 {
        guard let target = sources.first(where: { $0.name == reference.table }),
          let key = reference.targetColumns.first ?? target.primaryKey.first,
          target.primaryKey == [key],
          let column = source.columns.firstIndex(where: { $0.name == reference.columns[0] }),
          !source.columns[column].isOptional
        else { continue }
        let own = "s.\(SQL.identifier(reference.columns[0]))"
        let count = try database.firstValue(
          """
          SELECT count(*) FROM \(SQL.identifier(source.name)) AS s WHERE NOT EXISTS \
          (SELECT 1 FROM \(SQL.identifier(target.name)) AS t WHERE t.\(SQL.identifier(key)) = +\(own))
          """)?.ifInteger
        guard let count, count > 0 else { continue }
        sources[index].columns[column].isOptional = true
        notes.append(
          AdoptNote(
            kind: .changed, entity: source.name, property: reference.columns[0],
            reason: "it is optional: \(count) rows have a value that leads to no row"))
      }
    }
  }
}
