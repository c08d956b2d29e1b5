import StrataSchema

/// Reads the schemas that Room exports: `N.json`, one a version.
package enum RoomFolder {
  package static func read(_ path: String, name: String?) throws -> AdoptedHistory {
    let (folder, files) = try JSONHistory.files(
      in: path, of: .room, what: "schema of Room (1.json, 2.json, …)"
    ) { name in
      name.hasSuffix(".json") ? JSONHistory.versionNumber(name.dropLast(5)) : nil
    }
    let title =
      folder.split(separator: "/").last?.split(separator: ".").last.map(String.init) ?? "App"
    let schemaName = try SchemaName.make(name, near: title)
    let readers = try files.map { number, path, json in
      guard let database = json["database"], let entities = database["entities"]?.array else {
        throw AdoptError("'\(path)' is no schema of Room: it has no database with entities")
      }
      guard database["version"]?.int == Int64(number) else {
        throw AdoptError("'\(path)' says another version than its name")
      }
      var reader = RoomReader(path: path)
      reader.read(views: database["views"]?.array ?? [])
      for entity in entities { try reader.read(entity) }
      reader.applyFulltext()
      return (number: number, reader: reader)
    }
    let sources = TableMapping.Sources(readers.map(\.reader.tables))
    let versions = try readers.map { number, reader in
      var mapping = TableMapping(reader.tables, among: sources, notes: reader.notes)
      let schema = try mapping.schema(named: schemaName, version: number, path: reader.path)
      var version = AdoptedVersion(
        name: "\(number).json", schema: schema, notes: mapping.notes)
      version.tables = mapping
      return version
    }
    return AdoptedHistory(source: .room, name: schemaName, versions: versions, notes: [])
  }
}

private struct RoomReader {
  let path: String
  var tables: [SourceTable] = []
  var notes: [AdoptNote] = []
  private var fulltext: [(search: String, table: String, columns: [String])] = []

  init(path: String) { self.path = path }

  mutating func note(
    _ kind: AdoptNote.Kind, _ entity: String, _ property: String?, _ reason: String
  ) {
    notes.append(AdoptNote(kind: kind, entity: entity, property: property, reason: reason))
  }

  mutating func read(views: [JSON]) {
    for view in views { note(.leftOut, view["viewName"]?.string ?? "", nil, "it is a view") }
  }

  mutating func read(_ entity: JSON) throws {
    guard let name = entity["tableName"]?.string, let fields = entity["fields"]?.array else {
      throw AdoptError("'\(path)' has an entity without 'tableName' and 'fields'")
    }
    var table = SourceTable(name: name)
    let search = entity["ftsVersion"]?.string
    let unindexed = strings(entity["ftsOptions"]?["notIndexedColumns"])
    for field in fields {
      guard let column = field["columnName"]?.string else {
        throw AdoptError("'\(path)': '\(name)' has a field without 'columnName'")
      }
      table.columns.append(
        read(field, column, of: name, isFulltext: search != nil && !unindexed.contains(column)))
    }
    table.primaryKey = strings(entity["primaryKey"]?["columnNames"])
    if entity["primaryKey"]?["autoGenerate"]?.bool == true {
      note(
        .changed, name, table.primaryKey.first,
        "its numbers are no longer given out by the database (autoGenerate)")
    }
    for index in entity["indices"]?.array ?? [] {
      let columns = strings(index["columnNames"])
      if index["unique"]?.bool == true {
        table.uniques.append(columns)
      } else {
        table.indexes.append(columns)
      }
      if strings(index["orders"]).contains(where: { $0.uppercased() == "DESC" }) {
        note(.changed, name, nil, "the index over \(columns.joined(separator: ", ")) is ascending")
      }
    }
    for key in entity["foreignKeys"]?.array ?? [] {
      table.references.append(
        SourceTable.Reference(
          columns: strings(key["columns"]), table: key["table"]?.string ?? "",
          targetColumns: strings(key["referencedColumns"]),
          onDelete: key["onDelete"]?.string ?? "NO ACTION",
          onUpdate: key["onUpdate"]?.string ?? "NO ACTION"))
    }
    let statement = entity["createSql"]?.string ?? ""
    let words = SQLWords(statement)
    // DEFERRABLE is left: links are always held against their objects at the end.
    for (text, place) in [
      ("COLLATE", words.index(of: "COLLATE")), ("CHECK", words.index(of: "CHECK")),
      ("GENERATED ALWAYS", words.index(of: "GENERATED", before: "ALWAYS")),
      ("WITHOUT ROWID", words.index(of: "WITHOUT", before: "ROWID")),
    ] where place != nil {
      note(.leftOut, name, nil, "its table says \(text): \(statement)")
    }
    guard let search else {
      tables.append(table)
      return
    }
    readOptions(entity["ftsOptions"], of: name)
    if let content = entity["ftsOptions"]?["contentTable"]?.string, !content.isEmpty {
      fulltext.append((name, content, table.columns.filter(\.isFulltext).map(\.name)))
    } else {
      note(
        .changed, name, nil,
        "it is a search table (\(search)): an ordinary model, its texts with full-text indexes")
      tables.append(table)
    }
  }

  /// What a search table says beside its columns, unless it is what it is without saying so.
  private mutating func readOptions(_ options: JSON?, of table: String) {
    let usual = [
      "tokenizer": "simple", "matchInfo": "FTS4", "languageIdColumnName": "",
      "preferredOrder": "ASC",
    ]
    for (key, value) in usual.sorted(by: { $0.key < $1.key }) {
      if let text = options?[key]?.string, text.uppercased() != value.uppercased() {
        note(.leftOut, table, nil, "its \(key) \(text)")
      }
    }
    for key in ["tokenizerArgs", "prefixSizes"] {
      if let list = options?[key]?.array, !list.isEmpty {
        let texts = list.map { $0.string ?? $0.canonicalText }.joined(separator: ", ")
        note(.leftOut, table, nil, "its \(key) \(texts)")
      }
    }
  }

  private mutating func read(
    _ field: JSON, _ column: String, of table: String, isFulltext: Bool
  ) -> SourceTable.Column {
    let affinity = field["affinity"]?.string ?? "UNDEFINED"
    let type: ScalarType
    switch affinity {
    case "INTEGER": type = .int
    case "TEXT": type = .string
    case "REAL": type = .double
    case "BLOB": type = .data
    default:
      type = .any
      note(.changed, table, column, "its affinity \(affinity) is any")
    }
    var defaultValue: Value?
    if let text = field["defaultValue"]?.string {
      switch SQLLiteral.read(text, as: type) {
      case .value(let value): defaultValue = value
      case .null: break
      case .unknown: note(.leftOut, table, column, "its default \(text) is no \(type.rawValue)")
      }
    }
    let path = field["fieldPath"]?.string ?? column
    let words = path.split(separator: ".").map(String.init)
    let swiftName = words.dropFirst().reduce(words.first ?? column) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
    return SourceTable.Column(
      name: column, swiftName: swiftName, type: type,
      isOptional: field["notNull"]?.bool != true, defaultValue: defaultValue,
      isFulltext: isFulltext && type == .string)
  }

  /// A search table over another table's columns is a full-text index of those.
  mutating func applyFulltext() {
    for (search, name, columns) in fulltext {
      guard let table = tables.firstIndex(where: { $0.name == name }) else {
        note(.leftOut, search, nil, "it is a search table over '\(name)', which is not there")
        continue
      }
      for column in columns {
        guard let place = tables[table].columns.firstIndex(where: { $0.name == column }) else {
          continue
        }
        if tables[table].columns[place].type == .string {
          tables[table].columns[place].isFulltext = true
        } else {
          note(.leftOut, name, column, "its full-text index: it holds no text")
        }
      }
      note(
        .changed, search, nil,
        "it is a search table over '\(name)': full-text indexes of its columns")
    }
  }

  private func strings(_ json: JSON?) -> [String] { (json?.array ?? []).compactMap(\.string) }
}
