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

  /// A file, its content, and what it is after an upgrade.
  private func twoStates() throws -> (file: String, old: Data, new: Data) {
    let file = try bench.sample("a.db", version: 0, of: target, objects: 300)
    let upgraded = try bench.sample("b.db", version: 0, of: target, objects: 300)
    try upgrade(upgraded, target)
    return (
      file, try Data(contentsOf: URL(fileURLWithPath: file)),
      try Data(contentsOf: URL(fileURLWithPath: upgraded))
    )
  }

  /// At each of the calls that a look makes the content becomes that of the newest version, as a write back of another process does it. What is told is of the
  /// one or of the other, never of both.
  @Test func whatIsToldIsOfOneState() throws {
    let (file, old, new) = try twoStates()
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

  private func lines(of file: String) throws -> [String] {
    var lines: [String] = []
    try ObjectExporter.export(file, target: target) { lines.append($0) }
    return lines
  }

  /// Lines go out before all are read.
  @Test func whatIsExportedIsOfOneState() throws {
    let file = try bench.sample("a.db", version: 0, of: target, objects: 2000)
    let old = try lines(of: file)
    var found: [String] = []
    try ObjectExporter.export(file, target: target) { line in
      if found.isEmpty { try upgrade(file, target) }
      found.append(line)
    }
    #expect(found == old)
    #expect(try lines(of: file) != old)
    #expect(try bench.names() == ["a.db"])
  }

  /// A damaged file is read without locks, from the beginning where it has changed.
  @Test func whatIsSavedIsOfOneState() throws {
    let (file, old, new) = try twoStates()
    let quiet = FaultyFiles()
    _ = try Salvage(path: file, output: bench.path("quiet.db"), files: quiet).run()

    for call in 1...quiet.count {
      try old.write(to: URL(fileURLWithPath: file))
      let files = FaultyFiles(at: call, isHarmless: true)
      files.whenStruck = { try? new.write(to: URL(fileURLWithPath: file)) }
      let output = bench.path("saved-\(call).db")
      let report = try Salvage(path: file, output: output, files: files).run()
      #expect(report.problems.isEmpty, "call \(call)")
      let saved = try FileInspector().inspect(output, target: target, checksAll: true)
      #expect(saved.problem == nil && [0, 5].contains(saved.version), "call \(call)")
    }
  }

  @Test func whatIsWrittenAllTheTimeIsAnError() throws {
    let file = try bench.sample("a.db", version: 0, of: target, objects: 10)
    let inspector = FileInspector()
    var count = 0
    for body in [
      { _ = try inspector.looking(at: file) { _ in try touch() } },
      { _ = try inspector.readingOnce(file, isLocked: false) { _ in try touch() } },
    ] as [() throws -> Void] {
      let error = #expect(throws: MigrationError.self) { try body() }
      #expect(error?.kind == .busy)
    }
    #expect(count == 6)
    try inspector.readingOnce(file, isLocked: true) { _ in try touch() }

    func touch() throws {
      count += 1
      try bench.sql(file, "PRAGMA user_version = \(count)")
    }
  }

  /// Without a log nothing is locked. What is built of pages of two versions may be refused in any way, or fail in a block: it is built anew.
  @Test func whatIsBuiltOfAFileThatIsReplacedIsBuiltAnew() throws {
    let (file, old, new) = try twoStates()
    let place = URL(fileURLWithPath: file)
    let older = try bench.sample("old.db", version: 0, of: target, objects: 300)
    func upgrade(to name: String, _ files: FaultyFiles) throws {
      try old.write(to: place)
      var options = Upgrade.Options()
      options.output = bench.path(name)
      try SecondThreadTests.onTwoThreads {
        _ = try Upgrade(path: file, target: target, options: options, files: files).run()
      }
      let checked = try FileInspector().inspect(bench.path(name), target: target, checksAll: true)
      #expect(checked.problem == nil && checked.version == 5, "\(name)")
    }
    func downgrade(to name: String, _ files: FaultyFiles) throws {
      try new.write(to: place)
      var options = Downgrade.Options()
      options.output = bench.path(name)
      options.acceptsLoss = true
      try Downgrade(path: file, from: older, target: target, options: options, files: files).run()
      let checked = try FileInspector().inspect(bench.path(name), target: target, checksAll: true)
      #expect(checked.problem == nil && checked.version == 0, "\(name)")
    }

    let quiet = (up: FaultyFiles(), down: FaultyFiles())
    try upgrade(to: "quiet.db", quiet.up)
    try downgrade(to: "quiet-down.db", quiet.down)
    for call in 1...quiet.up.count {
      let files = FaultyFiles(at: call, isHarmless: true)
      files.whenStruck = { try? new.write(to: place) }
      try upgrade(to: "\(call).db", files)
      #expect(files.hasStruck, "call \(call)")
    }
    for call in 1...quiet.down.count {
      let files = FaultyFiles(at: call, isHarmless: true)
      // The same content at another moment: its tables lie elsewhere.
      files.whenStruck = {
        try? new.write(to: place)
        _ = try? bench.sql(file, "PRAGMA journal_mode = DELETE")
        _ = try? bench.sql(file, "VACUUM")
      }
      try downgrade(to: "down-\(call).db", files)
      #expect(files.hasStruck, "call \(call)")
    }
  }

  @Test func anOlderFileThatIsWrittenIsAnError() throws {
    let downgrades = try DowngradeBench()
    let (old, new) = try downgrades.files(target)
    let before = try downgrades.bench.bytes(new)
    let error = #expect(throws: MigrationError.self) {
      try downgrades.downgrade(new, old, target) { options in
        options.acceptsLoss = true
        options.report = nil
        options.progress = { _ in
          _ = try? downgrades.bench.sql(old, "UPDATE Person SET age = age + 1")
          return .proceed
        }
      }
    }
    #expect(error?.kind == .busy && error?.description.contains(old) == true)
    #expect(try downgrades.bench.bytes(new) == before)
  }

  /// What is in the log belongs to the file, by whatever name it is looked at.
  @Test func aLinkLeadsToTheLog() throws {
    let file = try bench.sample("a.db", version: 5, of: target, objects: 10)
    let link = bench.path("folder/link.db")
    try POSIXFiles().createFolder(bench.path("folder"), permissions: 0o700)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    let writer = try Database(path: file, mode: .readWrite)
    defer { writer.close() }
    try writer.execute("DELETE FROM Person")
    #expect(try bench.names().contains("a.db-wal"))

    let inspection = try FileInspector().inspect(link, target: target)
    #expect(inspection.problem == nil && inspection.counts["Person"] == 0)
    #expect(try !lines(of: link).contains { $0.contains(#""$model":"Person""#) })
    var configuration = Store.Configuration(fileURL: URL(fileURLWithPath: link))
    configuration.readOnly = true
    #expect(try Store(configuration: configuration).objects(named: "Person").isEmpty)
  }
}
