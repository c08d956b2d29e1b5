import Strata
import StrataSQLite
import StrataSchema

extension CoreDataSource {
  /// What an entity and its properties are called here.
  struct Names: Sendable {
    /// Entity → model.
    var models: [String: String] = [:]
    /// Entity → its own property → ours.
    var properties: [String: [String: String]] = [:]
  }

  /// The rows of the store's tables, and the identities that they get: the number of a row, and for each table but the first a
  /// power of ten times its place, so that no two objects have one.
  struct Rows {
    private static let maximumRow: Int64 = 1_000_000_000_000

    /// Root entity → what is added.
    private(set) var first: [String: Int64] = [:]
    /// Table → number of the entity → how many.
    private(set) var counts: [String: [Int64: Int]] = [:]
    /// Tables with rows of entities that are not here.
    private(set) var strangers: [String] = []
    private(set) var nextRow: Int64 = 1

    init(
      _ layout: CoreDataLayout, _ store: CoreDataStore, _ database: Database, path: String
    ) throws {
      let roots = Set(layout.model.entities.keys.map { layout.model.root(of: $0) }).sorted {
        (layout.number(of: $0) ?? .max, $0) < (layout.number(of: $1) ?? .max, $1)
      }
      var largest: [String: Int64] = [:]
      for root in roots {
        let table = layout.table(of: root)
        let columns = store.columns(of: table)
        guard columns.contains("Z_PK"), columns.contains("Z_ENT") else { continue }
        let name = SQL.identifier(table)
        var known: Set<Int64> = []
        for entity in layout.model.family(root)
        where layout.model.entities[entity]?.isAbstract == false {
          if let number = layout.number(of: entity) { known.insert(number) }
        }
        var hasStrangers = false
        for row in try database.rows(
          "SELECT Z_ENT, count(*), min(Z_PK), max(Z_PK) FROM \(name) NOT INDEXED GROUP BY Z_ENT LIMIT \(CoreDataMapping.maximumEntities)"
        ) {
          let count = Int(row[1].ifInteger ?? 0)
          guard let number = row[0].ifInteger, known.contains(number) else {
            hasStrangers = true
            continue
          }
          guard let least = row[2].ifInteger, let most = row[3].ifInteger, least >= 1,
            most <= Self.maximumRow
          else {
            throw AdoptError("'\(path)' is damaged: \(table) has rows with impossible numbers")
          }
          counts[table, default: [:]][number] = count
          largest[root] = max(largest[root] ?? 0, most)
        }
        if hasStrangers { strangers.append(table) }
      }
      var stride: Int64 = 10
      while stride <= largest.values.max() ?? 0 { stride *= 10 }
      for (place, root) in roots.enumerated() {
        first[root] = Int64(place) * stride
        if let most = largest[root] { nextRow = max(nextRow, Int64(place) * stride + most + 1) }
      }
    }
  }

  struct Builder {
    let origin: CoreDataVersion
    /// The model that the store keeps of itself.
    let own: CoreDataModel?
    let layout: CoreDataLayout
    let rows: Rows
    let schema: Schema
    private(set) var notes: [AdoptNote] = []

    init(
      origin: CoreDataVersion, own: CoreDataModel?, layout: CoreDataLayout, rows: Rows,
      schema: Schema
    ) {
      self.origin = origin
      self.own = own
      self.layout = layout
      self.rows = rows
      self.schema = schema
    }

    func target(_ entity: String) -> Target {
      var models: [Int64: String] = [:]
      for member in layout.model.family(entity)
      where layout.model.entities[member]?.isAbstract == false {
        if let number = layout.number(of: member) { models[number] = origin.names.models[member] }
      }
      let root = layout.model.root(of: entity)
      return Target(
        table: layout.table(of: entity), firstRow: rows.first[root] ?? 0, models: models)
    }

    mutating func entries(_ database: Database) throws -> [Entry] {
      var entries: [Entry] = []
      for model in schema.storedModels {
        guard let entity = origin.names.models.first(where: { $0.value == model.name })?.key else {
          continue
        }
        let table = layout.table(of: entity)
        guard let number = layout.number(of: entity) else {
          notes.append(
            AdoptNote(
              kind: .changed, entity: entity, property: nil,
              reason: "the store has no such entity: there are no objects of it"))
          continue
        }
        // Source name and owner of each property.
        var sources: [String: (name: String, owner: String, node: XMLNode)] = [:]
        for owner in layout.model.lineage(entity) {
          for (name, ours) in origin.names.properties[owner] ?? [:] {
            if let node = layout.model.entities[owner]?.properties[name] {
              sources[ours] = (name, owner, node)
            }
          }
        }
        var columns: [Column] = []
        for property in model.columnProperties {
          let source = sources[property.name]
          let column = source.flatMap { layout.column(of: $0.name, of: $0.owner) }
          if column == nil, let source {
            note(source.owner, source.name, "the store has no column for it")
          }
          let destination = source?.node.attributes["destinationEntity"]
          columns.append(
            Column(
              property: property, name: column, target: destination.map { target($0) },
              isExternal: try source.map {
                try isExternal($0.node, $0.name, of: $0.owner, column, in: table, database)
              } ?? false))
        }
        var collections: [Collection] = []
        for property in model.collectionProperties {
          guard let source = sources[property.name],
            let destination = source.node.attributes["destinationEntity"]
          else { continue }
          guard let pairs = layout.pairs(of: source.name, of: source.owner) else {
            note(source.owner, source.name, "the store has no table for it")
            continue
          }
          collections.append(
            Collection(property: property, pairs: pairs, target: target(destination)))
        }
        entries.append(
          Entry(
            model: model, entity: number, table: table,
            firstRow: rows.first[layout.model.root(of: entity)] ?? 0,
            count: rows.counts[table]?[number] ?? 0, columns: columns, collections: collections))
      }
      return entries
    }

    /// Whether large values of an attribute are files of their own, which versions that are equal to a store need not agree in: the
    /// store's own model says it, or its values do. Core Data keeps a model whose successor is equal to it, so that its no is none.
    private func isExternal(
      _ node: XMLNode, _ name: String, of owner: String, _ column: String?, in table: String,
      _ database: Database
    ) throws -> Bool {
      guard node.name == "attribute", let column else { return false }
      let own = own?.property(name, of: owner)?.node
      if CoreDataModel.isExternal(own ?? node) { return true }
      guard ["Binary", "Transformable"].contains(node.attributes["attributeType"] ?? "") else {
        return false
      }
      return try CoreDataStore.form(of: column, in: table, database) == .files
    }

    private mutating func note(_ entity: String, _ property: String, _ reason: String) {
      let note = AdoptNote(kind: .leftOut, entity: entity, property: property, reason: reason)
      if !notes.contains(note) { notes.append(note) }
    }
  }

  // MARK: - Required links

  /// A required link that leads nowhere cannot be stored: where a store has such, the link is optional in its version.
  static func looseningLinks(
    _ schema: Schema, _ origin: CoreDataVersion, _ layout: CoreDataLayout, _ database: Database,
    _ notes: inout [AdoptNote]
  ) throws -> Schema {
    var loosened: [SchemaPath: Int64] = [:]
    for (entity, found) in layout.model.entities {
      for (name, node) in found.properties {
        guard node.name == "relationship", node.attributes["toMany"] != "YES",
          node.attributes["optional"] != "YES", node.attributes["transient"] != "YES",
          let destination = node.attributes["destinationEntity"],
          let ours = origin.names.properties[entity]?[name],
          let model = origin.names.models[entity]
        else { continue }
        let table = SQL.identifier(layout.table(of: entity))
        let owners = layout.model.family(entity).compactMap { layout.number(of: $0) }
        let targets = layout.model.family(destination).compactMap { layout.number(of: $0) }
        func list(_ numbers: [Int64]) -> String { numbers.map(String.init).joined(separator: ", ") }
        let condition =
          layout.column(of: name, of: entity).map { column in
            "AND NOT EXISTS (SELECT 1 FROM \(SQL.identifier(layout.table(of: destination))) AS t WHERE t.Z_PK = s.\(SQL.identifier(column)) AND t.Z_ENT IN (\(list(targets))))"
          } ?? ""
        guard layout.hasTable(of: entity), layout.hasTable(of: destination) else { continue }
        let count = try database.firstValue(
          "SELECT count(*) FROM \(table) AS s NOT INDEXED WHERE s.Z_ENT IN (\(list(owners))) \(condition)"
        )
        guard let count = count?.ifInteger, count > 0 else { continue }
        loosened[SchemaPath(model, ours)] = count
        notes.append(
          AdoptNote(
            kind: .changed, entity: entity, property: name,
            reason:
              "it is optional: \(counted(count, "object of the store has", "objects of the store have")) no such object"
          ))
      }
    }
    guard !loosened.isEmpty else { return schema }
    let models = schema.models.map { model in
      var line: [String] = []
      var next: Model? = model
      while let model = next, line.count <= 16 {
        line.append(model.name)
        next = model.extends.flatMap { schema.model(named: $0) }
      }
      let properties = model.properties.map { property in
        guard line.contains(where: { loosened[SchemaPath($0, property.name)] != nil }),
          case .value(let value) = property.type
        else { return property }
        var property = property
        property.type = .value(ValueType(value.base, isOptional: true))
        if property.deleteRule == .deny { property.deleteRule = .nullify }
        return property
      }
      return Model(
        name: model.name, swiftName: model.swiftName, doc: model.doc, isEmbedded: model.isEmbedded,
        isAbstract: model.isAbstract, extends: model.extends, primaryKey: model.primaryKey,
        indexes: model.indexes, uniques: model.uniques, properties: properties)
    }
    return Schema(
      name: schema.name, version: schema.version, language: schema.language, models: models,
      enums: schema.enums)
  }
}
