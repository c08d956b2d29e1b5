import Foundation
import StrataAdopt
import StrataSchema

/// A second reading of the schemas of Room and drift, with Foundation's parser and regular expressions.
struct TableFacts {
  struct Column {
    var name: String
    var type: String
    var isOptional: Bool
    var defaultText: String?
  }

  struct Reference {
    var column: String
    var table: String
    var onDelete: String
  }

  struct Table {
    var name: String
    var columns: [Column] = []
    var primaryKey: [String] = []
    var uniques: [[String]] = []
    var indexes: [[String]] = []
    var references: [Reference] = []
    var isSearch = false
    var isAutomatic = false
  }

  var tables: [Table] = []
  /// Views and triggers.
  var others: [String] = []

  private typealias Object = [String: Any]

  private static func object(_ file: URL) throws -> Object {
    try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? Object ?? [:]
  }

  static func room(_ file: URL) throws -> TableFacts {
    let database = try object(file)["database"] as? Object ?? [:]
    var facts = TableFacts()
    for entity in database["entities"] as? [Object] ?? [] {
      var table = Table(name: entity["tableName"] as? String ?? "")
      table.isSearch = entity["ftsVersion"] != nil
      for field in entity["fields"] as? [Object] ?? [] {
        let types = ["INTEGER": "int", "TEXT": "string", "REAL": "double", "BLOB": "data"]
        table.columns.append(
          Column(
            name: field["columnName"] as? String ?? "",
            type: types[field["affinity"] as? String ?? ""] ?? "any",
            isOptional: field["notNull"] as? Bool != true,
            defaultText: field["defaultValue"] as? String))
      }
      let key = entity["primaryKey"] as? Object ?? [:]
      table.primaryKey = key["columnNames"] as? [String] ?? []
      table.isAutomatic = key["autoGenerate"] as? Bool == true
      for index in entity["indices"] as? [Object] ?? [] {
        let columns = index["columnNames"] as? [String] ?? []
        if index["unique"] as? Bool == true {
          table.uniques.append(columns)
        } else {
          table.indexes.append(columns)
        }
      }
      for key in entity["foreignKeys"] as? [Object] ?? [] {
        for column in key["columns"] as? [String] ?? [] {
          table.references.append(
            Reference(
              column: column, table: key["table"] as? String ?? "",
              onDelete: key["onDelete"] as? String ?? ""))
        }
      }
      facts.tables.append(table)
    }
    facts.others = (database["views"] as? [Object] ?? []).compactMap { $0["viewName"] as? String }
    return facts
  }

  static func drift(_ file: URL) throws -> TableFacts {
    var facts = TableFacts()
    let entities = try object(file)["entities"] as? [Object] ?? []
    var names: [Int: String] = [:]
    for entity in entities {
      let data = entity["data"] as? Object ?? [:]
      names[entity["id"] as? Int ?? -1] = data["name"] as? String
    }
    for entity in entities {
      let data = entity["data"] as? Object ?? [:]
      let name = data["name"] as? String ?? ""
      switch entity["type"] as? String {
      case "table":
        var table = Table(name: name)
        table.isSearch = data["is_virtual"] as? Bool == true
        for column in data["columns"] as? [Object] ?? [] { read(column, in: &table) }
        for constraint in data["constraints"] as? [String] ?? [] {
          if let list = match(constraint, #"^PRIMARY KEY\s*\(([^)]*)\)"#)?[1] {
            table.primaryKey = words(list)
          }
          if let list = match(constraint, #"^UNIQUE\s*\(([^)]*)\)"#)?[1] {
            table.uniques.append(words(list))
          }
          if let found = match(constraint, #"^FOREIGN KEY\s*\(([^)]*)\)\s*REFERENCES\s+(\w+)"#) {
            table.references.append(
              Reference(column: found[1], table: found[2], onDelete: rule(constraint)))
          }
        }
        if let key = data["explicit_pk"] as? [String] { table.primaryKey = key }
        table.uniques += data["unique_keys"] as? [[String]] ?? []
        facts.tables.append(table)
      case "index":
        let sql = data["sql"] as? String ?? ""
        let columns =
          data["columns"] as? [String] ?? match(sql, #"\(([^)]*)\)"#).map { words($0[1]) }
        let on = names[data["on"] as? Int ?? -1]
        if let place = facts.tables.firstIndex(where: { $0.name == on }), let columns {
          facts.tables[place].indexes.append(columns)
        }
      default: facts.others.append(name)
      }
    }
    return facts
  }

  private static func read(_ column: Object, in table: inout Table) {
    let types = [
      "int": "int", "bigInt": "int64", "string": "string", "bool": "bool", "dateTime": "date",
      "double": "double", "blob": "data", "ColumnType.integer": "int", "ColumnType.text": "string",
      "ColumnType.boolean": "bool", "ColumnType.datetime": "date", "ColumnType.real": "double",
      "ColumnType.blob": "data",
    ]
    let name = column["name"] as? String ?? ""
    let text =
      (column["customConstraints"] as? String ?? "") + " "
      + (column["defaultConstraints"] as? String ?? "")
    table.columns.append(
      Column(
        name: name, type: types[column["moor_type"] as? String ?? ""] ?? "any",
        isOptional: column["nullable"] as? Bool == true,
        defaultText: column["default_dart"] as? String ?? match(text, #"DEFAULT\s+(\S+)"#)?[1]))
    let features = (column["dsl_features"] as? [Any] ?? []).compactMap { $0 as? String }
    if features.contains("auto-increment") || features.contains("primary-key")
      || text.contains("PRIMARY KEY")
    {
      table.primaryKey = [name]
      table.isAutomatic = features.contains("auto-increment")
    }
    if match(text, #"\bUNIQUE\b"#) != nil { table.uniques.append([name]) }
    if let found = match(text, #"REFERENCES\s+"?(\w+)"?"#) {
      table.references.append(Reference(column: name, table: found[1], onDelete: rule(text)))
    }
  }

  private static func rule(_ text: String) -> String {
    match(text, #"ON DELETE\s+(CASCADE|RESTRICT|SET NULL|NO ACTION|SET DEFAULT)"#)?[1] ?? ""
  }

  private static func words(_ list: String) -> [String] {
    list.split(separator: ",").map {
      $0.trimmingCharacters(in: CharacterSet(charactersIn: " \"`"))
    }
  }

  private static func match(_ text: String, _ pattern: String) -> [String]? {
    guard let expression = try? NSRegularExpression(pattern: pattern, options: .caseInsensitive),
      let found = expression.firstMatch(
        in: text, range: NSRange(text.startIndex..., in: text))
    else { return nil }
    return (0..<found.numberOfRanges).map {
      Range(found.range(at: $0), in: text).map { String(text[$0]) } ?? ""
    }
  }
}

/// Tables against what was made of them.
extension SourceComparison {
  mutating func compare(_ facts: TableFacts) {
    let searches = Set(facts.tables.filter(\.isSearch).map(\.name))
    expect(
      Set(schema.models.map(\.name)).subtracting(searches)
        == Set(facts.tables.filter { !$0.isSearch }.map { name($0.name) }), "", nil,
      "the tables are not the models", orReported: [])
    for other in facts.others {
      expect(false, other, nil, "is left out", orReported: ["it is a view", "it is a trigger"])
    }
    for table in facts.tables {
      if table.isSearch {
        expect(false, table.name, nil, "is a search table", orReported: ["search table"])
        if model(table.name) == nil { continue }
      }
      compare(table, facts)
    }
  }

  private mutating func compare(_ table: TableFacts.Table, _ facts: TableFacts) {
    let entity = table.name
    for column in table.columns {
      guard let found = property(entity, column.name) else {
        expect(false, entity, column.name, "is not there", orReported: [])
        continue
      }
      expect(
        found.type.valueType?.isOptional == column.isOptional, entity, column.name, "optional",
        orReported: [])
      let reference = table.references.first { $0.column == column.name }
      if let target = reference?.table, found.type.linkedModel != nil {
        expect(
          found.type.linkedModel == name(target) && found.type.isToOne, entity, column.name,
          "leads to \(target)", orReported: [])
        let rule =
          ["CASCADE": Property.DeleteRule.cascade, "SET NULL": .nullify][
            reference?.onDelete.uppercased() ?? ""] ?? .deny
        expect(
          found.deleteRule == rule, entity, column.name, "delete rule", orReported: ["became deny"])
        continue
      }
      expect(
        reference == nil, entity, column.name, "is no link", orReported: ["the foreign key to"])
      expect(
        found.type.linkedModel == nil && found.type.spelling.hasPrefix(column.type), entity,
        column.name, "type \(column.type)",
        orReported: ["is any", "it is taken for a link"])
      let isDefault = found.defaultValue.map { "\($0)" } != nil
      expect(
        isDefault == (column.defaultText != nil && column.defaultText?.uppercased() != "NULL"),
        entity, column.name, "default \(column.defaultText ?? "none")", orReported: ["its default"])
    }
    expect(
      model(entity)?.properties.count == table.columns.count, entity, nil, "more columns",
      orReported: [])
    compareKeys(table)
  }

  private mutating func compareKeys(_ table: TableFacts.Table) {
    let entity = table.name
    let key = table.primaryKey.map { name(entity, $0) }
    expect(
      model(entity)?.primaryKey == key, entity, nil, "primary key \(key)",
      orReported: ["its primary key \(table.primaryKey.joined(separator: ", ")) is a uniqueness"])
    var all = Set(table.uniques.map { Set($0.map { name(entity, $0) }) })
    for unique in all {
      expect(
        uniques(entity).contains(unique), entity, nil, "unique \(unique)",
        orReported: ["the uniqueness"])
    }
    if !key.isEmpty {
      all.insert(Set(key))
      expect(uniques(entity).contains(Set(key)), entity, nil, "key \(key)", orReported: [])
    }
    expect(
      uniques(entity).isSubset(of: all), entity, nil, "more uniqueness than there was",
      orReported: [])
    if table.isAutomatic {
      expect(false, entity, table.primaryKey.first, "automatic", orReported: ["given out by"])
    }
    for index in table.indexes {
      expect(isIndexed(entity, index), entity, nil, "index \(index)", orReported: ["the index"])
    }
  }
}
