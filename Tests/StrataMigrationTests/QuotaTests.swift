import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A user's share of the disk is full, or a file may get no larger: SQLite knows no such thing, and calls it an error of the disk.
@Suite struct QuotaTests {
  /// Writes of each way that are refused.
  private static let samples = 6

  private let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test(arguments: FaultWay.allCases) func anUpgradeSaysThatTheDiskIsFull(way: FaultWay) throws {
    let original = try bench.sample("original.db", version: 0, of: way.source, objects: 40)
    let old = try digest(original, way.target)
    let vfs = FaultVFS()
    func run(_ call: Int) throws -> Aftermath.Files {
      let names = Aftermath.Files("\(call)", in: bench)
      try POSIXFiles().copy(original, to: names.file, permissions: 0o600)
      vfs.armQuota(at: call)
      let options = way.options(output: names.output, backup: names.backup)
      try Upgrade(path: names.file, target: way.target, options: options, vfs: vfs.name).run()
      return names
    }
    _ = try run(0)
    let calls = vfs.count
    #expect(calls > 3)

    var refused = 0
    for call in stride(from: 1, through: calls, by: max(1, calls / Self.samples)) {
      do {
        _ = try run(call)
      } catch {
        refused += 1
        vfs.armQuota(at: 0)
        #expect((error as? MigrationError)?.kind == .diskFull, "\(way), write \(call): \(error)")
        #expect(try digest(bench.path("\(call)-file.db"), way.target) == old, "write \(call)")
      }
    }
    #expect(refused > 0)
  }

  @Test(arguments: [ENOSPC, EDQUOT, EFBIG]) func whatIsBesideSQLiteSaysSo(number: Int32) throws {
    let failure = FileError(operation: "write", path: "/srv/a.db-copy", number: number)

    let error = #expect(throws: MigrationError.self) {
      try FileInspector.translate("/srv/a.db") { () throws -> Void in throw failure }
    }

    #expect(error?.kind == .diskFull)
    #expect(error?.description.contains("/srv/a.db-copy") == true)
    #expect(StoreError(failure, path: "/srv/a.db") == .diskFull(path: "/srv/a.db-copy"))
  }
}
