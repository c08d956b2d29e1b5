import StrataSchema

/// A table as Room and drift describe it.
struct SourceTable {
  struct Column {
    var name: String
    var swiftName: String?
    var type: ScalarType
    var isOptional: Bool
    var defaultValue: Value?
    var isUnique = false
    var isFulltext = false
  }

  struct Reference {
    var columns: [String]
    var table: String
    var targetColumns: [String]
    var onDelete: String
    var onUpdate: String
  }

  /// The collations of a primary key and of its column, where they are two. A foreign key that names no column leads by the key to
  /// SQLite, which compares otherwise than a link would; one that names it leads by another index of the column, or not at all,
  /// <https://www.sqlite.org/foreignkeys.html#fk_indexes>.
  struct KeyMismatch {
    let key: String
    let column: String
    /// Whether the column has a unique index that compares as the column does, by which a foreign key finds rows that names the column.
    let isColumnUnique: Bool
  }

  /// What the rows make of the primary key.
  enum KeyState {
    case whole
    /// Rows have no value in it: it is no more than a uniqueness.
    case hasNull
    /// Rows agree in it once their texts are UTF-8.
    case broken
  }

  var name: String
  var columns: [Column] = []
  var primaryKey: [String] = []
  var keyState = KeyState.whole
  var keyMismatch: KeyMismatch?
  var indexes: [[String]] = []
  var uniques: [[String]] = []
  var references: [Reference] = []

  /// Whether SQLite finds the row of a foreign key to the primary key as a link does, by the order of the key's column.
  func isFoundByColumn(_ reference: Reference) -> Bool {
    guard let keyMismatch else { return true }
    return keyMismatch.isColumnUnique && !reference.targetColumns.isEmpty
  }
}

/// One version of tables in our terms. A foreign key over one column that leads to the other table's primary key is a link;
/// a primary key that holds links is a compound uniqueness.
struct TableMapping {
  static let maximumTables = 10_000
  static let maximumColumns = 1_000

  /// What all versions of a history call their tables and columns. A name that is made for one goes to none of another version, or a
  /// step between the two would carry its values there.
  struct Sources {
    private(set) var tables: Set<String> = []
    /// By table.
    private(set) var columns: [String: Set<String>] = [:]

    init(_ versions: some Sequence<[SourceTable]>) {
      for table in versions.joined() {
        tables.insert(table.name)
        columns[table.name, default: []].formUnion(table.columns.map(\.name))
      }
    }
  }

  let tables: [SourceTable]
  private let sources: Sources
  var notes: [AdoptNote] = []
  /// Table → its model, column → property, and column → the foreign key that became its link, once the schema is made. A column may
  /// have several foreign keys, of which not each can be one.
  private(set) var names:
    [String: (
      model: String, columns: [String: String], links: [String: SourceTable.Reference]
    )] = [:]

  /// - Parameter sources: of all versions; nil where there is this one alone.
  init(_ tables: [SourceTable], among sources: Sources? = nil, notes: [AdoptNote] = []) {
    self.tables = tables
    self.sources = sources ?? Sources([tables])
    self.notes = notes
  }

  private mutating func note(
    _ kind: AdoptNote.Kind, _ entity: String, _ property: String?, _ reason: String
  ) {
    notes.append(AdoptNote(kind: kind, entity: entity, property: property, reason: reason))
  }

  mutating func schema(named name: String, version: Int, path: String) throws -> Schema {
    guard tables.count <= Self.maximumTables else {
      throw AdoptError("'\(path)' has more than \(Self.maximumTables) tables")
    }
    var keeper = NameKeeper(ofModelsOf: name, sources: sources.tables)
    var names: [String: (name: String, swiftName: String?)] = [:]
    for table in tables {
      guard names[table.name] == nil else {
        throw AdoptError("'\(path)' has two tables '\(table.name)'")
      }
      guard table.columns.count <= Self.maximumColumns else {
        throw AdoptError("'\(path)': '\(table.name)' has more than \(Self.maximumColumns) columns")
      }
      let words = table.name.split(separator: "_").map {
        $0.prefix(1).uppercased() + $0.dropFirst()
      }
      let found = keeper.name(table.name, swift: words.joined())
      names[table.name] = found
      if found.name != table.name {
        note(
          .changed, table.name, nil,
          keeper.reason(for: table.name, called: found.name))
      } else if let swiftName = found.swiftName, swiftName != words.joined() {
        note(
          .changed, table.name, nil,
          "it is called '\(swiftName)' in Swift, where '\(words.joined())' is taken")
      }
    }
    var required: [String: Set<String>] = [:]
    var cascading: [String: Set<String>] = [:]
    let models = try tables.map { table in
      try model(table, names: names, required: &required, cascading: &cascading, path: path)
    }
    return Schema(name: name, version: version, models: models)
  }

  private mutating func model(
    _ table: SourceTable, names: [String: (name: String, swiftName: String?)],
    required: inout [String: Set<String>], cascading: inout [String: Set<String>], path: String
  ) throws -> Model {
    var keeper = NameKeeper(ofTypes: false, sources: sources.columns[table.name] ?? [])
    var columnNames: [String: String] = [:]
    var properties: [Property] = []
    for column in table.columns {
      guard columnNames[column.name] == nil else {
        throw AdoptError("'\(path)': '\(table.name)' has two columns '\(column.name)'")
      }
      let found = keeper.name(column.name, swift: column.swiftName)
      columnNames[column.name] = found.name
      if found.name != column.name {
        note(
          .changed, table.name, column.name,
          keeper.reason(for: column.name, called: found.name))
      } else if let swiftName = found.swiftName, swiftName != column.swiftName {
        note(
          .changed, table.name, column.name,
          "it is called '\(swiftName)' in Swift, where '\(column.swiftName ?? column.name)' is taken"
        )
      }
      properties.append(
        Property(
          name: found.name, swiftName: found.swiftName,
          type: .value(ValueType(.scalar(column.type), isOptional: column.isOptional)),
          defaultValue: column.defaultValue, index: column.isFulltext ? .fulltext : .none))
    }
    let own = names[table.name]?.name ?? table.name
    self.names[table.name] = (own, columnNames, [:])
    for reference in table.references {
      link(reference, of: table, own, names, columnNames, &properties, &required, &cascading)
    }
    let positions = Dictionary(
      table.columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    func place(_ column: String) -> Int? { positions[column] }
    for column in table.columns where column.isUnique && table.primaryKey != [column.name] {
      unique([column.name], of: table, &properties, place)
    }
    var uniques: [[String]] = []
    for columns in table.uniques where columns != table.primaryKey {
      // Declared twice, or in another order, it says the same.
      if let compound = unique(columns, of: table, &properties, place),
        !uniques.contains(where: { Set($0) == Set(compound) })
      {
        uniques.append(compound)
      }
    }
    var primaryKey: [String] = []
    let keyPlaces = table.primaryKey.compactMap(place)
    if table.keyState == .broken {
      // Nothing is said of it.
    } else if table.keyState == .hasNull {
      if let compound = unique(table.primaryKey, of: table, &properties, place) {
        uniques.append(compound)
      }
    } else if keyPlaces.count == table.primaryKey.count,
      keyPlaces.allSatisfy({ properties[$0].isKey })
    {
      primaryKey = keyPlaces.map { properties[$0].name }
    } else if let compound = unique(table.primaryKey, of: table, &properties, place) {
      uniques.append(compound)
      note(
        .changed, table.name, nil,
        "its primary key \(table.primaryKey.joined(separator: ", ")) is a uniqueness: a key holds neither links nor such types"
      )
    } else if table.primaryKey.count == 1, keyPlaces.allSatisfy({ properties[$0].isUnique }) {
      note(
        .changed, table.name, nil,
        "its primary key \(table.primaryKey[0]) is a uniqueness: a key holds neither links nor such types"
      )
    }
    var indexes: [[String]] = []
    for columns in table.indexes {
      let places = columns.compactMap(place)
      if places.count == 1, columns.count == 1 {
        // Links are always indexed.
        if properties[places[0]].type.isToOne { continue }
        if properties[places[0]].isIndexable {
          if properties[places[0]].index == .none { properties[places[0]].index = .ordinary }
          continue
        }
      } else if places.count == columns.count, places.allSatisfy({ properties[$0].isComparable }) {
        let compound = places.map { properties[$0].name }
        if !indexes.contains(compound) { indexes.append(compound) }
        continue
      }
      note(
        .leftOut, table.name, nil,
        "the index over \(columns.joined(separator: ", ")): its types cannot be indexed")
    }
    return Model(
      name: own, swiftName: names[table.name]?.swiftName, primaryKey: primaryKey, indexes: indexes,
      uniques: uniques, properties: properties)
  }

  @discardableResult
  private mutating func unique(
    _ columns: [String], of table: SourceTable, _ properties: inout [Property],
    _ place: (String) -> Int?
  ) -> [String]? {
    guard !columns.isEmpty else { return nil }
    let places = columns.compactMap(place)
    guard places.count == columns.count, places.allSatisfy({ properties[$0].isComparable }) else {
      note(
        .leftOut, table.name, nil,
        "the uniqueness of \(columns.joined(separator: ", ")): its types cannot be unique")
      return nil
    }
    if places.count > 1 { return places.map { properties[$0].name } }
    properties[places[0]].isUnique = true
    return nil
  }

  private mutating func link(
    _ reference: SourceTable.Reference, of table: SourceTable, _ own: String,
    _ names: [String: (name: String, swiftName: String?)], _ columnNames: [String: String],
    _ properties: inout [Property], _ required: inout [String: Set<String>],
    _ cascading: inout [String: Set<String>]
  ) {
    let columns = reference.columns.joined(separator: ", ")
    let what = "the foreign key to \(reference.table)"
    guard let target = tables.first(where: { $0.name == reference.table }),
      let targetName = names[target.name]?.name
    else { return note(.leftOut, table.name, columns, "\(what): that table is not there") }
    let targetColumns =
      reference.targetColumns.isEmpty ? target.primaryKey : reference.targetColumns
    guard reference.columns.count == 1 else {
      return note(
        .leftOut, table.name, columns, "\(what): a link is over one column; the columns stay values"
      )
    }
    guard targetColumns.count == 1 else {
      let why =
        targetColumns.isEmpty
        ? "it has no primary key" : "its key has several columns, and a link is over one"
      return note(
        .leftOut, table.name, columns, "\(what): \(why); the column stays a value")
    }
    guard targetColumns == target.primaryKey else {
      return note(
        .leftOut, table.name, columns,
        "\(what): it leads to \(targetColumns[0]), which is not the primary key; the column stays a value"
      )
    }
    if let mismatch = target.keyMismatch, !target.isFoundByColumn(reference) {
      let why =
        reference.targetColumns.isEmpty
        ? "by which links are found" : "so that SQLite has no link there"
      return note(
        .leftOut, table.name, columns,
        "\(what): its key compares by \(mismatch.key), and the key's column by \(mismatch.column), \(why); the column stays a value"
      )
    }
    guard let name = columnNames[reference.columns[0]],
      let place = properties.firstIndex(where: { $0.name == name })
    else { return note(.leftOut, table.name, columns, "\(what): the column is not there") }
    if properties[place].type.isToOne {
      if properties[place].type.linkedModel == targetName { return }
      return note(.leftOut, table.name, columns, "\(what): the column is a link already")
    }
    let isOptional = properties[place].type.valueType?.isOptional ?? true
    func reaches(_ edges: [String: Set<String>]) -> Bool {
      var (seen, queue) = (Set([targetName]), [targetName])
      while let next = queue.popLast() {
        if next == own { return true }
        for other in edges[next] ?? [] where seen.insert(other).inserted { queue.append(other) }
      }
      return false
    }
    if !isOptional, reaches(required) {
      return note(
        .leftOut, table.name, columns,
        "\(what): links that require each other can never be made; the column stays a value")
    }
    var rule: Property.DeleteRule
    switch reference.onDelete.uppercased() {
    case "CASCADE": rule = .cascade
    case "SET NULL" where isOptional: rule = .nullify
    case "SET DEFAULT":
      rule = .deny
      note(.changed, table.name, columns, "\(what): ON DELETE SET DEFAULT became deny")
    case "SET NULL":
      rule = .deny
      note(
        .changed, table.name, columns,
        "\(what): ON DELETE SET NULL of a required column became deny")
    default: rule = .deny
    }
    if rule == .cascade, targetName != own {
      if reaches(cascading) {
        rule = .deny
        note(
          .changed, table.name, columns,
          "\(what): ON DELETE CASCADE became deny: deleting would go in a circle")
      } else {
        cascading[own, default: []].insert(targetName)
      }
    }
    if !["", "NO ACTION", "CASCADE"].contains(reference.onUpdate.uppercased()) {
      note(
        .changed, table.name, columns,
        "\(what): ON UPDATE \(reference.onUpdate); links follow identity")
    }
    if properties[place].defaultValue != nil {
      note(.leftOut, table.name, columns, "its default: a link has none")
      properties[place].defaultValue = nil
    }
    if properties[place].index == .fulltext {
      note(.leftOut, table.name, columns, "its full-text index: a link has none")
      properties[place].index = .none
    }
    if !isOptional { required[own, default: []].insert(targetName) }
    properties[place].type = .value(ValueType(.object(targetName), isOptional: isOptional))
    properties[place].deleteRule = rule
    self.names[table.name]?.links[reference.columns[0]] = reference
  }
}

extension Property {
  /// Whether the language takes it in a primary key.
  fileprivate var isKey: Bool {
    guard case .value(let value) = type, case .scalar(let scalar) = value.base else { return false }
    return scalar.isInteger || [.string, .uuid, .objectID].contains(scalar)
  }
}
