import CoreDataFixtures
import StrataSQLite
import StrataSchema
import StrataSource
import Testing

@testable import StrataAdopt
@testable import StrataCLI

/// A store as SwiftData writes it: a Core Data store with persistent history, relationships without order, and Codable values as
/// transformable and composite attributes.
@Suite("Adopting SwiftData stores")
struct SwiftDataTests {
  private static let script = """
    CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDAYS INTEGER, ZSTARTDATE TIMESTAMP, ZNAME VARCHAR,
      ZCITY VARCHAR, ZLATITUDE FLOAT, ZTAGS BLOB, ZIDENTIFIER BLOB);
    CREATE TABLE ZACTIVITY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER, ZTRIP INTEGER, ZTITLE VARCHAR);
    CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE Z_2TRIPS (Z_2PEOPLE INTEGER, Z_3TRIPS INTEGER, PRIMARY KEY (Z_2PEOPLE, Z_3TRIPS));
    CREATE UNIQUE INDEX Z_Trip_UNIQUE_identifier ON ZTRIP (ZIDENTIFIER COLLATE BINARY ASC);
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER,
      ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER,
      ZTIMESTAMP FLOAT, ZQUERYGEN BLOB);
    CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Activity', 0, 3), (2, 'Person', 0, 2), (3, 'Trip', 0, 2), (16001, 'CHANGE', 0, 2),
      (16002, 'TRANSACTION', 0, 1), (16003, 'TRANSACTIONSTRING', 0, 1);
    INSERT INTO ZTRIP VALUES (1, 3, 2, 3, 700000000.25, 'Rome', 'Roma', 41.9, x'62706C697374', x'000102030405060708090A0B0C0D0E0F'),
      (2, 3, 1, 7, 700000100, 'Oslo', NULL, NULL, NULL, x'100102030405060708090A0B0C0D0E0F');
    INSERT INTO ZACTIVITY VALUES (1, 1, 1, 0, 1, 'Forum'), (2, 1, 1, 1, 1, 'Pantheon'), (3, 1, 1, 0, NULL, 'Nothing');
    INSERT INTO ZPERSON VALUES (1, 2, 1, 'Ada'), (2, 2, 1, 'Grace');
    INSERT INTO Z_2TRIPS VALUES (1, 1), (2, 1), (1, 2);
    INSERT INTO ATRANSACTION VALUES (1, 16002, 1, NULL, 1, 700000001.5, x'AA');
    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'com.example.Trips');
    INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 3, 1, 1, NULL), (2, 16001, 1, 0, 1, 1, 1, NULL);
    """

  private static let entities = [
    StoreModel.Entity(
      name: "Activity",
      properties: [
        .init(name: "isDone", type: "Boolean", isOptional: false, defaultValue: "NO"),
        .init(name: "title", type: "String", isOptional: false),
        .to("trip", "Trip", inverse: "activities"),
      ]),
    StoreModel.Entity(
      name: "Person",
      properties: [
        .init(name: "name", type: "String", isOptional: false),
        .to("trips", "Trip", many: true, inverse: "people"),
      ]),
    StoreModel.Entity(
      name: "Trip",
      properties: [
        .to("activities", "Activity", many: true, inverse: "trip"),
        .init(name: "days", type: "Integer 64", isOptional: false),
        .init(name: "identifier", type: "UUID", isOptional: false),
        .init(name: "name", type: "String", isOptional: false),
        .to("people", "Person", many: true, inverse: "trips"),
        .init(name: "place", type: "Composite"),
        .init(name: "startDate", type: "Date", isOptional: false),
        .init(name: "tags", type: "Transformable"),
      ]),
  ]

  private func adopt() throws -> (AdoptScratch, AdoptedProject, AdoptedData) {
    let scratch = try AdoptScratch()
    let path = scratch.path + "/default.store"
    let database = try Database(path: path, mode: .create)
    try database.executeScript(Self.script)
    try database.execute(
      "INSERT INTO Z_METADATA VALUES (1, 'E8AFD1EB-9427-4A64-ABDA-AA06F7B1092C', ?)",
      .blob(
        PropertyListBytes.write(
          .dictionary([
            ("NSStoreType", .string("SQLite")),
            ("NSStoreModelVersionIdentifiers", .array([.string("1.0.0")])),
            ("NSPersistentHistoryTrackingKey", .bool(true)),
          ]))))
    try database.execute(
      "INSERT INTO Z_MODELCACHE VALUES (?)", .blob(StoreModel.archive(Self.entities)))
    database.close()
    let (project, data) = try scratch.adopt(
      try CoreDataAdoption(path: path, model: nil, name: "App"))
    return (scratch, project, data)
  }

  @Test(
    "The schema is the one that the store keeps; Codable values are data, composites named, history left out"
  )
  func schema() throws {
    let (_, project, data) = try adopt()
    let schema = project.history.versions[0].schema
    #expect(project.findings.errorCount == 0)
    #expect(schema.version == 1)
    #expect(schema.models.map(\.name) == ["Activity", "Person", "Trip"])
    #expect(schema.spelling("Trip", "activities") == "inverse Activity.trip")
    #expect(schema.spelling("Person", "trips") == "set<Trip>")
    #expect(schema.spelling("Trip", "people") == "inverse Person.trips")
    #expect(schema.spelling("Trip", "identifier") == "uuid unique")
    #expect(schema.spelling("Trip", "tags") == "data?")
    #expect(schema.spelling("Trip", "place") == nil)
    #expect(
      project.history.reasons("Trip", "place") == [
        "it is a composite attribute: write its parts as an embedded model"
      ])
    for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
      #expect(
        project.history.reasons(table).first?.hasSuffix(
          " of a table that the model does not have")
          == true)
    }
    #expect(data.recognition?.text == "its schema is the model that it keeps of itself")
  }

  @Test("Objects and links are in the database, and the parts of a composite in LEFT-OUT.jsonl")
  func objects() throws {
    let (scratch, _, data) = try adopt()
    #expect(data.transfer.objects == ["Activity": 3, "Person": 2, "Trip": 2])
    #expect(data.check != nil)
    let database = try scratch.database()
    func rows(_ sql: String) throws -> [[SQLiteValue]] { Array(try database.rows(sql)) }
    #expect(
      try rows("SELECT name, days, startDate, hex(tags) FROM Trip ORDER BY name") == [
        ["Oslo", 7, 700000100.0, ""], ["Rome", 3, 700000000.25, "62706C697374"],
      ])
    #expect(
      try rows(
        "SELECT a.title, a.isDone, t.name FROM Activity a LEFT JOIN Trip t ON t._row = a.trip ORDER BY a._row"
      ) == [["Forum", 0, "Rome"], ["Pantheon", 1, "Rome"], ["Nothing", 0, .null]])
    #expect(
      try rows(
        "SELECT p.name, t.name FROM \"Person.trips\" l JOIN Person p ON p._row = l._owner JOIN Trip t ON t._row = l.value ORDER BY 1, 2"
      ) == [["Ada", "Oslo"], ["Ada", "Rome"], ["Grace", "Rome"]])
    #expect(
      try scratch.text("out/LEFT-OUT.jsonl").split(separator: "\n") == [
        #"{"$id":21,"$model":"Trip","property":"ZCITY","reason":"the store's column is of no attribute here","value":"Roma"}"#,
        #"{"$id":21,"$model":"Trip","property":"ZLATITUDE","reason":"the store's column is of no attribute here","value":41.9}"#,
      ])
  }
}
