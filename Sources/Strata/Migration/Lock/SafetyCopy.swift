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

  /// Refuses a place where the copy could not be written, before any of the work is done.
  func check(watch: UpgradeWatch) throws {
    try NewFile(path: target, files: files).checkPlace()
    // Whether what is there is that copy is known when there is another one.
    if try files.exists(target) { _ = try make(watch: watch) }
  }

  /// Writes it, all of it or nothing. One that a killed run has left there already is as good.
  ///
  /// - Returns: whether the copy is this run's own, so that it may remove it again.
  /// - Throws: `MigrationError` where another file stands there.
  func make(watch: UpgradeWatch) throws -> Bool {
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
    defer { lock.release() }
    try AsideFile.removeLeftovers(
      of: target, holding: lock, known: leftovers, files: files)
    let temporary = target + AsideFile.suffix + "-copy"
    defer { try? files.removeIfPresent(temporary) }
    try write(to: temporary, watch: watch)
    if try files.exists(target) {
      guard try files.haveSameContent(temporary, target, vfs: vfs) else {
        throw exists
      }
      return false
    }
    try files.rename(temporary, to: target)
    try files.synchronizeFolder(of: target)
    return true
  }

  private var exists: MigrationError {
    MigrationError(.inputOutput, "\(target) exists already; --backup names a file that does not.")
  }

  /// Writes the copy under a name of its own, durably; whose it is to remove is the caller's.
  func write(to temporary: String, watch: UpgradeWatch) throws {
    try files.write([], to: temporary, permissions: permissions)
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
    files.keepAccess(of: source.path, permissions, at: temporary)
    try files.synchronize(temporary)
  }
}
