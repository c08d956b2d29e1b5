import StrataSQLite

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Store {
  /// Writes the data as this store shows it to a new file, as small as it can be: for a backup, or to give it away.
  ///
  /// The file is there as a whole or not at all.
  /// - Parameters:
  ///   - url: where the new file is to be; nothing may be there.
  ///   - encryptionKey: the key of the new file, 64 or 32 bytes; without one it is encrypted as the store's own file is, and plain only
  ///     where that is. A store in memory has none: its copy is encrypted with the key or passphrase of its configuration.
  /// - Throws: `StoreError.fileAccess` where there is a file already, `.alreadyInWriteTransaction`, whose changes are no
  ///   version yet, `.encryptionUnavailable`, `.invalidKey`, `.diskFull`
  public func writeCopy(to url: URL, encryptionKey: Data? = nil) throws(StoreError) {
    try writeCopy(to: url.filePath(), encryptionKey: encryptionKey)
  }

  /// The same with a path.
  public func writeCopy(to path: String, encryptionKey: Data? = nil) throws(StoreError) {
    guard let encryptionKey else { return try writeCopy(to: path, vfs: try ownVFS()) }
    let cipher = FileCipher(
      key: try Configuration.key(encryptionKey, path: path), kind: configuration.cipher.kind)
    try writeCopy(
      to: path, vfs: try Configuration.vfs(of: cipher, over: configuration.vfs, path: path))
  }

  /// The same for a file that is opened with a passphrase.
  public func writeCopy(to path: String, passphrase: String) throws(StoreError) {
    guard !passphrase.isEmpty else {
      throw .invalidKey(path: path, reason: "the passphrase is empty")
    }
    let cipher = FileCipher(
      key: .passphrase(Array(passphrase.utf8)), kind: configuration.cipher.kind)
    try writeCopy(
      to: path, vfs: try Configuration.vfs(of: cipher, over: configuration.vfs, path: path))
  }

  /// Writes a copy that is not encrypted, and has no checksums: everyone who gets the file can read it, and any program may write it.
  public func writePlainCopy(to path: String) throws(StoreError) {
    try writeCopy(to: path, vfs: configuration.vfs ?? Database.systemVFS)
  }

  /// That of the store's file, and of what a store in memory writes: a key or checksums of its configuration are meant for that.
  private func ownVFS() throws(StoreError) -> String? { try configuration.pageVFS() }

  private func writeCopy(to path: String, vfs: String?) throws(StoreError) {
    if isClosed { throw .closed }
    if isInWriteTransaction { throw .alreadyInWriteTransaction }
    let files = POSIXFiles()
    do {
      if try files.exists(path) {
        throw StoreError.fileAccess(path: path, reason: "there is a file already")
      }
      if configuration.inMemoryIdentifier == nil,
        // A file that is gone has no names, and may be what is to be saved.
        let own = try? files.realPath(of: self.path),
        WrittenNames.belongs(try WrittenNames.place(of: path, files), to: own)
      {
        throw StoreError.fileAccess(
          path: path,
          reason: "the name belongs to the store's own file, which would remove the copy")
      }
      try Opening.checkLog(beside: path, files)
      try NewFile(path: path, files: files).make { small in
        // What a killed call leaves is known by this name.
        let draft = small + AsideFile.suffix + "-copy"
        defer { for file in StoreFiles(draft).all { try? files.removeIfPresent(file) } }
        try keepPermissions(in: [draft, small], files)
        try copy(to: draft, small: small, vfs: vfs)
      }
    } catch {
      throw StoreError(ofNewFile: error, path: path)
    }
  }

  /// Begins copies as empty files with the permissions and the group of the store's own: a user who may not read that cannot read them.
  private func keepPermissions(in copies: [String], _ files: POSIXFiles) throws {
    guard configuration.inMemoryIdentifier == nil,
      let permissions = try files.status(of: path)?.permissions
    else { return }
    for copy in copies {
      try files.write([], to: copy, permissions: permissions | 0o600)
      files.keepAccess(of: path, permissions | 0o600, at: copy)
    }
  }

  /// The version that the store shows is copied as it stands, encrypted as it is, and the copy written anew as it is wanted.
  private func copy(to draft: String, small: String, vfs: String?) throws {
    lockIfShared()
    defer { unlockIfShared() }
    guard prepareToRead() else {
      try throwPendingError()
      throw StoreError.closed
    }
    if configuration.inMemoryIdentifier != nil {
      // In memory it is in the clear, and a draft would have it so on the disk. Its readers are in no transaction, which would refuse this.
      return try database.vacuum(into: small, vfs: vfs)
    }
    // That of what is open: another file, or none, may stand at the path by now.
    let own = try FileCipher.resolve(try ownVFS(), of: database)
    let target = try Database(path: FilePaths.uri(draft, "mode=rwc"), vfs: own, isURI: true)
    defer { target.close() }
    let backup = try Backup(from: database, into: target)
    var tries = 0
    while try backup.step() == .busy {
      tries += 1
      if tries > Self.maximumCopyTries { throw StoreError.busy(path: self.path) }
    }
    try backup.finish()
    try target.vacuum(into: small, vfs: vfs)
    let mode = try target.pragma("journal_mode").ifText
    target.close()
    guard mode == "wal" else { return }
    let copy = try Database(path: small, mode: .readWrite, vfs: vfs)
    defer { copy.close() }
    try copy.setPragma("journal_mode", "WAL")
  }
}
