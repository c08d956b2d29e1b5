import Foundation
import Testing

/// `strata check` and its repairs, on folders as people have them.
@Suite("strata check")
struct CheckCommandTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func write(_ name: String, _ text: String) throws {
    let url = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Declarations of one version: lines below `models:`.
  private func declare(_ version: Int, _ models: [String]) throws {
    try write(
      "schemas/a.yaml",
      "schema: Test\nversion: \(version)\nmodels:\n"
        + models.map { "  \($0)\n" }.joined())
  }

  private func freeze() throws {
    #expect(try run.strata("freeze", "--date", "2026-11-21").status == 0)
  }

  /// 10,010 properties that are new are as many hints, and come before the model that loses one.
  @Test func anErrorBehindTenThousandHintsIsAnError() throws {
    let models = (0..<11).map { "M\($0): { properties: { id: int" }
    let added = (0..<910).map { ", p\($0): int?" }.joined()
    try declare(0, models.map { $0 + " } }" } + ["Z: { properties: { id: int, gone: int? } }"])
    try freeze()
    try declare(1, models.map { $0 + added + " } }" } + ["Z: { properties: { id: int } }"])

    let text = try run.strata("check")
    #expect(text.status == 1)
    #expect(text.output.contains("error: 'Z.gone' is removed"), "\(text.output)")
    #expect(text.output.hasSuffix("\ncheck: 1 error\n"))

    let json = try run.strata("check", "--json")
    #expect(json.status == 1)
    #expect((json.json["findings"] as? [Any])?.count == 10_000)
    #expect(json.json["omitted"] as? Int == 11)
  }

  @Test("What strata.yaml has wrong is shown as it stands there")
  func shownSettings() throws {
    try declare(0, ["P: { properties: { a: int } }"])
    try write("strata.yaml", "rules: { STR3602: error }\n")

    let text = try run.strata("check").output

    #expect(
      text.hasPrefix(
        """
        strata.yaml:1:10: warning: there is no rule 'STR3602' [STR4020]
            1 | rules: { STR3602: error }
              |          ^~~~~~~
                help: STR3602 is called 'index-removed'

        """), "\(text)")
  }

  @Test("A JUnit report fails where the command does")
  func junit() throws {
    try declare(0, ["P: { properties: { a: { type: int, unique: true } } }"])
    try freeze()
    try declare(1, ["P: { properties: { a: int } }"])

    let strict = try run.strata("check", "--fail-on", "warning", "--format", "junit")
    let usual = try run.strata("check", "--format", "junit")

    #expect(strict.status == 1)
    #expect(strict.output.contains("tests=\"1\" failures=\"1\""), "\(strict.output)")
    #expect(usual.status == 0)
    #expect(usual.output.contains("tests=\"1\" failures=\"0\""), "\(usual.output)")
  }

  @Test("A baseline that is none is a mistake of strata.yaml, not of the call")
  func wrongBaseline() throws {
    try declare(0, ["P: { properties: { a: int } }"])
    try write("strata.yaml", "baseline: main\n")

    let result = try run.strata("check")

    #expect(result.status == 3)
    #expect(result.errors.contains("'main' is neither git:REVISION nor a version such as v3"))
    #expect(try run.strata("check", "--against", "main").status == 64)
  }

  /// A folder is written with a slash at its end and without one: a file has one path, also one that is written or repaired.
  @Test(arguments: [
    ("models", "steps", "models/", "steps/"), ("models/", "steps/", "models/", "steps/"),
    ("./models/", "./steps", "./models/", "./steps/"), (".", ".//steps//", "./", ".//steps//"),
    ("models", "./", "models/", "./"),
  ])
  func aFolderMayBeSpelledInAnyWay(
    _ schemas: String, _ migrations: String, _ models: String, _ steps: String
  ) throws {
    try write("strata.yaml", "schemas: \(schemas)\nmigrations: \(migrations)\n")
    try write(
      models + "a.yaml", "schema: T\nversion: 0\nmodels: { P: { properties: { name: string? } } }\n"
    )
    let frozen = try run.strata("freeze", "--date", "2026-11-21")
    #expect(frozen.output.contains("  write  \(models)versions/0.yaml\n"), "\(frozen.output)")
    #expect(frozen.output.contains("  write  \(models)schema.lock\n"), "\(frozen.output)")

    try write(
      models + "a.yaml",
      "schema: T\nversion: 1\nmodels: { P: { properties: { names: string? } } }\n")
    let repaired = try run.strata("check", "--fix", "--yes")
    #expect(repaired.errors == "repaired \(steps)1.yaml\n1 repair made\n")
    #expect(repaired.output == "check: ok\n")

    // A step that cannot be read is not taken for a missing one: it stays as it is.
    try write(steps + "1.yaml", "to: 1\nset: {\n")
    let broken = try run.strata("check", "--fix", "--yes")
    #expect(broken.errors == "nothing was repaired\n")
    #expect(broken.output.hasPrefix("\(steps)1.yaml:3:1: error: not valid YAML"))
    #expect(broken.output.hasSuffix("\ncheck: 1 error\n"))
  }

  /// Models of which each has one property under another name in version 1.
  private func rename(models: Int) throws {
    func lines(_ name: String) -> [String] {
      (0..<models).map { "P\($0): { properties: { id: int, \(name): string?, b\($0): bool } }" }
    }
    try declare(0, lines("name"))
    try freeze()
    try declare(1, lines("names"))
  }

  /// Each of them is written into one step, so that all but the first wait for another round.
  @Test func aQuestionIsAskedOnce() throws {
    try rename(models: 5)

    let result = try run.shell(#"printf 'n\ny\nn\nn\ny\n' | strata check --fix"#)

    #expect(result.status == 1)
    #expect(result.errors.components(separatedBy: "[y/N]").count == 6, "\(result.errors)")
    #expect(result.errors.hasSuffix("repaired migrations/1.yaml\n2 repairs made\n"))
    #expect(result.output.hasSuffix("check: 3 errors\n"), "\(result.output)")
    let step = try String(contentsOfFile: run.path("migrations/1.yaml"), encoding: .utf8)
    #expect(step.contains("P1.name: names") && step.contains("P4.name: names"), "\(step)")
  }

  /// A slip has one meaning. A short name that is near to a model's may as well be that of a model that is still to be declared.
  @Test func aShortNameOfAModelIsAGuess() throws {
    let dog = "Dog: { properties: { nam: string, k: Hog?, m: Persn? } }"
    let person = "Person: { primryKey: naem, properties: { name: string, size: int46, next: A? } }"
    try declare(0, [dog, person])
    func text() throws -> String {
      try String(contentsOfFile: run.path("schemas/a.yaml"), encoding: .utf8)
    }
    let known = try text().replacing("primryKey", with: "primaryKey")
      .replacing("naem", with: "name").replacing("Persn", with: "Person")

    let unasked = try run.shell("strata check --fix </dev/null")
    #expect(unasked.status == 1)
    #expect(try text() == known)
    #expect(
      unasked.errors == """
        schemas/a.yaml:4: there is no type 'Hog' [STR2302]
        write Dog? [y/N] 
        repaired schemas/a.yaml
        3 repairs made
        1 guess was not made, because there was no answer; --yes agrees to it

        """)
    #expect(unasked.output.contains("help: did you mean 'int16' or 'int64'?\n"))
    #expect(unasked.output.hasSuffix("check: 3 errors\n"), "\(unasked.output)")

    let answered = try run.shell(#"printf 'y\n' | strata check --fix"#)
    #expect(answered.status == 1)
    #expect(!answered.errors.contains("--yes"))
    #expect(try text() == known.replacing("Hog", with: "Dog"))
  }

  /// What is wrong in several places in the same way is one question, which names them all.
  @Test func aQuestionNamesAllItsPlaces() throws {
    let dog = "Dog: { properties: { a: int } }"
    let owners = ["A", "B"].map { "\($0): { properties: { x: Dgo? } }" }
    try declare(0, [dog] + owners)
    func text() throws -> String {
      try String(contentsOfFile: run.path("schemas/a.yaml"), encoding: .utf8)
    }
    let before = try text()
    let question = """
      schemas/a.yaml:5: there is no type 'Dgo' [STR2302]
      schemas/a.yaml:6: there is no type 'Dgo' [STR2302]
      write Dog in 2 places? [y/N] \

      """

    let unasked = try run.shell("strata check --fix </dev/null")
    #expect(
      unasked.errors == question + """

        nothing was repaired
        2 guesses were not made, because there was no answer; --yes agrees to all of them

        """)
    #expect(try text() == before)

    let answered = try run.shell(#"printf 'y\n' | strata check --fix"#)
    #expect(answered.errors == question + "repaired schemas/a.yaml\n2 repairs made\n")
    #expect(try text() == before.replacing("Dgo", with: "Dog"))
  }

  @Test func allThatIsAgreedToIsRepaired() throws {
    try rename(models: 25)
    try write("migrations/1.yaml", "to: 1\nrename:\n  P3.name: names\n")

    let result = try run.strata("check", "--fix", "--yes")

    #expect(result.status == 0)
    #expect(result.errors == "repaired migrations/1.yaml\n24 repairs made\n")
    #expect(result.output == "check: ok\n")
    let step = try String(contentsOfFile: run.path("migrations/1.yaml"), encoding: .utf8)
    #expect(step.split(separator: "\n").count == 27, "\(step)")
    #expect(step.hasSuffix("\n  P24.name: names\n  P3.name: names\n"), "\(step)")
  }

  /// What the questions say of real files is the same in each round.
  @Test func aQuestionWithSamplesIsAskedOnce() throws {
    try rename(models: 3)
    try write("samples/.keep", "")
    #expect(
      try run.strata("create", "samples/a.db", "--version", "0", "--sample", "3").status == 0)

    let result = try run.shell(
      #"printf 'y\ny\nn\n' | strata check --samples samples --fix"#)

    #expect(result.status == 1)
    let questions = result.errors.components(separatedBy: "[y/N]").dropLast()
    #expect(questions.count == 3, "\(result.errors)")
    #expect(questions.allSatisfy { $0.contains(" have a name in samples/a.db [STR3204]\n") })
    #expect(result.output.contains(" P2 have a name in samples/a.db [STR3204]\n"))
    #expect(result.output.hasSuffix("check: 1 error\n"))
  }

  @Test func aDatabaseOfAnotherSchemaIsNotCountedIn() throws {
    try declare(0, ["P: { properties: { name: string? } }"])
    try freeze()
    try write(
      "other/a.yaml",
      "schema: Shop\nversion: 0\nmodels: { P: { properties: { name: string? } } }\n")
    #expect(try run.strata("freeze", "--schemas", "other", "--date", "2026-11-21").status == 0)
    try write("samples/.keep", "")
    let shop = ["samples/shop.db", "--schemas", "other", "--version", "0", "--sample", "3"]
    #expect(try run.strata(["create"] + shop).status == 0)
    try declare(1, ["P: { properties: { name: string } }"])

    let result = try run.strata("check", "--samples", "samples")

    #expect(result.status == 1)
    #expect(result.errors == "note: samples/shop.db holds the schema Shop, not Test.\n")
    #expect(
      result.output.contains("'P.name' is required now, and objects may have nil there [STR3401]\n")
    )
  }

  @Test func samplesThatAreNotThereAreNamed() throws {
    try declare(0, ["P: { properties: { name: string? } }"])
    try freeze()

    let result = try run.strata("check", "--samples", "nodir")

    #expect(result.status == 3)
    #expect(
      result.errors
        == "error: the samples in nodir cannot be listed: No such file or directory.\n")
  }

  @Test func afterARepairSamplesAreCountedInAgain() throws {
    try declare(0, ["P: { properties: { name: string? } }"])
    try freeze()
    try write("samples/.keep", "")
    #expect(
      try run.strata("create", "samples/a.db", "--version", "0", "--sample", "3").status == 0)
    try declare(1, ["P: { properties: { name: string?, age: { type: int?, indexed: true } } }"])
    try freeze()
    try declare(2, ["P: { properties: { name: string?, age: { type: int?, indexd: true } } }"])
    try write("strata.yaml", "limits: { disk: 1 KB }\n")

    let repaired = try run.strata(
      "check", "--samples", "samples", "--fix", "--fail-on", "warning")
    let again = try run.strata("check", "--samples", "samples", "--fail-on", "warning")

    #expect(repaired.errors == "repaired schemas/a.yaml\n1 repair made\n")
    #expect(repaired.output.contains("and strata.yaml allows 1,000 [STR3952]\n"))
    #expect(repaired.output == again.output)
    #expect(repaired.status == 1 && again.status == 1)
  }

  /// Declarations that several projects share: the file is written, not the link, and a group may go on writing it.
  @Test(arguments: [["check", "--fix"], ["format"]])
  func behindALinkTheFileItselfIsWritten(command: [String]) throws {
    try write("schemas/.keep", "")
    try write(
      "shared/a.yaml",
      "schema:  Test\nversion: 0\nmodels: { P: { properties: { a: { type: int, indexd: true } } } }\n"
    )
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o664], ofItemAtPath: run.path("shared/a.yaml"))
    try FileManager.default.createSymbolicLink(
      atPath: run.path("schemas/a.yaml"), withDestinationPath: "../shared/a.yaml")

    #expect(try run.strata(command).status == 0)

    let text = try String(contentsOfFile: run.path("shared/a.yaml"), encoding: .utf8)
    #expect(text.contains(command == ["format"] ? "schema: Test\n" : "indexed: true"), "\(text)")
    let attributes = try FileManager.default.attributesOfItem(atPath: run.path("shared/a.yaml"))
    #expect(attributes[.posixPermissions] as? Int == 0o664)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: run.path("schemas/a.yaml"))
        == "../shared/a.yaml")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.path("shared")) == ["a.yaml"])
  }
}
