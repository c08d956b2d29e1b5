import Foundation
import StrataLanguageServer
import StrataSchema
import StrataSource
import Testing

@Suite struct LanguageServerTests {
  @Test func findingsComeAsOneTypes() throws {
    let editor = try TestEditor(TestProject.files())
    #expect(editor.findings == [])
    try editor.type(
      TestProject.people.replacingOccurrences(of: "name: string", with: "name: strnig"),
      in: "schemas/People.yaml")
    #expect(editor.findings == ["schemas/People.yaml:10:13 STR2302"])
    #expect(editor.findings == (try editor.checked()))
    try editor.type(TestProject.people, in: "schemas/People.yaml")
    #expect(editor.findings == [])
  }

  @Test func aRequestRightAfterAKeystrokeKeepsNoFindingBack() throws {
    let editor = try TestEditor(TestProject.files())
    let path = "schemas/People.yaml"
    try editor.openDocument(path)
    // Without a pause: the request is handled before findings are published.
    editor.server.handle(
      .message([
        "jsonrpc": "2.0", "method": "textDocument/didChange",
        "params": [
          "textDocument": ["uri": .string(editor.uri(path)), "version": 2],
          "contentChanges": [
            ["text": .string(TestProject.people.replacingOccurrences(of: "uuid", with: "uid"))]
          ],
        ],
      ]))
    editor.request("textDocument/hover", try editor.at("email", in: path))
    #expect(editor.findings.contains { $0.hasPrefix("schemas/People.yaml:9:11") })
  }

  @Test func positionsCountUTF16() throws {
    let editor = try TestEditor(["schemas/A.yaml": "schema: A\nversion: 0\n"])
    try editor.type(
      "schema: A\nversion: 0\nmodels: { P: { doc: \"👩‍👩‍👧é😀\", properties: { x: strnig } } }\n",
      in: "schemas/A.yaml")
    let finding = try #require(editor.published["schemas/A.yaml"]?.first)
    #expect(finding["range"]?["start"] == ["line": 2, "character": 52])
    #expect(finding["range"]?["end"] == ["line": 2, "character": 58])
    // The last emoji is two units: one of them alone is no place.
    editor.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(editor.uri("schemas/A.yaml")), "version": 3],
        "contentChanges": [
          [
            "range": [
              "start": ["line": 2, "character": 52], "end": ["line": 2, "character": 58],
            ],
            "text": "string",
          ]
        ],
      ])
    #expect(editor.findings == [])
  }

  @Test func hoverSaysDocsAndTheVersionThatAPropertyCameIn() throws {
    let editor = try TestEditor(
      TestProject.files(step: "to: 2\nrename: { Person.name: fullName }\n"))
    try editor.type(
      TestProject.people.replacingOccurrences(
        of: "name: string", with: "fullName: string\n      age: int?"),
      in: "schemas/People.yaml")
    func hover(_ part: String) throws -> String? {
      editor.request(
        "textDocument/hover", try editor.at(part, in: "schemas/People.yaml", offset: 1))[
          "contents"]?["value"]?.string
    }
    #expect(
      try hover("email: {")
        == "**Person.email**: `string?`\n\nWhere letters go.\n\nSince version 1.")
    #expect(
      try hover("fullName")
        == "**Person.fullName**: `string`\n\nSince version 1. Called `name` before version 2.")
    #expect(try hover("age") == "**Person.age**: `int?`\n\nSince version 2.")
    #expect(
      try hover("Person:")
        == "**Person** — model\n\nA person in the address book.\n\nSince version 1.")
    #expect(try hover("primaryKey")?.hasPrefix("`primaryKey` — The property") == true)
    #expect(try hover("uuid") == "`uuid` — 16 bytes; Swift `UUID`.")
  }

  @Test(arguments: [
    ("cases: [calm, angry]", "angry"), ("type: int\n    cases: [calm, angry]", "1"),
    ("type: int\n    cases: { calm: 3, angry: 7 }", "7"), ("cases: { calm: c, angry: a }", "a"),
  ])
  func hoverSaysWhatACaseIsStoredAs(_ cases: String, _ stored: String) throws {
    let schema = "schema: Shop\nversion: 0\nmodels: {}\nenums:\n  Mood:\n    \(cases)\n"
    let path = "schemas/Shop.yaml"
    let editor = try TestEditor([path: schema])
    let answer = editor.request("textDocument/hover", try editor.at("angry", in: path))
    #expect(
      answer["contents"]?["value"]?.string?.hasPrefix("**Mood.angry** — stored as `\(stored)`")
        == true, "\(answer)")
  }

  @Test func completionKnowsThePlace() throws {
    let editor = try TestEditor(TestProject.files(step: "to: 2\n"))
    func labels(_ text: String, in path: String = "schemas/People.yaml") throws -> [String] {
      try editor.completions(behind: text, in: path)
    }
    let head = "schema: People\nversion: 2\nmodels:\n  Person:\n    properties:\n      id: uuid\n"
    #expect(try labels("sch") == ["schema", "version", "language", "models", "enums"])
    #expect(try labels("schema: A\nve").contains("schema") == false)
    #expect(try labels("models:\n  Person:\n    ").contains("primaryKey"))
    #expect(
      try labels("models:\n  Person:\n    rules:\n      adult:\n        ") == ["that", "says"])
    #expect(try labels(head + "      home: Ad").contains("Address"))
    #expect(try labels(head + "      home: Ad").contains("string"))
    #expect(try labels(head + "      homes: [Ad").contains("Address"))
    #expect(try labels(head + "      x: { ty").contains("type"))
    #expect(try labels(head + "      x: { type: int, ").contains("default"))
    #expect(try labels(head + "      x: { type: int, ").contains("type") == false)
    #expect(
      try labels(head + "      x: { type: Person?, deleteRule: ") == ["nullify", "cascade", "deny"])
    #expect(
      try labels("models:\n  Person:\n    properties: { id: uuid }\n    primaryKey: ") == ["id"])
    try editor.type(
      TestProject.people.replacingOccurrences(of: "name: string", with: "fullName: string"),
      in: "schemas/People.yaml")
    let step = "migrations/2.yaml"
    #expect(try labels("to: 2\nre", in: step).contains("rename"))
    #expect(try labels("to: 2\nrename: { ", in: step) == ["Person.name", "Student.name"])
    #expect(try labels("to: 2\nrename:\n  Person.name: ", in: step) == ["fullName"])
    #expect(try labels("to: 2\nset:\n  Per", in: step).contains("Person"))
    #expect(try labels("to: 2\nset:\n  Person:\n    fu", in: step).contains("fullName"))
    #expect(
      try labels("to: 2\nset:\n  Person:\n    fullName: old.n", in: step).contains("old.name"))
    #expect(try labels("to: 2\naccept:\n  - rule: ", in: step).contains("property-removed"))
    #expect(try labels("to: 2\naccept:\n  - ru", in: step) == ["rule", "at", "because"])
  }

  /// A frozen version says again what a model inherits.
  @Test(arguments: [
    ("to: 2\nrename: { ", "Student.email"), ("to: 2\ndrop: [", "Student.email"),
    ("to: 2\nback:\n  Student:\n    ", "email"),
    ("to: 2\nset:\n  Student:\n    school: ", "old.email"),
    ("to: 2\ndelete:\n  Student: ", "old.email"),
    ("to: 2\ndeduplicate:\n  Student:\n    by: [", "email"),
    ("to: 2\naccept:\n  - at: ", "Student.email"), ("to: 2\nrename: { ", "Person.email"),
  ])
  func anInheritedPropertyIsProposedOnce(_ text: String, _ label: String) throws {
    var files = TestProject.files()
    files["schemas/versions/1.yaml"] = TestProject.frozen.replacingOccurrences(
      of: "properties: { school: string? }",
      with: "properties: { id: uuid, name: string, email: string?, school: string? }")
    let editor = try TestEditor(files)
    try editor.type(
      TestProject.people.replacingOccurrences(of: "email", with: "mail"), in: "schemas/People.yaml")
    let labels = try editor.completions(behind: text, in: "migrations/2.yaml")
    #expect(labels.count { $0 == label } == 1, "\(labels)")
  }

  @Test(arguments: ["\n", "\r\n"])
  func completionKnowsThePlaceInBracketsOverSeveralLines(lineBreak: String) throws {
    let editor = try TestEditor(TestProject.files())
    func labels(_ lines: String...) throws -> [String] {
      try editor.completions(
        behind: lines.joined(separator: lineBreak), in: "schemas/People.yaml")
    }
    let inModel = try labels("models: {", "  Person: {", "    doc: A person.,", "    ")
    #expect(inModel.contains("primaryKey") && !inModel.contains("doc"))
    #expect(
      try labels("models: {", "  Person: {", "    properties:", "      { name: str")
        .contains("string"))
  }

  @Test func definitionAndReferencesCrossFiles() throws {
    let editor = try TestEditor(
      TestProject.files(step: "to: 2\nset:\n  Person: { name: old.name + old.home.street }\n"))
    func definition(_ part: String, _ path: String, offset: Int = 0, number: Int = 1) throws
      -> String
    {
      let found = editor.request(
        "textDocument/definition", try editor.at(part, in: path, number: number, offset: offset))
      let path = found["uri"]?.string.flatMap(FileURI.path)?.dropFirst(editor.root.path.count + 1)
      return "\(path ?? "-"):\((found["range"]?["start"]?["line"]?.int ?? -1) + 1)"
    }
    #expect(try definition("Address?", "schemas/People.yaml") == "schemas/Places.yaml:2")
    #expect(try definition("Mood,", "schemas/People.yaml") == "schemas/People.yaml:20")
    #expect(
      try definition("Person.boss", "schemas/People.yaml", offset: 8) == "schemas/People.yaml:12")
    #expect(try definition("[email", "schemas/People.yaml", offset: 2) == "schemas/People.yaml:11")
    // What a step says of the old object is the frozen version's, what it sets the working schema's.
    #expect(
      try definition("old.name", "migrations/2.yaml", offset: 5) == "schemas/versions/1.yaml:10")
    #expect(try definition("street", "migrations/2.yaml") == "schemas/versions/1.yaml:22")
    #expect(try definition("{ name", "migrations/2.yaml", offset: 2) == "schemas/People.yaml:10")
    var parameters = try editor.at("Address:", in: "schemas/Places.yaml").object ?? [:]
    parameters["context"] = ["includeDeclaration": true]
    let references = editor.request("textDocument/references", .object(parameters)).array ?? []
    #expect(references.count == 2)
  }

  @Test func quickFixesApply() throws {
    let editor = try TestEditor(TestProject.files())
    let path = "schemas/People.yaml"
    try editor.type(
      TestProject.people.replacingOccurrences(of: "primaryKey", with: "primarykey"), in: path)
    let start = try editor.position(of: "primarykey", in: path)
    let actions = editor.request(
      "textDocument/codeAction",
      [
        "textDocument": ["uri": .string(editor.uri(path))],
        "range": ["start": start, "end": start],
        "context": ["diagnostics": []],
      ])
    let action = try #require(actions.array?.first)
    #expect(action["title"] == "write primaryKey")
    try editor.apply(try #require(action["edit"]))
    #expect(try editor.text(path) == TestProject.people)
    #expect(editor.findings == [])
  }

  @Test func formattingIsThatOfTheCommand() throws {
    let editor = try TestEditor(TestProject.files())
    try editor.type("schema:   People\nversion: 2\n\n\n\nmodels: {  }\n", in: "schemas/People.yaml")
    func format(_ path: String) -> JSON {
      editor.request(
        "textDocument/formatting",
        [
          "textDocument": ["uri": .string(editor.uri(path))],
          "options": ["tabSize": 2, "insertSpaces": true],
        ])
    }
    let edits = format("schemas/People.yaml")
    #expect(edits.array?.first?["newText"] == "schema: People\nversion: 2\n\nmodels: {}\n")
    // Frozen versions stay as `freeze` wrote them.
    #expect(format("schemas/versions/1.yaml") == [])
  }

  @Test func lifeCycleIsThatOfTheProtocol() throws {
    let server = LanguageServer(version: "test")
    func send(_ method: String, id: Int64? = 1, cancelled: Bool = false) -> JSON? {
      var message: [String: JSON] = ["jsonrpc": "2.0", "method": .string(method), "params": [:]]
      message["id"] = id.map { .int($0) }
      server.handle(.message(.object(message)), isCancelled: cancelled)
      return server.takeOutput().last?.json
    }
    #expect(send("textDocument/hover")?["error"]?["code"] == -32002)
    #expect(send("initialize")?["result"]?["capabilities"]?["positionEncoding"] == "utf-16")
    #expect(send("textDocument/dance")?["error"]?["code"] == -32601)
    #expect(send("textDocument/hover")?["error"]?["code"] == -32602)
    #expect(send("workspace/symbol", cancelled: true)?["error"]?["code"] == -32800)
    #expect(send("$/unknown", id: nil) == nil)
    #expect(send("shutdown")?["result"] == .null)
    #expect(send("workspace/symbol")?["error"]?["code"] == -32600)
    _ = send("exit", id: nil)
    #expect(server.exitStatus == 0)
  }

  /// Folders as people call them, in both normal forms, and URIs with and without escapes.
  @Test(arguments: ["jürgen", "ju\u{308}rgen", "👩‍👩‍👧 é", "日本"], [true, false])
  func folderNamesAreOfAnyLanguage(_ folder: String, _ isEscaped: Bool) throws {
    let editor = try TestEditor(
      TestProject.files(), in: folder, spelling: { isEscaped ? FileURI.uri($0) : "file://" + $0 })
    let path = "schemas/People.yaml"
    try editor.openDocument(path)
    func ask(_ method: String, _ part: String, offset: Int = 1) throws -> JSON {
      editor.request("textDocument/" + method, try editor.at(part, in: path, offset: offset))
    }
    #expect(try ask("hover", "email: {")["contents"] != nil)
    #expect(
      try ask("definition", "home: Address", offset: 7)["uri"]?.string
        .flatMap(FileURI.path)?.hasSuffix("/\(folder)/schemas/Places.yaml") == true)
    #expect(try ask("references", "email: {").array?.count == 2)
    #expect(try ask("prepareRename", "email: {")["placeholder"]?.string == "email")
    #expect(try ask("completion", "boss: Person", offset: 6)["items"]?.array?.isEmpty == false)
    #expect(try ask("documentSymbol", "schema").array?.isEmpty == false)
  }

  /// An editor may have the folder's name from a file dialog and the file's from the disk, where `ü` is two scalars.
  @Test func aFolderAndItsFileMayBeSpelledInDifferentNormalForms() throws {
    let editor = try TestEditor(TestProject.files(), in: "jürgen")
    var parameters = try editor.at("email: {", in: "schemas/People.yaml", offset: 1).object ?? [:]
    let uri = editor.uri("schemas/People.yaml")
    parameters["textDocument"] = [
      "uri": .string(uri.replacingOccurrences(of: "%C3%BC", with: "u%CC%88"))
    ]
    #expect(editor.request("textDocument/hover", .object(parameters))["contents"] != nil)
  }

  @Test func aDocumentMayGrowTooLargeAndBecomeSmallerAgain() throws {
    let text = "schema: A\nversion: 0\nmodels: { P: { properties: { x: strnig } } }\n"
    let large = text + "#" + String(repeating: "x", count: SourceFile.maximumSize)
    let editor = try TestEditor(["schemas/A.yaml": text])
    try editor.openDocument("schemas/A.yaml")
    #expect(editor.findings == ["schemas/A.yaml:3:33 STR2302"])
    try editor.type(large, in: "schemas/A.yaml")
    #expect(editor.findings == ["schemas/A.yaml:1:1 STR1002"])
    // What follows is about the text that the editor has.
    let start = TextPosition(line: 0, character: 0)
    try editor.change("schemas/A.yaml", from: start, to: start, "# y\n", version: 3)
    #expect(editor.findings == ["schemas/A.yaml:1:1 STR1002"])
    try editor.change(
      "schemas/A.yaml", from: TextPosition(line: 4, character: 0),
      to: TextPosition(line: 5, character: 0), "", version: 4)
    #expect(editor.findings == ["schemas/A.yaml:4:33 STR2302"])
  }
}
