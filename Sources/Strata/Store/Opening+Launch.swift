import StrataSQLite
import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a configuration asks for before and after a file is opened.
extension Opening {
  /// Copies the seed where no file is yet, all of it or nothing.
  func placeSeed() throws {
    guard let seed = configuration.seedFileURL?.path, configuration.inMemoryIdentifier == nil,
      !path.isEmpty
    else { return }
    let files = POSIXFiles()
    if try files.exists(path) { return }
    try Self.checkLog(beside: path, files)
    guard try files.exists(seed) else {
      throw StoreError.fileAccess(path: seed, reason: "No such file or directory")
    }
    let folder = FilePaths.folder(of: path)
    guard files.isAccessible(folder, forWriting: true) else {
      throw StoreError.fileAccess(
        path: folder, reason: "the seed cannot be copied into it: Permission denied")
    }
    let copy = path + ".seed"
    try files.removeIfPresent(copy)
    do {
      let vfs = try configuration.pageVFS()
      // A seed may be plain, and the file encrypted.
      let start = Database.firstBytes(of: seed, count: SQLiteHeader.magic.count)
      let inspector = FileInspector(
        files: files, vfs: start == SQLiteHeader.magic ? Database.systemVFS : vfs)
      try inspector.checkFile(seed)
      // SQLite reads the seed, so that what still stands in its log comes along; nothing is written beside it.
      let source = try inspector.openUntouched(seed)
      defer { source.close() }
      _ = try inspector.diagnosed(seed) { try inspector.stored(in: source.database, path: seed) }
      try source.database.vacuum(into: copy, vfs: vfs)
      try turnLogOn(copy, vfs: vfs)
      try files.synchronize(copy)
      try files.rename(copy, to: path)
      KnownFiles.shared.created(configuration.fileKey(path))
      try files.synchronizeFolder(of: path)
    } catch {
      try? files.removeIfPresent(copy)
      throw error
    }
  }

  /// Refuses a place for a new file where SQLite would play the log of another one into it.
  static func checkLog(beside path: String, _ files: some FileOperations) throws {
    guard let log = try files.log(beside: path) else { return }
    throw StoreError.fileAccess(
      path: path, reason: "\(log) was left by a database that is gone; remove it first")
  }

  /// SQLite writes a copy without a log, and a store's readers and its writer would keep each other waiting.
  private func turnLogOn(_ copy: String, vfs: String?) throws {
    let database = try Database(path: copy, mode: .readWrite, vfs: vfs)
    defer { database.close() }
    try database.setPragma("journal_mode", "WAL")
  }

  /// Whether the file would need an upgrade, or is newer, and the configuration would rather begin anew.
  func isToBeDeleted() throws -> Bool {
    guard configuration.deleteIfMigrationNeeded, !configuration.readOnly,
      configuration.inMemoryIdentifier == nil, try POSIXFiles().exists(path),
      let schema = configuration.schema?.definition.schema
    else { return false }
    let stored = try FileInspector(vfs: try configuration.pageVFS()).stored(at: path)
    // A file of another schema is not this app's to delete.
    guard stored.schema.name == schema.name else { return false }
    if stored.version != schema.version { return true }
    if stored.schema.shape == schema.shape { return false }
    // What needs no migration keeps its objects.
    return configuration.migrations != nil
      || !ClassicDifferences(from: stored.schema, to: schema).areAdditive
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
    do {
      try database.execute("VACUUM")
      _ = try database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch let error as SQLiteError
      where error.primaryCode == .busy || error.primaryCode == .locked
    {
      // Another process or store has it open: try at another launch.
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

  /// - Returns: whether there was a file.
  /// - Throws: `StoreError.fileIsOpen`
  @discardableResult
  func delete() throws -> Bool {
    let files = POSIXFiles()
    guard try files.exists(path) else { return false }
    if try isOpen() { throw StoreError.fileIsOpen(path: path) }
    for file in all { try files.removeIfPresent(file) }
    return true
  }

  /// SQLite leaves the write-ahead log only when it is alone with the file.
  private func isOpen() throws -> Bool {
    do {
      let database = try Database(path: path, mode: .readWrite, vfs: vfs)
      defer { database.close() }
      return try database.setPragma("journal_mode", "DELETE") != "delete"
    } catch let error as SQLiteError {
      return error.primaryCode == .busy || error.primaryCode == .locked
    }
  }
}
