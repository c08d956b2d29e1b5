import CoreDataFixtures
import StrataSQLite
import Testing

@testable import StrataCLI

@Suite("Which version a Core Data store may be")
struct StoreVersionTests {
  @Test("A number that the store calls itself is its version; without one it may be any of a shape")
  func ownNumber() throws {
    let named = try StoreFixture()
    let unnamed = try StoreFixture("UPDATE Z_METADATA SET Z_PLIST = NULL;")
    func adoption(_ store: StoreFixture) throws -> CoreDataAdoption {
      try CoreDataAdoption(path: store.path, model: nil, name: "App")
    }

    #expect(try adoption(named).version == 7)
    #expect(try !adoption(named).mayBe(version: 2))
    #expect(try adoption(unnamed).version == 1)
    #expect(try adoption(unnamed).mayBe(version: 2))
  }

  @Test("Versions of a model that are equal to a store are each what the store may be")
  func equalVersions() throws {
    var first = StoreModel.entities
    first[4].properties[0].name = "title"
    var third = StoreModel.entities
    third[2].properties[2].defaultValue = "1"
    let folder = try AdoptFixture.coreData([
      "Shop": StoreModel.xml(first), "Shop 2": StoreModel.xml(StoreModel.entities),
      "Shop 3": StoreModel.xml(third),
    ])
    let store = try StoreFixture()

    let adoption = try CoreDataAdoption(
      path: store.path, model: folder.path("Shop.xcdatamodeld"), name: "App")

    #expect(adoption.version == 2)
    #expect((1...3).map { adoption.mayBe(version: $0) } == [false, true, true])
  }

  private func store(keepsModel: Bool) throws -> StoreFixture {
    try StoreFixture(model: keepsModel ? StoreModel.archive(StoreModel.entities) : nil)
  }

  private static func inlinePhotos() -> [StoreModel.Entity] {
    var entities = StoreModel.entities
    entities[1].properties[5].isExternal = false
    return entities
  }

  private func photos(_ store: StoreFixture, _ folder: AdoptFixture) throws -> [String?] {
    try store.scratch.adopt(
      try CoreDataAdoption(
        path: store.path, model: folder.path("Shop.xcdatamodeld"), name: "App"))
    let database = try store.scratch.database()
    defer { database.close() }
    return try database.rows("SELECT hex(photo) FROM Employee ORDER BY _row").map { $0[0].ifText }
  }

  @Test(
    "Of equal versions the one that reads the store's large values is its own, also without a model in it",
    arguments: [true, false])
  func largeValues(keepsModel: Bool) throws {
    let inline = Self.inlinePhotos()
    #expect(inline[1].properties[5].name == "photo")
    let folder = try AdoptFixture.coreData([
      "Shop": StoreModel.xml(StoreModel.entities), "Shop 2": StoreModel.xml(inline),
    ])
    let store = try store(keepsModel: keepsModel)
    let adoption = try CoreDataAdoption(
      path: store.path, model: folder.path("Shop.xcdatamodeld"), name: "App")

    #expect(adoption.version == 1)
    #expect(try photos(store, folder) == ["FFD8", "010203"])
  }

  @Test(
    "Large values are read as the store has them where no version says that they are files",
    arguments: [true, false])
  func largeValuesOfNoVersion(keepsModel: Bool) throws {
    let folder = try AdoptFixture.coreData(["Shop": StoreModel.xml(Self.inlinePhotos())])

    #expect(try photos(try store(keepsModel: keepsModel), folder) == ["FFD8", "010203"])
  }

  @Test(
    "Large values are read as the store has them where the model in it is the one before they were files"
  )
  func largeValuesOfAModelThatIsKept() throws {
    let folder = try AdoptFixture.coreData([
      "Shop": StoreModel.xml(Self.inlinePhotos()), "Shop 2": StoreModel.xml(StoreModel.entities),
    ])
    let store = try StoreFixture(model: StoreModel.archive(Self.inlinePhotos()))

    #expect(try photos(store, folder) == ["FFD8", "010203"])
  }

  @Test(
    "Of equal versions the one with the store's uniqueness is its own, also without a model in it",
    arguments: [true, false])
  func uniqueness(keepsModel: Bool) throws {
    let plain = StoreModel.xml(StoreModel.entities)
    let constraint =
      "<uniquenessConstraints><uniquenessConstraint><constraint value=\"label\"/></uniquenessConstraint></uniquenessConstraints>"
    let tag = "<entity name=\"Tag\">"
    let folder = try AdoptFixture.coreData([
      "Shop": plain.replacing(tag, with: tag + constraint), "Shop 2": plain,
    ])
    let store = try store(keepsModel: keepsModel)
    func version() throws -> Int {
      try CoreDataAdoption(
        path: store.path, model: folder.path("Shop.xcdatamodeld"), name: "App"
      ).version
    }

    #expect(try version() == 1)

    let database = try Database(path: store.path, mode: .create)
    try database.execute("DROP INDEX Z_Tag_UNIQUE_label")
    database.close()
    #expect(try version() == 2)
  }
}
