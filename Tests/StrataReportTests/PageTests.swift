import StrataEvolution
import StrataSchema
import StrataSource
import Testing

@testable import StrataReport

@Suite("Pages of the report")
struct PageTests {
  static let hostile = "</script></svg><script>alert(1)</script><img src=x onerror=alert(1)> \" ' &"

  @Test("Text is escaped wherever it stands")
  func escaping() {
    let text = "<b>\"it's\" & more</b>\u{1B}[31m"
    let markup: Markup = "<p title=\"\(text)\">\(text)</p>"
    let escaped = "&lt;b&gt;&quot;it&#39;s&quot; &amp; more&lt;/b&gt;\u{FFFD}[31m"
    #expect(markup.html == "<p title=\"\(escaped)\">\(escaped)</p>")
  }

  @Test("A name in a sentence keeps its direction to itself")
  func directions() throws {
    for (sentence, html) in [
      (
        "'שם' is renamed to 'name'",
        "&#39;<bdi>שם</bdi>&#39; is renamed to &#39;<bdi>name</bdi>&#39;"
      ),
      ("the file's 'a<b'", "the file&#39;s &#39;<bdi>a&lt;b</bdi>&#39;"),
      ("it's 'open", "it&#39;s &#39;open"), ("''", "&#39;<bdi></bdi>&#39;"), ("plain", "plain"),
    ] {
      #expect(Markup(sentence: sentence).html == html)
    }
    let input = try ReportCase.input([
      "models: { לקוח: { properties: { שם: string } } }",
      "models: { לקוח: { properties: { שם: string, גיל: int? } } }",
    ])
    for name in ["index.html", "versions/1.html"] {
      let page = try #require(ReportCase.pages(input)[name])
      #expect(page.contains("&#39;<bdi>לקוח.גיל</bdi>&#39;"), "\(name)")
    }
  }

  @Test("Nothing of a schema is read as HTML")
  func hostileTexts() throws {
    let quoted = JSON.string(Self.hostile).canonicalText
    let input = try ReportCase.input(
      [
        "models: { Person: { doc: \(quoted), properties: { name: { type: string, default: \(quoted), doc: \(quoted) }, old: int } } }",
        "models: { Person: { doc: \(quoted), properties: { name: string } } }\nenums: { Mood: { type: string, doc: \(quoted), cases: { bad: \(quoted) } } }",
      ],
      steps: [
        1:
          "drop: [Person.old]\naccept: [{ rule: property-removed, at: Person.old, because: \(quoted) }]"
      ],
      blocks: [1: "// \(Self.hostile)\nlet text = #\"\(Self.hostile)\"#\n"])
    let pages = ReportCase.pages(input)
    #expect(pages.keys.sorted() == ["index.html", "versions/0.html", "versions/1.html"])
    for (name, page) in pages {
      // The page's own script, and nothing else.
      #expect(
        page.split(separator: "<script", omittingEmptySubsequences: false).count == 2, "\(name)")
      #expect(!page.contains("<img"), "\(name)")
    }
    #expect(pages["versions/1.html"]?.contains("&lt;script&gt;alert(1)") == true)
  }

  @Test("The policy names the page's own style and script, and nothing else")
  func policy() throws {
    let page = Page(name: "n", title: "t", root: "", navigation: "", content: "").text
    let script = try #require(
      page.split(separator: "<script>").last?.split(separator: "</script>").first)
    let hash = Base64.encode(Hex.decode(Digest(of: String(script)).description.utf8) ?? [])
    #expect(page.contains("script-src 'sha256-\(hash)'"))
    #expect(page.contains("default-src 'none'"))
  }

  @Test("A page is known by its name and by what it begins with")
  func known() throws {
    let input = try ReportCase.input(["models: { Person: { properties: { name: string } } }"])
    for (name, page) in ReportCase.pages(input) {
      #expect(Report.isPage(Array(page.utf8)), "\(name)")
    }
    #expect(!Report.isPage(Array("<!doctype html>".utf8)))

    let names = [
      "0.html", "12.html", "01.html", "1.htm", ".html", "a.html", "1.html.old", "-1.html",
      "working.html",
    ]
    #expect(names.filter(Report.isNameOfVersionPage) == ["0.html", "12.html", "working.html"])
  }

  @Test("Declarations under the number of a frozen version have a page of their own")
  func editedUnderAFrozenNumber() throws {
    var input = try ReportCase.input([
      "models: { T: { properties: { name: string, age: int } } }",
      "models: { T: { properties: { name: string } } }",
    ])
    input.working?.schema.version = 0

    let pages = ReportCase.pages(input)

    let names = ["index.html", "versions/0.html", "versions/working.html"]
    #expect(Report(input, findings: Diagnostics()).names == names)
    #expect(pages.keys.sorted() == names)
    let index = try #require(pages["index.html"])
    #expect(names.dropFirst().allSatisfy { index.contains("href=\"\($0)\"") })
    let frozen = try #require(pages["versions/0.html"])
    #expect(frozen.contains("<h1>Version 0</h1>"))
    #expect(frozen.contains("<a rel=\"next\" href=\"working.html\""))
    #expect(frozen.contains("<option value=\"working\">working version 0</option>"))
    let working = try #require(pages["versions/working.html"])
    #expect(working.contains("<h1>Working version 0</h1>"))
    #expect(working.contains("<a rel=\"prev\" href=\"0.html\""))
    #expect(working.contains("<option value=\"working\" selected>working version 0</option>"))
  }

  @Test(
    "Base64 (RFC 4648, section 10)",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func base64(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
  }

  @Test("A version's page shows changes with verdicts, the step, the block and the difference")
  func version() throws {
    let input = try ReportCase.input(
      [
        "models: { Person: { properties: { first: string, last: string, age: int } } }",
        "models: { Person: { properties: { name: string, age: int, note: string? } } }",
      ], steps: [1: "drop: [Person.first, Person.last]\nswift: [Person]"],
      blocks: [1: "let answer = 42"])
    let page = try #require(ReportCase.pages(input)["versions/1.html"])
    for part in [
      "covered by the step", "automatic", "STR3203", "migrations/1.yaml",
      "migrations/1-Block.swift",
      "<b>let</b> answer = <i class=\"n\">42</i>", "<ins class=\"l\">", "<del class=\"l\">",
      "data-model=\"Person\"", "href=\"0.html\"",
    ] {
      #expect(page.contains(part), "\(part)")
    }
  }

  @Test(
    "A page without a step says whether one is needed",
    arguments: [
      ("name: string, age: int, note: string?", "None is needed: every change is automatic."),
      ("name: string", "There is none, and 1 change needs one."),
      ("note: string?", "There is none, and 2 changes need one."),
    ])
  func withoutStep(properties: String, sentence: String) throws {
    let input = try ReportCase.input([
      "models: { Person: { properties: { name: string, age: int } } }",
      "models: { Person: { properties: { \(properties) } } }",
    ])
    let page = try #require(ReportCase.pages(input)["versions/1.html"])
    #expect(page.contains("Step</h2><p>\(sentence)</p>"))
  }

  @Test("A page without a step says that rules are verified")
  func withoutStepForRules() throws {
    let input = try ReportCase.input([
      "models: { Person: { properties: { age: int } } }",
      "models: { Person: { rules: { grown: age > 0 }, properties: { age: int } } }",
    ])
    let page = try #require(ReportCase.pages(input)["versions/1.html"])
    #expect(
      page.contains("Step</h2><p>None is needed: every change is automatic or verified.</p>"))
  }

  @Test("Code has its colours with each kind of line break", arguments: ["\n", "\r\n", "\r"])
  func lineBreaks(lineBreak: String) {
    let yaml = ["# a comment", "to: 1", ""].joined(separator: lineBreak)
    let swift = ["let a = 1", "// a comment", "let b = 2"].joined(separator: lineBreak)

    #expect(
      Highlight.yaml(Array(yaml.utf8)).html == """
        <i class="c"># a comment</i>
        <b>to</b>: 1

        """)
    #expect(
      Highlight.swift(Array(swift.utf8)).html == """
        <b>let</b> a = <i class="n">1</i><i class="c">
        // a comment
        </i><b>let</b> b = <i class="n">2</i>
        """)
  }

  @Test(
    "A text in quotes ends where YAML ends it",
    arguments: [
      (
        #"a: "b\"c" # d"#, #"<b>a</b>: <i class="s">&quot;b\&quot;c&quot;</i> <i class="c"># d</i>"#
      ),
      (#"a: "b\\" # d"#, #"<b>a</b>: <i class="s">&quot;b\\&quot;</i> <i class="c"># d</i>"#),
      (#"a: 'b\' # d"#, #"<b>a</b>: <i class="s">&#39;b\&#39;</i> <i class="c"># d</i>"#),
      (#"a: "b"#, #"<b>a</b>: <i class="s">&quot;b</i>"#),
    ])
  func quotes(line: String, html: String) {
    #expect(Highlight.yaml(line: line[...]).html == html)
  }

  @Test("What differs stands with three lines around it")
  func lineDiff() throws {
    let old = (1...9).map(String.init).joined(separator: "\n")
    let diff = try #require(
      LineDiff(from: old, to: old.replacing("5", with: "five")))
    #expect(
      diff.lines == [
        .skipped(1), .same("2"), .same("3"), .same("4"), .removed("5"), .added("five"), .same("6"),
        .same("7"), .same("8"), .skipped(1),
      ])
    #expect(LineDiff(from: "a\nb", to: "a\nb")?.lines == [.skipped(2)])
  }

  /// The same lines in another order, and the same line more often, are differences, too.
  @Test(
    "What differs in more places than are allowed is not compared",
    arguments: [
      ((0..<90).map { $0 % 7 }, (0..<90).map { $0 * 5 % 7 }, false),
      (Array(repeating: 1, count: 42), [1], false),
      (Array(repeating: 1, count: 41), [1], true),
      ([1], Array(repeating: 1, count: 41), true),
      (Array(0..<20), Array(20..<40), true),
      (Array(0..<21), Array(20..<42).reversed(), false),
    ])
  func tooDifferent(old: [Int], new: [Int], isCompared: Bool) {
    let places = ShortestEdit.places(from: old, to: new, maximumChanges: 40)
    #expect((places != nil) == isCompared)
  }

  @Test("Texts with more lines that differ than are shown are not compared")
  func tooManyLines() {
    let line = "      p: int?\n"
    let text = String(repeating: line, count: LineDiff.maximumChanges)
    #expect(LineDiff(from: line, to: line + text + line) == nil)
  }

  @Test("The fewest places lead from one text to the other", arguments: 0..<200 as Range<UInt64>)
  func shortestEdit(seed: UInt64) throws {
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    let old = (0..<next(30)).map { _ in next(5) }
    let new = (0..<next(30)).map { _ in next(5) }

    let (removed, added) = try #require(ShortestEdit.places(from: old, to: new, maximumChanges: 60))

    let kept = old.indices.filter { !removed.contains($0) }.map { old[$0] }
    #expect(kept == new.indices.filter { !added.contains($0) }.map { new[$0] })
    let count = new.difference(from: old).count
    #expect(removed.count + added.count == count)
    #expect(ShortestEdit.places(from: old, to: new, maximumChanges: count) != nil)
    #expect(count == 0 || ShortestEdit.places(from: old, to: new, maximumChanges: count - 1) == nil)
  }
}
