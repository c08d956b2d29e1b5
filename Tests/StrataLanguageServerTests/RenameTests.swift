import Foundation
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource
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

  /// Each model that has the property has an entry of its own; all of them go.
  @Test(arguments: [
    ("rename: { Person.email: mail, Student.email: mail }\n", ""),
    ("rename:\n  Person.email: mail\n  Student.email: mail\n", ""),
    (
      "rename: { Address: Place, Person.email: mail, Student.email: mail }\n",
      "rename: { Address: Place }\n"
    ),
    (
      "rename: { Person.email: mail, Address: Place, Student.email: mail }\n",
      "rename: { Address: Place }\n"
    ),
    (
      "rename: { Person.email: mail, Student.email: mail, Address: Place }\n",
      "rename: { Address: Place }\n"
    ),
    (
      "rename:\n  Person.email: mail\n  Address: Place\n  Student.email: mail\n",
      "rename:\n  Address: Place\n"
    ),
  ])
  func aRenameBackTakesTheEntriesOfAllModelsAway(declared: String, left: String) throws {
    let editor = try TestEditor(TestProject.files(step: "to: 2\n" + declared))
    try editor.type(
      TestProject.people.replacingOccurrences(of: "email", with: "mail"),
      in: "schemas/People.yaml")
    _ = try rename("mail: {", to: "email", editor)
    #expect(try editor.text("schemas/People.yaml") == TestProject.people)
    #expect(try editor.text("migrations/2.yaml") == "to: 2\n" + left)
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

  /// Rules, and what a step says of them, name the properties and models of the declarations.
  static let guarded = """
    schema: Club
    version: 1
    models:
      Member:
        rules:
          adult: (age) >= 18 OR Member.@count < 3
          elders: "SUBQUERY(friends, $f, $f.age > age).@count < 9"
        properties: { age: int, friends: "[Member]", name: string }

    """

  static let repairs = """
    to: 1
    repair: { Member.adult: { set: { age: "18", name: name + 'x' }, delete: age < 0 } }
    accept: [{ rule: rule-added, at: Member.elders, because: Known. }]

    """

  private func guarded() throws -> TestEditor {
    let before =
      Self.guarded.replacingOccurrences(of: "version: 1", with: "version: 0")
      .split(separator: "\n").filter { !$0.contains("rules:") && !$0.contains("@count") }
      .joined(separator: "\n") + "\n"
    let files = ProjectFiles(
      versions: [SourceFile(path: "schemas/versions/0.yaml", text: before)])
    return try TestEditor([
      "schemas/Club.yaml": Self.guarded, "schemas/versions/0.yaml": before,
      "schemas/schema.lock": files.impliedLock.text, "migrations/1.yaml": Self.repairs,
    ])
  }

  @Test func rulesAndTheirRepairsAreRenamedWithAProperty() throws {
    let editor = try guarded()
    _ = try rename("age: int", to: "years", in: "schemas/Club.yaml", editor)
    #expect(
      try editor.text("schemas/Club.yaml")
        == Self.guarded.replacingOccurrences(of: "age", with: "years"))
    #expect(
      try editor.text("migrations/1.yaml")
        == Self.repairs.replacingOccurrences(of: "age", with: "years")
        + "rename: { Member.age: years }\n")
    #expect(editor.findings.filter { !$0.contains("STR3") } == [])
    #expect(editor.findings == (try editor.checked()))
  }

  @Test func rulesAndTheirRepairsAreRenamedWithAModel() throws {
    let editor = try guarded()
    _ = try rename("Member:", to: "Human", in: "schemas/Club.yaml", editor)
    #expect(
      try editor.text("schemas/Club.yaml")
        == Self.guarded.replacingOccurrences(of: "Member", with: "Human"))
    #expect(
      try editor.text("migrations/1.yaml")
        == Self.repairs.replacingOccurrences(of: "Member", with: "Human")
        + "rename: { Member: Human }\n")
    #expect(editor.findings.filter { !$0.contains("STR3") } == [])
  }

  @Test func aNameInARuleLeadsToItsDeclaration() throws {
    let editor = try guarded()
    let found = editor.request(
      "textDocument/definition", try editor.at("(age)", in: "schemas/Club.yaml", offset: 1))
    #expect(found["range"]?["start"] == ["line": 7, "character": 18])
  }

  /// An enum's name is stored nowhere, but frozen versions have it.
  @Test(arguments: ["Mood:", "calm, angry"])
  func anEnumOrCaseThatIsReleasedOpensANewVersion(_ part: String) throws {
    var files = TestProject.files()
    files["schemas/People.yaml"] = TestProject.people.replacingOccurrences(
      of: "version: 2", with: "version: 1")
    let editor = try TestEditor(files)
    // Declarations that differ from nothing else.
    _ = try rename(part, to: "other", editor)
    #expect(try editor.text("schemas/People.yaml").contains("version: 2\n"))
    #expect(editor.findings.filter { $0.contains("STR4005") } == [])
  }

  /// A list of cases becomes a mapping to the values that are stored, in its own form.
  @Test(arguments: [
    (
      "cases:\n    - red   # hot\n    # the cold one\n    - blue",
      "cases:\n      crimson: red   # hot\n    # the cold one\n      blue: blue"
    ),
    (
      "cases:\n      - red # hot\n      - blue\n    doc: Two.",
      "cases:\n      crimson: red # hot\n      blue: blue\n    doc: Two."
    ),
    (
      "cases: [\n      red, # hot\n      blue,\n    ]",
      "cases: {\n      crimson: red, # hot\n      blue: blue,\n    }"
    ),
    ("cases: [red, blue]", "cases: { crimson: red, blue: blue }"),
    // The place in the list is stored.
    ("type: int\n    cases: [blue, red]", "type: int\n    cases: [blue, crimson]"),
  ])
  func aCaseIsRenamedWithTheCommentsOfItsList(_ list: String, _ mapping: String) throws {
    let schema = "schema: Shop\nversion: 0\nmodels: {}\nenums:\n  Color:\n    "
    let editor = try TestEditor(["schemas/Shop.yaml": schema + list + "\n"])
    _ = try rename("red", to: "crimson", in: "schemas/Shop.yaml", editor)
    #expect(try editor.text("schemas/Shop.yaml") == schema + mapping + "\n")
  }

  /// What `check` would refuse is refused before it is written.
  @Test(arguments: [
    ("name: string", "hash", "generated classes use the name 'hash'"),
    ("name: string", "store", "generated classes use the name 'store'"),
    ("Member:", "int", "'int' is a type of the language"),
    ("Member:", "set", "'set' is a type of the language"),
    ("Member:", "Int", "generated classes use the name 'Int'"),
    ("Member:", "ClubSchema", "'ClubSchema' is the Swift type of the schema itself"),
    ("age: int", "any", "'any' cannot be the name"),
  ])
  func namesThatCheckRefusesAreRefused(_ part: String, _ name: String, _ reason: String) throws {
    let editor = try guarded()
    let answer = try rename(part, to: name, in: "schemas/Club.yaml", editor)
    #expect(answer["message"]?.string?.contains(reason) == true, "\(answer)")
  }

  /// It would stay a schema that `check` takes, with rules that say something else.
  @Test(arguments: [
    ("dogs:", "Dog"), ("Dog:", "dogs"), ("isTame:", "yes"), ("isTame:", "TRUE"), ("isTame:", "nil"),
  ])
  func aNameThatWouldChangeWhatRulesSayIsRefused(_ part: String, _ name: String) throws {
    let schema = """
      schema: Zoo
      version: 0
      models:
        Keeper:
          rules: { few: Dog.@count <= 9, some: dogs.@count <= 3, tame: isTame == isOld }
          properties:
            dogs: "[Dog]"
            isTame: bool
            isOld: bool
        Dog: { properties: { age: int } }

      """
    let editor = try TestEditor(["schemas/Zoo.yaml": schema])
    let answer = try rename(part, to: name, in: "schemas/Zoo.yaml", editor)
    #expect(answer["message"]?.string?.contains("cannot be the name") == true, "\(answer)")
    #expect(try editor.text("schemas/Zoo.yaml") == schema)
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
