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
    let findings = TextRenderer().render(Explanations.check(page))
    #expect(file.text(in: 0..<file.bytes.count) == page.markdown(findings: findings))
  }
}
