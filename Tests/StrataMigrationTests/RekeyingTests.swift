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
  private static let maximumCalls = 100

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
      (error as? MigrationError)?.kind == .cancelled && "\(error)".contains("holds what it held")
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

  /// Also where it is the old content's log that cannot be removed, which would be laid over the new file.
  @Test("Whatever operation on the files fails, the file is as it was or written anew")
  func failingOperations() throws {
    let original = try bench.bytes(path)
    let before = try digest(path, PeopleHistory.target)
    let copy = bench.path("copy.db")
    var failed = 0
    for call in 1...Self.maximumCalls {
      try POSIXFiles().removeIfPresent(copy)
      try POSIXFiles().write(original, to: copy, permissions: 0o600)
      let files = FaultyFiles(at: call)
      do {
        _ = try Rekeying(path: copy, from: nil, to: nil, checksums: true, files: files).run()
      } catch {
        failed += 1
        #expect(error is MigrationError, "\(call): \(error)")
      }
      #expect(try digest(copy, PeopleHistory.target) == before, "\(call)")
      guard files.hasStruck else { break }
    }
    #expect((5..<Self.maximumCalls).contains(failed))
  }

  @Test func theFileKeepsItsPermissions() throws {
    try POSIXFiles().setPermissions(0o666, of: path)
    _ = try Rekeying(path: path, from: nil, to: nil, checksums: true).run()
    #expect(try POSIXFiles().status(of: path)?.permissions == 0o666)
  }
}
