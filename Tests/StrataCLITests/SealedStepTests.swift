import Foundation
import Testing

/// A step is sealed with its version: what it does to data later on is what it did when it was judged.
@Suite struct SealedStepTests {
  let run: CommandRunner

  /// Three versions: a rename, and a property more, which is the newest; and a file of the first.
  init() throws {
    run = try CommandRunner()
    try declare(0, "{ phone: string?, n: int }")
    try freeze()
    try declare(1, "{ mobile: string?, n: int }")
    try write("migrations/1.yaml", "to: 1\nrename: { Person.phone: mobile }\n")
    try freeze()
    try declare(2, "{ mobile: string?, n: int, more: int }")
    try write("migrations/2.yaml", "to: 2\nset: { Person: { more: old.n } }\n")
    try freeze()
    #expect(try run.strata("create", "a.db", "--version", "0").status == 0)
    try write("a.jsonl", "{\"$model\":\"Person\",\"n\":1,\"phone\":\"555\"}\n")
    #expect(try run.strata("import", "a.db", "a.jsonl").status == 0)
  }

  private func write(_ name: String, _ text: String) throws {
    let file = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(at: run.folder.appendingPathComponent(name))
  }

  private func declare(_ version: Int, _ properties: String) throws {
    try write(
      "schemas/People.yaml",
      "schema: People\nversion: \(version)\nmodels:\n  Person: { properties: \(properties) }\n")
  }

  private func freeze() throws {
    #expect(try run.strata("freeze", "--date", "2026-01-01").status == 0)
  }

  private func exported() throws -> String { try run.strata("export", "a.db").output }

  enum Change: CaseIterable { case gone, edited, newestGone }

  @Test(arguments: Change.allCases, ["migrate", "plan"])
  func anUpgradeStopsWhereAStepIsNotWhatWasSealed(change: Change, command: String) throws {
    let before = try exported()
    let sentence: String
    switch change {
    case .gone:
      try remove("migrations/1.yaml")
      sentence = "the step to version 1 is gone, and it is sealed [STR4007]"
    case .edited:
      try write("migrations/1.yaml", "to: 1\ndrop: [Person.phone]\n")
      sentence = "the step to version 1 was edited after it was sealed [STR4007]"
    case .newestGone:
      try remove("migrations/2.yaml")
      sentence = "the step to version 2 is gone, and it is sealed [STR4007]"
    }

    let result = try run.strata(command, "a.db")

    #expect(result.status == 3)
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(result.errors.contains("restore it from version control"))
    #expect(try exported() == before)
  }

  /// Told as steps that are gone, it would be amended away.
  @Test(arguments: [["check"], ["plan", "a.db"], ["migrate", "a.db"], ["freeze", "--amend"]])
  func aMistypedFolderOfStepsIsNamed(command: [String]) throws {
    let result = try run.strata(command + ["--migrations", "migratoins"])

    #expect(result.status == 3)
    #expect(
      result.errors.contains(
        "there is no 'migratoins', and schemas/schema.lock says that versions have steps."),
      "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: run.path("migratoins")))
  }

  /// Until the version is released, its step may be tried as it will be sealed again.
  @Test func theNewestStepMayBeTried() throws {
    try write("migrations/2.yaml", "to: 2\nset: { Person: { more: old.n + 1 } }\n")

    let result = try run.strata("migrate", "a.db")
    #expect(result.status == 0)
    #expect(
      result.errors.contains("warning: the step to version 2 was edited after it was sealed"))
    #expect(try exported().contains("\"more\":2"))
    #expect(try run.strata("check").output.contains("STR4007") == true)
  }

  @Test func commentsAndSettingsAreNoObstacle() throws {
    try write("migrations/1.yaml", "# As it was.\nto: 1\nrename:\n  Person.phone: mobile\n")
    #expect(try run.strata("plan", "a.db").status == 0)

    try remove("migrations/1.yaml")
    try write("strata.yaml", "rules: { block-edited-after-release: warning }\n")
    let result = try run.strata("plan", "a.db")
    #expect(result.status == 0 && result.errors.contains("warning: the step to version 1 is gone"))
  }

  /// A folder in which one file cannot be read is not one without files.
  @Test(arguments: ["migrations/9.yaml", "schemas/versions/9.yaml", "migrations/9.swift"])
  func aLinkThatLeadsNowhereIsNamed(name: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: run.folder.appendingPathComponent(name).path, withDestinationPath: "../nowhere")

    for command in [["check"], ["migrate", "a.db"], ["freeze", "--amend"]] {
      let result = try run.strata(command)
      #expect(result.status == 3)
      #expect(
        result.errors.contains("'\(name)' cannot be read: it is a link that leads nowhere"),
        "\(command): \(result.errors)")
    }
  }
}
