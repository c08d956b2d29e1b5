import StrataSchema
import StrataSource
import Testing

@Suite struct RendererTests {
  static let unknownKey = DiagnosticKind("STR2001", "unknown-key", "A key that is not known.")
  static let advice = DiagnosticKind(
    "STR9001", "advice", "Something to look at.", severity: .warning)

  /// Two findings in one file, one about no file.
  static var diagnostics: Diagnostics {
    let file = SourceFile(path: "schemas/a b.yaml", text: "models:\n  Pérson:\tfields, <&>\n")
    var diagnostics = Diagnostics()
    diagnostics.add(file)
    diagnostics.report(
      unknownKey, "unknown key 'fields', 100%", at: file.span(19..<25),
      labels: [Diagnostic.Label("the model \"Pérson\"", at: file.span(10..<17))],
      help: "did you mean 'properties'?",
      fixIt: FixIt("write properties", replacing: file.span(19..<25), with: "properties"))
    diagnostics.report(advice, "look here", at: file.span(0..<28))
    diagnostics.report(advice, "no file", at: nil)
    return diagnostics
  }

  @Test func text() {
    #expect(
      TextRenderer().render(Self.diagnostics) == """
        warning: no file [STR9001]
        schemas/a b.yaml:1:1: warning: look here [STR9001]
            1 | models:
              | ^~~~~~~
        schemas/a b.yaml:2:11: error: unknown key 'fields', 100% [STR2001]
            2 |   Pérson:\tfields, <&>
              |          \t^~~~~~
        schemas/a b.yaml:2:3: note: the model "Pérson"
            2 |   Pérson:\tfields, <&>
              |   -~~~~~
                help: did you mean 'properties'?

        """)
  }

  /// A line that is longer than what is shown, and one of which not all is even read.
  @Test(arguments: [300, 9000])
  func ofALongLineThePlaceIsShown(length: Int) {
    let file = SourceFile(
      path: "a.yaml", text: String(repeating: "é", count: length) + "here" + "z\u{301}z" + "\n")
    var diagnostics = Diagnostics()
    diagnostics.add(file)
    diagnostics.report(Self.advice, "look", at: file.span(2 * length..<2 * length + 4))
    #expect(
      TextRenderer().render(diagnostics) == """
        a.yaml:1:\(length + 1): warning: look [STR9001]
            1 | …\(String(repeating: "é", count: 40))herez\u{301}z
              |  \(String(repeating: " ", count: 40))^~~~

        """)
  }

  @Test(arguments: [
    ("🚀", 2), ("🎉", 2), ("✅", 2), ("ꥠ", 2), ("人", 2), ("é", 1), ("🇦🇹", 2), ("e\u{301}", 1),
  ])
  func aCaretStandsUnderItsPlace(sign: String, columns: Int) {
    let file = SourceFile(path: "a.yaml", text: "\(sign)here\n")
    let start = sign.utf8.count
    var diagnostics = Diagnostics()
    diagnostics.add(file)
    diagnostics.report(Self.advice, "look", at: file.span(start..<start + 4))

    let lines = TextRenderer().render(diagnostics).split(separator: "\n").dropFirst()

    #expect(
      lines == [
        "    1 | \(sign)here", "      | \(String(repeating: " ", count: columns))^~~~",
      ])
  }

  @Test func colour() {
    let text = TextRenderer(usesColour: true).render(Self.diagnostics)
    #expect(text.hasPrefix("\u{1B}[33mwarning\u{1B}[0m: \u{1B}[1mno file\u{1B}[0m [STR9001]\n"))
  }

  @Test func textOfOthersDoesNotSteerTheTerminal() {
    let file = SourceFile(path: "a.yaml", text: "\u{1B}[31m \u{202E}x\n")
    var diagnostics = Diagnostics()
    diagnostics.add(file)
    diagnostics.report(Self.advice, "found '\u{1B}[2J'", at: file.span(0..<1))
    let text = TextRenderer().render(diagnostics)
    #expect(!text.unicodeScalars.contains("\u{1B}"))
    #expect(!text.unicodeScalars.contains("\u{202E}"))
  }

  @Test func gitHub() {
    #expect(
      GitHubRenderer().render(Self.diagnostics) == """
        ::warning title=STR9001 advice::no file
        ::warning file=schemas/a b.yaml,line=1,endLine=2,title=STR9001 advice::look here
        ::error file=schemas/a b.yaml,line=2,endLine=2,col=11,endColumn=17,title=STR2001 unknown-key\
        ::unknown key 'fields', 100%25%0Adid you mean 'properties'?

        """)
  }

  /// Names of a file that would steer a terminal, or turn what stands beside them.
  @Test func whatIsNotToBeShownIsReplaced() {
    var diagnostics = Diagnostics()
    let name = "a\u{1B}[31m\u{202E}\u{7}\u{0}b"
    let file = SourceFile(path: "\(name).yaml", text: "x\n")
    diagnostics.add(file)
    diagnostics.report(
      Diagnostic(
        Self.unknownKey, "unknown key '\(name)'", at: file.span(0..<1), help: "remove '\(name)'"))
    for format in [DiagnosticFormat.text, .github, .junit, .markdown] {
      let text = format.render(diagnostics)
      #expect(
        !text.unicodeScalars.contains { $0 != "\n" && !$0.isShowable },
        "\(format): \(text.debugDescription)")
      #expect(text.contains("b"))
    }
  }

  @Test func whatIsNotKeptIsCounted() {
    var diagnostics = Diagnostics()
    for _ in 0..<Diagnostics.maximumCount + 3 {
      diagnostics.report(Self.unknownKey, "no", at: nil)
    }
    #expect(TextRenderer().render(diagnostics).hasSuffix("3 more are not shown\n"))
    #expect(GitHubRenderer().render(diagnostics).hasSuffix("::notice::3 more are not shown\n"))
    for format in [DiagnosticFormat.gitlab, .junit, .sarif] {
      #expect(format.render(diagnostics).contains("3 more are not shown"), "\(format)")
      #expect(!format.render(Self.diagnostics).contains("more"), "\(format)")
    }
    #expect(diagnostics.dropping { $0.severity == .info }.omittedCount == 3)
  }

  @Test func json() throws {
    let json = try JSON.parse(JSONRenderer().render(Self.diagnostics))
    #expect(json["format"]?.string == "strata.check/1")
    let findings = try #require(json["findings"]?.array)
    #expect(findings.count == 3)
    #expect(findings[0]["file"] == .null)
    let found = findings[2]
    #expect(found["code"]?.string == "STR2001")
    #expect(found["rule"]?.string == "unknown-key")
    #expect(found["severity"]?.string == "error")
    #expect(found["message"]?.string == "unknown key 'fields', 100%")
    #expect(found["file"]?.string == "schemas/a b.yaml")
    #expect(
      ["line", "column", "endLine", "endColumn"].map { found[$0]?.int } == [2, 11, 2, 17])
    #expect(found["help"]?.string == "did you mean 'properties'?")
    let edit = try #require(found["fix"]?["edits"]?.array?.first)
    #expect(edit["replacement"]?.string == "properties")
    #expect(edit["offset"]?.int == 19 && edit["length"]?.int == 6)
  }

  @Test func junit() {
    let text = JUnitRenderer().render(Self.diagnostics)
    #expect(
      text.hasPrefix(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="strata check" tests="3" failures="1">
          <testsuite name="strata check" tests="1" failures="0">
            <testcase classname="strata check" name="STR9001 advice">
              <system-out>warning: no file [STR9001]
        """))
    #expect(
      text.contains(
        """
            <testcase classname="schemas/a b.yaml" name="STR2001 unknown-key 2:11" \
        file="schemas/a b.yaml" line="2">
              <failure type="STR2001" message="unknown key 'fields', 100%">
        """))
    #expect(text.contains("fields, &lt;&amp;&gt;"))
    #expect(JUnitRenderer().render(Diagnostics()).contains("name=\"no findings\""))
  }

  @Test func whatARunFailsForFailsInJUnit() {
    let text = JUnitRenderer(failingFrom: .warning).render(Self.diagnostics)
    #expect(
      text.contains(
        """
        <testsuites name="strata check" tests="3" failures="3">
          <testsuite name="strata check" tests="1" failures="1">
            <testcase classname="strata check" name="STR9001 advice">
              <failure type="STR9001" message="no file">
        """), "\(text)")
  }

  @Test func aSuiteOfJUnitHasAllFindingsOfItsFile() {
    let files = ["b.yaml", "a.yaml"].map { SourceFile(path: $0, text: "a: 1\nb: 2\n") }
    var diagnostics = Diagnostics()
    for offset in [5, 0] {
      for file in files {
        diagnostics.report(Self.advice, "look", at: file.span(offset..<offset + 1))
      }
    }
    diagnostics.report(Self.unknownKey, "no", at: files[0].span(0..<1))

    let lines = JUnitRenderer().render(diagnostics).split(separator: "\n")

    #expect(
      lines.filter { $0.hasPrefix("  <testsuite ") } == [
        #"  <testsuite name="a.yaml" tests="2" failures="0">"#,
        #"  <testsuite name="b.yaml" tests="3" failures="1">"#,
      ])
  }

  @Test func sarif() throws {
    let text = SARIFRenderer(kinds: [Self.unknownKey], toolVersion: "1.2").render(Self.diagnostics)
    let json = try JSON.parse(text)
    #expect(json["version"]?.string == "2.1.0")
    let run = try #require(json["runs"]?.array?.first)
    let driver = try #require(run["tool"]?["driver"])
    #expect(driver["rules"]?.array?.compactMap { $0["id"]?.string } == ["STR2001", "STR9001"])
    #expect(run["columnKind"]?.string == "unicodeCodePoints")
    let result = try #require(run["results"]?.array?.last)
    #expect(result["ruleId"]?.string == "STR2001" && result["ruleIndex"]?.int == 0)
    let place = try #require(result["locations"]?.array?.first?["physicalLocation"])
    #expect(place["artifactLocation"]?["uri"]?.string == "schemas/a%20b.yaml")
    let region = try #require(place["region"])
    #expect(
      ["startLine", "startColumn", "endLine", "endColumn", "byteOffset", "byteLength"]
        .map { region[$0]?.int } == [2, 11, 2, 17, 19, 6])
    let change = result["fixes"]?.array?.first?["artifactChanges"]?.array?.first
    #expect(
      change?["replacements"]?.array?.first?["insertedContent"]?["text"]?.string == "properties")
  }

  /// A program that makes every repair would make it, too.
  @Test func aGuessIsNoRepairForPrograms() throws {
    let file = SourceFile(path: "a.yaml", text: "Dgo: 1\n")
    func diagnostics(isGuess: Bool) -> Diagnostics {
      var diagnostics = Diagnostics()
      diagnostics.add(file)
      diagnostics.report(
        Self.unknownKey, "there is no 'Dgo'", at: file.span(0..<3), help: "did you mean 'Dog'?",
        fixIt: FixIt("write Dog", replacing: file.span(0..<3), with: "Dog", isGuess: isGuess))
      return diagnostics
    }
    func fix(isGuess: Bool) throws -> JSON? {
      let json = try JSON.parse(JSONRenderer().render(diagnostics(isGuess: isGuess)))
      return json["findings"]?.array?.first?["fix"]
    }
    #expect(try fix(isGuess: true)?["guess"] == .bool(true))
    #expect(try fix(isGuess: true)?["title"]?.string == "write Dog")
    #expect(try fix(isGuess: false).map { $0["guess"] == nil } == true)

    func result(isGuess: Bool) throws -> JSON? {
      let text = SARIFRenderer(kinds: []).render(diagnostics(isGuess: isGuess))
      return try JSON.parse(text)["runs"]?.array?.first?["results"]?.array?.first
    }
    #expect(try result(isGuess: true).map { $0["fixes"] == nil } == true)
    #expect(
      try result(isGuess: true)?["message"]?["text"]?.string
        == "there is no 'Dgo'\ndid you mean 'Dog'?")
    #expect(try result(isGuess: false)?["fixes"]?.array?.count == 1)
  }

  @Test func fixItsAreApplied() {
    let application = FixItApplication(Self.diagnostics)
    let text = application.files["schemas/a b.yaml"].map {
      String(decoding: $0.bytes, as: UTF8.self)
    }
    #expect(text == "models:\n  Pérson:\tproperties, <&>\n")
    #expect(application.repaired.map(\.code) == ["STR2001"])
  }

  @Test func fixItsThatOverlapAreLeftForTheNextRun() {
    let file = SourceFile(path: "a", text: "abcdef")
    var diagnostics = Diagnostics()
    diagnostics.add(file)
    for (range, text) in [(0..<2, "X"), (1..<3, "Y"), (4..<4, "Z"), (4..<5, "Q")] {
      diagnostics.report(
        Self.advice, text, at: file.span(range),
        fixIt: FixIt(text, replacing: file.span(range), with: text))
    }
    let application = FixItApplication(diagnostics)
    #expect(application.files["a"].map { String(decoding: $0.bytes, as: UTF8.self) } == "XcdZef")
    #expect(application.conflictCount == 2)
  }

  @Test func entriesAtOnePlaceAreInsertedInOrder() {
    let file = SourceFile(path: "a", text: "{ z }")
    var diagnostics = Diagnostics()
    diagnostics.add(file)
    for (text, isEntry) in [("x, ", true), ("y, ", true), ("other", false)] {
      diagnostics.report(
        Self.advice, text, at: file.span(2..<3),
        fixIt: FixIt(
          text,
          edits: [FixIt.Edit(path: "a", range: 2..<2, replacement: text, isEntry: isEntry)]))
    }
    let application = FixItApplication(diagnostics)
    #expect(
      application.files["a"].map { String(decoding: $0.bytes, as: UTF8.self) } == "{ x, y, z }")
    #expect(application.conflictCount == 1)
  }
}
