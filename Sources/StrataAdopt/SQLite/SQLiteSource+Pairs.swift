import Strata
import StrataSQLite
import StrataSchema

// Tables of pairs: each is a list of the objects on one of its sides.

extension SQLiteSource {
  /// A table that holds nothing but pairs of rows of two others, perhaps with their order and a number of its own.
  struct Pairs {
    let table: SQLiteCatalogue.Table
    /// The foreign key to the objects that have the list.
    let owner: SourceTable.Reference
    /// The foreign key to its elements.
    let target: SourceTable.Reference
    /// The column that orders the elements of each list, where there is one.
    let order: String?

    /// What the pairs are sorted by. Places are numbers, whatever order their column is declared with.
    var orderTerms: [SQLiteKey.Term] {
      guard let order else { return table.rowKey }
      return [SQLiteKey.Term(column: order, collation: "BINARY")] + table.rowKey
    }

    /// The columns of which nothing is kept but the order of the elements.
    var columnsOfNoLink: [String] {
      let links = table.source.references.flatMap(\.columns)
      return table.source.columns.map(\.name).filter { !links.contains($0) }
    }
  }

  private static let orderNames: Set<String> = [
    "position", "index", "idx", "sort", "sortorder", "sort_order", "order", "ordering", "rank",
    "sequence", "seq",
  ]

  /// A table as pairs, of which the first foreign key's object has the list; the second one's where the order is that of its elements.
  ///
  /// - Returns: nil where it holds more than pairs, as numbers that order neither side's elements, or may order those of either: as a
  ///   model it keeps them.
  static func pairs(
    of table: SQLiteCatalogue.Table, among all: [SQLiteCatalogue.Table], _ database: Database,
    as earlier: AdoptedTables? = nil
  ) throws -> Pairs? {
    let source = table.source
    guard source.references.count == 2,
      source.references.allSatisfy({ $0.columns.count == 1 }),
      source.references[0].columns != source.references[1].columns,
      !all.contains(where: { $0.source.references.contains { $0.table == source.name } })
    else { return nil }
    let keys = source.references.flatMap(\.columns)
    // What finds the row that each side leads to.
    var rows: [String] = []
    for reference in source.references {
      guard let target = all.first(where: { $0.source.name == reference.table }),
        target.source.primaryKey.count == 1,
        reference.targetColumns.isEmpty || reference.targetColumns == target.source.primaryKey,
        source.columns.contains(where: {
          $0.name == reference.columns[0]
            && (!$0.isOptional || source.primaryKey.contains($0.name))
        }), let row = target.row(of: reference, in: "j")
      else { return nil }
      rows.append(row)
    }
    let rest = source.columns.filter { !keys.contains($0.name) }
    let orders = rest.filter {
      $0.type == .int && orderNames.contains($0.name.lowercased())
        && !source.primaryKey.contains($0.name)
    }
    let numbers = rest.filter { source.primaryKey == [$0.name] && $0.type == .int }
    guard orders.count <= 1, rest.count == orders.count + numbers.count else { return nil }
    let sides = source.references
    guard let order = orders.first?.name else {
      return Pairs(table: table, owner: sides[0], target: sides[1], order: nil)
    }
    // Where the table was a model, or a list of one side, it still is.
    if earlier?.model(of: source.name) != nil { return nil }
    let known = (0...1).filter {
      earlier?.hasList(source.name, of: sides[1 - $0].table, in: sides[$0].table) == true
    }
    let sums = try (0...1).map {
      try sum(of: order, table, owner: rows[$0], rows[1 - $0], database)
    }
    // Where each owner of a side has one element, any numbers order them: they belong to the other side then, where one has several.
    let possible = (0...1).filter {
      sums[$0].areOrder && (sums[$0].areOfSeveral || !sums[1 - $0].areOfSeveral)
    }
    if known.count == 1, sums[known[0]].areOrder {
      return Pairs(
        table: table, owner: sides[known[0]], target: sides[1 - known[0]], order: order)
    }
    let declared = possible.filter {
      source.uniques.map(Set.init).contains([order, sides[$0].columns[0]])
    }
    let isFree = !sums.contains(where: \.areOfSeveral)
    // Where both sides are of one table, other rows could turn a list round that looks the same.
    let isOfOneTable = sides[0].table == sides[1].table
    guard
      let owner = declared.first
        ?? (!isOfOneTable && (possible.count == 1 || isFree) ? possible.first : nil)
    else { return nil }
    return Pairs(table: table, owner: sides[owner], target: sides[1 - owner], order: order)
  }

  /// What the numbers of a column are to the pairs of each owner: an order where none is missing and no two are the same.
  ///
  /// - Parameters:
  ///   - owner: what finds the owner's row. Pairs may spell one owner in several ways.
  ///   - target: what finds the element's. Of pairs that lead to no row there is no element.
  /// - Returns: whether they are an order, and whether an owner has several elements.
  private static func sum(
    of column: String, _ table: SQLiteCatalogue.Table, owner: String, _ target: String,
    _ database: Database
  ) throws -> (areOrder: Bool, areOfSeveral: Bool) {
    let row = Array(
      try database.rows(
        """
        SELECT max(pairs > numbers), max(pairs > 1) FROM \
        (SELECT count(*) AS pairs, count(DISTINCT number) AS numbers FROM \
        (SELECT \(owner) AS owner, \(target) AS target, \
        j.\(SQL.identifier(column)) COLLATE BINARY AS number \
        FROM \(SQL.identifier(table.source.name)) AS j \(table.walk)) \
        WHERE owner IS NOT NULL AND target IS NOT NULL GROUP BY owner)
        """)
    ).first
    return (row?[0].ifInteger != 1, row?[1].ifInteger == 1)
  }

  /// What a table of pairs has and a list has not: the pairs' own numbers, those that order them, and what is unique of them.
  static func losses(of pairs: Pairs) -> [AdoptNote] {
    let table = pairs.table.source
    let keys = table.references.flatMap(\.columns)
    let numbers = table.primaryKey.filter { !keys.contains($0) }
    var reasons = numbers.map { "its \($0): elements of a list have no numbers of their own" }
    var told: [Set<String>] = []
    if let order = pairs.order {
      reasons.append("its \(order): the list keeps the order, and not the numbers")
      // Places in one list differ by themselves.
      told.append([order, pairs.owner.columns[0]])
    }
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
  static func rule(_ pairs: Pairs, _ notes: inout [AdoptNote]) -> Property.DeleteRule {
    let table = pairs.table.source
    func keeps(_ reference: SourceTable.Reference) -> Bool {
      switch reference.onDelete.uppercased() {
      case "CASCADE": false
      case "SET NULL":
        table.columns.first { $0.name == reference.columns[0] }?.isOptional != true
      default: true
      }
    }
    let (owner, target) = (pairs.owner, pairs.target)
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

  static func adding(
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
    let found = keeper.name(name, isCollectionBesideKey: !old.primaryKey.isEmpty)
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
}

/// The tables of a database as an earlier state of it was adopted, by the names that they were given then.
struct AdoptedTables {
  private let schema: Schema
  private var names: [String: String] = [:]

  init(_ schema: Schema, of tables: [SQLiteCatalogue.Table]) {
    self.schema = schema
    let sources = tables.map(\.source.name)
    var keeper = NameKeeper(ofModelsOf: schema.name, sources: sources)
    for source in sources { names[source] = keeper.name(source).name }
  }

  /// What became of a table; nil where it became a list.
  func model(of table: String) -> Model? { names[table].flatMap(schema.model) }

  /// Whether a table of pairs became a list in one table's objects, of another one's.
  func hasList(_ pairs: String, of target: String, in owner: String) -> Bool {
    guard let model = model(of: owner) else { return false }
    var keeper = NameKeeper(ofTypes: false)
    let name = keeper.name(pairs, isCollectionBesideKey: !model.primaryKey.isEmpty).name
    return model.properties.contains { property in
      // A column may have its name: a number follows then.
      property.type.isCollection && property.type.linkedModel == names[target]
        && property.name.hasPrefix(name)
        && property.name.dropFirst(name.count).allSatisfy(\.isNumber)
    }
  }
}

extension SQLiteCatalogue.Table {
  /// What finds the row that the value of a foreign key leads to, as SQLite does where it checks the key: the value stands without its
  /// column's affinity, so that it is converted for this table's key. nil where several columns know a row, or SQLite does not find it by
  /// the key's column.
  ///
  /// - Parameter row: what the row is called that has the value.
  func row(of reference: SourceTable.Reference, in row: String) -> String? {
    // One column may stand there twice, by two collations.
    guard source.primaryKey.count == 1, Set(rowKey.map(\.column)).count == 1,
      source.isFoundByColumn(reference)
    else { return nil }
    return """
      (SELECT t.\(SQL.identifier(rowKey[0].column)) FROM \(SQL.identifier(source.name)) AS t \
      WHERE t.\(SQL.identifier(source.primaryKey[0])) = +\(row).\(SQL.identifier(reference.columns[0])))
      """
  }
}
