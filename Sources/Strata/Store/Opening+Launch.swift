import StrataSQLite
import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a configuration asks for before and after a file is opened; its seed is in Opening+Seed.swift.
extension Opening {
  /// Opens a file that was opened before.
  ///
  /// - Throws: `StoreError.closed` where the last store of one in memory was closed, which ends that
  func openAgain() throws -> Result {
    try configuration.checkURLs()
    if configuration.inMemoryIdentifier == nil {
      _ = try configuration.pageVFS()
      guard try POSIXFiles().exists(path) else {
        throw StoreError.fileAccess(path: path, reason: "No such file or directory")
      }
    }
    return try openExisting()
  }

  static func missing(folder: String) -> StoreError {
    .fileAccess(
      path: folder, reason: "the folder does not exist: make it before the store is opened")
  }

  /// Refuses a file that is in use by another name in its folder: the log stands beside that one, and what is written by either
  /// name would be lost.
  func checkOtherNames(of place: String, _ status: FileStatus, _ files: POSIXFiles) throws {
    guard status.linkCount > 1,
      let other = (try? OtherNames(files: files).nameInUse(beside: place, status)) ?? nil
    else { return }
    throw StoreError.fileAccess(
      path: path,
      reason: "it is in use by its other name \(other), or a program that used it so was killed. "
        + "Open it as \(other)")
  }

  /// Whether others have written the file meanwhile, or have put another one into its place, or none: the log is not this file's then.
  func isOver(_ standing: Standing?, of database: Database) -> Bool {
    if database.isReplaced {
      try? database.set(.noCheckpointOnClose, true)
      return true
    }
    return standing?.isOver(of: database) == true
  }

  /// `SQLITE_IOERR_SHORT_READ` and `SQLITE_IOERR_FSTAT`: what SQLite says of a journal or log whose file is deleted at this moment.
  static func isOfVanishedFile(_ error: any Error) -> Bool {
    [522, 1802].contains((error as? SQLiteError)?.code)
  }

  /// Whether the file would need an upgrade, or is newer, and the configuration would rather begin anew.
  func isToBeDeleted() throws -> Bool {
    guard configuration.deleteIfMigrationNeeded, !configuration.readOnly,
      configuration.inMemoryIdentifier == nil, try POSIXFiles().exists(path),
      let schema = configuration.schema?.definition.schema
    else { return false }
    // A file of another schema is not this app's to delete.
    guard let stored = try configuration.stored(at: path), stored.schema.name == schema.name
    else { return false }
    if stored.version != schema.version { return true }
    if stored.schema.shape == schema.shape { return false }
    // What needs no migration keeps its objects.
    return configuration.migrations != nil
      || !ClassicDifferences(from: stored.schema, to: schema).areAdditive
  }

  /// Deletes the file, unless another process has brought it to the version meanwhile, or has put another one into its place.
  func deleteUnlessUpgraded() throws {
    struct NotNeeded: Error {}
    do {
      try StoreFiles(path, vfs: try configuration.pageVFS()).delete(first: {
        if try !isToBeDeleted() { throw NotNeeded() }
      })
    } catch is NotNeeded {}
  }

  /// Makes the file as small as it can be, when the configuration wants it.
  func compact(_ database: Database) throws {
    guard let shouldCompact = configuration.shouldCompactOnLaunch, !configuration.readOnly,
      configuration.inMemoryIdentifier == nil
    else { return }
    let pageSize = Int(try database.pragma("page_size").ifInteger ?? 0)
    let pages = Int(try database.pragma("page_count").ifInteger ?? 0)
    let free = Int(try database.pragma("freelist_count").ifInteger ?? 0)
    guard shouldCompact(pages * pageSize, (pages - free) * pageSize) else { return }
    // Beside others what VACUUM writes, the whole file once more, would stand in the log until the last of them closes it.
    if try database.pragma("journal_mode").ifText == "wal", try !database.isAlone() { return }
    do {
      try database.execute("VACUUM")
      _ = try database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch let error as SQLiteError
      where [.busy, .locked, .full, .cannotOpen, .ioError].contains(error.primaryCode)
      && !error.isOfDamagedPage
    {
      // Another process or store has it open, or there is no room for a second copy, beside the file or in the folder for temporary files.
      // Nothing has changed then: try at another launch.
    }
  }

  func protect() throws {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      guard let protection = configuration.fileProtection,
        configuration.inMemoryIdentifier == nil
      else { return }
      let type: FileProtectionType =
        switch protection {
        case .none: .none
        case .complete: .complete
        case .completeUnlessOpen: .completeUnlessOpen
        case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
        }
      for file in StoreFiles(path).all where FileManager.default.fileExists(atPath: file) {
        try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: file)
      }
    #endif
  }
}

/// The files that belong to one store.
struct StoreFiles {
  private let path: String
  private let vfs: String?

  init(_ path: String, vfs: String? = nil) {
    self.path = path
    self.vfs = vfs
  }

  /// The database first, then what SQLite keeps beside it.
  var all: [String] { ["", "-wal", "-shm", "-journal"].map { path + $0 } }

  /// How often a file is looked at anew that others delete and create at this moment.
  private static let maximumTries = 100

  /// Who opens the file meanwhile waits, and finds then that it is gone: it makes a new one.
  ///
  /// - Parameter first: what is done when no other has the file open.
  /// - Returns: whether there was a file.
  /// - Throws: `StoreError.fileIsOpen`
  @discardableResult
  func delete(first: () throws -> Void = {}) throws -> Bool {
    let files = POSIXFiles()
    for _ in 0..<Self.maximumTries {
      guard try files.exists(path) else { return false }
      let place = files.place(of: path)
      let hold: FileHold?
      do {
        hold = try self.hold(files)
      } catch  where (try? files.exists(path)) == false {
        // Another process has deleted it meanwhile.
        continue
      }
      guard let hold else { throw StoreError.fileIsOpen(path: path) }
      defer { hold.release() }
      // Another process may have deleted it before this one held it, and what stands there now is another file.
      guard hold.isInPlace, files.place(of: path) == place else { continue }
      try first()
      // Before others can make one in its place: what stands beside the path from then on is that one's.
      KnownFiles.shared.deleted(place)
      for file in all.reversed() { try files.removeIfPresent(file) }
      return true
    }
    throw StoreError.fileIsOpen(path: path)
  }

  /// Deletes the file together with the files that are kept beside as they were before upgrades, and with what killed upgrades have left.
  ///
  /// The file goes last, so that a call that was interrupted, or may not remove something, can be made again. Of a symbolic link only
  /// the link goes, and what stands beside the file to which it leads stays with that.
  /// - Returns: whether there was a file.
  /// - Throws: `StoreError.fileIsOpen`, also while another process upgrades the file
  func deleteWithKept() throws -> Bool {
    let files = POSIXFiles()
    guard try files.exists(path), try files.linkStatus(of: path)?.kind != .link else {
      return try delete()
    }
    let place = try files.realPath(of: path)
    let lock = try lockNames(beside: place, files)
    defer { lock?.release() }
    return try delete(first: {
      try KeptFiles(path: place, files: files, vfs: nil).removeAll()
      if let lock { try AsideFile.removeLeftovers(of: place, holding: lock, files: files) }
    })
  }

  /// - Returns: nil where the lock's file cannot be made, as on a full disk, of which files are deleted to make room.
  private func lockNames(beside place: String, _ files: POSIXFiles) throws -> FileLock? {
    do {
      if let lock = try AsideFile.lockNames(beside: place, waiting: 0, files: files) {
        return lock
      }
    } catch is FileError {
      return nil
    } catch let error as MigrationError where error.kind == .inputOutput {
      return nil
    }
    throw StoreError.fileIsOpen(path: path)
  }

  /// - Returns: nil where another has it open.
  /// - Throws: `StoreError.fileAccess` where the file cannot be written: a folder lets its files be removed all the same, and who has one open
  ///   would write on into nothing
  private func hold(_ files: POSIXFiles) throws -> FileHold? {
    switch try files.status(of: path)?.kind {
    case .folder: throw StoreError.fileAccess(path: path, reason: "it is a directory")
    case .link, .other: throw StoreError.fileAccess(path: path, reason: "it is not a file")
    case .file, nil: break
    }
    guard files.isAccessible(path, forWriting: true) else {
      throw StoreError.fileAccess(
        path: path,
        reason: "only who may write it can find out whether it is open: Permission denied")
    }
    return try FileHold.take(path, vfs: vfs)
  }
}

extension Store.Configuration {
  /// What the file at the path holds; `nil` where it holds no schema: what a killed opening has begun is gone on with, and what is no store is refused, both by
  /// opening it.
  func stored(at path: String) throws -> StoredSchema? {
    do {
      return try FileInspector(vfs: try pageVFS()).stored(at: path)
    } catch let error as MigrationError
      where error.kind == .notADatabase || error.kind == .foreignFile
    {
      return nil
    }
  }
}

extension Store.Configuration {
  /// Whether a file is upgraded in the classic form: by a block, or because neither the configuration nor the file knows of
  /// versions that were frozen.
  func isClassic(chain: Digest?) -> Bool {
    migrations == nil && (migrationBlock != nil || chain == nil)
  }
}

extension Duration {
  /// Whole milliseconds, at most those of 24 days: SQLite counts no more.
  var milliseconds: Int {
    let most = Int64(Int32.max)
    let seconds = min(max(components.seconds, -most / 1000), most / 1000)
    return Int(seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
