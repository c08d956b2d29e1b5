import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// The power fails at any moment of a downgrade, and of what was not made durable any part is lost, in any order: the file is the newer one
/// or the older one, and the old file is as it was. A downgrade that has said that it is done is not taken back.
///
/// `STRATA_LONG_TESTS=1` tries every moment, and many losses at each.
@Suite struct DowngradePowerLossTests {
  /// Moments in the short form.
  private static let samples = 12
  /// Losses at each moment in the long form.
  private static let lossesAtMoment: UInt64 = 40

  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test(arguments: [false, true])
  func whateverIsLostTheFileIsTheNewerOneOrTheOlderOne(keepsBackup: Bool) throws {
    let recording = try DowngradeRecording(bench, keepsBackup: keepsBackup)
    let moments = recording.moments
    #expect(moments.count >= 4)
    let losses = FaultTests.isLong ? Self.lossesAtMoment : 1
    let stride = FaultTests.isLong ? 1 : max(1, moments.count / Self.samples)
    var results: Set<Bool> = []
    for index in Swift.stride(from: 0, to: moments.count, by: stride) {
      for seed in 1...losses {
        try results.insert(
          recording.run(losingPowerAt: moments[index], seed: seed &+ UInt64(moments[index])))
      }
    }
    #expect(try recording.run(losingPowerAt: recording.records.count, seed: 1))
    if FaultTests.isLong { #expect(results == [false, true]) }
  }
}

/// One downgrade with everything that it did to the disk.
private struct DowngradeRecording {
  let records: [DiskRecord]
  private let bench: Workbench
  private let keepsBackup: Bool
  private let target = PeopleHistory.target
  /// The files before it, by name.
  private let before: [String: [UInt8]]
  /// What the old file holds, the newer one, and what that is taken back to.
  private let old: Digest?
  private let newer: Digest?
  private let older: Digest?
  private static let prefix = "recorded"

  /// The names that a downgrade uses.
  private struct Names {
    let file: String
    let old: String
    let backup: String

    init(_ prefix: String, in bench: Workbench) {
      file = bench.path("\(prefix)-file.db")
      old = bench.path("\(prefix)-old.db")
      backup = bench.path("\(prefix)-backup.db")
    }
  }

  init(_ bench: Workbench, keepsBackup: Bool) throws {
    self.bench = bench
    self.keepsBackup = keepsBackup
    let names = Names(Self.prefix, in: bench)
    _ = try bench.sample(
      FilePaths.name(of: names.old), version: 0, of: target, objects: 40)
    var options = Upgrade.Options()
    options.output = names.file
    try Upgrade(path: names.old, target: target, options: options).run()
    try bench.sql(names.file, "UPDATE Person SET age = 77, email = 'lost' WHERE _row = 1")
    try bench.sql(names.file, "PRAGMA wal_checkpoint(TRUNCATE)")
    old = try digest(names.old, target)
    newer = try digest(names.file, target)
    before = try bench.contents().filter { $0.key.hasPrefix(Self.prefix) }

    let vfs = FaultVFS()
    let files = FaultyFiles()
    files.recorder = vfs
    vfs.startRecording()
    try Self.downgrade(names, target, keepsBackup: keepsBackup, files: files, vfs: vfs.name)
    vfs.stopRecording()
    records = vfs.records(inFolder: FilePaths.folder(of: names.file))
    older = try digest(names.file, target)
    try bench.removeAll { $0.hasPrefix(Self.prefix) }
  }

  private static func downgrade(
    _ names: Names, _ target: UpgradeTarget, keepsBackup: Bool,
    files: any FileOperations = POSIXFiles(), vfs: String? = nil
  ) throws {
    var options = Downgrade.Options()
    options.backup = keepsBackup ? names.backup : nil
    options.acceptsLoss = true
    try Downgrade(
      path: names.file, from: names.old, target: target, options: options, files: files, vfs: vfs
    ).run()
  }

  /// How many records stand before each moment at which something becomes durable, and after it: what is lost in between is lost
  /// at one of them as well.
  var moments: [Int] {
    Set(records.indices.filter { records[$0].isBoundary }.flatMap { [$0, $0 + 1] }).sorted()
  }

  /// - Returns: whether the older content was there.
  func run(losingPowerAt moment: Int, seed: UInt64) throws -> Bool {
    var disk = UncertainDisk(before)
    for record in records.prefix(moment) { disk.apply(record) }
    var random = StepRandom(seed: seed)
    let prefix = "found"
    for (name, bytes) in disk.afterLoss(using: &random) {
      try POSIXFiles().write(
        bytes, to: bench.path(prefix + name.dropFirst(Self.prefix.count)), permissions: 0o600)
    }
    let names = Names(prefix, in: bench)
    try leaveIndex(of: names.file, using: &random)
    let what = "power lost after \(moment) of \(records.count), seed \(seed)"
    let found = try FileInspector().inspect(names.file, target: target, digest: true)
    let isOlder = found.version == 0 && found.dataDigest == older
    let isNewer = found.version == 5 && found.dataDigest == newer
    #expect(isOlder || isNewer, "\(what): \(found.problem?.description ?? "other content")")
    #expect(isOlder || moment < records.count, "\(what): taken back")
    #expect(try digest(names.old, target) == old, "\(what): the old file")
    if keepsBackup, try isOlder || POSIXFiles().exists(names.backup) {
      #expect(try digest(names.backup, target) == newer, "\(what): the backup")
    }
    if isNewer {
      try Self.downgrade(names, target, keepsBackup: keepsBackup)
    } else {
      // What asks for nothing tidies up all the same.
      try upgrade(names.file, target, to: 0)
    }
    #expect(try digest(names.file, target) == older, "\(what), and once more")
    let left = try bench.names(beside: names.file).filter { $0.contains(AsideFile.suffix) }
    #expect(left == [], "\(what)")
    try bench.removeAll { $0.hasPrefix(prefix) }
    return isOlder
  }

  /// The index of a log is never made durable: after a loss of power anything may stand in it.
  private func leaveIndex(of file: String, using random: inout StepRandom) throws {
    guard try POSIXFiles().exists(file + "-wal"), Bool.random(using: &random) else { return }
    let isZero = Bool.random(using: &random)
    let bytes = (0..<32_768).map { _ in isZero ? 0 : UInt8(truncatingIfNeeded: random.next()) }
    try POSIXFiles().write(bytes, to: file + "-shm", permissions: 0o600)
  }
}
