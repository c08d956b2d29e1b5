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
  /// Calls of each way, fault and scale in the short form.
  private static let samples = 4
  static let isLong = ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil

  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test(arguments: FaultWay.allCases)
  func aWayIsTheOneThatItsNameSays(way: FaultWay) throws {
    let file = try bench.sample("a.db", version: 0, of: way.source, objects: 40)
    let plan = try UpgradePlan.make(
      path: file, target: way.target,
      options: way.options(output: bench.path("new.db"), backup: bench.path("kept.db")))
    #expect(Set(plan.tables.map(\.strategy)) == way.strategies)

    let report = try Upgrade(
      path: file, target: way.target,
      options: way.options(output: bench.path("new.db"), backup: bench.path("kept.db"))
    ).run()
    #expect(
      report.strategies
        == Dictionary(uniqueKeysWithValues: plan.tables.map { ($0.model, $0.strategy) }))
  }

  @Test(arguments: Fault.allCases, FaultWay.allCases)
  func whateverFailsTheFileIsTheOldOneOrTheNewOne(fault: Fault, way: FaultWay) throws {
    let loop = try FaultLoop(way: way, fault: fault, bench: bench)
    for scale in Scale.allCases {
      try EngineSwitches.$current.withValue(scale.switches) {
        let calls = try loop.countCalls()
        #expect(calls > 3)
        let stride = Self.isLong ? 1 : max(1, calls / Self.samples)
        for call in Swift.stride(from: 1, through: calls + 1, by: stride) {
          try loop.run(failing: call)
        }
        if Self.isLong { print("\(fault) of \(way), \(scale): all of \(calls) calls") }
      }
    }
  }
}

/// The engine takes small files as it takes large ones.
enum Scale: CaseIterable {
  /// Everything is kept until it is committed, and one thread does everything.
  case small
  /// What is not committed yet is in the file, or in its log, already, and a second thread inserts.
  case large

  var switches: EngineSwitches {
    var switches = EngineSwitches()
    if self == .large {
      switches.cacheSize = 8
      switches.fewestObjectsForThread = 0
      switches.rowsAtOnce = 1
    }
    return switches
  }
}

/// One way of upgrading under one fault.
private final class FaultLoop {
  let way: FaultWay
  let fault: Fault
  let bench: Workbench
  let aftermath: Aftermath
  let vfs = FaultVFS()

  init(way: FaultWay, fault: Fault, bench: Workbench) throws {
    (self.way, self.fault, self.bench) = (way, fault, bench)
    let original = try bench.sample("original.db", version: 0, of: way.source, objects: 40)
    let upgraded = try bench.sample("upgraded.db", version: 0, of: way.source, objects: 40)
    try upgrade(upgraded, way.target)
    aftermath = Aftermath(
      way: way, bench: bench, original: original, old: try digest(original, way.target),
      new: try digest(upgraded, way.target))
  }

  private func files(_ name: String) throws -> Aftermath.Files {
    let files = Aftermath.Files(name, in: bench)
    try POSIXFiles().copy(aftermath.original, to: files.file, permissions: 0o600)
    return files
  }

  private func runUpgrade(_ names: Aftermath.Files, _ files: any FileOperations) throws {
    let options = way.options(output: names.output, backup: names.backup)
    try Upgrade(
      path: names.file, target: way.target, options: options, files: files, vfs: vfs.name
    ).run()
  }

  func countCalls() throws -> Int {
    let names = try files("count")
    let files = FaultyFiles()
    vfs.arm(at: 0, fault)
    try runUpgrade(names, files)
    try bench.removeAll { $0.hasPrefix("count-") }
    return fault.isBesideSQLite ? files.count : vfs.count
  }

  func run(failing call: Int) throws {
    var names = try files("\(call)")
    let what = "\(fault) of \(way) at call \(call)"
    let hasSucceeded = runs(names, failing: call, what)
    // What stands on the disk, seen without the locks that this process, which lives on, may still hold.
    if fault.isDeath {
      let prefix = "after-"
      for path in names.all where try !bench.names(beside: path, including: true).isEmpty {
        _ = try bench.copyWithNeighbours(of: path, to: prefix + FilePaths.name(of: path))
      }
      names = Aftermath.Files("after-\(call)", in: bench)
    }
    let isNew = try aftermath.check(names, hasSucceeded: hasSucceeded, what)
    try aftermath.finish(names, isNew: isNew, what)
    try bench.removeAll { $0.hasPrefix("\(call)-") }
  }

  /// Whether the upgrade says that it has succeeded.
  private func runs(_ names: Aftermath.Files, failing call: Int, _ what: String) -> Bool {
    let vfs = vfs
    let isDeath = fault.isDeath
    let files = FaultyFiles.armed(at: call, fault, vfs)
    do {
      try runUpgrade(names, files)
      return !isDeath || !(files.hasStruck || vfs.hasStruck)
    } catch {
      // A process that is gone says nothing.
      if !isDeath { expectSense(error, names, what) }
      return false
    }
  }

  /// What failed is named as what it is, with the file that somebody has to look at.
  private func expectSense(_ error: any Error, _ names: Aftermath.Files, _ what: String) {
    guard let error = error as? MigrationError else {
      Issue.record("\(what): not an error of migrations: \(error)")
      return
    }
    #expect(fault.kinds.contains(error.kind), "\(what): \(error.kind): \(error)")
    #expect(names.all.contains { error.description.contains($0) }, "\(what): \(error)")
    for word in ["not an error", "unknown error", "Optional(", "unexpected"] {
      #expect(!error.description.contains(word), "\(what): \(error)")
    }
  }
}
