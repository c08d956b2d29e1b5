import StrataEvolution
import StrataExpression
import StrataHistory
import StrataSchema
import Testing

@Suite("Freezing")
struct FreezeTests {
  static let date = "2026-11-21"

  /// Freezes schemas one after the other, with the steps that lead to them.
  func frozen(
    _ schemas: [Schema], steps: [Int: MigrationStep] = [:], blocks: [Int: [[UInt8]]] = [:]
  ) throws -> Freeze {
    var freeze = Freeze(
      history: History(name: "People"), lock: VersionLock(), steps: steps, blocks: blocks)
    for schema in schemas {
      let plan = try freeze.plan(freezing: schema, date: Self.date)
      try apply(plan, schema, to: &freeze)
    }
    return freeze
  }

  func apply(_ plan: FreezePlan, _ schema: Schema, to freeze: inout Freeze) throws {
    let text = try #require(plan.files.last?.text)
    #expect(plan.files.last?.place == .lock)
    let lines = text.split(separator: "\n").dropFirst()
    freeze.lock = VersionLock(
      lines: try lines.map { line in
        let words = line.split(separator: " ")
        func value(_ key: String) -> String? {
          words.first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
        }
        return VersionLock.Line(
          version: try #require(Int(words[0])), date: try #require(value("date")),
          shape: try #require(value("shape").flatMap { Digest($0) }),
          cases: value("cases").flatMap { Digest($0) }, step: value("step").flatMap { Digest($0) },
          chain: try #require(value("chain").flatMap { Digest($0) }))
      })
    #expect(freeze.lock.text == text)
    freeze.history = History(
      name: "People",
      versions: freeze.history.versions.filter { $0.number != schema.version } + [
        FrozenVersion(
          schema: schema, step: freeze.steps[schema.version], date: Self.date,
          stepDigest: freeze.lock.line(ofVersion: schema.version)?.step,
          chain: freeze.lock.line(ofVersion: schema.version)?.chain)
      ])
  }

  let first = "Person: { properties: { name: string } }"
  let second = "Person: { properties: { name: string, age: int? } }"

  @Test("A first version, and one behind it")
  func new() throws {
    let one = try schema(version: 0, first)
    var freeze = try frozen([])
    let plan = try freeze.plan(freezing: one, date: Self.date)
    #expect(plan.files.map(\.place) == [.version(0), .lock])
    #expect(plan.files[0].text == one.canonicalYAML)
    #expect(
      plan.files[1].text?.hasPrefix(
        "strata-lock 1\n0 date=2026-11-21 shape=\(one.shape) step=- chain=")
        == true)
    #expect(plan.notes == ["version 0 is frozen"])
    #expect(plan.uncovered == [])
    try apply(plan, one, to: &freeze)

    let two = try freeze.plan(freezing: try schema(version: 3, second), date: "2026-11-28")
    #expect(two.version == 3)
    #expect(two.files.map(\.place) == [.version(3), .lock])
    #expect(two.files[1].text?.contains("\n3 date=2026-11-28 ") == true)
  }

  @Test("The same again freezes nothing; the same number with other declarations is refused")
  func numbers() throws {
    let freeze = try frozen([try schema(version: 1, first)])
    #expect(
      try freeze.plan(freezing: try schema(version: 1, first), date: Self.date).changesNothing)
    let same = try #require(throws: FreezeError.self) {
      try freeze.plan(freezing: try schema(version: 1, second), date: Self.date)
    }
    #expect(same.code == "STR4005")
    #expect(same.help == "write 'version: 2', or use --amend while version 1 is unreleased")
    let less = try #require(throws: FreezeError.self) {
      try freeze.plan(freezing: try schema(version: 0, second), date: Self.date)
    }
    #expect(less.code == "STR2103")
    #expect(less.help == "write 'version: 2'")
    // As STR4005 says it: nothing is new but the number.
    let old = try #require(throws: FreezeError.self) {
      try freeze.plan(freezing: try schema(version: 0, first), date: Self.date)
    }
    #expect(old.help == "write 'version: 1'")
    // The same shape under another number is another version.
    #expect(try freeze.plan(freezing: try schema(version: 2, first), date: Self.date).version == 2)
  }

  @Test("The same declarations with another step: what freezing again does not seal is said")
  func sameWithAnotherStep() throws {
    var freeze = try frozen([try schema(version: 0, first), try schema(version: 1, second)])
    #expect(try freeze.plan(freezing: try schema(version: 1, second), date: Self.date).notes == [])
    freeze.steps[1] = try step("to: 1\nset: { Person: { age: '1' } }\n")

    let plan = try freeze.plan(freezing: try schema(version: 1, second), date: Self.date)

    #expect(plan.changesNothing)
    #expect(
      plan.notes == [
        "the step to version 1 was written after the version was sealed [STR4007]; `freeze --amend` seals it as it is while the version is unreleased"
      ])
  }

  @Test("Raw values with line breaks stay within the comments of a step with questions")
  func lineBreaksInComments() throws {
    func mood(_ version: Int, _ value: String) throws -> Schema {
      try schema(
        version: version, "Person: { properties: { mood: Mood } }",
        enums: "Mood: { type: string, cases: { calm: x, angry: \"\(value)\" } }")
    }
    let freeze = try frozen([try mood(0, #"y\nz: q"#)])

    let plan = try freeze.plan(freezing: try mood(1, #"k\nw: r"#), date: Self.date)

    let file = try #require(plan.files.first { $0.place == .migration("1.yaml") })
    let text = try #require(file.text)
    #expect(text.contains(#"'Mood.angry' was stored as 'y\nz: q'"#), "\(text)")
    let found = findings(text, name: "1.yaml")
    #expect(!found.isEmpty && found.allSatisfy { $0.hasSuffix(" STR4106") }, "\(found)")
  }

  @Test("Amending replaces the newest version and keeps its day")
  func amend() throws {
    let freeze = try frozen([try schema(version: 0, first), try schema(version: 1, first)])
    let plan = try freeze.plan(amendingWith: try schema(version: 1, second))
    #expect(plan.files.map(\.place) == [.version(1), .lock])
    let lines = plan.files[1].text?.split(separator: "\n") ?? []
    #expect(lines.count == 3)
    #expect(lines[1] == freeze.lock.lines[0].text)
    #expect(lines[2].hasPrefix("1 date=2026-11-21 "))
    #expect(try freeze.plan(amendingWith: try schema(version: 1, first)).changesNothing)
    #expect(throws: FreezeError.self) {
      try freeze.plan(amendingWith: try schema(version: 2, second))
    }
  }

  @Test("Amending seals an edited step")
  func amendStep() throws {
    var freeze = try frozen([try schema(version: 0, first), try schema(version: 1, second)])
    freeze.steps[1] = try step("to: 1\nset: { Person: { age: '1' } }\n")
    let plan = try freeze.plan(amendingWith: try schema(version: 1, second))
    #expect(
      plan.files.last?.text?.contains("step=\(try #require(freeze.history.newest?.shape))") == false
    )
    #expect(plan.files.last?.text?.contains("step=-\n") == false)
    #expect(!plan.changesNothing)
  }

  @Test("The block of a scaffold compiles beside a model called Step")
  func blockBesideAModelCalledStep() throws {
    let old = try schema(version: 0, "Step: { properties: { a: int } }")
    let new = try schema(version: 1, "Step: { embedded: true, properties: { a: int } }")

    let plan = try frozen([old]).plan(freezing: new, date: Self.date)

    let block = plan.files.first { $0.place == .migration("1-Step.swift") }?.text
    #expect(block?.contains("static let toVersion1 = Strata.Step(to: 1) { step in") == true)
  }

  @Test("What needs a step gets a scaffold that does not validate until its holes are filled")
  func scaffold() throws {
    let old = try schema(
      version: 0,
      "Person: { properties: { name: string, phone: string, age: string, email: string?, dogs: [Dog], code: int } }\nDog: { properties: { name: string } }\nDraft: { properties: { x: int } }\nKey: { properties: { a: int, b: int } }"
    )
    let new = try schema(
      version: 1,
      "Person: { properties: { fullName: string, born: date, age: int, email: string, dogs: Dog?, code: { type: int, unique: true } } }\nDog: { properties: { name: string } }\nKey: { embedded: true, properties: { a: int, b: int } }"
    )
    let freeze = try frozen([old])
    let plan = try freeze.plan(freezing: new, date: Self.date)
    #expect(
      plan.files.map(\.place)
        == [.version(1), .migration("1.yaml"), .migration("1-Key.swift"), .lock])
    let text = try #require(plan.files[1].text)
    #expect(
      text == """
        # From version 0 to version 1. Each ??? is a question that only you can answer;
        # 'strata check' fails until the last one is gone. 'strata freeze --amend' seals the answers.
        to: 1
        set:
          Person:
            # 'Person.age' was string and is int
            age: "??? int(old.age) ?? 0"
            # 'Person.born' is added, required and without a default: existing objects have no value for it
            born: ???
            # 'Person.dogs' was [Dog] and is Dog?
            dogs: "??? old.dogs[0]"
            # 'Person.email' is required now, and objects may have nil there
            email: "??? old.email ?? ''"
            # 'Person.fullName' is added, required and without a default: existing objects have no value for it
            fullName: ???
        deduplicate:
          # 'Person.code' has to be unique, and two objects may agree in it: which one stays, first or last?
          Person: { by: [code], keep: "???" }
        drop:
          # 'Draft' is removed; its objects would be lost
          - "??? Draft"
          # 'Person.name' is removed; its values would be lost
          - "??? Person.name"
          # 'Person.phone' is removed; its values would be lost
          - "??? Person.phone"
        swift: [Key]

        """)
    let lines = findings(text, name: "1.yaml").map { $0.split(separator: " ")[0] }
    #expect(lines == ["7", "9", "11", "13", "15", "18", "21", "23", "25"])
    #expect(plan.files[2].text?.contains("#error(\"say what becomes of Key\")") == true)
    #expect(plan.files[2].text?.contains("static let toVersion1 = Step(to: 1) { step in") == true)
    #expect(plan.files[2].text?.contains("step.each(V0.Key.self, V1.Key.self)") == true)
  }

  @Test("A likely rename is a question, too")
  func renameScaffold() throws {
    let freeze = try frozen([try schema(version: 0, first)])
    let plan = try freeze.plan(
      freezing: try schema(version: 1, "Person: { properties: { fullName: string } }"),
      date: Self.date)
    let text = try #require(plan.files[1].text)
    #expect(text.contains("rename:\n"))
    #expect(text.contains("  Person.name: ???\n"))
    #expect(findings(text, name: "1.yaml") == ["6 STR4106"])
  }

  @Test("A step file that is there is left alone")
  func existingStep() throws {
    var freeze = try frozen([try schema(version: 0, first)])
    freeze.stepFiles = [1]
    let plan = try freeze.plan(
      freezing: try schema(version: 1, "Person: { properties: { full: string } }"), date: Self.date)
    #expect(plan.files.map(\.place) == [.version(1), .lock])
    #expect(plan.uncovered.map(\.kind) == [.propertyRenamedUndeclared])
  }

  @Test("Repairing seals what is there, and says what becomes different")
  func repair() throws {
    let freeze = try frozen([try schema(version: 0, first), try schema(version: 1, second)])
    #expect(freeze.plan(repairingOn: "2027-01-01").changesNothing)

    var lost = freeze
    lost.lock.lines.removeFirst()
    let plan = lost.plan(repairingOn: "2027-01-01")
    #expect(
      plan.notes == [
        "version 0 gets a line, dated 2027-01-01", "the chain of version 1 is made anew",
      ])

    var edited = freeze
    edited.lock.lines[0].shape = Digest(of: "other")
    edited.lock.lines.swapAt(0, 1)
    #expect(
      edited.plan(repairingOn: "2027-01-01").notes == [
        "version 0 is sealed with another shape: its file was edited",
        "the lines are put into order",
      ])
    #expect(edited.plan(repairingOn: "2027-01-01").files.last?.text == freeze.lock.text)
  }

  // MARK: Rebase

  @Test("Our version goes on top of theirs, with its step and block")
  func rebase() throws {
    let base = try schema(version: 4, first)
    let theirs = try schema(version: 5, "Person: { properties: { name: string, email: string? } }")
    let ours = try schema(
      version: 5, "Person: { properties: { full: string } }\nDog: { properties: { x: int } }")
    let yaml = "to: 5 # five\nrename: { Person.name: full }\nswift: [Person]\n"
    let swift = """
      // to version 5
      extension PeopleMigrations {
        static let toVersion5 = Step(to: 5) { step in
          try step.each(V4.Person.self, V5.Person.self) { old, new in new.x = "V5 5" }
        }
      }
      """
    let upstream = try frozen([base, theirs])
    let mine = try frozen(
      [base, ours], steps: [5: try step(yaml)], blocks: [5: [Array(swift.utf8)]])
    let plan = try mine.plan(
      rebasingOnto: Upstream(
        history: upstream.history, lock: upstream.lock, files: ["5.yaml": Array("to: 5\n".utf8)]),
      files: [
        5: [
          MigrationFile(name: "5.yaml", bytes: Array(yaml.utf8), toRange: 4..<5),
          MigrationFile(name: "5-Full.swift", bytes: Array(swift.utf8)),
        ]
      ])
    #expect(plan.version == 6)
    #expect(
      plan.files.map(\.place) == [
        .migration("6.yaml"), .migration("6-Full.swift"), .migration("5.yaml"),
        .migration("5-Full.swift"), .version(6), .version(5), .lock,
      ])
    #expect(plan.files[5].text == theirs.canonicalYAML)
    #expect(
      plan.files[4].text
        == (try schema(
          version: 6,
          "Person: { properties: { full: string, email: string? } }\nDog: { properties: { x: int } }"
        )).canonicalYAML)
    #expect(plan.files[2].text == "to: 5\n")
    #expect(plan.files[3].text == nil)
    #expect(plan.files[0].text == "to: 6 # five\nrename: { Person.name: full }\nswift: [Person]\n")
    #expect(plan.files[1].text?.contains("static let toVersion6 = Step(to: 6)") == true)
    #expect(plan.files[1].text?.contains("(V5.Person.self, V6.Person.self)") == true)
    #expect(plan.files[1].text?.contains("\"V5 5\"") == true)
    #expect(plan.files[1].text?.contains("// to version 5") == true)
    #expect(plan.files[6].text?.hasPrefix(upstream.lock.text) == true)
    #expect(plan.notes.first == "our version 5 becomes version 6")
  }

  @Test("What both changed in different ways is a conflict that names it")
  func conflict() throws {
    let base = try schema(version: 0, first)
    let upstream = try frozen([
      base, try schema(version: 1, "Person: { properties: { name: string? } }"),
    ])
    let mine = try frozen([
      base, try schema(version: 1, "Person: { properties: { name: [string] } }"),
    ])
    let error = try #require(throws: FreezeError.self) {
      try mine.plan(
        rebasingOnto: Upstream(history: upstream.history, lock: upstream.lock), files: [:])
    }
    #expect(error.description == "both branches changed 'Person.name', in different ways [STR4003]")
  }

  @Test("A branch that is behind or ahead has nothing to rebase")
  func nothingToRebase() throws {
    let base = try schema(version: 0, first)
    let (behind, ahead) = (try frozen([base]), try frozen([base, try schema(version: 1, second)]))
    #expect(
      try ahead.plan(
        rebasingOnto: Upstream(history: behind.history, lock: behind.lock), files: [:]
      ).changesNothing)
    #expect(throws: FreezeError.self) {
      try behind.plan(
        rebasingOnto: Upstream(history: ahead.history, lock: ahead.lock), files: [:])
    }
  }
}
