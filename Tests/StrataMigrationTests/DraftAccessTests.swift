import Foundation
import StrataFiles
import StrataSQLite
import Testing

@testable import Strata

/// What a run makes beside a file holds what the file holds: it is for the file's group from its first byte on, and for no other.
@Suite(.enabled(if: geteuid() == 0, "only root gives a file to any group"))
struct DraftAccessTests {
  private static let group: UInt32 = 2000

  private let bench: Workbench
  private let path: String
  private let target = PeopleHistory.target

  init() throws {
    bench = try Workbench()
    path = try bench.sample("x.db", version: 0, of: target, objects: 40)
    try give(path)
  }

  private func give(_ path: String) throws {
    try POSIXFiles().setPermissions(0o640, of: path)
    try POSIXFiles().setOwner(user: 0, group: Self.group, of: path)
  }

  /// Looks at all files of the run at each of its calls on files, and whenever it tells how far it is.
  private final class Look {
    private let bench: Workbench
    let files = FaultyFiles()
    /// What follows the names of files in those of drafts.
    private(set) var seen: Set<String> = []

    init(_ bench: Workbench) {
      self.bench = bench
      files.beforeEach = { [weak self] in self?.look() }
    }

    func look() {
      for name in (try? bench.names()) ?? [] {
        guard let draft = name.range(of: AsideFile.suffix),
          let status = (try? POSIXFiles().status(of: bench.path(name))) ?? nil, status.size > 0
        else { continue }
        seen.insert(String(name[draft.upperBound...]))
        #expect(status.group == DraftAccessTests.group && status.permissions == 0o640, "\(name)")
      }
    }

    func told(_ progress: UpgradeProgress) -> UpgradeControl {
      look()
      return .proceed
    }
  }

  @Test(arguments: [false, true]) func thoseOfAnUpgradeAre(writesOutput: Bool) throws {
    let look = Look(bench)
    var options = Upgrade.Options()
    options.backup = bench.path("kept.db")
    if writesOutput { options.output = bench.path("output.db") }
    options.usesSecondThread = false
    options.progress = look.told
    try Upgrade(path: path, target: target, options: options, files: look.files).run()

    #expect(look.seen.isSuperset(of: ["-1", "-copy"]), "\(look.seen)")
    for name in ["kept.db"] + (writesOutput ? ["output.db"] : []) {
      let status = try #require(try POSIXFiles().status(of: bench.path(name)))
      #expect(status.group == Self.group && status.permissions == 0o640, "\(name)")
    }
  }

  @Test func thatOfACopyIs() throws {
    try upgrade(path, target)
    let look = Look(bench)
    var options = Upgrade.Options()
    options.output = bench.path("output.db")
    try Upgrade(path: path, target: target, options: options, files: look.files).run()

    #expect(look.seen.contains("-copy"), "\(look.seen)")
  }

  /// The older file has other pages, so that it is copied, too.
  @Test func thoseOfAWayBackAre() throws {
    let old = bench.path("old.db")
    try POSIXFiles().copy(path, to: old, permissions: 0o600)
    try bench.sql(old, "PRAGMA journal_mode = DELETE")
    let database = try Database(path: old, mode: .readWrite)
    try database.setPragma("page_size", 1024)
    try database.execute("VACUUM")
    database.close()
    try give(old)
    try upgrade(path, target)
    try bench.sql(path, "UPDATE Person SET age = 77 WHERE _row = 1")
    let look = Look(bench)
    var options = Downgrade.Options()
    options.backup = bench.path("kept.db")
    options.progress = look.told
    try Downgrade(path: path, from: old, target: target, options: options, files: look.files).run()

    #expect(look.seen.isSuperset(of: ["-copy", "-down", "-old"]), "\(look.seen)")
  }

  @Test func thatOfASalvageIs() throws {
    let look = Look(bench)
    _ = try Salvage(path: path, output: bench.path("saved.db"), files: look.files).run()

    #expect(look.seen.contains("-new"), "\(look.seen)")
  }
}
