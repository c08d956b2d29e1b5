import StrataExpression
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Migration blocks that fail, are cancelled, or meet what the newest schema refuses: the file is as it was.
@Suite struct ClassicSafetyTests {
  let bench: ClassicBench

  init() throws { bench = try ClassicBench() }

  private static func person(_ properties: Property...) -> [Model] {
    [Model(name: "Person", properties: properties)]
  }

  private static let names = person(.required("name", .string), .required("age", .int))
  private static let three = """
    INSERT INTO Person(_row, name, age) VALUES (1, 'Ada', 36), (2, 'Bob', 7), (3, 'Cleo', 7)
    """

  private struct Refused: Error, CustomStringConvertible {
    let description = "that one cannot be"
  }

  @Test func anErrorOfABodyNamesTheObject() throws {
    try bench.write(1, Self.names, Self.three)

    let error = try bench.refusal(to: 2, Self.names) { migration, _ in
      try migration.enumerateObjects(ofType: "Person") { old, new in
        new!["age"] = 1
        if old!["name"] as? String == "Bob" { throw Refused() }
      }
    }

    #expect(error?.kind == .blockFailed)
    #expect(error?.version == 2)
    #expect(error?.model == "Person")
    #expect(error?.identity == 2)
    #expect(error?.description.contains("that one cannot be") == true)
  }

  @Test func anErrorOutsideOfABodyIsTold() throws {
    try bench.write(1, Self.names, Self.three)

    let error = try bench.refusal(to: 2, Self.names) { _, _ in throw Refused() }

    #expect(error?.description.contains("that one cannot be") == true)
    #expect(error?.model == nil)
  }

  @Test func valuesOfWrongTypesNameThePropertyAndTheObject() throws {
    try bench.write(1, Self.names, Self.three)
    let wrong: [(@Sendable (MigrationObject) -> Void, String)] = [
      ({ $0["age"] = "many" }, "Person.age is int, found String (many)"),
      ({ $0["age"] = nil }, "Person.age is int and cannot be nil"),
      ({ $0["nme"] = "Ada" }, "Person has no property 'nme' in the newest schema"),
      ({ $0.list("age").append(1) }, "Person.age is int, no list"),
    ]
    for (body, sentence) in wrong {
      let error = try bench.refusal(to: 2, Self.names) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in body(new!) }
      }
      let said = error?.description ?? "none"
      #expect(
        said.hasPrefix(
          "The migration block to version 2, Person #1, stopped the upgrade: \(sentence)"),
        "\(said)")
      #expect(error?.identity == 1)
    }
  }

  // MARK: - Behind the first error

  private static let friends = person(
    .required("name", .string), .required("age", .int), .link("boss", to: "Person"),
    .list("friends", of: "Person"))
  private static let threeFriends = [
    "INSERT INTO Person(_row, name, age, boss) VALUES (1, 'Ada', 36, 2), (2, 'Bob', 7, 3), (3, 'Cleo', 8, 1)",
    """
    INSERT INTO "Person.friends"(_owner, _index, value) VALUES (1, 10, 3), (2, 10, 1), (3, 10, 2)
    """,
  ]

  /// A body that counts on its values goes on to its end, where the upgrade stops with what went wrong first.
  @Test func valuesAreReadBehindAnError() throws {
    try bench.write(1, Self.friends, Self.threeFriends[0], Self.threeFriends[1])
    let wrong: [(@Sendable (Migration, MigrationObject, MigrationObject) -> Void, String)] = [
      ({ $2["age"] = "many" }, "Person.age is int, found String (many)"),
      ({ $2["nme"] = "Ada" }, "Person has no property 'nme' in the newest schema"),
      ({ _, old, _ in old["age"] = 1 }, "Person.age of an old object cannot be changed"),
      ({ $2.list("age").append(1) }, "Person.age is int, no list"),
      ({ _ = $2.list("friends")[5] }, "The index 5 is outside of Person.friends"),
      ({ migration, old, _ in migration.delete(old) }, "Person #1 of the file cannot be deleted"),
      ({ migration, _, _ in migration.create("Cat") }, "no model Cat"),
    ]
    for (body, sentence) in wrong {
      let read = Tally()
      let error = try bench.refusal(to: 2, Self.friends) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          body(migration, old!, new!)
          read.note("\(old!["name"]!) \(old!["age"]!) \(new!.value("age", as: Int.self)!)")
          for person in [old!, new!] {
            let boss = person["boss"] as! MigrationObject
            let friend = person.list("friends")[0] as! MigrationObject
            read.note("\(boss["name"]!) \(friend["name"]!)")
          }
          new!["name"] = "\(new!["name"]!) \(new!["nme"] ?? "read")"
        }
      }
      #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
      #expect(read.noted == ["Ada 36 36", "Bob Cleo", "Bob Cleo"], "\(sentence)")
    }
  }

  /// Cancelled at each of the reports, of which some come while the body makes all objects be written first.
  @Test func valuesAreReadBehindACancellation() throws {
    try bench.write(1, Self.friends, Self.threeFriends[0], Self.threeFriends[1])
    let target = UpgradeTarget(
      classic: ClassicBench.schema(2, Self.friends),
      block: { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          migration.create("Person", value: ["name": "\(old!["name"]!)’s child"])
          new!["name"] = "\(old!["name"]!) \(old!["age"]!) \(new!["name"]!) \(new!["age"]!)"
        }
      })
    var cancelled = 0
    var isUpgraded = false
    while !isUpgraded {
      var reports = 0
      var options = Upgrade.Options()
      options.progress = { _ in
        reports += 1
        return reports == cancelled + 1 ? .cancel : .proceed
      }
      do {
        try Upgrade(path: bench.path, target: target, options: options).run()
        isUpgraded = true
      } catch let error as MigrationError {
        #expect(error.kind == .cancelled)
        #expect(try bench.version == 1)
        cancelled += 1
      }
    }

    #expect(cancelled > 1)
    #expect(try bench.column("SELECT name FROM Person WHERE _row = 1") == [.text("Ada 36 Ada 36")])
  }

  // MARK: - Places and objects that are not there

  @Test func placesAndNamesThatAreNotThereAreTold() throws {
    let models = [
      Model(
        name: "Person",
        properties: [
          .required("name", .string),
          Property(name: "numbers", type: .list(ValueType(.scalar(.int)))),
        ])
    ]
    try bench.write(1, models, "INSERT INTO Person (_row, name) VALUES (1, 'Ada')")
    let place = "The index 5 is outside of Person.numbers, which has 1 element"
    let wrong: [(@Sendable (Migration, MigrationObject) -> Void, String)] = [
      ({ $1.list("numbers").remove(at: 5) }, place),
      ({ $1.list("numbers").insert(1, at: 5) }, place),
      ({ $1.list("numbers")[5] = 1 }, place), ({ _ = $1.list("numbers")[5] }, place),
      (
        { migration, _ in migration.create("Person", value: ["name": "Bob", "nme": "x"]) },
        "Person has no property 'nme' in the newest schema"
      ),
    ]
    for (body, sentence) in wrong {
      let error = try bench.refusal(to: 2, models) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { _, new in
          new!.list("numbers").append(7)
          body(migration, new!)
        }
      }
      #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
    }
  }

  @Test func createdObjectsOfNoModelAndEmbeddedOnesAreRefused() throws {
    let home = Model(name: "Home", isEmbedded: true, properties: [.required("street", .string)])
    try bench.write(1, Self.names + [home], Self.three)

    let unknown = try bench.refusal(to: 2, Self.names + [home]) { migration, _ in
      migration.create("Cat")["name"] = "Tom"
    }
    let embedded = try bench.refusal(to: 2, Self.names + [home]) { migration, _ in
      migration.create("Home")
    }

    #expect(unknown?.description.contains("no model Cat") == true)
    #expect(embedded?.description.contains("Home is embedded") == true)
  }

  @Test func duplicatesInTheEndAreRefused() throws {
    let unique = Property(
      name: "age", type: .value(ValueType(.scalar(.int))), isUnique: true)
    try bench.write(1, Self.names, Self.three)
    let models = Self.person(.required("name", .string), unique)

    let untouched = try bench.refusal(to: 2, models) { _, _ in }
    let touched = try bench.refusal(to: 2, models) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in
        new!["age"] = (old!["age"] as? Int ?? 0) % 2
        if old!["name"] as? String == "Cleo" { migration.create("Person") }
      }
    }

    #expect(untouched?.description.contains("2 Person objects have the same age (7)") == true)
    #expect(touched?.kind == .duplicateValue)
    #expect(touched?.description.contains("migration block") == true)
  }

  @Test func progressIsToldAndCancelled() throws {
    try bench.write(
      1, Self.names,
      """
      INSERT INTO Person(name, age) WITH RECURSIVE n(i) AS \
      (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT 'n' || i, i FROM n
      """)
    let target = UpgradeTarget(
      classic: ClassicBench.schema(2, Self.names), block: looking(at: "Person"))
    var options = Upgrade.Options()
    var reports: [UpgradeProgress] = []
    options.progress = {
      reports.append($0)
      return $0.objectsDone > 9000 ? .cancel : .proceed
    }

    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: bench.path, target: target, options: options).run()
    }

    #expect(error?.kind == .cancelled)
    #expect(reports.contains { $0.model == "Person" && $0.objectsTotal == 20_000 })
    #expect(try bench.version == 1)
    options.progress = nil
    try Upgrade(path: bench.path, target: target, options: options).run()
    #expect(try bench.version == 2)
  }

  @Test func anObjectOfAnEndedMigrationIsOfNoUse() throws {
    try bench.write(1, Self.names, Self.three)
    let kept = Keeper()

    try bench.migrate(to: 2, Self.names) { migration, _ in
      migration.enumerateObjects(ofType: "Person") { _, new in kept.keep(new!) }
      #expect(kept.areInvalidated == [false, false, false])
    }

    #expect(kept.areInvalidated == [true, true, true])
    #expect(kept.ages == [nil, nil, nil])
  }

  /// Turned around, an enumeration gives the same objects in the other order.
  @Test(arguments: [false, true])
  func enumeratedBackwardsNothingIsLost(looksFurther: Bool) throws {
    try bench.write(1, Self.names, Self.three)
    var switches = EngineSwitches()
    switches.isBackwards = true
    let seen = Tally()

    try EngineSwitches.$current.withValue(switches) {
      _ = try bench.migrate(to: 2, Self.names) { migration, _ in
        migration.enumerateObjects(ofType: "Person") { old, new in
          seen.note("\(old!["name"]!)")
          new!["age"] = seen.count
          if looksFurther && seen.count == 2 { migration.create("Person") }
        }
      }
    }

    #expect(seen.noted == ["Cleo", "Bob", "Ada"])
    #expect(
      try bench.column("SELECT age FROM Person WHERE _row < 10 ORDER BY _row")
        == [.integer(3), .integer(2), .integer(1)])
  }
}

/// What a block must not do: keep objects beyond its end.
private final class Keeper: @unchecked Sendable {
  // One test's thread uses it.
  private var objects: [MigrationObject] = []

  func keep(_ object: MigrationObject) { objects.append(object) }
  var areInvalidated: [Bool] { objects.map(\.isInvalidated) }
  var ages: [Int?] { objects.map { $0["age"] as? Int } }
}
