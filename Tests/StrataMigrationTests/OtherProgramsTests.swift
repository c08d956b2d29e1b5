import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// Tables of other programs in a file that is upgraded or taken back.
@Suite struct OtherProgramsTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }

  init() throws { downs = try DowngradeBench() }

  /// The model is renamed and gains a property: no row changes.
  private var inPlace: UpgradeTarget {
    downs.target(
      [Model(name: "Person", properties: [.required("name", .string)])],
      [
        Model(
          name: "Human", properties: [.required("name", .string), .optional("nick", .string)])
      ]
    ) { $0.renames.models = ["Person": "Human"] }
  }

  private static let others = [
    "CREATE TABLE AppSettings (k TEXT, v, person INTEGER REFERENCES Person(_row))",
    "INSERT INTO AppSettings VALUES ('theme', 'dark', 1)",
    "CREATE TABLE AppLog (k TEXT)",
    """
    CREATE TRIGGER AppSettingsChanged AFTER INSERT ON AppSettings BEGIN \
    INSERT INTO AppLog VALUES (new.k); END
    """,
    "CREATE VIEW AppNames AS SELECT _row, name FROM Person",
    "CREATE INDEX AppIndex ON Person (name)",
    "CREATE VIRTUAL TABLE AppSearch USING fts5(words)",
    "INSERT INTO AppSearch VALUES ('needle')",
  ]

  /// VACUUM writes the definitions in another order.
  @Test(arguments: [false, true])
  func anUpgradeInPlaceKeepsThem(behindVacuum: Bool) throws {
    let file = try bench.sample(version: 0, of: inPlace, objects: 3)
    for statement in Self.others { try bench.sql(file, statement) }
    if behindVacuum { try bench.sql(file, "VACUUM") }
    let names = try bench.sql(file, "SELECT name FROM Person ORDER BY _row")

    let plan = try UpgradePlan.make(path: file, target: inPlace, options: .init())
    let report = try Upgrade(path: file, target: inPlace).run()

    #expect(plan.write == .inPlace)
    #expect(report.leftOut == [])
    #expect(plan.otherTables == ["AppLog", "AppNames", "AppSearch", "AppSettings"])
    try bench.sql(file, "INSERT INTO AppSettings VALUES ('font', 'large', NULL)")
    #expect(
      try bench.sql(file, "SELECT k, v FROM AppSettings") == [
        [.text("theme"), .text("dark")], [.text("font"), .text("large")],
      ])
    #expect(try bench.sql(file, "SELECT k FROM AppLog") == [[.text("font")]])
    #expect(try bench.sql(file, "SELECT name FROM AppNames ORDER BY _row") == names)
    #expect(
      try bench.sql(file, "SELECT words FROM AppSearch('needle')") == [[.text("needle")]])
    #expect(
      try bench.sql(file, "SELECT count(*) FROM sqlite_schema WHERE name = 'AppIndex'")
        == [[.integer(1)]])
    let found = try FileInspector().inspect(file, target: inPlace, checksAll: true)
    #expect(found.status == .current)
    #expect(found.contentProblems == [])
  }

  /// Of a file with these SQLite 3.40 reads no definition at all, as long as it does not trust them.
  @Test func computedColumnsAndIndexesOverJSONAreRead() throws {
    let file = try bench.sample(version: 0, of: inPlace, objects: 3)
    let other = try Database(path: file, mode: .readWrite)
    try other.set(.trustedSchema, true)
    try other.execute("CREATE TABLE AppNotes (json TEXT, title TEXT AS (json ->> '$.title'))")
    try other.execute("CREATE INDEX AppYears ON AppNotes (json_extract(json, '$.year'))")
    try other.execute(#"INSERT INTO AppNotes VALUES ('{"title": "Emma", "year": 1815}')"#)
    other.close()
    #expect(try FileInspector().inspect(file, target: inPlace).status == .upgradable)

    let report = try Upgrade(path: file, target: inPlace).run()

    #expect(report.leftOut == [])
    #expect(try bench.sql(file, "SELECT title FROM AppNotes") == [[.text("Emma")]])
    #expect(try FileInspector().inspect(file, target: inPlace).status == .current)
    var options = Upgrade.Options()
    options.output = bench.path("new.db")
    let written = try Upgrade(path: file, target: inPlace, options: options).run()
    #expect(!written.isUpgrade)
  }

  /// Renames after which an index of a name that both versions have is on another column, or on another collection's table.
  struct Renaming: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var old: [String]
    var new: [String]
    /// Old name → new name.
    var names: [String: String]

    static let all = [
      Renaming(
        testDescription: "a chain", old: ["name", "nick"], new: ["fullName", "name"],
        names: ["nick": "name", "name": "fullName"]),
      Renaming(
        testDescription: "a swap", old: ["name", "nick"], new: ["name", "nick"],
        names: ["nick": "name", "name": "nick"]),
      Renaming(
        testDescription: "a name that is used again", old: ["a"], new: ["a", "b"],
        names: ["a": "b"]),
      Renaming(
        testDescription: "three in a ring", old: ["a", "b", "c"], new: ["a", "b", "c"],
        names: ["a": "b", "b": "c", "c": "a"]),
    ]
  }

  /// What has an index.
  enum Indexed: CaseIterable { case ordinary, unique, first, pair, links }

  /// A property has a value in each object if it continues one; of those that are new no two values may agree.
  private func person(_ names: [String], _ indexed: Indexed, isNew: (String) -> Bool) -> Model {
    let properties = names.sorted().enumerated().map { position, name -> Property in
      if indexed == .links { return Property.list(name, of: "Person") }
      var property =
        isNew(name) ? Property.optional(name, .string) : Property.required(name, .string)
      if indexed == .ordinary || indexed == .first && position == 0 { property.index = .ordinary }
      property.isUnique = indexed == .unique
      return property
    }
    return Model(
      name: "Person", indexes: indexed == .pair && names.count > 1 ? [names.sorted()] : [],
      properties: [.required("age", .int)] + properties)
  }

  /// SQLite takes an index along with the column that is renamed.
  @Test(arguments: Renaming.all, Indexed.allCases)
  func indexesOfRenamedPropertiesAreMadeAnewInPlace(_ renaming: Renaming, _ indexed: Indexed) throws
  {
    let names = renaming.names
    let target = downs.target(
      [person(renaming.old, indexed) { _ in false }],
      [person(renaming.new, indexed) { !names.values.contains($0) }]
    ) { step in
      step.renames.properties = Dictionary(
        uniqueKeysWithValues: names.map { (SchemaPath("Person", $0.key), $0.value) })
    }
    let file = try bench.sample(version: 0, of: target, objects: 5)
    let fresh = try bench.sample("fresh.db", version: 1, of: target, objects: 0)
    try bench.sql(file, "CREATE TABLE AppSettings (k TEXT)")
    try bench.sql(file, "INSERT INTO AppSettings VALUES ('theme')")

    let plan = try UpgradePlan.make(path: file, target: target, options: .init())
    let report = try Upgrade(path: file, target: target).run()

    #expect(plan.write == .inPlace)
    #expect(report.leftOut == [])
    #expect(try bench.sql(file, "SELECT k FROM AppSettings") == [[.text("theme")]])
    let indexes = """
      SELECT i.name, i.tbl_name, c.name FROM sqlite_schema i, pragma_index_info(i.name) c \
      WHERE i.type = 'index' AND i.sql IS NOT NULL ORDER BY i.name, c.seqno
      """
    #expect(try bench.sql(file, indexes) == bench.sql(fresh, indexes))
    let found = try FileInspector().inspect(file, target: target, checksAll: true)
    #expect(found.status == .current)
    #expect(found.contentProblems == [])
  }

  /// As a file of an earlier edition may have one less.
  @Test func anIndexThatTheFileLacksIsMadeInPlace() throws {
    var name = Property.required("name", .string)
    name.index = .ordinary
    let before = Model(name: "Person", properties: [name])
    let after = Model(name: "Person", properties: [name, .optional("nick", .string)])
    let target = downs.target([before], [after])
    let file = try bench.sample(version: 0, of: target, objects: 3)
    try bench.sql(file, "DROP INDEX \"Person.name.index\"")
    try bench.sql(file, "CREATE TABLE AppSettings (k, v)")

    let plan = try UpgradePlan.make(path: file, target: target, options: .init())
    try Upgrade(path: file, target: target).run()

    #expect(plan.write == .inPlace)
    #expect(
      try bench.sql(
        file,
        "SELECT name FROM sqlite_schema WHERE name IN ('AppSettings', 'Person.name.index') ORDER BY name"
      ) == [[.text("AppSettings")], [.text("Person.name.index")]])
  }

  /// The file may be in use by an app that is told so before.
  @Test func aPlanNamesWhatAnUpgradeLeavesOut() throws {
    let target = downs.renaming
    let file = try bench.sample(version: 0, of: target, objects: 3)
    try bench.sql(file, "CREATE TABLE AppSettings (k, v)")
    try bench.sql(file, "CREATE VIEW AppNames AS SELECT name FROM Person")

    let plan = try UpgradePlan.make(path: file, target: target, options: .init())
    let report = try Upgrade(path: file, target: target).run()

    #expect(plan.write == .aside)
    #expect(plan.otherTables == ["AppNames", "AppSettings"])
    #expect(report.leftOut == ["AppNames", "AppSettings"])
    #expect(
      try bench.sql(file, "SELECT name FROM sqlite_schema WHERE name LIKE 'App%'") == [])
  }

  /// Where SQLite cannot rename beside a view that is broken already, or a new table's name is taken.
  @Test(
    arguments: [
      ("CREATE VIEW AppNames AS SELECT name FROM Gone", "AppNames"),
      ("CREATE TABLE human (k)", "human"),
    ])
  func whereTheyAreInTheWayThePlanSaysSo(statement: String, name: String) throws {
    let file = try bench.sample(version: 0, of: inPlace, objects: 3)
    try bench.sql(file, statement)

    let plan = try UpgradePlan.make(path: file, target: inPlace, options: .init())
    try Upgrade(path: file, target: inPlace).run()

    #expect(plan.write == .aside)
    #expect(plan.otherTables == [name])
    #expect(try FileInspector().inspect(file, target: inPlace).status == .current)
  }

  /// Two spellings of one letter are two names for SQLite, and equal texts in Swift.
  @Test func aDowngradeLeavesOutATableAndAViewOfOneNameInTwoSpellings() throws {
    let target = downs.renaming
    let (old, new) = try downs.files(target, objects: 3)
    for file in [old, new] {
      try bench.sql(file, "CREATE TABLE \"caf\u{E9}\" (x)")
      try bench.sql(file, "CREATE VIEW \"cafe\u{301}\" AS SELECT 1")
    }

    let report = try downs.downgrade(new, old, target)

    #expect(report.otherTables == ["caf\u{E9}", "cafe\u{301}"])
    #expect(try bench.sql(new, "SELECT name FROM sqlite_schema WHERE name LIKE 'caf%'") == [])
    #expect(try digest(new, target) == digest(old, target))
  }

  /// Those of the old file are older than those of the newer one, and would pass for them.
  @Test func aDowngradeNamesWhatItLeavesOutAndBringsNothingOldBack() throws {
    let target = downs.renaming
    let old = try bench.sample("old.db", version: 0, of: target, objects: 3)
    try bench.sql(old, "CREATE TABLE notes (x)")
    try bench.sql(old, "CREATE VIEW names AS SELECT name FROM Person")
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    try bench.sql(new, "CREATE TABLE later (x)")

    let report = try downs.downgrade(new, old, target)

    #expect(report.otherTables == ["later"])
    #expect(
      report.text == """
          nothing has changed since the upgrade
          left out, because other programs have made it: later
          nothing else is lost
        """)
    #expect(
      try bench.sql(new, "SELECT name FROM sqlite_schema WHERE name IN ('notes', 'names', 'later')")
        == [])
    #expect(try digest(new, target) == digest(old, target))
  }
}
