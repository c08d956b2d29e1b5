import StrataSQLite
import StrataSchema

extension Store {
  /// After another connection has written: are the tables still those of the store's schema? An upgrade by another store or
  /// process leaves a file that this one neither understands nor may write.
  ///
  /// - Throws: ``StoreError/fileIsNewer(path:version:newest:)``, `.needsMigration` or `.corrupt`, from now on with every transaction.
  func checkTables() throws {
    if isFrozen { return }
    let version = try database.tablesVersion()
    guard version != snapshot.tablesVersion else { return }
    do {
      try holdTablesAgainstSchema()
      snapshot.tablesVersion = version
    } catch {
      let error = storeError(error)
      switch error {
      case .fileIsNewer, .needsMigration, .corrupt, .notAStore: snapshot.outdated = error
      default: break
      }
      throw error
    }
  }

  /// Behind an error that a read has met. SQLite ends a transaction by itself where a page cannot be read or memory is short, also one that only reads: what is
  /// read behind it is of the newest version. A live store notices with its next read that it stands on another one; a frozen store shows nothing any more.
  func noteLostVersion(_ error: any Error) {
    lockIfShared()
    defer { unlockIfShared() }
    guard !isClosed, snapshot.isReading, snapshot.pinsVersions, !isInWriteTransaction,
      !writing.holdsWriteLock, !database.isInTransaction
    else { return }
    if sharing.sharesConnection {
      // The version was that of the frozen store, too. The connection is left when this one moves, as ever.
      sharing.keptShare?.noteLostVersion(error)
      return
    }
    if isFrozen { snapshot.outdated = StoreError(error, path: path) }
    snapshot.isReading = false
    releaseVersion()
  }

  /// Where the store cannot go on, its observers hear why, and nothing after it.
  func endObserversWhereOutdated() {
    if let outdated = snapshot.outdated { following.observers?.end(with: outdated) }
  }

  /// Of a file that was opened as one that nothing changes: did its owner write it all the same? What is read then may be of both states.
  ///
  /// - Throws: `StoreError.fileAccess`, from now on with every transaction.
  func checkStanding() throws {
    guard let file = database.companion as? StandingFile, !file.isUnchanged else { return }
    let error = StoreError.fileAccess(
      path: path,
      reason:
        "another user has changed it since it was opened as a file that nothing changes: open it again"
    )
    snapshot.outdated = error
    throw error
  }

  /// An identity above every object that is there, which is looked for when others have written: other programs may forget to count.
  func firstFreeRow() throws -> Int64 {
    if let knownFreeRow = writing.knownFreeRow { return knownFreeRow }
    let row = try StrataMetadata.nextRow(of: database, schema: definition.schema)
    writing.knownFreeRow = row
    return row
  }

  private func holdTablesAgainstSchema() throws {
    let schema = definition.schema
    guard let metadata = try StrataMetadata.read(from: database) else {
      throw StoreError.notAStore(path: path)
    }
    if metadata.version > schema.version {
      throw StoreError.fileIsNewer(
        path: path, version: metadata.version, newest: schema.version)
    }
    let isSame = metadata.version == schema.version && metadata.shape == schema.shape
    guard isSame || (configuration.readOnly && metadata.version == schema.version) else {
      throw StoreError.needsMigration(
        path: path, from: metadata.version, to: schema.version,
        reason: "another store or process has given it other declarations; open it again")
    }
    try TableCheck(database: database, schema: schema).run(
      for: configuration.readOnly ? .reading : .writing)
  }
}
