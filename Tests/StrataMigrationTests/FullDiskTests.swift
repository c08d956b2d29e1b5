import StrataSQLite
import StrataSchema
import StrataTestSupport
import Testing

@testable import Strata

/// A disk that is full at one moment or the other, for real: a small file system in memory. Needs to mount one.
@Suite(.enabled(if: MountedFolder.isPermitted)) struct FullDiskTests {
  /// How much room is tried, from none to enough.
  private static let steps = 12

  let bench: Workbench
  let files = POSIXFiles()

  init() throws { bench = try Workbench() }

  @Test(arguments: FaultWay.allCases)
  func howeverLittleRoomThereIsTheFileIsTheOldOneOrTheNewOne(way: FaultWay) throws {
    let disk = try MountedFolder(megabytes: 16)
    let (file, output, backup) = (
      disk.path + "/a.db", disk.path + "/new.db", disk.path + "/kept.db"
    )
    let filler = disk.path + "/filler"
    let original = try bench.sample("a.db", version: 0, of: way.source, objects: 1500)
    let old = try digest(original, way.target)
    let size = try #require(try files.size(of: original))
    try files.copy(original, to: file, permissions: 0o600)
    try upgrade(file, way.target)
    let new = try digest(file, way.target)
    try files.remove(file)
    var results: Set<Bool> = []

    for step in 0...Self.steps {
      try files.copy(original, to: file, permissions: 0o600)
      let room = 6 * size * step / Self.steps
      let free = try files.freeSpace(at: disk.path)
      try files.write(
        [UInt8](repeating: 1, count: max(0, free - room)), to: filler, permissions: 0o600)
      var options = way.options(output: output, backup: backup)
      // Its look at the free space would refuse it before it starts.
      let careless = FaultyFiles(free: .max)
      let isDone =
        (try? Upgrade(path: file, target: way.target, options: options, files: careless).run())
        != nil
      results.insert(isDone)
      let found = try digest(file, way.target)
      #expect(found == old || found == new, "\(way) with room for \(room) bytes")
      if way.writesOutput { #expect(found == old) }

      try files.remove(filler)
      options.takesFinishedOutput = true
      try Upgrade(path: file, target: way.target, options: options).run()
      #expect(try digest(way.writesOutput ? output : file, way.target) == new)
      for name in try files.contents(ofFolder: disk.path) {
        #expect(["a.db", "new.db", "kept.db"].contains(name), "\(way) left \(name)")
        try files.remove(disk.path + "/" + name)
      }
    }
    #expect(results == [true, false])
  }
}
