import StrataSQLite
import StrataSchema

/// Reads the schemas that `drift_dev schema dump` writes: `drift_schema_vN.json`, one a version.
package enum DriftFolder {
  package static func read(_ path: String, name: String?) throws -> AdoptedHistory {
    let (folder, files) = try JSONHistory.files(
      in: path, of: .drift, what: "schema of drift (drift_schema_v1.json, …)"
    ) { name in
      guard name.hasPrefix("drift_schema_v"), name.hasSuffix(".json") else { return nil }
      return JSONHistory.versionNumber(name.dropFirst(14).dropLast(5))
    }
    let title = folder.split(separator: "/").last.map(String.init) ?? "App"
    let schemaName = try SchemaName.make(name, near: title)
    let readers = try files.map { number, path, json in
      guard json["_meta"] != nil, let entities = json["entities"]?.array else {
        throw AdoptError("'\(path)' is no schema of drift: it has no '_meta' and 'entities'")
      }
      var reader = DriftReader(path: path, entities: entities)
      try reader.read()
      if json["options"]?["store_date_time_values_as_text"]?.bool == true {
        reader.notes.append(
          AdoptNote(
            kind: .changed, entity: "", property: nil,
            reason: "dates are stored as text there, and as seconds here"))
      }
      return (number: number, reader: reader)
    }
    let sources = TableMapping.Sources(readers.map(\.reader.tables))
    let versions = try readers.map { number, reader in
      var mapping = TableMapping(reader.tables, among: sources, notes: reader.notes)
      let schema = try mapping.schema(named: schemaName, version: number, path: reader.path)
      var version = AdoptedVersion(
        name: String(reader.path.split(separator: "/").last ?? ""), schema: schema,
        notes: mapping.notes)
      version.tables = mapping
      return version
    }
    return AdoptedHistory(source: .drift, name: schemaName, versions: versions, notes: [])
  }
}

private struct DriftReader {
  let path: String
  let entities: [JSON]
  var tables: [SourceTable] = []
  var notes: [AdoptNote] = []
  private var nameOfID: [Int64: String] = [:]

  init(path: String, entities: [JSON]) {
    self.path = path
    self.entities = entities
    for entity in entities {
      if let id = entity["id"]?.int { nameOfID[id] = entity["data"]?["name"]?.string }
    }
  }

  private mutating func note(
    _ kind: AdoptNote.Kind, _ entity: String, _ property: String?, _ reason: String
  ) {
    notes.append(AdoptNote(kind: kind, entity: entity, property: property, reason: reason))
  }

  mutating func read() throws {
    var searches: [(name: String, content: String, columns: [String])] = []
    for entity in entities where entity["type"]?.string == "table" {
      guard let data = entity["data"], let name = data["name"]?.string,
        let columns = data["columns"]?.array
      else { throw AdoptError("'\(path)' has a table without 'name' and 'columns'") }
      if data["is_virtual"]?.bool == true {
        let statement = data["create_virtual_stmt"]?.string ?? ""
        let words = SQLWords(statement)
        guard let using = words.index(of: "USING"), words.word(using + 1).hasPrefix("FTS") else {
          note(.leftOut, name, nil, "it is a virtual table: \(statement)")
          continue
        }
        let names = columns.compactMap { $0["name"]?.string }.filter { column in
          guard let place = words.texts.firstIndex(of: column) else { return true }
          return words.word(place + 1) != "UNINDEXED"
        }
        if let content = words.index(of: "CONTENT"), words.word(content + 1) == "=",
          content + 2 < words.texts.count
        {
          searches.append((name, words.texts[content + 2], names))
          continue
        }
        note(
          .changed, name, nil,
          "it is a search table (\(statement)): an ordinary model, its texts with full-text indexes"
        )
        var table = try self.table(name, data, columns, entity)
        for index in table.columns.indices where names.contains(table.columns[index].name) {
          table.columns[index].isFulltext = table.columns[index].type == .string
        }
        tables.append(table)
      } else {
        tables.append(try table(name, data, columns, entity))
      }
    }
    for entity in entities where entity["type"]?.string != "table" { readOther(entity) }
    for (search, content, columns) in searches {
      guard let table = tables.firstIndex(where: { $0.name == content }) else {
        note(.leftOut, search, nil, "it is a search table over '\(content)', which is not there")
        continue
      }
      for index in tables[table].columns.indices
      where columns.contains(tables[table].columns[index].name) {
        tables[table].columns[index].isFulltext = tables[table].columns[index].type == .string
      }
      note(
        .changed, search, nil,
        "it is a search table over '\(content)': full-text indexes of its columns")
    }
  }

  private mutating func readOther(_ entity: JSON) {
    let type = entity["type"]?.string ?? "entity"
    let name = entity["data"]?["name"]?.string ?? ""
    guard type == "index", let data = entity["data"],
      let on = data["on"]?.int.flatMap({ nameOfID[$0] }),
      let table = tables.firstIndex(where: { $0.name == on })
    else { return note(.leftOut, name, nil, "it is a \(type)") }
    var columns = (data["columns"]?.array ?? []).compactMap(\.string)
    let words = SQLWords(data["sql"]?.string ?? "")
    if columns.isEmpty, let on = words.index(of: "ON") { columns = words.list(after: on + 2) }
    guard !columns.isEmpty, words.index(of: "WHERE") == nil,
      columns.allSatisfy({ name in tables[table].columns.contains { $0.name == name } })
    else { return note(.leftOut, on, nil, "the index '\(name)': \(data["sql"]?.string ?? "")") }
    if data["unique"]?.bool == true || words.index(of: "UNIQUE") != nil {
      tables[table].uniques.append(columns)
    } else {
      tables[table].indexes.append(columns)
    }
  }

  private mutating func table(
    _ name: String, _ data: JSON, _ columns: [JSON], _ entity: JSON
  ) throws -> SourceTable {
    var table = SourceTable(name: name)
    var undescribed: [String] = []
    for (key, word) in [("without_rowid", "WITHOUT ROWID"), ("strict", "STRICT")]
    where data[key]?.bool == true {
      note(.changed, name, nil, "it is \(word): every table here is STRICT and has numbers of rows")
    }
    for column in columns {
      guard let title = column["name"]?.string else {
        throw AdoptError("'\(path)': '\(name)' has a column without 'name'")
      }
      table.columns.append(self.column(column, title, in: &table, &undescribed))
    }
    for constraint in data["constraints"]?.array ?? [] {
      let text = constraint.string ?? ""
      let words = SQLWords(text)
      if let key = words.index(of: "PRIMARY") {
        table.primaryKey = words.list(after: key + 2)
      } else if let foreign = words.index(of: "FOREIGN"), let to = words.index(of: "REFERENCES") {
        table.references.append(words.reference(at: to, columns: words.list(after: foreign + 2)))
      } else if words.word(0) == "UNIQUE" {
        table.uniques.append(words.list(after: 1))
      } else {
        note(.leftOut, name, nil, "the constraint \(text)")
      }
    }
    if let key = data["explicit_pk"]?.array { table.primaryKey = key.compactMap(\.string) }
    for unique in data["unique_keys"]?.array ?? [] {
      table.uniques.append((unique.array ?? []).compactMap(\.string))
    }
    // The first format says that a column has something more, and which tables are meant, but not what: one of each is a reference.
    let others = (entity["references"]?.array ?? []).compactMap { $0.int.flatMap { nameOfID[$0] } }
    if undescribed.count == 1, others.count == 1, table.references.isEmpty {
      table.references.append(
        SourceTable.Reference(
          columns: undescribed, table: others[0], targetColumns: [], onDelete: "", onUpdate: ""))
      note(
        .changed, name, undescribed[0],
        "it is taken for a link to '\(others[0])': this format of drift only says that there is one"
      )
    } else if table.references.isEmpty {
      for column in undescribed {
        note(.leftOut, name, column, "something that this format of drift does not describe")
      }
    }
    return table
  }

  private mutating func column(
    _ json: JSON, _ name: String, in table: inout SourceTable, _ undescribed: inout [String]
  ) -> SourceTable.Column {
    let written = json["moor_type"]?.string ?? "unknown"
    let type: ScalarType
    switch written {
    case "int", "ColumnType.integer": type = .int
    case "bigInt", "ColumnType.bigInt": type = .int64
    case "string", "ColumnType.text": type = .string
    case "bool", "ColumnType.boolean": type = .bool
    case "dateTime", "ColumnType.datetime": type = .date
    case "double", "ColumnType.real": type = .double
    case "blob", "ColumnType.blob": type = .data
    default:
      type = .any
      if written != "any" { note(.changed, table.name, name, "its type \(written) is any") }
    }
    var column = SourceTable.Column(
      name: name, swiftName: json["getter_name"]?.string, type: type,
      isOptional: json["nullable"]?.bool == true)
    if let converter = json["type_converter"] {
      note(
        .changed, table.name, name,
        "its converter \(converter["dart_expr"]?.string ?? "") is not kept: it holds what is stored"
      )
    }
    if let client = json["default_client_dart"]?.string {
      note(.leftOut, table.name, name, "its default in Dart: \(client)")
    }
    let constraints =
      json["customConstraints"]?.string
      ?? json["dialectAwareDefaultConstraints"]?["sqlite"]?.string
      ?? json["defaultConstraints"]?.string ?? ""
    let words = SQLWords(constraints)
    readConstraints(words, constraints, &column, in: &table)
    if let text = json["default_dart"]?.string {
      readDefault(text, &column, in: table.name)
    } else if let place = words.index(of: "DEFAULT"), place + 1 < words.texts.count {
      readDefault(at: place + 1, of: words, constraints, &column, in: table.name)
    }
    for feature in json["dsl_features"]?.array ?? [] {
      switch feature.string {
      case "auto-increment":
        if table.primaryKey.isEmpty { table.primaryKey = [name] }
        note(.changed, table.name, name, AdoptNote.noNumbersGivenOut)
      case "primary-key": if table.primaryKey.isEmpty { table.primaryKey = [name] }
      case "unique": column.isUnique = true
      case "unknown": if words.texts.isEmpty { undescribed.append(name) }
      case nil where feature["foreign_key"] != nil:
        let key = feature["foreign_key"]
        // Where the column's constraints say the same, they were read.
        guard let to = key?["to"]?["table"]?.string,
          !table.references.contains(where: { $0.columns == [name] })
        else { break }
        func action(_ text: String?) -> String {
          switch text {
          case "setNull": "SET NULL"
          case "setDefault": "SET DEFAULT"
          case "noAction", nil: ""
          case let other?: other.uppercased()
          }
        }
        table.references.append(
          SourceTable.Reference(
            columns: [name], table: to,
            targetColumns: [key?["to"]?["column"]?.string].compactMap(\.self),
            onDelete: action(key?["on_delete"]?.string), onUpdate: action(key?["on_update"]?.string)
          ))
      default:
        note(.leftOut, table.name, name, "its rule \(feature.canonicalText)")
      }
    }
    return column
  }

  private mutating func readConstraints(
    _ words: SQLWords, _ text: String, _ column: inout SourceTable.Column,
    in table: inout SourceTable
  ) {
    if words.index(of: "PRIMARY") != nil, table.primaryKey.isEmpty {
      table.primaryKey = [column.name]
    }
    if words.index(of: "UNIQUE") != nil { column.isUnique = true }
    if let place = words.index(of: "REFERENCES") {
      table.references.append(words.reference(at: place, columns: [column.name]))
    }
    if words.index(of: "CHECK") != nil, column.type != .bool {
      note(.leftOut, table.name, column.name, "the constraint \(text)")
    }
    // DEFERRABLE is left: links are always held against their objects at the end.
    for word in ["COLLATE", "GENERATED"] where words.index(of: word) != nil {
      note(.leftOut, table.name, column.name, "the constraint \(text)")
    }
  }

  /// `DEFAULT 'name'`, of which what follows the keyword stands at a place.
  private mutating func readDefault(
    at place: Int, of words: SQLWords, _ text: String, _ column: inout SourceTable.Column,
    in table: String
  ) {
    // A text with a quote inside is several words, and so are data.
    let isOneWord =
      place + 1 == words.texts.count || !words.raw(place + 1).hasPrefix("'")
    if isOneWord {
      switch SQLLiteral.read(words.raw(place), as: column.type) {
      case .value(let value):
        column.defaultValue = value
        return
      case .null: return
      case .unknown: break
      }
    }
    note(.leftOut, table, column.name, "its default in the constraint \(text)")
  }

  /// `const Constant('name')`, `const CustomExpression<bool>('FALSE')`.
  private mutating func readDefault(
    _ text: String, _ column: inout SourceTable.Column, in table: String
  ) {
    let isExpression = text.contains("CustomExpression")
    if isExpression || text.contains("Constant"), let open = text.firstIndex(of: "("),
      let close = text.lastIndex(of: ")"), open < close
    {
      var inner = String(text[text.index(after: open)..<close])
      if let string = DartString.read(inner) {
        inner = isExpression ? string : SQL.literal(string)
      }
      switch SQLLiteral.read(inner, as: column.type) {
      case .value(let value):
        column.defaultValue = value
        return
      case .null: return
      case .unknown: break
      }
    }
    note(.leftOut, table, column.name, "its default \(text)")
  }
}
