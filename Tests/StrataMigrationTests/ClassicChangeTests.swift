import StrataExpression
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// The cases of Realm's migration block: what it creates, deletes, renames, and what it must not do.
@Suite struct ClassicChangeTests {
  let bench: ClassicBench

  init() throws { bench = try ClassicBench() }

  private static func pet(key: [String] = [], _ properties: Property...) -> [Model] {
    [Model(name: "P", primaryKey: key, properties: properties)]
  }

  private static let values = pet(.required("value", .int))
  private static let three = "INSERT INTO P(_row, value) VALUES (1, 10), (2, 20), (3, 30)"

  @Test func case19DeletedObjectsAreSkippedByTheNextEnumeration() throws {
    try bench.write(1, Self.values, Self.three)
    let seen = Tally()

    try bench.migrate(to: 2, Self.values) { migration, _ in
      migration.enumerateObjects(ofType: "P") { old, new in
        if old!["value"] as? Int == 20 { migration.delete(new!) }
      }
      migration.enumerateObjects(ofType: "P") { old, _ in seen.note("\(old!["value"]!)") }
    }

    #expect(seen.noted == ["10", "30"])
    #expect(try bench.column("SELECT value FROM P") == [.integer(10), .integer(30)])
  }

  @Test func case20CreatedObjectsAreStored() throws {
    try bench.write(1, Self.values, Self.three)

    try bench.migrate(
      to: 2, Self.pet(.required("value", .int), .required("note", .string, default: .string("-")))
    ) { migration, _ in
      migration.create("P", value: ["value": 40])
      migration.create("P", value: ["both", 50])
      let empty = migration.create("P")
      empty["note"] = "late"
    }

    #expect(
      try bench.sql("SELECT _row, value, note FROM P WHERE _row > 3 ORDER BY _row")
        == [
          [.integer(1000), .integer(40), .text("-")],
          [.integer(1001), .integer(50), .text("both")],
          [.integer(1002), .integer(0), .text("late")],
        ])
  }

  @Test func case21WritingToAnOldObjectIsAnError() throws {
    try bench.write(1, Self.values, Self.three)

    let error = try bench.refusal(to: 2, Self.values) { migration, _ in
      migration.enumerateObjects(ofType: "P") { old, _ in old!["value"] = 1 }
    }

    #expect(error?.kind == .blockFailed)
    #expect(error?.description.contains("P.value of an old object cannot be changed") == true)
    #expect(error?.identity == 1)
  }

  @Test func case21ReadingARemovedPropertyFromANewObjectIsAnErrorThatNamesIt() throws {
    try bench.write(1, Self.values, Self.three)

    let error = try bench.refusal(to: 2, Self.pet(.required("other", .int))) { migration, _ in
      migration.enumerateObjects(ofType: "P") { _, new in _ = new!["value"] }
    }

    #expect(error?.description.contains("P has no property 'value' in the newest schema") == true)
    #expect(error?.model == "P")
  }

  // MARK: - Embedded objects in `any`

  private static func placed(isEmbedded: Bool) -> [Model] {
    pet(.link("home", to: "Place"), .optional("x", .any)) + [
      Model(name: "Place", isEmbedded: isEmbedded, properties: [.required("city", .string)])
    ]
  }

  @Test func anEmbeddedObjectIsNotPutIntoAny() throws {
    try bench.write(
      1, Self.placed(isEmbedded: true), "INSERT INTO Place(_row, city) VALUES (7, 'Bonn')",
      "INSERT INTO P(_row, home) VALUES (1, 7)")

    let error = try bench.refusal(to: 2, Self.placed(isEmbedded: true)) { migration, _ in
      migration.enumerateObjects(ofType: "P") { old, new in new!["x"] = old!["home"] }
    }

    #expect(
      error?.description.contains("P.x is any and cannot lead to a Place, which is embedded: ")
        == true, "\(error?.description ?? "")")
    #expect(error?.model == "P")
    #expect(error?.identity == 1)
  }

  /// `x` leads to the place, too, which is the old object's as it was.
  @Test func aLinkInAnyToWhatBecomesEmbeddedReadsNilAndGoes() throws {
    try bench.write(
      1, Self.placed(isEmbedded: false), "INSERT INTO Place(_row, city) VALUES (7, 'Bonn')",
      "INSERT INTO P(_row, home, x) VALUES (1, 7, x'090000000000000007506C616365')")
    let seen = Tally()

    try bench.migrate(to: 2, Self.placed(isEmbedded: true)) { migration, _ in
      migration.enumerateObjects(ofType: "P") { old, new in
        let before = old!["x"] as? MigrationObject
        seen.note("\(before?["city"] ?? "none"), \(new!["x"] == nil ? "nil" : "an object")")
      }
    }

    #expect(seen.noted == ["Bonn, nil"])
    #expect(try bench.sql("SELECT home, x FROM P") == [[.integer(7), .null]])
  }

  // MARK: - Primary keys

  private static let keyed = pet(key: ["value"], .required("value", .int))
  private static let duplicates = """
    INSERT INTO P(_row, value) VALUES (1, 10), (2, 20), (3, 10)
    """

  @Test(arguments: [false, true])
  func case22AKeyOverDuplicatesIsAnError(hasBlock: Bool) throws {
    try bench.write(1, Self.values, Self.duplicates)

    let error = try bench.refusal(
      to: 2, Self.keyed,
      hasBlock ? looking(at: "P") : nil)

    #expect(error?.kind == .duplicateValue)
    #expect(error?.description.contains("2 P objects have the same value (10)") == true)
    #expect(try bench.version == 1)
  }

  @Test func case22TheBlockDeletesTheDuplicates() throws {
    try bench.write(1, Self.values, Self.duplicates)

    try bench.migrate(to: 2, Self.keyed) { migration, _ in
      var seen: Set<Int> = []
      migration.enumerateObjects(ofType: "P") { old, new in
        if !seen.insert(old!["value"] as? Int ?? 0).inserted { migration.delete(new!) }
      }
    }

    #expect(try bench.column("SELECT value FROM P") == [.integer(10), .integer(20)])
  }

  @Test func case23AKeyOfAnotherTypeIsSetByTheBlockAndLinksHold() throws {
    let link = Property.link("next", to: "P")
    try bench.write(
      1, Self.pet(key: ["id"], .required("id", .int), link),
      "INSERT INTO P(_row, id, next) VALUES (1, 7, 2), (2, 8, 1)")
    let seen = Tally()

    try bench.migrate(
      to: 2, Self.pet(key: ["id"], .required("id", .string), link)
    ) { migration, _ in
      migration.enumerateObjects(ofType: "P") { old, new in
        new!["id"] = "key-\(old!["id"]!)"
      }
      migration.enumerateObjects(ofType: "P") { _, new in
        let next = new!["next"] as? MigrationObject
        seen.note("\(new!["id"]!) → \(next?["id"] ?? "none")")
      }
    }

    #expect(seen.noted == ["key-7 → key-8", "key-8 → key-7"])
    #expect(
      try bench.sql("SELECT id, next FROM P ORDER BY _row")
        == [[.text("key-7"), .integer(2)], [.text("key-8"), .integer(1)]])
  }

  // MARK: - Renames

  /// Renamed first, between two looks, and last.
  @Test(arguments: [0, 1, 2])
  func case24ARenamedPropertyKeepsItsValue(enumerationsBefore: Int) throws {
    try bench.write(1, Self.values, Self.three)

    try bench.migrate(
      to: 2, Self.pet(.required("number", .int), .optional("note", .string))
    ) { migration, _ in
      for _ in 0..<enumerationsBefore {
        migration.enumerateObjects(ofType: "P") { _, new in new!["note"] = "seen" }
      }
      migration.renameProperty(onType: "P", from: "value", to: "number")
    }

    #expect(
      try bench.column("SELECT number FROM P") == [.integer(10), .integer(20), .integer(30)])
  }

  @Test(arguments: [1, 2, 3])
  func case24AChainOfRenamesOverSkippedVersions(version: Int) throws {
    let name = ["", "value", "a", "b"][version]
    try bench.write(
      version, Self.pet(.required(name, .int)), "INSERT INTO P(_row, \(name)) VALUES (1, 10)")

    try bench.migrate(to: 4, Self.pet(.required("new", .int))) { migration, old in
      if old < 2 { migration.renameProperty(onType: "P", from: "value", to: "a") }
      if old < 3 { migration.renameProperty(onType: "P", from: "a", to: "b") }
      if old < 4 { migration.renameProperty(onType: "P", from: "b", to: "new") }
    }

    #expect(try bench.column("SELECT new FROM P") == [.integer(10)])
    let lineage = try FileInspector().stored(at: bench.path).lineage
    #expect(lineage.origins[SchemaPath("P", "new")]?.version == version)
  }

  @Test func case24ARenamedPropertyMayBecomeOptional() throws {
    try bench.write(1, Self.values, Self.three)

    try bench.migrate(to: 2, Self.pet(.optional("number", .int))) { migration, _ in
      migration.renameProperty(onType: "P", from: "value", to: "number")
    }

    #expect(
      try bench.column("SELECT number FROM P") == [.integer(10), .integer(20), .integer(30)])
  }

  private static func keepers(_ link: String, _ list: String) -> [Model] {
    [
      Model(name: "Dog", properties: [.required("name", .string)]),
      Model(name: "P", properties: [.link(link, to: "Dog"), .list(list, of: "Dog")]),
      Model(name: "Q", properties: [.link(link, to: "Dog", .cascade)]),
    ]
  }

  /// Links to what the block deletes go as their delete rules say, also where they get their names later.
  @Test(arguments: [false, true])
  func case24ARenamedLinkFollowsItsDeleteRule(isRenamedFirst: Bool) throws {
    try bench.write(
      1, Self.keepers("dog", "dogs"),
      "INSERT INTO Dog(_row, name) VALUES (7, 'Rex'), (8, 'Fido')",
      "INSERT INTO P(_row, dog) VALUES (1, 7), (2, 8)",
      "INSERT INTO \"P.dogs\"(_owner, _index, value) VALUES (1, 10, 7), (1, 20, 8)",
      "INSERT INTO Q(_row, dog) VALUES (3, 7), (4, 8)")

    try bench.migrate(to: 2, Self.keepers("pet", "pets")) { migration, _ in
      func rename() {
        migration.renameProperty(onType: "P", from: "dog", to: "pet")
        migration.renameProperty(onType: "P", from: "dogs", to: "pets")
        migration.renameProperty(onType: "Q", from: "dog", to: "pet")
      }
      if isRenamedFirst { rename() }
      migration.enumerateObjects(ofType: "Dog") { old, new in
        if old!["name"] as? String == "Rex" { migration.delete(new!) }
      }
      if !isRenamedFirst { rename() }
    }

    #expect(
      try bench.sql("SELECT _row, pet FROM P ORDER BY _row")
        == [[.integer(1), .null], [.integer(2), .integer(8)]])
    #expect(try bench.sql("SELECT _owner, value FROM \"P.pets\"") == [[.integer(1), .integer(8)]])
    #expect(try bench.sql("SELECT _row, pet FROM Q") == [[.integer(4), .integer(8)]])
  }

  @Test func case26ARenameThatCannotBeIsADistinctErrorEach() throws {
    let dog = Model(name: "Dog", properties: [.required("name", .string)])
    try bench.write(1, Self.values + [dog], Self.three)
    let text = Property.required("text", .string)
    var sentences: Set<String> = []
    let refused: [(models: [Model], type: String, from: String, to: String, sentence: String)] = [
      (Self.pet(.required("value", .int), text), "P", "value", "text", "still declares P.value"),
      (Self.pet(text), "P", "missing", "text", "the file's P has no property missing"),
      (Self.pet(text), "Cat", "name", "text", "the file has no model Cat"),
      (Self.pet(text), "Dog", "name", "text", "Dog is not in the newest schema"),
      (Self.pet(text), "P", "value", "text", "it would become string from int"),
      (Self.pet(text), "P", "value", "nowhere", "the newest schema's P has no property nowhere"),
    ]

    for (models, type, from, to, sentence) in refused {
      let error = try bench.refusal(to: 2, models) { migration, _ in
        migration.renameProperty(onType: type, from: from, to: to)
      }
      #expect(error?.code == "STR5209")
      #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
      sentences.insert(error?.description ?? "")
    }
    #expect(sentences.count == refused.count)
  }
}
