import StrataSchema
import StrataSource
import Testing

/// The two forms that servers show on a merge or pull request.
@Suite struct MergeRequestTests {
  private static let kind = DiagnosticKind("STR9999", "example-rule", "An example.")

  private func diagnostics(_ messages: [String]) -> Diagnostics {
    var diagnostics = Diagnostics()
    let file = SourceFile(path: "schemas/A|B.yaml", text: "a: 1\nb: 2\n")
    diagnostics.add(file)
    for message in messages {
      diagnostics.report(
        Self.kind, message, at: file.span(file.rangeOfLine(2)), help: "write <b>")
    }
    return diagnostics
  }

  @Test func aCodeQualityReportHasWhatGitLabAsksFor() throws {
    let text = DiagnosticFormat.gitlab.render(diagnostics(["it is wrong", "it is worse"]))
    let findings = try #require(try JSON.parse(text).array)
    #expect(findings.count == 2)
    #expect(findings[0]["description"] == "it is wrong; write <b>")
    #expect(findings[0]["check_name"] == "STR9999 example-rule")
    #expect(findings[0]["severity"] == "critical")
    #expect(findings[0]["location"]?["path"] == "schemas/A|B.yaml")
    #expect(findings[0]["location"]?["lines"]?["begin"] == 2)
    let fingerprints = Set(findings.compactMap { $0["fingerprint"]?.string })
    #expect(fingerprints.count == 2 && fingerprints.allSatisfy { $0.count == 32 })
  }

  @Test func aFingerprintStaysWhereLinesMove() throws {
    func fingerprint(_ text: String, line: Int) throws -> String? {
      var diagnostics = Diagnostics()
      let file = SourceFile(path: "a.yaml", text: text)
      diagnostics.report(Self.kind, "it is wrong", at: file.span(file.rangeOfLine(line)))
      return try JSON.parse(GitLabRenderer().render(diagnostics)).array?.first?["fingerprint"]?
        .string
    }
    #expect(try fingerprint("a: 1\n", line: 1) == fingerprint("\n\na: 1\n", line: 3))
  }

  @Test func noFindingsAreAnEmptyReport() throws {
    #expect(try JSON.parse(DiagnosticFormat.gitlab.render(Diagnostics())) == [])
    #expect(DiagnosticFormat.markdown.render(Diagnostics()) == "**No findings.**\n")
  }

  @Test func aTableKeepsTextOfFilesFromBeingMarkdown() {
    #expect(
      DiagnosticFormat.markdown.render(diagnostics(["'a|b' is `no` <name>\nof *anything*"])) == """
        **1 error**

        | | where | what | what to do |
        |---|---|---|---|
        | error | `schemas/A\\|B.yaml:2` | 'a\\|b' is \\`no\\` &lt;name&gt; of \\*anything\\* [STR9999] | write &lt;b&gt; |

        """)
  }

  @Test func aTableMentionsNoPersonAndNamesFilesAsTheyAre() {
    #expect(
      DiagnosticFormat.markdown.render(diagnostics(["there is no type '@octocat'"])).contains(
        "| error | `schemas/A\\|B.yaml:2` | there is no type '@\u{200B}octocat' [STR9999] |"))
  }

  /// To Swift a mark with an accent on it is one character; to a browser it is the mark.
  @Test func noMarkOfATextIsReadAsMarkdownOrHTML() {
    func isSame(_ text: String, _ expected: String) -> Bool {
      text.utf8.elementsEqual(expected.utf8)
    }
    #expect(isSame(MarkdownText.escaped("a|\u{301}b<\u{338}c"), "a\\|\u{301}b&lt;\u{338}c"))
    #expect(isSame(MarkdownText.code("`\u{301}|\u{301}"), "'\u{301}\\|\u{301}"))
    #expect(isSame(MarkdownText.code("a\\|b"), "a\\¦b"))
    #expect(isSame(MarkdownText.line("a```\u{301}b````"), "a'''\u{301}b'''`"))
    #expect(isSame(MarkdownText.line("a\r\nb\tc\u{1B}d"), "a  b c\u{FFFD}d"))
  }
}
