import Foundation
import StrataSQLite

/// A store as Core Data writes it: companies with their staff in order, people, of whom employees are some, tags and friends.
final class StoreFixture {
  let scratch: AdoptScratch
  let path: String

  /// The tables and rows, by hand.
  private static let script = """
    CREATE TABLE ZCOMPANY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFLAG INTEGER, ZSALARY INTEGER,
      ZCOMPANY INTEGER, Z_FOK_COMPANY INTEGER, ZBOSS INTEGER, Z2_BOSS INTEGER, ZBIRTHDAY TIMESTAMP, ZRATE FLOAT,
      ZSCORE DECIMAL, ZNAME VARCHAR, ZNOTE VARCHAR, ZNOTE1 VARCHAR, ZSITE VARCHAR, ZPHOTO BLOB, ZSETTINGS BLOB, ZTOKEN BLOB);
    CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR);
    CREATE UNIQUE INDEX Z_Tag_UNIQUE_label ON ZTAG (ZLABEL COLLATE BINARY ASC);
    CREATE TABLE Z_2TAGS (Z_2PEOPLE INTEGER, Z_5TAGS INTEGER, PRIMARY KEY (Z_2PEOPLE, Z_5TAGS));
    CREATE TABLE Z_2FRIENDS (Z_2FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_2FRIENDS, REFLEXIVE));
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY);
    INSERT INTO ATRANSACTION VALUES (1);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Company', 0, 2), (2, 'Person', 0, 14), (3, 'Employee', 2, 0),
      (4, 'Guest', 2, 0), (5, 'Tag', 0, 3);
    INSERT INTO ZCOMPANY VALUES (1, 1, 1, 'Acme'), (2, 1, 1, NULL);
    INSERT INTO ZTAG VALUES (1, 5, 1, 'red'), (3, 5, 1, 'blue');
    INSERT INTO ZPERSON (Z_PK, Z_ENT, ZNAME, ZCOMPANY, Z_FOK_COMPANY, ZFLAG, ZBIRTHDAY, ZRATE, ZSCORE, ZSITE, ZTOKEN) VALUES
      (1, 2, 'Ada', 1, 3072, 1, 12.5, 0.5, 1.25, 'https://example.com/a', x'000102030405060708090A0B0C0D0E0F'),
      (2, 2, 'Grace', 1, 2048, 0, 7, 3, '12345678901234567890.5', NULL, NULL);
    INSERT INTO ZPERSON (Z_PK, Z_ENT, ZNAME, ZCOMPANY, Z_FOK_COMPANY, ZSALARY, ZBOSS, Z2_BOSS, ZNOTE, ZFLAG, ZPHOTO) VALUES
      (10, 3, 'Edsger', 1, 1024, 70000, 14, 3, 'quiet', 0, x'01FFD8'),
      (14, 3, 'Barbara', NULL, NULL, 80000, 1, 2, NULL, 0, CAST(x'02' || '30084A1C-76CF-4976-8312-8E8EFCF6F510' || x'00' AS BLOB));
    INSERT INTO ZPERSON (Z_PK, Z_ENT, ZNAME, ZNOTE1, ZFLAG, ZBOSS, ZSETTINGS) VALUES (5, 4, 'Guest', 'late', 1, NULL, x'62706C');
    INSERT INTO Z_2TAGS VALUES (1, 3), (1, 1), (10, 1);
    INSERT INTO Z_2FRIENDS VALUES (1, 2), (14, 1);
    """

  /// - Parameters:
  ///   - changes: statements that make another store of it.
  ///   - model: what stands in Z_MODELCACHE; nil for nothing.
  init(_ changes: String = "", model: [UInt8]? = StoreModel.archive(StoreModel.entities)) throws {
    scratch = try AdoptScratch()
    path = scratch.path + "/Shop.sqlite"
    let database = try Database(path: path, mode: .create)
    try database.executeScript(Self.script)
    try database.execute(
      "INSERT INTO Z_METADATA VALUES (1, 'E8AFD1EB-9427-4A64-ABDA-AA06F7B1092C', ?)",
      .blob(
        PropertyListBytes.write(
          .dictionary([
            ("NSStoreType", .string("SQLite")),
            ("NSStoreModelVersionIdentifiers", .array([.string("7")])),
            ("lastUser", .string("Zoë")),
          ]))))
    if let model { try database.execute("INSERT INTO Z_MODELCACHE VALUES (?)", .blob(model)) }
    try database.executeScript(changes)
    database.close()
    let folder = scratch.path + "/.Shop_SUPPORT/_EXTERNAL_DATA"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data([1, 2, 3]).write(
      to: URL(fileURLWithPath: folder + "/30084A1C-76CF-4976-8312-8E8EFCF6F510"))
  }
}

/// The fixture's model, as the archive that a store keeps and as Xcode's XML.
enum StoreModel {
  struct Property {
    var name: String
    /// Of an attribute; nil of a relationship.
    var type: String?
    var isOptional = true
    var isExternal = false
    var destination = ""
    var isToMany = false
    var isOrdered = false
    var inverse: String?
    var defaultValue: String?

    static func to(
      _ name: String, _ destination: String, many: Bool = false, ordered: Bool = false,
      inverse: String? = nil
    ) -> Property {
      Property(
        name: name, destination: destination, isToMany: many, isOrdered: ordered, inverse: inverse)
    }
  }

  struct Entity {
    var name: String
    var parent: String?
    var properties: [Property]
  }

  static let entities = [
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
    "Binary": 1000, "UUID": 1100, "URI": 1200, "Transformable": 1800,
  ]

  static func archive(_ entities: [Entity]) -> [UInt8] {
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
    return writer.bytes(root: places["Company"] ?? 0)
  }

  /// The entities in Xcode's words.
  static func xml(_ entities: [Entity]) -> String {
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
