import Strata
import StrataSQLite
import StrataSchema
import Testing

@Suite struct StrataMetadataTests {
  let schema = TableLayoutTests.schema

  @Test func aFreshFileDescribesItself() throws {
    let database = try TableLayoutTests.create()
    let metadata = try #require(try StrataMetadata.read(from: database))

    #expect(metadata.layout == 1)
    #expect(metadata.schemaName == "Test")
    #expect(metadata.version == 3)
    #expect(metadata.shape == schema.shape)
    #expect(metadata.chain == nil)
    #expect(metadata.nextRow == 1)
    #expect(try metadata.schema() == schema)
    #expect(try metadata.lineage() == Lineage(beginning: schema))
    #expect(try database.pragma("application_id") == .integer(StrataMetadata.applicationID))
    #expect(try database.pragma("user_version") == 3)
  }

  @Test func whatIsWrittenIsRead() throws {
    let database = try TableLayoutTests.create()
    var metadata = try #require(try StrataMetadata.read(from: database))
    metadata.chain = Digest(of: "chain")
    metadata.nextRow = 77
    metadata.upgrades = [
      UpgradeMark(version: 3, transaction: 0), UpgradeMark(version: 5, transaction: 120),
    ]
    metadata.version = 9
    try metadata.write(to: database)

    #expect(try StrataMetadata.read(from: database) == metadata)
    #expect(try StrataMetadata.counter(.nextRow, of: database) == 77)
  }

  @Test func anotherDatabaseHasNone() throws {
    #expect(try StrataMetadata.read(from: Database(path: ":memory:")) == nil)
  }

  @Test(arguments: [
    ("UPDATE _strata SET value = 2 WHERE key = 'layout'", MetadataError.newerLayout(2)),
    ("DELETE FROM _strata WHERE key = 'version'", .unreadable(key: "version")),
    ("UPDATE _strata SET value = 'x' WHERE key = 'shape'", .unreadable(key: "shape")),
  ])
  func aDamagedDescriptionIsNamed(sql: String, error: MetadataError) throws {
    let database = try TableLayoutTests.create()
    try database.execute(sql)

    #expect(throws: error) { try StrataMetadata.read(from: database) }
  }

  /// The file is none the worse for it.
  @Test func whatItWasUpgradedFromMayBeUnreadable() throws {
    let database = try TableLayoutTests.create()
    try database.execute("INSERT INTO _strata(key, value) VALUES ('upgrades', '[[5,1],[3,1]]')")
    #expect(try StrataMetadata.read(from: database)?.upgrades == [])
  }
}
