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
  ///   - encryptionKey: this edition cannot encrypt; with a key nothing is written.
  /// - Throws: `StoreError.fileAccess` where there is a file already, `.alreadyInWriteTransaction`, whose changes are no
  ///   version yet, `.encryptionUnavailable`, `.diskFull`
  public func writeCopy(to url: URL, encryptionKey: Data? = nil) throws(StoreError) {
    try writeCopy(to: url.path, encryptionKey: encryptionKey)
  }

  /// The same with a path.
  public func writeCopy(to path: String, encryptionKey: Data? = nil) throws(StoreError) {
    if isClosed { throw .closed }
    if isInWriteTransaction { throw .alreadyInWriteTransaction }
    if encryptionKey != nil { throw .encryptionUnavailable(path: path) }
    let files = POSIXFiles()
    let draft = path + ".copy"
    do {
      if try files.exists(path) {
        throw StoreError.fileAccess(path: path, reason: "there is a file already")
      }
      try files.removeIfPresent(draft)
      try copy(to: draft)
      try files.synchronize(draft)
      try files.rename(draft, to: path)
      try files.synchronizeFolder(of: path)
    } catch {
      for file in StoreFiles(draft).all { try? files.removeIfPresent(file) }
      throw StoreError(error, path: path)
    }
  }

  private func copy(to path: String) throws {
    lockIfFrozen()
    defer { unlockIfFrozen() }
    guard prepareToRead() else { throw StoreError.closed }
    let target = try Database(path: path)
    defer { target.close() }
    let backup = try Backup(from: database, into: target)
    var tries = 0
    while try backup.step() == .busy {
      tries += 1
      if tries > Self.maximumCopyTries { throw StoreError.busy(path: self.path) }
    }
    try backup.finish()
    try target.execute("VACUUM")
  }
}
