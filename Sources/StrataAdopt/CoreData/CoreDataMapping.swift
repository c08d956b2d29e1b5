import StrataSchema

/// One version of a Core Data model in our terms.
///
/// A relationship and its inverse are two properties in Core Data. Here a to-one link holds the relation and the
/// unordered other side is computed from it; Core Data's delete rule says what becomes of the destination, ours what becomes
/// of the holder, so that each side's rule stands at the other. Where that cannot be said, both sides are stored.
struct CoreDataMapping {
  static let maximumEntities = 10_000
  static let maximumProperties = 1_000

  struct Relationship {
    var sourceName: String
    var name: String
    var swiftName: String?
    var entity: Int
    var target: Int
    var isToMany: Bool
    var isOrdered: Bool
    var isOptional: Bool
    var isTransient: Bool
    var rule: String
    var inverse: String?
    var inverseEntity: Int?
  }

  struct Entity {
    var node: XMLNode
    var sourceName: String
    var name: String
    var swiftName: String?
    var parent: Int?
    var hasChildren = false
    var properties: [Property] = []
    var indexes: [[String]] = []
    var uniques: [[String]] = []
    /// Source name → ours.
    var names: [String: (name: String, swiftName: String?)] = [:]
  }

  let root: XMLNode
  let path: String
  var entities: [Entity] = []
  var indexOf: [String: Int] = [:]
  var relationships: [Relationship] = []
  private(set) var notes: [AdoptNote] = []
  private(set) var identifiers = RenamingIdentifiers()

  init(_ root: XMLNode, path: String) {
    self.root = root
    self.path = path
  }

  mutating func note(
    _ kind: AdoptNote.Kind, _ entity: String, _ property: String? = nil, _ reason: String
  ) {
    notes.append(AdoptNote(kind: kind, entity: entity, property: property, reason: reason))
  }

  mutating func schema(named name: String, version: Int) throws -> Schema {
    try collectEntities(ofSchema: name)
    for index in entities.indices { try readProperties(of: index) }
    for index in relationships.indices { addRelationship(index) }
    breakCircles()
    for index in entities.indices { readKeys(of: index) }
    readRest()
    return Schema(name: name, version: version, models: entities.indices.map { model($0) })
  }

  // MARK: Entities

  private mutating func collectEntities(ofSchema schema: String) throws {
    let nodes = root.elements("entity")
    guard nodes.count <= Self.maximumEntities else {
      throw AdoptError("'\(path)' has more than \(Self.maximumEntities) entities")
    }
    var keeper = NameKeeper(
      ofModelsOf: schema, sources: nodes.compactMap { $0.attributes["name"] })
    for node in nodes {
      guard let source = node.attributes["name"] else {
        throw AdoptError("'\(path)' has an entity without a name")
      }
      guard indexOf[source] == nil else {
        throw AdoptError("'\(path)' has two entities '\(source)'")
      }
      let className = node.attributes["representedClassName"].map {
        $0.split(separator: ".").last.map(String.init) ?? $0
      }
      let usable = className == "NSManagedObject" ? nil : className
      let (name, swiftName) = keeper.name(source, swift: usable)
      if name != source {
        note(.changed, source, nil, keeper.reason(for: source, called: name))
      }
      if let usable, (swiftName ?? name) != usable {
        note(.changed, source, nil, "its class '\(usable)' is called '\(swiftName ?? name)'")
      }
      identifiers.models[name] = node.attributes["elementID"] ?? source
      indexOf[source] = entities.count
      entities.append(Entity(node: node, sourceName: source, name: name, swiftName: swiftName))
    }
    for index in entities.indices {
      guard let parent = entities[index].node.attributes["parentEntity"] else { continue }
      guard let parentIndex = indexOf[parent] else {
        throw AdoptError(
          "'\(path)': '\(entities[index].sourceName)' has the parent '\(parent)', which is not there"
        )
      }
      entities[index].parent = parentIndex
      entities[parentIndex].hasChildren = true
    }
    for index in entities.indices where lineage(index).count > 15 {
      throw AdoptError(
        "'\(path)': '\(entities[index].sourceName)' has too many ancestors, or is its own")
    }
  }

  /// The entity and its ancestors.
  func lineage(_ index: Int) -> [Int] {
    var line = [index]
    while let parent = entities[line[line.count - 1]].parent, line.count <= 16 {
      line.append(parent)
    }
    return line
  }

  // MARK: Properties

  private mutating func readProperties(of index: Int) throws {
    let entity = entities[index]
    guard entity.node.children.count <= Self.maximumProperties else {
      throw AdoptError(
        "'\(path)': '\(entity.sourceName)' has more than \(Self.maximumProperties) properties")
    }
    var keeper = NameKeeper(
      ofTypes: false, sources: entity.node.children.compactMap { $0.attributes["name"] })
    for ancestor in lineage(index).dropFirst() {
      for node in entities[ancestor].node.children {
        if let name = node.attributes["name"] { _ = keeper.name(name) }
      }
    }
    for node in entity.node.children where node.name == "attribute" || node.name == "relationship" {
      guard let source = node.attributes["name"] else {
        throw AdoptError("'\(path)': '\(entity.sourceName)' has a property without a name")
      }
      guard entities[index].names[source] == nil else {
        throw AdoptError("'\(path)': '\(entity.sourceName)' has two properties '\(source)'")
      }
      let names = keeper.name(source)
      entities[index].names[source] = names
      if names.name != source {
        note(
          .changed, entity.sourceName, source,
          keeper.reason(for: source, called: names.name))
      } else if let swiftName = names.swiftName {
        note(
          .changed, entity.sourceName, source,
          "it is called '\(swiftName)' in Swift, where '\(source)' is taken")
      }
      identifiers.properties[SchemaPath(entity.name, names.name)] =
        node.attributes["elementID"] ?? source
      if node.name == "attribute" {
        let property = attribute(node, names, of: entity.sourceName)
        if let property { entities[index].properties.append(property) }
      } else {
        try readRelationship(node, names, of: index)
      }
    }
  }

  private mutating func readRelationship(
    _ node: XMLNode, _ names: (name: String, swiftName: String?), of index: Int
  ) throws {
    let entity = entities[index].sourceName
    let source = node.attributes["name"] ?? names.name
    guard let destination = node.attributes["destinationEntity"], let target = indexOf[destination]
    else {
      throw AdoptError(
        "'\(path)': the relationship '\(entity).\(source)' has no destination that is there")
    }
    let isToMany = node.attributes["toMany"] == "YES"
    let isOptional = node.attributes["optional"] == "YES"
    if isToMany {
      if !isOptional {
        note(.changed, entity, source, "it may be empty: a collection has no smallest count")
      }
      for key in ["minCount", "maxCount"] {
        if let count = node.attributes[key], count != "0" {
          note(.changed, entity, source, "its \(key) \(count) is not kept")
        }
      }
    }
    relationships.append(
      Relationship(
        sourceName: source, name: names.name, swiftName: names.swiftName, entity: index,
        target: target,
        isToMany: isToMany, isOrdered: node.attributes["ordered"] == "YES", isOptional: isOptional,
        isTransient: node.attributes["transient"] == "YES",
        rule: node.attributes["deletionRule"] ?? "Nullify", inverse: node.attributes["inverseName"],
        inverseEntity: node.attributes["inverseEntity"].flatMap { indexOf[$0] }))
    noteUnknown(node, known: Self.relationshipKeys, entity, source)
  }

  // MARK: Relationships

  private mutating func addRelationship(_ index: Int) {
    let relationship = relationships[index]
    let entity = entities[relationship.entity].sourceName
    let other = inverse(of: index)
    let side = side(index)
    guard case .stored = side else { return addDerived(index, side) }
    let target = entities[relationship.target]
    let isAny = branches(relationship.target)
    if isAny {
      note(
        .changed, entity, relationship.sourceName,
        "it is of type any: '\(target.sourceName)' has sub-entities, and a link leads to one model")
    }
    var rule = other.map { relationships[$0].rule } ?? "Nullify"
    if other == nil, relationship.rule != "Nullify" {
      note(
        .changed, entity, relationship.sourceName,
        "its delete rule \(relationship.rule) is not kept: it has no inverse")
    }
    if rule == "No Action" {
      note(
        .changed, entity, relationship.sourceName,
        "the inverse's delete rule No Action became nullify")
      rule = "Nullify"
    }
    var deleteRule: Property.DeleteRule =
      rule == "Cascade" ? .cascade : rule == "Deny" ? .deny : .nullify
    let isRequired = !relationship.isToMany && !relationship.isOptional
    if isAny || relationship.isTransient {
      if deleteRule != .nullify {
        note(
          .changed, entity, relationship.sourceName,
          "the inverse's delete rule \(rule) is not kept: only stored, typed links have one")
      }
      deleteRule = .nullify
    } else if isRequired, deleteRule == .nullify {
      deleteRule = .deny
    }
    let base: BaseType = isAny ? .scalar(.any) : .object(target.name)
    let isOptional = !relationship.isToMany && !isRequired
    let value = ValueType(base, isOptional: isOptional)
    if let other, other != index, index < other, case .stored = self.side(other) {
      let mirror = relationships[other]
      note(
        .changed, entity, relationship.sourceName,
        "both sides are stored: changing it does not change its inverse \(entities[mirror.entity].sourceName).\(mirror.sourceName)"
      )
    }
    if relationship.isTransient {
      note(
        .changed, entity, relationship.sourceName,
        "it is transient: in the class and not in the file (ignored)")
    }
    entities[relationship.entity].properties.append(
      Property(
        name: relationship.name, swiftName: relationship.swiftName,
        type: !relationship.isToMany
          ? .value(value) : relationship.isOrdered ? .list(value) : .set(value),
        isIgnored: relationship.isTransient, deleteRule: deleteRule))
  }

  /// Required links in a circle can never be made, and cascades in a circle are refused: the last link of each is loosened.
  private mutating func breakCircles() {
    for cascades in [false, true] {
      var edges: [Int: Set<Int>] = [:]
      func reaches(_ from: Int, _ to: Int) -> Bool {
        var (seen, queue) = (Set([from]), [from])
        while let next = queue.popLast() {
          if next == to { return true }
          for target in edges[next] ?? [] where seen.insert(target).inserted {
            queue.append(target)
          }
        }
        return false
      }
      for index in entities.indices {
        for position in entities[index].properties.indices {
          let property = entities[index].properties[position]
          guard property.isStored, let model = property.type.linkedModel,
            let target = entities.firstIndex(where: { $0.name == model })
          else { continue }
          let isRequired = property.type.isToOne && property.type.valueType?.isOptional == false
          guard cascades ? property.deleteRule == .cascade : isRequired else { continue }
          let holders = entities.indices.filter { lineage($0).contains(index) }
          if holders.contains(where: { ($0 != target || !cascades) && reaches(target, $0) }) {
            let entity = entities[index].sourceName
            let source =
              entities[index].names.first { $0.value.name == property.name }?.key ?? property.name
            if cascades {
              entities[index].properties[position].deleteRule = isRequired ? .deny : .nullify
              note(
                .changed, entity, source,
                "the inverse's delete rule Cascade is not kept: deleting would go in a circle")
            } else {
              entities[index].properties[position].type = .value(
                ValueType(.object(model), isOptional: true))
              if property.deleteRule == .deny {
                entities[index].properties[position].deleteRule = .nullify
              }
              note(
                .changed, entity, source,
                "it is optional: links that require each other can never be made")
            }
          } else {
            for holder in holders { edges[holder, default: []].insert(target) }
          }
        }
      }
    }
  }

  // MARK: Models

  private func model(_ index: Int) -> Model {
    let line = lineage(index)
    var properties: [Property] = entities[index].properties
    for ancestor in line.dropFirst() {
      properties += entities[ancestor].properties.filter { !$0.type.isInverse }
    }
    let entity = entities[index]
    return Model(
      name: entity.name, swiftName: entity.swiftName,
      isAbstract: entity.node.attributes["isAbstract"] == "YES",
      extends: entity.parent.map { entities[$0].name },
      indexes: line.flatMap { entities[$0].indexes },
      uniques: line.flatMap { entities[$0].uniques },
      properties: properties)
  }
}
