import Foundation
import PeopleModels
import StrataExpression
import StrataHistory
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// The example of the classic form on docs/migrations.md, run on a file of an app that had no history.
@Suite("The classic form on docs/migrations.md")
struct ClassicExampleTests {
  private static let old = Schema(
    name: "People", version: 0,
    models: [
      Model(
        name: "Person",
        properties: ["firstName", "lastName", "mail"].map {
          Property(name: $0, type: .value(ValueType(.scalar(.string))))
        } + [Property(name: "age", type: .value(ValueType(.scalar(.int))))])
    ])

  @Test("Names are joined and the address keeps its values under its new name")
  func example() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-classic-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("people.db")
    let version = FrozenVersion(
      schema: Self.old, step: nil, date: "2026-01-01", stepDigest: nil, chain: nil)
    try SampleDatabase(version: version, of: History(name: "People", versions: [version]))
      .create(at: url.path, objects: 0, seed: 0)
    var lines = [
      #"{"$model":"Person","firstName":"Ada","lastName":"Ash","mail":"ada@x","age":36}"#
    ].map { Array($0.utf8) }[...]
    _ = try ObjectImporter.run(into: url.path, target: nil, model: nil) { lines.popFirst() }

    let store = try Store(
      configuration: .init(
        fileURL: url, schema: PeopleSchema.self,
        migrationBlock: { migration, oldSchemaVersion in
          if oldSchemaVersion < 1 {
            migration.enumerateObjects(ofType: "Person") { old, new in
              new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
            }
          }
          if oldSchemaVersion < 2 {
            migration.renameProperty(onType: "Person", from: "mail", to: "email")
          }
        }))

    defer { store.close() }
    let person = try #require(store.objects(Person.self).first)
    #expect(person.fullName == "Ada Ash")
    #expect(person.email == "ada@x")
    #expect(person.age == 36)
    #expect(person.dogs.isEmpty)
  }
}
