import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

/// Rules that data keeps, as a part of versions.
@Suite("Rules that data keeps")
struct DataRuleTests {
  private static let ruled = """
    Dated: { abstract: true, rules: { born: created > 1 }, properties: { created: int } }
    Person:
      extends: Dated
      rules: { adult: { that: "age>=18  and (name!='')", says: "At \\"least\\" 18." }, few: dogs.@count <= 3 }
      properties: { age: int, name: string, dogs: [Dog] }
    Dog: { properties: { age: int } }
    """
  private static let plain = """
    Dated: { abstract: true, properties: { created: int } }
    Person: { extends: Dated, properties: { age: int, name: string, dogs: [Dog] } }
    Dog: { properties: { age: int } }
    """

  @Test("A condition is kept in its canonical text, and inherited rules are spelled out")
  func meaning() throws {
    let person = try #require(try schema(Self.ruled).model(named: "Person"))
    #expect(person.rules.map(\.name) == ["adult", "born", "few"])
    #expect(
      person.rules.map(\.condition) == [
        "age >= 18 AND name != ''", "created > 1", "dogs.@count <= 3",
      ])
    #expect(person.rules.map(\.sentence) == ["At \"least\" 18.", nil, nil])
  }

  @Test("Canonical YAML and JSON are read back to the same rules")
  func roundTrip() throws {
    let ruled = try schema(Self.ruled)
    #expect(try compile(ruled.canonicalYAML) == ruled)
    #expect(try compile(ruled.canonicalYAML).canonicalYAML == ruled.canonicalYAML)
    #expect(try Schema(json: ruled.json) == ruled)
    #expect(
      ruled.canonicalYAML.contains(
        """
            rules:
              adult:
                that: "age >= 18 AND name != ''"
                says: "At \\"least\\" 18."

        """))
  }

  @Test("The shape does not know them, the rules' digest does not know their sentences")
  func digests() throws {
    let (ruled, plain) = (try schema(Self.ruled), try schema(Self.plain))
    #expect(ruled.shape == plain.shape)
    #expect(ruled.hasShape(of: plain) && !ruled.hasMeaning(of: plain))
    #expect(plain.rulesDigest == nil && ruled.rulesDigest != nil)
    let other = try schema(Self.ruled.replacing("At \\\"least\\\" 18.", with: "Eighteen."))
    #expect(other != ruled && other.rulesDigest == ruled.rulesDigest)
    #expect(try schema(Self.ruled.replacing("<= 3", with: "<= 4")).rulesDigest != ruled.rulesDigest)
  }

  private func changes(_ old: String, _ new: String, step: MigrationStep? = nil) throws -> [String]
  {
    let coverage = StepCoverage(
      older: try schema(version: 0, old), newer: try schema(version: 1, new), step: step)
    return coverage.diff.changes.map {
      "\($0.kind.code) \($0.path) \($0.verdict)\(coverage.covers($0) ? "" : " open")"
    }
  }

  @Test("Adding, changing and removing a rule is a change of its own; a sentence is none")
  func verdicts() throws {
    func person(_ rules: String, name: String = "age") -> String {
      "Person: { rules: { \(rules) }, properties: { \(name): int } }"
    }
    #expect(try changes(person(""), person("adult: age > 1")) == ["STR3505 Person.adult verified"])
    #expect(
      try changes(person("adult: age > 1"), person("adult: age > 2")) == [
        "STR3506 Person.adult verified"
      ])
    #expect(try changes(person("adult: age > 1"), person("")) == ["STR3507 Person.adult automatic"])
    #expect(
      try changes(person("adult: age > 1"), person("adult: { that: age > 1, says: Old. }")) == [])
    #expect(
      try changes(
        person("adult: age > 1"), person("adult: years > 1", name: "years"),
        step: try step("to: 1\nrename: { Person.age: years }"))
        == ["STR3506 Person.adult verified", "STR3205 Person.years automatic"])
  }

  @Test("The lock seals them, and a version whose rules were edited is found")
  func seal() throws {
    let ruled = try schema(Self.ruled)
    let freeze = Freeze(history: History(name: "People"), lock: VersionLock())
    let plan = try freeze.plan(freezing: ruled, date: "2026-11-21")
    let text = try #require(plan.files.last?.text)
    #expect(text.contains(" rules=\(try #require(ruled.rulesDigest)) step=- "))
    func findings(_ version: Schema) -> [String] {
      var diagnostics = Diagnostics()
      _ = HistoryReader.read(
        versions: [SourceFile(path: "versions/0.yaml", text: version.canonicalYAML)],
        lock: SourceFile(path: "schema.lock", text: text), steps: [], reporting: &diagnostics)
      return diagnostics.sorted.map { "\($0.code) \($0.message)" }
    }
    #expect(findings(ruled) == [])
    #expect(
      findings(try schema(Self.plain)) == ["STR4001 version 0 was edited after it was frozen"])
    #expect(
      findings(try schema(Self.ruled.replacing("<= 3", with: "<= 4")))
        == ["STR4001 version 0 was edited after it was frozen"])
  }

  @Test("Declarations with other rules are not the version that is frozen")
  func workingVersion() throws {
    let frozen = FrozenVersion(
      schema: try schema(Self.plain), step: nil, date: "2026-11-21", stepDigest: nil, chain: nil)
    let history = History(name: "People", versions: [frozen])
    #expect(throws: WorkingVersionError.self) {
      _ = try history.including(working: try schema(Self.ruled), step: nil)
    }
  }

  @Test("A step's repairs are read, and written as JSON")
  func repairs() throws {
    let step = try step(
      "to: 1\nrepair:\n  Person.adult: { set: { age: \"max(age, 18)\" }, delete: name == '' }\n")
    let repair = try #require(step.repair[SchemaPath("Person", "adult")])
    #expect(repair.set.mapValues(\.text) == ["age": "max(age, 18)"])
    #expect(repair.delete?.text == "name == ''")
    #expect(try MigrationStep(json: step.json) == step)
    #expect(
      findings("to: 1\nrepair: { Person.adult: {} }", name: "1.yaml") == ["2 STR2003"])
    #expect(
      findings("to: 1\nrepair: { Person.adult: { put: 1 } }", name: "1.yaml") == ["2 STR2001"])
  }

  @Test(
    "Two branches that add different rules are one, and the same rule in two ways is a conflict")
  func merge() throws {
    func person(_ rules: String) throws -> Schema {
      try schema("Person: { rules: { \(rules) }, properties: { age: int } }")
    }
    let merged = try SchemaMerge.merge(
      base: try person(""), ours: try person("a: age > 1"), theirs: try person("b: age > 2"),
      version: 0)
    #expect(merged.model(named: "Person")?.rules.map(\.name) == ["a", "b"])
    #expect(throws: FreezeError.self) {
      try SchemaMerge.merge(
        base: try person(""), ours: try person("a: age > 1"), theirs: try person("a: age > 2"),
        version: 0)
    }
  }
}
