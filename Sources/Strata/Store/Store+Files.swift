import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Store {
  /// Deletes the file of a configuration with all of its data: also the log beside it, the files that ``Configuration/keepsOldFile`` has
  /// kept as they were before upgrades, and what upgrades that were killed have left. A copy that was made under another name stays.
  ///
  /// A store that opens the file meanwhile waits, and makes a new one.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `StoreError.fileIsOpen` while a store has it open or an upgrade is at work on it, in whatever process
  @discardableResult
  public static func deleteFiles(for configuration: Configuration) throws(StoreError) -> Bool {
    guard configuration.inMemoryIdentifier == nil, let path = try configuration.fileURL?.filePath()
    else {
      return false
    }
    do {
      // Without its key a file may be deleted all the same.
      return try StoreFiles(path, vfs: try? configuration.pageVFS()).deleteWithKept()
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The version of the schema that a file is at. The file is not changed.
  ///
  /// - Throws: ``StoreError``, also when there is no such file
  public static func schemaVersion(at path: String) throws(StoreError) -> Int {
    do {
      return try FileInspector().stored(at: path).version
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The version of the schema that the file of a configuration is at; for one that is encrypted. The file is not changed.
  ///
  /// - Throws: ``StoreError``, also when there is no such file
  public static func schemaVersion(of configuration: Configuration) throws(StoreError) -> Int {
    let path = try configuration.filePath()
    do {
      return try FileInspector(vfs: try configuration.pageVFS()).stored(at: path).version
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The version of the schema that a file is at. The file is not changed.
  ///
  /// - Throws: ``StoreError``, also when there is no such file
  public static func schemaVersion(at url: URL) throws(StoreError) -> Int {
    try schemaVersion(at: url.filePath())
  }

  // MARK: - Opening with a look first

  /// What there is to open.
  public enum OpenResult {
    /// The file was at the schema's version, or new: here is its store.
    case current(Store)
    /// The file is older. Nothing was changed; `Store(configuration:)` upgrades it.
    case needsUpgrade(UpgradeOutline)
    /// A newer version of the app wrote the file.
    case newerThanApp(version: Int)
    /// The file has another schema, or a version of this one that was never frozen: the digest of what it holds.
    case foreign(shape: String)
  }

  /// What an upgrade would do.
  public struct UpgradeOutline: Hashable, Sendable {
    public var from: Int
    public var to: Int
    /// The versions whose steps are run; empty without migrations in the configuration.
    public var steps: [Int]
    /// Objects whose tables are written anew.
    public var objects: Int
    /// Bytes that have to be free on the disk meanwhile.
    public var diskNeeded: Int
  }

  /// Opens a store if that needs no upgrade, and says what there is otherwise: for a launch screen of one's own.
  ///
  /// ```swift
  /// switch try Store.open(configuration) {
  /// case .current(let store): show(store)
  /// case .needsUpgrade(let plan): await upgrade(plan)
  /// case .newerThanApp: askForUpdate()
  /// case .foreign(let shape): report(shape)
  /// }
  /// ```
  /// - Throws: ``StoreError`` for a file that is no store, or cannot be read; with `readOnly` for an older one, too, which is not upgraded
  public static func open(_ configuration: Configuration) throws(StoreError) -> OpenResult {
    try configuration.checkURLs()
    let path = configuration.fileURL?.path ?? ""
    do {
      guard configuration.inMemoryIdentifier == nil, try POSIXFiles().exists(path),
        !configuration.deleteIfMigrationNeeded,
        let schema = configuration.schema?.definition.schema,
        let stored = try configuration.stored(at: path)
      else { return .current(try Store(configuration: configuration)) }
      let shape = stored.schema.shape.description
      if stored.schema.name != schema.name { return .foreign(shape: shape) }
      if stored.version > schema.version { return .newerThanApp(version: stored.version) }
      if stored.version == schema.version {
        let isAdditive =
          configuration.migrations == nil
          && ClassicDifferences(from: stored.schema, to: schema).areAdditive
        if stored.schema.shape == schema.shape || isAdditive {
          return .current(try Store(configuration: configuration))
        }
        let working = try configuration.migrations.map { try UpgradeTarget($0).working }
        guard working??.shape == schema.shape else { return .foreign(shape: shape) }
      }
      let result = try outline(configuration, path, stored, to: schema.version)
      // What may only be read is not upgraded, and opening it says so.
      if case .needsUpgrade = result, configuration.readOnly {
        return .current(try Store(configuration: configuration))
      }
      return result
    } catch {
      throw StoreError(error, path: path)
    }
  }

  private static func outline(
    _ configuration: Configuration, _ path: String, _ stored: StoredSchema, to version: Int
  ) throws -> OpenResult {
    let target: UpgradeTarget
    if let migrations = configuration.migrations {
      target = try UpgradeTarget(migrations)
      guard (try? target.versions(from: stored, path: path, to: version)) != nil else {
        return .foreign(shape: stored.schema.shape.description)
      }
    } else if let definition = configuration.schema?.definition,
      configuration.isClassic(chain: stored.chain)
    {
      target = UpgradeTarget(classic: definition, block: configuration.migrationBlock)
    } else {
      return .needsUpgrade(
        UpgradeOutline(
          from: stored.version, to: version, steps: [], objects: 0, diskNeeded: 0))
    }
    var options = Upgrade.Options()
    options.target = version
    let plan = try UpgradePlan.make(
      path: path, target: target, options: options, vfs: try configuration.pageVFS())
    return .needsUpgrade(
      UpgradeOutline(
        from: plan.from, to: plan.to, steps: plan.steps,
        objects: plan.tables.reduce(0) { $0 + ($1.strategy == .untouched ? 0 : $1.objects) },
        diskNeeded: plan.diskNeeded))
  }
}
