import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Upgrades in which a second thread inserts, which otherwise only those of many objects do.
@Suite struct SecondThreadTests {
  /// More than a batch of that thread holds.
  private static let objects = 3000

  let bench: Workbench

  init() throws { bench = try Workbench() }

  static func onTwoThreads<Result>(_ body: () throws -> Result) rethrows -> Result {
    var switches = EngineSwitches()
    switches.fewestObjectsForThread = 0
    return try EngineSwitches.$current.withValue(switches, operation: body)
  }

  private func expectUntouched(
    _ file: String, _ target: UpgradeTarget, _ before: Digest?,
    at location: Testing.SourceLocation = #_sourceLocation
  ) throws {
    #expect(try digest(file, target) == before, sourceLocation: location)
    #expect(try bench.names(beside: file) == [], sourceLocation: location)
  }

  @Test(arguments: FaultWay.allCases)
  func theResultIsThatOfOneThread(way: FaultWay) throws {
    let one = try bench.sample("one.db", version: 0, of: way.source, objects: Self.objects)
    let two = try bench.sample("two.db", version: 0, of: way.source, objects: Self.objects)
    let outputs = [bench.path("one-new.db"), bench.path("two-new.db")]
    var options = way.options(output: outputs[0], backup: bench.path("one-kept.db"))
    options.usesSecondThread = false
    try Upgrade(path: one, target: way.target, options: options).run()

    options = way.options(output: outputs[1], backup: bench.path("two-kept.db"))
    try Self.onTwoThreads {
      _ = try Upgrade(path: two, target: way.target, options: options).run()
    }

    let results = way.writesOutput ? outputs : [one, two]
    #expect(try digest(results[0], way.target) == digest(results[1], way.target))
    #expect(try bench.bytes(results[0]).count == bench.bytes(results[1]).count)
    #expect(try bench.sql(results[1], "PRAGMA integrity_check") == [[.text("ok")]])
  }

  /// Values that do not fit into a batch, one after the other.
  @Test func hugeValuesPassThrough() throws {
    let file = try bench.sample(version: 0, of: PeopleHistory.target, objects: 40)
    try bench.sql(
      file, "UPDATE Person SET lastName = printf('%.*c', 300000 * (_row % 5), 'x') || _row")
    let expected = try bench.sql(file, "SELECT firstName || ' ' || lastName FROM Person")

    try Self.onTwoThreads { _ = try upgrade(file, PeopleHistory.target) }

    #expect(try bench.sql(file, "SELECT fullName FROM Person") == expected)
  }

  struct Refusal: Error {}

  @Test func aBlockThatThrowsLeavesTheFileAsItWas() throws {
    let counted = Tally()
    let target = UpgradeTarget(
      history: PeopleHistory.history,
      steps: [
        Step(to: 1) { step in
          try step.each(PersonBefore.self, PersonAfter.self) { _, new in
            counted.note("")
            if counted.count == 2500 { throw Refusal() }
            new.fullName = ""
          }
        }
      ])
    let file = try bench.sample(version: 0, of: target, objects: Self.objects)
    let before = try digest(file, target)

    let error = #expect(throws: MigrationError.self) {
      try Self.onTwoThreads { _ = try upgrade(file, target) }
    }

    #expect(error?.identity == 2500)
    try expectUntouched(file, target, before)
  }

  /// What the inserting thread meets stops the block's thread, with the same words.
  @Test func aFullDiskLeavesTheFileAsItWas() throws {
    let target = PeopleHistory.target
    let file = try bench.sample(version: 0, of: target, objects: Self.objects)
    let before = try digest(file, target)
    let vfs = FaultVFS()
    vfs.arm(at: 20, .diskFull)

    let error = #expect(throws: MigrationError.self) {
      try Self.onTwoThreads { _ = try Upgrade(path: file, target: target, vfs: vfs.name).run() }
    }

    #expect(vfs.hasStruck)
    #expect(error?.kind == .diskFull)
    try expectUntouched(file, target, before)
  }

  @Test func itIsCancelledBetweenTwoObjects() throws {
    let target = PeopleHistory.target
    let file = try bench.sample(version: 0, of: target, objects: 10_000)
    let before = try digest(file, target)
    var options = Upgrade.Options()
    options.progress = { $0.objectsDone >= 4096 ? .cancel : .proceed }

    let error = #expect(throws: MigrationError.self) {
      try Self.onTwoThreads {
        _ = try Upgrade(path: file, target: target, options: options).run()
      }
    }

    #expect(error?.kind == .cancelled)
    try expectUntouched(file, target, before)
  }

  /// The callback runs where the upgrade was called, never on the thread that inserts.
  @Test func theCallbackStaysOnItsThread() throws {
    let target = PeopleHistory.target
    let file = try bench.sample(version: 0, of: target, objects: 20_000)
    let thread = ThreadIdentity.current
    var strangers = 0
    var options = Upgrade.Options()
    options.progress = { _ in
      if ThreadIdentity.current != thread { strangers += 1 }
      return .proceed
    }

    try Self.onTwoThreads { _ = try Upgrade(path: file, target: target, options: options).run() }

    #expect(strangers == 0)
  }

  /// A migration block that looks further takes the connection over from the thread, wherever it is.
  @Test(arguments: [1, 2, 511, 512, 513, 1800, 3000])
  func aDraftTakesOverFromTheThread(at object: Int) throws {
    let target = UpgradeTarget(classic: PeopleHistory.history.versions[5].schema) {
      migration, _ in
      var count = 0
      migration.enumerateObjects(ofType: "Person") { old, new in
        count += 1
        new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
        if count == object { migration.create("Pet", value: ["name": "Rex", "age": 1]) }
      }
    }
    let file = try bench.sample(version: 0, of: PeopleHistory.target, objects: Self.objects)
    let expected = try bench.sql(file, "SELECT _row, firstName || ' ' || lastName FROM Person")

    try Self.onTwoThreads { _ = try Upgrade(path: file, target: target).run() }

    #expect(try bench.sql(file, "SELECT _row, fullName FROM Person ORDER BY _row") == expected)
    #expect(try bench.sql(file, "SELECT name FROM Pet") == [[.text("Rex")]])
  }
}
