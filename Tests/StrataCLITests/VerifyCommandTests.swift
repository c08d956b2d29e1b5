import Foundation
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
      Set(result.json.keys) == ["format", "versions", "paths", "objects", "seed", "failures"])
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

  @Test func missingSamplesAreTold() throws {
    let result = try runner.people("verify", "--samples", "nowhere")
    #expect(result.status == 3)
    #expect(result.errors.contains("nowhere"))
  }
}
