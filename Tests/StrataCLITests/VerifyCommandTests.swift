import Foundation
import StrataSchema
import Testing

/// `people verify` and the stock command, run as a user does.
@Suite struct VerifyCommandTests {
  let runner: CommandRunner

  init() throws { runner = try CommandRunner() }

  @Test func theExampleIsProven() throws {
    let result = try runner.people("verify", "--seed", "42")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("PeopleMigrations: "))
    #expect(result.output.hasSuffix("every path gives the same data. (seed 42)\n"))
  }

  @Test func theReportIsOneObject() throws {
    let result = try runner.people("verify", "--seed", "7", "--json")
    #expect(result.json["format"] as? String == "strata.verify/1")
    #expect(result.json["seed"] as? Int == 7)
    #expect(result.json["versions"] as? [Int] == [0, 1, 2, 3, 4, 5])
    #expect((result.json["failures"] as? [Any])?.isEmpty == true)
    #expect(
      Set(result.json.keys) == [
        "format", "versions", "paths", "objects", "seed", "failures", "notes",
      ])
  }

  @Test func samplesStayAsTheyWere() throws {
    try runner.people("create", "sample.db", "--version", "0", "--sample", "20")
    let before = try runner.contents()
    let result = try runner.people("verify", "--samples", ".")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(try runner.contents() == before)
  }

  @Test func theStockCommandSaysThatItHasNoBlocks() throws {
    let schemas = CommandRunner.root.appendingPathComponent("schemas").path
    let migrations = CommandRunner.root.appendingPathComponent("migrations").path
    let result = try runner.strata("verify", "--schemas", schemas, "--migrations", migrations)
    #expect(result.status == 3)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("StrataCLI.main(migrations: PeopleMigrations.self)"))
  }

  /// Steps without blocks, in a worker process of the stock command. In release builds it once died before the first object
  /// (docs/decisions/0072); `.ci/run` runs this suite with release binaries.
  @Test(arguments: [
    ["{ count: int }", "{ count: int, more: string? }"],
    ["{ flags: '[bool]' }", "{ flags: '[any?]' }"],
  ])
  func theStockCommandProvesDeclarativeSteps(properties: [String]) throws {
    try freeze(properties)
    let result = try runner.strata("verify")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.hasSuffix("every path gives the same data. (seed 0)\n"))
  }

  /// Another one would make other objects.
  @Test func theReportNamesTheSeedThatWasGiven() throws {
    try freeze(["{ count: int }", "{ count: int, more: string? }"])
    let result = try runner.strata("verify", "--seed", "18446744073709551615", "--json")
    #expect(result.status == 0, "\(result.errors)")
    let seed = try JSON.parse(result.output)["seed"]
    #expect(seed == .number("18446744073709551615"), "\(result.output)")
  }

  /// The other process of a proof runs in another folder.
  @Test func theTemporaryFolderMayBeRelative() throws {
    try freeze(["{ count: int }", "{ count: int, more: string? }"])
    let result = try runner.shell("mkdir tt && TMPDIR=tt strata verify")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: runner.path("tt")) == [])
  }

  /// Of generated objects hardly any gets through, of the many none: the file that was refused last is no result.
  @Test func aStepThatRefusesNearlyEverythingIsProven() throws {
    try freeze(
      ["{ code: string }", "{ code: { type: string, unique: true } }"],
      step: "set: { Thing: { code: \"'x'\" } }\ndeduplicate: { Thing: { by: [code] } }")
    let result = try runner.strata("verify")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("Thing objects have the same code (“x”)"))
  }

  /// Two versions of one model, in the runner's folder.
  private func freeze(_ properties: [String], step: String? = nil) throws {
    for folder in ["schemas", "migrations"] {
      try FileManager.default.createDirectory(
        atPath: runner.path(folder), withIntermediateDirectories: true)
    }
    try step.map { "to: 1\n\($0)\n" }?.write(
      toFile: runner.path("migrations/1.yaml"), atomically: true, encoding: .utf8)
    for (version, declared) in properties.enumerated() {
      try """
      schema: Small
      version: \(version)
      models:
        Thing: { properties: \(declared) }

      """.write(toFile: runner.path("schemas/Small.yaml"), atomically: true, encoding: .utf8)
      let result = try runner.strata("freeze", "--date", "2026-11-2\(version)")
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test func missingSamplesAreTold() throws {
    let result = try runner.people("verify", "--samples", "nowhere")
    #expect(result.status == 3)
    #expect(result.errors.contains("nowhere"))
  }
}
