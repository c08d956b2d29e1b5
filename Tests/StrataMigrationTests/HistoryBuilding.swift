import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema

@testable import Strata
@testable import StrataTesting

extension History {
  /// A history whose chain is made as the lock makes it: each version's digest covers the one before.
  static func chained(
    _ name: String, _ versions: [(date: String, schema: Schema, step: MigrationStep?)]
  )
    -> History
  {
    var chain = Digest(of: "")
    return History(
      name: name,
      versions: versions.map { date, schema, step in
        chain = Digest(of: "\(chain) \(schema.version) \(date) \(schema.shape)")
        return FrozenVersion(
          schema: schema, step: step, date: date, stepDigest: nil, chain: chain)
      })
  }
}

extension Property {
  static func required(_ name: String, _ type: ScalarType, default value: Value? = nil) -> Property
  {
    Property(name: name, type: .value(ValueType(.scalar(type))), defaultValue: value)
  }

  static func optional(_ name: String, _ type: ScalarType) -> Property {
    Property(name: name, type: .value(ValueType(.scalar(type), isOptional: true)))
  }

  static func link(_ name: String, to model: String, _ rule: DeleteRule = .nullify) -> Property {
    Property(
      name: name, type: .value(ValueType(.object(model), isOptional: true)), deleteRule: rule)
  }

  static func list(_ name: String, of model: String) -> Property {
    Property(name: name, type: .list(ValueType(.object(model))))
  }
}

func step(_ version: Int, _ change: (inout MigrationStep) -> Void) -> MigrationStep {
  var step = MigrationStep(to: version)
  change(&step)
  return step
}

/// An expression of a test; its text is known to be right.
func expression(_ text: String) -> Expression {
  do {
    return try Expression.parse(text)
  } catch {
    preconditionFailure("\(text): \(error)")
  }
}

/// A folder for one test, removed with it.
final class Workbench {
  private let temporary: TemporaryFolder
  /// Its files alone, beside the mark of the temporary folder.
  private let folder: String

  init() throws {
    temporary = try TemporaryFolder(files: POSIXFiles())
    folder = temporary.path + "/files"
    try POSIXFiles().createFolder(folder, permissions: 0o700)
  }

  deinit {
    let files = POSIXFiles()
    for name in (try? files.contents(ofFolder: folder)) ?? [] { try? files.remove(path(name)) }
    try? files.removeFolder(folder)
  }

  func path(_ name: String) -> String { folder + "/" + name }

  /// A database with sample objects.
  func sample(
    _ name: String = "a.db", version: Int, of target: UpgradeTarget, objects: Int = 100,
    seed: UInt64 = 7
  ) throws -> String {
    let path = path(name)
    guard let frozen = target.history.version(version) else { return path }
    try SampleDatabase(version: frozen, of: target.history).create(
      at: path, objects: objects, seed: seed)
    return path
  }

  /// Runs SQL in a file, as another program would.
  @discardableResult
  func sql(_ path: String, _ text: String) throws -> [[SQLiteValue]] {
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    return try database.rows(text)
  }

  func bytes(_ path: String) throws -> [UInt8] {
    try POSIXFiles().read(path, from: 0, count: 1 << 30)
  }

  func names() throws -> [String] { try POSIXFiles().contents(ofFolder: folder) }

  /// Everything in the folder and its bytes.
  func contents() throws -> [String: [UInt8]] {
    try Dictionary(
      uniqueKeysWithValues: names().map {
        ($0, try bytes(path($0)))
      })
  }
}

@discardableResult
func upgrade(_ path: String, _ target: UpgradeTarget, to version: Int? = nil, fusing: Bool = true)
  throws -> UpgradeReport
{
  var options = Upgrade.Options()
  options.target = version
  options.isFusing = fusing
  return try Upgrade(path: path, target: target, options: options).run()
}

func digest(_ path: String, _ target: UpgradeTarget) throws -> Digest? {
  try FileInspector().inspect(path, target: target, digest: true).dataDigest
}

extension Workbench {
  /// What an upgrade might have left beside a file.
  ///
  /// - Parameter including: whether the file itself counts.
  func names(beside file: String, including: Bool = false) throws -> [String] {
    let name = FilePaths.name(of: file)
    return try names().filter { $0.hasPrefix(name) && (including || $0 != name) }
  }

  /// Copies a file with everything that stands beside it under its name.
  func copyWithNeighbours(of file: String, to name: String) throws -> String {
    let copy = path(name)
    for neighbour in try names(beside: file, including: true) {
      let suffix = neighbour.dropFirst(FilePaths.name(of: file).count)
      try POSIXFiles().copy(path(neighbour), to: copy + suffix, permissions: 0o600)
    }
    return copy
  }
}
