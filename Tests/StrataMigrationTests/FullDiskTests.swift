import Foundation
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

  private enum Older: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema(0, []))
  }
  private enum Newer: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema(1, [.optional("mark", .string)]))
  }

  private static func schema(_ version: Int, _ more: [Property]) -> Schema {
    Schema(
      name: "Nodes", version: version,
      models: [Model(name: "Node", properties: more + [.optional("text", .string)])])
  }

  /// A file of 4 MB that is upgraded in place, on a disk with room for that alone, and on one that has room for a copy, too.
  @Test(arguments: [(8, false), (32, true)])
  func whereThereIsNoRoomForTheOldFileItIsUpgradedWithout(megabytes: Int, isKept: Bool) throws {
    let made = bench.path("a.db")
    try Store(path: made, schema: Older.self).close()
    try bench.sql(made, "INSERT INTO Node(_row, text) VALUES (1, hex(zeroblob(2000000)))")
    let disk = try MountedFolder(megabytes: megabytes)
    let file = disk.path + "/a.db"
    try files.copy(made, to: file, permissions: 0o600)
    var configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: file), schema: Newer.self)
    configuration.keepsOldFile = .forDays(30)

    try Store(configuration: configuration).close()

    #expect(try FileInspector().stored(at: file).version == 1)
    #expect(
      try bench.sql(file, "SELECT length(text), mark FROM Node") == [[.integer(4_000_000), .null]])
    let names = try files.contents(ofFolder: disk.path).sorted()
    #expect(names.first == "a.db")
    #expect(names.dropFirst().map { $0.prefix(12) } == (isKept ? ["a.db.kept-0-"] : []))
  }

  /// The log has room for all of a transaction, and the file beside it has not.
  @Test func whatStandsInTheLogAloneIsSaid() throws {
    let disk = try MountedFolder(megabytes: 3)
    let node = Model(name: "Node", properties: [.optional("text", .string)])
    let schema = Schema(name: "Nodes", version: 0, models: [node])
    let target = UpgradeTarget(history: .chained("Nodes", [("2026-01-01", schema, nil)]))
    let file = disk.path + "/a.db"
    try files.copy(
      bench.sample("a.db", version: 0, of: target, objects: 0), to: file, permissions: 0o600)
    let text = String(repeating: "x", count: 1_600_000)

    #expect(
      try importing([#"{"text":"short"}"#], into: file) == [])
    #expect(try !files.exists(file + "-wal"))
    #expect(
      try importing([#"{"text":"\#(text)"}"#], into: file) == [
        "\(file): the disk is full, and what was stored stands in \(file)-wal: it belongs to the file, and has to be "
          + "copied with it until a command has opened the file when there is room."
      ])
    #expect(
      try bench.sql(file, "SELECT length(text) FROM Node ORDER BY _row")
        == [[.integer(5)], [.integer(1_600_000)]])
  }

  /// What is noted of an import.
  private func importing(_ lines: [String], into file: String) throws -> [String] {
    var rest = lines[...]
    var notes: [String] = []
    let counts = try ObjectImporter.run(
      into: file, target: nil, model: "Node", note: { notes.append($0) },
      nextLine: { rest.popFirst().map { Array($0.utf8) } })
    #expect(counts == (created: lines.count, updated: 0))
    return notes
  }
}
