import Foundation
import StrataLanguageServer
import StrataSchema
import Testing

/// Which files are a project's, however its folders are spelled and whenever they come and go.
@Suite struct ProjectTests {
  private func hover(_ part: String, in path: String, _ editor: TestEditor) throws -> String? {
    editor.request("textDocument/hover", try editor.at(part, in: path, offset: 1))["contents"]?[
      "value"]?.string
  }

  private func tellOfFiles(_ editor: TestEditor) {
    editor.notify("workspace/didChangeWatchedFiles", ["changes": []])
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
}
