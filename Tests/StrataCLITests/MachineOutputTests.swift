import Foundation
import StrataSchema
import StrataTestSupport
import Testing

/// What the built commands print with `--json`, held against `docs/json`.
@Suite("Output for programs, of the built commands")
struct MachineOutputTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func write(_ text: String, to path: String) throws {
    let file = run.folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private static let plain = """
    schema: A
    version: 0
    models: { P: { properties: { a: int } } }

    """

  private static let wrongSettings = "rules: { model-added: warnin }\n"

  /// Expects one JSON object on standard output that is as `docs/json/NAME.schema.json` says.
  private func expectValid(
    _ name: String, _ result: CommandRunner.Result, status: Int32 = 0,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(result.status == status, "\(result.errors)", sourceLocation: location)
    let json = try JSON.parse(result.output)
    let problems = try JSONSchema(ofCommand: name).problems(json)
    #expect(problems == [], sourceLocation: location)
  }

  /// What does not fit on the disk is no export: a script would remove the database behind it.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: ["export a.db", "inspect a.db --json", "plan a.db", "inspect a.db"])
  func outputThatEndsEarlyIsAFailure(_ arguments: String) throws {
    try run.people("create", "a.db", "--version", "0", "--sample", "20")

    let result = try run.shell("people \(arguments) > /dev/full")

    #expect(result.status == 3)
    #expect(result.errors.contains("The output ends before all of it was written: No space left"))
  }

  /// What is done is not to be done again: an import would store its objects twice.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [
      ("create new.db", true), ("import a.db lines", true), ("migrate a.db --json", true),
      ("migrate a.db --dry-run", false), ("rekey a.db --checksums", true),
      ("salvage a.db --output new.db", true), ("export a.db", false),
    ])
  func anAnswerThatIsNotPrintedIsToldApartFromTheWork(_ arguments: String, isDone: Bool) throws {
    let version = arguments.hasPrefix("import") ? [] : ["--version", "0"]
    try run.people(["create", "a.db", "--sample", "20"] + version, asNobody: false)
    _ = try run.shell("people export a.db > lines")

    let result = try run.shell("people \(arguments) > /dev/full")

    #expect(result.status == 3)
    let sentence = "What was asked for is done; only this answer could not be printed."
    #expect(result.errors.contains("No space left"), "\(result.errors)")
    #expect(result.errors.contains(sentence) == isDone, "\(result.errors)")
  }

  /// What the parser prints itself is an answer as well.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: ["--help", "--version", "help export", "--generate-completion-script bash"])
  func helpThatIsNotPrintedIsAFailure(_ arguments: String) throws {
    let result = try run.shell("strata \(arguments) > /dev/full")

    #expect(result.status == 3)
    #expect(result.errors.contains("The output ends before all of it was written: No space left"))
    let whole = try run.shell("strata \(arguments)")
    #expect(whole.status == 0)
    #expect(!whole.output.isEmpty && whole.errors.isEmpty)
  }

  /// A program may start the command with the signal of a closed pipe ignored: a part of the lines would pass for all of them.
  @Test(arguments: ["export a.db", "inspect a.db --json", "plan a.db", "--help"])
  func aClosedPipeIsAFailureWhereItsSignalIsIgnored(_ arguments: String) throws {
    try run.people("create", "a.db", "--version", "0", "--sample", "2000")

    let result = try run.shell(
      "(trap '' PIPE; sleep 1; people \(arguments); echo \"status $?\" >&2) | true")

    #expect(result.errors.contains("The output ends before all of it was written: Broken pipe"))
    #expect(result.errors.hasSuffix("status 3\n"), "\(result.errors)")
  }

  /// `head` has read enough.
  @Test func aClosedPipeIsQuiet() throws {
    try run.people("create", "a.db", "--version", "0", "--sample", "2000")

    let result = try run.shell("people export a.db | head -c 10")

    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
  }

  @Test("Files: created, looked at, planned, upgraded, filled")
  func files() throws {
    try expectValid(
      "create", try run.people("create", "a.db", "--version", "0", "--sample", "3", "--json"))
    try Data("no database".utf8).write(to: run.folder.appendingPathComponent("notes.txt"))
    try expectValid("inspect", try run.people("inspect", "a.db", "notes.txt", "--digest", "--json"))
    try expectValid("plan", try run.people("plan", "a.db", "--json"))
    try expectValid("migrate", try run.people("migrate", "a.db", "--dry-run", "--json"))
    try expectValid(
      "migrate", try run.people("migrate", "a.db", "--backup", run.path("b.db"), "--json"))
    try expectValid("migrate", try run.people("migrate", "a.db", "--json"))
    try expectValid("migrate", try run.people("migrate", "notes.txt", "--json"), status: 3)
    try expectValid("inspect", try run.people("inspect", "a.db", "b.db", "--json"))
    try expectValid("plan", try run.people("plan", "a.db", "--json"))
    let objects = try run.people("export", "a.db").output
    try Data(objects.utf8).write(to: run.folder.appendingPathComponent("objects.jsonl"))
    try run.people("create", "c.db")
    try expectValid("import", try run.people("import", "c.db", "objects.jsonl", "--json"))
  }

  @Test(
    "What fails is an object, too",
    arguments: [
      "plan", "import", "create", "downgrade", "rekey --checksums", "salvage --output x.db",
    ])
  func failures(_ command: String) throws {
    let name = String(command.prefix { $0 != " " })
    if name == "create" { try Data().write(to: run.folder.appendingPathComponent("a.db")) }

    let result = try run.shell("people \(command) a.db --json < /dev/null")

    try expectValid(name, result, status: 3)
    let error = try JSON.parse(result.output)["error"]
    #expect(error?["code"]?.string?.hasPrefix("STR51") == true)
    #expect(result.errors.contains(error?["message"]?.string ?? "?"))
  }

  @Test(
    "What keeps a comparison or a proof from its work is in the object",
    arguments: [
      ("diff notes.txt v0", "notes.txt"), ("diff v9", "there is no frozen version 9"),
      ("diff --schemas nowhere", "--schemas"), ("verify --schemas nowhere", "--schemas"),
      ("verify --samples nowhere", "nowhere"),
    ])
  func failuresOfProjects(_ command: String, _ words: String) throws {
    try write(Self.plain, to: "schemas/A.yaml")
    try write("no database", to: "notes.txt")
    _ = try run.shell("strata freeze")

    let result = try run.shell("strata \(command) --json < /dev/null")

    try expectValid(String(command.prefix { $0 != " " }), result, status: 3)
    let json = try JSON.parse(result.output)
    let message = json["error"]?["message"]?.string ?? "?"
    #expect(message.contains(words))
    #expect(result.errors.contains(message))
    #expect(
      json["from"]?.string == (command == "diff v9" ? "v9" : json["to"] == "v0" ? "notes.txt" : nil)
    )
  }

  @Test("Schemas: frozen, compared, checked")
  func schemas() throws {
    func declare(_ version: Int, _ properties: String) throws {
      let folder = run.folder.appendingPathComponent("schemas")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let text =
        "schema: People\nversion: \(version)\nmodels:\n  Person:\n    properties: { \(properties) }\n"
      try Data(text.utf8).write(to: folder.appendingPathComponent("People.yaml"))
    }
    try declare(1, "name: string, age: int")
    try expectValid("freeze", try run.strata("freeze", "--dry-run", "--json"))
    try expectValid("freeze", try run.strata("freeze", "--date", "2026-11-21", "--json"))
    try expectValid("freeze", try run.strata("freeze", "--json"))
    try expectValid("freeze", try run.strata("freeze", "--repair", "--json"))
    try expectValid("check", try run.strata("check", "--json"))
    try expectValid("diff", try run.strata("diff", "--json"))

    try declare(2, "fullName: string, age: int8, region: string")
    try expectValid("diff", try run.strata("diff", "--json", "--exit-code"), status: 1)
    try expectValid("check", try run.strata("check", "--json"), status: 1)
    try expectValid("check", try run.strata("check", "--format", "json"), status: 1)
    try run.people("create", "p.db", "--version", "0")
    try expectValid("diff", try run.strata("diff", "p.db", "v1", "--json"))
    try expectValid("freeze", try run.strata("freeze", "--json"))
  }

  @Test("The language: begun, formatted, generated, explained")
  func language() throws {
    try expectValid("init", try run.strata("init", "--json"))
    try expectValid("format", try run.strata("format", "--json"))
    try expectValid("format", try run.strata("format", "--check", "--json"))
    try expectValid("generate", try run.strata("generate", "--output", "out", "--json"))
    try expectValid("generate", try run.strata("generate", "--output", "out", "--check", "--json"))
    try expectValid("docs", try run.strata("docs", "--output", "report", "--json"))
    try expectValid("explain", try run.strata("explain", "--list", "--json"))
    for code in ["STR2001", "STR3203", "STR4015", "STR5101", "6001"] {
      try expectValid("explain", try run.strata("explain", code, "--json"))
    }
  }

  @Test("Every command that prints JSON has a schema in docs/json")
  func completeness() throws {
    let folder = CommandRunner.root.appendingPathComponent("Sources/StrataCLI").path
    var formats: Set<String> = []
    for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init()
    where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      for match in text.matches(of: #/"strata\.([a-z]+)\/1"/#) { formats.insert(String(match.1)) }
    }
    let docs = try FileManager.default.contentsOfDirectory(
      atPath: CommandRunner.root.appendingPathComponent("docs/json").path)
    // The journal of a migration is a file.
    formats.remove("journal")
    #expect(formats.count > 10)
    for name in formats.sorted() { #expect(docs.contains("\(name).schema.json"), "\(name)") }
  }

  @Test("Every schema of docs/json says what it is of")
  func titles() throws {
    let folder = CommandRunner.root.appendingPathComponent("docs/json").path
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let name = file.replacingOccurrences(of: ".schema.json", with: "")
      let schema = try JSON.parse(
        String(
          decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")), as: UTF8.self))
      #expect(schema["title"]?.string == "strata \(name) --json")
      #expect(schema["properties"]?["format"]?["const"]?.string == "strata.\(name)/1")
    }
  }

  /// `--json` asks for what `--format json` does: an object, also where the declarations or the settings keep a command from
  /// its answer.
  @Test(
    "Findings are an object, too",
    arguments: ["strata.yaml", "schemas/A.yaml"],
    ["check", "diff", "freeze", "generate --output o", "docs --output d"])
  func findings(_ broken: String, _ command: String) throws {
    try write(Self.plain, to: "schemas/A.yaml")
    try write(broken == "strata.yaml" ? Self.wrongSettings : "models: 1\n", to: broken)

    let result = try run.shell("strata \(command) --json")

    #expect(result.status == (command == "check" && broken != "strata.yaml" ? 1 : 3))
    let json = try JSON.parse(result.output)
    #expect(json["format"]?.string == "strata.check/1")
    #expect(json["findings"]?.array?.isEmpty == false)
    #expect(try JSONSchema(ofCommand: "check").problems(json) == [])
  }

  /// Of a command about a file they stand in the place of what it answers, also where that would be an object about its failure.
  @Test(
    arguments: ["strata.yaml", "migrations/1.yaml"],
    ["plan a.db", "create b.db", "import a.db", "downgrade a.db", "migrate a.db"])
  func findingsOfACommandAboutAFile(_ broken: String, _ command: String) throws {
    try write(Self.plain, to: "schemas/A.yaml")
    _ = try run.shell("strata freeze && strata create a.db")
    try write(broken == "strata.yaml" ? Self.wrongSettings : "to: 1\nmodels: [\n", to: broken)

    let result = try run.shell("strata \(command) --json < /dev/null")

    #expect(result.status == 3)
    let json = try JSON.parse(result.output)
    #expect(json["format"]?.string == "strata.check/1")
    #expect(try JSONSchema(ofCommand: "check").problems(json) == [])
  }

  /// A database says by itself what its schema is.
  @Test func aComparisonWithADatabaseIsOneObjectBesideABrokenLock() throws {
    try write(Self.plain, to: "schemas/A.yaml")
    _ = try run.shell("strata freeze && strata create a.db")
    _ = try run.shell("echo 'no line of a lock' >> schemas/schema.lock")
    try write(
      Self.plain.replacingOccurrences(of: "version: 0", with: "version: 1"), to: "schemas/A.yaml")

    try expectValid("diff", try run.strata("diff", "a.db", "--json"))
  }

  /// What is proven are the versions inside of the tool.
  @Test func aProofIsOneObjectBesideABrokenLock() throws {
    try write(Self.plain, to: "schemas/A.yaml")
    _ = try run.shell("strata freeze && echo 'no line of a lock' >> schemas/schema.lock")

    try expectValid("verify", try run.people("verify", "--seed", "7", "--json"))
  }

  /// The samples are asked by the history that has the findings.
  @Test(arguments: ["text", "json", "github", "gitlab", "junit", "markdown", "sarif"])
  func findingsAreToldOnceBesideSamples(_ form: String) throws {
    try write(Self.plain, to: "schemas/A.yaml")
    _ = try run.shell("strata freeze && mkdir samples && strata create samples/a.db --sample 3")
    try write(
      Self.plain.replacingOccurrences(of: "version: 0", with: "version: 1"), to: "schemas/A.yaml")
    try write("to: 1\nmodels: [\n", to: "migrations/1.yaml")

    let plain = try run.strata("check", "--format", form)
    let result = try run.strata("check", "--samples", "samples", "--format", form)

    #expect(result.status == 1)
    #expect(result.errors == "")
    // The story of a change tells of the samples, too.
    func findings(_ text: String) -> String? { text.components(separatedBy: "### Findings").last }
    #expect(findings(result.output) == findings(plain.output))
  }

  @Test("A finding about no file is in every form", arguments: ["json", "github", "sarif"])
  func findingWithoutAFile(_ form: String) throws {
    try write(Self.plain, to: "schemas/A.yaml")

    let result = try run.strata("freeze", "--amend", "--format", form)

    #expect(result.status == 1)
    #expect(result.errors == "")
    #expect(result.output.contains("STR4004"))
    #expect(result.output.contains("there is no frozen version to amend"))
  }

  @Test("What cannot be formatted is told beside the one object")
  func formatting() throws {
    try write("models: [\n", to: "a.yaml")

    let result = try run.strata("format", "a.yaml", "--json")

    #expect(try JSON.parse(result.output)["format"]?.string == "strata.format/1")
    #expect(result.errors.contains("a.yaml:"))
  }

  /// The example of STR4004: versions and declarations are gone.
  @Test("A lock alone says which versions are gone")
  func lockAlone() throws {
    try write(Self.plain, to: "schemas/A.yaml")
    _ = try run.shell("strata freeze && rm -r schemas/A.yaml schemas/versions")

    let result = try run.strata("check")

    #expect(result.status == 1)
    #expect(result.output.contains("version 0 is frozen, and versions/0.yaml is missing [STR4004]"))
  }
}
