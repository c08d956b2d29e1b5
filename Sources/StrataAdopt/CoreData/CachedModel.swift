/// The model that a Core Data store keeps of itself, in the words of the XML that Xcode writes.
enum CachedModel {
  /// Bytes of an unpacked model.
  static let maximumSize = 64 << 20

  private static let types: [Int64: String] = [
    0: "Undefined", 100: "Integer 16", 200: "Integer 32", 300: "Integer 64", 400: "Decimal",
    500: "Double", 600: "Float", 700: "String", 800: "Boolean", 900: "Date", 1000: "Binary",
    1100: "UUID", 1200: "URI", 1800: "Transformable", 2000: "Object ID", 2100: "Composite",
  ]
  private static let rules = ["No Action", "Nullify", "Cascade", "Deny"]
  /// A bit of an attribute's flags: its larger values are files of their own.
  private static let externalFlag: Int64 = 4

  /// - Parameter content: what stands in Z_MODELCACHE.
  /// - Returns: nil for what cannot be read.
  static func read(_ content: [UInt8]) -> XMLNode? {
    var bytes = content
    if !BinaryPropertyList.isOne(bytes) {
      // With the header of zlib, or without.
      let body = bytes.first == 0x78 ? Array(bytes.dropFirst(2)) : bytes
      guard
        let unpacked = Inflate.unpack(bytes, limit: maximumSize)
          ?? Inflate.unpack(body, limit: maximumSize)
      else { return nil }
      bytes = unpacked
    }
    guard let archive = KeyedArchive(bytes) else { return nil }
    let found = model(archive)
    return archive.isExhausted ? nil : found
  }

  private static func model(_ archive: KeyedArchive) -> XMLNode? {
    let entities = archive.objects.filter { archive.className($0) == "NSEntityDescription" }
    guard !entities.isEmpty, entities.count <= CoreDataMapping.maximumEntities else { return nil }
    var nodes: [String: XMLNode] = [:]
    for entity in entities {
      guard let name = archive.string(entity, "NSEntityName"), nodes[name] == nil else {
        return nil
      }
      var node = XMLNode(name: "entity", attributes: ["name": name])
      node.attributes["parentEntity"] = archive.string(
        archive.member(entity, "NSSuperentity"), "NSEntityName")
      if archive.int(entity, "NSIsAbstract") == 1 { node.attributes["isAbstract"] = "YES" }
      addIdentity(archive, entity, of: name, to: &node)
      let properties = archive.elements(archive.member(entity, "NSProperties"))
      guard properties.count <= CoreDataMapping.maximumProperties else { return nil }
      node.children = properties.compactMap { property(archive, $0) }
        .sorted { ($0.attributes["name"] ?? "") < ($1.attributes["name"] ?? "") }
      node.children += indexes(archive, entity)
      nodes[name] = node
    }
    // What ancestors declare stands in each entity again.
    var result = XMLNode(name: "model")
    for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
      var inherited: Set<String> = []
      var parent = node.attributes["parentEntity"]
      var depth = 0
      while let next = parent.flatMap({ nodes[$0] }), depth <= 16 {
        inherited.formUnion(next.children.compactMap { $0.attributes["name"] })
        parent = next.attributes["parentEntity"]
        depth += 1
      }
      guard depth <= 16 else { return nil }
      var own = node
      own.children.removeAll { inherited.contains($0.attributes["name"] ?? "") }
      own.attributes["name"] = name
      result.children.append(own)
    }
    return result
  }

  private static func addIdentity(
    _ archive: KeyedArchive, _ object: Int, of name: String, to node: inout XMLNode
  ) {
    let identifier = archive.string(object, "NSRenamingIdentifier")
    if let identifier, identifier != name { node.attributes["elementID"] = identifier }
    node.attributes["versionHashModifier"] = archive.string(object, "NSVersionHashModifier")
  }

  private static func property(_ archive: KeyedArchive, _ object: Int) -> XMLNode? {
    // An inherited one may be a proxy, which has no name.
    guard let name = archive.string(object, "NSPropertyName") else { return nil }
    var node = XMLNode(name: "attribute", attributes: ["name": name])
    addIdentity(archive, object, of: name, to: &node)
    for (key, attribute) in [
      ("NSIsOptional", "optional"), ("NSIsTransient", "transient"), ("NSIsIndexed", "indexed"),
      ("NSIsOrdered", "ordered"),
    ] where archive.int(object, key) == 1 { node.attributes[attribute] = "YES" }
    let className = archive.className(object) ?? ""
    switch className {
    case "NSRelationshipDescription": addRelationship(archive, object, to: &node)
    case "NSFetchedPropertyDescription": node.name = "fetchedProperty"
    case "NSExpressionDescription": return nil
    default:
      let type = archive.int(object, "NSAttributeType") ?? 0
      node.attributes["attributeType"] = types[type] ?? "type \(type)"
      node.attributes["valueTransformerName"] = archive.string(object, "NSValueTransformerName")
      if className.contains("Derived") { node.attributes["derived"] = "YES" }
      if (archive.int(object, "NSFlagsKey") ?? 0) & externalFlag != 0 {
        node.attributes["allowsExternalBinaryDataStorage"] = "YES"
      }
      addDefault(archive, object, type, to: &node)
    }
    return node
  }

  private static func addDefault(
    _ archive: KeyedArchive, _ object: Int, _ type: Int64, to node: inout XMLNode
  ) {
    guard let value = archive.member(object, "NSDefaultValue") else { return }
    let text: String?
    switch archive.list.objects[value] {
    case .bool(let flag): text = type == 800 ? (flag ? "YES" : "NO") : flag ? "1" : "0"
    case .int(let number): text = type == 800 ? (number == 0 ? "NO" : "YES") : String(number)
    case .real(let number): text = "\(number)"
    case .string(let found): text = found
    default:
      if case .real(let seconds)? = archive.member(value, "NS.time").map({
        archive.list.objects[$0]
      }) {
        node.attributes["defaultDateTimeInterval"] = "\(seconds)"
        return
      }
      text = archive.string(value, "NS.string")
    }
    if let text {
      node.attributes["defaultValueString"] = text
    } else {
      node.attributes["default"] = archive.className(value) ?? "unknown"
    }
  }

  private static func addRelationship(
    _ archive: KeyedArchive, _ object: Int, to node: inout XMLNode
  ) {
    node.name = "relationship"
    let destination = archive.member(object, "NSDestinationEntity")
    node.attributes["destinationEntity"] =
      archive.string(object, "_NSDestinationEntityName")
      ?? archive.string(destination, "NSEntityName")
    let inverse = archive.member(object, "NSInverseRelationship")
    let name =
      archive.string(object, "_NSInverseRelationshipName")
      ?? archive.string(inverse, "NSPropertyName")
    if let name {
      node.attributes["inverseName"] = name
      node.attributes["inverseEntity"] =
        archive.string(archive.member(inverse, "NSEntity"), "NSEntityName")
        ?? node.attributes["destinationEntity"]
    }
    let (least, most) = (
      archive.int(object, "NSMinCount") ?? 0, archive.int(object, "NSMaxCount") ?? 0
    )
    if most != 1 { node.attributes["toMany"] = "YES" }
    if most != 0 { node.attributes["maxCount"] = String(most) }
    if least != 0 { node.attributes["minCount"] = String(least) }
    let rule = Int(archive.int(object, "NSDeleteRule") ?? 1)
    node.attributes["deletionRule"] = rules.indices.contains(rule) ? rules[rule] : "Nullify"
  }

  /// Fetch indexes, compound ones, and what has to be unique.
  private static func indexes(_ archive: KeyedArchive, _ entity: Int) -> [XMLNode] {
    var nodes: [XMLNode] = []
    for index in archive.elements(archive.member(entity, "NSFetchIndexDescriptions")) {
      var node = XMLNode(
        name: "fetchIndex", attributes: ["name": archive.string(index, "NSIndexName") ?? ""])
      for element in archive.elements(archive.member(index, "NSIndexElements")) {
        var child = XMLNode(name: "fetchIndexElement")
        child.attributes["property"] = archive.string(element, "NSPropertyName")
        if archive.int(element, "NSFetchIndexElementType") == 1 {
          child.attributes["type"] = "RTree"
        }
        if archive.int(element, "NSAscending") == 0 { child.attributes["order"] = "descending" }
        node.children.append(child)
      }
      if archive.member(index, "NSPartialIndexPredicate") != nil {
        node.attributes["partialIndexPredicate"] = "a predicate"
      }
      nodes.append(node)
    }
    func names(_ list: Int) -> [String] {
      archive.elements(list).compactMap {
        archive.list.string($0) ?? archive.string($0, "NS.string")
          ?? archive.string($0, "NSPropertyName")
      }
    }
    var compounds = XMLNode(name: "compoundIndexes")
    for index in archive.elements(archive.member(entity, "NSCompoundIndexes")) {
      compounds.children.append(
        XMLNode(
          name: "compoundIndex",
          children: names(index).map { XMLNode(name: "index", attributes: ["value": $0]) }))
    }
    if !compounds.children.isEmpty { nodes.append(compounds) }
    return nodes
  }
}
