import Foundation
import StrataLanguageServer
import StrataSchema
import Testing

/// One file has many URIs: other characters may be escaped, a host may be named, and a link may lead to its folder. An editor knows a
/// document by the one that it has opened it with, and a folder by another one.
@Suite struct URISpellingTests {
  enum Spelling: String, CaseIterable, Sendable {
    case plain
    case escaped
    case localhost
    case dots
    case linked

    /// The URI of a path in the folder `project`, which `link` leads to.
    func uri(_ path: String) -> String {
      switch self {
      case .plain: FileURI.uri(path)
      case .escaped: FileURI.uri(path).replacingOccurrences(of: "project", with: "%70roject")
      case .localhost: "file://localhost" + path
      case .dots:
        "file://" + path.replacingOccurrences(of: "/project", with: "/./project/../project")
      case .linked: FileURI.uri(path.replacingOccurrences(of: "/project", with: "/link"))
      }
    }
  }

  private static let path = "schemas/Dogs.yaml"

  private static func dogs(_ type: String) -> String {
    "schema: Dogs\nversion: 0\nmodels:\n  Dog:\n    properties:\n      name: \(type)\n"
  }

  /// An editor that knows its folder by one spelling and documents by another one.
  private func editor(_ folder: Spelling, _ document: Spelling) throws -> TestEditor {
    try TestEditor(
      [
        Self.path: Self.dogs("strnig"),
        "schemas/Cats.yaml": "models: { Cat: { properties: {} } }\n",
      ],
      linkedAs: "link",
      spelling: { $0.hasSuffix(".yaml") ? document.uri($0) : folder.uri($0) })
  }

  @Test(arguments: Spelling.allCases, Spelling.allCases)
  func findingsStandUnderTheURIOfTheEditor(_ folder: Spelling, _ document: Spelling) throws {
    let editor = try editor(folder, document)
    #expect(editor.publishedByURI.map(\.value.count) == [1], "\(editor.publishedByURI)")
    try editor.openDocument(Self.path)
    #expect(editor.publishedByURI.mapValues(\.count) == [editor.uri(Self.path): 1])
    try editor.type(Self.dogs("string"), in: Self.path)
    #expect(editor.publishedByURI == [:])
    try editor.type(Self.dogs("strnig"), in: Self.path)
    #expect(editor.publishedByURI.mapValues(\.count) == [editor.uri(Self.path): 1])
    // What the disk has is told under the URI that the editor knows.
    editor.closeDocument(Self.path)
    #expect(editor.publishedByURI.mapValues(\.count) == [editor.uri(Self.path): 1])
    try editor.write(Self.dogs("string"), to: Self.path)
    editor.notify("workspace/didChangeWatchedFiles", ["changes": []])
    #expect(editor.publishedByURI == [:])
  }

  /// There is one project, and the document is one of its files.
  @Test(arguments: Spelling.allCases, Spelling.allCases)
  func theDocumentIsAFileOfTheProject(_ folder: Spelling, _ document: Spelling) throws {
    let editor = try editor(folder, document)
    try editor.type(Self.dogs("string"), in: Self.path)
    let hover = editor.request(
      "textDocument/hover", try editor.at("Dog:", in: Self.path, offset: 1))
    #expect(hover["contents"]?["value"]?.string?.hasPrefix("**Dog**") == true)
    #expect(editor.request("workspace/symbol", ["query": "Dog"]).array?.count == 1)
    var parameters = try editor.at("Dog:", in: Self.path).object ?? [:]
    parameters["newName"] = "Hound"
    let edit = editor.request("textDocument/rename", .object(parameters))
    let changes = edit["documentChanges"]?.array ?? []
    #expect(changes.map { $0["textDocument"]?["uri"]?.string } == [editor.uri(Self.path)])
    #expect(changes.first?["textDocument"]?["version"] == 2)
  }

  @Test func aDocumentThatIsOpenedAgainUnderAnotherURITakesItsFindingsAlong() throws {
    let editor = try editor(.plain, .plain)
    try editor.openDocument(Self.path)
    let uri = Spelling.localhost.uri(editor.root.path + "/" + Self.path)
    editor.notify(
      "textDocument/didOpen",
      [
        "textDocument": [
          "uri": .string(uri), "version": 1, "text": .string(Self.dogs("strnig")),
        ]
      ])
    #expect(editor.publishedByURI.mapValues(\.count) == [uri: 1])
  }

  /// The folder of the declarations is a link, and the editor opens what it leads to.
  @Test func aFolderOfTheProjectMayBeALink() throws {
    let editor = try TestEditor(
      [
        "shared/dogs/Dogs.yaml": Self.dogs("strnig"),
        "app/strata.yaml": "schemas: models\n",
      ])
    try FileManager.default.createSymbolicLink(
      atPath: editor.root.path + "/app/models", withDestinationPath: "../shared/dogs")
    try editor.openDocument("app/strata.yaml")
    #expect(editor.publishedByURI.keys.map { $0 } == [editor.uri("app/models/Dogs.yaml")])
    try editor.openDocument("shared/dogs/Dogs.yaml")
    #expect(editor.publishedByURI.keys.map { $0 } == [editor.uri("shared/dogs/Dogs.yaml")])
    try editor.type(Self.dogs("string"), in: "shared/dogs/Dogs.yaml")
    #expect(editor.publishedByURI == [:])
  }

  /// `check` runs in the folder behind the link, and so leads `..`.
  @Test func twoDotsLeadOutOfTheFolderBehindALink() throws {
    let editor = try TestEditor([
      "deep/models/Dogs.yaml": Self.dogs("strnig"), "deep/app/strata.yaml": "schemas: ../models\n",
    ])
    try FileManager.default.createSymbolicLink(
      atPath: editor.root.path + "/app", withDestinationPath: "deep/app")
    try editor.openDocument("app/strata.yaml")
    #expect(editor.publishedByURI.keys.map { $0 } == [editor.uri("deep/models/Dogs.yaml")])
  }

  /// Two projects read one folder: what both find in it is told once, what one finds is told.
  @Test func aFolderOfTwoProjectsHasTheFindingsOfBoth() throws {
    let editor = try TestEditor(
      [
        "models/Dogs.yaml": Self.dogs("strnig"),
        "a/strata.yaml": "schemas: ../models\n", "b/strata.yaml": "schemas: ../models\n",
        "b/migrations/x.yaml": "to: 1\n",
      ])
    try editor.openDocument("a/strata.yaml")
    try editor.openDocument("b/strata.yaml")
    #expect(editor.publishedByURI[editor.uri("models/Dogs.yaml")]?.count == 1)
    try editor.openDocument("models/Dogs.yaml")
    #expect(editor.publishedByURI[editor.uri("models/Dogs.yaml")]?.count == 1)
  }
}
