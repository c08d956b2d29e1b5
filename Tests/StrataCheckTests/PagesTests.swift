import StrataCLI
import StrataEvolution
import StrataExpression
import StrataSource
import Testing

/// Every rule and every mistake in an expression has a page, whose examples do what it says.
@Suite("Pages")
struct PagesTests {
  static var folder: String {
    (#filePath.split(separator: "/Tests/").first.map(String.init) ?? "") + "/docs/diagnostics"
  }

  @Test("Every rule has a page")
  func everyRule() {
    let codes = Explanations.pages.map(\.kind.code)
    #expect(codes == codes.sorted())
    #expect(Set(codes).count == codes.count)
    #expect(Set(Explanations.pages.map(\.kind.name)).count == codes.count)
    let known = Set(codes)
    for rule in RuleCatalogue.all { #expect(known.contains(rule.code), "\(rule.code)") }
    for rule in ExpressionRule.allCases { #expect(known.contains(rule.rawValue), "\(rule)") }
  }

  @Test("The examples fail and are repaired", arguments: RulePages.all.map(\.kind.code))
  func examples(code: String) throws {
    let page = try #require(RulePages.all.first { $0.kind.code == code })
    guard !page.failing.isEmpty else { return }
    // What only a run on files or a baseline finds is what its case finds.
    if let said = page.said {
      let expected = RuleCase(name: code).expected.replacing(#/-[0-9]+:[0-9]+: /#, with: ": ")
      // A case's declarations stand in no folder.
      #expect(expected.contains(said.replacing("schemas/", with: "")))
      return
    }
    let found = Explanations.check(page).sorted
    #expect(Set(found.map(\.code)) == [code], "\(found.map(\.message))")
    guard !page.repaired.isEmpty else { return }
    let rest = Explanations.checkRepair(page).sorted
    #expect(rest.isEmpty, "\(rest.map { "\($0.code) \($0.message)" })")
  }

  /// `scripts/update-diagnostics` writes the files again.
  @Test("The docs say the same", arguments: RulePages.all.map(\.kind.code))
  func docs(code: String) throws {
    let page = try #require(RulePages.all.first { $0.kind.code == code })
    let file = try SourceFolder.read(file: "\(Self.folder)/\(code).md")
    #expect(
      file.text(in: 0..<file.bytes.count) == page.markdown(findings: Explanations.findings(page)))
  }

  @Test("docs/rules.md is the catalogue")
  func catalogue() throws {
    let root = #filePath.split(separator: "/Tests/").first.map(String.init) ?? ""
    let page = try SourceFolder.read(file: root + "/docs/rules.md")
    let rows = page.text(in: 0..<page.bytes.count).split(separator: "\n")
      .filter { $0.hasPrefix("| [STR") }.map(String.init)
    let expected = RuleCatalogue.all.map { rule in
      "| [\(rule.code)](diagnostics/\(rule.code).md) | \(rule.name) | \(rule.severity.rawValue) | "
        + "\(rule.class.rawValue) | \(rule.summary) |"
    }
    #expect(rows == expected)
  }

  /// Errors of stores and upgrades have their codes where they are declared; this is what the sources spell.
  @Test("Every code in the sources has a page, and every page a code")
  func everyCode() throws {
    let root = #filePath.split(separator: "/Tests/").first.map(String.init) ?? ""
    var spelled: Set<String> = []
    for file in try Self.swiftFiles(in: root + "/Sources") {
      spelled.formUnion(file.matches(of: /"(STR[0-9]{4})"/).map { String($0.1) })
    }
    let pages = Set(Explanations.pages.map(\.kind.code))
    #expect(spelled.subtracting(pages).sorted() == [], "write a page, as in StrataCLI/Pages")
    #expect(pages.subtracting(spelled).sorted() == [])
    let files = try SourceFolder.list(Self.folder).map { String($0.prefix { $0 != "." }) }
    #expect(Set(files) == pages, "scripts/update-diagnostics writes them")
  }

  @Test(
    "The docs of stores and upgrades say the same", arguments: RuntimePages.all.map(\.kind.code))
  func runtimeDocs(code: String) throws {
    let page = try #require(Explanations.page(code))
    let file = try SourceFolder.read(file: "\(Self.folder)/\(code).md")
    #expect(
      file.text(in: 0..<file.bytes.count) == page.markdown(findings: Explanations.findings(page)))
  }

  private static func swiftFiles(in folder: String) throws -> [String] {
    try SourceFolder.list(folder).flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".swift") {
        let file = try SourceFolder.read(file: path)
        return [file.text(in: 0..<file.bytes.count)]
      }
      return name.contains(".") ? [] : try swiftFiles(in: path)
    }
  }
}
