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

// What `freeze --rebase` makes of two branches.
extension RepositoryTests {
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

  @Test(
    "Rebasing that stops after some files keeps our steps; a second run works, or says what to do")
  func stoppedRebase() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(
      4, "fullName: string, age: int", step: "rename: { Person.name: fullName }")
    try repository.freeze(
      5, "fullName: string, age: int, c: int", step: "set: { Person: { c: old.age } }")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(
      4, "name: string, age: int, p: int", step: "set: { Person: { p: old.age } }")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    let plan = try repository.project.plan(rebasingOnto: "git:main")
    #expect(
      plan.files.map(\.place) == [
        .migration("6.yaml"), .migration("5.yaml"), .migration("4.yaml"), .version(6), .version(5),
        .version(4), .lock,
      ])

    for count in 0..<plan.files.count {
      try repository.git("checkout", "-q", "-f", "ours")
      try repository.git("clean", "-q", "-f", "-d")
      var part = plan
      part.files = Array(plan.files.prefix(count))
      try repository.project.write(part)

      let steps = try repository.project.steps.map { String(decoding: $0.bytes, as: UTF8.self) }
      #expect(
        steps.contains { $0.hasSuffix("rename: { Person.name: fullName }\n") }, "\(count) files")
      #expect(
        steps.contains { $0.hasSuffix("set: { Person: { c: old.age } }\n") }, "\(count) files")

      // Our files are as they were up to the second one that is written.
      if count < 2 {
        try repository.project.write(try repository.project.plan(rebasingOnto: "git:main"))
        try repository.declare(6, "fullName: string, age: int, p: int, c: int")
        #expect(try repository.findings(against: "git:main") == [], "\(count) files")
      } else {
        #expect(throws: (any Error).self, "\(count) files") {
          try repository.project.plan(rebasingOnto: "git:main")
        }
      }
    }
  }

  @Test("What a stopped rebase has written is not taken for ours, and the error says what to do")
  func afterStoppedRebase() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(
      4, "fullName: string, age: int", step: "rename: { Person.name: fullName }")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(4, "name: string, age: int, phone: string?")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    var plan = try repository.project.plan(rebasingOnto: "git:main")
    #expect(
      plan.files.map(\.place) == [
        .migration("5.yaml"), .migration("4.yaml"), .version(5), .version(4), .lock,
      ])
    plan.files = Array(plan.files.prefix(2))
    try repository.project.write(plan)

    let error = try #require(throws: FreezeError.self) {
      try repository.project.plan(rebasingOnto: "git:main")
    }
    #expect(error.message == "the step to version 4 is gone, and it is sealed")
    #expect(
      error.help
        == "restore \(repository.path)/schemas and \(repository.path)/migrations from version control "
        + "and rebase again; what a rebase has written before it was stopped stands under the next numbers"
    )
  }

  @Test("The step of the version that is being worked on is not written over")
  func workingStep() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(
      4, "fullName: string, age: int", step: "rename: { Person.name: fullName }")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(4, "name: string, age: int, phone: string?")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    try repository.write("migrations/5.yaml", "to: 5\ndrop: [Person.age]\n")

    let error = try #require(throws: FreezeError.self) {
      try repository.project.plan(rebasingOnto: "git:main")
    }
    #expect(
      error.message
        == "\(repository.path)/migrations/5.yaml would be written over, and is of no frozen version"
    )
    #expect(error.help?.hasPrefix("give it a later number, 'to:' too; or restore ") == true)
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

  @Test("In the middle of a merge, too, a step that git does not have is not written over")
  func unsavedStepWithinMerge() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(
      4, "fullName: string, age: int", step: "rename: { Person.name: fullName }")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(4, "name: string, age: int, phone: string?")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    let step = "to: 5\ndrop: [Person.age]\n"
    try repository.write("migrations/5.yaml", step)
    _ = try? repository.git("merge", "-q", "--no-edit", "main")

    let error = try #require(throws: FreezeError.self) {
      try repository.project.plan(rebasingOnto: nil)
    }
    #expect(
      error.message
        == "\(repository.path)/migrations/5.yaml would be written over, and git does not have what is in it"
    )
    #expect(try repository.read("migrations/5.yaml") == step)
  }

  /// Each of our commits is put on top of what the ones before it have become.
  @Test("Rebasing where `git rebase` stops takes both sides from git")
  func rebaseWithinRebase() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(
      4, "fullName: string, age: int", step: "rename: { Person.name: fullName }")
    try repository.commit("ours")
    try repository.freeze(5, "fullName: string, age: int, note: string?")
    try repository.commit("ours, once more")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(4, "name: string, age: int, phone: string?")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")

    #expect(throws: CommandFailure.self) { try repository.git("rebase", "-q", "main") }
    try repository.resolve(5, "fullName: string, age: int, phone: string?")
    #expect(throws: CommandFailure.self) {
      try repository.git("-c", "core.editor=true", "rebase", "--continue")
    }
    try repository.resolve(6, "fullName: string, age: int, phone: string?, note: string?")
    try repository.git("-c", "core.editor=true", "rebase", "--continue")

    #expect(try repository.findings(against: "git:main") == [])
    #expect(
      try repository.read("migrations/5.yaml") == "to: 5\nrename: { Person.name: fullName }\n")
    #expect(try repository.git("status", "--porcelain") == "")
  }

  @Test("A merge after our versions were put on top of theirs leaves them as they are")
  func mergeAfterRebase() throws {
    let repository = try Fork(
      "both", ours: ("name: string, age: int, a: int?", nil),
      theirs: ("name: string, age: int, b: int?", nil)
    ).rebased()
    try repository.declare(5, "name: string, age: int, b: int?, a: int?")
    try repository.commit("on top of theirs")
    let lock = try repository.read("schemas/schema.lock")

    _ = try? repository.git("merge", "-q", "--no-edit", "main")
    #expect(try repository.read("schemas/schema.lock") != lock)
    // However the folder is written.
    let plan = try Project.load(
      schemas: repository.path + "/schemas/", migrations: repository.path + "/migrations/"
    ).plan(rebasingOnto: nil)
    #expect(try plan.files == repository.project.plan(rebasingOnto: nil).files)
    try repository.resolve(5, "name: string, age: int, b: int?, a: int?")

    #expect(try repository.read("schemas/schema.lock") == lock)
    #expect(try repository.findings(against: "git:main") == [])
  }
}

extension Repository {
  /// What one does where git stops: our versions on top of theirs, the working schema by hand.
  fileprivate func resolve(_ version: Int, _ properties: String) throws {
    let project = try project
    try project.write(try project.plan(rebasingOnto: nil))
    try declare(version, properties)
    try git("add", "-A")
  }
}
