import Foundation
import PeopleMigrations
import PeopleModels
import Strata
import StrataExpression
import StrataHistory
import StrataTesting
import Testing

/// What older files hold when they are opened with today's classes.
@Suite struct UpgradedPeopleTests {
  /// The way from one version to the newest one, at once and in two parts.
  struct Way: CustomTestStringConvertible {
    let versions: [Int]
    var testDescription: String { versions.map(String.init).joined(separator: " → ") }
  }

  @Test(arguments: [[0, 5], [0, 1, 5], [0, 3, 4, 5]].map(Way.init))
  func twoNamesBecomeOneAndTheFirstOfThemANickname(_ way: Way) throws {
    try upgrade(way) { people in
      #expect(people.count == 50)
      for person in people {
        #expect(person.fullName.contains(" "))
        let nickname = try #require(person.nickname)
        #expect(person.fullName.hasPrefix(nickname + " "))
        #expect(person.email.isEmpty && person.dogs.isEmpty)
      }
    }
  }

  @Test(arguments: [[1, 5], [1, 2, 5], [1, 3, 5], [1, 4, 5]].map(Way.init))
  func anEmailThatVersion2GaveUpDoesNotReturn(_ way: Way) throws {
    try upgrade(way) { people in
      #expect(people.count == 50)
      #expect(people.allSatisfy { $0.email.isEmpty })
    }
  }

  @Test(arguments: [[3, 5], [3, 4, 5]].map(Way.init))
  func anEmailOfVersion3Stays(_ way: Way) throws {
    try upgrade(way) { people in #expect(people.contains { !$0.email.isEmpty }) }
  }

  @Test(arguments: [[4, 5]].map(Way.init))
  func dogsAreStillThereAsPets(_ way: Way) throws {
    try upgrade(way) { people in
      #expect(people.contains { !$0.dogs.isEmpty })
      #expect(people.flatMap { Array($0.dogs) }.allSatisfy { !$0.name.isEmpty })
    }
  }

  /// Upgrades a sample file of the way's first version to its last, and opens it with today's classes.
  private func upgrade(_ way: Way, _ check: (Results<Person>) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("people.db").path
    let target = try UpgradeTarget(PeopleMigrations.self)
    let first = try #require(way.versions.first.flatMap { target.history.version($0) })
    try SampleDatabase(version: first, of: target.history).create(at: path, objects: 50, seed: 7)
    for version in way.versions.dropFirst() {
      var options = Upgrade.Options()
      options.target = version
      _ = try Upgrade(path: path, target: target, options: options).run()
    }
    let store = try Store(
      configuration: Store.Configuration(path: path, schema: PeopleSchema.self))
    defer { store.close() }
    try check(store.objects(Person.self))
  }
}
