import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What people are told when a downgrade stops: that it is one, and of which file.
@Suite struct DowngradeMessageTests {
  private static let maximumReports = 500

  let downs: DowngradeBench
  var bench: Workbench { downs.bench }

  init() throws { downs = try DowngradeBench() }

  @Test func aKeyWithALineBreakStaysOnItsLine() {
    let object = DowngradeReport.LostObject(identity: 7, key: "\"a\n  nothing is lost\"")
    let loss = DowngradeReport.Loss(
      model: "Person", property: "age", reason: "it is gone", count: 1, objects: [object])
    let report = DowngradeReport(
      from: 2, to: 1, changes: [], losses: [loss], objects: 9, isMadeOfOldFile: true)
    #expect(
      report.text == #"""
          nothing has changed since the upgrade
          lost: Person.age of 1 object: it is gone: _row 7 ("a\n  nothing is lost")
        """#)
  }

  /// At each moment that the callback is asked: while the old file is upgraded anew, copied, changed, judged and written back.
  @Test func aCancelledDowngradeIsCalledOne() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target)
    try bench.sql(new, "UPDATE Person SET age = 77, email = 'lost' WHERE _row < 20")
    let before = try bench.contents()
    var moments = 0
    for last in 1...Self.maximumReports {
      var reports = 0
      do {
        try downs.downgrade(new, old, target) {
          $0.acceptsLoss = true
          $0.progress = { _ in
            reports += 1
            return reports == last ? .cancel : .proceed
          }
        }
        break
      } catch let error as MigrationError {
        #expect(error.kind == .cancelled)
        #expect(
          error.description.hasPrefix("The downgrade of \(new) was cancelled; the file "),
          "\(error.description)")
        #expect(try bench.contents() == before)
        moments += 1
      }
    }
    #expect(moments > 3)
    #expect(try FileInspector().stored(at: new).version == 0)
  }

  @Test func aFullDiskIsOneForTheDowngrade() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target)
    let error = #expect(throws: MigrationError.self) {
      try Downgrade(path: new, from: old, target: target, files: FaultyFiles(free: 1000)).run()
    }
    #expect(error?.kind == .diskFull)
    #expect(
      error?.description.hasPrefix("The downgrade of \(new) needs ") == true,
      "\(error?.description ?? "")")
    // Where it turns out while pages are written.
    let vfs = FaultVFS()
    vfs.arm(at: 3, .diskFull)
    let full = #expect(throws: MigrationError.self) {
      try Downgrade(path: new, from: old, target: target, vfs: vfs.name).run()
    }
    #expect(full?.kind == .diskFull)
    #expect(full?.description.contains("The disk is full. \(new) was not changed") == true)
  }

  @Test func aLockIsThatOfEither() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target)
    let files = POSIXFiles()
    let lock = try #require(
      try AsideFile.lockNames(beside: files.realPath(of: new), waiting: 0, files: files))
    defer { lock.release() }
    let text = "\(new) is being upgraded or taken back by another process."
    let down = #expect(throws: MigrationError.self) {
      try downs.downgrade(new, old, target) { $0.busyTimeout = 0 }
    }
    #expect(down?.kind == .busy)
    #expect(down?.description.hasPrefix(text) == true)
    // An upgrade of a file that is being taken back is told the same.
    try POSIXFiles().copy(old, to: bench.path("up.db"), permissions: 0o600)
    let other = try #require(
      try AsideFile.lockNames(
        beside: files.realPath(of: bench.path("up.db")), waiting: 0, files: files))
    defer { other.release() }
    var options = Upgrade.Options()
    options.busyTimeout = 0
    let up = #expect(throws: MigrationError.self) {
      try Upgrade(path: bench.path("up.db"), target: target, options: options).run()
    }
    #expect(up?.description.contains("is being upgraded or taken back by another process.") == true)
  }

  /// The newer file is whole, and must not be called damaged.
  @Test func damageIsThatOfTheFileThatHasIt() throws {
    let target = PeopleHistory.target
    let (old, new) = try downs.files(target, objects: 2000)
    var bytes = try bench.bytes(old)
    // The first page says what the file is; what comes behind the second one is nonsense.
    for index in 8192..<bytes.count { bytes[index] = 0xA5 }
    try POSIXFiles().write(bytes, to: old, permissions: 0o600)
    let before = try bench.bytes(new)
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(error?.kind == .fileDamaged)
    #expect(error?.description.hasPrefix("\(old) ") == true, "\(error?.description ?? "")")
    #expect(try bench.bytes(new) == before)
  }

  /// The steps are not those any more that the file was upgraded with.
  @Test func anOldFileThatIsRefusedAnewIsNamed() throws {
    let (old, new) = try downs.files(PeopleHistory.target)
    let target = UpgradeTarget(
      history: PeopleHistory.history,
      steps: [
        Step(to: 1) { step in
          try step.each(PersonBefore.self, PersonAfter.self) { _, _ in
            throw MigrationError(.conversionFailed, "no name")
          }
        }
      ])
    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(
      error?.description.hasPrefix(
        "\(new) was not taken back, and is as it was: for that \(old) is upgraded anew, which was refused. "
      )
        == true, "\(error?.description ?? "")")
  }

  @Test func anUpgradeSaysWhatTakesAFileBack() throws {
    let target = PeopleHistory.target
    let (_, new) = try downs.files(target)
    let error = #expect(throws: MigrationError.self) { try upgrade(new, target, to: 3) }
    #expect(error?.kind == .fileIsNewer)
    #expect(error?.description.contains("`strata downgrade` does") == true)
  }
}
