import StrataFiles
import StrataSQLite
import Synchronization
import Testing

@testable import Strata

/// A file in whose place another one is put, as a backup, while it is worked on: the other one stays as it was put there.
@Suite struct ReplacedOriginalTests {
  private let bench: Workbench
  private let path: String
  private let target = PeopleHistory.target
  private let other: [UInt8]

  init() throws {
    bench = try Workbench()
    path = try bench.sample("x.db", version: 0, of: target, objects: 600)
    other = try bench.bytes(try bench.sample("other.db", version: 0, of: target, objects: 20))
  }

  private enum Move: CaseIterable {
    case replaced, deleted, renamed

    var sentence: String {
      self == .replaced
        ? "another process has put another file into its place meanwhile, and that was not changed."
        : "another process has moved or deleted it meanwhile. Nothing was written at its place."
    }
  }

  private static func make(_ move: Move, of path: String) {
    let (files, folder) = (POSIXFiles(), FilePaths.folder(of: path))
    switch move {
    case .replaced: try? files.rename(folder + "/other.db", to: path)
    case .deleted: try? files.remove(path)
    case .renamed: try? files.rename(path, to: folder + "/moved.db")
    }
  }

  /// The file at the place, but for what others make of it: as it was put there, and none where it is gone.
  private func expect(_ move: Move, at path: String, _ error: MigrationError?, _ what: Comment)
    throws
  {
    #expect(error?.kind == .busy, what)
    #expect(
      error?.description.contains(move.sentence) == true, "\(what): \(error?.description ?? "")")
    if move == .replaced {
      #expect(try bench.bytes(path) == other, what)
      // Whatever is left of the old one's log lays nothing over it.
      let found = try FileInspector().inspect(path, target: target, checksAll: true)
      #expect(found.problem == nil && found.version == 0, what)
      #expect(found.counts["Person"] == 20, what)
    } else {
      #expect(try !POSIXFiles().exists(path), what)
    }
    #expect(try !bench.names().contains { $0.contains("-strata-upgrade") }, what)
  }

  private static func options(
    _ phase: UpgradeProgress.Phase, _ body: @escaping () -> Void
  ) -> Upgrade.Options {
    var options = Upgrade.Options()
    var isDone = false
    options.progress = { progress in
      if progress.phase == phase, !isDone {
        isDone = true
        body()
      }
      return .proceed
    }
    return options
  }

  @Test(arguments: Move.allCases, [UpgradeProgress.Phase.objects, .writing])
  private func anUpgradeStops(move: Move, phase: UpgradeProgress.Phase) throws {
    let options = Self.options(phase) { Self.make(move, of: path) }
    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }
    try expect(move, at: path, error, "\(move), \(phase)")
    #expect(error?.description.contains("x.db was not upgraded: ") == true)
    guard move == .replaced else { return }
    #expect(error?.description.contains("x.db-wal and ") == true)
    // Started again, it upgrades the file that is there.
    #expect(try upgrade(path, target).objects == 20)
  }

  /// Readers keep the log from being emptied, and an upgrade that was committed would stay in it, beside the other file.
  @Test func aLogThatReadersKeepHasNothingOfTheUpgrade() throws {
    let reader = try Database(path: path, mode: .readWrite)
    try reader.begin(.deferred)
    #expect(try reader.firstValue("SELECT count(*) FROM Person") != nil)
    let options = Self.options(.objects) { Self.make(.replaced, of: path) }
    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }
    try expect(.replaced, at: path, error, "with a reader")
    reader.close()
    try expect(.replaced, at: path, error, "without")
  }

  @Test(arguments: Move.allCases) private func aChangeInTheFileItselfStops(move: Move) throws {
    let target = InPlaceTests.everything
    let file = try bench.sample("y.db", version: 0, of: target, objects: 50)
    let options = Self.options(.verifying) { Self.make(move, of: file) }
    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target, options: options).run()
    }
    try expect(move, at: file, error, "\(move)")
  }

  @Test(arguments: Move.allCases) private func aFileWithoutALogStops(move: Move) throws {
    try bench.sql(path, "PRAGMA journal_mode = DELETE")
    let options = Self.options(.objects) { Self.make(move, of: path) }
    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: path, target: target, options: options).run()
    }
    try expect(move, at: path, error, "\(move)")
  }

  @Test(arguments: Move.allCases) private func aWayBackStops(move: Move) throws {
    let old = bench.path("old.db")
    try POSIXFiles().copy(path, to: old, permissions: 0o600)
    try upgrade(path, target)
    var options = Downgrade.Options()
    options.acceptsLoss = true
    options.progress = { _ in
      Self.make(move, of: path)
      return .proceed
    }
    let error = #expect(throws: MigrationError.self) {
      try Downgrade(path: path, from: old, target: target, options: options).run()
    }
    try expect(move, at: path, error, "\(move)")
    #expect(error?.description.contains("x.db was not taken back: ") == true)
  }

  /// At whichever question, the last of which comes when the new file is finished.
  @Test(arguments: Move.allCases) private func anotherKeyStops(move: Move) throws {
    func run(at number: Int) throws -> (asked: Int, error: MigrationError?) {
      let asked = Mutex(0)
      let file = path
      let rekeying = Rekeying(
        path: file, from: nil, to: nil, checksums: true,
        isCancelled: {
          if asked.withLock({
            $0 += 1
            return $0 == number
          }) {
            Self.make(move, of: file)
          }
          return false
        })
      do {
        _ = try rekeying.run()
        return (asked.withLock { $0 }, nil)
      } catch {
        return (asked.withLock { $0 }, error as? MigrationError)
      }
    }
    let copy = try bench.bytes(path)
    let count = try run(at: 0).asked
    for number in [1, count] {
      try POSIXFiles().removeIfPresent(bench.path("moved.db"))
      try POSIXFiles().removeIfPresent(path)
      try POSIXFiles().write(copy, to: path, permissions: 0o600)
      try POSIXFiles().write(other, to: bench.path("other.db"), permissions: 0o600)
      let error = try run(at: number).error
      try expect(move, at: path, error, "\(move), question \(number) of \(count)")
      #expect(error?.description.contains("x.db was not written anew: ") == true)
    }
  }
}
