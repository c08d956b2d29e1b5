import StrataAdopt
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

/// Which end of a relationship is stored may change from one version of a model to the next. Its links go on then.
@Suite("Relationships of Core Data that go on")
struct RelationshipStepTests {
  /// `A.bs* B.as`: the relationship `bs` of A, to many B, whose inverse is `as`; `+` is ordered, `-` stands for no inverse, and
  /// `A.items=bs*` has the renaming identifier `bs`.
  private func entities(_ relationships: [String], _ more: String = "") -> String {
    var byEntity: [String: String] = ["A": "", "B": ""]
    for text in relationships {
      let words = text.split(separator: " ").map(String.init)
      let (here, there) = (words[0].split(separator: "."), words[1].split(separator: "."))
      let names = here[1].filter { $0 != "*" && $0 != "+" }.split(separator: "=")
      let (name, isToOne) = (names[0], here[1].allSatisfy { $0 != "*" && $0 != "+" })
      let target = there.count > 1 ? String(there[0]) : here[0] == "A" ? "B" : "A"
      byEntity[String(here[0])]? +=
        "<relationship name=\"\(name)\" optional=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"\(target)\""
        + (isToOne ? " maxCount=\"1\"" : " toMany=\"YES\"")
        + (here[1].hasSuffix("+") ? " ordered=\"YES\"" : "")
        + (names.count < 2 ? "" : " elementID=\"\(names[1])\"")
        + (there.count < 2 ? "/>" : " inverseName=\"\(there[1])\" inverseEntity=\"\(there[0])\"/>")
    }
    return byEntity.sorted { $0.key < $1.key }.map {
      "<entity name=\"\($0.key)\">\($0.value)</entity>"
    }.joined() + more
  }

  private func project(
    _ older: [String], _ newer: [String], _ more: String = ""
  ) throws -> AdoptedProject {
    let history = try AdoptFixture.coreData([
      "Shop": entities(older), "Shop 2": entities(newer, more),
    ]).coreData()
    return try AdoptedProject(history, date: "2026-11-30")
  }

  private func step(of project: AdoptedProject) throws -> String {
    let text = project.files.first { $0.path == "migrations/2.yaml" }?.text ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix("to:") }
      .joined(separator: "\n")
  }

  private static let toOne = ["A.bs* B.as", "B.as A.bs"]
  private static let toMany = ["A.bs* B.as", "B.as* A.bs"]

  private static let takesOver = "set:\n  A:\n    bs: \"old.bs\""

  @Test(
    "The links that were computed are taken over where they are stored",
    arguments: [
      // It leads to many on both sides now.
      (toOne, toMany, takesOver + "\ndrop:\n  - B.as"),
      // It has lost its inverse.
      (toOne, ["A.bs* -"], takesOver + "\ndrop:\n  - B.as"),
      // It is ordered, so that both ends are stored.
      (toOne, ["A.bs+ B.as", "B.as A.bs"], takesOver),
      // One end has another name, and the other one says that it goes on.
      (
        toOne, ["A.bs* B.seen", "B.seen A.bs", "A.hids* B.hid", "B.hid A.hids"],
        "rename:\n  B.as: seen"
      ),
      (toOne, ["A.bs* B.seen", "B.seen A.bs"], "rename:\n  B.as: seen"),
      // Both have lost their inverse.
      (toOne, ["A.bs* -", "B.as -"], takesOver),
      // The renaming identifier counts, and not a name that is given anew.
      (
        toOne, ["A.items=bs* B.owner", "B.owner A.items", "A.bs=new* B.xs", "B.xs A.bs"],
        "rename:\n  B.as: owner"
      ),
      // What comes beside it has nothing to do with it.
      (
        toMany, ["A.bs+ B.as", "B.as* A.bs", "A.cs* -"], ""
      ),
      (
        ["A.bs+ B.as", "B.as A.bs"],
        ["A.bs+ B.seen", "B.seen A.bs", "A.hids* B.hid", "B.hid A.hids"],
        "rename:\n  B.as: seen"
      ),
    ])
  func goesOn(_ older: [String], _ newer: [String], _ expected: String) throws {
    let project = try project(older, newer)
    #expect(try step(of: project) == expected, "\(project.reportLines())")
    #expect(project.findings.errorCount == 0)
    #expect(!project.report().contains("## Given up"))
  }

  @Test("A sub-entity that comes moves the links to the other end")
  func subEntity() throws {
    let project = try project(
      Self.toMany, Self.toMany, #"<entity name="C" parentEntity="B"/>"#)
    #expect(try step(of: project) == "set:\n  B:\n    as: \"old.as\"\ndrop:\n  - A.bs")
    #expect(project.findings.errorCount == 0)
  }

  @Test(
    "Which of many links goes on where there is room for one is a question",
    arguments: [(toMany, toOne, "A.bs"), (toOne, ["A.bs B.as", "B.as* A.bs"], "B.as")])
  func isAsked(_ older: [String], _ newer: [String], _ end: String) throws {
    let project = try project(older, newer)
    #expect(try step(of: project).contains("??? \(end)"))
    #expect(project.frozen.openCount == 1)
  }

  @Test("An end of an unrelated relationship that has the name takes nothing over")
  func unrelatedName() throws {
    let project = try project(
      Self.toOne, ["A.bs* D.owner", "A.items* B.owner", "B.owner A.items"],
      #"<entity name="D"><relationship name="owner" optional="YES" maxCount="1" destinationEntity="A" inverseName="bs" inverseEntity="A"/></entity>"#
    )
    #expect(try step(of: project).contains("B.as: ???"))
  }

  @Test("An end that is stored from now on and cannot take the links over is named")
  func beginsWithout() throws {
    let project = try project(Self.toOne, ["A.bs B.as", "B.as A.bs"])
    #expect(try step(of: project) == "")
    #expect(
      project.history.reasons("A", "bs").contains(
        "it is stored from here on and begins without links, which stood in B.as before: a Swift block sets them"
      ))
  }

  @Test(
    "A version whose model is no longer there says nothing of its inverses: links that go are asked"
  )
  func unknownEnds() throws {
    var history = try AdoptFixture.coreData([
      "Shop": entities(Self.toOne), "Shop 2": entities(Self.toMany),
    ]).coreData()
    history.versions[0] = AdoptedVersion(
      name: "as it was", schema: history.versions[0].schema, notes: [])
    let project = try AdoptedProject(history, date: "2026-11-30")
    #expect(try step(of: project).contains("??? B.as"))
  }

  @Test("A step of an earlier run that takes less over is told as it is")
  func keptStep() throws {
    var project = try project(Self.toOne, Self.toMany)
    project.keptSteps[2] = MigrationStep(to: 2, drop: [SchemaPath("B", "as")])
    #expect(project.report().contains("| 2 | B.as |"))
  }

  @Test("What is gone, and an order that is, is dropped and listed")
  func isGivenUp() throws {
    let gone = try project(Self.toOne, [])
    #expect(try step(of: gone) == "drop:\n  - B.as")
    #expect(gone.report().contains("| 2 | B.as |"))
    let unordered = try project(["A.bs+ B.as", "B.as A.bs"], Self.toOne)
    #expect(try step(of: unordered) == "drop:\n  - A.bs")
    #expect(unordered.report().contains("| 2 | A.bs |"))
  }
}
