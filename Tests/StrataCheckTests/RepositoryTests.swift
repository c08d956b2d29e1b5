import StrataEvolution
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Checking in a git repository")
struct RepositoryTests {
  @Test("A clean repository has no findings")
  func clean() throws {
    let repository = try Repository.example()
    #expect(try repository.findings() == [])
    #expect(try repository.findings(against: "git:HEAD") == [])
    #expect(try repository.findings(against: "v2") == [])
  }

  @Test("An edited old version")
  func edited() throws {
    let repository = try Repository.example()
    let text = try repository.read("schemas/versions/2.yaml")
    try repository.write("schemas/versions/2.yaml", text.replacing("age: int?", with: "age: int8?"))
    #expect(try repository.findings().contains("STR4001 schemas/versions/2.yaml:2:10"))
  }

  @Test("An old version that was edited and sealed again is found against main")
  func editedAndSealed() throws {
    let repository = try Repository.example()
    let text = try repository.read("schemas/versions/2.yaml")
    try repository.write("schemas/versions/2.yaml", text.replacing("age: int?", with: "age: int8?"))
    let project = try repository.project
    try project.write(
      try project.freeze(lenient: nil, checksSeal: false).plan(repairingOn: "2027-01-01"))
    #expect(try repository.findings() == [])
    #expect(
      try repository.findings(against: "git:main") == ["STR4001 schemas/versions/2.yaml:2:10"])
  }

  @Test("Two cases that swapped their raw values, in the declarations and in a frozen version")
  func swappedCases() throws {
    let repository = try Repository.withLevels()
    let declared = try repository.read("schemas/People.yaml")
    try repository.write(
      "schemas/People.yaml", declared.replacing("low: 1, high: 10", with: "low: 10, high: 1"))
    let found = [
      "STR3803 schemas/People.yaml:9:14", "STR3803 schemas/People.yaml:9:23",
      "STR4005 schemas/People.yaml:2:10",
    ]
    #expect(try repository.findings().sorted() == found)
    #expect(try repository.findings(against: "git:main").sorted() == found)

    try repository.write("schemas/People.yaml", declared)
    try repository.swapFrozenLevels()
    #expect(try repository.findings().contains("STR4001 schemas/versions/1.yaml:2:10"))
    let project = try repository.project
    try project.write(
      try project.freeze(lenient: nil, checksSeal: false).plan(repairingOn: "2027-01-01"))
    #expect(!(try repository.findings().contains("STR4001 schemas/versions/1.yaml:2:10")))
    #expect(
      try repository.findings(against: "git:main").contains("STR4001 schemas/versions/1.yaml:2:10"))
  }

  @Test("A lock that says nothing of cases is good as it is, and files are compared")
  func sealedWithoutCases() throws {
    let repository = try Repository.withLevels()
    let line = try #require(
      try repository.project.freeze(lenient: nil, checksSeal: true).lock.lines.first)
    #expect(line.cases != nil)
    let earlier = VersionLock(lines: [
      VersionLock.Line(version: 1, date: line.date, shape: line.shape, step: nil, after: nil)
    ])
    try repository.write("schemas/schema.lock", earlier.text)
    try repository.commit()
    #expect(try repository.findings(against: "git:main") == [])
    let project = try repository.project
    let repair = try project.freeze(lenient: nil, checksSeal: false).plan(repairingOn: "2027-01-01")
    #expect(repair.changesNothing)

    try repository.swapFrozenLevels()
    #expect(
      try repository.findings(against: "git:main").contains("STR4001 schemas/versions/1.yaml:2:10"))
  }

  @Test("A version that was given another day and sealed again is found against main")
  func dated() throws {
    let repository = try Repository.example()
    let lock = try repository.read("schemas/schema.lock")
    try repository.write(
      "schemas/schema.lock",
      lock.replacing("3 date=2026-11-21", with: "3 date=2026-12-31"))
    let project = try repository.project
    try project.write(
      try project.freeze(lenient: nil, checksSeal: false).plan(repairingOn: "2027-01-01"))
    #expect(try repository.findings() == [])
    #expect(
      try repository.findings(against: "git:main") == ["STR4001 schemas/schema.lock:4:1"])
  }

  @Test("Two branches froze the same on different days")
  func forkOfDays() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(4, "name: string, age: int, email: string?")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "-b", "theirs", "main")
    try repository.freeze(4, "name: string, age: int, email: string?", on: "2026-11-22")
    try repository.commit("theirs")
    #expect(try repository.findings(against: "git:ours") == ["STR4003 schemas/schema.lock:5:1"])
  }

  @Test(
    "Two branches froze different numbers behind the same version",
    arguments: [(4, 5), (5, 4), (4, 7)])
  func forkOfNumbers(ours: Int, theirs: Int) throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(ours, "name: string, age: int, email: string?")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(theirs, "name: string, age: int, phone: string?")
    try repository.commit("theirs")
    // A branch that has nothing of its own is only behind.
    try repository.git("checkout", "-q", "-b", "behind", "main~1")
    #expect(try repository.findings(against: "git:main") == [])

    try repository.git("checkout", "-q", "ours")
    #expect(try repository.findings(against: "git:main") == ["STR4003 schemas/schema.lock:5:1"])
    let project = try repository.project
    try project.write(try project.plan(rebasingOnto: "git:main"))
    try repository.declare(theirs + 1, "name: string, age: int, email: string?, phone: string?")
    #expect(try repository.findings(against: "git:main") == [])
  }

  @Test("A fork of different numbers is found where git knows no common commit")
  func forkInShallowClone() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(4, "name: string, age: int, email: string?")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(5, "name: string, age: int, phone: string?")
    try repository.commit("theirs")
    let clone = Repository(at: repository.path + "-clone")
    _ = try Subprocess.run(
      "git", ["clone", "-q", "--depth=1", "-b", "ours", "file://" + repository.path, clone.path])
    try clone.git("fetch", "-q", "--depth=1", "origin", "main")
    #expect(
      try clone.findings(against: "git:FETCH_HEAD") == ["STR4003 schemas/schema.lock:5:1"])
  }

  @Test("A deleted version")
  func deleted() throws {
    let repository = try Repository.example()
    try repository.remove("schemas/versions/2.yaml")
    #expect(try repository.findings().contains("STR4004 schemas/schema.lock:3:1"))
  }

  @Test("A deleted version whose line is gone, too, is found against main")
  func deletedAndSealed() throws {
    let repository = try Repository.example()
    try repository.remove("schemas/versions/2.yaml")
    try repository.write("migrations/3.yaml", "to: 3\n")
    let project = try repository.project
    try project.write(
      try project.freeze(lenient: nil, checksSeal: false).plan(repairingOn: "2027-01-01"))
    #expect(
      try repository.findings(against: "git:main").contains("STR4004 schemas/schema.lock:3:1"))
  }

  @Test("A swapped pair of versions, and of lines")
  func swapped() throws {
    let repository = try Repository.example()
    let (one, two) = (
      try repository.read("schemas/versions/1.yaml"), try repository.read("schemas/versions/2.yaml")
    )
    try repository.write("schemas/versions/1.yaml", two)
    try repository.write("schemas/versions/2.yaml", one)
    #expect(
      try repository.findings().prefix(2) == [
        "STR4102 schemas/versions/1.yaml:2:10", "STR4102 schemas/versions/2.yaml:2:10",
      ])
    try repository.write("schemas/versions/1.yaml", two.replacing("version: 2", with: "version: 1"))
    try repository.write("schemas/versions/2.yaml", one.replacing("version: 1", with: "version: 2"))
    let codes = try repository.findings().map { $0.prefix(7) }
    #expect(codes.filter { $0 == "STR4001" }.count == 2)

    let lines = try Repository.example()
    let lock = try lines.read("schemas/schema.lock").split(separator: "\n")
    try lines.write(
      "schemas/schema.lock", [lock[0], lock[2], lock[1], lock[3]].joined(separator: "\n") + "\n")
    #expect(try lines.findings().contains { $0.hasPrefix("STR4002 schemas/schema.lock:3") })
  }

  @Test("A lost line of the lock, and a lost lock")
  func lostLine() throws {
    let repository = try Repository.example()
    let lock = try repository.read("schemas/schema.lock").split(separator: "\n")
    try repository.write(
      "schemas/schema.lock", [lock[0], lock[1], lock[3]].joined(separator: "\n") + "\n")
    let found = try repository.findings()
    #expect(found.contains("STR4002 schemas/schema.lock:3:1"))
    #expect(found.contains("STR4002 schemas/versions/2.yaml:2:10"))
    try repository.remove("schemas/schema.lock")
    #expect(try repository.findings().contains("STR4002 schemas/versions/1.yaml:1:1"))
  }

  @Test(
    "Two branches froze the same number: found in conflict, after a careless merge, and against main"
  )
  func fork() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(4, "name: string, age: int, email: string?")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(4, "name: string, age: int, phone: string?")
    try repository.commit("theirs")

    try repository.git("checkout", "-q", "ours")
    #expect(try repository.findings() == [])
    #expect(try repository.findings(against: "git:main") == ["STR4003 schemas/schema.lock:5:1"])

    // Both lines, as a merge driver that keeps both would leave them.
    let theirs = try repository.git("show", "main:schemas/schema.lock").split(separator: "\n")
    try repository.write(
      "schemas/schema.lock",
      try repository.read("schemas/schema.lock") + (theirs.last ?? "") + "\n")
    #expect(try repository.findings().contains("STR4003 schemas/schema.lock:6:1"))

    #expect(throws: CommandFailure.self) { try repository.git("merge", "-q", "--no-edit", "main") }
    try repository.git("checkout", "-q", "--force", "ours")
    _ = try? repository.git("merge", "-q", "--no-edit", "main")
    let lock = try repository.read("schemas/schema.lock")
    #expect(lock.contains("<<<<<<<"))
    #expect(try repository.findings().contains { $0.hasPrefix("STR4003 schemas/schema.lock") })
  }

  @Test("Rebasing puts our version on top of theirs, and the result is clean")
  func rebase() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(
      4, "fullName: string, age: int", step: "rename: { Person.name: fullName }")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(4, "name: string, age: int, phone: string?")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")

    let project = try repository.project
    try project.write(try project.plan(rebasingOnto: "git:main"))
    try repository.declare(5, "fullName: string, age: int, phone: string?")
    #expect(try repository.findings() == [])
    #expect(try repository.findings(against: "git:main") == [])
    #expect(
      try repository.read("migrations/5.yaml") == "to: 5\nrename: { Person.name: fullName }\n")
    #expect(!FileManager.default.fileExists(atPath: repository.path + "/migrations/4.yaml"))
    #expect(
      try repository.read("schemas/versions/4.yaml")
        == (try repository.git("show", "main:schemas/versions/4.yaml")))
  }

  /// What our version 4 and theirs say: properties and a step. Both came from `name: string, age: int`.
  struct Fork: CustomTestStringConvertible {
    var name: String
    var ours: (properties: String, step: String?)
    var theirs: (properties: String, step: String?)
    var testDescription: String { name }

    init(
      _ name: String, ours: (properties: String, step: String?),
      theirs: (properties: String, step: String?)
    ) {
      self.name = name
      self.ours = ours
      self.theirs = theirs
    }

    /// Rebases ours on theirs, which was frozen on another day.
    func rebased() throws -> Repository {
      let repository = try Repository.example()
      try repository.git("checkout", "-q", "-b", "ours")
      try repository.freeze(4, ours.properties, step: ours.step)
      try repository.commit("ours")
      try repository.git("checkout", "-q", "main")
      try repository.freeze(4, theirs.properties, step: theirs.step, on: "2026-11-22")
      try repository.commit("theirs")
      try repository.git("checkout", "-q", "ours")
      let project = try repository.project
      try project.write(try project.plan(rebasingOnto: "git:main"))
      return repository
    }
  }

  private static let rejected =
    "our versions do not go on top of theirs, because `\(Tool.name) check` would reject them: "

  @Test(
    "What both changed in different ways is named, and nothing is written",
    arguments: [
      (
        Fork(
          "renamed differently",
          ours: ("fullName: string, age: int", "rename: { Person.name: fullName }"),
          theirs: ("title: string, age: int", "rename: { Person.name: title }")),
        "our step renames 'Person.name' to 'fullName', and theirs renames it to 'title'"
      ),
      (
        Fork(
          "renamed and dropped",
          ours: ("fullName: string, age: int", "rename: { Person.name: fullName }"),
          theirs: ("age: int", "drop: [Person.name]")),
        "our step renames 'Person.name' to 'fullName', and theirs drops it"
      ),
      (
        Fork(
          "dropped and renamed", ours: ("age: int", "drop: [Person.name]"),
          theirs: ("fullName: string, age: int", "rename: { Person.name: fullName }")),
        "our step drops 'Person.name', and theirs renames it to 'fullName'"
      ),
      (
        Fork(
          "read and dropped",
          ours: ("name: string, age: int, c: string", "set: { Person: { c: old.name } }"),
          theirs: ("age: int", "drop: [Person.name]")),
        Self.rejected
          + "'Person' has no property 'name' [STR6101]"
      ),
      (
        Fork(
          "set differently",
          ours: ("name: string, age: int, c: int", "set: { Person: { c: old.age } }"),
          theirs: ("name: string, age: int, c: int", "set: { Person: { c: 1 } }")),
        "both steps set 'Person.c', in different ways"
      ),
      (
        Fork(
          "set once",
          ours: ("name: string, age: int, c: int?", "set: { Person: { c: old.age } }"),
          theirs: ("name: string, age: int, c: int?", nil)),
        "'Person.c' is new in theirs, too, and only our step sets it"
      ),
    ])
  func conflict(fork: Fork, sentence: String) throws {
    let error = try #require(throws: FreezeError.self) { try fork.rebased() }
    #expect(error.code == "STR4003")
    #expect(error.message == sentence)
  }

  @Test(
    "What both did is done once",
    arguments: [
      (
        Fork(
          "dropped",
          ours: ("age: int, b: int?", "drop: [Person.name] # given up"),
          theirs: ("age: int, c: int?", "drop: [Person.name]")),
        "age: int, b: int?, c: int?", "to: 5\ndrop: [] # given up\n"
      ),
      (
        Fork(
          "renamed, and more",
          ours: (
            "fullName: string, years: int",
            "rename:\n  # as in the form\n  Person.name: fullName\n  Person.age: years"
          ),
          theirs: ("fullName: string, age: int", "rename: { Person.name: fullName }")),
        "fullName: string, years: int", "to: 5\nrename:\n  Person.age: years\n"
      ),
      (
        Fork(
          "set",
          ours: (
            "name: string, c: int", "set:\n  Person:\n    c: old.age\ndrop:\n- Person.age"
          ),
          theirs: ("name: string, age: int, c: int", "set: { Person: { c: old.age } }")),
        "name: string, c: int", "to: 5\ndrop:\n- Person.age\n"
      ),
    ])
  func doneOnce(fork: Fork, merged: String, step: String) throws {
    let repository = try fork.rebased()
    #expect(try repository.read("migrations/5.yaml") == step)
    try repository.declare(5, merged)
    #expect(try repository.findings() == [])
    #expect(try repository.findings(against: "git:main") == [])
  }

  @Test("A version that both froze, on different days, is theirs")
  func frozenTwice() throws {
    let same = ("fullName: string, age: int", "rename: { Person.name: fullName }" as String?)
    let repository = try Fork("renamed", ours: same, theirs: same).rebased()
    #expect(try repository.findings(against: "git:main") == [])
    #expect(
      try repository.read("schemas/schema.lock")
        == (try repository.git("show", "main:schemas/schema.lock")))
    #expect(!FileManager.default.fileExists(atPath: repository.path + "/migrations/5.yaml"))
  }

  @Test("An index over what theirs dropped, a removed case that theirs uses: conflicts, too")
  func conflictsOfSchemas() throws {
    func message(_ base: String, ours: String, theirs: String, step: String?) throws -> String {
      let repository = try Repository()
      func freeze(_ version: Int, _ text: String) throws {
        try repository.write(
          "schemas/People.yaml", "schema: People\nversion: \(version)\n\(text)\n")
        let project = try repository.project
        try project.write(
          try project.freeze(lenient: nil, checksSeal: true).plan(
            freezing: try project.compile().schema, date: "2026-11-21"))
        try repository.commit()
      }
      try freeze(0, base)
      try repository.git("checkout", "-q", "-b", "ours")
      try freeze(1, ours)
      try repository.git("checkout", "-q", "main")
      if let step { try repository.write("migrations/1.yaml", "to: 1\n\(step)\n") }
      try freeze(1, theirs)
      try repository.git("checkout", "-q", "ours")
      return try #require(throws: FreezeError.self) {
        try repository.project.plan(rebasingOnto: "git:main")
      }.message
    }
    #expect(
      try message(
        "models: { P: { properties: { a: int, b: int } } }",
        ours: "models: { P: { indexes: [[a, b]], properties: { a: int, b: int } } }",
        theirs: "models: { P: { properties: { b: int } } }", step: "drop: [P.a]"
      ).hasPrefix(Self.rejected + "'P' has no property 'a'"))
    // The same shape, and two names of one value.
    func level(_ cases: String) -> String {
      "models: { P: { properties: { e: E } } }\nenums: { E: { type: string, cases: { \(cases) } } }"
    }
    #expect(
      try message(
        level("low: l"), ours: level("low: l, mid: m"), theirs: level("low: l, medium: m"),
        step: nil
      ).hasPrefix(Self.rejected))
    let enums = "enums: { E: { type: string, cases: [a, b] } }"
    #expect(
      try message(
        "models: { P: { properties: { a: int } } }\n\(enums)",
        ours:
          "models: { P: { properties: { a: int } } }\nenums: { E: { type: string, cases: [a] } }",
        theirs: "models: { P: { properties: { a: int, e: 'E?' } } }\n\(enums)", step: nil)
        == Self.rejected + "'E.b' is removed; objects may hold 'b' [STR3801]")
  }

  @Test("Rebasing in the middle of a merge takes both sides from git, with their steps")
  func rebaseWithinMerge() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(
      4, "fullName: string, age: int", step: "rename: { Person.name: fullName }")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(
      4, "name: string, age: int8", step: "set: { Person: { age: int8(old.age) ?? 0 } }")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    #expect(throws: CommandFailure.self) { try repository.project.plan(rebasingOnto: nil) }
    _ = try? repository.git("merge", "-q", "--no-edit", "main")

    let project = try repository.project
    try project.write(try project.plan(rebasingOnto: nil))
    try repository.declare(5, "fullName: string, age: int8")
    #expect(try repository.findings(against: "git:main") == [])
    #expect(
      try repository.read("migrations/4.yaml")
        == (try repository.git("show", "main:migrations/4.yaml")))
    #expect(
      try repository.read("migrations/5.yaml") == "to: 5\nrename: { Person.name: fullName }\n")
  }

  @Test("A released version is frozen again only for a reason, which its seal keeps")
  func amendReleased() throws {
    let repository = try Repository.example()
    try repository.declare(3, "name: string, age: int, email: string?")
    let project = try repository.project
    let freeze = try project.freeze(lenient: 3, checksSeal: false)
    let working = try project.compile().schema
    let released = try project.released("git:main")
    let error = try #require(throws: FreezeError.self) {
      try freeze.plan(amendingWith: working, released: released)
    }
    #expect(error.code == "STR4001")
    #expect(try freeze.plan(amendingWith: working, released: project.released(nil)).version == 3)

    try project.write(
      try freeze.plan(amendingWith: working, released: released, because: "nobody has it"))
    #expect(
      try repository.read("schemas/schema.lock").contains(" because=\"nobody has it\" chain="))
    #expect(try repository.findings() == [])
    #expect(try repository.findings(against: "git:main") == [])
    let lock = try repository.read("schemas/schema.lock")
    try repository.write("schemas/schema.lock", lock.replacing("nobody", with: "somebody"))
    #expect(try repository.findings() == ["STR4002 schemas/schema.lock:4:1"])
  }

  @Test("A side of a diff is a folder or file of a revision, too, and knows its steps")
  func revisionPaths() throws {
    let repository = try Repository.example()
    let sides = SchemaSides(project: try repository.project, folders: FolderOptions())
    for name in ["git:main:schemas/versions/2.yaml", "git:HEAD:schemas/versions/2.yaml"] {
      let comparison = try sides.compare(
        try sides.side(name), try sides.side("git:main:schemas"))
      #expect(comparison.changes.map(\.change.kind.code) == ["STR3401"])
      #expect(comparison.changes.map(\.isCovered) == [true])
    }
    #expect(throws: CommandFailure.self) {
      try sides.side("git:main:none")
    }
  }

  @Test("An unbumped change")
  func unbumped() throws {
    let repository = try Repository.example()
    try repository.declare(3, "name: string, age: int, email: string?")
    #expect(try repository.findings() == ["STR4005 schemas/People.yaml:2:10"])
  }

  @Test("A required property without a default, an undeclared rename")
  func changes() throws {
    let repository = try Repository.example()
    try repository.declare(4, "name: string, age: int, region: uuid")
    #expect(try repository.findings() == ["STR3202 schemas/People.yaml:5:43"])
    try repository.declare(4, "fullName: string, age: int")
    #expect(try repository.findings() == ["STR3204 schemas/People.yaml:5:19"])
  }

  @Test("A step that was edited after it was sealed")
  func editedStep() throws {
    let repository = try Repository.example()
    try repository.write(
      "migrations/3.yaml",
      "# a comment changes nothing\nto: 3\nset:\n  Person: { age: old.age  ?? 0 }\n")
    #expect(try repository.findings() == [])
    try repository.write("migrations/3.yaml", "to: 3\nset: { Person: { age: old.age ?? 1 } }\n")
    #expect(try repository.findings() == ["STR4007 migrations/3.yaml:1:5"])
  }

  // MARK: git

  @Test("A linked work tree reads the same objects")
  func workTree() throws {
    let repository = try Repository.example()
    let linked = repository.path + "/linked"
    try repository.git("worktree", "add", "-q", linked)
    let other = Repository(at: linked)
    try other.declare(4, "name: string")
    #expect(try other.findings(against: "git:main") == ["STR3203 schemas/People.yaml:4:3"])
  }

  @Test("A shallow clone reads what it has, and says how to get what it has not")
  func shallow() throws {
    let repository = try Repository.example()
    try repository.declare(4, "name: string, age: int, email: string?")
    try repository.commit()
    let clone = Repository(at: repository.path + "-clone")
    _ = try Subprocess.run(
      "git", ["clone", "-q", "--depth=1", "file://" + repository.path, clone.path])
    #expect(try clone.findings(against: "git:HEAD") == [])
    let error = try #require(throws: CommandFailure.self) {
      try clone.findings(against: "git:v1.0")
    }
    #expect(
      error.message == "git has no revision 'v1.0' in this shallow clone. "
        + "Fetch it with 'git fetch --depth=1 origin v1.0' and name FETCH_HEAD.")
  }

  /// What the message says is done, and the revision is there as it was named, or as FETCH_HEAD.
  @Test(
    "The command that fetches a missing revision does",
    arguments: ["--depth=1", "--single-branch"],
    ["origin/other", "other", "v1.0", "HEAD~1", "origin/main~1", "refs/remotes/origin/other"])
  func fetched(_ kind: String, _ name: String) throws {
    let repository = try Repository.example()
    try repository.git("commit", "-q", "--allow-empty", "-m", "more")
    try repository.git("branch", "other", "HEAD~1")
    try repository.git("tag", "v1.0", "HEAD~1")
    let clone = Repository(at: repository.path + "-clone")
    _ = try Subprocess.run(
      "git",
      ["clone", "-q", kind, "--no-tags", "file://" + repository.path, clone.path])
    var named = name
    do {
      _ = try clone.findings(against: "git:" + name)
    } catch let error as CommandFailure {
      let parts = error.message.split(separator: "'").map(String.init)
      try #require(parts.count > 3, "\(error.message)")
      let command = parts[3].split(separator: " ").dropFirst().map(String.init)
      let run = try Subprocess.run("git", ["-C", clone.path] + command)
      #expect(run.status == 0, "\(error.message)")
      if error.message.hasSuffix("and name FETCH_HEAD.") { named = "FETCH_HEAD" }
    }
    #expect(throws: Never.self) { try clone.findings(against: "git:" + named) }
  }

  @Test("What no command fetches has no advice")
  func withoutAdvice() throws {
    let repository = try Repository.example()
    for (name, rest) in [
      ("FETCH_HEAD", " It is there once something was fetched: 'git fetch origin BRANCH'."),
      ("ORIG_HEAD", ""), ("HEAD~99", ""), ("other", ""),
    ] {
      let error = try #require(throws: CommandFailure.self) {
        try repository.findings(against: "git:" + name)
      }
      #expect(error.message == "git has no revision '\(name)' here.\(rest)")
    }
  }

  @Test("A revision that is not there, a folder without git, a name that is none")
  func missing() throws {
    let repository = try Repository.example()
    func message(_ name: String, _ repository: Repository) throws -> String {
      try #require(throws: CommandFailure.self) { try repository.findings(against: name) }.message
    }
    #expect(try message("git:nowhere", repository) == "git has no revision 'nowhere' here.")
    #expect(try message("git:--all", repository) == "'--all' is no revision of git.")
    #expect(
      try message("main", repository) == "'main' is neither git:REVISION nor a version such as v3.")
    try FileManager.default.removeItem(atPath: repository.path + "/.git")
    #expect(
      try message("git:HEAD", repository)
        == "git:HEAD needs a git repository, and this folder is in none.")
  }

  @Test("A folder that was there at the revision and is gone now is read")
  func goneFolder() throws {
    let repository = try Repository.example()
    try repository.remove("migrations")
    let project = try repository.project
    let revision = try GitRevision("HEAD", of: project.schemasPath)
    #expect(
      try revision.files(in: project.migrationsPath, extensions: ["yaml"]).map(\.name) == ["3.yaml"]
    )
    #expect(
      try revision.files(in: project.schemasPath + "/versions", extensions: ["yaml"]).count == 3)
    #expect(try revision.files(in: repository.path + "/nothing", extensions: ["yaml"]).isEmpty)
  }
}
