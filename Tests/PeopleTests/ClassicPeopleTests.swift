import Foundation
import PeopleMigrations
import PeopleModels
import Strata
import StrataExpression
import StrataHistory
import StrataTesting
import Testing

/// The example's files, brought to today's classes by one migration block instead of the steps.
@Suite struct ClassicPeopleTests {
  @Test(arguments: [0, 4])
  func aBlockUpgradesFilesOfFrozenVersions(version: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("people.db").path
    let history = try UpgradeTarget(PeopleMigrations.self).history
    let first = try #require(history.version(version))
    try SampleDatabase(version: first, of: history).create(at: path, objects: 50, seed: 7)

    let configuration = Store.Configuration(
      path: path, schema: PeopleSchema.self,
      migrationBlock: { migration, oldSchemaVersion in
        migration.enumerateObjects(ofType: Person.className()) { old, new in
          if oldSchemaVersion < 1 {
            new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
          }
          new!["nickname"] = "of version \(oldSchemaVersion)"
        }
        let pet = migration.create(Pet.className(), value: ["name": "Rex", "age": 3])
        migration.enumerateObjects(ofType: Person.className()) { _, new in
          new!.list("dogs").append(pet)
        }
      })
    let store = try Store(configuration: configuration)
    defer { store.close() }

    let people = store.objects(Person.self)
    #expect(people.count > 0)
    for person in people {
      #expect(version > 0 || person.fullName.contains(" "))
      #expect(person.nickname == "of version \(version)")
      #expect(person.dogs.last?.name == "Rex")
    }
    #expect(try Store.schemaVersion(at: path) == 5)
  }
}
