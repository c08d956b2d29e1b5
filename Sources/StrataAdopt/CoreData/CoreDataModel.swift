/// The entities of one version of a model, as Xcode or a store says them.
struct CoreDataModel: Sendable {
  struct Entity: Sendable {
    let name: String
    let parent: String?
    let isAbstract: Bool
    /// Its own attributes and relationships, by name.
    let properties: [String: XMLNode]
  }

  let root: XMLNode
  let entities: [String: Entity]
  /// What entities say they were called before.
  private let renamingIdentifiers: Set<String>

  init(_ root: XMLNode) {
    self.root = root
    var entities: [String: Entity] = [:]
    for node in root.elements("entity") {
      guard let name = node.attributes["name"] else { continue }
      var properties: [String: XMLNode] = [:]
      for child in node.children where child.name == "attribute" || child.name == "relationship" {
        if let name = child.attributes["name"] { properties[name] = child }
      }
      entities[name] = Entity(
        name: name, parent: node.attributes["parentEntity"],
        isAbstract: node.attributes["isAbstract"] == "YES", properties: properties)
    }
    self.entities = entities
    renamingIdentifiers = Set(root.elements("entity").compactMap { $0.attributes["elementID"] })
  }

  /// The entity and its ancestors.
  func lineage(_ name: String) -> [String] {
    var line: [String] = []
    var next = entities[name]
    while let entity = next, line.count <= 16 {
      line.append(entity.name)
      next = entity.parent.flatMap { entities[$0] }
    }
    return line
  }

  func root(of name: String) -> String { lineage(name).last ?? name }

  /// The entity and all that descend from it.
  func family(_ name: String) -> [String] {
    entities.keys.filter { lineage($0).contains(name) }.sorted()
  }

  /// Whether an entity of an older version has its name here, or another one with that as its renaming identifier.
  func continues(_ name: String) -> Bool {
    entities[name] != nil || renamingIdentifiers.contains(name)
  }

  /// The property of an entity or of an ancestor, and who declares it.
  func property(_ name: String, of entity: String) -> (owner: String, node: XMLNode)? {
    for owner in lineage(entity) {
      if let node = entities[owner]?.properties[name] { return (owner, node) }
    }
    return nil
  }
}

// MARK: - Which version it is

extension CoreDataModel {
  /// What makes two versions one to a store: Core Data opens a file with either. Path → what is said there.
  var shape: [String: String] {
    var facts: [String: String] = [:]
    for entity in entities.values {
      facts[entity.name] =
        "entity of \(entity.parent ?? "none")\(entity.isAbstract ? ", abstract" : "")"
      for (name, node) in entity.properties {
        facts["\(entity.name).\(name)"] = Self.shape(of: node)
      }
    }
    return facts
  }

  private static func shape(of node: XMLNode) -> String {
    let attributes = node.attributes
    let flags = ["optional", "transient", "ordered"].filter { attributes[$0] == "YES" }
    var parts = [node.name] + flags
    if node.name == "attribute" {
      parts.append(attributes["attributeType"] ?? "Undefined")
    } else {
      let isToMany = attributes["toMany"] == "YES"
      parts += [
        "to \(attributes["destinationEntity"] ?? "")", isToMany ? "many" : "one",
        "at least \(attributes["minCount"] ?? "0")",
        "at most \(attributes["maxCount"] ?? (isToMany ? "0" : "1"))",
        "inverse \(attributes["inverseName"] ?? "none")",
      ]
    }
    return parts.joined(separator: " ")
  }

  /// What else tells versions apart.
  private var details: [String: String] {
    var facts: [String: String] = [:]
    for entity in entities.values {
      for (name, node) in entity.properties {
        for key in ["deletionRule", "versionHashModifier", "defaultValueString"] {
          guard let text = node.attributes[key] else { continue }
          facts["\(entity.name).\(name).\(key)"] = Self.normal(text, node)
        }
        if Self.isExternal(node) { facts["\(entity.name).\(name).external"] = "YES" }
      }
    }
    return facts
  }

  /// Whether a model says that large values of an attribute are files of their own.
  static func isExternal(_ node: XMLNode) -> Bool {
    node.attributes["allowsExternalBinaryDataStorage"] == "YES"
  }

  /// Numbers and truth values have several spellings.
  private static func normal(_ text: String, _ node: XMLNode) -> String {
    switch node.attributes["attributeType"] {
    case "Boolean": return ["YES", "1", "true"].contains(text) ? "YES" : "NO"
    case "String"?, nil: return text
    default: return Double(text == "YES" ? "1" : text == "NO" ? "0" : text).map { "\($0)" } ?? text
    }
  }

  /// In how many places two models say something else to a store.
  func differences(from other: CoreDataModel) -> [String] {
    Self.differences(shape, other.shape)
  }

  func detailDifferences(from other: CoreDataModel) -> Int {
    Self.differences(details, other.details).count
  }

  private static func differences(_ one: [String: String], _ other: [String: String]) -> [String] {
    Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.sorted()
  }
}
