package import StrataSQLite

/// A file that is to be written.
package struct NewFile {
  let path: String
  let files: any FileOperations

  package init(path: String, files: any FileOperations) {
    self.path = path
    self.files = files
  }

  /// Refuses a place that cannot be written, one whose name is that of a database's log, and one where the log of another database is
  /// left: SQLite would play it into the new file.
  package func checkPlace(isFolderMade: Bool = false) throws {
    try checkFolder(isMade: isFolderMade)
    try WrittenNames.checkIsNoLog(path, files)
    // That of a file that is there is its own.
    if try !files.exists(path), let log = try files.log(beside: path) {
      throw MigrationError(
        .inputOutput,
        """
        \(log) was left by a database that is gone, and would be taken for the log of \(path). Remove it first, or choose another name. \
        Nothing was written.
        """)
    }
  }

  /// Refuses a folder that this user may not write, or that is missing and is not to be made.
  package func checkFolder(isMade: Bool) throws {
    let folder = isMade ? try nearestFolder() : FilePaths.folder(of: path)
    guard try files.exists(folder) else {
      throw MigrationError(
        .inputOutput, "\(path) cannot be written: its folder \(folder) does not exist.")
    }
    guard files.isAccessible(folder, forWriting: true) else {
      throw MigrationError(
        .readOnly, "\(path) cannot be written: this user may not write its folder \(folder).")
    }
  }

  /// Milliseconds to wait for another process that makes the same file.
  package static let busyTimeout = 5000

  /// Makes the file, whole or not at all, and no two processes at once: the second one finds that it is there.
  ///
  /// - Parameters:
  ///   - waiting: milliseconds to wait for another process that makes the same file.
  ///   - isOpenedAtOnce: whether other processes open the file as soon as it has its name. It stays then, also where its folder cannot be
  ///     made durable: they may have written to it.
  ///   - body: makes it under the name that it is given, beside its place, and closes it.
  /// - Throws: `MigrationError` where something stands at the path already, and what `body` throws; then there is no file.
  package func make<Result>(
    waiting: Int = busyTimeout, isOpenedAtOnce: Bool = false, _ body: (String) throws -> Result
  ) throws -> Result {
    try checkIsFree()
    try checkPlace()
    let folder = try files.realPath(of: FilePaths.folder(of: path))
    let place = (folder == "/" ? "" : folder) + "/" + FilePaths.name(of: path)
    guard
      let lock = try AsideFile.lockNames(beside: place, waiting: waiting, files: files)
    else {
      throw MigrationError(
        .busy, "\(path) is being written by another process. Try again when it has finished.")
    }
    defer { lock.release() }
    try AsideFile.removeLeftovers(of: place, holding: lock, files: files)
    try checkIsFree()
    let draft = place + AsideFile.suffix + "-new"
    defer { try? files.removeIfPresent(draft) }
    let result: Result
    do {
      result = try body(draft)
      try files.synchronize(draft)
    } catch let error where Self.isOfFullDisk(error) {
      throw MigrationError(
        .diskFull, "The disk is full. \(path) was not written; make room, and try again.")
    }
    // Another program asks for no lock.
    if isOpenedAtOnce {
      try files.rename(draft, toNew: place, taken: isTaken)
      try files.synchronizeFolder(of: place)
    } else {
      try files.publish(draft, as: place, taken: isTaken)
    }
    return result
  }

  private static func isOfFullDisk(_ error: any Error) -> Bool {
    (error as? SQLiteError)?.primaryCode == .full || (error as? MigrationError)?.kind == .diskFull
      || (error as? FileError)?.isNoSpace == true
  }

  /// A link that leads nowhere is something that exists, too.
  private func checkIsFree() throws {
    guard try files.linkStatus(of: path) == nil else { throw isTaken }
  }

  private var isTaken: MigrationError {
    MigrationError(.inputOutput, "\(path) exists already; nothing was written.")
  }

  /// The innermost folder around the file that exists.
  func nearestFolder() throws -> String {
    var folder = FilePaths.folder(of: path)
    while folder != ".", folder != "/", try !files.exists(folder) {
      folder = FilePaths.folder(of: folder)
    }
    return folder
  }
}
