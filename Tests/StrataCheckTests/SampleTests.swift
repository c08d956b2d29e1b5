import Strata
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSQLite
import StrataSchema
import StrataSource
import StrataTesting
import Testing

@testable import StrataCLI

@Suite("Samples")
struct SampleTests {
  @Test("Real files are counted in, and say what a change would meet")
  func counts() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string, email: string?")
    let history = try repository.project.history()
    let frozen = try #require(history.newest)
    try repository.write("samples/notes.txt", "no database\n")
    try SampleDatabase(version: frozen, of: history).create(
      at: repository.path + "/samples/old.db", objects: 40, seed: 1)
    try repository.declare(2, "name: { type: string, unique: true }, email: string")

    let folder = SampleFolder(path: repository.path + "/samples")
    var seen: [Sample] = []
    let found = ProjectCheck.run(try repository.project.files()) { input in
      seen = (try? folder.samples(for: input)) ?? []
      return seen
    }
    let sample = try #require(seen.first)
    #expect(seen.count == 1)
    #expect(sample.version == 1)
    #expect(sample.counts == ["Person": 40])
    let nils = try #require(sample.nils[SchemaPath("Person", "email")])
    let duplicates = try #require(sample.duplicates[Sample.Key("Person", ["name"])])
    let messages = found.sorted.map(\.message)
    #expect(
      messages.contains {
        $0.hasSuffix("\(nils) of 40 Person have a null email in \(sample.file)")
      })
    #expect(
      messages.contains {
        $0.hasSuffix(
          "\(duplicates) of 40 Person agree with an earlier one in name in \(sample.file)")
      })
  }

  @Test("Objects that hold a case that is removed are counted")
  func removedCase() throws {
    let repository = try Repository()
    try repository.write("schemas/People.yaml", Self.moods("[calm, angry, glad]", version: 1))
    let project = try repository.project
    try project.write(
      try project.freeze(lenient: nil, checksSeal: true).plan(
        freezing: try project.compile().schema, date: "2026-11-21"))
    let history = try repository.project.history()
    try repository.write("samples/notes.txt", "no database\n")
    try SampleDatabase(version: try #require(history.newest), of: history).create(
      at: repository.path + "/samples/old.db", objects: 40, seed: 1)
    try repository.write("schemas/People.yaml", Self.moods("[calm, glad]", version: 2))

    let folder = SampleFolder(path: repository.path + "/samples")
    let found = ProjectCheck.run(try repository.project.files()) { input in
      (try? folder.samples(for: input)) ?? []
    }

    let database = try Database(path: repository.path + "/samples/old.db", mode: .readOnly)
    defer { database.close() }
    let count = try database.firstValue("SELECT count(*) FROM Person WHERE mood = 'angry'")?
      .ifInteger
    #expect(
      found.sorted.contains {
        $0.code == "STR3801" && $0.message.contains("; \(count ?? 0) objects hold it in ")
      }, "\(found.sorted.map(\.message))")
  }

  private static func moods(_ cases: String, version: Int) -> String {
    """
    schema: People
    version: \(version)
    models:
      Person:
        properties: { mood: Mood }
    enums:
      Mood: { type: string, cases: \(cases) }

    """
  }

  @Test("A block whose version no sample has is worth a warning")
  func noSample() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string")
    try repository.declare(2, "name: string, age: int")
    try repository.write("migrations/2.yaml", "to: 2\nswift: [Person]\n")
    try repository.write(
      "migrations/2-Age.swift", "static let toVersion2 = Step(to: 2) { step in new.age = 1 }\n")
    let found = ProjectCheck.run(try repository.project.files()) { _ in [] }
    #expect(found.sorted.contains { $0.code == "STR4016" && $0.span?.start.line == 2 })
  }

  @Test("Too little disk, and a block that runs very often")
  func costs() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string")
    try repository.freeze(2, "name: string, age: int", step: "swift: [Person]")
    let found = ProjectCheck.run(try repository.project.files()) { _ in
      var large = Sample(file: "large.db", version: 1, counts: ["Person": 100_001])
      large.disk = (needed: 3000, free: 2000)
      var small = Sample(file: "small.db", version: 1, counts: ["Person": 100_000])
      small.disk = (needed: 3000, free: 3000)
      return [large, small]
    }
    let lines = found.sorted.map { "\($0.code) \($0.message)" }
    #expect(
      lines.contains(
        "STR3952 the upgrade of large.db needs 3,000 bytes, and its disk has 2,000 left")
    )
    #expect(lines.contains("STR3953 the block runs 100,001 times for 'Person' in a sample file"))
    #expect(lines.count { $0.hasPrefix("STR395") } == 2)
  }

  @Test("The space that an upgrade needs is known for a file of ours")
  func disk() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string")
    try repository.freeze(2, "name: string, age: int?")
    let history = try repository.project.history()
    try repository.write("samples/readme", "")
    try SampleDatabase(version: try #require(history.version(1)), of: history).create(
      at: repository.path + "/samples/old.db", objects: 10, seed: 1)
    let folder = SampleFolder(
      path: repository.path + "/samples", target: UpgradeTarget(history: history))
    let samples = try folder.samples(for: CheckInput(frozen: [], working: nil))
    #expect((samples.first?.disk?.needed ?? 0) > 0)
    #expect((samples.first?.disk?.free ?? 0) > 0)
  }

  @Test("A database of another schema is no sample; one with the name of any version is")
  func otherSchema() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string")
    let history = try repository.project.history()
    let version = try #require(history.newest)
    try repository.write("samples/readme", "")
    try SampleDatabase(version: version, of: history).create(
      at: repository.path + "/samples/old.db", objects: 3, seed: 1)
    let folder = SampleFolder(path: repository.path + "/samples")
    func counts(frozen: [Schema], working: Schema?) throws -> [[String: Int]] {
      let input = CheckInput(
        frozen: frozen.map { CheckedVersion(schema: $0, places: SchemaPlaces()) },
        working: working.map { CheckedVersion(schema: $0, places: SchemaPlaces()) })
      return try folder.samples(for: input).map(\.counts)
    }
    var renamed = version.schema
    renamed.name = "Club"

    #expect(try counts(frozen: [renamed], working: renamed) == [])
    #expect(try counts(frozen: [version.schema, renamed], working: renamed) == [["Person": 3]])
    #expect(try counts(frozen: [version.schema], working: renamed) == [["Person": 3]])
    #expect(try counts(frozen: [renamed], working: version.schema) == [["Person": 3]])
  }

  @Test("A folder that is not there is an error")
  func missing() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string")
    #expect(throws: CommandFailure.self) {
      try SampleFolder(path: repository.path + "/none").samples(
        for: CheckInput(frozen: [], working: nil))
    }
  }
}
