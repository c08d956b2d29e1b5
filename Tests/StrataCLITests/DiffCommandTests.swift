import Foundation
import StrataSchema
import Testing

/// `strata diff` over everything that it takes for a side.
@Suite("strata diff")
struct DiffCommandTests {
  let run: CommandRunner

  /// Versions 1 and 2, frozen and committed, and a database of version 1.
  init() throws {
    run = try CommandRunner()
    try declare(1, "name: string")
    try shell("strata freeze --date 2026-11-21 && strata create one.db --version 1")
    try declare(2, "name: string, age: int?")
    try shell("strata freeze --date 2026-11-21")
    try shell(
      """
      git init -q -b main && git config user.name a && git config user.email a@b
      git add -A && git commit -q -m two && git tag two
      """)
  }

  /// Everything that is version 1, and everything that is version 2.
  static let ones = ["v1", "one.db", "schemas/versions/1.yaml", "git:two:schemas/versions/1.yaml"]
  static let twos = ["v2", "schemas", "schemas/People.yaml", "git:two", "git:main:schemas"]

  @Test("Two sides that are the same: one line, and exit 0", arguments: [ones, twos])
  func same(sides: [String]) throws {
    for one in sides {
      for other in sides {
        let result = try run.strata("diff", one, other, "--exit-code")
        #expect(result.status == 0, "\(one) \(other) \(result.errors)")
        #expect(result.output == "\(one) and \(other): no difference\n")
      }
    }
  }

  @Test("Two sides that differ: the change, and exit 1; back again the opposite", arguments: ones)
  func different(one: String) throws {
    for two in Self.twos {
      #expect(try codes(one, two) == ["STR3201 Person.age automatic"])
      #expect(try codes(two, one) == ["STR3203 Person.age step"])
    }
  }

  private func codes(_ one: String, _ other: String) throws -> [String] {
    let result = try run.strata("diff", one, other, "--exit-code", "--json")
    #expect(result.status == 1, "\(one) \(other) \(result.errors)")
    let json = try JSON.parse(result.output)
    #expect(json["from"]?.string == one && json["to"]?.string == other)
    return (json["changes"]?.array ?? []).map {
      "\($0["code"]?.string ?? "") \($0["path"]?.string ?? "") \($0["verdict"]?.string ?? "")"
    }
  }

  @Test("What the step accepts needs no more, as check and migrate have it")
  func accepted() throws {
    try declare(3, "name: string")
    try FileManager.default.createDirectory(
      at: run.folder.appendingPathComponent("migrations"), withIntermediateDirectories: true)
    try Data(
      "to: 3\naccept: [{ rule: property-removed, at: Person.age, because: Unused. }]\n".utf8
    ).write(to: run.folder.appendingPathComponent("migrations/3.yaml"))
    #expect(try run.strata("check").output == "check: ok\n")
    #expect(
      try run.strata("diff").output == """
        v2 → working version 3
          accepted      STR3203  'Person.age' is removed; its values would be lost
        1 change, none needs more than is there

        """)
    #expect(
      try JSON.parse(try run.strata("diff", "--json").output)["changes"]?.array?.first?["covered"]
        == true)
    let frozen = try run.strata("freeze", "--json")
    #expect(try JSON.parse(frozen.output)["open"]?.array == [])
    #expect(
      try JSON.parse(try run.strata("diff", "v1", "v3", "--json").output)["changes"]?.array == [])
    #expect(
      try run.strata("diff", "v2", "v3").output.contains("none needs more than is there"))
  }

  @Test("Without sides: what is being worked on")
  func working() throws {
    #expect(try run.strata("diff", "--exit-code").status == 0)
    try declare(3, "name: string, age: int?, city: string")
    let result = try run.strata("diff", "--exit-code")
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("v2 → working version 3\n  needs a step  STR3202  "))
  }

  @Test("A step with questions left covers nothing, and stands in nobody's way")
  func questions() throws {
    try declare(3, "name: string, age: int")
    try shell("strata freeze")
    let result = try run.strata("diff", "v2", "v3")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("v2 → v3\n  needs a step  STR3401  "))
    #expect(try run.strata("diff").output == "v3 and working version 3: no difference\n")
  }

  @Test("Colours only where they are wanted")
  func colours() throws {
    #expect(try !run.strata("diff", "v1", "v2").output.contains("\u{1B}["))
    #expect(try run.strata("diff", "v1", "v2", "--color", "always").output.contains("\u{1B}["))
    #expect(
      try !run.shell("NO_COLOR=1 strata diff v1 v2 --color auto").output.contains("\u{1B}["))
  }

  @Test("A linked work tree reads the same objects, a shallow clone those that it has")
  func clones() throws {
    try shell("git worktree add -q linked")
    #expect(
      try run.shell("cd linked && strata diff git:two:schemas/versions/1.yaml git:main").output
        .contains("STR3201"))
    try shell(
      "git commit -q --allow-empty -m more && git clone -q --depth=1 \"file://$PWD\" shallow")
    let there = try run.shell("cd shallow && strata diff git:HEAD git:main --exit-code")
    #expect(there.status == 0, "\(there.errors)")
    for revision in ["two", "HEAD~1"] {
      let absent = try run.shell("cd shallow && strata diff git:\(revision)")
      #expect(absent.status == 3)
      #expect(absent.output == "")
      #expect(
        absent.errors.hasPrefix(
          "error: git has no revision '\(revision)' in this shallow clone. Fetch"))
    }
  }

  @Test("What is no side says so")
  func wrong() throws {
    try shell("printf 'no database' > notes.txt && mkdir empty")
    for (side, words) in [
      ("v9", "there is no frozen version 9"), ("nothing", "there is no 'nothing'"),
      ("notes.txt", "notes.txt"), ("git:nowhere", "git has no revision 'nowhere' here"),
      ("git:main:none", "there is no 'none' at main"), ("empty", "empty"),
    ] {
      let result = try run.strata("diff", side, "v2")
      #expect(result.status == 3, "\(side)")
      #expect(result.errors.contains(words), "\(result.errors)")
      #expect(result.output == "")
    }
  }

  private func shell(_ script: String) throws {
    let result = try run.shell("set -e\n" + script)
    #expect(result.status == 0, "\(script)\n\(result.output)\(result.errors)")
  }

  private func declare(_ version: Int, _ properties: String) throws {
    let file = run.folder.appendingPathComponent("schemas/People.yaml")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let text =
      "schema: People\nversion: \(version)\nmodels:\n  Person:\n    properties: { \(properties) }\n"
    try Data(text.utf8).write(to: file)
  }
}
