import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// Which lost changes the report of a downgrade excuses.
@Suite struct NamedLossTests {
  /// Teams 1 and 2 have members: cats up to 9 were there before the step, and later ones were created by it.
  private func difference(members: [Int64], after: [Int64]) throws -> ContentDifference {
    let schema = Schema(
      name: "Cats", version: 0,
      models: [
        Model(name: "Cat", properties: [.required("name", .string)]),
        Model(name: "Team", properties: [.list("members", of: "Cat")]),
      ])
    func data(_ members: [Int64]) -> ProofData {
      let cats = (3...12).map { number in
        ProofObject(model: "Cat", identity: number, values: ["name": .string("c\(number)")])
      }
      let team = ProofObject(
        model: "Team", identity: 1,
        collections: ["members": members.map { CollectionElement(key: nil, value: .link($0)) }])
      return ProofData(schema: schema, objects: [team] + cats, nextRow: 13)
    }
    return try #require(
      ContentComparison(schema: schema, createdFrom: 10)
        .differences(data(members), data(after)).first)
  }

  /// 13 objects, of which ten are named.
  private func notes(of model: String, _ property: String?) -> ProofNotes {
    var notes = ProofNotes()
    notes.losses = [
      ProofNotes.Loss(
        model: model, property: property, reason: "it is given up", count: 13,
        identities: [1, 2, 3, 4, 5, 6, 7, 8, 9, 11])
    ]
    return notes
  }

  @Test func aLossOfAnotherModelExcusesNoLinkToWhatWasThere() throws {
    let difference = try difference(members: [3, 4], after: [3])
    #expect(difference.property == "members")
    #expect(!notes(of: "Cat", "name").names(difference, createdFrom: 10))
    #expect(notes(of: "Team", "members").names(difference, createdFrom: 10))
  }

  /// Which one it is nothing says: it has another number each time.
  @Test(arguments: [([3, 11], [3]), ([3], [3, 12])] as [([Int64], [Int64])])
  func aLossThatDoesNotNameAllExcusesALinkToWhatWasCreated(
    _ members: [Int64], _ after: [Int64]
  ) throws {
    let difference = try difference(members: members, after: after)
    #expect(notes(of: "Cat", "name").names(difference, createdFrom: 10))
  }
}
