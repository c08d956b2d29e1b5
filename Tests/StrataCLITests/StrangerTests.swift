import Foundation
import Testing

/// What a newcomer types: words that are no command, projects that are not complete yet.
@Suite struct StrangerTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func write(_ name: String, _ text: String) throws {
    let file = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func declare(_ version: Int, _ models: String) throws {
    try write(
      "schemas/People.yaml",
      "schema: People\nversion: \(version)\nmodels:\n  Person: { properties: \(models) }\n")
  }

  // MARK: Commands

  @Test(arguments: [
    ("chek", "Did you mean 'check'? "), ("Freeze", "Did you mean 'freeze'? "),
    ("frobnicate", ""), ("migrate-worker-x", ""),
  ])
  func aWordThatIsNoCommand(word: String, suggestion: String) throws {
    let result = try run.strata(word, "a.db")

    #expect(result.status == 64)
    #expect(
      result.errors
        == "error: There is no command '\(word)'. \(suggestion)`strata --help` lists the commands.\n"
    )
    #expect(result.output == "")
  }

  /// What sentences, pages and the docs tell people to type is there.
  @Test func everyCommandThatIsNamedExists() throws {
    let help = try run.strata("--help").output
    let commands = Set(help.matches(of: #/(?m)^ {2}([a-z-]+) {2,}/#).map { String($0.1) })
    #expect(commands.count >= 15)
    let root = CommandRunner.root
    let files = ["Sources", "docs", "README.md", "Examples"].flatMap { name in
      let place = root.appendingPathComponent(name)
      let found = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)?
        .compactMap { $0 as? URL }
      return [place] + (found ?? [])
    }
    for file in files where ["swift", "md"].contains(file.pathExtension) {
      if file.path.contains("/.build/") || file.path.contains("/decisions/") { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: #/(?:`|swift run |')strata ([a-z][a-z-]+)/#) {
        #expect(commands.contains(String(match.1)), "\(file.lastPathComponent): \(match.0)")
      }
    }
  }

  // MARK: Samples

  @Test func samplesSayWhatUniqueKeysAllow() throws {
    try declare(0, "{ flag: { type: bool, unique: true } }")
    _ = try run.strata("freeze")

    let result = try run.strata("create", "a.db", "--sample", "50")

    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.output
        == "a.db: People, version 0, 50 objects of each model\n"
        + "  Person: 2, because its unique keys allow no more\n")
  }

  // MARK: Freezing

  /// A step that says something about another property than the one that needs it.
  @Test func freezeSealsNoStepThatCheckRejects() throws {
    try declare(0, "{ name: string }")
    _ = try run.strata("freeze")
    try declare(1, "{ name: string, email: string, city: string? }")
    try write("migrations/1.yaml", "to: 1\nset: { Person: { city: old.nme } }\n")

    for arguments in [["freeze"], ["freeze", "--dry-run"]] {
      let refused = try run.strata(arguments)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("migrations/1.yaml:2:"), "\(refused.errors)")
      #expect(refused.errors.contains("schemas/People.yaml:4:41: error:"), "\(refused.errors)")
      #expect(
        refused.errors.contains("Version 1 was not frozen, because `strata check` rejects it."))
    }
    #expect(!FileManager.default.fileExists(atPath: run.path("schemas/versions/1.yaml")))

    try write(
      "migrations/1.yaml", "to: 1\nset: { Person: { city: old.name, email: \"''\" } }\n")
    #expect(try run.strata("freeze", "--dry-run").output.hasPrefix("version 1 would be frozen\n"))
    let notes = try run.strata("freeze", "--dry-run", "--json").json["notes"] as? [String]
    #expect(notes?.contains("version 1 would be frozen") == true)
    #expect(try run.strata("freeze").output.hasPrefix("version 1 is frozen\n"))
    #expect(try run.strata("check").status == 0)

    try write("migrations/1.yaml", "to: 1\nset: { Person: { city: old.name } }\n")
    let amended = try run.strata("freeze", "--amend")
    #expect(amended.status == 1)
    #expect(amended.errors.contains("[STR3202]"), "\(amended.errors)")
  }

  // MARK: Building

  /// The build tells what a step leaves open, at its place; the app would stop at the first older file.
  @Test func theBuildFailsWhereNoStepCoversAChange() throws {
    try declare(0, "{ name: string }")
    _ = try run.strata("freeze")
    try declare(1, "{ name: string, email: string }")
    let models = "strata-codegen models --schemas schemas --migrations migrations --output models"
    let steps =
      "strata-codegen migrations --migrations migrations --versions schemas/versions --output steps"
    let place = "schemas/People.yaml:4:41: "
    func generate(_ command: String) throws -> (Int32, String) {
      let result = try run.shell(command)
      return (result.status, result.errors)
    }

    // Where nothing is known of steps, it is a warning.
    var (status, said) = try generate(models)
    #expect(status == 0)
    #expect(said.hasPrefix(place + "warning: ") && said.contains("[STR3202]"), "\(said)")

    try write("migrations/1.yaml", "to: 1\nset: { Person: { name: old.name } }\n")
    (status, said) = try generate(models)
    #expect(status == 0 && said == "")
    (status, said) = try generate(steps)
    #expect(status == 1)
    #expect(said.hasPrefix(place + "error: ") && said.contains("[STR3202]"), "\(said)")
    #expect(said.contains("say in migrations/1.yaml what becomes of the data of version 0"))
    // The folder is named as it is given.
    let moved = "Sources/Migrations"
    try write("\(moved)/1.yaml", "to: 1\nset: { Person: { name: old.name } }\n")
    for command in [
      steps.replacing("--migrations migrations", with: "--migrations \(moved)"),
      "strata generate --schemas schemas --migrations \(moved)/ --output all",
    ] {
      (status, said) = try generate(command)
      #expect(status != 0 && said.contains("say in \(moved)/1.yaml what"), "\(said)")
    }
    try write("\(moved)/1.yaml", "to: 1\nswift: [Person]\n")
    let check = try run.strata("check", "--schemas", "schemas", "--migrations", moved)
    #expect(check.output.contains("write \(moved)/1-Name.swift with"), "\(check.output)")

    try write("strata.yaml", "rules: { property-added-required-no-default: warning }\n")
    (status, said) = try generate(steps + " --settings strata.yaml")
    #expect(status == 0 && said.hasPrefix(place + "warning: "), "\(said)")

    try write("migrations/1.yaml", "to: 1\nset: { Person: { email: \"''\" } }\n")
    (status, said) = try generate(steps)
    #expect(status == 0 && said == "", "\(said)")
  }

  // MARK: Targets

  private let manifest = """
    // swift-tools-version: 6.2
    .target(name: "Models", path: "schemas", plugins: [.plugin(name: "StrataPlugin", package: "strata")])
    .target(name: "Steps", path: "migrations", plugins: [.plugin(name: "StrataPlugin", package: "strata")])
    """

  @Test func checkFindsTargetsThatSwiftPMLeavesOut() throws {
    try declare(0, "{ name: string, nick: string? }")
    _ = try run.strata("freeze")
    try declare(1, "{ name: string }")
    try write("migrations/1.yaml", "to: 1\ndrop: [Person.nick]\n")
    #expect(try run.strata("check").output == "check: ok\n")

    try write("Package.swift", manifest)
    let found = try run.strata("check").output
    #expect(found.contains("schemas/People.yaml:1:1: warning: 'schemas' has no Swift file"))
    #expect(found.contains("migrations/1.yaml:1:1: warning: 'migrations' has no Swift file"))
    #expect(found.contains("add migrations/Migrations.swift; a comment in it is enough"))

    #expect(try run.strata("check", "--fix").output == "check: ok\n")
    #expect(FileManager.default.fileExists(atPath: run.path("schemas/Models.swift")))
    #expect(FileManager.default.fileExists(atPath: run.path("migrations/Migrations.swift")))
  }

  @Test func foldersThatInitWasGivenAreFoundByTheNextCommands() throws {
    let begun = try run.strata(
      "init", "Notes", "--schemas", "Sources/My Models", "--migrations", "Sources/Steps")
    #expect(begun.output.contains("wrote strata.yaml\n"))
    #expect(begun.output.contains("`strata check` judges the schema"))
    #expect(
      try String(contentsOfFile: run.path("strata.yaml"), encoding: .utf8)
        == "schemas: \"Sources/My Models\"\nmigrations: \"Sources/Steps\"\n")
    #expect(try run.strata("check").output == "check: ok\n")
    #expect(try run.strata("freeze").status == 0)
  }

  /// It is not touched; its folders are those of `init`, too.
  @Test func initAsksTheSettingsThatAreThere() throws {
    try write("strata.yaml", "schemas: Models\n")
    #expect(try run.strata("init", "Notes").output.contains("wrote Models/Notes.yaml\n"))

    let other = try run.strata("init", "Notes", "--schemas", "Other One", "--migrations", "m")
    #expect(
      other.output.contains(
        "`strata check --schemas 'Other One' --migrations m` judges the schema"))
    #expect(
      try String(contentsOfFile: run.path("strata.yaml"), encoding: .utf8) == "schemas: Models\n")
  }

  @Test func initNamesAFolderThatBeginsWithADashBehindItsOption() throws {
    try write("strata.yaml", "schemas: Models\n")
    let begun = try run.strata("init", "Notes", "--schemas=-s", "--migrations", "m")
    #expect(begun.output.contains("`strata check --schemas=-s --migrations m` judges the schema"))
    #expect(try run.strata("check", "--schemas=-s", "--migrations", "m").output == "check: ok\n")
  }

  @Test func initNamesThePlatforms() throws {
    #expect(try run.strata("init", "Notes").output.contains("platforms: [.macOS(.v15), .iOS(.v18)"))
  }
}
