import StrataFrontend
import StrataSchema
import StrataSource
import Testing

@Suite struct FixItTests {
  /// Every fix-it of every case of `Findings/` repairs its finding and breaks nothing.
  @Test(arguments: try FindingsTests.cases) func findingsAreRepaired(name: String) throws {
    let file = try SourceFolder.read(file: "\(FindingsTests.folder)/\(name)")
    let input = file.text(in: 0..<file.bytes.count).split(separator: FindingsTests.separator)[0]
    let before = FindingsTests.check(String(input))
    let application = FixItApplication(before)
    guard let repaired = application.files["test.yaml"] else { return }
    let after = FindingsTests.check(repaired.text(in: 0..<repaired.bytes.count))
    let codes = after.sorted.map(\.code)
    for finding in application.repaired {
      #expect(
        codes.count { $0 == finding.code } < before.sorted.count { $0.code == finding.code },
        "\(finding.message)")
    }
    #expect(!codes.contains { $0.hasPrefix("STR1") })
  }

  @Test(arguments: [
    ("{ type: int, deleteRule: deny }", "{ type: int }"),
    ("{ deleteRule: deny, type: int }", "{ type: int }"),
    ("{ deleteRule: deny , type: int }", "{ type: int }"),
    ("{ type: \"[int]\", default: }", "{ type: \"[int]\" }"),
    (
      "\n        type: int\n        deleteRule: deny # why\n        doc: x",
      "\n        type: int\n        doc: x"
    ),
    ("\n        deleteRule:\n          deny\n        type: int", "\n        type: int"),
    ("{\n        deleteRule: deny,\n        type: int }", "{\n        type: int }"),
    ("strng", "string"), ("[strng]", "[string]"), ("set<strng>", "set<string>"),
    ("list<int>", "[int]"), ("map<string, int>", "map<int>"), ("boolean?", "bool?"),
    ("{ typ: int }", "{ type: int }"),
    ("{ type: string, default: 5 }", "{ type: string, default: \"5\" }"),
    ("{ type: bool, default: yes }", "{ type: bool, default: true }"),
    ("{ type: int, default: '5' }", "{ type: int, default: 5 }"),
    ("{ type: int, ignored: 'true' }", "{ type: int, ignored: true }"),
    ("{ type: [Test?] }", "{ type: [Test] }"),
  ])
  func aPropertyIsRepaired(written: String, repaired: String) {
    func text(_ property: String) -> String {
      "schema: Test\nversion: 0\nmodels:\n  Test:\n    properties:\n      a: \(property)\n      b: int\n"
    }
    var diagnostics = Diagnostics()
    let file = SourceFile(path: "a.yaml", text: text(written))
    #expect(SchemaCompiler.compile([file], reporting: &diagnostics) == nil)
    let result = FixItApplication(diagnostics).files["a.yaml"]
    #expect(result?.text(in: 0..<1000) == text(repaired))
    var rest = Diagnostics()
    #expect(result.flatMap { SchemaCompiler.compile([$0], reporting: &rest) } != nil)
  }

  /// A short name may be that of what is still to be declared, and which of two numbers is the slip only people know.
  @Test(arguments: [
    ("a.yaml", "properties: { a: { typ: int } }", false),
    ("a.yaml", "properties: { a: { type: int, default: '5' } }", false),
    ("a.yaml", "properties: { a: Tset? }", true), ("a.yaml", "properties: { a: boolean }", false),
    ("a.yaml", "properties: { a: itn }", false),
    ("a.yaml", "{ primaryKey: ab, properties: { abc: int } }", false),
    ("a.yaml", "{ extends: Tset, properties: { a: int } }", true),
    ("a.yaml", "properties: { a-b: int }", false),
    ("a.yaml", "properties: { a: { type: Mood, default: clam } }", true),
    ("a.yaml", "properties: { a: { type: Mood, default: clamly } }", false),
    ("a.yaml", "properties: { a: { linkingObjects: Dgo.owner } }", true),
    ("a.yaml", "properties: { a: { linkingObjects: Othre.owner } }", false),
    ("a.yaml", "properties: { a: { linkingObjects: Dog.ownr } }", false),
    ("a.yaml", "properties: { a: { linkingObjects: Dog.zzz } }", true),
    ("2.yaml", "to: 3", true),
  ])
  func aNameThatMayBeMeantIsAGuess(file: String, text: String, isGuess: Bool) {
    var diagnostics = Diagnostics()
    if file == "2.yaml" {
      _ = StepReader.read(SourceFile(path: file, text: text + "\n"), reporting: &diagnostics)
    } else {
      let owners = ["Dog", "Other"].map { "\($0): { properties: { owner: Test? } }" }
        .joined(separator: ", ")
      let model = text.hasPrefix("{") ? text : "{ \(text) }"
      let declarations =
        "schema: T\nversion: 0\nmodels: { Test: \(model), \(owners) }\nenums: { Mood: { cases: [calm, calmly] } }\n"
      _ = SchemaCompiler.compile(
        [SourceFile(path: file, text: declarations)], reporting: &diagnostics)
    }
    #expect(diagnostics.sorted.map { $0.fixIt?.isGuess } == [isGuess])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func linesThatAreAddedToAStepEndAsItsOthers(lineBreak: String) throws {
    func step(_ lines: String...) -> SourceFile {
      SourceFile(path: "migrations/2.yaml", text: lines.map { $0 + lineBreak }.joined())
    }
    var diagnostics = Diagnostics()
    let file = step("drop:", "  - A.b")
    diagnostics.add(file)
    _ = StepReader.read(file, reporting: &diagnostics)

    let numbered = try #require(FixItApplication(diagnostics).files[file.path])
    #expect(numbered.bytes == step("to: 2", "drop:", "  - A.b").bytes)

    let edit = try #require(
      RenameInsertion.checkedEdit(
        declaring: [(SchemaPath("B"), "C")], in: numbered, number: 2))
    #expect(
      FixItApplication.apply([edit], to: numbered).bytes
        == step("to: 2", "drop:", "  - A.b", "rename: { B: C }").bytes)
  }

  /// Without its quotes YAML reads it as nothing.
  @Test func aPropertyThatIsCalledNullIsRenamedInQuotes() throws {
    let step = SourceFile(path: "migrations/2.yaml", text: "to: 2\nrename: { C: A }\n")

    let edit = try #require(
      RenameInsertion.edit(
        declaring: [(SchemaPath("null"), "B"), (SchemaPath("B", "a"), "null")], in: step, number: 2)
    )

    let text = FixItApplication.apply([edit], to: step)
    #expect(
      text.text(in: 0..<text.bytes.count)
        == "to: 2\nrename: { \"null\": B, B.a: \"null\", C: A }\n")
  }
}
