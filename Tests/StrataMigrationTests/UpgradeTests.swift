import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

@Suite struct UpgradeTests {
  let bench: Workbench
  let target = PeopleHistory.target

  init() throws { bench = try Workbench() }

  @Test func aBlockMakesOneNameOfTwo() throws {
    let file = try bench.sample(version: 0, of: target, objects: 3)
    let before = try bench.sql(file, "SELECT firstName || ' ' || lastName, age FROM Person")

    try upgrade(file, target, to: 1)

    #expect(try bench.sql(file, "SELECT fullName, age FROM Person") == before)
    #expect(try bench.sql(file, "SELECT DISTINCT email FROM Person") == [[.text("")]])
  }

  @Test func everyPathGivesTheSameData() throws {
    for source in 0...4 {
      let straight = try bench.sample("straight\(source).db", version: source, of: target)
      let stepwise = try bench.sample("stepwise\(source).db", version: source, of: target)
      let unfused = try bench.sample("unfused\(source).db", version: source, of: target)

      try upgrade(straight, target)
      for version in (source + 1)...5 { try upgrade(stepwise, target, to: version) }
      try upgrade(unfused, target, fusing: false)

      let expected = try digest(straight, target)
      #expect(try digest(stepwise, target) == expected)
      #expect(try digest(unfused, target) == expected)
      let inspection = try FileInspector().inspect(straight, target: target)
      #expect(inspection.status == .current)
      #expect(inspection.counts["Person"] == 100)
    }
  }

  /// Versions 1 and 3 have the same shape, and what version 2 has removed does not come back.
  @Test func aPropertyThatWasRemovedReturnsEmpty() throws {
    let straight = try bench.sample("straight.db", version: 1, of: target)
    let throughTwo = try bench.sample("through.db", version: 1, of: target)

    try upgrade(straight, target)
    try upgrade(throughTwo, target, to: 2)
    try upgrade(throughTwo, target)

    let emails = "SELECT DISTINCT email FROM Person"
    #expect(try bench.sql(straight, emails) == [[.text("")]])
    #expect(try bench.sql(throughTwo, emails) == [[.text("")]])
  }

  @Test func aPropertyThatContinuesKeepsItsValues() throws {
    let file = try bench.sample(version: 3, of: target)
    let emails = "SELECT email FROM Person ORDER BY _row"
    let before = try bench.sql(file, emails)

    try upgrade(file, target)

    #expect(try bench.sql(file, emails) == before)
    #expect(before.first != [.text("")])
  }

  @Test func aRenamedModelKeepsItsObjectsAndWhoLinksToThem() throws {
    let file = try bench.sample(version: 4, of: target)
    let before = try bench.sql(
      file,
      """
      SELECT p.fullName, d.name FROM Person p JOIN "Person.dogs" l ON l._owner = p._row \
      JOIN Dog d ON d._row = l.value ORDER BY p._row, l._index
      """)

    try upgrade(file, target)

    let after = try bench.sql(
      file,
      """
      SELECT p.fullName, d.name FROM Person p JOIN "Person.dogs" l ON l._owner = p._row \
      JOIN Pet d ON d._row = l.value ORDER BY p._row, l._index
      """)
    #expect(after == before)
    #expect(before.count >= 100)
  }

  @Test func aDeclarativeStepSetsAProperty() throws {
    let file = try bench.sample(version: 4, of: target)
    try upgrade(file, target)
    let wrong = try bench.sql(
      file,
      """
      SELECT count(*) FROM Person \
      WHERE nickname IS NOT substr(fullName, 1, instr(fullName, ' ') - 1)
      """)
    #expect(wrong == [[.integer(0)]])
  }

  @Test func theFileKeepsItsInodeAndReadersTheirSnapshot() throws {
    let file = try bench.sample(version: 0, of: target)
    let before = try POSIXFiles().status(of: file)
    let reader = try Database(path: file, mode: .readOnly)
    try reader.begin(.deferred)
    let names = try reader.rows("SELECT firstName FROM Person")

    try upgrade(file, target)

    #expect(try reader.rows("SELECT firstName FROM Person") == names)
    try reader.rollback()
    #expect(try reader.rows("SELECT fullName FROM Person").count == names.count)
    #expect(try POSIXFiles().status(of: file)?.inode == before?.inode)
  }

  @Test func anOutputLeavesTheOldFileAlone() throws {
    let file = try bench.sample(version: 0, of: target)
    let before = try bench.contents()
    var options = Upgrade.Options()
    options.output = bench.path("new.db")

    try Upgrade(path: file, target: target, options: options).run()

    var after = try bench.contents()
    after["new.db"] = nil
    #expect(after == before)
    #expect(
      try FileInspector().inspect(bench.path("new.db"), target: target).status == .current)
  }

  @Test func aBackupIsTheOldContent() throws {
    let file = try bench.sample(version: 0, of: target)
    let before = try digest(file, target)
    var options = Upgrade.Options()
    options.backup = bench.path("old.db")

    try Upgrade(path: file, target: target, options: options).run()

    #expect(try digest(bench.path("old.db"), target) == before)
    #expect(try FileInspector().inspect(bench.path("old.db"), target: target).version == 0)
  }

  /// A run that was killed after its copy was made has left it; the next run does not stumble over it.
  @Test func theBackupOfAnInterruptedRunIsAsGood() throws {
    let file = try bench.sample(version: 0, of: target)
    let interrupted = try bench.sample("interrupted.db", version: 0, of: target)
    var options = Upgrade.Options()
    options.backup = bench.path("old.db")
    try Upgrade(path: interrupted, target: target, options: options).run()
    let copy = try bench.bytes(bench.path("old.db"))

    try Upgrade(path: file, target: target, options: options).run()

    #expect(try bench.bytes(bench.path("old.db")) == copy)
    #expect(try FileInspector().inspect(file, target: target).status == .current)
  }

  @Test func aBackupOverwritesNothing() throws {
    let file = try bench.sample(version: 0, of: target)
    let other = try bench.sample("other.db", version: 0, of: target, seed: 8)
    let before = try bench.contents()
    var options = Upgrade.Options()
    options.backup = other

    #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target, options: options).run()
    }
    #expect(try bench.contents() == before)
  }

  @Test func anUpgradeThatIsCancelledLeavesNoBackup() throws {
    let file = try bench.sample(version: 0, of: target, objects: 20_000)
    let before = try bench.contents()
    var options = Upgrade.Options()
    options.backup = bench.path("old.db")
    options.progress = { $0.objectsDone > 8000 ? .cancel : .proceed }

    #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target, options: options).run()
    }
    #expect(try bench.contents() == before)
  }

  /// A connection may be the last to need what it reports to.
  @Test func aConnectionKeepsItsWatch() throws {
    var reports = 0
    let database = try Database(path: bench.path("watched.db"), mode: .create)
    defer { database.close() }
    func begin() {
      UpgradeWatch(path: "a.db") { _ in
        reports += 1
        return .proceed
      }.watch(database)
    }
    begin()

    let numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) SELECT count(*) FROM n"
    #expect(try database.firstValue(numbers) == .integer(200_000))
    #expect(reports > 0)
  }

  @Test func progressTellsRateTimeLeftAndStep() throws {
    let file = try bench.sample(version: 0, of: target, objects: 10_000)
    var seen: [UpgradeProgress] = []
    var options = Upgrade.Options()
    options.progress = {
      seen.append($0)
      return .proceed
    }

    try Upgrade(path: file, target: target, options: options).run()

    #expect(seen.allSatisfy { $0.stepCount == 5 && (1...5).contains($0.step) })
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.fraction <= $1.fraction })
    let last = try #require(seen.last)
    #expect(last.phase == .writing)
    #expect(last.fraction == 1)
    #expect(last.step == 5)
    #expect(last.objectsDone == last.objectsTotal)
    #expect(last.bytesWritten > 0)
    #expect(last.objectsPerSecond > 0)
    #expect(last.timeLeft != nil)
  }

  @Test func aCancelledUpgradeLeavesTheFile() throws {
    let file = try bench.sample(version: 0, of: target, objects: 20_000)
    let before = try bench.contents()
    var options = Upgrade.Options()
    options.progress = { $0.objectsDone > 8000 ? .cancel : .proceed }

    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target, options: options).run()
    }
    #expect(error?.kind == .cancelled)
    #expect(try bench.contents() == before)
  }
}
