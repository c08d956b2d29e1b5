import CoreDataFixtures
import StrataSQLite
import Testing

@testable import StrataCLI

/// Sub-entities of one entity share its table, and each many-to-many relationship has a table of its own, called after numbers.
@Suite("Many-to-many relationships of sub-entities")
struct SubEntityPairTests {
  private static let script = """
    CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR);
    CREATE TABLE Z_2TAGS (Z_2OWNERS INTEGER, Z_5TAGS INTEGER, PRIMARY KEY (Z_2OWNERS, Z_5TAGS));
    CREATE TABLE Z_3TAGS (Z_3OWNERS INTEGER, Z_6TAGS INTEGER, PRIMARY KEY (Z_3OWNERS, Z_6TAGS));
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 2), (2, 'Book', 1, 0), (3, 'Disc', 1, 0), (4, 'Tag', 0, 2),
      (5, 'BookTag', 4, 0), (6, 'DiscTag', 4, 0);
    INSERT INTO ZITEM VALUES (1, 2, 1, 'Emma'), (2, 3, 1, 'Aida');
    INSERT INTO ZTAG VALUES (1, 5, 1, 'novel'), (2, 6, 1, 'opera');
    INSERT INTO Z_2TAGS VALUES (1, 1);
    INSERT INTO Z_3TAGS VALUES (2, 2);
    """

  private static let entities = [
    StoreModel.Entity(name: "Item", properties: [.init(name: "name", type: "String")]),
    StoreModel.Entity(
      name: "Book", parent: "Item",
      properties: [.to("tags", "BookTag", many: true, inverse: "owners")]),
    StoreModel.Entity(
      name: "Disc", parent: "Item",
      properties: [.to("tags", "DiscTag", many: true, inverse: "owners")]),
    StoreModel.Entity(name: "Tag", properties: [.init(name: "label", type: "String")]),
    StoreModel.Entity(
      name: "BookTag", parent: "Tag",
      properties: [.to("owners", "Book", many: true, inverse: "tags")]),
    StoreModel.Entity(
      name: "DiscTag", parent: "Tag",
      properties: [.to("owners", "Disc", many: true, inverse: "tags")]),
  ]

  @Test("Siblings with relationships of one name have each the links of its own table")
  func siblings() throws {
    let folder = try AdoptFixture.coreData(["Shop": StoreModel.xml(Self.entities)])
    let scratch = try AdoptScratch()
    let path = scratch.path + "/items.sqlite"
    let database = try Database(path: path, mode: .create)
    try database.executeScript(Self.script)
    database.close()

    let (_, data) = try scratch.adopt(
      try CoreDataAdoption(path: path, model: folder.path("Shop.xcdatamodeld"), name: "App"))

    #expect(data.check != nil)
    let result = try scratch.database()
    defer { result.close() }
    for (model, expected) in [("Book", ["Emma", "novel"]), ("Disc", ["Aida", "opera"])] {
      let rows = try result.rows(
        """
        SELECT o.name, t.label FROM "\(model).tags" AS l JOIN \(model) AS o ON o._row = l._owner \
        JOIN \(model)Tag AS t ON t._row = l.value
        """)
      #expect(rows.map { $0.map { $0.ifText ?? "" } } == [expected])
    }
  }
}
