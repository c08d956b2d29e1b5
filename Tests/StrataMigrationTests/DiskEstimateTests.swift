import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import StrataTestSupport
import Testing

@testable import Strata

/// An upgrade says before it begins how much disk it takes, and takes no more.
@Suite struct DiskEstimateTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// Version 1 of small objects, with what the step and the new properties add.
  private func target(
    _ properties: [Property], _ change: @escaping (inout MigrationStep) -> Void = { _ in }
  ) -> UpgradeTarget {
    let number = Property.required("number", .int)
    let name = Property.required("name", .string)
    func schema(_ version: Int, _ properties: [Property]) -> Schema {
      Schema(
        name: "Test", version: version,
        models: [
          Model(name: "Thing", properties: properties.sorted { $0.name < $1.name })
        ])
    }
    return UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", schema(0, [number, name]), nil),
          ("2026-02-01", schema(1, [number, name] + properties), step(1, change)),
        ]), steps: [])
  }

  private static let code = Property(
    name: "code", type: .value(ValueType(.scalar(.uuid))), generate: .uuid)
  private static let note = Property.required(
    "note", .string, default: .string(String(repeating: "long ", count: 40)))

  private enum Case: String, CaseIterable {
    case generated, constant, text, steps, blocks
  }

  private func target(of kind: Case) -> UpgradeTarget {
    switch kind {
    case .generated: target([Self.code])
    // Not in place, because of the expression beside it.
    case .constant:
      target([Self.note, .required("twice", .int)]) {
        $0.set = ["Thing": ["twice": expression("old.number % 1000")]]
      }
    case .text:
      target([.required("copy", .string)]) {
        $0.set = ["Thing": ["copy": expression("old.name + old.name")]]
      }
    case .steps, .blocks: PeopleHistory.target
    }
  }

  @Test(arguments: Case.allCases)
  private func noMoreIsTakenThanWasSaid(_ kind: Case) throws {
    let target = target(of: kind)
    let file = try bench.sample(version: 0, of: target, objects: 8_000)
    for (output, backup) in [(false, false), (true, false), (false, true), (true, true)] {
      var options = Upgrade.Options()
      if output { options.output = bench.path("new.db") }
      if backup { options.backup = bench.path("kept.db") }
      options.isFusing = kind != .steps
      let copy = try bench.copyWithNeighbours(of: file, to: "copy.db")
      let before = try bench.totalSize()
      var peak = 0
      options.progress = { _ in
        peak = max(peak, ((try? bench.totalSize()) ?? 0) - before)
        return .proceed
      }
      let plan = try UpgradePlan.make(path: copy, target: target, options: options)

      try Upgrade(path: copy, target: target, options: options).run()

      peak = max(peak, try bench.totalSize() - before)
      #expect(peak > 0)
      #expect(peak <= plan.diskNeeded, "\(kind), output \(output), backup \(backup)")
      // Saying a hundred times as much would be no estimate.
      #expect(plan.diskNeeded < 12 * peak + (4 << 20), "\(kind), output \(output)")
      for name in ["copy.db", "new.db", "kept.db"] { try? POSIXFiles().remove(bench.path(name)) }
    }
  }

  @Test(arguments: [false, true], [false, true])
  func aDiskThatIsTooFullIsRefusedBeforeItStarts(output: Bool, backup: Bool) throws {
    try refuses(output, backup, target([Self.code]))
  }

  @Test(arguments: [false, true])
  func soItIsWhereNoRowChanges(backup: Bool) throws {
    let target = target([Self.note])
    let file = try bench.sample("plan.db", version: 0, of: target, objects: 1)
    let plan = try UpgradePlan.make(path: file, target: target, options: Upgrade.Options())
    #expect(plan.write == .inPlace)
    try POSIXFiles().remove(file)
    try refuses(false, backup, target)
  }

  private func refuses(_ output: Bool, _ backup: Bool, _ target: UpgradeTarget) throws {
    let file = try bench.sample(version: 0, of: target, objects: 1_000)
    var options = Upgrade.Options()
    if output { options.output = bench.path("new.db") }
    let alone = try UpgradePlan.make(path: file, target: target, options: options).diskNeeded
    // In a folder that is yet to be made.
    options.makesFolders = backup
    if backup { options.backup = bench.path("kept/a.db") }
    let size = try #require(try POSIXFiles().size(of: file))
    let needed = try UpgradePlan.make(path: file, target: target, options: options).diskNeeded
    #expect(needed == alone + (backup ? size : 0))
    let before = try bench.contents()
    let tooFull = Upgrade(
      path: file, target: target, options: options, files: FaultyFiles(free: needed - 1))

    for attempt in [{ _ = try tooFull.rehearse() }, { _ = try tooFull.run() }] {
      let error = #expect(throws: MigrationError.self) { try attempt() }
      #expect(error?.kind == .diskFull)
      // One byte is missing, which the units of the plan do not show.
      #expect(
        error?.description.contains(
          "needs \(grouped(needed)) bytes of disk space, and \(grouped(needed - 1)) bytes are free")
          == true)
      #expect(error?.description.contains("with its backup") == backup)
      #expect(try bench.contents() == before)
    }

    if backup { try POSIXFiles().createFolder(bench.path("kept"), permissions: 0o700) }
    try Upgrade(path: file, target: target, options: options, files: FaultyFiles(free: needed))
      .run()
  }

  /// Needs to mount a file system.
  @Test(.enabled(if: MountedFolder.isPermitted), arguments: [1, 8])
  func aBackupOnAnotherDiskTakesNothingHere(megabytes: Int) throws {
    let target = target([Self.code])
    let file = try bench.sample(version: 0, of: target, objects: 30_000)
    let size = try #require(try POSIXFiles().size(of: file))
    let disk = try MountedFolder(megabytes: megabytes)
    var options = Upgrade.Options()
    let alone = try UpgradePlan.make(path: file, target: target, options: options).diskNeeded
    options.backup = disk.path + "/kept.db"
    #expect(
      try UpgradePlan.make(path: file, target: target, options: options).diskNeeded == alone)
    let before = try bench.contents()
    let upgrade = Upgrade(path: file, target: target, options: options)

    guard megabytes < size >> 20 else {
      try upgrade.run()
      #expect(try POSIXFiles().size(of: disk.path + "/kept.db") == size)
      return
    }
    for attempt in [{ _ = try upgrade.rehearse() }, { _ = try upgrade.run() }] {
      let error = #expect(throws: MigrationError.self) { try attempt() }
      #expect(error?.kind == .diskFull)
      #expect(
        error?.description.contains("The backup of \(file) needs \(sized(size)) of disk space")
          == true)
    }
    #expect(try bench.contents() == before)
    #expect(try POSIXFiles().contents(ofFolder: disk.path).isEmpty)
  }

  @Test func aTableIsAsLargeAsItsRowsAndWhatTheyGain() throws {
    let target = target([Self.code])
    let file = try bench.sample(version: 0, of: target, objects: 8_000)

    let plan = try UpgradePlan.make(path: file, target: target, options: Upgrade.Options())
    try upgrade(file, target)

    let written = try POSIXFiles().size(of: file) ?? 0
    let table = try #require(plan.tables.first)
    #expect(table.objects == 8_000)
    #expect(abs(table.bytes - written) < written / 5, "\(table.bytes) of \(written)")
  }
}

extension Workbench {
  /// Bytes of all files in the folder.
  func totalSize() throws -> Int {
    let folder = path("")
    return try POSIXFiles().contents(ofFolder: folder).reduce(0) {
      $0 + (try POSIXFiles().size(of: folder + $1) ?? 0)
    }
  }
}
