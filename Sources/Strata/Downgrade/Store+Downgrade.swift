import StrataHistory
import StrataSQLite

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Store {
  /// Takes the file of a configuration back to the version of an old file, with what has changed since; docs/downgrade.md says how.
  ///
  /// ```swift
  /// let report = try Store.downgrade(configuration)
  /// ```
  /// The program that does it is the newer one, which has the migrations. Whatever goes wrong, the file is as it was.
  ///
  /// - Parameters:
  ///   - configuration: names the file, its key, and the migrations.
  ///   - old: the file as it was before the upgrade; nil for the one that `keepsOldFile` has kept beside.
  ///   - output: where the older file is written; nil for the file itself.
  ///   - acceptingLoss: whether what cannot go back is given up. Otherwise an error lists it.
  ///   - isDryRun: reports and writes nothing.
  /// - Returns: what has changed since the upgrade, and what is lost.
  /// - Throws: ``StoreError``; `migrationFailed` with `losesData` where something would be lost
  @discardableResult
  public static func downgrade(
    _ configuration: Configuration, from old: URL? = nil, output: URL? = nil,
    acceptingLoss: Bool = false, isDryRun: Bool = false
  ) throws(StoreError) -> DowngradeReport {
    let path = try configuration.filePath()
    do {
      guard let migrations = configuration.migrations else {
        throw MigrationError(
          .cannotGoBack, "\(path) cannot be taken back: the configuration names no migrations.")
      }
      let target = try UpgradeTarget(migrations)
      let vfs = try configuration.pageVFS()
      let kept =
        try old?.filePath()
        ?? Downgrade.keptFile(
          of: path, target, vfs: vfs, isDryRun: isDryRun, acceptsLoss: acceptingLoss)
      var options = Downgrade.Options()
      options.output = try output?.filePath()
      options.acceptsLoss = acceptingLoss
      options.isDryRun = isDryRun
      options.busyTimeout = configuration.busyTimeout.milliseconds
      options.progress = configuration.upgradeProgress
      return try Downgrade(path: path, from: kept, target: target, options: options, vfs: vfs).run()
    } catch {
      throw StoreError(error, path: path)
    }
  }
}

extension Downgrade {
  /// The old file that was kept beside a newer one.
  ///
  /// - Parameters:
  ///   - isDryRun: whether what a killed run has left stays there.
  ///   - acceptsLoss: whether one is taken that the newer file was not made of as it is.
  /// - Throws: `MigrationError` where there is none.
  package static func keptFile(
    of path: String, _ target: UpgradeTarget, vfs: String? = nil, isDryRun: Bool = false,
    acceptsLoss: Bool = false
  ) throws -> String {
    let files = POSIXFiles()
    let given = vfs ?? Database.processDefaultVFS
    let vfs = FileCipher.resolve(given, forFile: path)
    _ = try FileInspector(vfs: vfs).stored(at: path)
    if let found = try KeptFiles(path: path, files: files, vfs: given).newest(
      for: target, takesAny: acceptsLoss)
    {
      return found
    }
    // A run that was killed may have taken it back already.
    if !isDryRun { Recovery(files: files, vfs: vfs).run(file: path) }
    throw MigrationError(
      .cannotGoBack,
      "Beside \(path) no file of an earlier version is kept. Name the old file that it was upgraded from."
    )
  }
}
