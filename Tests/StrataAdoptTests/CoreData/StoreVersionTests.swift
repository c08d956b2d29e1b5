import CoreDataFixtures
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
}
