import StrataEvolution
import StrataSchema
import Testing

@testable import StrataCLI

// Steps of ours behind versions that they were not written for.
extension RepositoryTests {
  /// `name` is another property where theirs ends, and what it was stands under another name.
  private static let reusing: (properties: String, step: String?) = (
    "fullName: string, age: int, name: { type: string, default: '' }",
    "rename: { Person.name: fullName }"
  )

  @Test(
    "A step that reads a name which theirs has given to something else is refused",
    arguments: [
      ("name: string, age: int, mine: int?", "delete: { Person: \"old.name == ''\" }"),
      ("name: string, age: int, mine: string", "set: { Person: { mine: upper(old.name) } }"),
      ("name: string, age: int, mine: int?", "set: { Person: { name: trim(old.name) } }"),
      ("name: string, age: int, mine: int?", "deduplicate: { Person: { by: [name], keep: last } }"),
      ("name: string, age: int8", "back: { Person: { age: length(new.name) } }"),
    ])
  func readsReusedName(properties: String, step: String) throws {
    let fork = Fork("reads", ours: (properties, step), theirs: Self.reusing)
    let error = try #require(throws: FreezeError.self) { try fork.rebased() }
    #expect(error.code == "STR4003")
    #expect(
      error.message == "our step reads 'Person.name', and theirs gives that name to something else")
    #expect(error.help == Freeze.agree)
  }

  @Test("What reads other names only goes on top of theirs")
  func readsOtherNames() throws {
    let repository = try Fork(
      "others",
      ours: ("name: string, age: int, mine: int", "set: { Person: { mine: old.age } }"),
      theirs: Self.reusing
    ).rebased()
    #expect(
      try repository.read("migrations/5.yaml") == "to: 5\nset: { Person: { mine: old.age } }\n")
  }

  @Test("So is a Swift block of the model, whose readings only the compiler knows")
  func blockReadsReusedName() throws {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.write(
      "migrations/4-Person.swift",
      """
      import Strata

      extension PeopleMigrations {
        static let toVersion4 = Step(to: 4) { step in
          try step.each(V3.Person.self, V4.Person.self) { old, new in
            new.mine = old.name
          }
        }
      }

      """)
    try repository.freeze(
      4, "name: string, age: int, mine: string?", step: "swift: [Person]")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(4, Self.reusing.properties, step: Self.reusing.step)
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    let error = try #require(throws: FreezeError.self) {
      try repository.project.plan(rebasingOnto: "git:main")
    }
    #expect(
      error.message == "our step reads 'Person.name', and theirs gives that name to something else")
  }

  @Test("A name that theirs has dropped and given to something new is neither dropped nor renamed")
  func changesReturnedName() throws {
    for (properties, step, what) in [
      ("age: int, mine: int?", "drop: [Person.name]", "drops 'Person.name'"),
      (
        "fullName: string, age: int", "rename: { Person.name: fullName }",
        "renames 'Person.name' to 'fullName'"
      ),
    ] {
      let repository = try Repository.example()
      try repository.git("checkout", "-q", "-b", "ours")
      try repository.freeze(4, properties, step: step)
      try repository.commit("ours")
      try repository.git("checkout", "-q", "main")
      try repository.freeze(4, "age: int", step: "drop: [Person.name]")
      try repository.freeze(
        5, "age: int, name: string", step: "set: { Person: { name: \"'x'\" } }")
      try repository.commit("theirs")
      try repository.git("checkout", "-q", "ours")
      let error = try #require(throws: FreezeError.self) {
        try repository.project.plan(rebasingOnto: "git:main")
      }
      #expect(error.message == "our step \(what), and theirs gives that name to something else")
    }
  }

  // MARK: What both did

  @Test("Objects that both delete, or make one, are deleted once")
  func deletedOnce() throws {
    let step = """
      delete:
        Person: old.age < 18
      deduplicate:
        Person:
          by: [name]
          keep: last
      """
    let repository = try Fork(
      "deleted", ours: ("name: string, age: int, b: int?", step),
      theirs: ("name: string, age: int, c: int?", step)
    ).rebased()
    #expect(try repository.read("migrations/5.yaml") == "to: 5\n")
    let line = try repository.read("schemas/schema.lock").split(separator: "\n").last ?? ""
    #expect(line.hasPrefix("5 date=") && line.contains(" step=- "))
  }

  @Test("Objects that only ours deletes, or by another condition, are deleted behind theirs")
  func deletedByAnotherCondition() throws {
    let repository = try Fork(
      "deleted",
      ours: ("name: string, age: int, b: int?", "delete: { Person: old.age < 18 }"),
      theirs: ("name: string, age: int, c: int?", "delete: { Person: old.age < 0 }")
    ).rebased()
    #expect(
      try repository.read("migrations/5.yaml") == "to: 5\ndelete: { Person: old.age < 18 }\n")
  }

  @Test("A condition that reads what theirs has set in between is not the same")
  func deletedBehindOtherValues() throws {
    let repository = try Repository.example()
    let step = "delete: { Person: old.age < 18 }"
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(4, "name: string, age: int, b: int?", step: step)
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    let theirs = "name: string, age: int, c: int?"
    try repository.freeze(4, theirs, step: "set: { Person: { age: old.age * 12 } }")
    try repository.freeze(5, theirs + ", d: int?", step: step)
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    let error = try #require(throws: FreezeError.self) {
      try repository.project.plan(rebasingOnto: "git:main")
    }
    #expect(
      error.message
        == "both sides have the deletion of objects of 'Person', and theirs changes 'Person.age' before"
    )
  }

  /// Ours and a version of theirs have a Swift block of one model each.
  private func forkWithBlocks(
    theirNumber number: Int = 4, ours: String, theirs: String
  ) throws -> Repository {
    let repository = try Repository.example()
    func freeze(_ version: Int, _ properties: String, _ value: String) throws {
      try repository.write(
        "migrations/\(version)-Person.swift",
        """
        import Strata

        extension PeopleMigrations {
          static let toVersion\(version) = Step(to: \(version)) { step in
            try step.each(V\(version - 1).Person.self, V\(version).Person.self) { old, new in
              new.age = \(value)
            }
          }
        }

        """)
      try repository.freeze(version, properties, step: "swift: [Person]")
    }
    try repository.git("checkout", "-q", "-b", "ours")
    try freeze(4, "name: string, age: int, mine: int?", ours)
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    if number == 5 { try repository.freeze(4, "name: string, age: int, theirs: int?") }
    try freeze(number, "name: string, age: int, theirs: int?, more: int?", theirs)
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    return repository
  }

  @Test("A Swift block that theirs has, too, runs once", arguments: [4, 5])
  func blockOnce(theirs: Int) throws {
    let value = "old.age * 12"
    let repository = try forkWithBlocks(theirNumber: theirs, ours: value, theirs: value)
    let project = try repository.project
    let plan = try project.plan(rebasingOnto: "git:main")
    #expect(
      plan.notes.contains("its step leaves out what theirs has done: the Swift block of 'Person'"))
    try project.write(plan)
    let written = plan.files.filter { $0.text != nil }.map(\.place)
    #expect(written.contains(.migration("\(theirs)-Person.swift")))
    #expect(!written.contains(.migration("\(theirs + 1)-Person.swift")))
    #expect(
      try repository.read("migrations/\(theirs + 1).yaml") == "to: \(theirs + 1)\nswift: []\n")
  }

  @Test("Two different Swift blocks of one model are a conflict")
  func blocksDiffer() throws {
    let repository = try forkWithBlocks(ours: "old.age * 12", theirs: "old.age * 24")
    let error = try #require(throws: FreezeError.self) {
      try repository.project.plan(rebasingOnto: "git:main")
    }
    #expect(error.code == "STR4003")
    #expect(error.message == "both sides have a Swift block of 'Person', and they differ")
  }

  @Test("Two Swift blocks that set other properties of one model follow each other")
  func blocksOfOtherProperties() throws {
    let repository = try Repository.example()
    func freeze(_ properties: String, _ assignment: String) throws {
      try repository.write(
        "migrations/4-Person.swift",
        """
        import Strata

        extension PeopleMigrations {
          static let toVersion4 = Step(to: 4) { step in
            try step.each(V3.Person.self, V4.Person.self) { old, new in
              \(assignment)
            }
          }
        }

        """)
      try repository.freeze(4, properties, step: "swift: [Person]")
    }
    try repository.git("checkout", "-q", "-b", "ours")
    try freeze("name: string, age: int, mine: int?", "new.mine = old.age * 2")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try freeze("name: string, age: int, theirs: int?", "new.theirs = old.age * 3")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")

    let plan = try repository.project.plan(rebasingOnto: "git:main")

    let written = plan.files.filter { $0.text != nil }.map(\.place)
    #expect(written.contains(.migration("5-Person.swift")))
  }

  // MARK: Which sides there are

  /// A branch `ours` whose last commit is a merge of main: version 4 is theirs, version 5 is ours.
  private func merged() throws -> Repository {
    let repository = try Repository.example()
    try repository.git("checkout", "-q", "-b", "ours")
    try repository.freeze(4, "name: string, age: int, mine: int?")
    try repository.commit("ours")
    try repository.git("checkout", "-q", "main")
    try repository.freeze(4, "name: string, age: int, theirs: int?")
    try repository.commit("theirs")
    try repository.git("checkout", "-q", "ours")
    _ = try? repository.git("merge", "-q", "--no-edit", "main")
    let project = try repository.project
    try project.write(try project.plan(rebasingOnto: nil))
    try repository.declare(5, "name: string, age: int, theirs: int?, mine: int?")
    try repository.commit("merged")
    #expect(try repository.findings() == [])
    return repository
  }

  @Test("An open question does not make the parents of an earlier merge the two sides")
  func questionBehindMerge() throws {
    let repository = try merged()
    try repository.freeze(6, "name: string, age: int, theirs: int?, mine: int?, must: string")
    #expect(try repository.read("migrations/6.yaml").contains("???"))
    let linked = repository.path + "/linked"
    try repository.git("worktree", "add", "-q", linked, "main")
    let main = Repository(at: linked)
    try main.freeze(5, "name: string, age: int, theirs: int?, more: int?")
    try main.commit("theirs, once more")

    #expect(throws: CommandFailure.self) {
      try repository.project.plan(rebasingOnto: "git:main")
    }
  }

  @Test("Where a squashed branch is in conflict, ours is all of the branch that is checked out")
  func squash() throws {
    let repository = try merged()
    try repository.git("checkout", "-q", "-b", "other", "main~1")
    try repository.freeze(4, "name: string, age: int, other: int?")
    try repository.commit("other")
    try repository.git("checkout", "-q", "ours")
    _ = try? repository.git("merge", "-q", "--squash", "other")
    #expect(try repository.read("schemas/schema.lock").contains("<<<<<<<"))

    let plan = try repository.project.plan(rebasingOnto: "git:other")
    #expect(
      Array(plan.notes.prefix(2)) == [
        "our version 4 becomes version 5", "our version 5 becomes version 6",
      ])
  }

  @Test("A merge that went through with two versions of a number: its parents are the sides")
  func mergeOfBothLines() throws {
    let repository = try Repository.example()
    try repository.write(".gitattributes", "schemas/** merge=union\n")
    try repository.commit()
    for (branch, property) in [("ours", "mine"), ("theirs", "other")] {
      try repository.git("checkout", "-q", "-b", branch, "main")
      try repository.freeze(4, "name: string, age: int, \(property): int?")
      try repository.commit(branch)
    }
    try repository.git("checkout", "-q", "ours")
    try repository.git("merge", "-q", "--no-edit", "theirs")

    for revision in [nil, "git:theirs"] {
      let plan = try repository.project.plan(rebasingOnto: revision)
      #expect(plan.notes.first == "our version 4 becomes version 5")
    }
    // What the merge has brought is not there.
    #expect(throws: CommandFailure.self) {
      try repository.project.plan(rebasingOnto: "git:main")
    }
  }
}
