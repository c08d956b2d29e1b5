import Foundation
import StrataSchema
import Testing

/// What a history must be protected from, each in a real git repository and with the built command.
@Suite("In a git repository, `strata check` finds")
struct GitScenarioTests {
  let run: CommandRunner

  /// Versions 1 to 3 of a person, frozen and committed on main.
  init() throws {
    run = try CommandRunner()
    try git("init -q -b main && git config user.name a && git config user.email a@b")
    try declare(1, "name: string")
    try freeze()
    try declare(2, "name: string, age: int?")
    try freeze()
    try declare(3, "name: string, age: int")
    try write("migrations/3.yaml", "to: 3\nset: { Person: { age: old.age ?? 0 } }\n")
    try freeze()
    try commit()
  }

  @Test("nothing in a clean one: exit 0 and one line")
  func clean() throws {
    for arguments in [
      ["check"], ["check", "--against", "git:main"], ["check", "--against", "v2"],
    ] {
      let result = try run.strata(arguments)
      #expect(result.status == 0)
      #expect(result.output == "check: ok\n")
      #expect(result.errors == "")
    }
  }

  @Test("an edited old version")
  func edited() throws {
    try replace("schemas/versions/2.yaml", "age: int?", "age: int8?")
    #expect(try found().contains("STR4001 schemas/versions/2.yaml:2:10"))
    // Sealed again, so that only git knows what it was.
    try shell("strata freeze --repair")
    #expect(try found() == [])
    #expect(try found(against: "git:main") == ["STR4001 schemas/versions/2.yaml:2:10"])
  }

  @Test("a deleted old version")
  func deleted() throws {
    try shell("git rm -q schemas/versions/2.yaml")
    #expect(try found().contains("STR4004 schemas/schema.lock:3:1"))
    try write("migrations/3.yaml", "to: 3\n")
    try shell("strata freeze --repair")
    #expect(try found(against: "git:main").contains("STR4004 schemas/schema.lock:3:1"))
  }

  @Test("a deleted newest version, and all of them")
  func deletedNewest() throws {
    try shell("git rm -q schemas/versions/3.yaml && sed -i.old 4d schemas/schema.lock")
    #expect(try found(against: "git:main").contains("STR4004 schemas/schema.lock:3:1"))
    try shell("git rm -qr schemas/versions schemas/schema.lock -f && rm -rf schemas/versions")
    let all = try found(against: "git:main").filter { $0.hasPrefix("STR4004") }
    #expect(
      all == [
        "STR4004 schemas/People.yaml:2:10", "STR4004 schemas/People.yaml:2:10",
        "STR4004 schemas/People.yaml:2:10",
      ])
    // What main froze since is not missing on a branch that is behind.
    try shell("git reset -q --hard && git branch behind")
    try declare(4, "name: string, age: int, email: string?")
    try freeze()
    try commit()
    try shell("git checkout -q behind")
    #expect(try found(against: "git:main") == [])
  }

  @Test("a swapped pair of versions")
  func swapped() throws {
    try shell(
      """
      cd schemas/versions
      sed 's/version: 2/version: 1/' 2.yaml > new && sed 's/version: 1/version: 2/' 1.yaml > 2.yaml
      mv new 1.yaml
      """)
    let codes = try found()
    #expect(codes.contains("STR4001 schemas/versions/1.yaml:2:10"))
    #expect(codes.contains("STR4001 schemas/versions/2.yaml:2:10"))
  }

  @Test("a swapped pair of files, and of lines of the lock")
  func swappedLines() throws {
    try shell("cd schemas/versions && mv 1.yaml x && mv 2.yaml 1.yaml && mv x 2.yaml")
    #expect(try found().contains("STR4102 schemas/versions/1.yaml:2:10"))
    try shell("git checkout -q . && sed -i.old '2{h;d;};3{G;}' schemas/schema.lock")
    #expect(try found().contains("STR4002 schemas/schema.lock:3:1"))
  }

  @Test("a lost line of the lock")
  func lostLine() throws {
    try shell("sed -i.old 3d schemas/schema.lock")
    let codes = try found()
    #expect(codes.contains("STR4002 schemas/schema.lock:3:1"))
    #expect(codes.contains("STR4002 schemas/versions/2.yaml:2:10"))
  }

  // MARK: Forks

  /// Version 4 on the branch `ours`, and a version on main; ours is checked out.
  private func fork(theirs: Int = 4) throws {
    try shell("git checkout -q -b ours")
    try declare(4, "name: string, age: int, email: string?")
    try freeze()
    try commit()
    try shell("git checkout -q main")
    try declare(theirs, "name: string, age: int, phone: string?")
    try freeze()
    try commit()
    try shell("git checkout -q ours")
  }

  @Test("a fork before it is merged")
  func forkAhead() throws {
    try fork()
    #expect(try found() == [])
    #expect(try found(against: "git:main") == ["STR4003 schemas/schema.lock:5:1"])
  }

  @Test("a fork that git could not merge")
  func forkInConflict() throws {
    try fork()
    try shell("! git merge -q --no-edit main")
    #expect(try found().contains { $0.hasPrefix("STR4003 schemas/schema.lock") })
  }

  @Test("a fork that a merge driver has merged cleanly: both lines are there")
  func forkByUnion() throws {
    try write(".gitattributes", "schemas/** merge=union\n")
    try commit()
    try fork()
    try shell("git merge -q --no-edit main")
    #expect(try found().contains("STR4003 schemas/schema.lock:6:1"))
    #expect(try found(against: "git:main").contains("STR4003 schemas/schema.lock:6:1"))
  }

  @Test("a fork that froze different numbers, merged cleanly", arguments: [5, 7])
  func forkOfOtherNumbers(theirs: Int) throws {
    try write(".gitattributes", "*.lock merge=union\n*.yaml merge=union\n")
    try commit()
    try fork(theirs: theirs)
    try shell("git merge -q --no-edit main")
    #expect(try found().contains { $0.hasPrefix("STR4003 schemas/schema.lock:6:1") })
    // The other way round the lines stand the other way round.
    try shell("git checkout -q main && git merge -q --no-edit ours~1 && git reset -q --hard ours^2")
    try shell("git merge -q --no-edit ours^1")
    #expect(try found().contains { $0.hasPrefix("STR4003 schemas/schema.lock:6:1") })
  }

  @Test("a fork that was merged cleanly by taking one side")
  func forkByOneSide() throws {
    try fork()
    try shell("git merge -q --no-edit -X ours main")
    #expect(try found(against: "git:main").contains { $0.hasPrefix("STR4003 schemas/schema.lock") })
  }

  @Test("declarations that are gone, two files of one version, a baseline that is none")
  func gone() throws {
    try shell("mv schemas/People.yaml aside")
    #expect(try found() == ["STR4005 schemas/versions/3.yaml:2:10"])
    try shell("mv aside schemas/People.yaml && cp schemas/versions/2.yaml schemas/versions/2.yml")
    #expect(try found() == ["STR4101 schemas/versions/2.yml:2:10"])
    try shell("rm schemas/versions/2.yml")
    #expect(
      try run.strata("check", "--against", "v99").errors
        == "error: there is no frozen version 99.\n")
    #expect(try run.strata("check", "--against", "main").status == 64)
    // The folder has moved, and the other side's is found by its lock.
    try shell("git mv schemas elsewhere")
    let moved = try run.strata("check", "--against", "git:main", "--schemas", "elsewhere")
    #expect(!moved.errors.contains("git:main has nothing"), "\(moved.errors)")
    // A folder that the other side does not have.
    try shell("git mv elsewhere schemas && cp -R schemas copy")
    let copied = try run.strata("check", "--against", "git:main", "--schemas", "copy")
    #expect(copied.errors.contains("git:main has nothing in copy"), "\(copied.errors)")
  }

  @Test("nothing where line ends, folders' names and links are others")
  func unusual() throws {
    for file in [
      "schemas/People.yaml", "schemas/schema.lock", "schemas/versions/2.yaml", "migrations/3.yaml",
    ] {
      try shell("sed -i.old 's/$/\\r/' \(file) && rm \(file).old")
    }
    #expect(try found(against: "git:main") == [])
    try shell(
      "mkdir 'deep ü folder' && git mv schemas 'deep ü folder/schemas' && git mv migrations 'deep ü folder'"
    )
    try commit()
    try shell(
      "cd 'deep ü folder' && strata check --against git:HEAD && strata diff git:HEAD v3 --exit-code"
    )
    try shell(
      "ln -s 'deep ü folder/schemas' schemas && ln -s 'deep ü folder/migrations' migrations")
    #expect(try found(against: "git:HEAD") == [])
    try shell("git checkout -q --detach && strata check --against git:main")
    try shell(
      "git worktree add -q inner && cd 'inner/deep ü folder' && strata check --against git:main")
  }

  @Test("the same in a hook of a linked work tree, whatever git says there of its folders")
  func hook() throws {
    try shell("mkdir deep && git mv schemas migrations deep")
    try commit()
    try write(
      ".git/hooks/pre-commit", "#!/bin/sh\ncd deep && exec strata check --against git:HEAD\n")
    try shell("chmod +x .git/hooks/pre-commit && git worktree add -q linked")
    try shell(
      """
      cd linked && sed -i.old 's/age: int?/age: int8?/' deep/schemas/versions/2.yaml
      (cd deep && strata freeze --repair)
      git add -A && ! git commit -q -m edited > out 2>&1
      grep -q STR4001 out
      """)
    try shell("cd deep && GIT_DIR=../.git GIT_WORK_TREE=.. strata check --against git:main")
  }

  // MARK: Changes

  @Test("an unbumped change")
  func unbumped() throws {
    try declare(3, "name: string, age: int, email: string?")
    #expect(try found() == ["STR4005 schemas/People.yaml:2:10"])
    #expect(try run.strata("check", "--fail-on", "warning").status == 1)
  }

  @Test("a required property without a default")
  func required() throws {
    try declare(4, "name: string, age: int, region: uuid")
    #expect(try found() == ["STR3202 schemas/People.yaml:5:43"])
    #expect(try run.strata("check").status == 1)
  }

  @Test("an undeclared rename")
  func rename() throws {
    try declare(4, "fullName: string, age: int")
    #expect(try found() == ["STR3204 schemas/People.yaml:5:19"])
    try write("migrations/4.yaml", "to: 4\nrename: { Person.name: fullName }\n")
    #expect(try found() == [])
  }

  // MARK: A project

  private func git(_ command: String) throws { try shell("git " + command) }

  private func commit() throws { try shell("git add -A && git commit -q -m change") }

  private func freeze() throws { try shell("strata freeze --date 2026-11-21") }

  private func shell(_ script: String) throws {
    let result = try run.shell("set -e\n" + script)
    #expect(result.status == 0, "\(script)\n\(result.output)\(result.errors)")
  }

  private func write(_ name: String, _ text: String) throws {
    let file = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func replace(_ name: String, _ text: String, _ other: String) throws {
    let file = run.folder.appendingPathComponent(name)
    let old = try String(contentsOf: file, encoding: .utf8)
    try write(name, old.replacingOccurrences(of: text, with: other))
  }

  private func declare(_ version: Int, _ properties: String) throws {
    try write(
      "schemas/People.yaml",
      "schema: People\nversion: \(version)\nmodels:\n  Person:\n    properties: { \(properties) }\n"
    )
  }

  /// Code and place of each finding, without hints.
  private func found(against: String? = nil) throws -> [String] {
    let result = try run.strata(["check", "--json"] + (against.map { ["--against", $0] } ?? []))
    let findings = try JSON.parse(result.output)["findings"]?.array ?? []
    let isFailure = findings.contains { $0["severity"]?.string == "error" }
    #expect(result.status == (isFailure ? 1 : 0))
    return findings.filter { $0["severity"]?.string != "info" }.map {
      "\($0["code"]?.string ?? "") \($0["file"]?.string ?? ""):\($0["line"]?.int ?? 0):\($0["column"]?.int ?? 0)"
    }
  }
}
