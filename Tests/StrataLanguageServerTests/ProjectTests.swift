import Foundation
import StrataLanguageServer
import StrataSchema
import Testing

/// Which files are a project's, however its folders are spelled and whenever they come and go.
@Suite struct ProjectTests {
  private static func dogs(_ type: String) -> String {
    "schema: Dogs\nversion: 0\nmodels:\n  Dog:\n    properties:\n      name: \(type)\n"
  }

  private func hover(_ part: String, in path: String, _ editor: TestEditor) throws -> String? {
    editor.request("textDocument/hover", try editor.at(part, in: path, offset: 1))["contents"]?[
      "value"]?.string
  }

  private func tellOfFiles(_ editor: TestEditor) {
    editor.notify("workspace/didChangeWatchedFiles", ["changes": []])
  }

  // MARK: Folders

  /// What shells complete and what people write is the same folder, with the same documents in it.
  @Test(arguments: [
    ("schemas", "schemas/"), ("schemas/", "schemas/"), ("./schemas", "schemas/"),
    (".//schemas//", "schemas/"), ("../project/schemas", "schemas/"), ("a/./b", "a/b/"),
    ("a/../schemas", "schemas/"), (".", ""), ("./", ""),
  ])
  func aFolderMayBeSpelledInAnyWay(_ spelling: String, _ folder: String) throws {
    let path = folder + "Dogs.yaml"
    let editor = try TestEditor([
      "strata.yaml": "schemas: \"\(spelling)\"\n", path: Self.dogs("strnig"), "a/b/Notes.txt": "",
    ])
    #expect(editor.findings == ["\(path):6:13 STR2302"])
    // What counts is what stands in the editor.
    try editor.type(Self.dogs("string"), in: path)
    #expect(editor.findings == [])
    #expect(try hover("name", in: path, editor)?.hasPrefix("**Dog.name**") == true)
    try editor.type(Self.dogs("strnig"), in: path)
    #expect(editor.findings == ["\(path):6:13 STR2302"])
  }

  @Test(arguments: ["migrations/", "./migrations", "./migrations//", "../project/migrations"])
  func aFolderOfStepsMayBeSpelledInAnyWay(_ spelling: String) throws {
    var files = TestProject.files(step: "to: 2\n")
    files["strata.yaml"] = "schemas: ./schemas/\nmigrations: \(spelling)\n"
    let editor = try TestEditor(files)
    #expect(editor.findings == [])
    try editor.type("to: 2\ndrop: [Person.nickname]\n", in: "migrations/2.yaml")
    #expect(editor.findings.map { $0.split(separator: ":")[0] } == ["migrations/2.yaml"])
    #expect(try hover("drop", in: "migrations/2.yaml", editor)?.hasPrefix("`drop` — ") == true)
    // A frozen version and the lock are found, too.
    #expect(
      try hover("Person:", in: "schemas/versions/1.yaml", editor)?.hasPrefix("**Person**") == true)
    try editor.type("", in: "schemas/schema.lock")
    #expect(editor.findings.contains { $0.hasPrefix("schemas/schema.lock:") })
  }

  /// Settings that are typed make other documents the project's own, with what is not saved in them.
  @Test func anOpenDocumentIsReadWhenTheSettingsLeadToIt() throws {
    let editor = try TestEditor([
      "strata.yaml": "rules: {}\n", "models/Dogs.yaml": Self.dogs("string"),
    ])
    try editor.type(Self.dogs("strnig"), in: "models/Dogs.yaml")
    #expect(editor.findings == [])
    try editor.type("schemas: models\n", in: "strata.yaml")
    #expect(editor.findings == ["models/Dogs.yaml:6:13 STR2302"])
    try editor.type("schemas: elsewhere\n", in: "strata.yaml")
    #expect(editor.findings == ["strata.yaml:1:10 "])
  }

  // MARK: Projects that come later

  @Test func aProjectMayComeWhileItsFilesAreOpen() throws {
    let path = "Sources/Models/Dogs.yaml"
    let editor = try TestEditor([path: Self.dogs("strnig")])
    try editor.openDocument(path)
    #expect(editor.findings == [])
    #expect(try hover("name", in: path, editor) == nil)
    try editor.write("schemas: Sources/Models\n", to: "strata.yaml")
    tellOfFiles(editor)
    #expect(editor.findings == ["\(path):6:13 STR2302"])
    #expect(try hover("Dog:", in: path, editor)?.hasPrefix("**Dog**") == true)
  }

  /// So does a schema begin: its first file is written in the editor, and its folder is made when it is saved.
  @Test func theFirstFileOfASchemaMakesAProjectWhenItIsSaved() throws {
    let editor = try TestEditor([:])
    let path = "schemas/Dogs.yaml"
    try editor.type(Self.dogs("strnig"), in: path)
    #expect(editor.findings == [])
    try editor.write(Self.dogs("strnig"), to: path)
    editor.notify("textDocument/didSave", ["textDocument": ["uri": .string(editor.uri(path))]])
    #expect(editor.findings == ["\(path):6:13 STR2302"])
    try editor.type(Self.dogs("string"), in: path)
    #expect(editor.findings == [])
  }

  /// Nothing is open: the editor's folder is told of as when it had been a project from the start.
  @Test func aFolderOfTheWorkspaceMayBecomeAProject() throws {
    let editor = try TestEditor(["README.md": "Dogs"])
    try editor.write(Self.dogs("strnig"), to: "schemas/Dogs.yaml")
    tellOfFiles(editor)
    #expect(editor.findings == ["schemas/Dogs.yaml:6:13 STR2302"])
  }

  // MARK: Files that come and go

  /// A text that is being typed is known as it was before it broke, and other files may come or go in that time: the places of
  /// its names stay in it.
  @Test(arguments: [nil, "schemas/Cats.yaml"])
  func aBrokenFileStaysItselfWhenOthersComeOrGo(_ newFile: String?) throws {
    let people = "schema: P\nversion: 0\nmodels:\n  Person:\n    properties:\n      boss: Person?\n"
    let cats = "models:\n  Cat:\n    properties:\n      name: string\n"
    let editor = try TestEditor([
      "schemas/Birds.yaml": cats.replacingOccurrences(of: "Cat", with: "Bird"),
      "schemas/People.yaml": people,
    ])
    try editor.openDocument("schemas/People.yaml")
    #expect(try hover("Person:", in: "schemas/People.yaml", editor) != nil)
    try editor.type(people + "      x: {\n", in: "schemas/People.yaml")
    if let newFile {
      try editor.write(cats, to: newFile)
    } else {
      try FileManager.default.removeItem(
        at: editor.root.appendingPathComponent("schemas/Birds.yaml"))
    }
    tellOfFiles(editor)
    let found = editor.request(
      "textDocument/definition", try editor.at("Person?", in: "schemas/People.yaml", offset: 1))
    #expect(found["uri"]?.string == editor.uri("schemas/People.yaml"))
    #expect(found["range"]?["start"] == ["line": 3, "character": 2])
    let symbols = editor.request("workspace/symbol", ["query": "person"]).array ?? []
    #expect(
      symbols.map { $0["location"]?["uri"]?.string } == [editor.uri("schemas/People.yaml")])
  }

  /// `check` ends there. False findings about all that is missing would be told, and a rename would leave its uses out.
  @Test(arguments: ["schemas/Cat.yaml", "migrations/9.yaml", "schemas/versions/9.yaml"])
  func anEntryThatCannotBeReadIsToldAndNothingElse(entry: String) throws {
    let editor = try TestEditor(TestProject.files(step: "to: 2\n"))
    let named = "schemas/People.yaml"
    try editor.openDocument(named)
    let before = editor.findings
    let link = editor.root.appendingPathComponent(entry)
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: "nowhere")
    tellOfFiles(editor)

    #expect(editor.findings == [])
    #expect(editor.messages.count == 1)
    #expect(
      editor.messages.first?.contains("\(entry)' cannot be read: it is a link that leads nowhere")
        == true, "\(editor.messages)")
    let answer = editor.request(
      "textDocument/prepareRename", try editor.at("Person", in: named, offset: 1))
    #expect(answer["message"]?.string == editor.messages.first)

    tellOfFiles(editor)
    try FileManager.default.removeItem(at: link)
    tellOfFiles(editor)
    #expect(editor.findings == before && editor.messages.count == 1)
  }
}
