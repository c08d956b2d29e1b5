import StrataAdopt
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

/// Which end of a relationship is stored may change from one version of a model to the next. Its links go on then.
@Suite("Relationships of Core Data that go on")
struct RelationshipStepTests {
  private static let toOne = ["A.bs* B.as", "B.as A.bs"]
  private static let toMany = ["A.bs* B.as", "B.as* A.bs"]

  private static let takesOver = "set:\n  A:\n    bs: \"old.bs\""
  private static let takesBack = "set:\n  B:\n    as: \"old.as\"\ndrop:\n  - A.bs"

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
    let project = try RelationshipFixture.project(older, newer)
    #expect(project.stepLines == expected, "\(project.reportLines())")
    #expect(project.findings.errorCount == 0)
    #expect(!project.report().contains("## Given up"))
  }

  @Test("A sub-entity that comes moves the links to the other end")
  func subEntity() throws {
    let project = try RelationshipFixture.project(
      Self.toMany, Self.toMany + ["C: B"])
    #expect(project.stepLines == Self.takesBack)
    #expect(project.findings.errorCount == 0)
  }

  @Test(
    "Which of many links goes on where there is room for one is a question",
    arguments: [
      (toMany, toOne, "A.bs", 1), (toOne, ["A.bs B.as", "B.as* A.bs"], "B.as", 1),
      // At both ends: the one that keeps some, and the one that would be computed from those.
      (["A.bs+ B.as", "B.as+ A.bs"], toOne, "A.bs", 2),
    ])
  func isAsked(_ older: [String], _ newer: [String], _ end: String, _ count: Int) throws {
    let project = try RelationshipFixture.project(older, newer)
    #expect(project.stepLines.contains("??? \(end)"))
    #expect(project.frozen.openCount == count)
  }

  @Test("An end of an unrelated relationship that has the name takes nothing over")
  func unrelatedName() throws {
    let project = try RelationshipFixture.project(
      Self.toOne, ["A.bs* D.owner", "D.owner A.bs", "A.items* B.owner", "B.owner A.items"])
    #expect(project.stepLines.contains("B.as: ???"))
  }

  @Test(
    "An end that is stored from now on and cannot take the links over is named",
    arguments: [
      (toOne, ["A.bs B.as", "B.as A.bs"], "A.bs", "B.as"),
      // Under another name.
      (toOne, ["A.one B.as", "B.as A.one"], "A.one", "B.as"),
      // As the inverse that there was none of.
      (["A.b -"], ["A.b B.a", "B.a A.b"], "B.a", "A.b"),
      // As one of the two relationships that one goes on as.
      (toOne, ["A.bs* B.owner", "B.owner A.bs", "A.cs* B.as", "B.as A.cs"], "B.owner", "B.as"),
      (
        toMany, ["A.bs* B.owner", "B.owner* A.bs", "A.cs* B.as", "B.as* A.cs"], "A.cs", "A.bs"
      ),
    ])
  func beginsWithout(
    _ older: [String], _ newer: [String], _ end: String, _ place: String
  ) throws {
    let project = try RelationshipFixture.project(older, newer)
    #expect(project.stepLines == "")
    let path = end.split(separator: ".").map(String.init)
    #expect(
      project.history.reasons(path[0], path[1]).contains(
        "it is stored from here on and begins without links, which stood in \(place) before: a Swift block sets them"
      ), "\(project.history.entries)")
  }

  @Test("A step of an earlier run that takes less over is told as it is")
  func keptStep() throws {
    var project = try RelationshipFixture.project(Self.toOne, Self.toMany)
    project.keptSteps[2] = MigrationStep(to: 2, drop: [SchemaPath("B", "as")])
    #expect(project.report().contains("| 2 | B.as |"))
  }

  @Test("What is gone is dropped and listed")
  func isGivenUp() throws {
    let gone = try RelationshipFixture.project(Self.toOne, [])
    #expect(gone.stepLines == "drop:\n  - B.as")
    #expect(gone.givenUpPaths == ["B.as"])
  }

  @Test(
    "The order of links that go on is listed where it goes",
    arguments: [
      (["A.bs+ B.as", "B.as A.bs"], toOne, "drop:\n  - A.bs"),
      // Its links go to the other end.
      (["A.bs+ B.as", "B.as* A.bs"], ["B.as* -"], takesBack),
      (["A.bs+ B.as", "B.as* A.bs"], ["B.as+ A.bs", "A.bs* B.as"], takesBack),
    ])
  func isUnordered(_ older: [String], _ newer: [String], _ expected: String) throws {
    let project = try RelationshipFixture.project(older, newer)
    #expect(project.stepLines == expected)
    #expect(project.givenUpPaths == ["A.bs"])
  }
}
