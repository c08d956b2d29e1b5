package import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Proves that every path through the versions gives the same data: what `strata verify` and `assertMigrations` run.
package struct MigrationProof {
  /// Upgrades one file.
  package typealias Engine = (_ upgrade: ProofUpgrade, _ target: UpgradeTarget) throws -> Void

  private let target: UpgradeTarget
  private let seed: UInt64
  private let samples: String?
  /// Told before each path: which one, and how many were gone. What it throws ends the proof.
  package var progress: (String, Int) throws -> Void = { _, _ in }
  /// Told of what the proof does not cover, and why.
  package var note: (String) -> Void = { _ in }
  /// A command puts another process in its place, one that may end without taking this one along.
  package var engine: Engine = { upgrade, target in
    try ProofBench.ownEngine(upgrade, target)
  }
  /// The same in one that differs from the first in all that blocks must not ask for; nil where there is none.
  package var otherProcess: Engine?
  /// Objects of the files that have many.
  var crowd = ProofGenerator.objectsOfCrowd
  /// What lies between the first and the last run at least, so that a clock shows.
  var duration = Duration.milliseconds(1100)
  /// Objects of each model that is not embedded, in the others.
  var objectsPerModel = ProofGenerator.objectsPerModel
  /// Objects of one file that are taken out one after the other, because a step refuses them.
  var maximumRefusals = 400

  package init(target: UpgradeTarget, seed: UInt64, samples: String? = nil) {
    self.target = target
    self.seed = seed
    self.samples = samples
  }

  /// - Throws: `MigrationError` where nothing can be proven: a block is missing, a sample cannot be read.
  package func run() throws -> MigrationProofReport {
    let clock = ContinuousClock()
    let start = clock.now
    // Before anything is proven: a folder that is not there is told at once.
    let files = try sampleFiles()
    let run = ProofRun(
      target: target, seed: seed,
      bench: try ProofBench(target: target, engine: engine, otherProcess: otherProcess),
      maximumRefusals: maximumRefusals, progress: progress, note: note)
    // What the other process sees first is something else than what this one sees first.
    if let first = target.history.versions.first, let last = target.history.versions.last {
      var path = ProofPath(from: first.number, stops: [last.number])
      path.isElsewhere = true
      if otherProcess != nil, first.number < last.number {
        _ = try run.bench.go(path, ProofGenerator.data(for: first.schema, seed: seed &+ 1))
      }
    }
    for version in target.history.versions.dropLast() {
      let data = ProofGenerator.data(
        for: version.schema, seed: seed, objectsPerModel: objectsPerModel)
      if objectsPerModel > 0 { run.noteMissing(from: data, of: version) }
      try run.prove(data, at: version.number)
    }
    for version in target.history.versions.dropLast() where crowd > 0 {
      try run.proveCrowd(of: version, objects: crowd)
    }
    for file in files {
      do {
        guard let (data, version) = try run.bench.sample(file) else {
          run.leaveOut(
            "\(file) has more than \(ProofData.maximumObjects) objects and was left out.")
          continue
        }
        try run.prove(data, at: version, file: file)
      } catch let error as MigrationError where Self.isNoSample(error) {
        run.leaveOut("\(error.description) It was left out.")
      }
    }
    let rest = duration - (clock.now - start)
    if rest > .zero, !target.blocks.isEmpty, run.report.isProven {
      usleep(UInt32(rest / .microseconds(1)))
    }
    try run.proveOnceMore()
    return run.report
  }

  private static func isNoSample(_ error: MigrationError) -> Bool {
    switch error.kind {
    case .notADatabase, .foreignFile, .unknownShape, .fileIsNewer, .fileIsFolder, .fileEncrypted,
      .wrongKey, .fileNotEncrypted, .otherCipher, .unknownEncryption, .keyUnusable:
      true
    default: false
    }
  }

  /// What people write beside their samples.
  private static let otherExtensions = [".md", ".txt", "-wal", "-shm", "-journal"]

  private func sampleFiles() throws -> [String] {
    guard let samples else { return [] }
    do {
      return try POSIXFiles().contents(ofFolder: samples).sorted()
        .filter { name in
          !name.hasPrefix(".") && !Self.otherExtensions.contains { name.hasSuffix($0) }
        }
        .map { "\(samples)/\($0)" }
    } catch {
      throw MigrationError(
        .fileMissing, "The samples in \(samples) cannot be listed: \(error.reason).")
    }
  }
}

/// A proof that is running: what it has counted and found.
final class ProofRun {
  /// How often their number is doubled where objects share a value that has to be unique.
  private static let maximumDoublings = 20
  /// The same among many.
  private static let maximumRefusalsOfCrowd = 12
  /// Kinds of refusal that are taken through all paths.
  private static let maximumRefusalKinds = 12

  let bench: ProofBench
  let target: UpgradeTarget
  private let maximumRefusals: Int
  private let progress: (String, Int) throws -> Void
  private let tell: (String) -> Void
  private(set) var report: MigrationProofReport
  /// What any file was refused for.
  private var known: Set<Refusal> = []
  /// The first file and what came of it.
  private var first: (data: ProofData, versions: [Int], reference: [Int: ProofData])?

  init(
    target: UpgradeTarget, seed: UInt64, bench: ProofBench, maximumRefusals: Int,
    progress: @escaping (String, Int) throws -> Void, note: @escaping (String) -> Void
  ) {
    tell = note
    self.target = target
    self.bench = bench
    self.maximumRefusals = maximumRefusals
    self.progress = progress
    report = MigrationProofReport(
      name: target.history.name + "Migrations", versions: target.history.versions.map(\.number),
      paths: 0, objects: 0, seed: seed, failures: [])
  }

  func note(_ sentence: String) {
    report.notes.append(sentence)
    tell(sentence)
  }

  /// Notes that a sample is none of this history.
  func leaveOut(_ sentence: String) {
    report.leftOut.append(sentence)
    note(sentence)
  }

  /// What two refusals have to agree in.
  private struct Refusal: Hashable {
    let code: String
    let version: Int?
    let model: String?

    init(_ error: MigrationError) {
      code = error.code
      version = error.version
      model = error.model
    }
  }

  /// Brings one file's objects to the newest version on every path.
  func prove(_ data: ProofData, at version: Int, file: String? = nil) throws {
    report.objects += data.objects.count
    let versions = target.history.versions.map(\.number).filter { $0 >= version }
    guard versions.count > 1 else { return }
    let stepwise = ProofPath.stepwise(versions)
    let name = file.map { "\($0): " } ?? ""
    let generated = data
    var data = data
    var refusals: [Refusal: Int] = [:]
    var count = 0
    // Why the objects of a model were taken out, and models of which none was looked at in the end.
    var reasons: [String: MigrationError] = [:]
    var leftOut: Set<String> = []
    var reference: [Int: ProofData] = [:]
    while true {
      try progress(name + stepwise.label, report.paths)
      reference = [:]
      let outcome = try bench.go(stepwise, data, visit: { reference[$0] = $1 })
      if case .crashed(let crash) = outcome {
        return try explain(crash, stepwise, data, name)
      }
      guard case .refused(let error) = outcome else { break }
      // A user's own file has to go through.
      if file != nil || data.objects.isEmpty
        || error.kind == .verificationFailed && error.model == nil
      {
        fail(
          object: error.subject(ofVersion: version), property: nil, path: name + stepwise.label,
          step: error.version ?? versions[1],
          explanation: "  the upgrade is refused: \(error.description)", code: error.code)
        return
      }
      known.insert(Refusal(error))
      let earlier = refusals[Refusal(error), default: 0]
      refusals[Refusal(error)] = earlier + 1
      if earlier == 0, refusals.count <= Self.maximumRefusalKinds {
        try proveRefusal(of: data, error, versions)
      }
      reference = [:]
      count += 1
      let refused = data.objects.first { $0.identity == error.identity }?.model ?? error.model
      // What one after the other takes too long goes with all that is of its model.
      let isTooMany = count > maximumRefusals
      let rest =
        isTooMany
        ? data.removing(Set(data.objects.filter { $0.model == refused }.map(\.identity)))
        : try without(error, data, stepwise, earlier: earlier)
      guard rest.objects.count < data.objects.count else {
        fail(
          object: error.subject(ofVersion: version), property: nil, path: name + stepwise.label,
          step: error.version ?? versions[1],
          explanation:
            "  no path was compared: after \(counted(count, "refusal")) the generated objects of version \(version) are still refused: \(error.description)",
          code: error.code)
        return
      }
      let kept = Set(rest.identities)
      for object in data.objects where !kept.contains(object.identity) {
        if isTooMany { leftOut.insert(object.model) }
        // What goes because it leads to another one has the other one's reason where it has none of its own.
        guard object.model == refused || reasons[object.model] == nil else { continue }
        reasons[object.model] = error
      }
      data = rest
    }
    let rest = Set(data.objects.map(\.model))
    for model in Set(generated.objects.map(\.model)).subtracting(rest).sorted() {
      let reason = reasons[model]?.description ?? ""
      note(
        leftOut.contains(model)
          ? "After \(maximumRefusals) refusals no generated \(model) of version \(version) was looked at any more: \(reason)"
          : "No generated \(model) of version \(version) gets through: \(reason)")
    }
    if first == nil { first = (data, versions, reference) }
    try compare(data, versions, bench.others(versions), reference, name)
    guard report.isProven, let failure = try failureOfWayBack(data, versions, name) else { return }
    // A clock that went on meanwhile, or chance, shows here too; where a path differs from itself now, that says more.
    try compareOnceMore(data, versions, reference, name, remark: "run again")
    if report.isProven { report.failures.append(failure) }
  }

  /// Many objects at once, on the paths for which their number means something.
  func proveCrowd(of version: FrozenVersion, objects: Int) throws {
    let versions = target.history.versions.map(\.number).filter { $0 >= version.number }
    let stepwise = ProofPath.stepwise(versions)
    var last: MigrationError?
    for kind in [ProofGenerator.Kind.boundaries, .ordinary] {
      var data = ProofGenerator.crowd(
        for: version.schema, seed: report.seed, kind: kind, objects: objects)
      if kind == .boundaries { noteMissing(fromCrowd: data, of: version, objects: objects) }
      for _ in 0..<Self.maximumRefusalsOfCrowd {
        try progress(stepwise.label, report.paths)
        var reference: [Int: ProofData] = [:]
        switch try bench.go(stepwise, data, visit: { reference[$0] = $1 }) {
        case .crashed(let crash): return try explain(crash, stepwise, data, "")
        case .content:
          report.objects += data.objects.count
          let paths = ProofPath.ofCrowds(bench.others(versions))
          return try compare(data, versions, paths, reference, "")
        case .refused(let error):
          last = error
          guard let identity = error.identity, data.identities.contains(identity) else { break }
          if known.insert(Refusal(error)).inserted {
            // Alone it may go through: nothing is like it then.
            let alone = data.removing(Set(data.identities).subtracting([identity]))
            let isRefused = if case .refused = try bench.go(stepwise, alone) { true } else { false }
            try proveRefusal(of: isRefused ? alone : data, error, versions)
          }
          data = data.removing([identity])
          continue
        }
        break
      }
    }
    note(
      "Many objects of version \(version.number) at once were not upgraded, since too many of them are refused: \(last?.description ?? "")"
    )
  }

  /// The first file again, when time has passed and blocks have seen everything else.
  func proveOnceMore() throws {
    guard let first else { return }
    try compareOnceMore(
      first.data, first.versions, first.reference, "", remark: "run again later")
  }

  /// Goes step by step again, whatever the bench's file is now.
  private func compareOnceMore(
    _ data: ProofData, _ versions: [Int], _ reference: [Int: ProofData], _ name: String,
    remark: String
  ) throws {
    var path = ProofPath.stepwise(versions)
    path.remark = remark
    try compare(data, versions, [path], reference, name, hasFile: false)
  }

  // MARK: - Refusals

  /// Every path has to refuse it in the same way; looked at with nothing else in the file.
  private func proveRefusal(of data: ProofData, _ error: MigrationError, _ versions: [Int]) throws {
    let expected = Refusal(error)
    let stepwise = ProofPath.stepwise(versions)
    let smallest = try fewest(refusedLike: error, data, stepwise)
    note(
      "On every path a generated object of version \(versions[0]) is refused: \(error.description)")
    for path in bench.others(versions) {
      let outcome = try bench.go(path, smallest)
      if case .refused(let other) = outcome, Refusal(other) == expected { continue }
      if case .crashed(let crash) = outcome { return try explain(crash, path, smallest, "") }
      var found = "goes through"
      if case .refused(let other) = outcome { found = "says: \(other.description)" }
      fail(
        object: error.subject(ofVersion: versions[0]),
        property: nil, path: path.label, step: error.version ?? versions[1],
        explanation: "  step by step it is refused: \(error.description)\n  this path \(found)\n"
          + Self.text(of: smallest, from: versions[0]))
      return
    }
  }

  private func fewest(refusedLike error: MigrationError, _ data: ProofData, _ path: ProofPath)
    throws -> ProofData
  {
    var search = DeltaDebugging(maximumRuns: DeltaDebugging.maximumRunsForRefusals) {
      [bench] candidate in
      guard case .refused(let other) = try bench.go(path, candidate) else { return false }
      return Refusal(other) == Refusal(error)
    }
    return try search.fewest(data)
  }

  /// - Parameter earlier: how often the same was refused before.
  private func without(
    _ error: MigrationError, _ data: ProofData, _ path: ProofPath, earlier: Int
  ) throws -> ProofData {
    if let identity = error.identity, data.identities.contains(identity) {
      guard error.kind == .duplicateValue else { return data.removing([identity]) }
      // Where all objects have the same value, the error names the first of them each time: more go the longer it takes.
      let alike = data.objects.filter { $0.model == error.model && $0.identity >= identity }
      let count = 1 << min(earlier, Self.maximumDoublings)
      return data.removing(Set(alike.map(\.identity).sorted().prefix(count)))
    }
    if case .refused = try bench.go(path, data.removing(Set(data.identities))) {
      return data.removing(Set(data.identities))
    }
    let smallest = try fewest(refusedLike: error, data, path)
    return data.removing(Set(smallest.identities))
  }

  // MARK: - Comparing

  /// - Parameter hasFile: whether the bench's file has just gone step by step; it may be another one, refused on its way.
  private func compare(
    _ data: ProofData, _ versions: [Int], _ paths: [ProofPath], _ reference: [Int: ProofData],
    _ name: String, hasFile: Bool = true
  ) throws {
    let stepwise = ProofPath.stepwise(versions)
    report.paths += 1
    // A difference says more than what else is wrong with a file.
    var problem: (path: ProofPath, text: ProofBench.Problem)?
    if hasFile, let found = try bench.problem(at: stepwise.target) { problem = (stepwise, found) }
    for path in paths {
      try progress(name + path.label, report.paths)
      report.paths += 1
      switch try bench.go(path, data) {
      case .refused(let error):
        fail(
          object: error.subject(ofVersion: path.from),
          property: nil, path: name + path.label, step: error.version ?? path.target,
          explanation: "  step by step it goes through; this path says: \(error.description)")
        return
      case .crashed(let crash):
        return try explain(crash, path, data, name)
      case .content(let content):
        if let expected = reference[path.target],
          let found = difference(expected, content, path, data.nextRow)
        {
          try explain(found, path, data, versions, reference, name)
          return
        }
        if problem == nil, let found = try bench.problem(at: path.target) {
          problem = (path, found)
        }
      }
    }
    guard let problem else { return }
    fail(
      object: problem.text.object, property: problem.text.property,
      path: name + problem.path.label, step: problem.path.target,
      explanation: "  " + problem.text.text,
      code: MigrationError(.verificationFailed, "").code)
  }

  func difference(
    _ expected: ProofData, _ found: ProofData, _ path: ProofPath, _ nextRow: Int64
  ) -> ContentDifference? {
    ContentComparison(
      schema: expected.schema, createdFrom: path.switches.isBackwards ? nextRow : nil
    ).difference(expected, found)
  }

  /// Keeps the first failure of each kind: the same fault shows from several versions.
  func fail(
    object: String, property: String?, path: String, step: Int, explanation: String,
    code: String = MigrationProofReport.Failure.pathDependence
  ) {
    let model = object.prefix { $0 != " " }
    let isKnown = report.failures.contains {
      $0.step == step && $0.property == property && $0.object.prefix { $0 != " " } == model
    }
    guard !isKnown else { return }
    report.failures.append(
      MigrationProofReport.Failure(
        object: object, property: property, path: path, step: step, explanation: explanation,
        code: code))
  }
}
