import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// What a proof changes in a file of the newest version before it takes it back.
@Suite struct WayBackEditTests {
  /// Six objects `Cat`, or as many, with the names c1 to c6, the ages 1 to 6 and the lists [n, n + 10], of which the database is changed.
  ///
  /// - Returns: whether an app could have written that, and the cats after it, a text for each.
  private func cats(
    after edit: WayBackEdit, rules: [ModelRule] = [], ids: Bool = false, count: Int64 = 6
  ) throws -> (isPossible: Bool, cats: [String]) {
    let id: [Property] = ids ? [.required("id", .int)] : []
    let schema = Schema(
      name: "Cats", version: 0,
      models: [
        Model(
          name: "Cat", primaryKey: ids ? ["id"] : [],
          properties: id + [
            .required("name", .string), .required("age", .int),
            Property(name: "toys", type: .list(ValueType(.scalar(.int)))),
          ], rules: rules)
      ])
    let data = ProofData(
      schema: schema,
      objects: (1...count).map { number in
        ProofObject(
          model: "Cat", identity: number,
          values: (ids ? ["id": .int(number)] : [:]).merging([
            "name": .string("c\(number)"), "age": .int(number),
          ]) { $1 },
          collections: [
            "toys": [number, number + 10].map { CollectionElement(key: nil, value: .int($0)) }
          ])
      }, nextRow: count + 1)
    let folder = try TemporaryFolder()
    let path = folder.path + "/cats.db"
    let version = FrozenVersion(
      schema: schema, step: nil, date: "2026-01-01T00:00:00Z", stepDigest: nil, chain: nil)
    try data.write(to: path, at: version, lineage: Lineage(beginning: schema))
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    let isPossible = try edit.apply(to: database, schema)
    let rows = try database.rows(
      """
      SELECT _row, name, age, (SELECT group_concat(value, ' ') FROM "Cat.toys" WHERE _owner = _row) FROM Cat
      """)
    return (
      isPossible,
      rows.map { row in
        "\(row[0].ifInteger ?? 0): \(row[1].ifText ?? "") \(row[2].ifInteger ?? 0) [\(row[3].ifText ?? "")]"
      }
    )
  }

  @Test func anObjectGetsAllValuesOfAnotherAndOneIsDeleted() throws {
    #expect(
      try cats(after: .wholeObjects).cats == [
        "1: c6 6 [1 11]", "3: c3 3 [3 13]", "4: c4 4 [4 14]", "5: c5 5 [5 15]", "6: c6 6 [6 16]",
      ])
  }

  @Test func propertiesAreChangedOneByOne() throws {
    #expect(
      try cats(after: .singleValues).cats == [
        "1: c1 4 [1 11]", "2: c5 2 [2 12]", "3: c3 3 [3 13]", "4: c4 4 [4 14]", "5: c5 5 [5 15]",
        "6: c6 6 [6 16]",
      ])
  }

  @Test(arguments: 2...5 as ClosedRange<Int64>)
  func propertiesAreChangedAlsoOfFewObjects(count: Int64) throws {
    let cats = try cats(after: .singleValues, count: count).cats
    #expect(cats.filter { $0.hasPrefix("1: c1 ") && !$0.hasPrefix("1: c1 1 ") }.count == 1)
    #expect(cats.filter { $0.hasPrefix("2: ") && !$0.hasPrefix("2: c2 ") }.count == 1)
  }

  @Test func collectionsLoseAnElementOrGetOthers() throws {
    #expect(
      try cats(after: .collections).cats == [
        "1: c1 1 [11]", "2: c2 2 [3 13]", "3: c3 3 [3 13]", "4: c4 4 [14]", "5: c5 5 [6 16]",
        "6: c6 6 [6 16]",
      ])
  }

  @Test func objectsAreMadeUnderNewNumbers() throws {
    #expect(
      try cats(after: .newObjects).cats.suffix(2) == ["7: c1 1 []", "8: c2 2 []"])
    #expect(try cats(after: .newObjects, ids: true).cats.count == 6)
  }

  @Test func whatBreaksARuleIsNoChangeOfAnApp() throws {
    let rule = ModelRule(name: "initial", condition: "name == 'c' + string(age)", sentence: nil)
    #expect(try cats(after: .singleValues, rules: [rule]).isPossible == false)
    #expect(try cats(after: .wholeObjects, rules: [rule]).isPossible)
  }
}
