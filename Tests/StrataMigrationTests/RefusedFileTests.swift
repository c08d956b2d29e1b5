import StrataFiles
import StrataSQLite
import Testing

@testable import Strata

/// A file without a log whose upgrade or way back is refused has none afterwards either, and holds what it held.
@Suite struct RefusedFileTests {
  private struct Refused: Error {}

  private let bench: Workbench
  private let path: String
  private let target = PeopleHistory.target

  init() throws {
    bench = try Workbench()
    path = try bench.sample("x.db", version: 0, of: target, objects: 40)
  }

  private func turnLogOff() throws { try bench.sql(path, "PRAGMA journal_mode = DELETE") }

  /// Everything but what the header counts: changes of the file, of which turning a log on and off are two, and the version of SQLite that has
  /// made the last one, <https://www.sqlite.org/fileformat2.html#file_change_counter>.
  private func content() throws -> [String: [UInt8]] {
    var contents = try bench.contents()
    for place in Array(24..<28) + Array(92..<100) { contents["x.db"]?[place] = 0 }
    return contents
  }

  @Test(arguments: [true, false]) func aStepThatFailsLeavesNoLog(cancelled: Bool) throws {
    try turnLogOff()
    let before = try content()
    let failing = UpgradeTarget(
      history: PeopleHistory.history, steps: [Step(to: 1) { _ in throw Refused() }])
    var options = Upgrade.Options()
    options.backup = bench.path("kept.db")
    if cancelled { options.progress = { $0.phase == .objects ? .cancel : .proceed } }

    #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: cancelled ? target : failing, options: options).run()
    }

    #expect(try content() == before)
    #expect(try bench.sql(path, "PRAGMA journal_mode") == [[.text("delete")]])
  }

  @Test func aChangeInTheFileItselfThatIsCancelledLeavesNoLog() throws {
    let target = InPlaceTests.everything
    try bench.removeAll { _ in true }
    _ = try bench.sample("x.db", version: 0, of: target, objects: 40)
    try turnLogOff()
    let before = try content()
    var options = Upgrade.Options()
    options.progress = { _ in .cancel }

    #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }

    #expect(try content() == before)
  }

  @Test func aLossThatIsNotAcceptedLeavesNoLog() throws {
    let old = bench.path("old.db")
    try POSIXFiles().copy(path, to: old, permissions: 0o600)
    try upgrade(path, target)
    try bench.sql(path, "UPDATE Person SET age = 77, email = 'lost' WHERE _row = 1")
    try turnLogOff()
    let before = try content()

    let error = #expect(throws: MigrationError.self) {
      try Downgrade(path: path, from: old, target: target).run()
    }

    #expect(error?.kind == .losesData)
    #expect(try content() == before)
  }

  /// A place is looked at before the file is touched at all.
  @Test func aBackupWithoutAFolderLeavesTheFileAsItIs() throws {
    let old = bench.path("old.db")
    try POSIXFiles().copy(path, to: old, permissions: 0o600)
    try turnLogOff()
    var before = try bench.contents()
    var options = Upgrade.Options()
    options.backup = bench.path("missing/kept.db")
    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }
    #expect(error?.description.contains("missing does not exist") == true)
    #expect(try bench.contents() == before)

    try upgrade(path, target)
    try turnLogOff()
    before = try bench.contents()
    var back = Downgrade.Options()
    back.backup = bench.path("missing/kept.db")
    #expect(throws: MigrationError.self) {
      try Downgrade(path: path, from: old, target: target, options: back).run()
    }
    #expect(try bench.contents() == before)
  }
}
