import StrataHistory
package import StrataSQLite
import StrataSchema

/// What an upgrade would do, table by table, for people and programs: its route with what that costs for one file. Making it changes
/// nothing.
package struct UpgradePlan: Sendable, Hashable {
  package enum Strategy: String, Sendable {
    case untouched
    case metadata
    case setBased = "set-based"
    case blocks
    case stream
    case new
    case dropped
  }

  package enum Write: String, Sendable {
    case inPlace = "in-place"
    case aside
    case output
  }

  package struct Table: Sendable, Hashable {
    /// The model's newer name, or the older one of a model that goes away.
    package var model: String
    package var strategy: Strategy
    /// The versions that are made in one pass over the table.
    package var fused: [Int]
    package var objects: Int
    /// Bytes that are written for it, estimated from the size of the old table and what its objects gain.
    package var bytes: Int
    /// Why this strategy, for people.
    package var reason: String
  }

  package var file: String
  package var from: Int
  package var to: Int
  /// The versions of the steps that are run.
  package var steps: [Int]
  package var tables: [Table]
  package var write: Write
  /// Bytes of disk space that have to be free, with those of a backup on the same file system.
  package var diskNeeded: Int
  /// What the rules of the versions on the way will say of the file's objects.
  package private(set) var forecast = RuleForecast()
  /// Tables and views that other programs have in the file, by name. An upgrade in place keeps them, every other one leaves them out.
  package private(set) var otherTables: [String] = []
  /// Bytes that the upgrade itself takes.
  var upgradeSize = 0
  /// Bytes of the old file.
  var fileSize = 0

  /// Whether nothing is to be done. From an earlier shape of the working version a step leads to the same number.
  package var isCurrent: Bool { steps.isEmpty }

  /// What the upgrade will be refused with, as far as its forecast tells.
  package var refusal: MigrationError? {
    forecast.broken.first.map {
      .ruleBroken(
        $0.rules, version: $0.version, form: .steps, isReshaped: from == to, isForecast: true)
    }
  }

  package static func make(
    path: String, target: UpgradeTarget, options: Upgrade.Options,
    files: any FileOperations = POSIXFiles(), vfs: String? = nil
  ) throws -> UpgradePlan {
    let vfs = FileCipher.resolve(vfs ?? Database.processDefaultVFS, forFile: path)
    let inspector = FileInspector(files: files, vfs: vfs)
    try inspector.checkFile(path)
    return try inspector.looking(at: path) { database in
      let stored = try inspector.stored(
        in: database, path: path, for: options.output == nil ? .writing : .reading)
      options.recognise(stored, in: target, path: path)
      let versions = try target.versions(from: stored, path: path, to: options.target)
      var plan = UpgradePlan(
        file: path, from: versions[0].number, to: versions[versions.count - 1].number,
        steps: versions.dropFirst().map(\.number), tables: [],
        write: options.output == nil ? .aside : .output, diskNeeded: 0)
      guard versions.count > 1 else { return plan }
      var route = try UpgradeRoute(
        versions: versions, target: target, choices: options.choices
      ).suited(to: database)
      plan.otherTables = try OtherTables(
        in: database, beside: TableLayout(route.source.schema)
      ).names
      if let change = route.inPlaceChange, !plan.otherTables.isEmpty,
        try !change.isPossible(besideOthersIn: database)
      {
        route = route.aside()
      }
      let estimate = try DiskEstimate(route: route, stored: stored, database: database)
      plan.upgradeSize = estimate.diskNeeded(isWrittenBack: options.output == nil)
      plan.fileSize = estimate.fileSize
      if let change = route.inPlaceChange {
        plan.write = .inPlace
        plan.upgradeSize = change.diskNeeded(fileSize: estimate.fileSize)
      }
      plan.diskNeeded = try DiskSpace(
        files: files, path: path, place: options.output ?? files.realPath(of: path),
        backup: options.backup
      ).needed(plan.upgradeSize, fileSize: plan.fileSize)
      plan.forecast = try RuleForecast(route, database: database)
      plan.tables = estimate.tables(sizes: database.tableSizes())
      return plan
    }
  }
}

extension DiskEstimate {
  /// What becomes of each table, with its objects and the bytes that are written.
  ///
  /// - Parameter sizes: bytes by table; empty where SQLite does not tell.
  fileprivate func tables(sizes: [String: Int]) -> [UpgradePlan.Table] {
    route.fates.map { fate in
      let isWritten = route.inPlaceChange == nil && fate.strategy != .dropped
      return UpgradePlan.Table(
        model: fate.model, strategy: fate.strategy, fused: fate.versions,
        objects: fate.source.flatMap { counts[$0] } ?? 0,
        bytes: isWritten ? fate.source.map { bytes(of: $0, sizes) } ?? 0 : 0, reason: fate.reason)
    }
  }

  private func bytes(of source: String, _ sizes: [String: Int]) -> Int {
    guard let model = route.source.schema.model(named: source) else { return 0 }
    let objects = counts[source] ?? 0
    var size = sizes[source] ?? 0
    for property in model.collectionProperties {
      size += sizes["\(source).\(property.name)"] ?? 0
    }
    if sizes.isEmpty {
      size = usedSize * objects / max(1, counts.values.reduce(0, +))
    }
    return size + objects * bytesGained(by: model)
  }
}
