import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// The power fails at any moment, and of what was not made durable any part is lost, in any order: the file is the old one or
/// the new one, and the next run goes on. An upgrade that has said that it is done is not taken back.
///
/// `STRATA_LONG_TESTS=1` tries every moment, and many losses at each.
@Suite struct PowerLossTests {
  /// Moments of each case in the short form.
  private static let samples = 6
  /// Losses at each moment in the long form.
  private static let lossesAtMoment: UInt64 = 40

  /// A way of upgrading, and how the file was left by whoever wrote it last.
  struct Case: CustomTestStringConvertible {
    let way: FaultWay
    let state: AbandonedState
    var testDescription: String { "\(way) of \(state)" }

    static let all = FaultWay.allCases.flatMap { way in
      AbandonedState.allCases.filter { $0 == .closed || way.upgradesPeople }
        .map { Case(way: way, state: $0) }
    }
  }

  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test(arguments: Case.all)
  func whateverIsLostTheFileIsTheOldOneOrTheNewOne(_ test: Case) throws {
    // What is written early is most of what can be lost.
    for scale in FaultTests.isLong ? Scale.allCases : [.large] {
      try EngineSwitches.$current.withValue(scale.switches) { try losePower(test, scale) }
      try bench.removeAll { _ in true }
    }
  }

  private func losePower(_ test: Case, _ scale: Scale) throws {
    let recording = try PowerLossRecording(way: test.way, state: test.state, bench: bench)
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
    if FaultTests.isLong {
      #expect(results == [false, true])
      print(
        "\(test.testDescription), \(scale): \(losses) losses at each of \(moments.count) moments"
      )
    }
  }
}

/// One upgrade with everything that it did to the disk.
private struct PowerLossRecording {
  let records: [DiskRecord]
  private let bench: Workbench
  private let aftermath: Aftermath
  /// The files before the upgrade, by name.
  private let before: [String: [UInt8]]
  private static let prefix = "recorded"

  init(way: FaultWay, state: AbandonedState, bench: Workbench) throws {
    self.bench = bench
    let original =
      way.upgradesPeople
      ? try bench.abandoned(state)
      : try bench.sample("old.db", version: 0, of: way.source, objects: 40)
    let old = try digest(original, way.target)
    let names = Aftermath.Files(Self.prefix, in: bench)
    _ = try bench.copyWithNeighbours(of: original, to: FilePaths.name(of: names.file))
    before = try bench.contents().filter { $0.key.hasPrefix(Self.prefix) }

    let vfs = FaultVFS()
    let files = FaultyFiles()
    files.recorder = vfs
    vfs.startRecording()
    try Upgrade(
      path: names.file, target: way.target,
      options: way.options(output: names.output, backup: names.backup), files: files,
      vfs: vfs.name
    ).run()
    vfs.stopRecording()
    records = vfs.records(inFolder: FilePaths.folder(of: names.file))
    let result = way.writesOutput ? names.output : names.file
    aftermath = Aftermath(
      way: way, bench: bench, original: original, old: old, new: try digest(result, way.target))
    try bench.removeAll { $0.hasPrefix(Self.prefix) }
  }

  /// How many records stand before each moment at which something becomes durable, and after it: what is lost in between is lost
  /// at one of them as well.
  var moments: [Int] {
    Set(records.indices.filter { records[$0].isBoundary }.flatMap { [$0, $0 + 1] }).sorted()
  }

  /// - Returns: whether the new content was there.
  func run(losingPowerAt moment: Int, seed: UInt64) throws -> Bool {
    var disk = UncertainDisk(before)
    for record in records.prefix(moment) { disk.apply(record) }
    var random = StepRandom(seed: seed)
    let prefix = "found"
    for (name, bytes) in disk.afterLoss(using: &random) {
      try POSIXFiles().write(
        bytes, to: bench.path(prefix + name.dropFirst(Self.prefix.count)), permissions: 0o600)
    }
    let names = Aftermath.Files(prefix, in: bench)
    try leaveIndex(of: names.file, using: &random)
    let what = "\(aftermath.way), power lost after \(moment) of \(records.count), seed \(seed)"
    let isNew = try aftermath.check(names, hasSucceeded: moment == records.count, what)
    try aftermath.finish(names, isNew: isNew, what)
    return isNew
  }

  /// The index of a log is never made durable: after a loss of power anything may stand in it.
  private func leaveIndex(of file: String, using random: inout StepRandom) throws {
    guard !aftermath.way.writesOutput, try POSIXFiles().exists(file + "-wal"),
      Bool.random(using: &random)
    else { return }
    let isZero = Bool.random(using: &random)
    let bytes = (0..<32_768).map { _ in isZero ? 0 : UInt8(truncatingIfNeeded: random.next()) }
    try POSIXFiles().write(bytes, to: file + "-shm", permissions: 0o600)
  }
}
