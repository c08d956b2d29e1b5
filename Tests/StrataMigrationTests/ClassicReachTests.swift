import StrataExpression
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Migration blocks that look further than the two objects of an enumeration: in the middle of one, between two, nested.
@Suite struct ClassicReachTests {
  let bench: ClassicBench

  init() throws { bench = try ClassicBench() }

  private static let int = ValueType(.scalar(.int))
  private static let text = ValueType(.scalar(.string))

  private static let dog = Model(
    name: "Dog",
    properties: [
      .required("name", .string),
      Property(name: "owners", type: .inverse(model: "Person", property: "dogs")),
    ])
  private static let home = Model(
    name: "Home", isEmbedded: true, properties: [.required("street", .string)])
  private static let person = Model(
    name: "Person",
    properties: [
      .required("name", .string), .link("boss", to: "Person"), .list("dogs", of: "Dog"),
      .link("home", to: "Home"), Property(name: "lucky", type: .set(int)),
      Property(name: "notes", type: .map(text)),
    ])
  private static let models = [person, dog, home]

  private func write() throws {
    try bench.write(
      1, Self.models,
      "INSERT INTO Home(_row, street) VALUES (31, 'Elm'), (32, 'Oak')",
      "INSERT INTO Dog(_row, name) VALUES (21, 'Rex'), (22, 'Fido')",
      """
      INSERT INTO Person(_row, name, boss, home) VALUES \
      (1, 'Ada', NULL, 31), (2, 'Bob', 1, NULL), (3, 'Cleo', 2, 32), (4, 'Dan', NULL, NULL)
      """,
      #"INSERT INTO "Person.dogs"(_owner, _index, value) VALUES (1, 10, 22), (1, 20, 21), (3, 10, 22)"#,
      #"INSERT INTO "Person.lucky"(_owner, value) VALUES (1, 7), (1, 3)"#,
      #"INSERT INTO "Person.notes"(_owner, _index, value) VALUES (2, 'a', 'x'), (2, 'b', 'y')"#)
  }

  /// The models with one more property of Person.
  private static func with(_ property: Property) -> [Model] {
    [Model(name: "Person", properties: person.properties + [property]), dog, home]
  }

  private static let count = with(.required("count", .int, default: .int(-1)))

  private func counts() throws -> [SQLiteValue] {
    try bench.column("SELECT count FROM Person ORDER BY _row")
  }

  // MARK: - Where the draft takes over

  /// What the body does with an object beside setting its number: at the first, in the middle, at the last, never.
  @Test(arguments: [1, 2, 4, 9])
  func aBodyThatLooksFurtherGoesOnWhereItWas(at number: Int) throws {
    try write()

    try bench.migrate(to: 2, Self.count) { migration, _ in
      var position = 0
      migration.enumerateObjects(ofType: "Person") { _, new in
        position += 1
        new!["count"] = position
        if position == number { new!.list("dogs").append(["name": "New"]) }
        new!["name"] = "\(new!["name"]!)-\(new!["count"]!)"
      }
    }

    #expect(try counts() == [.integer(1), .integer(2), .integer(3), .integer(4)])
    #expect(
      try bench.column("SELECT name FROM Person ORDER BY _row")
        == [.text("Ada-1"), .text("Bob-2"), .text("Cleo-3"), .text("Dan-4")])
    #expect(
      try bench.column("SELECT count(*) FROM Dog") == [.integer(number < 9 ? 3 : 2)])
    #expect(
      try bench.column(#"SELECT value FROM "Person.dogs" WHERE _owner = 1 ORDER BY _index"#)
        == [.integer(22), .integer(21)] + (number == 1 ? [.integer(1000)] : []))
  }

  /// It is made of the key that an object has before the body gives it that of the next one.
  @Test(arguments: [2, 3])
  func whatIsGeneratedOfAKeyIsTheSameWhereTheDraftTakesOver(at kept: Int) throws {
    func item(_ properties: Property...) -> [Model] {
      [Model(name: "Item", primaryKey: ["id"], properties: [.required("id", .int)] + properties)]
    }
    let token = Property(
      name: "token", type: .value(ValueType(.scalar(.uuid))), generate: .uuid)
    func tokens(keeping kept: Int) throws -> [SQLiteValue] {
      let bench = try ClassicBench()
      try bench.write(1, item(), "INSERT INTO Item (_row, id) VALUES (1, 1), (2, 2), (3, 3)")
      try bench.migrate(to: 2, item(token)) { migration, _ in
        var objects: [MigrationObject] = []
        migration.enumerateObjects(ofType: "Item") { old, new in
          let id = old!["id"] as! Int
          new!["id"] = id + 1
          if id == kept { objects.append(new!) }
        }
      }
      return try bench.column("SELECT token FROM Item ORDER BY _row")
    }

    let expected = try tokens(keeping: 0)

    #expect(Set(expected).count == 3)
    #expect(try tokens(keeping: kept) == expected)
  }

  @Test func anObjectThatIsKeptIsStillTheSame() throws {
    try write()
    let seen = Tally()

    try bench.migrate(to: 2, Self.count) { migration, _ in
      var kept: [MigrationObject] = []
      var keptOld: [MigrationObject] = []
      migration.enumerateObjects(ofType: "Person") { old, new in
        kept.append(new!)
        keptOld.append(old!)
      }
      for (old, new) in zip(keptOld, kept) {
        new["count"] = 5
        seen.note("\(old["name"]!) \(new["name"]!)")
      }
    }

    #expect(seen.noted == ["Ada Ada", "Bob Bob", "Cleo Cleo", "Dan Dan"])
    #expect(try counts() == Array(repeating: .integer(5), count: 4))
  }

  @Test func objectsAreInvalidatedWhenTheBlockHasReturned() throws {
    final class Kept: @unchecked Sendable { var objects: [MigrationObject] = [] }
    try write()
    let (seen, kept) = (Tally(), Kept())

    try bench.migrate(to: 2, Self.count) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new!["count"] = 5
        kept.objects += [old!, new!]
      }
      seen.note("\(kept.objects.count { $0.isInvalidated })")
    }

    #expect(seen.noted == ["0"])
    #expect(kept.objects.count == 8 && kept.objects.allSatisfy(\.isInvalidated))
  }

  @Test func oldObjectsThatAreKeptKeepTheirValues() throws {
    try write()
    let seen = Tally()

    try bench.migrate(to: 2, Self.count) { migration, _ in
      var kept: [MigrationObject] = []
      migration.enumerateObjects(ofType: "Person") { old, new in
        kept.append(old!)
        new!["count"] = kept.count
      }
      for old in kept { seen.note("\(old["name"]!)") }
    }

    #expect(seen.noted == ["Ada", "Bob", "Cleo", "Dan"])
    #expect(try counts() == [.integer(1), .integer(2), .integer(3), .integer(4)])
  }

  @Test func anEnumerationInAnotherSeesWhatWasWritten() throws {
    try write()
    let seen = Tally()

    try bench.migrate(to: 2, Self.count) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in
        new!["count"] = 1
        var sum = 0
        migration.enumerateObjects(ofType: "Person") { _, other in
          sum += other!["count"] as? Int ?? 0
        }
        seen.note("\(sum)")
        new!["name"] = "after"
      }
    }

    #expect(seen.noted == ["-2", "0", "2", "4"])
    #expect(
      try bench.column("SELECT DISTINCT name FROM Person") == [.text("after")])
  }

  @Test func aValueThatALaterEnumerationGivesMayBeMissingMeanwhile() throws {
    try write()

    try bench.migrate(
      to: 2,
      [
        Model(
          name: "Person",
          properties: Self.person.properties.filter { $0.name != "boss" } + [
            Property(name: "boss", type: .value(ValueType(.object("Person")))),
            .required("mood", .string),
          ]), Self.dog, Self.home,
      ]
    ) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in new!["mood"] = "calm" }
      var first: MigrationObject?
      migration.enumerateObjects(ofType: "Person") { _, new in
        first = first ?? new
        if new!["boss"] == nil { new!["boss"] = first }
      }
    }

    #expect(
      try bench.column("SELECT boss FROM Person ORDER BY _row")
        == [.integer(1), .integer(1), .integer(2), .integer(1)])
  }

  @Test func anErrorThatTheBlockCatchesLeavesTheRestAsItIs() throws {
    struct Enough: Error {}
    try write()

    try bench.migrate(to: 2, Self.count) { migration, _ in
      do {
        try migration.enumerateObjects(ofType: "Person") { old, new in
          new!["count"] = 8
          if old!["name"] as? String == "Bob" { throw Enough() }
        }
      } catch is Enough {}
    }

    #expect(try counts() == [.integer(8), .integer(8), .integer(-1), .integer(-1)])
  }

  // MARK: - Links and collections

  @Test func linksAreFollowedOnBothSides() throws {
    try write()
    let seen = Tally()

    try bench.migrate(to: 2, Self.count) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        let oldBoss = old!["boss"] as? MigrationObject
        let newBoss = new!["boss"] as? MigrationObject
        seen.note("\(oldBoss?["name"] ?? "-") \(newBoss?["name"] ?? "-")")
        new!["name"] = "new"
      }
    }

    #expect(seen.noted == ["- -", "Ada new", "Bob new", "- -"])
  }

  @Test func collectionsAreReadAndReplaced() throws {
    try write()
    let seen = Tally()

    try bench.migrate(to: 2, Self.models) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        let names = old!.list("dogs").objects.map { "\($0["name"]!)" }
        let lucky = old!.set("lucky").values(as: Int.self)
        let notes = old!.map("notes").keys
        seen.note("\(names) \(lucky) \(notes)")
        new!["dogs"] = Array(old!.list("dogs").reversed())
        new!["lucky"] = Set(lucky.map { $0 * 2 })
        new!.map("notes")["z"] = "end"
        new!.map("notes")["a"] = nil
      }
    }

    #expect(
      seen.noted == [
        #"["Fido", "Rex"] [3, 7] []"#, #"[] [] ["a", "b"]"#, #"["Fido"] [] []"#, "[] [] []",
      ])
    #expect(
      try bench.sql(#"SELECT _owner, value FROM "Person.dogs" ORDER BY _owner, _index"#)
        == [
          [.integer(1), .integer(21)], [.integer(1), .integer(22)], [.integer(3), .integer(22)],
        ])
    #expect(
      try bench.column(#"SELECT value FROM "Person.lucky" ORDER BY value"#)
        == [.integer(6), .integer(14)])
    #expect(
      try bench.sql(#"SELECT _index, value FROM "Person.notes" WHERE _owner = 2 ORDER BY 1"#)
        == [[.text("b"), .text("y")], [.text("z"), .text("end")]])
  }

  /// Swift takes them for equal; the file and other programs do not.
  @Test func keysOfAMapThatLookAlikeStayTwo() throws {
    try bench.write(
      1, Self.models, "INSERT INTO Person(_row, name) VALUES (1, 'Ada')",
      #"INSERT INTO "Person.notes"(_owner, _index, value) VALUES (1, char(233), 'one'), (1, 'e' || char(769), 'two')"#
    )
    let seen = Tally()

    try bench.migrate(to: 2, Self.models) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        let notes = old!.map("notes")
        seen.note("\(notes.count) \(notes["\u{E9}"] ?? "-") \(notes["e\u{301}"] ?? "-")")
        new!.map("notes")["z"] = "end"
        new!.map("notes")["e\u{301}"] = "other"
      }
    }

    #expect(seen.noted == ["2 one two"])
    #expect(
      try bench.column(#"SELECT value FROM "Person.notes" WHERE _owner = 1 ORDER BY _index"#)
        == [.text("other"), .text("end"), .text("one")])
  }

  @Test func inversesAreObjects() throws {
    try write()
    let seen = Tally()

    try bench.migrate(to: 2, Self.models) { migration, _ in
      migration.enumerateObjects(ofType: "Dog") { old, new in
        let oldOwners = old!["owners"] as? [MigrationObject] ?? []
        let newOwners = new!["owners"] as? [MigrationObject] ?? []
        seen.note("\(oldOwners.map { "\($0["name"]!)" }) \(newOwners.count)")
      }
    }

    #expect(seen.noted == [#"["Ada"] 1"#, #"["Ada", "Cleo"] 2"#])
  }

  @Test func embeddedObjectsAreMadeReplacedAndGoWithTheirOwners() throws {
    try write()

    try bench.migrate(to: 2, Self.models) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        switch old!["name"] as? String {
        case "Ada": (new!["home"] as? MigrationObject)?["street"] = "Elm Road"
        case "Bob": new!["home"] = ["street": "Ash"]
        case "Cleo": new!["home"] = nil
        default: migration.delete(new!)
        }
      }
    }

    #expect(
      try bench.sql("SELECT name, street FROM Person LEFT JOIN Home ON home = Home._row ORDER BY 1")
        == [
          [.text("Ada"), .text("Elm Road")], [.text("Bob"), .text("Ash")], [.text("Cleo"), .null],
        ])
    #expect(try bench.column("SELECT count(*) FROM Home") == [.integer(2)])
  }

  @Test func createdObjectsAreNestedLinkedAndCopied() throws {
    try write()

    try bench.migrate(to: 2, Self.models) { migration, _ in
      let ann = migration.create(
        "Person",
        value: [
          "name": "Ann", "dogs": [["name": "Pip"], ["name": "Zed"]], "home": ["street": "Yew"],
          "lucky": [1, 1, 2],
        ])
      let copy = migration.create("Person", value: ann)
      copy["name"] = "Eve"
      copy["home"] = nil
      ann["boss"] = copy
    }

    #expect(
      try bench.sql(
        """
        SELECT p.name, b.name, h.street, (SELECT count(*) FROM "Person.dogs" WHERE _owner = p._row) \
        FROM Person p LEFT JOIN Person b ON p.boss = b._row LEFT JOIN Home h ON p.home = h._row \
        WHERE p._row >= 1000 ORDER BY 1
        """)
        == [
          [.text("Ann"), .text("Eve"), .text("Yew"), .integer(2)],
          [.text("Eve"), .null, .null, .integer(2)],
        ])
    #expect(try bench.column("SELECT count(*) FROM Dog") == [.integer(4)])
  }

  /// As the link will be when the block is through.
  @Test func aLinkInAnyToAModelThatIsGoneReadsAsNil() throws {
    let thing = Property(name: "thing", type: .value(ValueType(.scalar(.any), isOptional: true)))
    let things = Property(name: "things", type: .list(ValueType(.scalar(.any))))
    let owner = Model(name: "Owner", properties: [.required("name", .string), thing, things])
    let toGone = "x'0900000000000000074C616D70'"
    try bench.write(
      1, [owner, Model(name: "Lamp", properties: [.required("watts", .int)])],
      "INSERT INTO Lamp(_row, watts) VALUES (7, 40)",
      "INSERT INTO Owner(_row, name, thing) VALUES (1, 'Ada', \(toGone))",
      "INSERT INTO \"Owner.things\"(_owner, _index, value) VALUES (1, 10, \(toGone)), (1, 20, 5)")
    let tally = Tally()

    try bench.migrate(to: 2, [owner]) { migration, _ in
      migration.enumerateObjects(ofType: "Owner") { old, new in
        tally.note("\((old!["thing"] as? MigrationObject)?["watts"] as? Int ?? 0)")
        tally.note(new!["thing"] == nil ? "nil" : "an object")
        new!["name"] = "\(new!.list("things").count) things"
      }
    }

    #expect(tally.noted == ["40", "nil"])
    #expect(try bench.sql("SELECT name, thing FROM Owner") == [[.text("2 things"), .null]])
  }
}
