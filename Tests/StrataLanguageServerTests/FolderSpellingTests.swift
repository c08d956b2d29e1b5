import Foundation
import StrataProject
import StrataSchema
import StrataSource
import Testing

/// The folders of a project as shells complete them and as people write them. One file has one path, whichever way.
@Suite struct FolderSpellingTests {
  /// What `app/strata.yaml` says, and where that is.
  struct Folders: CustomTestStringConvertible, Sendable {
    let schemas: (written: String, path: String)
    let migrations: (written: String, path: String)

    var testDescription: String { "\(schemas.written) \(migrations.written)" }

    /// The project's files, with a step or without one.
    func files(step: String? = nil) -> [String: String] {
      var files: [String: String] = [:]
      for (path, text) in TestProject.files(step: step) {
        let isStep = path.hasPrefix("migrations/")
        let name = path.split(separator: "/").dropFirst().joined(separator: "/")
        files[(isStep ? migrations.path : schemas.path) + "/" + name] = text
      }
      files["app/strata.yaml"] =
        "schemas: \(schemas.written)\nmigrations: \(migrations.written)\n"
      return files
    }

    var people: String { schemas.path + "/People.yaml" }
    var step: String { migrations.path + "/2.yaml" }

    static let all = [
      Folders(schemas: ("models", "app/models"), migrations: ("steps", "app/steps")),
      Folders(schemas: ("models/", "app/models"), migrations: ("steps/", "app/steps")),
      Folders(schemas: ("./models", "app/models"), migrations: ("./steps", "app/steps")),
      Folders(schemas: ("models//", "app/models"), migrations: ("steps//", "app/steps")),
      Folders(schemas: ("../models", "models"), migrations: ("../steps", "steps")),
      Folders(schemas: ("../models/", "models"), migrations: (".//../steps/", "steps")),
      Folders(schemas: (".", "app"), migrations: ("./steps/", "app/steps")),
      Folders(schemas: ("./", "app"), migrations: ("steps", "app/steps")),
      Folders(schemas: ("./models//", "app/models"), migrations: (".", "app")),
      Folders(schemas: ("models", "app/models"), migrations: ("./", "app")),
    ]
  }

  private func edited(_ text: String) -> String {
    text.replacingOccurrences(of: "name: string", with: "fullName: string")
  }

  /// The quick fixes of a whole document.
  private func quickFixes(_ path: String, _ editor: TestEditor) -> [JSON] {
    let actions = editor.request(
      "textDocument/codeAction",
      [
        "textDocument": ["uri": .string(editor.uri(path))],
        "range": [
          "start": ["line": 0, "character": 0], "end": ["line": 999, "character": 0],
        ],
        "context": ["diagnostics": []],
      ])
    return actions.array ?? []
  }

  /// The step is made by a quick fix. While it cannot be read, nothing is offered that would write into what is being typed.
  @Test(arguments: Folders.all)
  func aStepIsMadeAndHasNoTwinWhileItIsBroken(_ folders: Folders) throws {
    let editor = try TestEditor(folders.files())
    try editor.openDocument("app/strata.yaml")
    #expect(editor.findings == [])
    try editor.type(edited(TestProject.people), in: folders.people)
    let fix = try #require(quickFixes(folders.people, editor).first?["edit"])
    let made = fix["documentChanges"]?.array ?? []
    #expect(made.map { $0["kind"]?.string } == ["create", nil])
    #expect(
      made.map { ($0["uri"] ?? $0["textDocument"]?["uri"])?.string }
        == [editor.uri(folders.step), editor.uri(folders.step)])
    try editor.apply(fix)
    #expect(try editor.text(folders.step) == "to: 2\nrename: { Person.name: fullName }\n")

    try editor.type("to: 2\nset: {\n", in: folders.step)
    #expect(editor.findings == ["\(folders.step):3:1 STR1001"])
    #expect(quickFixes(folders.people, editor) == [])
    #expect(quickFixes(folders.step, editor) == [])
  }

  @Test(arguments: Folders.all)
  func aRenameMakesTheStep(_ folders: Folders) throws {
    let editor = try TestEditor(folders.files())
    try editor.openDocument("app/strata.yaml")
    try editor.openDocument(folders.people)
    var parameters = try editor.at("email: {", in: folders.people).object ?? [:]
    parameters["newName"] = "mail"
    let edit = editor.request("textDocument/rename", .object(parameters))
    try editor.apply(edit)
    #expect(
      try editor.text(folders.step)
        == "to: 2\nrename: { Person.email: mail, Student.email: mail }\n")
  }

  /// What `check` reads: the step's file has no second path beside its own, also where it ends with `.yml`.
  @Test(arguments: Folders.all, ["2.yaml", "2.yml"])
  func aBrokenStepIsNoMissingOne(_ folders: Folders, _ name: String) {
    let written = folders.migrations.written
    let step = SourceFile(
      path: SourceFolder.path(of: name, in: written), text: "to: 2\nset: {\n")
    let files = ProjectFiles(
      schemas: [
        SourceFile(path: "People.yaml", text: edited(TestProject.people)),
        SourceFile(path: "Places.yaml", text: TestProject.places),
      ],
      versions: [SourceFile(path: "versions/1.yaml", text: TestProject.frozen)],
      steps: [step], migrationsPath: written)
    let steps = ProjectCheck.run(files).sources.keys.filter { $0.contains("2.y") }
    #expect(steps == [step.path])
    var without = files
    without.steps = []
    let made = ProjectCheck.run(without).sources.keys.filter { $0.contains("2.y") }
    #expect(made == [SourceFolder.path(of: "2.yaml", in: written)])
  }
}
