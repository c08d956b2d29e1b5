import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What it costs to mend a merged file, in SQLite's own instructions: four times as many objects about four times as much. A table that
/// is read anew for each object would make it 16.
@Suite struct DowngradeCostTests {
  private func route(_ older: [Model], _ newer: [Model]) throws -> BackRoute {
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: older), nil),
          ("2026-02-01", Schema(name: "Test", version: 1, models: newer), nil),
        ]), steps: [])
    let versions = target.history.versions
    return try BackRoute(UpgradeRoute(versions: versions, target: target), versions: versions)
  }

  /// The old file, with all indexes, and the merged one, whose unique indexes are off.
  private func files(_ route: BackRoute, _ old: [String], _ main: [String]) throws -> Database {
    let layout = TableLayout(route.older)
    let database = try Database(path: ":memory:")
    try database.execute("ATTACH ':memory:' AS old")
    for statement in layout.statements(in: "old") { try database.execute(statement) }
    for model in layout.models {
      for statement in model.statements(.tables, in: "main") { try database.execute(statement) }
    }
    for statement in old + main { try database.execute(statement) }
    return database
  }

  private func instructions(in database: Database, _ body: () throws -> Void) throws -> Int {
    let granularity = 10
    var ticks = 0
    database.setProgressHandler(every: granularity) {
      ticks += 1
      return false
    }
    defer { database.setProgressHandler(every: 0, nil) }
    try body()
    return ticks * granularity
  }

  private func expectLinear(_ cost: (Int) throws -> Int) throws {
    let (small, large) = (try cost(400), try cost(1600))
    #expect(large < small * 6, "\(small) and \(large) instructions")
  }

  private func numbers(_ count: Int) -> String {
    "WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < \(count)) "
  }

  /// Everyone moved to the first one's place, and gets the own one again.
  @Test func ownersOfOneObject() throws {
    func models(embedded: Bool) -> [Model] {
      [
        Model(
          name: "Person",
          properties: [
            .link("home", to: "Place"), .list("homes", of: "Place"), .required("name", .string),
          ]),
        Model(name: "Place", isEmbedded: embedded, properties: [.required("n", .int)]),
      ]
    }
    let route = try route(models(embedded: true), models(embedded: false))
    try expectLinear { count in
      let database = try files(
        route,
        [
          numbers(count) + "INSERT INTO old.Place(_row, n) SELECT \(count) + x, x FROM i",
          numbers(count)
            + "INSERT INTO old.Person(_row, home, name) SELECT x, \(count) + x, x FROM i",
        ],
        [
          "INSERT INTO main.Place SELECT * FROM old.Place",
          "INSERT INTO main.Person(_row, home, name) SELECT _row, \(count) + 1, name FROM old.Person",
        ])
      let repair = OwnerRepair(database, route, LinkHolders(in: route.older))
      var notes = LossNotes()

      let cost = try instructions(in: database) { try repair.separate(repair.models, &notes) }

      #expect(
        try database.rows(
          "SELECT _row, home FROM main.Person EXCEPT SELECT _row, home FROM old.Person")
          == [])
      return cost
    }
  }

  /// Each two have one address, or all of them, and get the old file's again.
  @Test(arguments: [2, 10_000]) func valuesThatHaveToBeUnique(inOneGroup size: Int) throws {
    var email = Property.required("email", .string)
    email.isUnique = true
    let route = try route(
      [Model(name: "Person", properties: [email])],
      [Model(name: "Person", properties: [.required("email", .string)])])
    try expectLinear { count in
      let database = try files(
        route,
        [numbers(count) + "INSERT INTO old.Person(_row, email) SELECT x, 'own' || x FROM i"],
        [
          "INSERT INTO main.Person(_row, email) SELECT _row, 'of' || (_row / \(size)) FROM old.Person",
          """
          CREATE TABLE \(ChangeDetection.objects) (way INTEGER, row INTEGER, kind INTEGER, \
          PRIMARY KEY (way, row)) WITHOUT ROWID
          """,
          """
          INSERT INTO \(ChangeDetection.objects) \
          SELECT 0, _row, \(ChangeDetection.Kind.changed.rawValue) FROM old.Person
          """,
        ])
      let found = ChangeDetection.Result(counts: [[.changed: count]], properties: [[0]])
      var notes = LossNotes()

      let cost = try instructions(in: database) {
        try MergeRepair(database, route, found).run(&notes)
      }

      #expect(
        try database.rows("SELECT email FROM main.Person GROUP BY email HAVING count(*) > 1") == [])
      return cost
    }
  }
}
