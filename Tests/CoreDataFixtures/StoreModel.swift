/// The fixture's model, as the archive that a store keeps and as Xcode's XML.
package enum StoreModel {
  package struct Property {
    package var name: String
    /// Of an attribute; nil of a relationship.
    package var type: String?
    package var isOptional = true
    package var isExternal = false
    package var destination = ""
    package var isToMany = false
    package var isOrdered = false
    package var inverse: String?
    package var defaultValue: String?

    package init(
      name: String, type: String? = nil, isOptional: Bool = true, isExternal: Bool = false,
      destination: String = "", isToMany: Bool = false, isOrdered: Bool = false,
      inverse: String? = nil, defaultValue: String? = nil
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.isExternal = isExternal
      self.destination = destination
      self.isToMany = isToMany
      self.isOrdered = isOrdered
      self.inverse = inverse
      self.defaultValue = defaultValue
    }

    package static func to(
      _ name: String, _ destination: String, many: Bool = false, ordered: Bool = false,
      inverse: String? = nil
    ) -> Property {
      Property(
        name: name, destination: destination, isToMany: many, isOrdered: ordered, inverse: inverse)
    }
  }

  package struct Entity {
    package var name: String
    package var parent: String?
    package var properties: [Property]

    package init(name: String, parent: String? = nil, properties: [Property]) {
      self.name = name
      self.parent = parent
      self.properties = properties
    }
  }

  package static let entities = [
    Entity(
      name: "Company",
      properties: [
        Property(name: "name", type: "String"),
        .to("staff", "Person", many: true, ordered: true, inverse: "company"),
      ]),
    Entity(
      name: "Person",
      properties: [
        Property(name: "birthday", type: "Date"),
        .to("company", "Company", inverse: "staff"),
        Property(name: "flag", type: "Boolean", isOptional: false, defaultValue: "NO"),
        .to("friends", "Person", many: true, inverse: "friends"),
        Property(name: "name", type: "String", isOptional: false),
        Property(name: "photo", type: "Binary", isExternal: true),
        Property(name: "rate", type: "Double"), Property(name: "score", type: "Decimal"),
        Property(name: "settings", type: "Transformable"), Property(name: "site", type: "URI"),
        .to("tags", "Tag", many: true, inverse: "people"), Property(name: "token", type: "UUID"),
      ]),
    Entity(
      name: "Employee", parent: "Person",
      properties: [
        .to("boss", "Person"), Property(name: "note", type: "String"),
        Property(name: "salary", type: "Integer 32", isOptional: false, defaultValue: "0"),
      ]),
    Entity(
      name: "Guest", parent: "Person", properties: [Property(name: "note", type: "String")]),
    Entity(
      name: "Tag",
      properties: [
        Property(name: "label", type: "String"),
        .to("people", "Person", many: true, inverse: "tags"),
      ]),
  ]

  private static let types = [
    "Integer 32": 200, "Decimal": 400, "Double": 500, "String": 700, "Boolean": 800, "Date": 900,
    "Binary": 1000, "UUID": 1100, "URI": 1200, "Transformable": 1800, "Composite": 2100,
    "Integer 64": 300,
  ]

  package static func archive(_ entities: [Entity]) -> [UInt8] {
    var writer = ArchiveWriter()
    func name(_ writer: inout ArchiveWriter, _ text: String) -> ArchiveWriter.Value {
      .uid(writer.add(.string(text)))
    }
    func kind(_ writer: inout ArchiveWriter, _ text: String) -> ArchiveWriter.Value {
      .uid(writer.add(.dictionary([("$classname", .string(text))])))
    }
    let places = Dictionary(
      uniqueKeysWithValues: entities.map { ($0.name, writer.add(.string(""))) })
    for entity in entities {
      var objects: [ArchiveWriter.Value] = []
      // Each entity has what its ancestors declare, too.
      let parent = entities.first { $0.name == entity.parent }
      for property in (parent?.properties ?? []) + entity.properties {
        var pairs: [(String, ArchiveWriter.Value)] = [
          ("NSPropertyName", name(&writer, property.name)),
          ("NSIsOptional", .bool(property.isOptional)),
          ("NSEntity", .uid(places[entity.name] ?? 0)),
        ]
        if let type = property.type {
          pairs.append(("$class", kind(&writer, "NSAttributeDescription")))
          pairs.append(("NSAttributeType", .int(types[type] ?? 0)))
          pairs.append(("NSFlagsKey", .int(property.isExternal ? 4 : 0)))
          pairs.append(
            (
              "NSDefaultValue",
              property.defaultValue.map { $0 == "NO" ? .bool(false) : .int(Int($0) ?? 0) }
                ?? .uid(0)
            ))
        } else {
          pairs.append(("$class", kind(&writer, "NSRelationshipDescription")))
          pairs.append(("_NSDestinationEntityName", name(&writer, property.destination)))
          pairs.append(
            ("_NSInverseRelationshipName", property.inverse.map { name(&writer, $0) } ?? .uid(0)))
          pairs.append(("NSMaxCount", .int(property.isToMany ? 0 : 1)))
          pairs.append(("NSMinCount", .int(0)))
          pairs.append(("NSDeleteRule", .int(1)))
          if property.isOrdered { pairs.append(("NSIsOrdered", .bool(true))) }
        }
        objects.append(.uid(writer.add(.dictionary(pairs))))
      }
      let properties = writer.add(.dictionary([("NS.objects", .array(objects))]))
      let kind = kind(&writer, "NSEntityDescription")
      writer.set(
        places[entity.name] ?? 0,
        .dictionary([
          ("$class", kind), ("NSEntityName", name(&writer, entity.name)),
          ("NSProperties", .uid(properties)),
          ("NSSuperentity", .uid(entity.parent.flatMap { places[$0] } ?? 0)),
        ]))
    }
    return writer.bytes(root: entities.first.flatMap { places[$0.name] } ?? 0)
  }

  /// The entities in Xcode's words.
  package static func xml(_ entities: [Entity]) -> String {
    entities.map { entity in
      let parent = entity.parent.map { " parentEntity=\"\($0)\"" } ?? ""
      let properties = entity.properties.map { property in
        let optional = property.isOptional ? " optional=\"YES\"" : ""
        if let type = property.type {
          let external = property.isExternal ? " allowsExternalBinaryDataStorage=\"YES\"" : ""
          let value = property.defaultValue.map { " defaultValueString=\"\($0)\"" } ?? ""
          return
            "<attribute name=\"\(property.name)\"\(optional) attributeType=\"\(type)\"\(external)\(value)/>"
        }
        let count = property.isToMany ? " toMany=\"YES\"" : " maxCount=\"1\""
        let order = property.isOrdered ? " ordered=\"YES\"" : ""
        let inverse =
          property.inverse.map {
            " inverseName=\"\($0)\" inverseEntity=\"\(property.destination)\""
          } ?? ""
        return
          "<relationship name=\"\(property.name)\"\(optional)\(count)\(order)\(inverse) deletionRule=\"Nullify\" destinationEntity=\"\(property.destination)\"/>"
      }
      return "<entity name=\"\(entity.name)\"\(parent)>\(properties.joined())</entity>"
    }.joined(separator: "\n")
  }
}
