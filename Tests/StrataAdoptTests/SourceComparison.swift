import StrataAdopt
import StrataSchema

/// Collects what of a source is neither in the result as it was nor in the report.
struct SourceComparison {
  let version: AdoptedVersion
  /// What compiling the written version gives.
  let schema: Schema
  private(set) var differences: [String] = []
  /// How many facts were held against the result.
  private(set) var count = 0
  private var reasonsAt: [String: [String]] = [:]

  init(_ version: AdoptedVersion, _ schema: Schema) {
    self.version = version
    self.schema = schema
    for note in version.notes {
      reasonsAt["\(note.entity).\(note.property ?? "")", default: []].append(note.reason)
    }
  }

  func reasons(_ entity: String, _ property: String?) -> [String] {
    reasonsAt["\(entity).\(property ?? "")"] ?? []
  }

  /// Our name for something of the source.
  func name(_ entity: String, _ property: String? = nil) -> String {
    for reason in reasons(entity, property) where reason.hasPrefix("it is called '") {
      if reason.contains("no legal name") {
        return String(reason.dropFirst("it is called '".count).prefix { $0 != "'" })
      }
    }
    return property ?? entity
  }

  func model(_ entity: String) -> Model? { schema.model(named: name(entity)) }

  func property(_ entity: String, _ property: String) -> Property? {
    model(entity)?.property(named: name(entity, property))
  }

  /// One fact: it holds, or a line of the report about the same thing has one of the words.
  mutating func expect(
    _ holds: Bool, _ entity: String, _ property: String? = nil, _ what: String,
    orReported words: [String]
  ) {
    count += 1
    guard !holds else { return }
    let isReported = reasons(entity, property).contains { reason in
      words.contains { reason.contains($0) }
    }
    if !isReported {
      differences.append("\(version.name) \(entity).\(property ?? ""): \(what)")
    }
  }

  /// What has to be unique together in the result.
  func uniques(_ entity: String) -> Set<Set<String>> {
    guard let model = model(entity) else { return [] }
    var sets = Set(model.uniques.map { Set($0) })
    for property in model.properties where property.isUnique { sets.insert([property.name]) }
    if !model.primaryKey.isEmpty { sets.insert(Set(model.primaryKey)) }
    return sets
  }

  func isIndexed(_ entity: String, _ columns: [String]) -> Bool {
    let names = columns.map { name(entity, $0) }
    guard let model = model(entity) else { return false }
    if names.count == 1, let property = model.property(named: names[0]) {
      return property.index == .ordinary || property.type.linkedModel != nil
    }
    return model.indexes.contains(names)
  }
}

/// A Core Data model against what was made of it.
extension SourceComparison {
  static let attributeTypes: [String: String] = [
    "Integer 16": "int16", "Integer 32": "int32", "Integer 64": "int64", "Boolean": "bool",
    "String": "string", "Date": "date", "Binary": "data", "Double": "double", "Float": "float",
    "Decimal": "decimal", "UUID": "uuid",
  ]

  mutating func compare(_ facts: CoreDataFacts) {
    expect(
      Set(schema.models.map(\.name)) == Set(facts.entities.keys.map { name($0) }), "", nil,
      "the entities are not the models", orReported: [])
    for (entity, fact) in facts.entities {
      guard let model = model(entity) else { continue }
      expect(
        model.isAbstract == (fact.attributes["isAbstract"] == "YES"), entity, nil, "abstract",
        orReported: [])
      expect(
        model.extends == fact.attributes["parentEntity"].map { name($0) }, entity, nil, "parent",
        orReported: [])
      let className = fact.attributes["representedClassName"]?.split(separator: ".").last
      expect(
        className == nil || className == "NSManagedObject"
          || model.swiftName ?? model.name == String(className ?? ""), entity, nil, "class name",
        orReported: ["its class"])
      for (name, attribute) in fact.properties { compare(attribute, entity, name) }
      for (name, relationship) in fact.relationships {
        compare(relationship, entity, name, facts)
      }
      compareKeys(fact, entity, facts)
      for other in fact.others {
        expect(false, entity, other.name, other.element, orReported: [other.element, "fetched"])
      }
      for (property, key) in fact.userInfo {
        expect(false, entity, property, "userInfo \(key)", orReported: ["userInfo: \(key)"])
      }
      // Nothing is there that the source does not have.
      var known = Set(
        facts.lineage(entity).flatMap { ancestor in
          let found = facts.entities[ancestor]
          return ((found?.properties.keys).map(Array.init) ?? []).map { name(ancestor, $0) }
            + ((found?.relationships.keys).map(Array.init) ?? []).map { name(ancestor, $0) }
        })
      for (name, relationship) in fact.relationships where property(entity, name) == nil {
        let holders = facts.family(relationship["destinationEntity"] ?? "")
        known.formUnion(holders.map { "\(self.name(entity, name))Of\(self.name($0))" })
      }
      expect(
        Set(model.properties.map(\.name)).isSubset(of: known), entity, nil, "more properties",
        orReported: [])
    }
  }

  private mutating func compare(
    _ fact: [String: String], _ entity: String, _ name: String
  ) {
    guard let found = property(entity, name) else {
      expect(false, entity, name, "is not there", orReported: ["there is no type"])
      return
    }
    let isTransient = fact["transient"] == "YES"
    expect(found.isIgnored == isTransient, entity, name, "transient", orReported: [])
    let type = fact["attributeType"].flatMap { Self.attributeTypes[$0] }
    expect(
      found.type.valueType?.base.name == type, entity, name,
      "type \(fact["attributeType"] ?? "none")", orReported: ["kept as", "has no type"])
    guard case .value = found.type else {
      expect(false, entity, name, "is no single value", orReported: [])
      return
    }
    expect(
      found.type.valueType?.isOptional == (fact["optional"] == "YES"), entity, name, "optional",
      orReported: ["has no type"])
    expect(
      found.index == (fact["indexed"] == "YES" ? .ordinary : .none)
        || isIndexed(entity, [name]), entity, name, "indexed",
      orReported: ["its index", "transient"])
    expect(
      found.defaultValue == value(fact, type), entity, name,
      "default \(fact["defaultValueString"] ?? "")", orReported: ["its default"])
    for key in [
      "allowsExternalBinaryDataStorage", "minValueString", "maxValueString",
      "regularExpressionString",
      "versionHashModifier", "allowsCloudEncryption",
    ] where fact[key] != nil {
      expect(false, entity, name, key, orReported: ["\(key) = "])
    }
    if fact["derivationExpression"] != nil {
      expect(false, entity, name, "derived", orReported: ["it is derived"])
    }
  }

  private func value(_ fact: [String: String], _ type: String?) -> Value? {
    if let seconds = fact["defaultDateTimeInterval"].flatMap(Double.init) { return .date(seconds) }
    guard let spelled = fact["defaultValueString"], let type else { return nil }
    if type == "bool" { return .bool(spelled == "YES") }
    // A number may have the word of a truth value.
    let text =
      type == "string" ? spelled : spelled == "YES" ? "1" : spelled == "NO" ? "0" : spelled
    switch type {
    case "int16", "int32", "int64": return Double(text).map { .int(Int64($0)) }
    case "double": return Double(text).map { .double($0) }
    case "float": return Float(text).map { .float($0) }
    case "decimal": return DecimalValue(text).map { .decimal($0) }
    case "string": return .string(text)
    default: return nil
    }
  }

  private mutating func compare(
    _ fact: [String: String], _ entity: String, _ name: String, _ facts: CoreDataFacts
  ) {
    guard let found = property(entity, name) else {
      compareDerived(fact, entity, name, facts)
      return
    }
    let isToMany = fact["toMany"] == "YES"
    let isOrdered = fact["ordered"] == "YES"
    let cardinality: String =
      switch found.type {
      case .value: "one"
      case .list: "ordered"
      case .set, .inverse: "many"
      case .map: "map"
      }
    expect(
      cardinality == (!isToMany ? "one" : isOrdered ? "ordered" : "many"), entity, name,
      "cardinality \(cardinality)", orReported: [])
    let destination = fact["destinationEntity"] ?? ""
    expect(
      found.type.linkedModel == self.name(destination), entity, name, "destination \(destination)",
      orReported: ["it is of type any", "the one model that has it"])
    if isToMany {
      expect(
        fact["optional"] == "YES", entity, name, "may be empty", orReported: ["it may be empty"])
    } else {
      expect(
        found.type.valueType?.isOptional == (fact["optional"] == "YES"), entity, name, "optional",
        orReported: ["it is optional"])
    }
    expect(
      found.isIgnored == (fact["transient"] == "YES"), entity, name, "transient", orReported: [])
    compareDeleteRule(fact, entity, name, facts)
  }

  /// A relationship without a property of its name: all that it says stands in its inverse, which is stored, and where that leads to
  /// one model, each model that has the inverse is asked by a property.
  private mutating func compareDerived(
    _ fact: [String: String], _ entity: String, _ name: String, _ facts: CoreDataFacts
  ) {
    let reported = ["it is computed from", "it is stored once"]
    expect(false, entity, name, "is not there", orReported: reported)
    expect(
      fact["toMany"] == "YES" && fact["ordered"] != "YES" && fact["transient"] != "YES", entity,
      name, "has something that its inverse has not", orReported: [])
    let (inverse, other) = (fact["inverseName"] ?? "", fact["inverseEntity"] ?? "")
    let link = facts.declaring(inverse, of: other).flatMap { property($0, inverse) }
    expect(link?.isStored == true, entity, name, "its inverse is not stored", orReported: [])
    if link?.type.linkedModel == self.name(entity) {
      for holder in facts.family(fact["destinationEntity"] ?? "") {
        let computed = "\(self.name(entity, name))Of\(self.name(holder))"
        expect(
          model(entity)?.property(named: computed)?.type
            == .inverse(model: self.name(holder), property: link?.name ?? ""), entity, name,
          "is not computed as \(computed)", orReported: [])
      }
    }
    compareDeleteRule(fact, entity, name, facts)
  }

  /// Core Data says at a relationship what becomes of the destination; that is at the inverse here.
  private mutating func compareDeleteRule(
    _ fact: [String: String], _ entity: String, _ name: String, _ facts: CoreDataFacts
  ) {
    let rule = fact["deletionRule"] ?? "Nullify"
    guard let inverse = fact["inverseName"], let other = fact["inverseEntity"],
      let holder = facts.declaring(inverse, of: other)
    else {
      expect(
        rule == "Nullify", entity, name, "delete rule \(rule)", orReported: ["its delete rule"])
      return
    }
    guard let link = property(holder, inverse) else {
      expect(
        rule == "Nullify", holder, inverse, "delete rule \(rule) of \(entity).\(name)",
        orReported: ["delete rule"])
      return
    }
    let isRequired = link.type.isToOne && link.type.valueType?.isOptional == false
    let expected: Property.DeleteRule =
      rule == "Cascade" ? .cascade : rule == "Deny" || isRequired ? .deny : .nullify
    expect(
      link.type.isInverse || link.isIgnored ? rule == "Nullify" : link.deleteRule == expected,
      holder, inverse, "delete rule \(rule) of \(entity).\(name)", orReported: ["delete rule"])
  }

  private mutating func compareKeys(
    _ fact: CoreDataFacts.Entity, _ entity: String, _ facts: CoreDataFacts
  ) {
    let line = facts.lineage(entity)
    let declared = fact.uniques.map { Set($0.map { name(entity, $0) }) }
    for unique in declared {
      expect(
        uniques(entity).contains(unique), entity, nil, "unique \(unique)",
        orReported: ["uniqueness"])
    }
    let all = Set(line.flatMap { facts.entities[$0]?.uniques ?? [] }.map { Set($0) })
    expect(
      uniques(entity).count <= all.count, entity, nil, "more uniqueness than there was",
      orReported: [])
    for index in fact.indexes {
      expect(
        isIndexed(entity, index), entity, nil, "index \(index)", orReported: ["the index"])
    }
  }
}
