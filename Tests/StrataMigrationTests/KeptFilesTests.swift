import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// Files that are kept beside as they were before an upgrade: named by version and day, bounded, and removed in time.
@Suite struct KeptFilesTests {
  private static let day = 86400.0
  let bench: Workbench
  let path: String
  var kept: KeptFiles { KeptFiles(path: path, files: POSIXFiles(), vfs: nil) }

  init() throws {
    bench = try Workbench()
    path = try bench.sample("people.db", version: 0, of: PeopleHistory.target, objects: 5)
  }

  /// 2026-11-22.
  private let today = 9456.0 * 86400

  private func names() throws -> [String] {
    try bench.names().filter { $0.contains(".kept-") }.sorted()
  }

  /// Keeps the file as an opening does it on a day.
  private func keep(_ rule: Store.OldFiles, daysAgo: Double = 0) throws {
    guard let place = try kept.place(for: 0, rule, on: today - daysAgo * Self.day) else { return }
    try POSIXFiles().copy(path, to: place, permissions: 0o600)
  }

  @Test func theNameSaysVersionAndDay() throws {
    try keep(.forDays(30))
    try keep(.forDays(30))
    #expect(
      try names() == ["people.db.kept-0-20261122", "people.db.kept-0-20261122-2"])
  }

  @Test func whatIsTooOldIsRemoved() throws {
    try keep(.forDays(30), daysAgo: 30)
    try keep(.forDays(30), daysAgo: 29)
    kept.clean(.forDays(30), on: today)
    #expect(try names() == ["people.db.kept-0-20261024"])
  }

  @Test func onlySoManyAreKept() throws {
    for days in 0..<5 { try keep(.forDays(30), daysAgo: Double(days)) }
    kept.clean(.forDays(30, maximumCount: 2), on: today)
    #expect(try names() == ["people.db.kept-0-20261121", "people.db.kept-0-20261122"])
  }

  /// Also where many upgrades are made in one day, and names become free again.
  @Test func theNewestOfADayStays() throws {
    for number in 1...12 {
      try keep(.forDays(30))
      kept.clean(.forDays(30, maximumCount: 2), on: today)
      let end = number == 1 ? "" : "-\(number)"
      #expect(try kept.all().first?.path.hasSuffix("kept-0-20261122\(end)") == true)
      #expect(try names().count == min(number, 2))
    }
  }

  /// A clock that was ahead once: the files of that time are in no other's way.
  @Test func filesOfLaterDaysGoBeforeOthers() throws {
    for days in 0..<3 { try keep(.forDays(30), daysAgo: -3000 - Double(days)) }
    for days in [1, 0] {
      try keep(.forDays(30), daysAgo: Double(days))
      kept.clean(.forDays(30), on: today)
    }
    #expect(
      try names() == [
        "people.db.kept-0-20261121", "people.db.kept-0-20261122", "people.db.kept-0-20350210",
      ])
  }

  @Test func onlySoManyBytesAreKept() throws {
    for days in 0..<3 { try keep(.forDays(30), daysAgo: Double(days)) }
    let size = try #require(try POSIXFiles().size(of: path))
    kept.clean(.forDays(30, maximumBytes: size), on: today)
    #expect(try names() == ["people.db.kept-0-20261122"])
    #expect(try kept.place(for: 0, .forDays(30, maximumBytes: size - 1), on: today) == nil)
  }

  @Test func otherFilesAreLeftAlone() throws {
    for name in [
      "people.db.kept-0-20200101-wal", "people.db.kept-notes", "people.db.kept-0-2020",
      "other.db.kept-0-20200101",
    ] { try POSIXFiles().write([1], to: bench.path(name), permissions: 0o600) }
    let before = try bench.names().sorted()
    kept.clean(.forDays(1), on: today)
    #expect(try bench.names().sorted() == before)
  }

  @Test func theFileOfTheSameHistoryIsFound() throws {
    try keep(.forDays(30), daysAgo: 1)
    // A newer name, and another schema.
    let foreign = try bench.sample("foreign.db", version: 0, of: FaultWay.setBased.target)
    try POSIXFiles().copy(
      foreign, to: bench.path("people.db.kept-0-20261122"), permissions: 0o600)
    try upgrade(path, PeopleHistory.target)
    let found = try kept.newest(for: PeopleHistory.target)
    #expect(found?.hasSuffix("people.db.kept-0-20261121") == true)
  }

  /// An older version has written after the file was kept: the upgrade after it kept none.
  @Test func aFileThatWasNotTheOneUpgradedLastIsNotTaken() throws {
    try keep(.forDays(30))
    try bench.sql(path, "UPDATE _strata SET value = value + 1 WHERE key = 'transaction'")
    try upgrade(path, PeopleHistory.target)
    let error = #expect(throws: MigrationError.self) {
      try Downgrade.keptFile(of: path, PeopleHistory.target)
    }
    #expect(error?.kind == .cannotGoBack)
    #expect(
      error?.description.contains(
        "kept-0-20261122, the newest, is of another file, or an older version has written"
      )
        == true, "\(error?.description ?? "")")
    // Who accepts the loss gets it, and a report that says so.
    let kept = try Downgrade.keptFile(of: path, PeopleHistory.target, acceptsLoss: true)
    var options = Downgrade.Options()
    options.acceptsLoss = true
    let report = try Downgrade(
      path: path, from: kept, target: PeopleHistory.target, options: options
    ).run()
    #expect(report.isMadeOfOldFile == false)
  }

  /// Damages what is kept, each as an operating system or a person does.
  private static let damages: [@Sendable (String) throws -> Void] = [
    { try POSIXFiles().write([], to: $0, permissions: 0o600) },
    { try POSIXFiles().write([UInt8](repeating: 0, count: 8192), to: $0, permissions: 0o600) },
    { try POSIXFiles().write(Array("SQLite format 3\0".utf8), to: $0, permissions: 0o600) },
  ]

  private func withoutMarks() throws {
    try bench.sql(path, "DELETE FROM _strata WHERE key = 'upgrades'")
  }

  /// Where the file does not know what it was made of, the newest is meant, and no older one takes its place.
  @Test(arguments: damages.indices)
  func aDamagedNewestIsNotPassedOver(damage: Int) throws {
    try keep(.forDays(30), daysAgo: 1)
    try keep(.forDays(30))
    try Self.damages[damage](bench.path("people.db.kept-0-20261122"))
    try upgrade(path, PeopleHistory.target)
    try withoutMarks()
    let error = #expect(throws: MigrationError.self) {
      try Downgrade.keptFile(of: path, PeopleHistory.target, acceptsLoss: true)
    }
    #expect(error?.description.contains("people.db.kept-0-20261122 ") == true)
  }

  @Test(arguments: damages.indices)
  func aDamagedOlderOneIsInTheWayOfNoNewer(damage: Int) throws {
    try keep(.forDays(30), daysAgo: 1)
    try keep(.forDays(30))
    try Self.damages[damage](bench.path("people.db.kept-0-20261121"))
    try bench.sql(path, "UPDATE _strata SET value = value + 1 WHERE key = 'transaction'")
    try upgrade(path, PeopleHistory.target)
    let found = try Downgrade.keptFile(of: path, PeopleHistory.target, acceptsLoss: true)
    #expect(found.hasSuffix("people.db.kept-0-20261122"))
  }

  /// Kept by an upgrade behind the version that the file was taken back to.
  @Test(arguments: damages.indices)
  func aDamagedOneOfNoEarlierVersionIsNotLookedAt(damage: Int) throws {
    try keep(.forDays(30), daysAgo: 1)
    try upgrade(path, PeopleHistory.target)
    let version = try #require(PeopleHistory.target.history.versions.last).number
    try Self.damages[damage](bench.path("people.db.kept-\(version)-20261122"))
    let found = try Downgrade.keptFile(of: path, PeopleHistory.target)
    #expect(found.hasSuffix("people.db.kept-0-20261121"))
  }

  /// As an opening keeps it.
  @Test func anUpgradeKeepsAFileOfThatName() throws {
    let place = try #require(try kept.place(for: 0, .forDays(30), on: today))
    try Upgrade(path: path, target: PeopleHistory.target).keeping(place).run()
    #expect(try names() == ["people.db.kept-0-20261122"])
    #expect(try kept.newest(for: PeopleHistory.target) == place)
  }

  @Test func withoutOneThereIsASentence() throws {
    try upgrade(path, PeopleHistory.target)
    let error = #expect(throws: MigrationError.self) {
      try Downgrade.keptFile(of: path, PeopleHistory.target)
    }
    #expect(error?.kind == .cannotGoBack)
  }
}
