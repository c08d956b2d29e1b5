import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What a block that looks beyond one object sees of what it has done already, and what it may not do.
@Suite struct BlockObjectTests {
  private let bench: Workbench

  init() throws { bench = try Workbench() }

  private static let models = [
    Model(name: "Tag", properties: [.required("name", .string)]),
    Model(
      name: "Use",
      properties: [
        .optional("about", .any), .required("count", .int), .optional("kept", .any),
        Property(name: "marks", type: .map(ValueType(.scalar(.int)))),
        Property(name: "numbers", type: .list(ValueType(.scalar(.int)))),
        Property(name: "things", type: .set(ValueType(.scalar(.any)))),
      ]),
  ]

  /// Upgrades a file with two tags of one name and two uses of the second tag by a block.
  private func upgraded(
    _ say: (inout MigrationStep) -> Void = { _ in },
    _ block: @escaping @Sendable (StepContext) throws -> Void
  ) throws -> String {
    let target = UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Schema(name: "Test", version: 0, models: Self.models), nil),
          (
            "2026-02-01", Schema(name: "Test", version: 1, models: Self.models),
            step(1) {
              say(&$0)
              $0.swiftModels = ["Tag", "Use"]
            }
          ),
        ]), steps: [Step(to: 1, block)])
    let path = try bench.sample("a.db", version: 0, of: target, objects: 0)
    let tag = "x'090000000000000002546167'"
    for statement in [
      "INSERT INTO Tag (_row, name) VALUES (1, 'a'), (2, 'a')",
      "INSERT INTO Use (_row, about, count) VALUES (3, \(tag), 0), (4, NULL, 0)",
      "INSERT INTO \"Use.marks\" (_owner, _index, value) VALUES (3, CAST(x'c3a9' AS TEXT), 1), (3, CAST(x'65cc81' AS TEXT), 2)",
      "UPDATE _strata SET value = 5 WHERE key = 'nextRow'",
    ] { try bench.sql(path, statement) }
    try upgrade(path, target)
    return path
  }

  private static func dedupe(_ step: inout MigrationStep) {
    step.deduplicate = ["Tag": Deduplication(properties: ["name"], keep: .first)]
  }

  @Test func anOldLinkInAnyLeadsToTheObjectThatStays() throws {
    let path = try upgraded(Self.dedupe) { step in
      try step.each(OldUse.self, NewUse.self) { old, new in new.kept = old.about }
      for old in try step.objects(OldUse.self) {
        guard let new = try step.counterpart(of: old, as: NewUse.self) else { continue }
        new.things.replaceAll(with: [old.about, .int(7)])
      }
    }

    let first = "090000000000000001546167"
    #expect(
      try bench.sql(path, "SELECT hex(about), hex(kept) FROM Use WHERE _row = 3")
        == [[.text(first), .text(first)]])
    #expect(
      try bench.sql(
        path, "SELECT count(*) FROM \"Use.things\" WHERE _owner = 3 AND value = x'\(first)'")
        == [[.integer(1)]])
  }

  /// Each read makes an instance of its own.
  @Test func anObjectInAnyIsEqualToItselfInEachRead() throws {
    let path = try upgraded { step in
      guard let old = Array(try step.objects(OldUse.self)).first else { return }
      for use in try step.objects(NewUse.self) {
        use.about = old.about
        use.things.replaceAll(with: [old.about])
        #expect(use.things.contains(old.about) && use.about == old.about)
        #expect(use.about != use.kept)
      }
      var seen: [AnyValue: NewUse] = [:]
      for use in try step.objects(NewUse.self) {
        if seen[use.about] != nil {
          try step.delete(use)
        } else {
          seen[use.about] = use
        }
      }
      #expect(seen[old.about]?.row.identity == 3)
    }

    #expect(try bench.sql(path, "SELECT _row FROM Use") == [[.integer(3)]])
  }

  /// How a block sets a property of type `any`.
  enum Setting: CaseIterable { case value, valueInAWorkspace, element }

  @Test(arguments: Setting.allCases)
  func anObjectThatIsNoneOfTheFileIsRefused(_ setting: Setting) throws {
    let error = #expect(throws: MigrationError.self) {
      try upgraded { step in
        if setting == .valueInAWorkspace { _ = try step.requireWorkspace() }
        try step.each(OldUse.self, NewUse.self) { _, new in
          let object = AnyValue.object(DynamicObject())
          if setting == .element {
            new.things.append(object)
          } else {
            new.kept = object
          }
        }
      }
    }

    #expect(error?.kind == .blockFailed && error?.model == "Use" && error?.identity == 3)
    let property = setting == .element ? "Use.things" : "Use.kept"
    #expect(
      error?.description.contains("it sets \(property) to an object of the class DynamicObject")
        == true, "\(error?.description ?? "")")
  }

  @Test func severalViewsOfANewObjectShowTheSame() throws {
    let path = try upgraded { step in
      guard let old = Array(try step.objects(OldUse.self)).first,
        let first = try step.counterpart(of: old, as: NewUse.self),
        let second = try step.counterpart(of: old, as: NewUse.self)
      else { return }
      #expect(first.count == 0 && second.count == 0)
      first.count += 1
      second.count += 10
      #expect(first.count == 11 && second.count == 11)
      second.about = .string("x")
      #expect(first.about == .string("x"))
      let made = try step.create(NewUse.self) { $0.count = 5 }
      for use in try step.objects(NewUse.self) { use.count *= 2 }
      #expect(first.count == 22 && made.count == 10)
      made.count += 1
    }

    #expect(
      try bench.sql(path, "SELECT count FROM Use ORDER BY _row")
        == [[.integer(22)], [.integer(0)], [.integer(11)]])
  }

  @Test func aMappingSeesWhatItsOwnBodyStoresElsewhere() throws {
    let path = try upgraded { step in
      try step.each(OldUse.self, NewUse.self) { old, new in
        new.count = 1
        try step.counterpart(of: old, as: NewUse.self)?.count += 1
        new.count += 1
      }
    }

    #expect(try bench.sql(path, "SELECT count FROM Use") == [[.integer(3)], [.integer(3)]])
  }

  /// Found out when the body runs: the step is carried out object by object from then on.
  @Test func aMappingMayReadCollections() throws {
    let path = try upgraded { step in
      try step.each(OldUse.self, NewUse.self) { old, new in
        new.count = old.marks.map(\.value).reduce(0, +)
      }
    }

    #expect(
      try bench.sql(path, "SELECT count FROM Use ORDER BY _row") == [[.integer(3)], [.integer(0)]])
  }

  /// The mapping's own object, seen by others before it is stored: from before, from a list, and by its key.
  @Test(arguments: [0, 1, 2])
  func whatAMappingSetsIsSeenByOtherViews(way: Int) throws {
    let path = try upgraded { step in
      var known: [Int64: NewUse] = [:]
      for use in try step.objects(NewUse.self) { known[use._row.identity] = use }
      let all = try step.objects(NewUse.self)
      try step.each(OldUse.self, NewUse.self) { old, new in
        let other: NewUse? =
          switch way {
          case 0: try step.counterpart(of: old, as: NewUse.self)
          case 1: known[new._row.identity]
          default: nil
          }
        new.count = 5
        if let other {
          #expect(other.count == 5)
          other.count += 1
        } else {
          for use in all where use.isSameObject(as: new) { use.count += 1 }
        }
        #expect(new.count == 6)
        other?.about = .int(7)
        new.count += 1
      }
    }

    #expect(try bench.sql(path, "SELECT count FROM Use") == [[.integer(7)], [.integer(7)]])
  }

  /// An error of the upgrade, wherever the old object comes from.
  @Test(arguments: [false, true])
  func anOldObjectIsNotWritten(isMapping: Bool) throws {
    let error = #expect(throws: MigrationError.self) {
      try upgraded { step in
        if isMapping {
          try step.each(OldUse.self, NewUse.self) { old, _ in old.count = 1 }
          _ = try step.objects(OldUse.self)
        } else {
          for old in try step.objects(OldUse.self) { old.count = 1 }
        }
      }
    }
    #expect(
      error?.description.contains("it writes Use.count of the old object. Old objects are read")
        == true, "\(String(describing: error))")
  }

  /// What a block may not do with an old object, outside of a mapping and in one.
  private static let deedsToOld:
    [(deed: @Sendable (StepContext, OldUse) throws -> Void, said: String)] = [
      (
        { $1.count = 1 },
        "it writes Use.count of the old object. Old objects are read only: write to the new one."
      ),
      (
        { $1.marks["x"] = 1 },
        "it writes Use.marks of the old object. Old objects are read only: write to the new one."
      ),
      (
        { $1.marks.replaceAll(with: [:]) },
        "it writes Use.marks of the old object. Old objects are read only: write to the new one."
      ),
      (
        { $1.numbers.append(1) },
        "it writes Use.numbers of the old object. Old objects are read only: write to the new one."
      ),
      (
        { try $0.delete($1) },
        "it deletes the old object. Old objects are read only: delete the new one."
      ),
    ]

  @Test(arguments: deedsToOld.indices, [false, true])
  func whatIsDoneToAnOldObjectNamesVersionModelAndObject(index: Int, isMapping: Bool) throws {
    let (deed, said) = Self.deedsToOld[index]
    let error = #expect(throws: MigrationError.self) {
      try upgraded { step in
        if isMapping {
          try step.each(OldUse.self, NewUse.self) { old, _ in
            if old._row.identity == 4 { try deed(step, old) }
          }
        } else {
          for old in try step.objects(OldUse.self) where old._row.identity == 4 {
            try deed(step, old)
          }
        }
      }
    }

    #expect(error?.description == "The block of version 1, Use #4 stopped the upgrade: \(said)")
    #expect(error?.kind == .blockFailed)
    #expect(error?.version == 1)
    #expect(error?.model == "Use")
    #expect(error?.identity == 4)
  }

  /// There is no object yet: the one that the block went to last is named.
  @Test(arguments: [false, true])
  func anOldObjectIsNotCreated(isMapping: Bool) throws {
    let error = #expect(throws: MigrationError.self) {
      try upgraded { step in
        if isMapping {
          try step.each(OldUse.self, NewUse.self) { _, _ in try step.create(OldUse.self) }
        } else {
          for _ in try step.objects(OldUse.self) { try step.create(OldUse.self) }
        }
      }
    }

    #expect(
      error?.description
        == "The block of version 1 stopped the upgrade: it creates an old Use. Old objects are read only: create a new one (the last object that it went to: Use #3)."
    )
    #expect(error?.version == 1)
    #expect(error?.model == "Use")
  }

  @Test func keysThatSwiftTakesForOneAreTwo() throws {
    let (short, long) = ("\u{e9}", "e\u{301}")
    let path = try upgraded { step in
      guard let old = Array(try step.objects(OldUse.self)).first,
        let new = try step.counterpart(of: old, as: NewUse.self)
      else { return }
      #expect(old.marks[short] == 1 && old.marks[long] == 2)
      #expect(old.marks.map(\.value).sorted() == [1, 2])
      new.marks[short] = 5
      #expect(new.marks[short] == 5 && new.marks[long] == 2)
      new.marks[long] = nil
      #expect(new.marks.map(\.value) == [5])
      new.marks.replaceAll(with: old.marks)
    }

    #expect(
      try bench.sql(path, "SELECT hex(_index), value FROM \"Use.marks\" ORDER BY value")
        == [[.text("C3A9"), .integer(1)], [.text("65CC81"), .integer(2)]])
  }

  /// One by one is as all at once, in each kind of collection.
  @Test func elementsAreAddedOneByOne() throws {
    let path = try upgraded { step in
      guard let new = Array(try step.objects(NewUse.self)).last else { return }
      for number in [3, 1, 3] { new.things.append(.int(number)) }
      for thing in [AnyValue.null, .null, .double(1), .string("1")] { new.things.append(thing) }
      for number in [3, 1, 3] { new.numbers.append(number) }
      new.marks["a"] = 1
      new.marks["b"] = 2
      new.marks["a"] = (new.marks["a"] ?? 0) + 5
      new.marks["b"] = nil
      #expect(new.things.count == 4 && new.numbers.elements == [3, 1, 3])
      #expect(new.marks.dictionary == ["a": 6])
    }

    #expect(
      try bench.sql(path, "SELECT quote(value) FROM \"Use.things\" WHERE _owner = 4 ORDER BY value")
        == ["NULL", "1", "3", "'1'"].map { [.text($0)] })
    #expect(
      try bench.sql(path, "SELECT value FROM \"Use.numbers\" WHERE _owner = 4 ORDER BY _index")
        == [[.integer(3)], [.integer(1)], [.integer(3)]])
  }

  /// In SQLite's instructions, ten times the elements take about ten times the work: reading the rest each time would make it a hundred.
  @Test func addingElementsIsLinear() throws {
    func instructions(_ count: Int) throws -> Int {
      let granularity = 10
      let ticks = Kept<Int>()
      ticks.value = 0
      _ = try Self().upgraded { step in
        guard let new = Array(try step.objects(NewUse.self)).first,
          let session = try step.requireWorkspace() as? WorkspaceSession
        else { return }
        session.database.setProgressHandler(every: granularity) {
          ticks.value? += 1
          return false
        }
        for number in 0..<count {
          new.numbers.append(number)
          new.things.append(.int(number))
          new.marks["\(number)"] = (new.marks["\(number)"] ?? 0) + 1
        }
        session.database.setProgressHandler(every: 0, nil)
      }
      return try #require(ticks.value) * granularity
    }
    let (few, many) = (try instructions(100), try instructions(1000))
    #expect(few > 0 && many < 15 * few, "\(few) and \(many)")
  }

  @Test func aStepThatIsKeptReachesNothing() throws {
    let kept = Kept<StepContext>()
    _ = try upgraded { step in
      _ = try step.objects(NewUse.self)
      kept.value = step
    }
    let step = try #require(kept.value)
    let error = #expect(throws: MigrationError.self) { _ = try step.objects(NewUse.self) }
    #expect(
      error?.description == "The step to version 1 is used after its block has returned.")
  }

  @Test func whatADeletedObjectIsGivenGoesWithIt() throws {
    let path = try upgraded { step in
      for use in try step.objects(NewUse.self) {
        try step.delete(use)
        use.count = 3
        use.marks["x"] = 1
        use.things.append(.int(1))
      }
    }

    #expect(
      try bench.sql(
        path,
        "SELECT (SELECT count(*) FROM Use), (SELECT count(*) FROM \"Use.marks\"), (SELECT count(*) FROM \"Use.things\")"
      ) == [[.integer(0), .integer(0), .integer(0)]])
  }
}

/// What a block hands out. The upgrade has ended when it is looked at.
private final class Kept<Value>: @unchecked Sendable {
  var value: Value?
}

// As code generation writes them; properties stand by name.

private struct OldUse: FrozenObject {
  static let modelName = "Use"
  static let version = 0
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var about: AnyValue { _row.value(0) }
  var count: Int {
    get { _row.value(1) }
    nonmutating set { _row.setValue(1, newValue) }
  }
  var marks: FrozenMap<Int> { _row.map(3) }
  var numbers: FrozenList<Int> { _row.list(4) }
}

private struct NewUse: FrozenObject {
  static let modelName = "Use"
  static let version = 1
  let _row: FrozenRow
  init(_row row: FrozenRow) { _row = row }
  var about: AnyValue {
    get { _row.value(0) }
    nonmutating set { _row.setValue(0, newValue) }
  }
  var count: Int {
    get { _row.value(1) }
    nonmutating set { _row.setValue(1, newValue) }
  }
  var kept: AnyValue {
    get { _row.value(2) }
    nonmutating set { _row.setValue(2, newValue) }
  }
  var marks: FrozenMap<Int> { _row.map(3) }
  var numbers: FrozenList<Int> { _row.list(4) }
  var things: FrozenList<AnyValue> { _row.list(5) }
}
