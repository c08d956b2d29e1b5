import StrataSchema
import Testing

@testable import StrataAdopt
@testable import StrataCLI

/// What an app's own code makes of its data when it upgrades a file is not read, so that what may go on is asked.
@Suite("Upgrades of apps that nothing here reads")
struct UnreadUpgradeTests {
  private func step(
    _ source: AdoptSource, _ older: [Model], _ newer: [Model]
  ) throws -> String {
    let versions = [older, newer].enumerated().map { number, models in
      AdoptedVersion(
        name: "\(number)", schema: Schema(name: "Pets", version: number, models: models), notes: [])
    }
    let history = AdoptedHistory(source: source, name: "Pets", versions: versions, notes: [])
    return try history.step(1) ?? ""
  }

  private func property(_ name: String, _ type: ScalarType, isOptional: Bool = false) -> Property {
    Property(name: name, type: .value(ValueType(.scalar(type), isOptional: isOptional)))
  }

  private func person(_ pets: String, _ model: String) -> Model {
    Model(
      name: "Person",
      properties: [
        property("age", .int), Property(name: pets, type: .list(ValueType(.object(model)))),
      ])
  }

  private var dog: Model { Model(name: "Dog", properties: [property("name", .string)]) }

  @Test(
    "A class that goes where one like it comes, and the links to it, are questions",
    arguments: [AdoptSource.realm, .sqlite, .room, .drift])
  func renamedClass(source: AdoptSource) throws {
    let pet = Model(
      name: "Pet",
      properties: [property("kind", .int, isOptional: true), property("name", .string)])
    let step = try step(source, [dog, person("dogs", "Dog")], [person("pets", "Pet"), pet])
    #expect(step.contains("??? Dog") || step.contains("Dog: \"??? Pet\""), "\(step)")
    #expect(step.contains("??? Person.dogs"), "\(step)")
  }

  @Test("Where nothing like it comes it is dropped")
  func goneClass() throws {
    let step = try step(
      .realm, [dog, person("dogs", "Dog")],
      [Model(name: "Person", properties: [property("age", .int)])])
    #expect(step.hasSuffix("drop:\n  - Dog\n  - Person.dogs\n"), "\(step)")
  }
}
