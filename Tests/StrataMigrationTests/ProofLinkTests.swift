import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// What the links and the long texts of a proof's objects are, and that links which no file may have are found.
@Suite struct ProofLinkTests {
  private static let seeds: [UInt64] = [0, 1, 42]

  /// Objects in a row, each leading to the next.
  private struct Row: Hashable {
    let length: Int
    let isCircle: Bool
  }

  /// The circles, and the chains from objects to which nothing leads up to one that leads nowhere, or into a circle.
  private func rows(of data: ProofData, by link: (ProofObject) -> Int64?) -> Set<Row> {
    let next = Dictionary(uniqueKeysWithValues: data.objects.map { ($0.identity, link($0)) })
    var rows: Set<Row> = []
    for start in next.keys {
      var places: [Int64: Int] = [:]
      var current: Int64? = start
      while let object = current, places[object] == nil {
        places[object] = places.count
        current = next[object] ?? nil
      }
      let isCircle = current == start
      rows.insert(Row(length: places.count, isCircle: isCircle))
    }
    return rows
  }

  /// `boss` and `friends` stand at different places among the properties; `head` has to lead somewhere.
  private static let people = Schema(
    name: "People", version: 0,
    models: [
      Model(
        name: "Person",
        properties: [
          .link("boss", to: "Person"), .list("friends", of: "Person"),
          Property(
            name: "head", type: .value(ValueType(.object("Person"))), deleteRule: .cascade),
          .required("n", .int), .link("other", to: "Person"),
        ])
    ])

  @Test(arguments: seeds)
  func linksMakeCirclesAndChainsOfSeveralLengths(_ seed: UInt64) {
    let data = ProofGenerator.data(for: Self.people, seed: seed)
    let links: [String: (ProofObject) -> Int64?] = [
      "boss": { $0.values["boss"]?.linked },
      "friends": { $0.collections["friends"]?.first?.value.linked },
      "head": { $0.values["head"]?.linked },
      "other": { $0.values["other"]?.linked },
    ]

    #expect(data.objects.count == ProofGenerator.objectsPerModel)
    for (name, link) in links where name != "friends" {
      let rows = rows(of: data, by: link)
      let circles = Set(rows.filter(\.isCircle).map(\.length))
      #expect(circles.isSuperset(of: [1, 2, 3, 8]), "\(name): \(circles.sorted())")
      let chains = rows.filter { !$0.isCircle }.map(\.length)
      #expect(chains.max() ?? 0 >= 20, "\(name): \(chains.sorted())")
      let ends = data.objects.count { link($0) == nil }
      #expect(name == "head" ? ends == 0 : ends > 3, "\(name): \(ends)")
      let shared = Dictionary(grouping: data.objects.compactMap(link)) { $0 }.values.map(\.count)
      #expect(shared.max() ?? 0 >= 4, "\(name)")
    }
    // The first elements of lists; a row ends where one is empty.
    let friends = links["friends"].map { rows(of: data, by: $0) } ?? []
    #expect(friends.contains { $0.length > 2 }, "\(friends)")
  }

  /// The first of them is told from the others only where there are two.
  @Test(arguments: seeds)
  func twoObjectsHaveLongTexts(_ seed: UInt64) {
    let schema = Schema(
      name: "Notes", version: 0,
      models: [
        Model(name: "Note", properties: [.optional("a", .string), .required("b", .string)])
      ])

    let data = ProofGenerator.data(for: schema, seed: seed)

    for name in ["a", "b"] {
      let lengths = data.objects.compactMap { object -> Int? in
        guard case .string(let text)? = object.values[name], text.utf8.count > 1000 else {
          return nil
        }
        return text.utf8.count
      }
      #expect(lengths.count == 2 && Set(lengths).count == 2, "\(name): \(lengths)")
    }
  }

  // MARK: - Links that no file may have

  /// The same on each path, so that no comparison finds it.
  @Test func whatACheckOfTheFileFindsIsAFailure() throws {
    let models = [
      Model(name: "P", properties: [.link("home", to: "Place"), .optional("x", .any)]),
      Model(name: "Place", isEmbedded: true, properties: [.required("city", .string)]),
    ]
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: models), nil),
          (
            "2026-02-01", Schema(name: "Test", version: 1, models: models), MigrationStep(to: 1)
          ),
        ]))
    var proof = MigrationProof(target: target, seed: 42)
    proof.objectsPerModel = 4
    proof.crowd = 0
    proof.engine = { upgrade, target in
      try ProofBench.ownEngine(upgrade, target)
      let database = try Database(path: upgrade.file, mode: .readWrite)
      defer { database.close() }
      try database.execute(
        "UPDATE P SET x = x'090000000000000007506C616365' WHERE _row = (SELECT min(_row) FROM P)")
    }

    let report = try proof.run()

    #expect(
      report.failures.contains {
        $0.explanation.contains(
          "`inspect --check` finds that P.x of _row 1 holds a link to a Place, which is embedded")
      }, "\(report)")
  }
}

extension Value {
  fileprivate var linked: Int64? {
    if case .link(let identity) = self { return identity }
    return nil
  }
}
