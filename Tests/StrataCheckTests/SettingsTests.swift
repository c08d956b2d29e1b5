import StrataEvolution
import StrataFrontend
import StrataProject
import StrataSource
import Testing

@testable import StrataCLI

@Suite("Severities, baselines, repairs")
struct SettingsTests {
  func findings(
    _ name: String, settings: String = "", against: ProjectCheck.Against? = nil
  ) throws -> Diagnostics {
    var files = try RuleCase(name: name).after()
    var diagnostics = Diagnostics()
    files.settings = SettingsReader.read(
      SourceFile(path: "strata.yaml", text: settings), reporting: &diagnostics)
    return ProjectCheck.run(files, against: against)
  }

  @Test("Settings make a rule milder, stricter, or switch it off")
  func severities() throws {
    func severity(_ settings: String) throws -> Severity? {
      try findings("STR3602", settings: settings).sorted.first { $0.code == "STR3602" }?.severity
    }
    #expect(try severity("") == .warning)
    #expect(try severity("rules: { index-removed: error }") == .error)
    #expect(try severity("rules: { index-removed: info }") == .info)
    #expect(try severity("rules: { index-removed: off }") == nil)
  }

  @Test(
    "What readers find is an error whatever the settings say, which is said at the entry",
    arguments: ["STR3406", "STR3708", "STR3903", "STR4001", "STR4001-baseline", "STR4002"])
  func fixedSeverities(name: String) throws {
    let test = RuleCase(name: name)
    let rule = try #require(RuleCatalogue.coded(String(name.prefix(7))))
    let against: ProjectCheck.Against? =
      test.hasBaseline ? .files(try test.before(), name: "git:main", ancestorLock: nil) : nil
    func found(_ severity: String) throws -> [Diagnostic] {
      try self.findings(
        name, settings: "rules: { \(rule.name): \(severity) }", against: against
      ).sorted
    }

    let findings = try found("off")

    #expect(findings.contains { $0.code == rule.code && $0.severity == .error })
    let warning = try #require(findings.first { $0.code == "STR4020" })
    #expect(
      warning.message
        == "the severity of '\(rule.name)' cannot be set: what it finds is always an error")
    #expect(warning.severity == .warning)
    #expect(try !found("error").contains { $0.code == "STR4020" })
  }

  @Test("The docs list the rules whose severity cannot be set")
  func fixedRules() throws {
    let root = #filePath.split(separator: "/Tests/").first.map(String.init) ?? ""
    let page = try SourceFolder.read(file: root + "/docs/rules.md")
    let text = page.text(in: 0..<page.bytes.count).prefix { $0 != "|" }
    let listed = text.matches(of: /STR[0-9]{4}/).map { String($0.0) }.filter { $0 != "STR4020" }
    #expect(listed == RuleCatalogue.all.filter(\.hasFixedSeverity).map(\.code))
  }

  @Test("Of released versions only what is wrong is said; a version that the baseline lacks is new")
  func openVersions() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string, born: { type: date, indexed: true }")
    try repository.freeze(2, "name: string, born: date")
    #expect(try repository.findings() == [])
    #expect(try repository.findings(against: "v1") == ["STR3602 schemas/versions/2.yaml:7:7"])
    #expect(try repository.findings(against: "v2") == [])
  }

  @Test("The repair of a likely rename declares it, and then there is nothing to find")
  func repair() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string, age: int, email: uuid")
    try repository.declare(2, "fullName: string, age: int, mail: uuid")
    for _ in 0..<2 {
      let found = ProjectCheck.run(try repository.project.files())
      for (path, file) in FixItApplication(found).files {
        try repository.write(
          path.replacing(repository.path + "/", with: ""),
          String(decoding: file.bytes, as: UTF8.self))
      }
    }
    #expect(try repository.findings() == [])
    #expect(
      try repository.read("migrations/2.yaml")
        == "to: 2\nrename: { Person.email: mail, Person.name: fullName }\n"
        || repository.read("migrations/2.yaml")
          == "to: 2\nrename: { Person.name: fullName, Person.email: mail }\n"
    )
  }

  @Test("A repair of a step in block form keeps its form")
  func blockForm() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string, age: int, email: uuid")
    try repository.declare(2, "fullName: string, age: int, mail: uuid")
    try repository.write("migrations/2.yaml", "to: 2\nrename:\n  Person.name: fullName\n")
    let found = ProjectCheck.run(try repository.project.files())
    let file = FixItApplication(found).files.first?.value
    #expect(
      file.map { String(decoding: $0.bytes, as: UTF8.self) }
        == "to: 2\nrename:\n  Person.email: mail\n  Person.name: fullName\n")
  }

  @Test(
    "A repair of a step in any other form keeps its form",
    arguments: [
      ("{ to: 2 }\n", "{ rename: { Person.name: fullName }, to: 2 }\n"),
      ("to: 2\nrename: {}\n", "to: 2\nrename: { Person.name: fullName }\n"),
      (
        "to: 2\nrename: # none yet\naccept: []\n",
        "to: 2\nrename: { Person.name: fullName } # none yet\naccept: []\n"
      ),
      (
        "to: 2\nrename: {\n  Person.email: mail\n}\n",
        "to: 2\nrename: {\n  Person.name: fullName, Person.email: mail\n}\n"
      ),
      (
        "to: 2\r\nrename:\r\n  Person.email: mail\r\n",
        "to: 2\r\nrename:\r\n  Person.name: fullName\r\n  Person.email: mail\r\n"
      ),
      ("  to: 2\n", "  to: 2\n  rename: { Person.name: fullName }\n"),
    ])
  func otherForms(step: String, repaired: String) throws {
    let repository = try Repository()
    let hasMail = step.contains("mail")
    try repository.freeze(1, hasMail ? "name: string, email: uuid" : "name: string")
    try repository.declare(2, hasMail ? "fullName: string, mail: uuid" : "fullName: string")
    try repository.write("migrations/2.yaml", step)
    let found = ProjectCheck.run(try repository.project.files())
    let file = FixItApplication(found).files.first?.value
    #expect(file.map { String(decoding: $0.bytes, as: UTF8.self) } == repaired)
    try repository.write("migrations/2.yaml", repaired)
    #expect(try repository.findings() == [])
  }

  @Test("A repair that the step would not say afterwards is not offered")
  func noPlace() throws {
    let repository = try Repository()
    try repository.freeze(1, "name: string, age: int")
    try repository.declare(2, "fullName: string, age: int")
    // Behind the end of the document nothing can stand.
    try repository.write("migrations/2.yaml", "to: 2\n...\n")
    let found = ProjectCheck.run(try repository.project.files())
    #expect(found.sorted.filter { $0.severity == .error }.map(\.code) == ["STR3204"])
    #expect(FixItApplication(found).repaired == [])
  }
}
