import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@Suite struct HistoryReaderTests {
  let versions = [
    SourceFile(
      path: "versions/0.yaml",
      text: "schema: People\nversion: 0\nmodels: { Person: { properties: { name: string } } }\n"),
    SourceFile(
      path: "versions/2.yaml",
      text: "schema: People\nversion: 2\nmodels: { Person: { properties: { full: string } } }\n"),
  ]
  let steps = [
    SourceFile(path: "migrations/2.yaml", text: "to: 2\nrename: { Person.name: full }\n"),
    SourceFile(path: "migrations/3.yaml", text: "to: 3\nswift: [Person]\n"),
  ]

  /// The lock of versions as they are.
  func lock(of files: [SourceFile]) throws -> VersionLock {
    var lock = VersionLock()
    for file in files {
      var diagnostics = Diagnostics()
      let schema = try #require(SchemaCompiler.compile([file], reporting: &diagnostics)).schema
      lock.lines.append(
        VersionLock.Line(
          version: schema.version, date: "2026-11-21", shape: schema.shape, step: nil,
          after: lock.lines.last?.chain))
    }
    return lock
  }

  func findings(versions: [SourceFile], lock: String?, steps: [SourceFile] = []) -> [String] {
    var diagnostics = Diagnostics()
    _ = HistoryReader.read(
      versions: versions, lock: lock.map { SourceFile(path: "schema.lock", text: $0) },
      steps: steps, reporting: &diagnostics)
    return diagnostics.sorted.map(line)
  }

  @Test func aSealedHistoryIsRead() throws {
    let lock = try lock(of: versions)
    var diagnostics = Diagnostics()
    let reading = try #require(
      HistoryReader.read(
        versions: versions, lock: SourceFile(path: "schema.lock", text: lock.text), steps: steps,
        reporting: &diagnostics))
    #expect(reading.history.name == "People")
    #expect(reading.history.versions.map(\.number) == [0, 2])
    #expect(reading.history.versions.map(\.date) == ["2026-11-21", "2026-11-21"])
    #expect(reading.history.version(2)?.chain == lock.lines[1].chain)
    #expect(
      reading.history.version(2)?.step?.renames.properties == [SchemaPath("Person", "name"): "full"]
    )
    #expect(reading.steps[3]?.step.swiftModels == ["Person"])
  }

  /// A frozen version cannot be changed any more, and no classes are made of it.
  @Test func whatOnlyKeepsClassesFromCompilingIsNoErrorOfAFrozenVersion() throws {
    let version = SourceFile(
      path: "versions/0.yaml",
      text: """
        schema: People
        version: 0
        models:
          Person: { properties: { name: string, twin: { type: Person, ignored: true } } }
          Child: { extends: Person, properties: { toy: { type: string, swiftName: name } } }
          Owner: { properties: { things: { linkingObjects: Named.owner } } }
          Named: { abstract: true, properties: { owner: Owner? } }
          ID: { properties: { number: int } }

        """)
    var working = Diagnostics()
    #expect(SchemaCompiler.compile([version], reporting: &working) == nil)
    #expect(working.sorted.map(\.code) == ["STR2402", "STR2203", "STR3706", "STR3902"])

    var diagnostics = Diagnostics()
    let reading = HistoryReader.read(
      versions: [version], lock: nil, steps: [], needsLock: false, reporting: &diagnostics)

    #expect(reading?.history.versions.map(\.number) == [0])
    #expect(diagnostics.isEmpty)
  }

  @Test func anEditedVersionIsFound() throws {
    let lock = try lock(of: versions)
    let edited = SourceFile(
      path: "versions/0.yaml",
      text: "schema: People\nversion: 0\nmodels: { Person: { properties: { name: int } } }\n")
    #expect(
      findings(versions: [edited, versions[1]], lock: lock.text) == [
        "2:10-2:11 STR4001 version 0 was edited after it was frozen"
      ])
  }

  @Test func aMissingVersionIsFound() throws {
    let lock = try lock(of: versions)
    #expect(
      findings(versions: [versions[1]], lock: lock.text) == [
        "2:1-2:167 STR4004 version 0 is frozen, and versions/0.yaml is missing"
      ])
  }

  @Test func anEditedLockIsFound() throws {
    let text = try lock(of: versions).text.replacing("0 date=2026-11-21", with: "0 date=2026-11-22")
    #expect(
      findings(versions: versions, lock: text) == [
        "2:1-2:167 STR4002 the seal of version 0 is broken"
      ])
  }

  @Test func aLineThatIsGoneIsFound() throws {
    var lock = try lock(of: versions)
    lock.lines.removeFirst()
    #expect(
      findings(versions: versions, lock: lock.text) == [
        "2:1-2:167 STR4002 the seal of version 2 is broken",
        "2:10-2:11 STR4002 version 0 has no line in the lock",
      ])
  }

  @Test func locksThatAreNoneAreRefused() throws {
    let text = try lock(of: versions).text
    #expect(findings(versions: versions, lock: nil).map { $0.prefix(15) } == ["1:1-1:1 STR4002"])
    #expect(
      findings(versions: versions, lock: "strata-lock 2\n")
        == ["1:1-1:14 STR4002 the lock is of a newer kind: strata-lock 2"])
    #expect(
      findings(versions: versions, lock: String(text.dropLast(1)))
        == ["3:1-3:167 STR4002 the lock ends within a line"])
    #expect(
      findings(versions: versions, lock: text + "<<<<<<< HEAD\n")
        == ["4:1-4:13 STR4003 git could not merge the lock"])
    let lines = text.split(separator: "\n")
    #expect(
      findings(versions: versions, lock: text + lines[2] + "\n")
        == ["4:1-4:167 STR4003 version 2 is frozen twice"])
  }

  @Test func filesAreNamedAfterTheirNumbers() throws {
    let lock = try lock(of: versions)
    let other = SourceFile(path: "versions/3.yaml", bytes: versions[1].bytes)
    #expect(
      findings(versions: [other], lock: lock.text)
        == ["2:10-2:11 STR4102 the file is named 3.yaml and says version 2"])
    let unnamed = SourceFile(path: "versions/two.yaml", bytes: versions[1].bytes)
    #expect(
      findings(versions: [unnamed], lock: lock.text)
        == ["1:1-1:1 STR4101 a frozen version's file is named after its number"])
  }
}
