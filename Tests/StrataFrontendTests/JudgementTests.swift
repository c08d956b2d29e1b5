import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

/// What a build says of changes without a step.
@Suite struct JudgementTests {
  /// Of a version 0 and the declarations of version 1, each with one property.
  private func findings(
    _ older: String, _ newer: String, knowsSteps: Bool
  ) throws -> [Diagnostic] {
    func file(_ version: Int, _ property: String) -> SourceFile {
      SourceFile(
        path: "\(version).yaml",
        text:
          "schema: S\nversion: \(version)\nmodels: { Place: { properties: { \(property) } } }\n")
    }
    var diagnostics = Diagnostics()
    let compiled = try [file(0, older), file(1, newer)].map {
      try #require(SchemaCompiler.compile([$0], reporting: &diagnostics))
    }
    let schema = compiled[0].schema
    let line = VersionLock.Line(
      version: 0, date: "2026-11-21", shape: schema.shape, step: nil, after: nil)
    let lock = VersionLock(lines: [line])
    let reading = try #require(
      HistoryReader.read(
        versions: [file(0, older)], lock: SourceFile(path: "schema.lock", text: lock.text),
        steps: [], reporting: &diagnostics))
    Judgement(
      reading: reading, working: compiled[1], settings: Settings(), knowsSteps: knowsSteps,
      stepsFolder: "migrations"
    ).report(to: &diagnostics)
    return diagnostics.sorted
  }

  @Test("A change without a step is a warning where a program may be given steps")
  func missingSteps() throws {
    for knowsSteps in [true, false] {
      let found = try findings("a: string", "b: int", knowsSteps: knowsSteps)
      #expect(!found.isEmpty)
      #expect(found.allSatisfy { $0.severity == (knowsSteps ? .error : .warning) })
      #expect(found.allSatisfy { $0.help?.hasPrefix("say in migrations/1.yaml") == true })
    }
  }

  @Test("What no step can cover is an error wherever steps come from, and says what can be done")
  func noStepCanCoverIt() throws {
    for knowsSteps in [true, false] {
      let found = try findings("caf\u{E9}: int", "cafe\u{301}: int", knowsSteps: knowsSteps)
      #expect(found.map(\.code) == ["STR3903"])
      #expect(found.first?.severity == .error)
      #expect(found.first?.help == "write the name as the version before has it")
    }
  }
}
