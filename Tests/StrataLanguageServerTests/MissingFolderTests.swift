import Foundation
import StrataFrontend
import StrataHistory
import StrataLanguageServer
import StrataProject
import StrataSchema
import StrataSource
import Testing

/// What `strata.yaml` names and the project does not have: `check` ends with a sentence, and an editor shows it at the entry.
@Suite struct MissingFolderTests {
  private static let dogs =
    "schema: Dogs\nversion: 0\nmodels:\n  Dog:\n    properties:\n      name: strnig\n"

  /// A message of the editor, without what is found elsewhere.
  private func message(_ editor: TestEditor) -> String? {
    let findings = editor.published.values.joined()
    return findings.count == 1 ? findings.first?["message"]?.string : nil
  }

  /// The settings are told of although they are not open.
  @Test func aFolderOfDeclarationsThatIsNotThere() throws {
    let editor = try TestEditor([
      "strata.yaml": "rules: {}\nschemas: modles\n", "models/Dogs.yaml": Self.dogs,
    ])
    #expect(editor.findings == ["strata.yaml:2:10 "])
    #expect(
      message(editor)
        == "`schemas: modles` of strata.yaml: there is no 'modles'. Name the schema's folder there, or with --schemas; `strata init` writes one to begin with."
    )
    #expect(editor.published["strata.yaml"]?.first?["severity"] == 1)
    try editor.type("rules: {}\nschemas: models\n", in: "strata.yaml")
    #expect(editor.findings == ["models/Dogs.yaml:6:13 STR2302"])
    try editor.type("schemas: modles\n", in: "strata.yaml")
    #expect(editor.findings == ["strata.yaml:1:10 "])
    // It is there with the first file that is saved in it.
    try editor.write(Self.dogs, to: "modles/Dogs.yaml")
    editor.notify("workspace/didChangeWatchedFiles", ["changes": []])
    #expect(editor.findings == ["modles/Dogs.yaml:6:13 STR2302"])
  }

  @Test func aFolderWithoutDeclarations() throws {
    let editor = try TestEditor([
      "strata.yaml": "schemas: notes\n", "notes/dogs.txt": "", "models/Dogs.yaml": Self.dogs,
    ])
    #expect(editor.findings == ["strata.yaml:1:10 "])
    #expect(
      message(editor)?.hasPrefix("`schemas: notes` of strata.yaml: 'notes' holds no declarations")
        == true)
    // A lock alone says which versions are gone.
    try editor.write("x\n", to: "notes/schema.lock")
    editor.notify("workspace/didChangeWatchedFiles", ["changes": []])
    #expect(editor.findings.allSatisfy { $0.hasPrefix("notes/schema.lock:") })
    #expect(!editor.findings.isEmpty)
  }

  /// What stands in the editor counts, saved or not.
  @Test func aDocumentThatIsNotSavedIsADeclaration() throws {
    let editor = try TestEditor(["strata.yaml": "schemas: models\n"])
    try editor.type(Self.dogs, in: "models/Dogs.yaml")
    #expect(editor.findings == ["models/Dogs.yaml:6:13 STR2302"])
  }

  /// A project is begun with its settings: what they do not name is not missed.
  @Test(arguments: ["", "rules: {}\n", "migrations: steps\n"])
  func whatIsNotNamedIsNotMissed(_ settings: String) throws {
    let editor = try TestEditor(["strata.yaml": settings])
    #expect(editor.findings == [])
  }

  /// Version 1 came with a step, which the lock says.
  private static func sealed(_ settings: String) -> [String: String] {
    var files = ProjectFiles(
      versions: [
        SourceFile(path: "schemas/versions/0.yaml", text: frozen(0)),
        SourceFile(path: "schemas/versions/1.yaml", text: frozen(1)),
      ],
      steps: [SourceFile(path: "migrations/1.yaml", text: step)])
    files.migrationsPath = "migrations"
    return [
      "strata.yaml": settings, "schemas/Cats.yaml": frozen(1),
      "schemas/versions/0.yaml": frozen(0), "schemas/versions/1.yaml": frozen(1),
      "schemas/schema.lock": files.impliedLock.text, "migrations/1.yaml": step,
    ]
  }

  private static let step = "to: 1\nrename: { Cat.a: b }\n"

  private static func frozen(_ version: Int) -> String {
    "schema: Cats\nversion: \(version)\nmodels:\n  Cat:\n    properties:\n      \(version == 0 ? "a" : "b"): int\n"
  }

  @Test func aFolderOfStepsThatIsNotThere() throws {
    let editor = try TestEditor(Self.sealed("migrations: migratoins\n"))
    #expect(editor.findings == ["strata.yaml:1:13 "])
    #expect(
      message(editor)
        == "`migrations: migratoins` of strata.yaml: there is no 'migratoins', and schemas/schema.lock says that versions have steps. Name the folder of the steps there, or with --migrations, or restore it from version control."
    )
    // A step would be made where none is looked for.
    var parameters = try editor.at("b:", in: "schemas/Cats.yaml").object ?? [:]
    parameters["newName"] = "c"
    let answer = editor.request("textDocument/rename", .object(parameters))
    #expect(answer["message"]?.string == message(editor))
    try editor.type("migrations: migrations\n", in: "strata.yaml")
    #expect(editor.findings == [])
  }

  // MARK: The baseline

  private static func baseline(
    _ root: String, _ settings: Settings
  ) throws(ProjectProblem) -> ProjectCheck.Against? {
    guard settings.baseline == "v9" else { return nil }
    throw ProjectProblem(.baseline, of: settings, "there is no frozen version 9.")
  }

  /// All else is found as without one.
  @Test func aBaselineThatCannotBeRead() throws {
    let editor = try TestEditor(
      ["strata.yaml": "baseline: v9\n", "schemas/Dogs.yaml": Self.dogs],
      baseline: Self.baseline)
    #expect(editor.findings == ["schemas/Dogs.yaml:6:13 STR2302", "strata.yaml:1:11 "])
    #expect(
      editor.published["strata.yaml"]?.first?["message"]
        == "`baseline: v9` of strata.yaml: there is no frozen version 9.")
    try editor.type("baseline: v1\n", in: "strata.yaml")
    #expect(editor.findings == ["schemas/Dogs.yaml:6:13 STR2302"])
  }
}
