import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A second reading of a Core Data model, with Foundation's parser: what the file says, uninterpreted.
final class CoreDataFacts: NSObject, XMLParserDelegate {
  struct Entity {
    var attributes: [String: String]
    var properties: [String: [String: String]] = [:]
    var relationships: [String: [String: String]] = [:]
    var uniques: [[String]] = []
    var indexes: [[String]] = []
    /// Fetched properties and the like.
    var others: [(element: String, name: String)] = []
    var userInfo: [(property: String?, key: String)] = []
  }

  private(set) var entities: [String: Entity] = [:]
  private var entity = ""
  private var property: String?
  private var path: [String] = []

  init(contentsOf file: URL) throws {
    super.init()
    let parser = XMLParser(data: try Data(contentsOf: file))
    parser.delegate = self
    guard parser.parse() else { throw CocoaError(.fileReadCorruptFile) }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    path.append(name)
    let own = attributes["name"] ?? ""
    switch (name, path.dropLast().last) {
    case ("entity", "model"):
      entity = own
      entities[entity] = Entity(attributes: attributes)
    case ("attribute", "entity"):
      property = own
      entities[entity]?.properties[own] = attributes
    case ("relationship", "entity"):
      property = own
      entities[entity]?.relationships[own] = attributes
    case ("uniquenessConstraint", _): entities[entity]?.uniques.append([])
    case ("compoundIndex", _), ("fetchIndex", _): entities[entity]?.indexes.append([])
    case ("constraint", _):
      append(attributes["value"] ?? "", to: \.uniques)
    case ("index", _): append(attributes["value"] ?? "", to: \.indexes)
    case ("fetchIndexElement", _): append(attributes["property"] ?? "", to: \.indexes)
    case ("entry", _):
      entities[entity]?.userInfo.append((property, attributes["key"] ?? ""))
    case ("userInfo", _), ("compoundIndexes", _), ("uniquenessConstraints", _), ("model", _),
      ("elements", _), ("element", _):
      break
    case (_, "entity"): entities[entity]?.others.append((name, own))
    default: break
    }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    path.removeLast()
    if ["attribute", "relationship"].contains(name) { property = nil }
  }

  private func append(_ name: String, to list: WritableKeyPath<Entity, [[String]]>) {
    guard var found = entities[entity]?[keyPath: list], !found.isEmpty else { return }
    found[found.count - 1].append(name)
    entities[entity]?[keyPath: list] = found
  }

  /// The entity and its ancestors.
  func lineage(_ name: String) -> [String] {
    var line: [String] = []
    var next: String? = name
    while let current = next, !line.contains(current) {
      line.append(current)
      next = entities[current]?.attributes["parentEntity"]
    }
    return line
  }

  /// The entity and all that descend from it, as far as they have objects of their own.
  func family(_ name: String) -> [String] {
    entities.keys.filter {
      lineage($0).contains(name) && entities[$0]?.attributes["isAbstract"] != "YES"
    }.sorted()
  }

  /// The entity that declares a property which an entity has.
  func declaring(_ property: String, of entity: String) -> String? {
    lineage(entity).first {
      entities[$0]?.properties[property] != nil || entities[$0]?.relationships[property] != nil
    }
  }
}
