import StrataSQLite
package import StrataSchema

/// What SQLite holds for one model.
package struct ModelLayout: Sendable {
  package let model: Model
  /// The objects, one a row.
  package let table: TableDefinition
  /// One table for each list, set and map, in the order of the properties.
  package let collections: [CollectionLayout]
  /// On the table and on those of the collections.
  package let indexes: [IndexDefinition]
  package let fulltexts: [FulltextDefinition]
  /// Those that changes of this model's tables fire; some of them keep other models right.
  package let triggers: [TriggerDefinition]
  /// One for each property in the model's order; nil for what has no column: collections, ignored
  /// properties, inverses.
  package let codecs: [ColumnCodec?]

  init(_ model: Model, in schema: Schema, triggers: [String: [TriggerDefinition]]) {
    self.model = model
    var columns = [ColumnDefinition.row]
    var codecs: [ColumnCodec?] = []
    for property in model.properties {
      guard property.isStored, case .value(let type) = property.type else {
        codecs.append(nil)
        continue
      }
      let codec = ColumnCodec(type, in: schema)
      codecs.append(codec)
      columns.append(
        ColumnDefinition(
          name: property.name, type: codec.columnType, isRequired: !codec.isOptional,
          reference: Self.reference(of: property, type, in: schema)))
    }
    self.codecs = codecs
    table = TableDefinition(name: model.name, columns: columns)
    collections = model.storedProperties.compactMap { CollectionLayout($0, of: model, in: schema) }
    indexes =
      Self.indexes(of: model, in: schema) + collections.flatMap { $0.indexes(in: schema) }
    fulltexts = Self.fulltexts(of: model)
    let tables = [table] + collections.map(\.table)
    self.triggers = tables.flatMap { triggers[$0.name] ?? [] }
  }

  /// The names of the tables, full-text indexes included.
  package var tableNames: [String] {
    [table.name] + collections.map(\.table.name) + fulltexts.map(\.name)
  }

  package func collection(of property: String) -> CollectionLayout? {
    collections.first { $0.property.name == property }
  }

  package func statements(_ part: TableLayout.Part, in database: String? = nil) -> [String] {
    switch part {
    case .tables:
      ([table] + collections.map(\.table)).map { $0.createStatement(in: database) }
    case .indexes:
      indexes.map { $0.createStatement(in: database) }
        + fulltexts.map { $0.createStatement(in: database) }
    case .triggers: triggers.map { $0.createStatement(in: database) }
    }
  }

  /// What the delete rule says, in SQL: it speaks of the object that holds the link.
  static func reference(
    of property: Property, _ type: ValueType, in schema: Schema
  ) -> ColumnDefinition.Reference? {
    guard case .object(let target) = type.base else { return nil }
    let isElement = property.type.isCollection
    let action: ColumnDefinition.DeleteAction =
      switch property.deleteRule {
      case .deny: .refuse
      case .cascade: .cascade
      // An element goes away; a required link has to be set anew before the commit.
      case .nullify: isElement ? .cascade : type.isOptional ? .setNull : .refuse
      }
    return ColumnDefinition.Reference(table: target, action: action)
  }
}

/// The table of one list, set or map.
package struct CollectionLayout: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case list
    case set
    case map
  }

  package let property: Property
  package let kind: Kind
  package let table: TableDefinition
  package let codec: ColumnCodec
  private let elementType: ValueType

  init?(_ property: Property, of model: Model, in schema: Schema) {
    switch property.type {
    case .list: kind = .list
    case .set: kind = .set
    case .map: kind = .map
    case .value, .inverse: return nil
    }
    guard let type = property.type.valueType else { return nil }
    self.property = property
    elementType = type
    codec = ColumnCodec(type, in: schema)
    var columns = [
      ColumnDefinition(
        name: LayoutNames.owner, type: .integer, isRequired: true,
        reference: ColumnDefinition.Reference(table: model.name, action: .cascade))
    ]
    if kind != .set {
      columns.append(
        ColumnDefinition(
          name: LayoutNames.index, type: kind == .list ? .integer : .text, isRequired: true))
    }
    columns.append(
      ColumnDefinition(
        name: LayoutNames.value, type: codec.columnType, isRequired: !codec.isOptional,
        reference: ModelLayout.reference(of: property, type, in: schema)))
    // A key cannot hold NULL: a set of optionals has indexes instead.
    let isKeyed = kind != .set || !codec.isOptional
    let key =
      kind == .set
      ? [LayoutNames.owner, LayoutNames.value] : [LayoutNames.owner, LayoutNames.index]
    table = TableDefinition(
      name: LayoutNames.collection(model.name, property.name), columns: columns,
      key: isKeyed ? key : [], isKeyed: isKeyed)
  }

  func indexes(in schema: Schema) -> [IndexDefinition] {
    var result: [IndexDefinition] = []
    if kind == .set && codec.isOptional {
      result.append(
        IndexDefinition(
          name: "\(table.name).unique", table: table.name,
          columns: [LayoutNames.owner, LayoutNames.value], isUnique: true))
      result.append(
        IndexDefinition(
          name: "\(table.name).unique.null", table: table.name,
          terms: [SQL.identifier(LayoutNames.owner)], isUnique: true,
          condition: "\(SQL.identifier(LayoutNames.value)) IS NULL"))
    }
    if case .object(let target) = elementType.base {
      // An embedded object stands in one place only.
      result.append(
        IndexDefinition(
          name: "\(table.name).link", table: table.name, columns: [LayoutNames.value],
          isUnique: schema.model(named: target)?.isEmbedded == true))
    } else if codec.kind == .any {
      result.append(
        .links(name: "\(table.name).link", table: table.name, column: LayoutNames.value))
    }
    return result
  }
}
