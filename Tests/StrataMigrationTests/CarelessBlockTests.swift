import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Blocks that catch what they are not meant to.
@Suite struct CarelessBlockTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private struct Mine: Error {}

  private func target(_ block: @escaping @Sendable (StepContext) throws -> Void) -> UpgradeTarget {
    let dog = Model(name: "Dog", properties: [.required("name", .string)])
    return UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: [dog]), nil),
          (
            "2026-02-01", Schema(name: "Test", version: 1, models: [dog]),
            step(1) { $0.swiftModels = ["Dog"] }
          ),
        ]),
      steps: [Step(to: 1, block)])
  }

  /// Dogs 1 and 2 after a block.
  private func names(_ block: @escaping @Sendable (StepContext) throws -> Void) throws
    -> [[SQLiteValue]]
  {
    let target = target(block)
    let path = try bench.sample(version: 0, of: target, objects: 2)
    try bench.sql(path, "UPDATE Dog SET name = iif(_row = 1, 'Rex', 'Fido')")
    try upgrade(path, target)
    return try bench.sql(path, "SELECT name FROM Dog ORDER BY _row")
  }

  /// Properties are found by their places, and those of another version are others.
  @Test(arguments: [false, true])
  func aBlockThatIsTypedByAnotherVersionIsRefused(looksBeyond: Bool) throws {
    let error = #expect(throws: MigrationError.self) {
      try names { step in
        if looksBeyond { _ = Array(try step.objects(DogBefore.self)) }
        try step.each(DogAfter.self, DogAfter.self) { old, new in new.name = old.name }
      }
    }
    #expect(
      error?.description
        == "The block of version 1 names V1.Dog and V1.Dog, but it stands between version 0 and version 1. Name V0 for old objects and V1 for new ones."
    )
  }

  /// The first run of a block, which is to learn what it maps, stops at its first look at other objects.
  @Test func whatAFirstLookThrowsIsNotLostWhenItIsCaught() throws {
    let found = try names { step in
      guard let dogs = try? step.objects(DogBefore.self) else { return }
      for dog in dogs { _ = try? step.create(DogAfter.self) { $0.name = "Child of \(dog.name)" } }
    }
    #expect(
      found
        == [["Rex"], ["Fido"], ["Child of Rex"], ["Child of Fido"]].map { $0.map { .text($0) } })
  }

  @Test func norWhenItIsMadeAnotherError() throws {
    let found = try names { step in
      guard let dogs = try? step.objects(DogBefore.self) else { throw Mine() }
      for dog in dogs { try step.create(DogAfter.self) { $0.name = "Child of \(dog.name)" } }
    }
    #expect(found.count == 4)
  }

  @Test(arguments: [false, true])
  func norInsideOfAMapping(throwsItsOwn: Bool) throws {
    let found = try names { step in
      try step.each(DogBefore.self, DogAfter.self) { old, new in
        guard (try? step.create(DogAfter.self) { $0.name = "Child of \(old.name)" }) != nil else {
          if throwsItsOwn { throw Mine() }
          return
        }
        new.name = "Parent"
      }
    }
    #expect(
      found
        == [["Parent"], ["Parent"], ["Child of Rex"], ["Child of Fido"]].map {
          $0.map { .text($0) }
        })
  }

  /// An object that cannot be read is not one that is not there.
  @Test(arguments: [false, true])
  func aLookThatFailsCountsWhereItIsCaught(byKey: Bool) throws {
    let guest = Model(
      name: "Guest", primaryKey: ["id"],
      properties: [.required("id", .int), .required("name", .string)])
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          (
            "2026-01-01",
            Schema(
              name: "Test", version: 0,
              models: [guest, Model(name: "Visit", properties: [.link("guest", to: "Guest")])]),
            nil
          ),
          (
            "2026-02-01",
            Schema(
              name: "Test", version: 1,
              models: [Model(name: "Visit", properties: [.optional("name", .string)])]),
            step(1) {
              $0.drop = [SchemaPath("Guest"), SchemaPath("Visit", "guest")]
              $0.swiftModels = ["Guest", "Visit"]
            }
          ),
        ]),
      steps: [
        Step(to: 1) { step in
          for old in try step.objects(VisitBefore.self) {
            let key = 70
            let found =
              try? byKey
              ? step.object(GuestBefore.self, primaryKey: key) : step.object(old.guest)
            guard let guest = found else { continue }
            try step.counterpart(of: old, as: VisitAfter.self)?.name = guest.name
          }
        }
      ])
    let path = try bench.sample(version: 0, of: target, objects: 0)
    try bench.sql(
      path, "INSERT INTO Guest (_row, id, name) VALUES (1, 70, CAST(x'ff' AS TEXT)), (2, 80, 'Bo')")
    try bench.sql(path, "INSERT INTO Visit (_row, guest) VALUES (3, 1), (4, 2)")
    try bench.sql(path, "UPDATE _strata SET value = 5 WHERE key = 'nextRow'")
    let before = try bench.bytes(path)

    let error = #expect(throws: (any Error).self) { try upgrade(path, target) }

    #expect(error.map { "\($0)".contains("Guest") } == true, "\(String(describing: error))")
    #expect(try bench.bytes(path) == before)
  }

  @Test func aLookAtAnotherVersionCountsWhereItIsCaught() throws {
    let error = #expect(throws: MigrationError.self) {
      try names { step in
        for dog in try step.objects(DogBefore.self) {
          let name = (try? step.counterpart(of: dog, as: DogLater.self))?.name
          try step.counterpart(of: dog, as: DogAfter.self)?.name = name ?? "none"
        }
      }
    }
    #expect(
      error?.description.contains("The block of version 1 asks for Dog of version 2.") == true,
      "\(error?.description ?? "")")
  }

  /// Somebody who cancels is not a block that fails, whatever the block was doing.
  @Test func aCancelledBlockIsNoFailedOne() throws {
    let target = target { step in
      for dog in try step.objects(DogBefore.self) {
        for number in 0..<200 {
          _ = try? step.create(DogAfter.self) { $0.name = "\(dog.name) \(number)" }
        }
      }
    }
    let path = try bench.sample(version: 0, of: target, objects: 400)
    let before = try digest(path, target)
    var options = Upgrade.Options()
    var calls = 0
    options.progress = { _ in
      calls += 1
      return calls == 8 ? .cancel : .proceed
    }
    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }
    #expect(error?.kind == .cancelled)
    #expect(try digest(path, target) == before)
  }

  /// A block that takes the first element counts on it. What it reads is read to the end, and the next object is not gone to.
  @Test func collectionsAreWholeWhereTheUpgradeIsCancelled() throws {
    let dog = Model(
      name: "Dog", properties: [Property(name: "walks", type: .list(ValueType(.scalar(.int))))])
    let read = Tally()
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: [dog]), nil),
          (
            "2026-02-01", Schema(name: "Test", version: 1, models: [dog]),
            step(1) { $0.swiftModels = ["Dog"] }
          ),
        ]),
      steps: [
        Step(to: 1) { step in
          for dog in try step.requireWorkspace().rows(of: "Dog", version: 0) {
            let walks: FrozenList<Int> = dog.list(named: "walks")
            for _ in 0..<50 { read.note("\(walks[0]) of \(walks.count)") }
          }
        }
      ])
    let path = try bench.sample(version: 0, of: target, objects: 0)
    try bench.sql(path, "INSERT INTO Dog (_row) VALUES (1), (2)")
    try bench.sql(
      path,
      """
      INSERT INTO "Dog.walks" (_owner, _index, value) WITH RECURSIVE i(x) AS \
      (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 5000) SELECT d._row, x, x FROM Dog d, i
      """)
    try bench.sql(path, "UPDATE _strata SET value = 1000 WHERE key = 'nextRow'")
    let before = try digest(path, target)
    var options = Upgrade.Options()
    options.progress = { _ in read.count > 0 ? .cancel : .proceed }

    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }

    #expect(error?.kind == .cancelled)
    #expect(read.noted == Array(repeating: "1 of 5000", count: 50))
    #expect(try digest(path, target) == before)
  }
}

// As code generation writes them.

private struct DogLater: FrozenObject {
  static let modelName = "Dog"
  static let version = 2
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var name: String { _row.value(0) }
}

private struct GuestBefore: FrozenObject {
  static let modelName = "Guest"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var name: String { _row.value(1) }
}

private struct VisitBefore: FrozenObject {
  static let modelName = "Visit"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var guest: FrozenLink<GuestBefore>? { _row.link(0) }
}

private struct VisitAfter: FrozenObject {
  static let modelName = "Visit"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var name: String? {
    get { _row.value(0) }
    nonmutating set { _row.setValue(0, newValue) }
  }
}
