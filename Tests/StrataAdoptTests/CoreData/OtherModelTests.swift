import CoreDataFixtures
import Foundation
import StrataHistory
import StrataSchema
import Testing

@testable import StrataAdopt
@testable import StrataCLI

@Suite("A Core Data store and the model of another app")
struct OtherModelTests {
  private func adopt(_ store: StoreFixture, _ entities: String) throws -> AdoptedProject {
    let folder = try AdoptFixture.coreData(["Shop": entities])
    return try store.scratch.adopt(
      try CoreDataAdoption(
        path: store.path, model: folder.path("Shop.xcdatamodeld"), name: "App")
    ).0
  }

  @Test("A model that shares no entity with the store is refused: its step would drop all of them")
  func nothingInCommon() throws {
    let store = try StoreFixture()
    let error = #expect(throws: AdoptError.self) {
      try adopt(
        store,
        StoreModel.xml([
          StoreModel.Entity(
            name: "StoredEvent",
            properties: [StoreModel.Property(name: "payload", type: "Binary")])
        ]))
    }
    #expect(
      error?.description
        == "the store is none of the versions of this model, and the nearest one, version 1, 'Shop', goes on with 0 of its 5 entities: the store has Company, Employee, Guest, Person, Tag, the version StoredEvent. Name the model that the store is of with --model; without it the schema is the model that the store keeps of itself"
    )
    #expect(!FileManager.default.fileExists(atPath: store.scratch.path + "/out"))
  }

  /// The store's entities, three of the five under other names.
  ///
  /// - Parameter identifier: what says that an entity is a renamed one.
  private func renamed(_ identifier: (String) -> String) -> String {
    ["Company", "Guest", "Tag"].reduce(StoreModel.xml(StoreModel.entities)) { text, name in
      text.replacingOccurrences(of: "=\"\(name)\"", with: "=\"New\(name)\"")
        .replacingOccurrences(
          of: "<entity name=\"New\(name)\"",
          with: "<entity name=\"New\(name)\"\(identifier(name))")
    }
  }

  @Test("An entity goes on under another name where its renaming identifier says so")
  func renamedEntities() throws {
    let other = try StoreFixture()
    let error = #expect(throws: AdoptError.self) { try adopt(other, renamed { _ in "" }) }
    #expect(error?.description.contains("goes on with 2 of its 5 entities") == true)

    let store = try StoreFixture()
    let project = try adopt(store, renamed { " elementID=\"\($0)\"" })
    #expect(project.history.versions.map(\.schema.version) == [0, 1])
    let renames = project.frozen.steps.first?.answer?.renames.models
    #expect(renames == ["Company": "NewCompany", "Guest": "NewGuest", "Tag": "NewTag"])
  }

  @Test(
    "A store is no plain database: read as one, its links would be numbers and its dates seconds")
  func notSQLite() throws {
    let store = try StoreFixture()
    let error = #expect(throws: CommandFailure.self) {
      _ = try SQLiteAdoption(path: store.path, name: "App")
    }
    #expect(
      error?.message.contains(
        "adopt coredata reads its entities, links and dates.")
        == true)
  }
}
