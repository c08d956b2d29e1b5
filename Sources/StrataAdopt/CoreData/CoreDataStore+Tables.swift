import StrataSQLite

extension CoreDataStore {
  /// A model made of the tables alone, for a store that keeps none: names are those of columns, in small letters.
  func modelOfTables(_ database: Database) throws -> CoreDataModel {
    let names = Dictionary(
      entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    var nodes: [String: XMLNode] = [:]
    for entity in entities {
      var node = XMLNode(name: "entity", attributes: ["name": entity.name])
      node.attributes["parentEntity"] = names[entity.parent]
      if entity.parent == 0 {
        node.children = try properties(of: "Z" + entity.name.uppercased(), names, database)
      }
      nodes[entity.name] = node
    }
    for (table, columns) in tables.sorted(by: { $0.key < $1.key }) where table.hasPrefix("Z_") {
      let pair = columns.map(\.name).filter { !$0.hasPrefix("Z_FOK_") }
      guard pair.count == 2, let one = Self.end(pair[0], names),
        let other = Self.end(pair[1], names)
      else { continue }
      for (from, to, column) in [(one, other, pair[1]), (other, one, pair[0])] {
        var node = XMLNode(
          name: "relationship",
          attributes: [
            "name": to.name, "toMany": "YES", "optional": "YES", "destinationEntity": to.entity,
            "inverseName": from.name, "inverseEntity": to.entity,
          ])
        if columns.contains(where: { $0.name == "Z_FOK_" + column.dropFirst(2) }) {
          node.attributes["ordered"] = "YES"
        }
        nodes[from.entity]?.children.append(node)
      }
    }
    return CoreDataModel(
      XMLNode(name: "model", children: nodes.sorted { $0.key < $1.key }.map(\.value)))
  }

  /// `Z_17USERS`: the entity whose rows it holds, and the relationship that leads to them.
  private static func end(
    _ column: String, _ names: [Int64: String]
  ) -> (entity: String, name: String)? {
    guard column.hasPrefix("Z_") else { return nil }
    let digits = column.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
    let rest = column.dropFirst(2 + digits.count)
    guard let number = Int64(digits), let entity = names[number], !rest.isEmpty else { return nil }
    return (entity, rest.lowercased())
  }

  private func properties(
    of table: String, _ names: [Int64: String], _ database: Database
  ) throws -> [XMLNode] {
    let all = tables[table] ?? []
    var nodes: [XMLNode] = []
    for (column, type) in all where column.hasPrefix("Z") && !column.hasPrefix("Z_") {
      guard column.dropFirst().first?.isNumber == false else { continue }
      var node = XMLNode(
        name: "attribute", attributes: ["name": column.dropFirst().lowercased(), "optional": "YES"])
      // Beside a link to an entity of several tables' worth stands the number of its entity.
      let link = all.lazy.compactMap { other -> String? in
        guard other.name.hasPrefix("Z"), other.name.hasSuffix("_" + column.dropFirst()) else {
          return nil
        }
        return Int64(other.name.dropFirst().dropLast(column.count)).flatMap { names[$0] }
      }.first
      if let link {
        node.name = "relationship"
        node.attributes["destinationEntity"] = link
        node.attributes["maxCount"] = "1"
      } else {
        node.attributes["attributeType"] =
          switch type {
          case "FLOAT": "Double"
          case "DECIMAL": "Decimal"
          case "TIMESTAMP": "Date"
          case "VARCHAR": "String"
          case "BLOB": "Binary"
          default: "Integer 64"
          }
        if type == "BLOB", try Self.form(of: column, in: table, database) == .files {
          node.attributes["allowsExternalBinaryDataStorage"] = "YES"
        }
      }
      nodes.append(node)
    }
    return nodes
  }

  /// What the values of a column of binary data are, empty ones apart. One that may be a file says so with its first byte: a 2, the
  /// UUID that names a file, and a zero; or a 1 with the value itself behind it.
  enum BinaryForm {
    case empty
    /// None is a file, and not all begin with a 1.
    case plain
    /// All begin with a 1.
    case marked
    /// Some are files, and all others begin with a 1.
    case files
    /// Some are files, and some do not begin with a 1.
    case mixed
  }

  static func form(
    of column: String, in table: String, _ database: Database
  ) throws -> BinaryForm {
    let (name, rows) = (SQL.identifier(column), SQL.identifier(table))
    let digits = [8, 4, 4, 4, 12].map { String(repeating: "[0-9A-Fa-f]", count: $0) }
    let isReference = """
      length(\(name)) = 38 AND substr(\(name), 1, 1) = x'02' AND substr(\(name), 38) = x'00' \
      AND CAST(substr(\(name), 2, 36) AS TEXT) GLOB '\(digits.joined(separator: "-"))'
      """
    func has(_ condition: String) throws -> Bool {
      try database.firstValue("SELECT 1 FROM \(rows) NOT INDEXED WHERE \(condition) LIMIT 1") != nil
    }
    let isPlain = try has(
      "length(\(name)) > 0 AND NOT (substr(\(name), 1, 1) = x'01' OR \(isReference))")
    if try has(isReference) { return isPlain ? .mixed : .files }
    if isPlain { return .plain }
    return try has("length(\(name)) > 0") ? .marked : .empty
  }

  /// Table → the columns of each unique index, sorted.
  static func uniqueIndexes(_ database: Database) throws -> [String: Set<[String]>] {
    var indexes: [String: [String: [String]]] = [:]
    for row in try database.rows(
      """
      SELECT t.name, i.name, c.name FROM pragma_table_list AS t JOIN pragma_index_list(t.name) AS i \
      JOIN pragma_index_info(i.name) AS c WHERE t.schema = 'main' AND t.type = 'table' \
      AND i."unique" = 1 AND i.origin <> 'pk' AND i.partial = 0
      """)
    {
      guard let table = row[0].ifText, let index = row[1].ifText else { continue }
      indexes[table, default: [:]][index, default: []].append(row[2].ifText ?? "")
    }
    return indexes.mapValues { Set($0.values.map { $0.sorted() }) }
  }

  /// The same model with what the tables hold unique, which the store's own model does not say in a known way.
  func addingUniqueness(to model: CoreDataModel, _ database: Database) throws -> CoreDataModel {
    let layout = CoreDataLayout(model, self)
    var root = model.root
    for place in root.children.indices where root.children[place].name == "entity" {
      let entity = root.children[place].attributes["name"] ?? ""
      guard let properties = model.entities[entity]?.properties else { continue }
      var columns: [String: String] = [:]
      for name in properties.keys {
        if let column = layout.column(of: name, of: entity) { columns[column] = name }
      }
      var constraints = XMLNode(name: "uniquenessConstraints")
      for index in try database.rows(
        "SELECT name FROM pragma_index_list(?) WHERE \"unique\" = 1 AND origin <> 'pk' AND partial = 0 ORDER BY name",
        .text(layout.table(of: entity)))
      {
        guard let name = index[0].ifText else { continue }
        let parts = try database.rows(
          "SELECT name FROM pragma_index_info(?) ORDER BY seqno", .text(name)
        ).map { $0[0].ifText.flatMap { columns[$0] } }
        let found = parts.compactMap(\.self)
        guard found.count == parts.count, !found.isEmpty else { continue }
        constraints.children.append(
          XMLNode(
            name: "uniquenessConstraint",
            children: found.map { XMLNode(name: "constraint", attributes: ["value": $0]) }))
      }
      root.children[place].children.removeAll { $0.name == "uniquenessConstraints" }
      if !constraints.children.isEmpty { root.children[place].children.append(constraints) }
    }
    return CoreDataModel(root)
  }
}
