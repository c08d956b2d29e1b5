import StrataExpression
package import StrataSQLite
import StrataSchema

/// Upgrades one database file to a later version of its schema: inspect, plan, execute aside, verify, write back.
///
/// Whatever goes wrong, the file is as it was or fully upgraded.
package struct Upgrade {
  /// What a caller may choose.
  package struct Options {
    /// The version to reach; nil for the newest.
    package var target: Int?
    /// Where the upgraded file is written instead of into the old one, which is not touched then.
    package var output: String?
    /// Where a copy of the old file is kept.
    package var backup: String?
    /// False makes every version a pass of its own.
    package var isFusing = true
    /// False takes every object by itself where one SQL statement could make all of them.
    package var isSetBased = true
    /// Milliseconds to wait for another process that writes the file.
    package var busyTimeout = 5000
    package var progress: ((UpgradeProgress) -> UpgradeControl)?

    package init() {}
  }

  let path: String
  let target: UpgradeTarget
  let options: Options
  let files: any FileOperations
  let vfs: String?

  package init(
    path: String, target: UpgradeTarget, options: Options = Options(),
    files: any FileOperations = POSIXFiles(), vfs: String? = nil
  ) {
    self.path = path
    self.target = target
    self.options = options
    self.files = files
    self.vfs = vfs
  }

  /// How often the upgrade begins anew because another process has changed the file while its new content was
  /// written aside.
  private static let maximumAttempts = 5

  /// - Throws: `MigrationError`.
  @discardableResult
  package func run() throws -> UpgradeReport {
    let inspector = FileInspector(files: files, vfs: vfs)
    let stored = try inspector.stored(at: path)
    let versions = try target.versions(from: stored, path: path, to: options.target)
    guard versions.count > 1 else {
      removeLeftovers()
      return UpgradeReport(from: versions[0].number, to: versions[0].number, objects: 0)
    }
    return try FileInspector.translate(path) {
      try checkPlaces()
      for _ in 1..<Self.maximumAttempts {
        if let report = try attempt() { return report }
      }
      throw MigrationError(
        .busy,
        """
        \(path) was changed by another process each time that its new content was ready. Try again when \
        nothing else writes it.
        """)
    }
  }

  /// Removes what a run has left that was killed after its work was done. The file needs nothing, so that failing is no
  /// failure: the next run tries again.
  private func removeLeftovers() {
    guard options.output == nil, let place = try? files.realPath(of: path),
      (try? AsideFile.leftovers(of: place, files: files))?.isEmpty == false,
      let original = try? OriginalFile(path: place, shownPath: path, vfs: vfs, busyTimeout: 0)
    else { return }
    defer { original.close() }
    // Another run that is building its content holds the lock.
    guard (try? original.lock()) != nil else { return }
    try? AsideFile.removeLeftovers(of: place, files: files)
  }

  /// One attempt; nil where another process came in between.
  private func attempt() throws -> UpgradeReport? {
    let place = try files.realPath(of: path)
    let original = try OriginalFile(
      path: place, shownPath: path, vfs: vfs, busyTimeout: options.busyTimeout)
    defer { original.close() }
    try original.lock()
    // Only now the version is certain: another process may have upgraded the file while this one waited.
    let stored = try FileInspector(files: files, vfs: vfs)
      .stored(in: original.database, path: path)
    let versions = try target.versions(from: stored, path: path, to: options.target)
    guard versions.count > 1 else {
      return UpgradeReport(from: versions[0].number, to: versions[0].number, objects: 0)
    }
    if options.output == nil { try AsideFile.removeLeftovers(of: place, files: files) }
    try checkDiskSpace(beside: options.output ?? place, database: original)
    var keepsBackup = false
    if let backup = options.backup { try original.copy(to: backup, files: files) }
    defer {
      // A file that is as it was needs no copy, and the next run makes its own.
      if !keepsBackup, let backup = options.backup { try? files.removeIfPresent(backup) }
    }

    let watch = UpgradeWatch(path: path, callback: options.progress)
    if options.output == nil, options.isSetBased, options.isFusing {
      let change = InPlaceUpgrade(
        original: original, stored: stored, target: target,
        route: try UpgradeRoute(versions: versions, blocks: target.blocks), watch: watch)
      if let report = try change.run() { return report }
    }
    let builder = AsideBuilder(
      original: original, stored: stored, target: target, versions: versions,
      folderPath: options.output ?? place, files: files, vfs: vfs, isFusing: options.isFusing,
      isSetBased: options.isSetBased,
      watch: watch)
    let result = try builder.build()
    defer { result.file.remove() }
    let report = UpgradeReport(
      from: versions[0].number, to: versions[versions.count - 1].number,
      objects: result.objects)
    if let output = options.output {
      try publish(result.file, as: output)
      keepsBackup = true
      return report
    }
    // From here on an error may leave the new content, whose owner wants the old one back.
    keepsBackup = true
    keepsBackup = try original.replaceContent(by: result.file.database, watch: builder.watch)
    return keepsBackup ? report : nil
  }

  // MARK: - Before it starts

  private func checkPlaces() throws {
    if let output = options.output {
      guard try !files.exists(output) else {
        throw MigrationError(
          .inputOutput, "\(output) exists already; --output names a file that does not.")
      }
    } else {
      guard files.isAccessible(path, forWriting: true) else {
        throw MigrationError(
          .readOnly,
          """
          \(path) needs an upgrade and cannot be written: this user may only read it. Change its \
          permissions, or write the upgraded file elsewhere with --output.
          """)
      }
      let folder = FilePaths.folder(of: try files.realPath(of: path))
      guard files.isAccessible(folder, forWriting: true) else {
        throw MigrationError(
          .readOnly,
          """
          \(path) needs an upgrade, and its folder \(folder) cannot be written. Change the folder's \
          permissions, or write the upgraded file elsewhere with --output.
          """)
      }
    }
  }

  private func checkDiskSpace(beside place: String, database original: OriginalFile) throws {
    let needed = try original.diskNeeded(inPlace: options.output == nil)
    let free = try files.freeSpace(at: FilePaths.folder(of: place))
    guard free >= needed else {
      throw MigrationError(
        .diskFull,
        """
        The upgrade of \(path) needs \(needed) bytes of disk space, and \(free) are free in \
        \(FilePaths.folder(of: place)). Make room, or write to another disk with --output.
        """)
    }
  }

  private func publish(_ aside: AsideFile, as output: String) throws {
    try aside.database.setPragma("locking_mode", "NORMAL", in: "main")
    try aside.database.setPragma("journal_mode", "WAL", in: "main")
    aside.database.close()
    try files.synchronize(aside.path)
    try files.rename(aside.path, to: output)
    try files.synchronizeFolder(of: output)
  }
}

/// What an upgrade has done.
package struct UpgradeReport: Sendable, Hashable {
  package var from: Int
  package var to: Int
  /// Objects of the upgraded file.
  package var objects: Int

  package var isUpgrade: Bool { from != to }
}
