import StrataAdopt
import StrataHistory
import StrataSchema
import Testing

@testable import StrataCLI

/// Two relationships of one version may come together in one of the next. Links of users are never overwritten or dropped then: a step
/// has a question, or the report says which ends say different things.
@Suite("Relationships of Core Data that come together")
struct RelationshipConflictTests {
  private static let bs = ["A.bs* B.a", "B.a A.bs"]

  @Test("What goes on by itself is not overwritten with links of another relationship")
  func overwritesNothing() throws {
    let project = try RelationshipFixture.project(
      Self.bs + ["A.favs+ -"], ["A.favs+ B.a", "B.a A.favs"])
    #expect(project.stepLines == "")
    #expect(
      project.history.reasons("A", "favs").contains(
        "it and its inverse B.a belonged to two relationships before, and both keep their links: a Swift block makes them agree"
      ))
  }

  @Test("An inverse that is computed from another relationship's links is named")
  func otherInverse() throws {
    let project = try RelationshipFixture.project(
      Self.bs + ["A.cs* B.c", "B.c A.cs"], ["A.bs* B.c", "B.c A.bs", "A.cs* B.a", "B.a A.cs"])
    #expect(project.stepLines == "")
    for (end, inverse) in [("a", "cs"), ("c", "bs")] {
      #expect(
        project.history.reasons("B", end).contains(
          "its inverse A.\(inverse) belonged to another relationship before, and is computed from these links now"
        ))
    }
  }

  @Test("Links whose place another relationship has taken are asked")
  func placeIsTaken() throws {
    let loops = try RelationshipFixture.project(
      ["A.r* A.p", "A.p* A.r", "A.in* >A"], ["A.p* A.in", "A.in* A.p"])
    #expect(loops.stepLines == "drop:\n  - \"??? A.p\"")
    // The renaming identifier counts more than the other end.
    let twoEnds = try RelationshipFixture.project(
      ["A.zs* B.a", "B.a A.zs", "A.bs* B.c", "B.c A.bs"], ["A.items=bs+ B.a", "B.a A.items"])
    #expect(
      twoEnds.stepLines == "set:\n  A:\n    items: \"old.bs\"\ndrop:\n  - \"??? B.c\"")
  }

  @Test("Of two relationships that become one neither is taken for the other")
  func mergedIntoOne() throws {
    let project = try RelationshipFixture.project(
      ["A.items* B.a", "B.a A.items", "X.items* B.x", "B.x X.items"],
      ["P!", "A: P", "X: P", "P.items+ B.owner", "B.owner P.items"])
    #expect(project.stepLines.contains("??? B.a"))
    #expect(project.stepLines.contains("??? B.x"))
    #expect(project.stepLines.contains("items: \"old.items\""))
    #expect(!project.stepLines.contains("rename"))
  }

  @Test("Links of type any are taken over where the source lets them lead there, and else asked")
  func familyOfTarget() throws {
    let older = ["A.items* Note.a", "Note.a A.items"]
    let newer = ["A.items+ Item.owner", "Item!", "Item.owner A.items", "Text: Item"]
    let other = try RelationshipFixture.project(older, newer + ["Note"])
    #expect(other.stepLines == "drop:\n  - \"??? Note.a\"")
    #expect(other.history.reasons("A", "items").contains { $0.contains("begins without links") })
    let same = try RelationshipFixture.project(older, newer + ["Note: Item"])
    #expect(
      same.stepLines == "rename:\n  Note.a: owner\nset:\n  A:\n    items: \"old.items\"")
  }

  @Test("In two runs links of type any that go are asked, as in one")
  func typeAnyInTwoRuns() throws {
    let older = ["Chat.messages* Message.chat", "Message.chat Chat.messages", "Group: Chat"]
    let newer = ["Chat.messages* Message.chats", "Message.chats* Chat.messages", "Group: Chat"]
    for project in [
      try RelationshipFixture.project(older, newer),
      try RelationshipFixture.inTwoRuns(older, newer),
    ] {
      #expect(project.stepLines.contains("??? Message.chat"))
      #expect(project.givenUpPaths == [])
    }
  }

  @Test("In two runs links that were computed are taken over, as in one")
  func takesOverInTwoRuns() throws {
    let project = try RelationshipFixture.inTwoRuns(Self.bs, ["A.bs+ B.a", "B.a A.bs"])
    #expect(project.stepLines == "set:\n  A:\n    bs: \"old.bs\"")
    let many = try RelationshipFixture.inTwoRuns(Self.bs, ["A.bs* B.a", "B.a* A.bs"])
    #expect(many.stepLines == "set:\n  A:\n    bs: \"old.bs\"\ndrop:\n  - B.a")
  }

  @Test("In two runs it is asked what becomes of links whose renaming identifiers are not known")
  func identifiersInTwoRuns() throws {
    // `bs` may have had the identifier of an end that comes.
    for newer in [["A.entries=rows* -"], ["A.bs=rows* B.a", "B.a=owner* A.bs"], []] {
      let project = try RelationshipFixture.inTwoRuns(Self.bs, newer)
      #expect(project.stepLines.contains("??? B.a"))
      #expect(project.stepLines.contains("old.bs") == false)
    }
  }

  @Test("A second run names the ends that begin without links in the first step that it adds")
  func notesOfSecondRun() throws {
    let first = try AdoptFixture.coreData(["Shop": RelationshipFixture.entities(Self.bs)])
    let project = try AdoptedProject(try first.coreData(), date: "2026-11-30")
    var files = Dictionary(uniqueKeysWithValues: project.files.map { ($0.path, $0.text) })
    files["ADOPTED.md"] = project.report()
    let folder = try AdoptFixture(files)
    let update = try #require(try AdoptedUpdate(path: folder.path("")))
    let second = try AdoptFixture.coreData([
      "Shop 2": RelationshipFixture.entities(["A.bs B.a", "B.a A.bs"])
    ])
    let history = try update.extending(try second.coreData())
    #expect(history.versions.count == 2)
    #expect(history.reasons("A", "bs").contains { $0.contains("begins without links") })
  }
}
