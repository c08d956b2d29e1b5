import StrataFiles
import StrataSQLite
import Testing

@testable import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files that another process upgrades while they are looked at.
@Suite struct ChangingFileTests {
  let bench: Workbench
  let target = PeopleHistory.target

  init() throws { bench = try Workbench() }

  /// At each of the calls that a look makes the content becomes that of the newest version, as a write back of another process does it. What is told is of the
  /// one or of the other, never of both.
  @Test func whatIsToldIsOfOneState() throws {
    let file = try bench.sample("a.db", version: 0, of: target, objects: 300)
    let old = try Data(contentsOf: URL(fileURLWithPath: file))
    let upgraded = try bench.sample("b.db", version: 0, of: target, objects: 300)
    try upgrade(upgraded, target)
    let new = try Data(contentsOf: URL(fileURLWithPath: upgraded))
    let quiet = FaultyFiles()
    _ = try FileInspector(files: quiet).stored(at: file)
    _ = try FileInspector(files: quiet).inspect(file, target: target)
    #expect(quiet.count > 4)

    var versions: Set<Int> = []
    for call in 1...quiet.count {
      try old.write(to: URL(fileURLWithPath: file))
      let files = FaultyFiles(at: call, isHarmless: true)
      files.whenStruck = { try? new.write(to: URL(fileURLWithPath: file)) }
      versions.insert(try FileInspector(files: files).stored(at: file).version)
      let inspection = try FileInspector(files: files).inspect(file, target: target)
      #expect(inspection.problem == nil, "call \(call)")
      #expect(files.hasStruck, "call \(call)")
    }
    #expect(versions == [0, 5])
  }
}
