import Foundation
import Testing

/// A change that needs a word stops an upgrade as long as no step has it.
@Suite struct UnansweredStepTests {
  let run: CommandRunner

  /// Three versions of which the second asks what becomes of the elements of a set, and a file of the first with two.
  init() throws {
    run = try CommandRunner()
    try declare(0, "tags: set<int>")
    try freeze()
    #expect(try run.strata("create", "a.db").status == 0)
    try write("a.jsonl", "{\"$model\":\"P\",\"n\":1,\"tags\":[1,2]}\n")
    #expect(try run.strata("import", "a.db", "a.jsonl").status == 0)
    try declare(1, "tags: set<double>")
    try freeze()
  }

  private func write(_ name: String, _ text: String) throws {
    let file = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func declare(_ version: Int, _ property: String) throws {
    try write(
      "schemas/S.yaml",
      "schema: S\nversion: \(version)\nmodels:\n  P: { properties: { n: int, \(property) } }\n")
  }

  private func freeze() throws {
    #expect(try run.strata("freeze", "--date", "2026-01-01").status == 0)
  }

  private func exported() throws -> String { try run.strata("export", "a.db").output }

  enum Step: String, CaseIterable {
    case withAQuestion
    case missing
    case ofSomethingElse
  }

  @Test(arguments: Step.allCases, [["migrate"], ["migrate", "--jobs", "2"], ["plan"]])
  func anUpgradeAsksWhatCheckAsks(step: Step, command: [String]) throws {
    switch step {
    case .withAQuestion: break
    case .missing:
      try FileManager.default.removeItem(
        at: run.folder.appendingPathComponent("migrations/1.yaml"))
    case .ofSomethingElse:
      try write("migrations/1.yaml", "to: 1\nset: { P: { n: old.n + 1 } }\n")
    }
    let before = try exported()
    let change = "'P.tags' was set<int> and is set<double>"

    let result = try run.strata(command + ["a.db"])

    #expect(result.status == 3)
    #expect(result.errors.contains(change), "\(result.errors)")
    #expect(result.errors.contains("[STR5203]"))
    #expect(try exported() == before)
    #expect(try run.strata("check").output.contains(change))
  }

  /// The file is of this very schema: only the step to the next version keeps it from being judged.
  @Test func aFileInFrontOfAQuestionIsNotCalledForeign() throws {
    let text = try run.strata("inspect", "a.db")
    let file = try run.strata("inspect", "a.db", "--json").firstFile

    #expect(text.output.contains("  status   not judged\n"), "\(text.output)")
    #expect(text.output.contains("'P.tags' was set<int> and is set<double>"))
    #expect(!text.output.contains("foreign"))
    #expect(file["judged"] as? Bool == false)
    #expect((file["error"] as? [String: Any])?["code"] as? String == "STR5203")
  }

  @Test func anAnswerIsEnoughAlsoWhereItIsNotSealed() throws {
    try write("migrations/1.yaml", "to: 1\nset: { P: { tags: double(old.tags) } }\n")
    #expect(try run.strata("migrate", "a.db").status == 0)
    #expect(try exported().contains("\"tags\":[1.0,2.0]"))
  }

  /// The newest frozen version is upgraded to, whatever is worked on behind it.
  @Test func aStepThatWasEditedIsAskedAboutAlsoBehindAWorkingVersion() throws {
    try write("migrations/1.yaml", "to: 1\nset: { P: { tags: double(old.tags) } }\n")
    #expect(try run.strata("freeze", "--amend").status == 0)
    try write("migrations/1.yaml", "to: 1\nset: { P: { n: old.n + 1 } }\n")
    try declare(2, "tags: set<double>, more: int?")

    let result = try run.strata("migrate", "a.db")

    #expect(result.status == 3 && result.errors.contains("[STR5203]"), "\(result.errors)")
    #expect(try exported().contains("\"tags\":[1,2]"))
  }

  /// Files that are past the step are upgraded without it, and a project may say that a change is no error.
  @Test func whatDoesNotMatterIsNoObstacle() throws {
    try write("migrations/1.yaml", "to: 1\nset: { P: { tags: double(old.tags) } }\n")
    #expect(try run.strata("freeze", "--amend").status == 0)
    #expect(try run.strata("migrate", "a.db", "--output", "b.db").status == 0)
    try declare(2, "tags: set<uuid>")
    try freeze()
    try FileManager.default.removeItem(at: run.folder.appendingPathComponent("migrations/2.yaml"))
    #expect(try run.strata("migrate", "a.db", "--to", "1", "--output", "c.db").status == 0)
    #expect(try run.strata("plan", "b.db").status == 3)

    try write(
      "strata.yaml", "rules: { type-changed-lossy: warning, type-changed-incompatible: warning }\n")
    #expect(try run.strata("plan", "b.db").status == 0)
  }

  /// The working version is a step further, which `--to` names.
  @Test func theWorkingVersionNeedsAnswersToo() throws {
    try write("migrations/1.yaml", "to: 1\nset: { P: { tags: double(old.tags) } }\n")
    #expect(try run.strata("freeze", "--amend").status == 0)
    try declare(2, "tags: set<uuid>")

    let result = try run.strata("migrate", "a.db", "--to", "2")
    #expect(result.status == 3)
    #expect(result.errors.contains("'P.tags' was set<double> and is set<uuid>"), "\(result.errors)")
    #expect(try run.strata("migrate", "a.db").status == 0)
  }
}
