import Strata
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema

/// Goes paths with data in a temporary folder.
final class ProofBench {
  enum Outcome {
    case content(ProofData)
    case refused(MigrationError)
    case crashed(ProofCrash)
  }

  /// What is wrong with a file apart from its objects.
  typealias Problem = (object: String, property: String?, text: String)

  /// Upgrades one file. A test puts an engine that is wrong in its place, a command other processes.
  typealias Engine = MigrationProof.Engine

  let target: UpgradeTarget
  let engine: Engine
  let otherProcess: Engine?
  private let folder: TemporaryFolder
  let files = POSIXFiles()
  /// The file that goes the paths, one after the other: the other process finds it from another folder.
  let file: String

  init(target: UpgradeTarget, engine: @escaping Engine, otherProcess: Engine? = nil) throws {
    self.target = target
    self.engine = engine
    self.otherProcess = otherProcess
    folder = try TemporaryFolder(files: files)
    file = try files.realPath(of: folder.path) + "/proof.db"
  }

  static func ownEngine(_ upgrade: ProofUpgrade, _ target: UpgradeTarget) throws {
    try TrapNote.watching { try upgrade.run(target) }
  }

  /// The ways that are held against going step by step.
  func others(_ versions: [Int]) -> [ProofPath] {
    ProofPath.others(versions).filter { !$0.isElsewhere || otherProcess != nil }
  }

  /// Goes a path. The file is closed and opened again at each stop; `visit` sees it there.
  func go(
    _ path: ProofPath, _ data: ProofData, visit: (Int, ProofData) throws -> Void = { _, _ in }
  ) throws -> Outcome {
    guard let version = target.history.version(path.from),
      let lineage = target.history.lineage(at: path.from)
    else {
      throw MigrationError(.unknownVersion, "There is no version \(path.from).")
    }
    for suffix in ["", "-wal", "-shm"] { try files.removeIfPresent(file + suffix) }
    try data.write(to: file, at: version, lineage: lineage)
    for stop in path.stops {
      do {
        let engine = path.isElsewhere ? otherProcess ?? engine : engine
        try engine(
          ProofUpgrade(
            file: file, target: stop, isFusing: path.isFusing, isSetBased: path.isSetBased,
            switches: path.switches), target)
      } catch let crash as ProofCrash {
        return .crashed(crash)
      } catch let error as MigrationError where error.isRefusal || error.kind == .inputOutput {
        return .refused(error)
      }
      let content = try content(of: file, at: stop)
      try visit(stop, content)
      if stop == path.target { return .content(content) }
    }
    return .content(data)
  }

  func content(of file: String, at version: Int) throws -> ProofData {
    guard let schema = target.history.version(version)?.schema else {
      throw MigrationError(.unknownVersion, "There is no version \(version).")
    }
    return try ProofData(reading: file, schema: schema)
  }

  /// What the newest file has that a fresh one of its version would not; nil where it is sound.
  func problem(at version: Int) throws -> Problem? {
    guard let frozen = target.history.version(version) else { return nil }
    let database = try Database(path: file, mode: .readOnly)
    defer { database.close() }
    let expected = try DatabaseLayout(expectedOf: TableLayout(frozen.schema))
    if let difference = try DatabaseLayout(of: database).differences(from: expected).first {
      return (difference.table, nil, "its layout is not that of a fresh file: \(difference)")
    }
    do {
      try VersionCheck(ofStepsIn: database, schema: frozen.schema).run()
    } catch let error as MigrationError {
      return (error.subject(ofVersion: version), nil, error.description)
    }
    if let found = try FileCheck(database: database, schema: frozen.schema).run().first {
      return ("a file of version \(version)", nil, "`inspect --check` finds that \(found.message)")
    }
    if let metadata = try StrataMetadata.read(from: database),
      metadata.shape != frozen.shape || metadata.version != version
        || metadata.chain != frozen.chain
        || metadata.lineageText
          != target.history.lineage(at: version)?.json.canonicalText
    {
      return (
        "a file of version \(version)", nil,
        "the file does not say that it is at version \(version)"
      )
    }
    return nil
  }

  /// Of what upgrades make different things, by whether their way looks at single objects. What spares objects does not matter: the
  /// file that goes the paths is made anew of them.
  private static let damage: Set<ContentProblem.Check> = [
    .sqlite, .values, .links, .unique, .owners,
  ]

  /// Else the difference would be told of a step, which has nothing to do with it.
  private static func checkSound(_ database: Database, _ schema: Schema, _ path: String) throws {
    let problems = try FileCheck(database: database, schema: schema).run()
    guard let first = problems.first(where: { damage.contains($0.check) && !$0.sparesObjects })
    else { return }
    throw MigrationError(
      .fileDamaged,
      """
      \(path) is damaged, so that not all of its objects can be read, or paths through the versions may make different things of \
      them: \(first.message). Mend it (`inspect --check` names all), or take it out of the samples.
      """)
  }

  /// Reads a user's file with what stands in its log, and changes nothing in it; nil where it has too many objects.
  ///
  /// - Throws: `MigrationError`, also for a damaged file.
  func sample(_ path: String) throws -> (data: ProofData, version: Int)? {
    let inspector = FileInspector()
    try inspector.checkFile(path)
    return try inspector.looking(at: path) { database in
      let stored = try inspector.stored(in: database, path: path)
      let version = try target.version(of: stored, path: path)
      var count = 0
      for model in version.schema.storedModels {
        let found = try database.firstValue("SELECT count(*) FROM \(SQL.identifier(model.name))")
        count += Int(found?.ifInteger ?? 0)
      }
      guard count <= ProofData.maximumObjects else { return nil }
      try Self.checkSound(database, stored.schema, path)
      return (try ProofData(of: database, schema: version.schema), version.number)
    }
  }
}
