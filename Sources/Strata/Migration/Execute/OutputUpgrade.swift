import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// Writes the upgraded content of a file into a new one. The old file is only read: its bytes, its times, its log and its
/// folder stay as they are, so that it may stand on a medium that cannot be written.
struct OutputUpgrade {
  let path: String
  let output: String
  let target: UpgradeTarget
  let options: Upgrade.Options
  let files: any FileOperations
  let vfs: String?

  /// How often it begins anew because another process has written the file while it was read without a lock.
  private static let maximumAttempts = 5

  func run() throws -> UpgradeReport {
    let place = try absoluteOutput()
    guard
      let lock = try AsideFile.lockNames(
        beside: place, waiting: options.busyTimeout, files: files)
    else {
      throw MigrationError(
        .busy, "\(output) is being written by another process. Try again when it has finished.")
    }
    defer { lock.release() }
    try AsideFile.removeLeftovers(
      of: place, holding: lock, known: options.leftovers, files: files)
    if try files.exists(place), !options.takesFinishedOutput { throw exists }
    for _ in 0..<Self.maximumAttempts {
      do {
        return try attempt(place)
      } catch is SourceHasChanged {
        continue
      }
    }
    throw MigrationError.isWritten(path)
  }

  private func attempt(_ place: String) throws -> UpgradeReport {
    let inspector = FileInspector(files: files, vfs: vfs)
    let source = try inspector.openUntouched(try files.realPath(of: path))
    defer { source.close() }
    do {
      return try attempt(place, reading: source, inspector)
    } catch {
      throw source.isToBlame(for: error) ? SourceHasChanged() : error
    }
  }

  private typealias Planned = (route: UpgradeRoute, estimate: DiskEstimate)

  private func attempt(
    _ place: String, reading source: UntouchedDatabase, _ inspector: FileInspector
  ) throws -> UpgradeReport {
    let (stored, versions, planned) = try source.readingOneState {
      let stored = try inspector.stored(in: source.database, path: path)
      let versions = try target.versions(from: stored, path: path, to: options.target)
      guard versions.count > 1 else { return (stored, versions, Planned?.none) }
      let route = try UpgradeRoute(versions: versions, target: target, choices: options.choices)
      let estimate = try DiskEstimate(route: route, stored: stored, database: source.database)
      return (stored, versions, (route, estimate))
    }
    // Another process may have written it anew in another form since it was looked at.
    let vfs = try FileCipher.resolve(self.vfs, of: source.database)
    guard let (route, estimate) = planned else {
      try copyCurrent(source, stored, to: place, vfs)
      return UpgradeReport(current: versions[0].number)
    }
    try DiskSpace(files: files, path: path, place: place, backup: options.backup).check(
      needed: estimate.diskNeeded(isWrittenBack: false), fileSize: estimate.fileSize)
    let watch = UpgradeWatch(path: path, isWrittenBack: false, callback: options.progress)
    let permissions = try permissions(of: source)
    var ownCopy: String?
    if let backup = options.backup {
      let copy = SafetyCopy(
        source: source, target: backup, permissions: permissions,
        leftovers: options.leftovers, files: files, vfs: vfs)
      if try copy.make(watch: watch) { ownCopy = backup }
    }
    var isDone = false
    defer { if !isDone, let ownCopy { try? files.removeIfPresent(ownCopy) } }
    let builder = AsideBuilder(
      original: source, stored: stored, target: target, versions: versions, route: route,
      folderPath: place, files: files, vfs: vfs, usesSecondThread: options.usesSecondThread,
      counts: estimate.counts, watch: watch)
    let result = try builder.build()
    defer { result.file.remove() }
    try result.file.finish()
    guard source.isUnchanged else { throw SourceHasChanged() }
    files.keepAccess(of: source.path, permissions, at: result.file.path)
    try publish(result.file.path, as: place)
    isDone = true
    watch.finish()
    return UpgradeReport(builder.route, objects: result.objects, leftOut: result.leftOut)
  }

  /// Who asks for an upgraded file gets one, whether there was anything to upgrade or not.
  private func copyCurrent(
    _ source: UntouchedDatabase, _ stored: StoredSchema, to place: String, _ vfs: String?
  ) throws {
    let draft = place + AsideFile.suffix + "-copy"
    defer { try? files.removeIfPresent(draft) }
    try SafetyCopy(
      source: source, target: place, permissions: try permissions(of: source),
      leftovers: options.leftovers, files: files, vfs: vfs
    ).write(
      to: draft,
      watch: UpgradeWatch(path: path, isWrittenBack: false, callback: options.progress))
    guard source.isUnchanged, try isStill(stored, in: draft, vfs) else { throw SourceHasChanged() }
    try publish(draft, as: place)
  }

  private func isStill(_ stored: StoredSchema, in draft: String, _ vfs: String?) throws -> Bool {
    let copy = try FileInspector(files: files, vfs: vfs).openUntouched(draft)
    defer { copy.close() }
    return try stored.isStill(in: copy.database, "main")
  }

  /// That the old file can only be read is no reason why its owner could not write the new one.
  private func permissions(of source: UntouchedDatabase) throws -> UInt32 {
    (try files.status(of: source.path)?.permissions ?? 0o600) | 0o600
  }

  private func publish(_ draft: String, as place: String) throws {
    do {
      try files.publish(draft, as: place)
    } catch {
      guard error.isExisting else { throw error }
      // That of a run which was killed when it had finished, before that was noted.
      guard options.takesFinishedOutput, try files.haveSameContent(draft, place, vfs: vfs)
      else {
        throw exists
      }
    }
  }

  private var exists: MigrationError {
    MigrationError(.inputOutput, "\(output) exists already; --output names a file that does not.")
  }

  /// Refuses an output that is there or has no place.
  func check() throws {
    try NewFile(path: output, files: files).checkPlace(isFolderMade: options.makesFolders)
    if try files.exists(output), !options.takesFinishedOutput { throw exists }
  }

  /// The output as a path from the root.
  private func absoluteOutput() throws -> String {
    try NewFile(path: output, files: files).checkPlace()
    let folder = FilePaths.folder(of: output)
    let real = try files.realPath(of: folder)
    return (real == "/" ? "" : real) + "/" + FilePaths.name(of: output)
  }
}
