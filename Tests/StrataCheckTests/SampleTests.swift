import Strata
import StrataEvolution
import StrataExpression
import StrataSchema
import StrataSource
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
        $0.hasSuffix("\(duplicates) of 40 Person agree with another one in name in \(sample.file)")
      })
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
