import Strata
import StrataEvolution
import StrataFrontend
import StrataProject
import StrataSchema
import StrataSource
import StrataTestSupport
import StrataTesting
import Testing

@testable import StrataCLI

@Suite("Output for programs")
struct OutputTests {
  func schema(_ name: String) throws -> JSONSchema {
    try JSONSchema(ofCommand: name)
  }

  @Test("What a check finds is as docs/json/check.schema.json says", arguments: try RuleCase.all)
  func check(rule: RuleCase) throws {
    let text = DiagnosticFormat.json.render(try rule.findings())
    #expect(try schema("check").problems(try JSON.parse(text)) == [])
  }

  @Test("Every format has every finding")
  func formats() throws {
    let found = try RuleCase(name: "STR3204").findings()
    for format in DiagnosticFormat.allCases {
      let text = format.render(found, kinds: Explanations.kinds, toolVersion: "1")
      #expect(text.contains("STR3204"), "\(format)")
    }
    #expect(
      DiagnosticFormat.text.render(found).contains("People.yaml:6:7: error: 'Person.name' is gone"))
    #expect(DiagnosticFormat.github.render(found).contains("file=People.yaml,line=6"))
  }

  @Test("A diff and a freeze are as their schemas say")
  func others() throws {
    let repository = try Repository.example()
    try repository.declare(4, "fullName: string, age: int8, email: string?")
    let project = try repository.project
    let sides = SchemaSides(project: project, folders: FolderOptions())
    let comparison = try sides.compare(try sides.side("v1"), try sides.working())
    #expect(try schema("diff").problems(comparison.json) == [])
    #expect(comparison.lines(usesColour: false).count == comparison.changes.count + 2)
    let plan = try project.freeze(lenient: nil, checksSeal: true).plan(
      freezing: try project.compile().schema, date: "2026-11-21")
    #expect(try schema("freeze").problems(plan.json(project, isDryRun: true)) == [])
  }

  @Test("A proof is as docs/json/verify.schema.json says")
  func proof() throws {
    let report = MigrationProofReport(
      name: "PeopleMigrations", versions: [0, 1], paths: 4, objects: 12, seed: 42,
      failures: [
        MigrationProofReport.Failure(
          object: "Person #3", property: nil, path: "0 → 1", step: 1,
          explanation: "  the upgrade is refused: no\n    Person\n")
      ])
    let json = report.json(ProofFindings(files: ProjectFiles()))
    #expect(try schema("verify").problems(json) == [])
    #expect(
      json["failures"]?.array?.first?["explanation"]?.string
        == "the upgrade is refused: no\n  Person")
  }

  @Test("The validator sees what is wrong")
  func validator() throws {
    let json = try JSON.parse(#"{"format":"strata.diff/2","from":1,"changes":[{"x":null}]}"#)
    let problems = try schema("diff").problems(json)
    #expect(problems.contains("$.from is not string"))
    #expect(problems.contains("$.to is missing"))
    #expect(problems.contains("$.changes[0].x is unknown"))
    #expect(problems.contains("$.changes[0].code is missing"))
  }
}
