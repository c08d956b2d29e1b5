import StrataSQLite

/// The copy of the old file that an upgrade may be told to keep.
struct SafetyCopy {
  /// Pages that are copied between two checks for cancellation.
  private static let pagesAtOnce = 8192

  let source: any UpgradeSource
  let target: String
  let permissions: UInt32
  let leftovers: Leftovers?
  let files: any FileOperations
  let vfs: String?
  /// A file that may hold the same already: what a run has kept that was killed behind it.
  var earlier: String?

  /// Refuses a place where the copy could not be written, before any of the work is done.
  func check(watch: UpgradeWatch) throws {
    try NewFile(path: target, files: files).checkPlace()
    // Whether what is there is that copy is known when there is another one.
    if try files.exists(target) { try prepare(watch: watch).close() }
  }

  /// Writes it, all of it or nothing. One that a killed run has left there already is as good.
  ///
  /// - Returns: whether the copy is this run's own, so that it may remove it again.
  /// - Throws: `MigrationError` where another file stands there.
  func make(watch: UpgradeWatch) throws -> Bool {
    let prepared = try prepare(watch: watch)
    do {
      return try prepared.place()
    } catch {
      prepared.remove()
      throw error
    }
  }

  /// Writes it under a name of its own.
  ///
  /// - Throws: `MigrationError` where another file stands at its place.
  func prepare(watch: UpgradeWatch) throws -> PreparedCopy {
    try NewFile(path: target, files: files).checkPlace()
    if let own = try files.status(of: source.path), let other = try files.status(of: target),
      own.inode == other.inode, own.device == other.device
    {
      throw exists
    }
    let lock = try AsideFile.lockNames(
      beside: target, permissions: permissions, waiting: 0, files: files)
    guard let lock else {
      throw MigrationError(
        .busy, "\(target) is being written by another process. Try again when it has finished.")
    }
    let prepared = PreparedCopy(self, lock)
    try AsideFile.removeLeftovers(
      of: target, holding: lock, known: leftovers, files: files)
    try write(to: prepared.draft, watch: watch)
    try prepared.compare()
    return prepared
  }

  fileprivate var exists: MigrationError {
    MigrationError(.inputOutput, "\(target) exists already; --backup names a file that does not.")
  }

  /// Writes the copy under a name of its own, durably; whose it is to remove is the caller's.
  func write(to temporary: String, watch: UpgradeWatch) throws {
    try files.write([], to: temporary, permissions: permissions)
    // Before it has content: the group of what this user makes may be another one.
    files.keepAccess(of: source.path, permissions, at: temporary)
    let copy = try Database(path: temporary, mode: .readWrite, vfs: vfs)
    defer { copy.close() }
    // Whatever happens to it, the next run makes its own.
    try copy.turnJournalOff()
    try copy.setPragma("synchronous", "OFF")
    // One state of what others write: between two steps they would make it begin anew.
    let reader = source.reader
    let isHeld = source.mayBeWritten && !reader.isInTransaction
    if isHeld {
      try reader.begin(.deferred)
      _ = try reader.firstValue("SELECT 1 FROM sqlite_schema LIMIT 1")
    }
    defer { if isHeld { try? reader.rollback() } }
    let backup = try Backup(from: reader, into: copy)
    copying: while true {
      switch try backup.step(pages: Self.pagesAtOnce) {
      case .done: break copying
      case .more: try watch.report()
      case .busy:
        throw MigrationError(
          .busy,
          "\(source.path) is being written by another process. Try again when it has finished.")
      }
    }
    try backup.finish()
    copy.close()
    try files.synchronize(temporary)
  }
}

/// A copy of the old file that is whole, and stands under a name of its own until the file is about to be changed: one that is killed before has
/// kept nothing.
final class PreparedCopy {
  private let copy: SafetyCopy
  private var lock: FileLock?
  /// Where the same content stands already; nil for the draft.
  private var equal: String?
  private var isOwn = false
  let draft: String

  fileprivate init(_ copy: SafetyCopy, _ lock: FileLock) {
    self.copy = copy
    self.lock = lock
    draft = copy.target + AsideFile.suffix + "-copy"
  }

  /// Removes the draft where there is such a file already.
  fileprivate func compare() throws {
    let files = copy.files
    for file in [copy.target, copy.earlier].compactMap(\.self) where try files.exists(file) {
      if try files.haveSameContent(draft, file, vfs: copy.vfs) {
        equal = file
        return try files.removeIfPresent(draft)
      }
      if file == copy.target { throw copy.exists }
    }
  }

  /// Puts it into its place; what has been kept of the same content before gets the new name.
  ///
  /// - Returns: whether the copy is this run's own, so that it may remove it again.
  @discardableResult
  func place() throws -> Bool {
    guard lock != nil else { return isOwn }
    if equal != copy.target {
      try copy.files.rename(equal ?? draft, toNew: copy.target, taken: copy.exists)
      isOwn = equal == nil
      try copy.files.synchronizeFolder(of: copy.target)
    }
    close()
    return isOwn
  }

  /// Removes it, unless it was there before.
  func remove() {
    close()
    if isOwn { try? copy.files.removeIfPresent(copy.target) }
    isOwn = false
  }

  /// Removes the draft, and lets the names go.
  func close() {
    guard let lock else { return }
    try? copy.files.removeIfPresent(draft)
    lock.release()
    self.lock = nil
  }

  deinit { close() }
}
