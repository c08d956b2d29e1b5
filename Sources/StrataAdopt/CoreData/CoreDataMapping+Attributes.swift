import StrataSchema

extension CoreDataMapping {
  static let relationshipKeys: Set<String> = [
    "name", "destinationEntity", "toMany", "optional", "ordered", "deletionRule", "inverseName",
    "inverseEntity", "transient", "minCount", "maxCount", "elementID", "syncable",
  ]
  private static let attributeKeys: Set<String> = [
    "name", "attributeType", "optional", "transient", "indexed", "defaultValueString",
    "defaultDateTimeInterval", "usesScalarValueType", "valueTransformerName", "customClassName",
    "elementID", "syncable", "derived", "derivationExpression",
  ]
  private static let entityKeys: Set<String> = [
    "name", "representedClassName", "parentEntity", "isAbstract", "syncable", "elementID",
    "codeGenerationType", "coreSpotlightDisplayNameExpression",
  ]

  mutating func noteUnknown(
    _ node: XMLNode, known: Set<String>, _ entity: String, _ property: String?
  ) {
    for (key, value) in node.attributes.sorted(by: { $0.key < $1.key }) where !known.contains(key) {
      note(.leftOut, entity, property, "\(key) = \(value)")
    }
    for child in node.children where child.name == "userInfo" {
      for entry in child.elements("entry") {
        note(
          .leftOut, entity, property,
          "userInfo: \(entry.attributes["key"] ?? "") = \(entry.attributes["value"] ?? "")")
      }
    }
  }

  mutating func attribute(
    _ node: XMLNode, _ names: (name: String, swiftName: String?), of entity: String
  ) -> Property? {
    let source = node.attributes["name"] ?? names.name
    let written = node.attributes["attributeType"] ?? "Undefined"
    let isTransient = node.attributes["transient"] == "YES"
    let type: ScalarType
    switch written {
    case "Integer 16": type = .int16
    case "Integer 32": type = .int32
    case "Integer 64": type = .int64
    case "Decimal": type = .decimal
    case "Double": type = .double
    case "Float": type = .float
    case "String": type = .string
    case "Boolean": type = .bool
    case "Date": type = .date
    case "Binary": type = .data
    case "UUID": type = .uuid
    case "URI":
      type = .string
      note(.changed, entity, source, "it is a URI, kept as its text")
    case "Transformable":
      type = .data
      let details = [node.attributes["customClassName"], node.attributes["valueTransformerName"]]
        .compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
      note(
        .changed, entity, source,
        "it is transformable\(details.isEmpty ? "" : " (\(details))"), kept as the archive's bytes")
    case "Undefined", "Object ID":
      type = .any
      if !isTransient { note(.changed, entity, source, "its type is \(written), kept as any") }
    default:
      note(
        .leftOut, entity, source,
        written == "Composite"
          ? "it is a composite attribute: write its parts as an embedded model"
          : "there is no type for \(written)")
      return nil
    }
    if isTransient {
      note(
        .changed, entity, source,
        "it is transient\(type == .any ? " and has no type" : ""): in the class and not in the file (ignored)"
      )
    }
    if node.attributes["derived"] == "YES" || node.attributes["derivationExpression"] != nil {
      note(
        .changed, entity, source,
        "it is derived (\(node.attributes["derivationExpression"] ?? "")): it is stored, and no longer computed"
      )
    }
    let defaultValue = defaultValue(of: node, type: type, written: written, entity)
    var property = Property(
      name: names.name, swiftName: names.swiftName,
      type: .value(ValueType(.scalar(type), isOptional: node.attributes["optional"] == "YES")),
      defaultValue: defaultValue, isIgnored: isTransient)
    if isTransient, type == .any, defaultValue == nil {
      property.type = .value(ValueType(.scalar(.any), isOptional: true))
    }
    if node.attributes["indexed"] == "YES", !isTransient {
      if property.isIndexable {
        property.index = .ordinary
      } else {
        note(.leftOut, entity, source, "its index: \(written) cannot be indexed")
      }
    }
    noteUnknown(node, known: Self.attributeKeys, entity, source)
    return property
  }

  private mutating func defaultValue(
    of node: XMLNode, type: ScalarType, written: String, _ entity: String
  ) -> Value? {
    let source = node.attributes["name"] ?? ""
    if let interval = node.attributes["defaultDateTimeInterval"] {
      if type == .date, let seconds = Double(interval), seconds.isFinite { return .date(seconds) }
      note(.leftOut, entity, source, "its default \(interval) is no date")
      return nil
    }
    guard let spelled = node.attributes["defaultValueString"] else { return nil }
    // Xcode keeps the word of a truth value when an attribute becomes a number.
    let text =
      type.isInteger || type == .double || type == .float
      ? ["YES": "1", "NO": "0"][spelled] ?? spelled : spelled
    let value: Value? =
      switch type {
      case .bool:
        ["YES", "1", "true"].contains(text)
          ? .bool(true) : ["NO", "0", "false"].contains(text) ? .bool(false) : nil
      case .int16, .int32, .int64:
        (Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }).flatMap { number in
          type.integerRange?.contains(number) == true ? .int(number) : nil
        }
      case .double: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
      case .float: Float(text).flatMap { $0.isFinite ? .float($0) : nil }
      case .decimal: DecimalValue(text).map { .decimal($0) }
      case .string: .string(text)
      case .uuid: UUIDValue(text).map { .uuid($0) }
      default: nil
      }
    if value == nil, !text.isEmpty || type == .string {
      note(.leftOut, entity, source, "its default '\(text)' is no \(written)")
    }
    return value
  }

  // MARK: Keys

  mutating func readKeys(of index: Int) {
    let node = entities[index].node
    let entity = entities[index].sourceName
    noteUnknown(node, known: Self.entityKeys, entity, nil)
    for compound in node.elements("compoundIndexes").flatMap({ $0.elements("compoundIndex") }) {
      addIndex(over: compound.elements("index").compactMap { $0.attributes["value"] }, of: index)
    }
    for fetchIndex in node.elements("fetchIndex") {
      let name = fetchIndex.attributes["name"] ?? ""
      let elements = fetchIndex.elements("fetchIndexElement")
      let names = elements.compactMap { $0.attributes["property"] }
      if names.count < elements.count
        || elements.contains(where: { $0.attributes["type"] == "RTree" })
      {
        note(.leftOut, entity, nil, "the index '\(name)': it is over an expression or spatial")
        continue
      }
      if elements.contains(where: { $0.attributes["order"] == "descending" }) {
        note(.changed, entity, nil, "the index '\(name)' is ascending")
      }
      if let predicate = fetchIndex.attributes["partialIndexPredicate"] {
        note(
          .changed, entity, nil,
          "the index '\(name)' is over all objects, not only those with \(predicate)")
      }
      addIndex(over: names, of: index)
    }
    let constraints = node.elements("uniquenessConstraints").flatMap {
      $0.elements("uniquenessConstraint")
    }
    for constraint in constraints {
      let names = constraint.elements("constraint").compactMap { $0.attributes["value"] }
      let found = names.compactMap { property(named: $0, of: index) }
      guard found.count == names.count, !names.isEmpty, found.allSatisfy(\.isComparable) else {
        note(
          .leftOut, entity, nil,
          "the uniqueness of \(names.joined(separator: ", ")): its types cannot be unique")
        continue
      }
      if found.count == 1, let place = entities[index].properties.firstIndex(of: found[0]) {
        entities[index].properties[place].isUnique = true
      } else if found.count > 1 {
        entities[index].uniques.append(found.map(\.name))
      } else {
        note(
          .leftOut, entity, names.first,
          "the uniqueness of \(names.joined(separator: ", ")): it is inherited")
      }
    }
    for child in node.children where child.name == "fetchedProperty" {
      note(.leftOut, entity, child.attributes["name"], "it is a fetched property")
    }
    let known: Set<String> = [
      "attribute", "relationship", "userInfo", "compoundIndexes", "fetchIndex",
      "uniquenessConstraints", "fetchedProperty",
    ]
    for child in node.children where !known.contains(child.name) {
      note(.leftOut, entity, child.attributes["name"], "<\(child.name)> has no equivalent")
    }
  }

  private func property(named source: String, of index: Int) -> Property? {
    for ancestor in lineage(index) {
      if let name = entities[ancestor].names[source]?.name {
        return entities[ancestor].properties.first { $0.name == name }
      }
    }
    return nil
  }

  private mutating func addIndex(over names: [String], of index: Int) {
    let entity = entities[index].sourceName
    let found = names.compactMap { property(named: $0, of: index) }
    if found.count == 1, names.count == 1, found[0].type.linkedModel != nil, found[0].isStored {
      return
    }
    guard found.count == names.count, !names.isEmpty, found.allSatisfy(\.isComparable) else {
      note(
        .leftOut, entity, nil,
        "the index over \(names.joined(separator: ", ")): its types cannot be indexed")
      return
    }
    if found.count == 1 {
      if let place = entities[index].properties.firstIndex(of: found[0]) {
        entities[index].properties[place].index = .ordinary
      } else {
        note(.leftOut, entity, names.first, "its index: it is inherited")
      }
    } else if !lineage(index).contains(where: { entities[$0].indexes.contains(found.map(\.name)) })
    {
      entities[index].indexes.append(found.map(\.name))
    }
  }

  /// What stands beside the entities.
  mutating func readRest() {
    for child in root.children {
      switch child.name {
      case "entity", "elements": break
      case "configuration":
        note(.leftOut, "", nil, "the configuration '\(child.attributes["name"] ?? "")'")
      case "fetchRequest":
        note(
          .leftOut, child.attributes["entity"] ?? "", nil,
          "the fetch request '\(child.attributes["name"] ?? "")'")
      default:
        let parts = child.children.compactMap { $0.attributes["name"] }.joined(separator: ", ")
        note(
          .leftOut, "", nil,
          "<\(child.name)> \(child.attributes["name"] ?? "")\(parts.isEmpty ? "" : " with \(parts)")"
        )
      }
    }
  }
}

extension Property {
  /// Whether the language takes `indexed: true`.
  var isIndexable: Bool {
    guard isStored, case .value(let value) = type, case .scalar(let scalar) = value.base else {
      return false
    }
    return scalar.isInteger || [.bool, .date, .string, .uuid, .objectID].contains(scalar)
  }

  /// Whether the language takes it as unique, or as a part of a compound index.
  var isComparable: Bool { isIndexable || (isStored && type.isToOne) }
}
