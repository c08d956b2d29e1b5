import Foundation
import Testing

/// The commands of the language, on folders as people have them.
@Suite struct LanguageCommandTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func write(_ files: [String: String]) throws {
    for (name, text) in files {
      let url = run.folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
  }

  /// The names of a command's long options, as `--experimental-dump-help` has them.
  private func longOptions(of command: [String: Any]) -> [String] {
    (command["arguments"] as? [[String: Any]] ?? [])
      .flatMap { $0["names"] as? [[String: Any]] ?? [] }
      .filter { $0["kind"] as? String == "long" }.compactMap { $0["name"] as? String }
  }

  @Test func whatReadsSamplesTakesTheirKey() throws {
    let help = try run.strata("--experimental-dump-help").json["command"] as? [String: Any] ?? [:]
    let readers = (help["subcommands"] as? [[String: Any]] ?? [])
      .filter { longOptions(of: $0).contains("samples") }
    #expect(
      readers.compactMap { $0["commandName"] as? String }.sorted()
        == ["check", "docs", "verify"])
    #expect(readers.allSatisfy { longOptions(of: $0).contains("key-file") })
  }

  /// docs/cli.md names every command in a line of its table, and every option of it.
  @Test func theDocumentationHasEveryCommandAndOption() throws {
    let root = #filePath.split(separator: "/Tests/").first.map(String.init) ?? ""
    let page = try String(contentsOfFile: root + "/docs/cli.md", encoding: .utf8)
    let help = try run.strata("--experimental-dump-help").json["command"] as? [String: Any] ?? [:]
    let commands = (help["subcommands"] as? [[String: Any]] ?? [])
      .filter { $0["shouldDisplay"] as? Bool != false && $0["commandName"] as? String != "help" }
    #expect(commands.count > 20)
    var missing: [String] = []
    for command in commands {
      let name = command["commandName"] as? String ?? ""
      if !page.contains("`\(name)") { missing.append(name) }
      for argument in command["arguments"] as? [[String: Any]] ?? []
      where argument["shouldDisplay"] as? Bool != false {
        for option in argument["names"] as? [[String: Any]] ?? []
        where option["kind"] as? String == "long" {
          let long = "--\(option["name"] as? String ?? "")"
          if !page.contains(long), !["--help", "--version"].contains(long) {
            missing.append("\(name) \(long)")
          }
        }
      }
    }
    #expect(missing == [])
  }

  @Test func twelveMistakesAreTwelveFindings() throws {
    try write([
      "schemas/a.yaml": """
      schema: Test
      version: 0
      models:
        Café: { doc: "é𝄞 日本", propertys: { a: int } }
        Person:
          primaryKey: idd
          properties:
            id: uuid
            größe: { doc: "ä\tö", type: strng }
            age: { type: int8, default: 300 }
            boss: Person?
      """,
      "schemas/b.yaml": """
      models:
        Dog:
          extends: Anmal
          properties:
            name: { type: string,\tindexed: fulltxt }
            owner: { linkingObjects: Person.dogs }
            tags: set<Adress>
        person: {}
      """,
      "schemas/c.yaml": """
      enums:
        Mood: { type: string, cases: [calm, calm] }
        Level: { type: "int", "ca\\u0073es": { low: eins } }
      """,
      "schemas/d.yaml":
        "models:\n  # 日本語\n  Thing: { doc: \"👍🏽\", properties: { sqlite_x: int } }\n",
    ])
    let result = try run.strata("check", "--schemas", "schemas", "--format", "json")
    #expect(result.status == 1)
    let findings = result.json["findings"] as? [[String: Any]] ?? []
    let found = findings.map {
      "\($0["file"] ?? "")".dropFirst(8) + ":\($0["line"] ?? ""):\($0["column"] ?? "") "
        + "\($0["code"] ?? "")"
    }
    #expect(
      found == [
        "a.yaml:4:25 STR2001", "a.yaml:6:17 STR2401", "a.yaml:9:34 STR2302",
        "a.yaml:10:35 STR3406", "b.yaml:3:14 STR2601", "b.yaml:5:38 STR2004",
        "b.yaml:6:32 STR3706", "b.yaml:7:17 STR2302", "b.yaml:8:3 STR3903", "c.yaml:2:39 STR2203",
        "c.yaml:3:46 STR2502", "d.yaml:3:37 STR3904",
      ], "\(result.output)")
  }

  /// The sessions of pages about files, run as they stand there.
  @Test(arguments: [
    "STR5101", "STR5103", "STR5104", "STR5105", "STR5107", "STR5110", "STR5115", "STR5201",
    "STR5204",
  ])
  func thePagesSayWhatTheCommandsSay(code: String) throws {
    let page = try String(
      contentsOf: CommandRunner.root.appendingPathComponent("docs/diagnostics/\(code).md"),
      encoding: .utf8)
    func block(_ language: String) throws -> String {
      let start = try #require(page.range(of: "```\(language)\n")).upperBound
      let end = try #require(page.range(of: "```", range: start..<page.endIndex)).lowerBound
      return String(page[start..<end])
    }
    for name in ["schemas", "migrations"] {
      try FileManager.default.copyItem(
        at: CommandRunner.root.appendingPathComponent(name),
        to: run.folder.appendingPathComponent(name))
    }
    let result = try run.shell(try block("sh"))
    #expect(result.status == 3)
    #expect(result.errors == (try block("text")))
  }

  @Test func repairsAreMadeAndWhatIsLeftIsSaid() throws {
    try write([
      "schemas/a.yaml": """
      schema: Test
      version: 0
      models:
        Person:
          primaryKey: idd
          properties:
            id: uuid
            naem: { typ: strng, ignord: yes }   # kept
            age: { type: int, default: '5' }

      """
    ])
    let result = try run.strata("check", "--fix")
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output == "check: ok\n")
    let text = try String(contentsOfFile: run.path("schemas/a.yaml"), encoding: .utf8)
    #expect(text.contains("primaryKey: id\n"))
    #expect(text.contains("naem: { type: string, ignored: true }   # kept"))
    #expect(text.contains("age: { type: int, default: 5 }"))
    #expect(try run.strata("check").status == 0)
  }

  @Test(arguments: ["generate", "format", "freeze", "diff", "check"])
  func everyCommandPrintsFindingsInEveryForm(command: String) throws {
    try write(["schemas/a.yaml": "schema: Test\nversion: 0\nmodels: [a\n"])
    let arguments = [command] + (command == "generate" ? ["--output", "out"] : [])
    for (format, part) in [
      ("json", #""format": "strata.check/1""#), ("sarif", #""version": "2.1.0""#),
      ("github", "::error file=schemas/a.yaml,line="), ("junit", "<testsuites"),
    ] {
      let result = try run.strata(arguments + ["--format", format])
      #expect(result.status == (command == "check" ? 1 : 3))
      #expect(result.output.contains(part) && result.output.contains("STR1001"), "\(result.output)")
    }
    let text = try run.strata(arguments)
    #expect((text.output + text.errors).contains("error: ',' or ']' was expected here [STR1001]"))
  }

  /// JSON is YAML, too, and would be written over.
  @Test(arguments: ["p.json", "notes", "schemas/a.yaml.orig"])
  func aFileOfAnotherKindIsNotFormatted(name: String) throws {
    let text = "{\"a\":   1}\n"
    let declarations = "schema:   Test\nversion: 0\n"
    try write(["schemas/a.yaml": declarations, name: text])

    let result = try run.strata("format", "schemas/a.yaml", name)

    #expect(result.status == 3)
    #expect(
      result.errors
        == "error: '\(name)' is no file of declarations or steps: their names end with .yaml or .yml. Nothing was written.\n"
    )
    #expect(try String(contentsOfFile: run.path(name), encoding: .utf8) == text)
    #expect(
      try String(contentsOfFile: run.path("schemas/a.yaml"), encoding: .utf8) == declarations)
  }

  @Test func coloursAreForThoseWhoWantThem() throws {
    try write(["schemas/a.yaml": "schema: Test\nversion: x\n"])
    #expect(try !run.strata("check").output.contains("\u{1B}"))
    #expect(try run.strata("check", "--color", "always").output.contains("\u{1B}[31m"))
    #expect(try !run.strata("check", "--color", "never").output.contains("\u{1B}"))
    #expect(try run.strata("check", "--color", "purple").status == 64)
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func shellsCanComplete(shell: String) throws {
    let result = try run.strata("--generate-completion-script", shell)
    #expect(result.status == 0)
    for command in ["check", "freeze", "json-schema", "migrate"] {
      #expect(result.output.contains(command))
    }
    try result.output.write(toFile: run.path("script"), atomically: true, encoding: .utf8)
    let parsed = try run.shell("! command -v \(shell) > /dev/null || \(shell) -n script")
    #expect(parsed.status == 0, "\(parsed.errors)")
  }

  @Test func aCodeIsExplainedHoweverItIsSpelled() throws {
    let page = try run.strata("explain", "STR5104").output
    #expect(page.hasPrefix("# STR5104 file-not-a-database"))
    for spelling in ["str5104", "5104", "file-not-a-database"] {
      #expect(try run.strata("explain", spelling).output == page)
    }
    let unknown = try run.strata("explain", "unknown-kye")
    #expect(unknown.status == 64 && unknown.errors.contains("Did you mean 'unknown-key'?"))
    #expect(try run.strata("explain").output.contains("STR2001  error  unknown-key: "))
  }

  @Test func whatIsNoSchemaSaysSo() throws {
    try write(["empty/.keep": "", "folder/x.yaml/.keep": "", "late/a.yaml": "version: 0\u{0}"])
    #expect(mkfifo(run.path("empty.yaml"), 0o644) == 0)
    for (folder, status, sentence) in [
      ("missing", 3, "there is no 'missing'"), ("empty.yaml", 3, "is not a folder"),
      ("folder", 3, "'folder/x.yaml' is not a regular file"), ("late", 1, "control character"),
      ("empty", 3, "holds no declarations"),
    ] {
      let result = try run.strata("check", "--schemas", folder)
      #expect(result.status == Int32(status), "\(folder): \(result.status)")
      #expect((result.output + result.errors).contains(sentence), "\(result.errors)")
    }
  }
}
