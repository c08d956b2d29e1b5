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
    try repository.sealAgain()
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
    try repository.sealAgain()
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
    try repository.sealAgain()
    #expect(try repository.findings() == [])
    #expect(
      try repository.findings(against: "git:main") == ["STR4001 schemas/schema.lock:4:1"])
  }

  @Test("A name in another Unicode normalisation than before is refused, under a new number or not")
  func normalisation() throws {
    let repository = try Repository()
    try repository.freeze(1, "caf\u{E9}: int")
    try repository.commit()
    let finding = "STR3903 schemas/People.yaml:5:19"

    try repository.declare(2, "cafe\u{301}: int")
    #expect(try repository.findings().contains(finding))
    let refusal = try #require(throws: CommandFailure.self) {
      try repository.project.judge(freezing: 2, asking: true)
    }
    #expect(refusal.message.hasPrefix("Version 2 was not frozen"))

    try repository.declare(1, "cafe\u{301}: int")
    #expect(try repository.findings().contains(finding))
    let error = try #require(throws: FreezeError.self) {
      let project = try repository.project
      return try project.freeze(lenient: nil, checksSeal: true).plan(
        freezing: try project.compile().schema, date: "2026-11-21")
    }
    #expect(error.code == "STR4005")
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
    try repository.sealAgain()
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

  @Test("Declarations that are edited under a frozen number are judged as new, against main, too")
  func editedUnderAFrozenNumber() throws {
    let repository = try Repository()
    try repository.freeze(1, "age: { type: int, default: 1 }")
    try repository.commit()
    try repository.declare(1, "age: { type: int, default: 2 }")

    let found = ["STR4005 schemas/People.yaml:2:10", "STR3403 schemas/People.yaml:5:46"]
    #expect(try repository.findings() == found)
    #expect(try repository.findings(against: "git:main") == found)
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
}
