import StrataHistory
package import StrataSQLite
import StrataSchema

/// Takes a file back to the version of an older file that was kept when it was upgraded, with what has changed since.
///
/// It is a merge of three: the base is the old file upgraded anew, which gives what the upgrade gave; theirs is the file as it is;
/// ours is the old file. Whatever goes wrong, the file is as it was or taken back.
package struct Downgrade {
  /// What a caller may choose.
  package struct Options {
    /// Where the older file is written instead of into the newer one, which is not touched then.
    package var output: String?
    /// Where a copy of the newer file is kept.
    package var backup: String?
    /// Whether a file is written though something is lost.
    package var acceptsLoss = false
    /// Whether nothing is written.
    package var isDryRun = false
    /// Milliseconds to wait for another process that writes the file.
    package var busyTimeout = 5000
    package var progress: ((UpgradeProgress) -> UpgradeControl)?
    /// Gets the report before anything is written, also where it is refused.
    package var report: ((DowngradeReport) throws -> Void)?

    package init() {}
  }

  let path: String
  let old: String
  let target: UpgradeTarget
  let options: Options
  let files: any FileOperations
  /// To open the newer file. What is made beside it is of the form that the file has when it is locked.
  let vfs: String?
  /// To open the older file, which may have another cipher, or other checksums.
  private let oldVFS: String?

  /// - Parameters:
  ///   - path: the newer file.
  ///   - old: the older one that it was upgraded from.
  package init(
    path: String, from old: String, target: UpgradeTarget, options: Options = Options(),
    files: any FileOperations = POSIXFiles(), vfs: String? = nil
  ) {
    self.path = path
    self.old = old
    self.target = target
    var options = options
    options.progress = options.progress.map(Self.remembering)
    self.options = options
    self.files = files
    let vfs = vfs ?? Database.processDefaultVFS
    self.vfs = FileCipher.resolve(vfs, forFile: path)
    oldVFS = FileCipher.resolve(vfs, forFile: old)
  }

  /// A callback that stays with its answer: each stage of the work asks it anew, and the last question of one is not heard there.
  private static func remembering(
    _ callback: @escaping (UpgradeProgress) -> UpgradeControl
  ) -> (UpgradeProgress) -> UpgradeControl {
    var isCancelled = false
    return { progress in
      if !isCancelled, case .cancel = callback(progress) { isCancelled = true }
      return isCancelled ? .cancel : .proceed
    }
  }

  /// How often it begins anew because another process has written the file meanwhile.
  private static let maximumAttempts = 5

  /// - Throws: `MigrationError`; `losesData` where something is lost and that is not accepted.
  @discardableResult
  package func run() throws -> DowngradeReport {
    let inspector = FileInspector(files: files, vfs: vfs)
    _ = try inspector.stored(at: path)
    _ = try FileInspector(files: files, vfs: oldVFS).stored(at: old)
    return try FileInspector.translate(path, .downgrade) {
      try checkNames()
      if options.isDryRun { return try rehearse() }
      if let output = options.output { return try write(to: output) }
      return try replace()
    }
  }

  private func checkNames() throws {
    var written = Upgrade.Options()
    written.output = options.output
    written.backup = options.backup
    try WrittenNames(path: path, options: written, files: files).check()
    try WrittenNames(path: old, options: written, files: files).check()
    if let own = try files.status(of: path), let other = try files.status(of: old),
      own.inode == other.inode, own.device == other.device
    {
      throw MigrationError(.cannotGoBack, "\(path) and \(old) are the same file.")
    }
  }

  // MARK: - Ways to write

  private func rehearse() throws -> DowngradeReport {
    let folder = try TemporaryFolder(files: files)
    defer { folder.remove() }
    return try build(beside: folder.path + "/downgrade.db") { _, report in report }
  }

  private func write(to output: String) throws -> DowngradeReport {
    try NewFile(path: output, files: files).checkPlace()
    guard try !files.exists(output) else { throw exists(output, "--output") }
    let folder = try files.realPath(of: FilePaths.folder(of: output))
    let place = (folder == "/" ? "" : folder) + "/" + FilePaths.name(of: output)
    guard
      let lock = try AsideFile.lockNames(
        beside: place, waiting: options.busyTimeout, files: files)
    else {
      throw MigrationError(
        .busy, "\(output) is being written by another process. Try again when it has finished.")
    }
    defer { lock.release() }
    try AsideFile.removeLeftovers(of: place, holding: lock, files: files)
    return try build(beside: place) { down, report in
      try judge(report)
      try files.synchronize(down)
      let newer = try files.realPath(of: path)
      files.keepAccess(
        of: newer, (try files.status(of: newer)?.permissions ?? 0o600) | 0o600, at: down)
      try files.publish(down, as: place, taken: exists(output, "--output"))
      return report
    }
  }

  /// Builds what becomes of the file without a lock of it, anew where it has changed meanwhile.
  private func build<Result>(
    beside place: String, _ body: (String, DowngradeReport) throws -> Result
  ) throws -> Result {
    for _ in 0..<Self.maximumAttempts {
      let source = try FileInspector(files: files, vfs: vfs)
        .openUntouched(try files.realPath(of: path))
      defer { source.close() }
      do {
        return try build(of: source, beside: place) { down, report in
          guard source.isUnchanged else { throw SourceHasChanged() }
          return try body(down, report)
        }
      } catch  where error is SourceHasChanged || source.isToBlame(for: error) {
        // Also where it could not be asked, and can be now: it is looked at anew.
        continue
      }
    }
    throw changedMeanwhile
  }

  private func replace() throws -> DowngradeReport {
    try Upgrade(path: path, target: target, files: files, vfs: vfs).checkPlaces(.downgrade)
    if let backup = options.backup { try NewFile(path: backup, files: files).checkPlace() }
    let place = try files.realPath(of: path)
    try OtherNames(files: files, direction: .downgrade).check(place, shownPath: path)
    let permissions = try files.status(of: place)?.permissions ?? 0o600
    guard
      let lock = try AsideFile.lockNames(
        beside: place, permissions: permissions, waiting: options.busyTimeout, files: files)
    else { throw MigrationError.isBeingChanged(path) }
    defer {
      // A draft that could not be removed at once: nothing else would look for it before the next upgrade.
      try? AsideFile.removeLeftovers(of: place, holding: lock, files: files)
      lock.release()
    }
    for _ in 0..<Self.maximumAttempts {
      if let report = try attempt(place, permissions, holding: lock) { return report }
    }
    throw changedMeanwhile
  }

  /// Nil where another process came in between.
  private func attempt(
    _ place: String, _ permissions: UInt32, holding lock: FileLock
  ) throws -> DowngradeReport? {
    let original = try OriginalFile(
      path: place, shownPath: path, vfs: vfs, busyTimeout: options.busyTimeout,
      direction: .downgrade)
    defer { original.close() }
    try original.lock()
    try AsideFile.removeLeftovers(of: place, holding: lock, files: files)
    let watch = UpgradeWatch(path: path, direction: .downgrade, callback: options.progress)
    let copy = options.backup.map {
      SafetyCopy(
        source: original, target: $0, permissions: permissions, leftovers: nil, files: files,
        vfs: original.vfs)
    }
    return try original.working {
      try copy?.check(watch: watch)
      return try build(of: original, beside: place) { down, report -> DowngradeReport? in
        try original.checkIsInPlace()
        try judge(report)
        let ownCopy = try copy?.prepare(watch: watch)
        do {
          try ownCopy?.place()
          // Who may only read leaves the log behind.
          let content = try Database(path: down, mode: .readWrite, vfs: original.vfs)
          defer { content.close() }
          if try original.replaceContent(by: content, watch: watch) { return report }
        } catch {
          // A file that is as it was needs no copy, and the next run makes its own.
          if !original.mayHoldNewContent(after: error) { ownCopy?.remove() }
          throw error
        }
        ownCopy?.remove()
        return nil
      }
    }
  }

  private func judge(_ report: DowngradeReport) throws {
    try options.report?(report)
    guard !report.isLossless, !options.acceptsLoss else { return }
    if report.isMadeOfOldFile == false {
      throw MigrationError(
        .losesData,
        """
        \(path) was not taken back to version \(report.to): it is not what an upgrade makes of \(old), which is the old one of another \
        file, or one of the two was written by an older version since.
        \(report.text)
        Name with --from the file that it was upgraded from, or give up what is lost with --accept-loss.
        """)
    }
    throw MigrationError(
      .losesData,
      """
      \(path) was not taken back to version \(report.to): \(report.lostCount) \
      \(report.lostCount == 1 ? "change" : "changes") of version \(report.from) cannot be carried back.
      \(report.text)
      Say with `back:` in the steps how they go back, or give them up with --accept-loss.
      """)
  }

  private func exists(_ file: String, _ option: String) -> MigrationError {
    MigrationError(.inputOutput, "\(file) exists already; \(option) names a file that does not.")
  }

  private var changedMeanwhile: MigrationError {
    .busy(
      path,
      "\(path) was written by another process each time that it was ready to be taken back. Try again when nothing else writes it."
    )
  }

  private func build<Result>(
    of theirs: any UpgradeSource, beside place: String,
    _ body: (String, DowngradeReport) throws -> Result
  ) throws -> Result {
    // Another process may have written it anew in another form since it was looked at.
    let vfs = try FileCipher.resolve(self.vfs, of: theirs.database)
    // Both are read by several connections, which are to see the same.
    let still = place + AsideFile.suffix + "-new"
    defer { try? files.removeIfPresent(still) }
    if theirs.mayBeWritten {
      try copyNewer(theirs, to: still, vfs)
      let copy = try FileInspector(files: files, vfs: vfs).openUntouched(still)
      defer { copy.close() }
      return try build(of: copy, beside: place, body)
    }
    var ours = try FileInspector(files: files, vfs: oldVFS)
      .openUntouched(try files.realPath(of: old))
    defer { ours.close() }
    let copy = place + AsideFile.suffix + "-old"
    defer { try? files.removeIfPresent(copy) }
    if try ours.mayBeWritten || !havePagesOfOneForm(ours, theirs) {
      // The copy would have zeros where the file ends.
      try FileInspector(files: files).checkIsWhole(ours.database, old)
      try writeCopy(of: ours, with: theirs.pageSize, to: copy, vfs)
      ours.close()
      ours = try FileInspector(files: files, vfs: vfs).openUntouched(copy)
    }
    let older = ours
    do {
      return try DowngradeBuilder(
        theirs: theirs, ours: older, path: path, old: old, target: target, place: place,
        files: files, vfs: vfs, progress: options.progress
      ).run { down, report in
        guard older.isUnchanged else { throw SourceHasChanged() }
        return try body(down, report)
      }
    } catch  where older.isToBlame(for: error) {
      throw oldIsWritten
    }
  }

  private var oldIsWritten: MigrationError {
    MigrationError(
      .busy, "\(old) is being written by another process. Try again when it has finished.")
  }

  // MARK: - Copies

  private func copyNewer(_ theirs: any UpgradeSource, to copy: String, _ vfs: String?) throws {
    try files.removeIfPresent(copy)
    try SafetyCopy(
      source: theirs, target: copy,
      permissions: (try files.status(of: theirs.path)?.permissions ?? 0o600) | 0o600,
      leftovers: nil, files: files, vfs: vfs
    ).write(
      to: copy, watch: UpgradeWatch(path: path, direction: .downgrade, callback: options.progress))
  }

  /// Content is copied page by page, so that pages have to be of one size, with the same bytes free for a cipher or checksums.
  private func havePagesOfOneForm(
    _ ours: UntouchedDatabase, _ theirs: any UpgradeSource
  ) throws -> Bool {
    try ours.pageSize == theirs.pageSize
      && ours.database.reservedBytes == theirs.database.reservedBytes
  }

  /// Writes the older file as the newer one is written: what comes of it takes that one's place.
  private func writeCopy(
    of ours: UntouchedDatabase, with pageSize: Int64, to copy: String, _ vfs: String?
  ) throws {
    let permissions = try files.status(of: old)?.permissions ?? 0o600
    try files.removeIfPresent(copy)
    try files.write([], to: copy, permissions: permissions | 0o600)
    files.keepAccess(of: old, permissions | 0o600, at: copy)
    do {
      // What a connection attaches it may write only where it was opened to write; the old file is still only read.
      let reader = try Database(path: ours.attachment, mode: .readWrite, vfs: oldVFS, isURI: true)
      defer { reader.close() }
      try reader.vacuum(into: copy, vfs: vfs, pageSize: pageSize)
    } catch let error as SQLiteError where error.isOfDamagedFile {
      throw MigrationError(error, path: old, .downgrade)
    }
    guard ours.isUnchanged else { throw oldIsWritten }
  }
}
