import Foundation
import StrataSchema
import Testing

@Suite struct RenameTests {
  private func rename(
    _ part: String, offset: Int = 0, to name: String, in path: String = "schemas/People.yaml",
    _ editor: TestEditor
  ) throws -> JSON {
    var parameters = try editor.at(part, in: path, offset: offset).object ?? [:]
    parameters["newName"] = .string(name)
    let answer = editor.request("textDocument/rename", .object(parameters))
    if answer["documentChanges"] != nil { try editor.apply(answer) }
    return answer
  }

  @Test func aPropertyIsRenamedEverywhereAndInTheStep() throws {
    let editor = try TestEditor(TestProject.files())
    _ = try rename("email: {", to: "mail", editor)
    #expect(
      try editor.text("schemas/People.yaml")
        == TestProject.people.replacingOccurrences(of: "email", with: "mail"))
    // Each model that has the property has a table of its own.
    #expect(
      try editor.text("migrations/2.yaml")
        == "to: 2\nrename: { Person.email: mail, Student.email: mail }\n")
    // Two renames that are declared, which is worth a hint, and nothing else.
    let hint = "schemas/People.yaml:11:7 STR3205"
    #expect(editor.findings == [hint, hint])
    #expect(editor.findings == (try editor.checked()))
  }

  @Test func aSecondRenameChangesTheFirstAndARenameBackTakesItAway() throws {
    let editor = try TestEditor(
      TestProject.files(step: "to: 2\nrename:\n  Person.name: fullName\n"))
    try editor.type(
      TestProject.people.replacingOccurrences(of: "name: string", with: "fullName: string")
        .replacingOccurrences(of: "extends: Person", with: "abstract: true"),
      in: "schemas/People.yaml")
    _ = try rename("fullName", to: "wholeName", editor)
    #expect(try editor.text("migrations/2.yaml") == "to: 2\nrename:\n  Person.name: wholeName\n")
    _ = try rename("wholeName", to: "name", editor)
    #expect(try editor.text("migrations/2.yaml") == "to: 2\n")
  }

  @Test func aModelIsRenamedWithItsLinks() throws {
    let editor = try TestEditor(TestProject.files())
    _ = try rename("Address:", to: "Place", in: "schemas/Places.yaml", editor)
    #expect(try editor.text("schemas/Places.yaml").contains("  Place:\n"))
    #expect(try editor.text("schemas/People.yaml").contains("home: Place?"))
    #expect(try editor.text("migrations/2.yaml") == "to: 2\nrename: { Address: Place }\n")
    #expect(editor.findings == ["schemas/Places.yaml:2:3 STR3104"])
  }

  @Test func whatIsReleasedOpensANewVersion() throws {
    var files = TestProject.files()
    files["schemas/People.yaml"] = TestProject.people.replacingOccurrences(
      of: "version: 2", with: "version: 1")
    let editor = try TestEditor(files)
    _ = try rename("name: string", to: "fullName", editor)
    #expect(try editor.text("schemas/People.yaml").contains("version: 2\n"))
    #expect(
      try editor.text("migrations/2.yaml")
        == "to: 2\nrename: { Person.name: fullName, Student.name: fullName }\n")
    #expect(editor.findings == (try editor.checked()))
  }

  @Test func whatIsNewNeedsNoStep() throws {
    let editor = try TestEditor(TestProject.files())
    try editor.type(TestProject.people + "  Size: [small]\n", in: "schemas/People.yaml")
    try editor.type(
      TestProject.people.replacingOccurrences(
        of: "    name: string", with: "    name: string\n      age: int?"),
      in: "schemas/People.yaml")
    let answer = try rename("age", to: "years", editor)
    #expect(answer["documentChanges"]?.array?.count == 1)
    #expect(editor.open["migrations/2.yaml"] == nil)
  }

  @Test func aCaseKeepsItsStoredValue() throws {
    let editor = try TestEditor(TestProject.files())
    _ = try rename("calm, angry", to: "serene", editor)
    let text = try editor.text("schemas/People.yaml")
    #expect(text.contains("cases: { serene: calm, angry: angry }"))
    #expect(text.contains("default: serene"))
    #expect(editor.findings.filter { $0.contains("STR38") } == [])
  }

  @Test(arguments: [
    ("name: string", "schemas/People.yaml", "2x", "'2x' cannot be a name"),
    ("name: string", "schemas/People.yaml", "Email", "There is a 'email' already"),
    ("name: string", "schemas/versions/1.yaml", "other", "which is frozen"),
    ("schema:", "schemas/People.yaml", "other", "no name of the schema"),
  ])
  func whatCannotBeRenamedIsRefused(
    _ part: String, _ path: String, _ name: String, _ message: String
  )
    throws
  {
    let editor = try TestEditor(TestProject.files())
    let answer = try rename(part, to: name, in: path, editor)
    #expect(answer["message"]?.string?.contains(message) == true, "\(answer)")
  }
}
