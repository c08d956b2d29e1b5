import ClubMigrations
import Strata
import StrataTesting
import Testing

/// What each example of docs/migrations.md makes of a club's objects. The examples themselves stand in
/// `Tests/StepExamples/migrations`.
@Suite("The examples of docs/migrations.md")
struct StepExampleTests {
  /// Ada and Bo live together; Cy has Bo's address of e-mail, Di never paid; two guests came.
  private static let objects = """
    {"$model":"Member","$id":1,"number":1,"firstName":"Ada","lastName":"Ash","nickname":"A","email":"ada@x","level":"3","points":5,"fax":"1","street":"Elm 1","town":"Ulm"}
    {"$model":"Member","$id":2,"number":2,"firstName":"Bo","lastName":"Bay","email":"bo@x","level":"high","street":"Elm 1","town":"Ulm","sponsor":{"$id":1},"coaches":[{"$id":4},{"$id":1}]}
    {"$model":"Member","$id":3,"number":-3,"firstName":"Di","lastName":"Dee","email":"di@x","level":"1","street":"Elm 9","town":"Ulm"}
    {"$model":"Member","$id":4,"number":4,"firstName":"Cy","lastName":"Cox","email":"bo@x","level":"7","street":"Oak 2","town":"Bonn","sponsor":{"$id":3}}
    {"$model":"Member","$id":5,"number":5,"firstName":"Ed","lastName":"Elm","email":"ed@x","level":"1","street":"Oak 2","town":"Bonn","sponsor":{"$id":4}}
    {"$model":"Guest","$id":6,"name":"Gil"}
    {"$model":"Guest","$id":7,"name":"Hal"}
    {"$model":"Visit","$id":8,"day":"2026-01-01T00:00:00Z","guest":{"$id":7}}
    {"$model":"Visit","$id":9,"day":"2026-01-02T00:00:00Z","guest":null}
    {"$model":"Team","$id":10,"name":"Red","captainNumber":2}
    {"$model":"Team","$id":11,"name":"Blue","captainNumber":99}
    {"$model":"Draft","$id":12,"text":"x"}
    """

  private func club(at version: Int) throws -> Club {
    try Club(Self.objects).upgrade(to: version)
  }

  @Test("Expressions, renames, deletions, duplicates and what is given up, in one declarative step")
  func declarative() throws {
    let club = try club(at: 1)
    #expect(
      try club.objects("Member", "$id", "number", "name", "nick", "email", "level", "points") == [
        ["1", "1", "Ada Ash", "A", "ada@x", "3", "5"],
        // A level that is no number counts as 0; the points that he had stay.
        ["2", "2", "Bo Bay", "nil", "bo@x", "0", "0"],
        // Di is not carried over. Cy has the same address as Bo, who stays.
        ["5", "5", "Ed Elm", "nil", "ed@x", "1", "0"],
      ])
    #expect(
      try club.objects("Member", "name", "sponsor", "sponsorName", "coach") == [
        ["Ada Ash", "nil", "nil", "nil"],
        // His first coach was Cy, whose place Bo has taken.
        ["Bo Bay", "→1", "Ada", "→2"],
        ["Ed Elm", "→2", "Cy", "nil"],
      ])
    #expect(throws: MigrationError.self) { try club.objects("Draft") }
  }

  @Test("What was changed since goes back over the declarative step, the rest is as it was")
  func back() throws {
    let club = try Club(Self.objects)
    let names = ["$id", "firstName", "lastName", "nickname", "level", "fax"]
    let before = try club.objects("Member", names)
    try club.keep("old.db")
    try club.upgrade(to: 1)
    try club.change(#"{"$model":"Member","number":1,"name":"Ada Oak","nick":"Ady"}"#)

    let report = try club.takeBack(to: "old.db")

    #expect(report.isLossless)
    #expect(report.changes.map(\.changed) == [1])
    let after = try club.objects("Member", names)
    #expect(after.first == ["1", "Ada", "Oak", "Ady", "3", "1"])
    #expect(after.dropFirst() == before.dropFirst())
  }

  @Test("Objects are looked up by key, linked, and deleted")
  func lookup() throws {
    let club = try club(at: 2)
    // Nobody has the number of Blue's captain.
    #expect(try club.objects("Team", "name", "captain") == [["Red", "→2"]])
  }

  @Test("A primary key changes, and links stay; the new keys are the same on every way")
  func primaryKey() throws {
    let club = try club(at: 3)
    let members = try club.objects("Member", "$id", "number", "sponsor", "coach", "id")
    #expect(
      members.map { Array($0.prefix(4)) } == [
        ["1", "1", "nil", "nil"], ["2", "2", "→1", "→2"], ["5", "5", "→2", "nil"],
      ])
    #expect(Set(members.map { $0[4] }).count == 3)
    let other = try Club(Self.objects)
    for version in 1...3 { try other.upgrade(to: version) }
    #expect(try other.objects("Member", "$id", "number", "sponsor", "coach", "id") == members)
  }

  @Test("One model becomes two: members of one address share a place")
  func split() throws {
    let club = try club(at: 4)
    #expect(
      try club.objects("Member", "name", "place") == [
        ["Ada Ash", "→13"], ["Bo Bay", "→13"], ["Ed Elm", "→14"],
      ])
    #expect(
      try club.objects("Place", "$id", "street", "town") == [
        ["13", "Elm 1", "Ulm"], ["14", "Oak 2", "Bonn"],
      ])
  }

  @Test("Two models become one, and links to the one that is gone follow")
  func merge() throws {
    let club = try club(at: 5)
    #expect(
      try club.objects("Person", "$id", "number", "name", "email", "points") == [
        ["1", "1", "Ada Ash", "ada@x", "5"], ["2", "2", "Bo Bay", "bo@x", "0"],
        ["5", "5", "Ed Elm", "ed@x", "0"], ["15", "nil", "Gil", "nil", "10"],
        ["16", "nil", "Hal", "nil", "10"],
      ])
    #expect(try club.objects("Visit", "$id", "person") == [["8", "→16"], ["9", "nil"]])
    #expect(throws: MigrationError.self) { try club.objects("Guest") }
  }

  @Test("Objects become embedded: shared ones are copied, the others stay what they are")
  func embedding() throws {
    let club = try club(at: 5)
    let shared = try club.objects("Person", "name", "place")
    #expect(shared[0][1] == shared[1][1])
    try club.upgrade(to: 6)
    let homes = try club.objects("Person", "name", "place").map { "\($0[0]): \($0[1])" }
    #expect(
      homes == [
        #"Ada Ash: {"street":"Elm 1","town":"Ulm"}"#, #"Bo Bay: {"street":"Elm 1","town":"Ulm"}"#,
        #"Ed Elm: {"street":"Oak 2","town":"Bonn"}"#, "Gil: nil", "Hal: nil",
      ])
    #expect(try club.count(ofRowsIn: "Place") == 3)
  }

  @Test("Objects that become embedded and have no owner go away")
  func orphans() throws {
    let club = try club(at: 5)
    #expect(try club.objects("Place", "street") == [["Elm 1"], ["Oak 2"]])
    // Ed moves out, so that nobody lives in the second one.
    let ed = try club.objects("Person", "name", "id").first { $0[0] == "Ed Elm" }?[1] ?? ""
    try club.change(#"{"$model":"Person","id":"\#(ed)","place":null}"#)
    try club.upgrade(to: 6)
    #expect(try club.count(ofRowsIn: "Place") == 2)
    #expect(
      try club.objects("Person", "place").map { $0[0] } == [
        #"{"street":"Elm 1","town":"Ulm"}"#, #"{"street":"Elm 1","town":"Ulm"}"#, "nil", "nil",
        "nil",
      ])
  }

  @Test("Every path through the versions gives the same data")
  func proof() throws {
    let report = try assertMigrations(ClubMigrations.self)
    #expect(report.isProven)
  }
}
