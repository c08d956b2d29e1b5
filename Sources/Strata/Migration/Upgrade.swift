import StrataExpression
import StrataHistory
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
    /// Where the upgraded file is written instead of into the old one, which is not touched then. Of a file that is current, a copy.
    package var output: String?
    /// Whether an output that is there already, byte for byte what would be written, counts as written.
    package var takesFinishedOutput = false
    /// Whether the folders of the output and of the backup are made before the upgrade runs.
    package var makesFolders = false
    /// Where a copy of the old file is kept.
    package var backup: String?
    /// Whether the backup is one that the store keeps beside under a name of its own.
    var keepsOldFile = false
    /// A backup that may hold the same already, and gets the new name then.
    var earlierBackup: String?
    /// Names of the same file that the caller knows, hard links in other folders.
    package var otherNames: [String] = []
    /// False makes every version a pass of its own.
    package var isFusing = true
    /// False takes every object by itself where one SQL statement could make all of them.
    package var isSetBased = true
    /// Whether a second thread inserts where there are many objects. Blocks run on the caller's thread either way.
    package var usesSecondThread = true
    /// Milliseconds to wait for another process that writes the file.
    package var busyTimeout = 5000
    package var progress: ((UpgradeProgress) -> UpgradeControl)?
    /// Told the number of the file's version when it is read, also where the upgrade is refused afterwards.
    package var recognised: ((Int) -> Void)?
    /// What a run over many files knows of their folders.
    package var leftovers: Leftovers?

    package init() {}

    /// Tells the number of a file's version, where it is known.
    func recognise(_ stored: StoredSchema, in target: UpgradeTarget, path: String) {
      guard let recognised, let number = target.number(of: stored, path: path) else { return }
      recognised(number)
    }

    /// What is asked for, as the plan takes it.
    var choices: UpgradeRoute.Choices {
      UpgradeRoute.Choices(
        isFusing: isFusing, isSetBased: isSetBased, mayBeInPlace: output == nil)
    }
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
    // To open it. What is made beside it is of the form that the file has when it is locked.
    self.vfs = FileCipher.resolve(vfs ?? Database.processDefaultVFS, forFile: path)
  }

  /// The same with a copy of the old file.
  ///
  /// - Parameter earlier: what was kept before, and may be the same where that upgrade was killed.
  func keeping(_ backup: String, earlier: String? = nil) -> Upgrade {
    var options = options
    options.earlierBackup = earlier
    options.backup = backup
    options.keepsOldFile = true
    return Upgrade(path: path, target: target, options: options, files: files, vfs: vfs)
  }

  /// Attempts, of which each but the last begins anew because another process has changed the file while its new content was
  /// written aside.
  private static let maximumAttempts = 5

  /// - Throws: `MigrationError`.
  @discardableResult
  package func run() throws -> UpgradeReport {
    let inspector = FileInspector(files: files, vfs: vfs)
    let stored = try inspector.stored(
      at: path, for: options.output == nil ? .writing : .reading)
    options.recognise(stored, in: target, path: path)
    let versions = try target.versions(from: stored, path: path, to: options.target)
    guard versions.count > 1 || options.output != nil else {
      removeLeftovers()
      return UpgradeReport(current: versions[0].number)
    }
    return try FileInspector.translate(path) {
      try WrittenNames(path: path, options: options, files: files).check()
      if let output = options.output {
        return try OutputUpgrade(
          path: path, output: output, target: target, options: options, files: files, vfs: vfs
        ).run()
      }
      try checkPlaces()
      if let backup = options.backup {
        try NewFile(path: backup, files: files).checkPlace(isFolderMade: options.makesFolders)
      }
      let place = try files.realPath(of: path)
      try OtherNames(files: files, known: options.otherNames).check(place, shownPath: path)
      let lock = try lockNames(beside: place)
      defer { lock.release() }
      for _ in 0..<Self.maximumAttempts {
        if let report = try attempt(place, holding: lock) { return report }
      }
      throw MigrationError.busy(
        path,
        """
        \(path) was changed by another process each time that its new content was ready. Try again when \
        nothing else writes it.
        """)
    }
  }

  /// Waits for another upgrade of the same file as for any other writer.
  private func lockNames(beside place: String) throws -> FileLock {
    let permissions = try files.status(of: place)?.permissions ?? 0o600
    let lock = try AsideFile.lockNames(
      beside: place, permissions: permissions, waiting: options.busyTimeout, files: files)
    guard let lock else { throw MigrationError.isBeingChanged(path) }
    return lock
  }

  /// Removes what a killed run has left of a file of which it is known that it needs nothing, without opening it.
  package static func removeLeftovers(
    of path: String, options: Options, files: any FileOperations = POSIXFiles()
  ) {
    // With an output nothing is made beside the file itself.
    let written = [options.output ?? path, options.backup].compactMap(\.self)
    Recovery(files: files, vfs: nil, known: options.leftovers).run(file: nil, written: written)
  }

  /// Removes what a run has left that was killed after its work was done.
  private func removeLeftovers() {
    Recovery(files: files, vfs: vfs, known: options.leftovers).run(
      file: path, written: [options.backup].compactMap { $0 })
  }

  /// One attempt; nil where another process came in between.
  private func attempt(_ place: String, holding lock: FileLock) throws -> UpgradeReport? {
    let original = try OriginalFile(
      path: place, shownPath: path, vfs: vfs, busyTimeout: options.busyTimeout)
    defer { original.close() }
    return try original.working { try attempt(original, place, holding: lock) }
  }

  private func attempt(
    _ original: OriginalFile, _ place: String, holding lock: FileLock
  ) throws -> UpgradeReport? {
    try original.lock()
    // Only now the version is certain: another process may have upgraded the file while this one waited.
    let stored = try FileInspector(files: files, vfs: vfs)
      .stored(in: original.database, path: path, for: .writing)
    options.recognise(stored, in: target, path: path)
    let versions = try target.versions(from: stored, path: path, to: options.target)
    try AsideFile.removeLeftovers(
      of: place, holding: lock, known: options.leftovers, files: files)
    guard versions.count > 1 else {
      return UpgradeReport(current: versions[0].number)
    }
    let route = try UpgradeRoute(versions: versions, target: target, choices: options.choices)
      .suited(to: original.database)
    let space = DiskSpace(files: files, path: path, place: place, backup: options.backup)
    var estimate: DiskEstimate?
    if let change = route.inPlaceChange {
      // What does not look at rows must not count them.
      let fileSize = try original.database.sizes().file
      try space.check(needed: change.diskNeeded(fileSize: fileSize), fileSize: fileSize)
    } else {
      let found = try DiskEstimate(route: route, stored: stored, database: original.database)
      try space.check(
        needed: found.diskNeeded(isWrittenBack: true), fileSize: found.fileSize)
      estimate = found
    }
    let watch = UpgradeWatch(path: path, callback: options.progress)
    let copy = try preparedCopy(of: original, place, watch)
    do {
      guard
        let report = try write(
          to: original, place, stored, versions, route, estimate, watch,
          beforeCommit: { try copy?.place() })
      else {
        copy?.remove()
        return nil
      }
      watch.finish()
      return report
    } catch {
      // A file that is as it was needs no copy, and the next run makes its own.
      if original.mayHoldNewContent(after: error) { copy?.close() } else { copy?.remove() }
      throw error
    }
  }

  private func preparedCopy(
    of original: OriginalFile, _ place: String, _ watch: UpgradeWatch
  ) throws -> PreparedCopy? {
    guard let backup = options.backup else { return nil }
    let permissions = try files.status(of: place)?.permissions ?? 0o600
    var copy = SafetyCopy(
      source: original, target: backup, permissions: permissions,
      leftovers: options.leftovers, files: files, vfs: original.vfs)
    copy.earlier = options.earlierBackup
    return try copy.prepare(watch: watch)
  }

  /// Changes the file; nil where another process came in between.
  ///
  /// - Parameter beforeCommit: from then on an error may leave the new content, whose owner wants the old one back.
  private func write(
    to original: OriginalFile, _ place: String, _ stored: StoredSchema,
    _ versions: [FrozenVersion], _ route: UpgradeRoute, _ estimate: DiskEstimate?,
    _ watch: UpgradeWatch, beforeCommit: () throws -> Void
  ) throws -> UpgradeReport? {
    if let change = route.inPlaceChange {
      let upgrade = InPlaceUpgrade(
        original: original, stored: stored, target: target, route: route, change: change,
        watch: watch)
      if let report = try upgrade.run(beforeCommit: beforeCommit) { return report }
    }
    let counts = try (estimate ?? refusedInPlace(route, stored, original, place)).counts
    let builder = AsideBuilder(
      original: original, stored: stored, target: target, versions: versions, route: route.aside(),
      folderPath: place, files: files, vfs: original.vfs,
      usesSecondThread: options.usesSecondThread, counts: counts, watch: watch)
    let result = try builder.build()
    defer { result.file.remove() }
    try beforeCommit()
    guard try original.replaceContent(by: result.file.database, watch: watch) else { return nil }
    return UpgradeReport(builder.route, objects: result.objects, leftOut: result.leftOut)
  }

  /// Whether there is room to build aside what could not be changed in place; the copy is there by now.
  private func refusedInPlace(
    _ route: UpgradeRoute, _ stored: StoredSchema, _ original: OriginalFile, _ place: String
  ) throws -> DiskEstimate {
    let estimate = try DiskEstimate(route: route, stored: stored, database: original.database)
    try DiskSpace(files: files, path: path, place: place, backup: nil).check(
      needed: estimate.diskNeeded(isWrittenBack: true), fileSize: estimate.fileSize)
    return estimate
  }

  // MARK: - Before it starts

  func checkPlaces(_ direction: Direction = .upgrade) throws {
    guard files.isAccessible(path, forWriting: true) else {
      throw MigrationError(
        .readOnly,
        """
        \(path) \(direction.needed) and cannot be written: this user may only read it, or its disk is \
        read-only. Change that, or write \(direction.written) elsewhere with --output.
        """)
    }
    let folder = FilePaths.folder(of: try files.realPath(of: path))
    guard files.isAccessible(folder, forWriting: true) else {
      throw MigrationError(
        .readOnly,
        """
        \(path) \(direction.needed), and its folder \(folder) cannot be written. Change its \
        permissions, or write \(direction.written) elsewhere with --output.
        """)
    }
  }
}

/// What an upgrade has done.
package struct UpgradeReport: Sendable, Hashable {
  package let from: Int
  package let to: Int
  /// Objects of the upgraded file; nil where it was upgraded without looking at any.
  package let objects: Int?
  /// False where the file was current. From an earlier shape of the working version an upgrade leads to the same number.
  package let isUpgrade: Bool
  /// How the objects of each model of the new version were made, and what became of models that went away.
  package let strategies: [String: UpgradePlan.Strategy]
  /// Tables and views of other programs that the file had and has no longer, by name.
  package let leftOut: [String]

  init(current version: Int) {
    (from, to, objects, isUpgrade) = (version, version, 0, false)
    strategies = [:]
    leftOut = []
  }

  /// - Parameter route: what was done in the end.
  init(_ route: UpgradeRoute, objects: Int?, leftOut: [String] = []) {
    from = route.source.number
    to = route.target.number
    strategies = route.strategies
    self.objects = objects
    self.leftOut = leftOut
    isUpgrade = true
  }
}
