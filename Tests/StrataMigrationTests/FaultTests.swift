import Foundation
import StrataExpression
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// The anomaly loop: the n-th call fails, the file is whole and the next run finishes it, for every n, fault and way.
///
/// `STRATA_LONG_TESTS=1` takes every call, otherwise it is some of each way and fault.
@Suite struct FaultTests {
  /// Calls of each way and fault in the short form.
  private static let samples = 7
  private static let isLong = ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil

  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test(arguments: FaultWay.allCases)
  func aWayIsTheOneThatItsNameSays(way: FaultWay) throws {
    let file = try bench.sample("a.db", version: 0, of: way.source, objects: 40)
    let plan = try UpgradePlan.make(
      path: file, target: way.target,
      options: way.options(output: bench.path("new.db"), backup: bench.path("kept.db")))
    #expect(Set(plan.tables.map(\.strategy)) == way.strategies)
  }

  @Test(arguments: Fault.allCases, FaultWay.allCases)
  func whateverFailsTheFileIsTheOldOneOrTheNewOne(fault: Fault, way: FaultWay) throws {
    let loop = try FaultLoop(way: way, fault: fault, bench: bench)
    let calls = try loop.countCalls()
    #expect(calls > 3)
    let stride = Self.isLong ? 1 : max(1, calls / Self.samples)
    var trials = 0
    for call in Swift.stride(from: 1, through: calls + 1, by: stride) {
      try loop.run(failing: call)
      trials += 1
    }
    if Self.isLong { print("\(fault) of \(way): \(trials) of \(calls) calls") }
  }
}

/// One way of upgrading under one fault.
private final class FaultLoop {
  let way: FaultWay
  let fault: Fault
  let bench: Workbench
  let target: UpgradeTarget
  let newest: Int
  let original: String
  let old: Digest?
  let new: Digest?
  let vfs = FaultVFS()

  init(way: FaultWay, fault: Fault, bench: Workbench) throws {
    (self.way, self.fault, self.bench) = (way, fault, bench)
    target = way.target
    newest = target.history.newest?.number ?? 0
    original = try bench.sample("original.db", version: 0, of: way.source, objects: 40)
    old = try digest(original, target)
    let upgraded = try bench.sample("upgraded.db", version: 0, of: way.source, objects: 40)
    try upgrade(upgraded, target)
    new = try digest(upgraded, target)
  }

  /// The names of one trial.
  struct Files {
    var file: String
    var output: String
    var backup: String
    var all: [String] { [file, output, backup] }
  }

  private func files(_ name: String) throws -> Files {
    let files = Files(
      file: bench.path("\(name)-file.db"), output: bench.path("\(name)-output.db"),
      backup: bench.path("\(name)-backup.db"))
    try POSIXFiles().copy(original, to: files.file, permissions: 0o600)
    return files
  }

  private func runUpgrade(_ names: Files, _ files: any FileOperations, vfs: String?) throws {
    let options = way.options(output: names.output, backup: names.backup)
    try Upgrade(path: names.file, target: target, options: options, files: files, vfs: vfs).run()
  }

  func countCalls() throws -> Int {
    let names = try files("count")
    let files = FaultyFiles()
    vfs.arm(at: 0, fault)
    try runUpgrade(names, files, vfs: vfs.name)
    return fault.isBesideSQLite ? files.count : vfs.count
  }

  func run(failing call: Int) throws {
    var names = try files("\(call)")
    let hasSucceeded = runs(names, failing: call)
    // What stands on the disk, seen without the locks that this process, which lives on, may still hold.
    if fault.isDeath {
      let prefix = "after-"
      for path in names.all where try !bench.names(beside: path, including: true).isEmpty {
        _ = try bench.copyWithNeighbours(of: path, to: prefix + FilePaths.name(of: path))
      }
      names = Files(
        file: bench.path("after-\(call)-file.db"), output: bench.path("after-\(call)-output.db"),
        backup: bench.path("after-\(call)-backup.db"))
    }
    let what = "\(fault) of \(way) at call \(call)"
    let isNew = try check(names, hasSucceeded, what)

    // The next run goes on as if nothing had been.
    var options = way.options(output: names.output, backup: names.backup)
    options.takesFinishedOutput = true
    try Upgrade(path: names.file, target: target, options: options).run()
    let result = way.writesOutput ? names.output : names.file
    #expect(try digest(result, target) == new, "\(what), then again")
    if way.keepsBackup, try isNew || POSIXFiles().exists(names.backup) {
      #expect(try digest(names.backup, target) == old, "\(what): the backup")
    }
    for path in names.all {
      // A file that is upgraded already needs nothing, so that the log of whoever was killed stays until it is opened.
      let left = try bench.names(beside: path).filter {
        path != names.file || $0.contains(AsideFile.suffix)
      }
      #expect(left.isEmpty, "\(what) left files behind")
    }
    try bench.removeAll { $0.hasPrefix("\(call)-") || $0.hasPrefix("after-") }
  }

  /// - Returns: whether the file, or the output, has the new content.
  private func check(_ names: Files, _ hasSucceeded: Bool, _ what: String) throws -> Bool {
    let inspection = try FileInspector().inspect(names.file, target: target, digest: true)
    let isOld = inspection.version == 0 && inspection.dataDigest == old
    let isNew = inspection.version == newest && inspection.dataDigest == new
    let problem =
      inspection.problem?.description
      ?? "version \(inspection.version.map(String.init) ?? "none"), other content"
    #expect(isOld || isNew, "\(what): \(problem)")
    if way.writesOutput {
      let isUnchanged = try POSIXFiles().haveSameContent(names.file, original)
      #expect(isUnchanged, "\(what): --output has changed the old file")
      #expect(try bench.names(beside: names.file).isEmpty, "\(what): beside the old file")
      let isThere = try POSIXFiles().exists(names.output)
      if isThere { #expect(try digest(names.output, target) == new, "\(what): the output") }
      #expect(!hasSucceeded || isThere, "\(what)")
      return isThere
    }
    #expect(!hasSucceeded || isNew, "\(what)")
    if way.keepsBackup {
      let isThere = try POSIXFiles().exists(names.backup)
      if isThere { #expect(try digest(names.backup, target) == old, "\(what): the backup") }
      #expect(isThere || !isNew, "\(what): upgraded without the backup")
    }
    return isNew
  }

  /// Whether the upgrade says that it has succeeded.
  private func runs(_ names: Files, failing call: Int) -> Bool {
    let vfs = vfs
    let isDeath = fault.isDeath
    let files: FaultyFiles
    if fault.isBesideSQLite {
      vfs.arm(at: 0, fault)
      files = FaultyFiles(at: call, isFinal: isDeath) { false }
      files.whenStruck = { if isDeath { vfs.die() } }
    } else {
      vfs.arm(at: call, fault)
      files = FaultyFiles { isDeath && vfs.hasStruck }
    }
    do {
      try runUpgrade(names, files, vfs: vfs.name)
      return !isDeath || !(files.hasStruck || vfs.hasStruck)
    } catch {
      return false
    }
  }
}

extension Workbench {
  func removeAll(where isRemoved: (String) -> Bool) throws {
    for name in try names() where isRemoved(name) { try POSIXFiles().remove(path(name)) }
  }
}
