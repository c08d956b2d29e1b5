import StrataSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file that the first opening begins with.
extension Opening {
  /// Copies the seed where no file is yet and brings the copy to the version of the schema, all of it or nothing: what cannot be
  /// opened would stay at the place, also when a later version of the app brings a better seed.
  func placeSeed() throws {
    guard let seed else { return }
    let files = POSIXFiles()
    let found = try makeRoom(files)
    guard case .free(let permissions) = found else { return }
    let place = try seedPlace(files)
    try Self.checkLog(beside: place, files)
    try checkCopying(of: seed, to: place, files)
    do {
      let waiting = configuration.busyTimeout.milliseconds
      try NewFile(path: place, files: files).make(waiting: waiting, isOpenedAtOnce: true) { copy in
        // SQLite keeps those of a file without a byte.
        if let permissions { try files.write([], to: copy, permissions: permissions | 0o600) }
        try self.copy(seed, to: copy, files)
        try openOnce(copy, of: seed)
        if let permissions { try files.setPermissions(permissions, of: copy) }
        // Before others can open it.
        KnownFiles.shared.created(configuration.fileKey(place))
      }
    } catch {
      // Another process may have placed its copy meanwhile.
      guard try files.exists(path) else { throw StoreError(ofNewFile: error, path: path) }
    }
  }

  /// Throws what `placeSeed()` would where nothing stood at the place, and leaves nothing.
  func checkSeed() throws {
    guard let seed else { return }
    let files = POSIXFiles()
    try checkCopying(of: seed, to: path, files)
    struct Placeable: Error {}
    do {
      // Of its own name, because at its place the file still stands.
      try NewFile(path: AsideFile.seedTrial(beside: path), files: files)
        .make(waiting: configuration.busyTimeout.milliseconds) { copy in
          try self.copy(seed, to: copy, files)
          try openOnce(copy, of: seed)
          throw Placeable()
        }
    } catch is Placeable {
    } catch {
      throw StoreError(ofNewFile: error, path: path)
    }
  }

  /// The seed of a store that has a file.
  var seed: String? {
    guard configuration.inMemoryIdentifier == nil, !path.isEmpty else { return nil }
    return configuration.seedFileURL?.path
  }

  private enum Place {
    case taken
    /// - Parameter permissions: of the file without a byte that was there; nil where there was none.
    case free(permissions: UInt32?)
  }

  /// Removes a file without a byte, as another program makes it that gives it its permissions: no store was opened of that. What a killed opening has
  /// begun with the seed stands under another name.
  private func makeRoom(_ files: POSIXFiles) throws -> Place {
    struct HasContent: Error {}
    func hasContent() throws -> Bool {
      try files.status(of: path).map { $0.kind != .file || $0.size > 0 } ?? false
        || files.linkStatus(of: path)?.kind == .link || files.log(beside: path) != nil
    }
    let end = ContinuousClock.now + .milliseconds(configuration.busyTimeout.milliseconds)
    while true {
      guard let status = try files.linkStatus(of: path) else { return .free(permissions: nil) }
      // A link that leads to no file yet.
      guard try files.exists(path) else { return .free(permissions: nil) }
      if try hasContent() { return .taken }
      do {
        // Another process may be making it at this moment.
        try StoreFiles(path).delete(first: { if try hasContent() { throw HasContent() } })
        return .free(permissions: status.permissions)
      } catch is HasContent {
        return .taken
      } catch StoreError.fileIsOpen {
        // By another opening, which places the seed, or by what gives it content.
        guard ContinuousClock.now < end else { return .taken }
        Database.pause(milliseconds: Self.pauseInMilliseconds)
      }
    }
  }

  /// How often a file that others delete while it is opened is looked for anew.
  private static let maximumTries = 100

  /// Opens the file at its place. One with a seed is not made: another process may delete it while this one waits for it, and the seed comes first then.
  func openInPlace(_ vfs: String?, mayCreate: Bool) throws -> Database {
    let mode: Database.Mode =
      configuration.readOnly ? .readOnly : seed == nil && mayCreate ? .create : .readWrite
    for _ in 0..<Self.maximumTries {
      do {
        return try Database.inPlace(
          path: path, mode: mode, vfs: vfs, busyTimeout: configuration.busyTimeout.milliseconds)
      } catch let error as SQLiteError
        where mode == .readWrite && error.primaryCode == .cannotOpen
      {
        if try !mayCreate || POSIXFiles().exists(path) { throw error }
        try placeSeed()
      }
    }
    throw StoreError.busy(path: path)
  }

  /// Where the copy goes: behind a symbolic link that leads to no file yet, as a new file without a seed does.
  private func seedPlace(_ files: POSIXFiles) throws -> String {
    var place = path
    for _ in 0..<Self.maximumLinks {
      guard try files.linkStatus(of: place)?.kind == .link else { break }
      let target = try files.readLink(place)
      place = target.hasPrefix("/") ? target : FilePaths.folder(of: place) + "/" + target
    }
    return place
  }

  /// As many as Linux follows.
  private static let maximumLinks = 40

  private func checkCopying(of seed: String, to place: String, _ files: POSIXFiles) throws {
    guard try files.exists(seed) else {
      throw StoreError.fileAccess(path: seed, reason: "No such file or directory")
    }
    let folder = FilePaths.folder(of: place)
    guard try files.exists(folder) else { throw Self.missing(folder: folder) }
    guard files.isAccessible(folder, forWriting: true) else {
      throw StoreError.fileAccess(
        path: folder, reason: "the seed cannot be copied into it: Permission denied")
    }
  }

  /// Refuses a place for a new file where SQLite would play the log of another one into it.
  static func checkLog(beside path: String, _ files: some FileOperations) throws {
    guard let log = try files.log(beside: path) else { return }
    throw StoreError.fileAccess(
      path: path, reason: "\(log) was left by a database that is gone; remove it first")
  }

  /// What is wrong with the seed is said of the seed: there is no file at the store's path yet.
  private func naming<Result>(_ seed: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as MigrationError where error.kind == .diskFull {
      // Of the folder for temporary copies.
      throw error
    } catch {
      throw StoreError(ofNewFile: error, path: seed)
    }
  }

  private func copy(_ seed: String, to copy: String, _ files: POSIXFiles) throws {
    var vfs = try configuration.pageVFS()
    // A seed may be plain, and the file encrypted.
    let seedVFS =
      Database.isPlain(seed) ? FileCipher.resolve(Database.systemVFS, forFile: seed) : vfs
    // A plain file keeps the checksums that the seed has.
    if vfs == nil || vfs == Database.systemVFS, FileCipher.haveChecksums(seed) { vfs = seedVFS }
    let inspector = FileInspector(files: files, vfs: seedVFS)
    // SQLite reads the seed, so that what still stands in its log comes along; nothing is written beside it.
    let source = try naming(seed) {
      try inspector.checkFile(seed)
      return try inspector.openUntouched(seed)
    }
    defer { source.close() }
    try naming(seed) {
      _ = try inspector.diagnosed(seed) { try inspector.stored(in: source.database, path: seed) }
    }
    do {
      // What a connection attaches it may make only where it was opened so; the seed is still only read.
      let reader = try naming(seed) {
        try Database(path: source.attachment, mode: .create, vfs: seedVFS, isURI: true)
      }
      defer { reader.close() }
      try reader.vacuum(into: copy, vfs: vfs)
      // One without a log is read without locks.
      guard source.isUnchanged else { throw StoreError.busy(path: seed) }
    } catch let error as SQLiteError where error.isOfDamagedFile {
      // The copy is new: what is damaged is the seed.
      throw StoreError(error, path: seed)
    }
    // SQLite writes a copy without a log, and a store's readers and its writer would keep each other waiting.
    let database = try Database(path: copy, mode: .readWrite, vfs: vfs)
    defer { database.close() }
    try database.setPragma("journal_mode", "WAL")
  }

  /// Opens the copy as the file is to be opened, which upgrades it, and closes it with nothing beside it.
  private func openOnce(_ copy: String, of seed: String) throws {
    var own = configuration
    own.fileURL = URL(fileURLWithPath: copy)
    own.seedFileURL = nil
    // The copy is to become the file: without its objects it would be none of the seed.
    own.deleteIfMigrationNeeded = false
    own.keepsOldFile = nil
    own.shouldCompactOnLaunch = nil
    own.fileProtection = nil
    // A reader leaves an empty log; a writer none, when it is the last one.
    defer {
      for file in StoreFiles(copy).all.dropFirst() { try? POSIXFiles().removeIfPresent(file) }
    }
    do {
      let database = try Opening(own).open().database
      defer { database.close() }
      if !configuration.readOnly { _ = try database.rows("PRAGMA wal_checkpoint(TRUNCATE)") }
    } catch let error as MigrationError {
      throw StoreError.migrationFailed(error.naming(seed, insteadOf: copy))
    } catch let error as SQLiteError where error.primaryCode == .full {
      throw error
    } catch StoreError.corrupt(_, let reason) {
      throw StoreError.corrupt(path: seed, reason: reason)
    } catch StoreError.notAStore {
      throw StoreError.notAStore(path: seed)
    } catch StoreError.fileIsNewer(_, let version, let newest) {
      throw StoreError.fileIsNewer(path: seed, version: version, newest: newest)
    } catch StoreError.needsMigration(_, let from, let to, let reason) {
      throw StoreError.needsMigration(path: seed, from: from, to: to, reason: reason)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(error, path: seed)
    }
    if !configuration.readOnly, try POSIXFiles().log(beside: copy) != nil {
      throw StoreError.busy(path: path)
    }
  }
}
