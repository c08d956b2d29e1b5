/// Where the tables of a store have what a model says.
///
/// An entity without a parent has a table, which all that descend from it share. A property's column has its name in capitals;
/// where an entity before, by number, has taken it for another property, a number follows.
struct CoreDataLayout {
  /// A table of pairs: the rows of a to-one relationship, or of a many-to-many one.
  struct Pairs: Sendable {
    let table: String
    let owner: String
    let element: String
    /// The column that orders an owner's elements.
    var order: String?
    /// Whether each pair is meant in both directions.
    var isSymmetric = false
  }

  let model: CoreDataModel
  fileprivate let store: CoreDataStore
  /// Entity → property → column.
  private var columnNames: [String: [String: String]] = [:]
  private var numbers: [String: Int64] = [:]

  init(_ model: CoreDataModel, _ store: CoreDataStore) {
    self.model = model
    self.store = store
    for entity in store.entities { numbers[entity.name] = entity.number }
    var taken: [String: Set<String>] = [:]
    let inOrder = model.entities.values.sorted {
      (numbers[$0.name] ?? .max, $0.name) < (numbers[$1.name] ?? .max, $1.name)
    }
    for entity in inOrder {
      let root = model.root(of: entity.name)
      for (name, node) in entity.properties.sorted(by: { $0.key < $1.key }) {
        guard Self.hasColumn(node) else { continue }
        let base = "Z" + name.uppercased()
        var column = base
        var suffix = 0
        while !taken[root, default: []].insert(column).inserted {
          suffix += 1
          column = base + String(suffix)
        }
        columnNames[entity.name, default: [:]][name] = column
      }
    }
  }

  static func hasColumn(_ node: XMLNode) -> Bool {
    guard node.attributes["transient"] != "YES" else { return false }
    return node.name == "attribute"
      ? node.attributes["attributeType"] != "Composite" : node.attributes["toMany"] != "YES"
  }

  func number(of entity: String) -> Int64? { numbers[entity] }

  func table(of entity: String) -> String { "Z" + model.root(of: entity).uppercased() }

  /// The column of a property that an entity declares; nil where the store has none.
  func column(of property: String, of owner: String) -> String? {
    guard let name = columnNames[owner]?[property],
      store.columns(of: table(of: owner)).contains(name)
    else { return nil }
    return name
  }

  /// Tables and columns that the model asks for and the store lacks, or the other way round.
  var differences: Int {
    var count = 0
    for root in Set(model.entities.keys.map { model.root(of: $0) }) {
      let table = "Z" + root.uppercased()
      let expected = Set(
        columnNames.filter { model.root(of: $0.key) == root }.flatMap(\.value.values))
      // Beside its properties a table has numbers of rows, entities and orders, which begin with "Z_" or "Z" and a digit.
      let found = store.columns(of: table).filter {
        $0.hasPrefix("Z") && !$0.hasPrefix("Z_") && !($0.dropFirst().first?.isNumber ?? false)
      }
      count += expected.symmetricDifference(found).count + (found.isEmpty ? 1 : 0)
    }
    for entity in store.entities where model.entities[entity.name] == nil { count += 1 }
    for name in model.entities.keys {
      if numbers[name] == nil { count += 1 }
      for (property, node) in model.entities[name]?.properties ?? [:]
      where node.name == "relationship" && node.attributes["toMany"] == "YES"
        && node.attributes["transient"] != "YES"
      {
        if pairs(of: property, of: name) == nil { count += 1 }
      }
    }
    return count
  }

  // MARK: - To many

  /// Where the elements of a to-many relationship stand, which an entity declares.
  func pairs(of name: String, of owner: String) -> Pairs? {
    guard let node = model.entities[owner]?.properties[name],
      let destination = node.attributes["destinationEntity"]
    else { return nil }
    let isOrdered = node.attributes["ordered"] == "YES"
    let inverse = node.attributes["inverseName"].flatMap { inverse in
      model.property(inverse, of: node.attributes["inverseEntity"] ?? destination).map {
        (name: inverse, owner: $0.owner, node: $0.node)
      }
    }
    if let inverse, inverse.node.attributes["toMany"] != "YES" {
      guard let column = column(of: inverse.name, of: inverse.owner) else { return nil }
      let table = table(of: inverse.owner)
      let columns = store.columns(of: table)
      let order = ["Z_FOK_" + column.dropFirst(), "Z_FOK_" + inverse.name.uppercased()]
        .first { columns.contains($0) }
      return Pairs(
        table: table, owner: column, element: "Z_PK", order: isOrdered ? order : nil)
    }
    return joinTable(name, owner, destination, inverse: inverse?.name, isOrdered: isOrdered)
  }

  private func joinTable(
    _ name: String, _ owner: String, _ destination: String, inverse: String?, isOrdered: Bool
  ) -> Pairs? {
    let isReflexive = inverse == name && model.root(of: owner) == model.root(of: destination)
    // Two sub-entities may each have a relationship of a name: the number tells whose table it is.
    for (isOwn, isExact) in [(true, true), (true, false), (false, true), (false, false)] {
      for (table, columns) in store.tables.sorted(by: { $0.key < $1.key }) {
        guard table.hasPrefix("Z_"), table.dropFirst(2).first?.isNumber == true else { continue }
        let names = columns.map(\.name).filter { !$0.hasPrefix("Z_FOK_") }
        guard names.count == 2 else { continue }
        let element = names.first {
          matches($0, name, destination, isOwn: isOwn, isExact: isExact)
        }
        guard let element, let other = names.first(where: { $0 != element }) else { continue }
        let fits: Bool
        if isReflexive {
          fits = other == "REFLEXIVE"
        } else if let inverse {
          fits = matches(other, inverse, owner, isOwn: isOwn, isExact: isExact)
        } else {
          fits = matches(table, name, owner, isOwn: isOwn, isExact: isExact)
        }
        guard fits else { continue }
        let order = "Z_FOK_" + element.dropFirst(2)
        return Pairs(
          table: table, owner: other, element: element,
          order: isOrdered && !isReflexive && store.columns(of: table).contains(order)
            ? order : nil,
          isSymmetric: isReflexive)
      }
    }
    return nil
  }

  /// Whether a name is `Z_` with the number of an entity and a relationship's name; where others had it before, a number follows.
  ///
  /// - Parameter isOwn: whether the number has to be that of the entity itself, and not of another one with its table.
  private func matches(
    _ text: String, _ relationship: String, _ entity: String, isOwn: Bool, isExact: Bool
  ) -> Bool {
    guard text.hasPrefix("Z_") else { return false }
    let digits = text.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits),
      let found = store.entities.first(where: { $0.number == number }),
      isOwn ? found.name == entity : model.root(of: found.name) == model.root(of: entity)
    else { return false }
    let rest = text.dropFirst(2 + digits.count)
    let name = relationship.uppercased()
    if rest == name { return true }
    return !isExact && rest.hasPrefix(name)
      && rest.dropFirst(name.count).allSatisfy { $0.isASCII && $0.isNumber }
  }
}

extension CoreDataLayout {
  /// Whether the rows of an entity have a table with the columns that all of them have.
  func hasTable(of entity: String) -> Bool {
    store.columns(of: table(of: entity)).isSuperset(of: ["Z_PK", "Z_ENT"])
  }

  /// The columns of attributes whose large values may be files of their own, and whether the model says that they are.
  var binaryColumns: [(table: String, column: String, isExternal: Bool)] {
    var columns: [(table: String, column: String, isExternal: Bool)] = []
    for entity in model.entities.values {
      for (name, node) in entity.properties {
        guard ["Binary", "Transformable"].contains(node.attributes["attributeType"] ?? ""),
          let found = column(of: name, of: entity.name)
        else { continue }
        columns.append((table(of: entity.name), found, CoreDataModel.isExternal(node)))
      }
    }
    return columns
  }

  /// In how many places what the model says is unique is not what the store's indexes hold unique.
  ///
  /// - Parameter indexes: by table the columns of each unique index, sorted.
  func uniquenessDifferences(from indexes: [String: Set<[String]>]) -> Int {
    var said: [String: Set<[String]>] = [:]
    for entity in model.root.elements("entity") {
      guard let name = entity.attributes["name"] else { continue }
      for list in entity.elements("uniquenessConstraints") {
        for constraint in list.elements("uniquenessConstraint") {
          let columns = constraint.elements("constraint").compactMap { part -> String? in
            guard let property = part.attributes["value"],
              let owner = model.property(property, of: name)?.owner
            else { return nil }
            return column(of: property, of: owner)
          }
          if !columns.isEmpty { said[table(of: name), default: []].insert(columns.sorted()) }
        }
      }
    }
    var count = 0
    for table in Set(said.keys).union(indexes.keys) {
      let (wanted, found) = (said[table] ?? [], indexes[table] ?? [])
      count += wanted.symmetricDifference(found).count
    }
    return count
  }
}
