import Foundation
import Testing

/// Rules that data keeps, from the declarations to the files of users.
@Suite struct DataRuleCommandTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func write(_ name: String, _ text: String) throws {
    let url = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func declare(_ version: Int, rules: String = "") throws {
    try write(
      "schemas/test.yaml",
      """
      schema: Test
      version: \(version)
      models:
        Person:
          primaryKey: id
      \(rules.isEmpty ? "" : "    rules: { \(rules) }\n")    properties: { id: int, age: int }

      """)
  }

  private static let adult = "adult: { that: age >= 18, says: A member is at least 18. }"

  /// Four people of the ages 10, 17, 18 and 40 in a file of version 0.
  private func file() throws {
    try declare(0)
    #expect(try run.strata("freeze").status == 0)
    try FileManager.default.createDirectory(
      atPath: run.path("files"), withIntermediateDirectories: true)
    try run.strata("create", "files/a.db", "--version", "0")
    try write(
      "people.jsonl",
      [10, 17, 18, 40].enumerated().map { "{\"id\": \($0), \"age\": \($1)}\n" }.joined())
    let imported = try run.strata("import", "files/a.db", "people.jsonl", "--model", "Person")
    #expect(imported.status == 0, "\(imported.errors)")
  }

  @Test func aRuleGoesFromTheDeclarationsToTheFiles() throws {
    try file()
    try declare(1, rules: Self.adult)

    // Before it is frozen, real files are counted.
    let check = try run.strata("check", "--samples", "files")
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    #expect(
      (check.output + check.errors).contains(
        "every object of 'Person' has to keep the rule 'adult': age >= 18; 2 of 4 Person break it in files/a.db"
      ),
      "\(check.output)\(check.errors)")
    let diff = try run.strata("diff", "v0", "--json").json
    let changes = diff["changes"] as? [[String: Any]] ?? []
    #expect(changes.map { $0["rule"] as? String } == ["rule-added"])
    #expect(changes.first?["verdict"] as? String == "verified")
    #expect(changes.first?["covered"] as? Bool == true)

    let freeze = try run.strata("freeze")
    #expect(freeze.status == 0, "\(freeze.errors)")
    let lock = try String(
      contentsOf: URL(fileURLWithPath: run.path("schemas/schema.lock")), encoding: .utf8)
    let lines = lock.split(separator: "\n")
    #expect(!lines[1].contains("rules=") && lines[2].contains(" rules="))
    #expect(
      lines[1].split(separator: " ")[2] == lines[2].split(separator: " ")[2],
      "the shape is the same")

    // A file is told before it is upgraded, and refused.
    let plan = try run.strata("plan", "files/a.db", "--json")
    let broken = (plan.json["brokenRules"] as? [[String: Any]])?.first
    #expect(broken?["rule"] as? String == "adult" && broken?["count"] as? Int == 2)
    #expect(broken?["version"] as? Int == 1)
    #expect(
      try run.strata("plan", "files/a.db").output.contains(
        "will be refused at version 1: 2 Person objects break"))
    let before = try run.contents()["files/a.db"]
    let dryRun = try run.strata("migrate", "files/a.db", "--dry-run", "--json")
    #expect(dryRun.status == 3)
    let file = (dryRun.json["files"] as? [[String: Any]])?.first
    #expect(file?["status"] as? String == "failed" && file?["plan"] != nil)
    let error = file?["error"] as? [String: Any]
    #expect(error?["code"] as? String == "STR5210")
    #expect(
      (error?["message"] as? String)?.hasPrefix("The upgrade to version 1 will be refused: ")
        == true)
    #expect(file?["to"] is NSNull)
    _ = try run.shell("cp files/a.db files/b.db")
    let many = try run.strata(
      "migrate", "files/a.db", "files/b.db", "--dry-run", "--keep-going", "--json")
    #expect(many.status == 3 && (many.json["files"] as? [Any])?.count == 2, "\(many.output)")
    let quiet = try run.strata(
      "migrate", "files/a.db", "files/b.db", "--dry-run", "--keep-going", "-q")
    #expect(quiet.output == "")
    _ = try run.shell("rm files/b.db")
    let refused = try run.strata("migrate", "files/a.db")
    #expect(refused.status != 0)
    #expect(
      (refused.output + refused.errors).contains("[STR5210]"), "\(refused.output)\(refused.errors)")
    #expect(try run.contents()["files/a.db"] == before)

    // So is a sample of a proof, which says which rule.
    let proof = try run.strata("verify", "--samples", "files", "--json")
    #expect(proof.status == 1, "\(proof.errors)")
    let failure = (proof.json["failures"] as? [[String: Any]])?.first
    #expect(failure?["code"] as? String == "STR5210")
    #expect(
      (failure?["explanation"] as? String)?.contains("A member is at least 18.") == true,
      "\(failure ?? [:])")

    // The step says what becomes of them.
    try write(
      "migrations/1.yaml",
      "to: 1\nrepair: { Person.adult: { delete: age < 15, set: { age: 18 } } }\n")
    let amended = try run.strata("freeze", "--amend")
    #expect(amended.status == 0, "\(amended.errors)")
    #expect(try run.strata("check").output.contains("rule-added") == false)
    let done = try run.strata("migrate", "files/a.db")
    #expect(done.status == 0, "\(done.output)\(done.errors)")
    #expect(
      try run.strata("export", "files/a.db").output.split(separator: "\n").filter {
        $0.contains("age")
      }.count == 3)

    // Whoever breaks it from now on is refused, and what another program did is found.
    try write("child.jsonl", "{\"id\": 9, \"age\": 3}\n")
    let imported = try run.strata("import", "files/a.db", "child.jsonl", "--model", "Person")
    #expect(imported.status != 0)
    #expect(
      (imported.output + imported.errors).contains("STR5050"),
      "\(imported.output)\(imported.errors)")
    let kept = try run.strata("inspect", "files/a.db", "--rules")
    #expect(kept.status == 0)
    #expect(kept.output.contains("kept by every object"))
    _ = try run.shell("sqlite3 files/a.db 'UPDATE Person SET age = 1 WHERE id = 2'")
    let found = try run.strata("inspect", "files/a.db", "--rules", "--json")
    #expect(found.status == 1)
    let rule = (found.firstFile["brokenRules"] as? [[String: Any]])?.first
    #expect(rule?["count"] as? Int == 1)
    #expect(((rule?["first"] as? [[String: Any]])?.first)?["primaryKey"] as? String == "id 2")
    #expect(
      try run.strata("inspect", "files/a.db", "--rules").output.contains(
        "1 Person object breaks the rule Person.adult: A member is at least 18."))

    // A damaged file is held against them as far as it can be read.
    _ = try run.shell("sqlite3 files/a.db 'ALTER TABLE Person ADD COLUMN extra INT'")
    for options in [["--rules", "--check"], ["--rules"]] {
      let damaged = try run.strata(["inspect", "files/a.db"] + options)
      #expect(damaged.status == 1 && damaged.output.contains("Person.adult"), "\(damaged.output)")
      #expect(damaged.output.contains("as far as the file can be read; more may be broken"))
    }
    // That nothing is found there is no knowledge.
    _ = try run.shell("sqlite3 files/a.db 'UPDATE Person SET age = 20 WHERE age < 18'")
    for options in [["--rules", "--check"], ["--rules"]] {
      let silent = try run.strata(["inspect", "files/a.db", "--json"] + options)
      #expect(silent.status == 3)
      #expect(silent.firstFile["brokenRules"] is NSNull, "\(silent.output)")
      #expect(
        try run.strata(["inspect", "files/a.db"] + options).output.contains(
          "rules    not judged, because the file is damaged"))
    }
    _ = try run.shell(
      "sqlite3 files/a.db \"UPDATE _strata SET value = 0 WHERE key = 'nextRow'\"")
    let unknown = try run.strata("inspect", "files/a.db", "--rules")
    #expect(unknown.status == 3)
    #expect(unknown.output.contains("rules    not judged, because the file is damaged"))
  }

  @Test func theLineOfAnObjectThatBreaksARuleIsNamed() throws {
    try declare(0, rules: Self.adult)
    #expect(try run.strata("freeze").status == 0)
    try run.strata("create", "a.db")
    try write("old.jsonl", "{\"id\": 1, \"age\": 20}\n{\"id\": 2, \"age\": 30}\n")
    func importing(_ sources: String...) throws -> CommandRunner.Result {
      try run.strata(["import", "a.db"] + sources + ["--model", "Person"])
    }
    #expect(try importing("old.jsonl").status == 0)

    try write("new.jsonl", "{\"id\": 3, \"age\": 40}\n\n{\"id\": 4, \"age\": 17}\n")
    let new = try importing("old.jsonl", "new.jsonl")
    #expect(new.status == 3)
    #expect(
      new.errors.contains(
        "error: new.jsonl:3: Person 4 (id 4) breaks the rule Person.adult: A member is at least 18. (age >= 18). Nothing was stored. [STR5050]"
      ), "\(new.errors)")
    // The last line that has changed the object.
    try write("change.jsonl", "{\"id\": 2, \"age\": 9}\n{\"id\": 1, \"age\": 20}\n{\"id\": 2}\n")
    let change = try importing("change.jsonl")
    #expect(change.errors.contains("error: change.jsonl:3: Person 2 (id 2)"), "\(change.errors)")
    let inspection = try run.strata("inspect", "a.db", "--json").firstFile
    #expect((inspection["counts"] as? [String: Int])?["Person"] == 2)
  }

  /// Sample objects keep the rules of their version, and so does what the proof is made with.
  @Test func samplesKeepTheRules() throws {
    try declare(
      0,
      rules:
        "adult: age >= 18, odd: age % 2 == 1 OR age > 30, most: age <= max(Person.age), many: Person.@count >= 0"
    )
    #expect(try run.strata("freeze").status == 0)
    #expect(try run.strata("create", "a.db", "--sample", "300").status == 0)
    #expect(try run.strata("inspect", "a.db", "--rules").status == 0)
    let count =
      (try run.strata("inspect", "a.db", "--json").firstFile["counts"] as? [String: Int])?["Person"]
    #expect(count == 300)
    try declare(1, rules: "adult: age >= 18")
    #expect(try run.strata("freeze").status == 0)
    let proof = try run.strata("verify")
    #expect(proof.status == 0, "\(proof.output)\(proof.errors)")
    #expect(proof.output.contains("every path gives the same data"))
  }
}
