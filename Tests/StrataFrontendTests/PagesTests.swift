import StrataFrontend
import StrataReference
import StrataSource
import Testing

/// Every kind of finding has a page, whose examples do what it says.
@Suite struct PagesTests {
  static var folder: String {
    String(testFolder.split(separator: "/Tests/")[0]) + "/docs/diagnostics"
  }

  @Test func everyKindHasAPage() {
    #expect(
      DiagnosticCatalogue.pages.map(\.kind.code) == DiagnosticCatalogue.kinds.map(\.code).sorted())
    #expect(Set(DiagnosticCatalogue.kinds.map(\.name)).count == DiagnosticCatalogue.kinds.count)
  }

  @Test(arguments: DiagnosticCatalogue.pages.map(\.kind.code))
  func theExamplesFailAndAreRepaired(code: String) throws {
    let page = try #require(DiagnosticCatalogue.pages.first { $0.kind.code == code })
    let findings = DiagnosticCatalogue.check(page.failing).sorted
    #expect(findings.map(\.code) == [code], "\(findings.map(line))")
    let rest = DiagnosticCatalogue.check(page.repaired).sorted
    #expect(rest.isEmpty, "\(rest.map(line))")
  }

  /// `scripts/update-diagnostics` writes the files again.
  @Test(arguments: DiagnosticCatalogue.pages.map(\.kind.code))
  func theDocsSayTheSame(code: String) throws {
    let page = try #require(DiagnosticCatalogue.pages.first { $0.kind.code == code })
    let file = try SourceFolder.read(file: "\(Self.folder)/\(code).md")
    let findings = TextRenderer().render(DiagnosticCatalogue.check(page.failing))
    #expect(file.text(in: 0..<file.bytes.count) == page.markdown(findings: findings))
  }
}
