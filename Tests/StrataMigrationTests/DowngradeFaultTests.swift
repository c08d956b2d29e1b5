import Foundation
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// The anomaly loop of a downgrade: the n-th call fails, the file is the newer one or the older one, and the next run finishes it.
///
/// `STRATA_LONG_TESTS=1` takes every call, otherwise it is some of each fault.
@Suite struct DowngradeFaultTests {
  private static let samples = 6

  let bench: Workbench
  let target = PeopleHistory.target

  init() throws { bench = try Workbench() }

  private func downgrade(
    _ path: String, _ old: String, output: String? = nil, backup: String? = nil,
    files: any FileOperations = POSIXFiles(), vfs: String? = nil
  ) throws {
    var options = Downgrade.Options()
    options.output = output
    options.backup = backup
    options.acceptsLoss = true
    options.busyTimeout = 0
    try Downgrade(
      path: path, from: old, target: target, options: options, files: files, vfs: vfs
    ).run()
  }

  @Test(arguments: Fault.allCases)
  func whateverFailsTheFileIsTheNewerOneOrTheOlderOne(fault: Fault) throws {
    let old = try bench.sample("old.db", version: 0, of: target, objects: 40)
    let original = bench.path("original.db")
    var options = Upgrade.Options()
    options.output = original
    try Upgrade(path: old, target: target, options: options).run()
    try bench.sql(original, "UPDATE Person SET age = 77, email = 'lost' WHERE _row = 1")
    try bench.sql(original, "PRAGMA wal_checkpoint(TRUNCATE)")
    let down = bench.path("down.db")
    try POSIXFiles().copy(original, to: down, permissions: 0o600)
    let vfs = FaultVFS()
    vfs.arm(at: 0, fault)
    let counting = FaultyFiles()
    try downgrade(down, old, files: counting, vfs: vfs.name)
    let calls = fault.isBesideSQLite ? counting.count : vfs.count
    let (newer, older) = (try digest(original, target), try digest(down, target))
    #expect(newer != older)
    #expect(calls > 3)

    let stride = FaultTests.isLong ? 1 : max(1, calls / Self.samples)
    for call in Swift.stride(from: 1, through: calls + 1, by: stride) {
      var file = bench.path("\(call)-file.db")
      try POSIXFiles().copy(original, to: file, permissions: 0o600)
      let hasSucceeded = run(file, old, failing: call, fault, vfs)
      if fault.isDeath {
        _ = try bench.copyWithNeighbours(of: file, to: "after-\(call)-file.db")
        file = bench.path("after-\(call)-file.db")
      }
      let what = "\(fault) at call \(call)"
      let found = try FileInspector().inspect(file, target: target, digest: true)
      let isOlder = found.version == 0 && found.dataDigest == older
      let isNewer = found.version == 5 && found.dataDigest == newer
      #expect(isOlder || isNewer, "\(what): \(found.problem?.description ?? "other content")")
      #expect(!hasSucceeded || isOlder, "\(what)")
      if isNewer {
        try downgrade(file, old)
      } else {
        try recover(file, old, call)
      }
      #expect(try digest(file, target) == older, "\(what), and once more")
      let left = try bench.names().filter {
        $0.hasPrefix(FilePaths.name(of: file) + AsideFile.suffix)
      }
      #expect(left.isEmpty, "\(what): \(left)")
      try bench.removeAll { $0.hasPrefix("\(call)-") || $0.hasPrefix("after-") }
    }
  }

  /// The copy of the newer file is there, and whole, before the file may be another one.
  @Test(arguments: Fault.allCases)
  func whateverFailsNothingIsTakenBackWithoutItsBackup(fault: Fault) throws {
    let old = try bench.sample("old.db", version: 0, of: target, objects: 40)
    let original = bench.path("original.db")
    var options = Upgrade.Options()
    options.output = original
    try Upgrade(path: old, target: target, options: options).run()
    try bench.sql(original, "UPDATE Person SET age = 77, email = 'lost' WHERE _row = 1")
    try bench.sql(original, "PRAGMA wal_checkpoint(TRUNCATE)")
    let down = bench.path("down.db")
    try POSIXFiles().copy(original, to: down, permissions: 0o600)
    let vfs = FaultVFS()
    vfs.arm(at: 0, fault)
    let counting = FaultyFiles()
    try downgrade(
      down, old, backup: bench.path("kept.db"), files: counting, vfs: vfs.name)
    let calls = fault.isBesideSQLite ? counting.count : vfs.count
    let (newer, older) = (try digest(original, target), try digest(down, target))
    #expect(try digest(bench.path("kept.db"), target) == newer)

    let stride = FaultTests.isLong ? 1 : max(1, calls / Self.samples)
    for call in Swift.stride(from: 1, through: calls + 1, by: stride) {
      var (file, backup) = (bench.path("\(call)-file.db"), bench.path("\(call)-backup.db"))
      try POSIXFiles().copy(original, to: file, permissions: 0o600)
      let hasSucceeded = run(file, old, backup: backup, failing: call, fault, vfs)
      if fault.isDeath {
        for path in [file, backup] where try !bench.names(beside: path, including: true).isEmpty {
          _ = try bench.copyWithNeighbours(of: path, to: "after-" + FilePaths.name(of: path))
        }
        (file, backup) = (
          bench.path("after-\(call)-file.db"), bench.path("after-\(call)-backup.db")
        )
      }
      let what = "\(fault) at call \(call)"
      let isKept = try POSIXFiles().exists(backup)
      if isKept { #expect(try digest(backup, target) == newer, "\(what)") }
      let found = try FileInspector().inspect(file, target: target, digest: true)
      let isOlder = found.version == 0 && found.dataDigest == older
      let isNewer = found.version == 5 && found.dataDigest == newer
      #expect(isOlder || isNewer, "\(what): \(found.problem?.description ?? "other content")")
      #expect(isKept || !isOlder, "\(what): taken back without the backup")
      #expect(isOlder || !hasSucceeded, "\(what)")
      if isNewer {
        // What is there already is as good.
        try downgrade(file, old, backup: backup)
        let left = try [file, backup].flatMap { path in
          try bench.names(beside: path).filter { $0.contains(AsideFile.suffix) }
        }
        #expect(left == [], "\(what)")
      }
      #expect(try digest(file, target) == older, "\(what), and once more")
      #expect(try digest(backup, target) == newer, "\(what), and once more")
      try bench.removeAll { $0.hasPrefix("\(call)-") || $0.hasPrefix("after-") }
    }
  }

  /// Each call, because it was one that made the difference: what is written at last comes out of the draft's log.
  @Test(arguments: [Fault.inputOutput, .diskFull, .shortWrite])
  func whateverFailsAnOutputIsWholeOrNotThere(fault: Fault) throws {
    let old = try bench.sample("old.db", version: 0, of: target, objects: 3)
    let file = bench.path("newer.db")
    var options = Upgrade.Options()
    options.output = file
    try Upgrade(path: old, target: target, options: options).run()
    try bench.sql(file, "UPDATE Person SET age = 77 WHERE _row IN (SELECT min(_row) FROM Person)")
    try bench.sql(file, "PRAGMA wal_checkpoint(TRUNCATE)")
    let vfs = FaultVFS()
    vfs.arm(at: 0, fault)
    try downgrade(file, old, output: bench.path("whole.db"), vfs: vfs.name)
    let calls = vfs.count
    let (older, before) = (try digest(bench.path("whole.db"), target), try digest(file, target))
    #expect(try older != digest(old, target))

    var refused = 0
    for call in Swift.stride(from: 1, through: calls, by: FaultTests.isLong ? 1 : 3) {
      let output = bench.path("\(call)-output.db")
      vfs.arm(at: call, fault)
      do {
        try downgrade(file, old, output: output, vfs: vfs.name)
        vfs.arm(at: 0, fault)
        #expect(try digest(output, target) == older, "\(fault) at call \(call)")
      } catch {
        vfs.arm(at: 0, fault)
        refused += 1
        #expect(error is MigrationError, "\(fault) at call \(call): \(error)")
        #expect(try !POSIXFiles().exists(output), "\(fault) at call \(call)")
      }
      try bench.removeAll { $0.hasPrefix("\(call)-") }
    }
    #expect(refused > 3)
    #expect(try digest(file, target) == before)
  }

  /// What may be asked next of a file that was taken back by a run that was killed then: each tidies up.
  private func recover(_ file: String, _ old: String, _ call: Int) throws {
    switch call % 4 {
    case 0:
      try Store(path: file).close()
    case 1:
      let error = #expect(throws: MigrationError.self) { try downgrade(file, old) }
      #expect(error?.description.contains("there is nothing to take back") == true)
    case 2:
      #expect(throws: MigrationError.self) { try Downgrade.keptFile(of: file, target) }
    default:
      try upgrade(file, target, to: 0)
    }
  }

  /// Whether the downgrade says that it has succeeded.
  private func run(
    _ file: String, _ old: String, backup: String? = nil, failing call: Int, _ fault: Fault,
    _ vfs: FaultVFS
  ) -> Bool {
    let isDeath = fault.isDeath
    let files = FaultyFiles.armed(at: call, fault, vfs)
    do {
      try downgrade(file, old, backup: backup, files: files, vfs: vfs.name)
      return !isDeath || !(files.hasStruck || vfs.hasStruck)
    } catch {
      #expect(error is MigrationError, "\(fault) at call \(call): \(error)")
      return false
    }
  }
}
