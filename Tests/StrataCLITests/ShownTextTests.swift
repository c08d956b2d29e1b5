import Foundation
import Testing

/// Names and values of users in what commands print: they neither steer a terminal nor begin a line of their own.
@Suite struct ShownTextTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func isSteered(_ result: CommandRunner.Result) -> Bool {
    (result.output + result.errors).unicodeScalars.contains("\u{1B}")
  }

  @Test func aFileNameIsShownOnOneLine() throws {
    let name = "x\u{1B}[31mred\nstatus current"
    let (file, copy, old) = ("\(name).db", "\(name).copy", "\(name).old")
    for command in [
      ["create", file, "--version", "0", "--sample", "3"], ["inspect", file], ["plan", file],
      ["migrate", file, "--dry-run"], ["salvage", file, "--output", copy],
      ["rekey", file, "--checksums"], ["import", file], ["migrate", file, "--backup", old],
      ["downgrade", file, "--from", old],
    ] {
      let result = try run.people(command, asNobody: false)
      #expect(result.status == 0, "\(command): \(result.errors)")
      #expect(
        result.output.hasPrefix(#"x\u{1B}[31mred\nstatus current.db"#),
        "\(command): \(result.output)")
      #expect(!isSteered(result), "\(command)")
    }
    // A program is told the name itself.
    #expect(try run.people("inspect", file, "--json").firstFile["file"] as? String == file)
  }

  @Test func aStoredValueIsShownOnOneLine() throws {
    let schemas = run.folder.appendingPathComponent("schemas")
    try FileManager.default.createDirectory(at: schemas, withIntermediateDirectories: false)
    func declare(_ version: Int, _ value: String) throws {
      let text =
        "schema: Test\nversion: \(version)\nmodels: { P: { properties: { e: E } } }\n"
        + "enums: { E: { type: string, cases: { q: \(value) } } }\n"
      try Data(text.utf8).write(to: schemas.appendingPathComponent("a.yaml"))
    }
    try declare(0, "a")
    #expect(try run.strata("freeze", "--date", "2026-11-21").status == 0)
    try declare(1, #""\e[31mb\nc""#)

    let diff = try run.strata("diff")
    #expect(
      diff.output == #"""
        v0 → working version 1
          needs a step  STR3803  'E.q' was stored as 'a' and is stored as '\u{1B}[31mb\nc'
        1 change, 1 without a step

        """#)
    let json = try run.strata("diff", "--json").json["changes"] as? [[String: Any]]
    #expect(
      json?.first?["message"] as? String
        == "'E.q' was stored as 'a' and is stored as '\u{1B}[31mb\nc'")
    let freeze = try run.strata("freeze", "--date", "2026-11-21", "--dry-run")
    #expect(
      freeze.output.contains(
        #"  'E.q' was stored as 'a' and is stored as '\u{1B}[31mb\nc' [STR3803]"# + "\n"),
      "\(freeze.output)")
    #expect(!isSteered(freeze))
  }
}
