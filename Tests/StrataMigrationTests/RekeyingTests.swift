import Foundation
import StrataFiles
import StrataSQLite
import Synchronization
import Testing

@testable import Strata

/// A file under another key or in another form: whole, or as it was.
@Suite struct RekeyingTests {
  private let bench: Workbench
  private let path: String

  init() throws {
    bench = try Workbench()
    path = try bench.sample(version: 0, of: PeopleHistory.target, objects: 4000)
  }

  @Test(
    "A wish to stop is asked for while the new file is written, and leaves the old one",
    arguments: [1, 2, 5])
  func cancelled(after questions: Int) throws {
    let (before, names) = (try digest(path, PeopleHistory.target), try bench.names())
    let asked = Mutex(0)
    let rekeying = Rekeying(
      path: path, from: nil, to: nil, checksums: true,
      isCancelled: {
        asked.withLock {
          $0 += 1
          return $0 >= questions
        }
      })

    #expect {
      try rekeying.run()
    } throws: { error in
      (error as? MigrationError)?.kind == .cancelled && "\(error)".contains("as it was")
    }
    #expect(try bench.names() == names)
    #expect(try digest(path, PeopleHistory.target) == before)
    #expect(try bench.sql(path, "PRAGMA journal_mode") == [[.text("wal")]])
  }

  @Test func otherNamesOfTheFileWouldKeepTheOldContent() throws {
    try FileManager.default.linkItem(atPath: path, toPath: bench.path("other.db"))
    let before = try bench.contents()

    #expect {
      try Rekeying(path: path, from: nil, to: nil, checksums: true).run()
    } throws: { error in "\(error)".contains("has 2 names") }
    #expect(try bench.contents() == before)

    try FileManager.default.removeItem(atPath: bench.path("other.db"))
    #expect(try Rekeying(path: path, from: nil, to: nil, checksums: true).run().to == .checksums)
  }
}
