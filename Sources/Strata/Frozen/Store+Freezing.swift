import StrataSQLite
import StrataSchema

extension Store {
  /// The store as it is now, for ever: it shows the version on which this one stands, whatever is written later.
  ///
  /// A frozen store, its objects and its collections may be used on any thread, also by several at once. They hold their
  /// version in the file for as long as one of them is there, so that the file's log grows meanwhile; see
  /// ``Configuration/maximumActiveVersions``; this store itself holds on to the newest until it moves to another version.
  /// Freezing again before this store moves gives the same one.
  ///
  /// - Parameters:
  ///   - isolation: the actor to which ``thaw(isolation:)`` gives this store back; that of the caller.
  ///   - file: where it is frozen, as errors say it.
  ///   - line: the same.
  /// - Precondition: not within a write transaction, whose changes are no version yet.
  public func freeze(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> sending Store {
    // Frozen stores guard their connection with a lock, and change nothing else.
    nonisolated(unsafe) let frozen = frozenStore(
      SourceLocation(file: file, line: line), for: isolation)
    return frozen
  }

  /// The store on which changes can be made: this one, when it is live; of a frozen one the live store that it came from
  /// where the same actor has it, or, where no actor has it, the same task or thread, else one that is opened for the caller.
  ///
  /// An actor has a store of which it has frozen or observed something, or called `writeAsync`, and the one that `Store()` has given it.
  /// In a closure that does not name `self`, Swift says no actor, and another store is opened: `thaw(in:)` of an object names the store.
  ///
  /// - Parameter isolation: the actor that the store is for; that of the caller.
  /// - Throws: ``StoreError`` when it cannot be opened, and where the file is not there any more, or is another one.
  public func thaw(
    isolation: isolated (any Actor)? = #isolation
  ) throws(StoreError) -> Store { try liveStore(for: isolation) }

  /// The same for no actor, as a function without parameters: for protocols, and as a value.
  @_disfavoredOverload
  public func thaw() throws(StoreError) -> Store { try liveStore(for: nil) }

  func liveStore(for isolation: (any Actor)?) throws(StoreError) -> Store {
    guard isFrozen else { return self }
    // First whose it is: the store of another actor or thread is not to be read, nor held, here.
    if sharing.isOriginOfCaller(in: isolation), let origin = sharing.origin, !origin.isClosed {
      return origin
    }
    return try openAgain()
  }

  /// One more store of the file, of which nothing is made, deleted or upgraded that stands in its place by now.
  private func openAgain() throws(StoreError) -> Store {
    let isInMemory = configuration.inMemoryIdentifier != nil
    let replaced =
      isInMemory ? StoreError.closed : .fileAccess(path: path, reason: StoreError.isReplaced)
    if !isInMemory, let status = try? POSIXFiles().status(of: path),
      !KnownFiles.shared.isStill(fileIdentity, status)
    {
      throw replaced
    }
    let store = try Store(again: configuration)
    guard store.fileIdentity == fileIdentity else {
      store.close()
      throw replaced
    }
    return store
  }

  func frozenStore(_ location: SourceLocation, for isolation: (any Actor)?) -> Store {
    if isFrozen { return self }
    claim(isolation)
    checkUse(
      !isInWriteTransaction,
      "A store was frozen in a write transaction (\(location)): commit it first.")
    do {
      if isClosed { throw StoreError.closed }
      // The connection that goes to the frozen store must not keep others from writing.
      if writing.holdsWriteLock { try endReading() }
      if sharing.keptShare?.snapshot.outdated != nil {
        // It has lost its version, and so has this store where both have one connection.
        if sharing.sharesConnection { try endReading() }
        sharing.keptShare = nil
      }
      guard prepareToRead() else { return closedStore() }
      if sharing.sharesConnection, let share = sharing.keptShare { return share }
      if let versionMark, sharing.frozenMark == versionMark,
        let share = sharing.keptShare ?? sharing.memoryShare
      {
        return share
      }
      let frozen = try snapshot.pinsVersions ? frozenOnVersion() : copyOfMemory()
      frozen.sharing.origin = self
      frozen.sharing.owner = .current
      frozen.sharing.home = sharing.home
      let version = try frozen.readTransaction()
      frozen.holdVersion(version, "frozen at \(location)")
      if snapshot.pinsVersions { sharing.keptShare = frozen } else { sharing.memoryShare = frozen }
      return frozen
    } catch {
      fail(error)
      return closedStore()
    }
  }

  /// The number of the transaction that made the version.
  private func readTransaction() throws -> Int64 {
    lockIfShared()
    defer { unlockIfShared() }
    return try StrataMetadata.counter(.transaction, of: database)
  }

  /// What says whether the store still stands on the same version; nil when that is not known.
  private var versionMark: Int64? {
    snapshot.pinsVersions ? snapshot.pinMark : Int64(bitPattern: generation)
  }

  /// The frozen store gets the connection that stands on the version. This one goes on with another where that can stand there, too,
  /// else it shares the connection until it moves.
  private func frozenOnVersion() throws -> Store {
    // Where no other connection can be opened, as a program that has too many files open finds, this one does for both.
    if snapshot.versionWatch == nil, (try? checkIsInPlace()) != nil {
      snapshot.versionWatch = try? VersionWatch(connections)
    }
    let replacement = try? connectionOnSameVersion()
    lockIfShared()
    suspendCursors()
    if replacement != nil { endStatements() }
    unlockIfShared()
    let frozen = try Store(
      database: database, configuration: configuration, definition: definition, path: path,
      pinsVersions: true, isFrozen: true, connections: connections, layout: layout)
    frozen.snapshot.isReading = true
    sharing.frozenMark = snapshot.pinMark
    if let replacement {
      changeConnection(to: replacement)
    } else {
      lock = frozen.lock
      sharing.sharesConnection = true
    }
    return frozen
  }

  /// A connection that reads the version on which this store stands; nil when another one has been committed since, or that is
  /// not known.
  private func connectionOnSameVersion() throws -> Database? {
    guard let mark = snapshot.pinMark, let watch = snapshot.versionWatch,
      try watch.newest() == mark
    else { return nil }
    // What stands at the path by now may be another file, or nothing, where one would be made.
    try checkIsInPlace()
    let replacement = try takeConnection()
    do {
      try replacement.begin(.deferred)
      // Also takes the snapshot.
      let version = try replacement.dataVersion()
      if try watch.newest() == mark {
        snapshot.dataVersion = version
        return replacement
      }
      try replacement.rollback()
      connections.give(replacement)
      return nil
    } catch {
      replacement.close()
      throw error
    }
  }

  private func takeConnection() throws -> Database {
    let (connection, isNew) = try connections.take()
    if isNew {
      try Self.prepare(connection, queryFunctions)
      if !configuration.readOnly { try layout.allowFulltext(in: connection) }
    }
    return connection
  }

  /// Before it is noted what observers do not know: a store that cannot open another connection stays where it is, and what was noted would be
  /// compared with that.
  func reserveReplacement() throws {
    guard sharing.sharesConnection, !isKnownUniquelyReferenced(&sharing.keptShare) else { return }
    try takeReplacement()
  }

  private func takeReplacement() throws {
    if sharing.replacement != nil { return }
    try checkIsInPlace()
    sharing.replacement = try takeConnection()
  }

  /// Before the store moves to another version: a connection that it shares stays with the frozen store.
  func leaveSharedConnection() throws {
    guard sharing.sharesConnection else { return }
    // One that no other holds gives its connection back.
    let isOwn = isKnownUniquelyReferenced(&sharing.keptShare)
    if !isOwn { try takeReplacement() }
    var replacement = sharing.replacement
    sharing.replacement = nil
    if isOwn, let unneeded = replacement {
      connections.give(unneeded)
      replacement = nil
    }
    lockIfShared()
    suspendCursors()
    // Others may have deleted them.
    unreadObjects.read(atMost: UnreadObjects.maximumReadAhead, in: nil)
    endStatements()
    unlockIfShared()
    lock = nil
    sharing.sharesConnection = false
    snapshot.isReading = false
    if isOwn { sharing.keptShare = nil }
    if replacement == nil { replacement = try takeConnection() }
    if let replacement, replacement !== database {
      changeConnection(to: replacement)
      snapshot.connectionChanged = true
    }
    releaseVersion()
  }

  private func changeConnection(to connection: Database) {
    database = connection
    // What belongs to the other connection.
    following.watchedModels = []
    following.hasWatchFunctions = false
  }

  private func endStatements() {
    for access in accesses {
      access?.resetStatements()
      access?.close()
    }
  }

  /// A database in memory has one version only: the frozen store gets a copy.
  private func copyOfMemory() throws -> Store {
    let copy = try Database(path: ":memory:")
    let backup = try Backup(from: database, into: copy)
    var tries = 0
    while try backup.step() == .busy {
      tries += 1
      if tries > Self.maximumCopyTries { throw StoreError.busy(path: path) }
    }
    try backup.finish()
    try queryFunctions.attach(to: copy)
    let frozen = try Store(
      database: copy, configuration: configuration, definition: definition, path: path,
      pinsVersions: false, isFrozen: true, connections: connections, layout: layout)
    frozen.snapshot.isReading = true
    sharing.frozenMark = versionMark
    return frozen
  }

  /// How often a copy is begun anew because another connection commits.
  static let maximumCopyTries = 10_000

  /// What freezing gives when it fails; the error is thrown by the next call that can.
  private func closedStore() -> Store {
    do {
      let closed = try Store(
        database: try Database(path: ":memory:"), configuration: configuration,
        definition: definition, path: path, pinsVersions: false, isFrozen: true,
        connections: connections, layout: layout)
      closed.endFrozen()
      return closed
    } catch {
      misuse("There is no memory left for an empty database: \(error)")
    }
  }

  // MARK: - The lock of a connection that several use

  /// Before the connection, or anything of a frozen store that changes, is touched.
  @inline(__always) func lockIfShared() { lock?.lock() }

  @inline(__always) func unlockIfShared() { lock?.unlock() }

  // MARK: - Active versions

  /// How the file is known to ``ActiveVersions`` and to the listeners for commits.
  var fileKey: String { fileIdentity.key }

  func holdVersion(_ version: Int64, _ what: String) {
    releaseVersion()
    snapshot.heldVersion = ActiveVersions.shared.add(
      ActiveVersions.Holder(
        version: version,
        description: "\(isFrozen ? "a store" : "a live store") \(what) (version \(version))"),
      of: fileKey)
  }

  func releaseVersion() {
    guard let heldVersion = snapshot.heldVersion else { return }
    ActiveVersions.shared.remove(heldVersion, of: fileKey)
    snapshot.heldVersion = nil
  }

  /// At the beginning of a write, which makes one more version.
  func checkActiveVersions() throws {
    guard let maximum = configuration.maximumActiveVersions else { return }
    let current = try StrataMetadata.counter(.transaction, of: database)
    let holders = ActiveVersions.shared.holders(of: fileKey)
    let versions = Set(holders.map(\.version)).union([current])
    if versions.count > max(1, maximum) {
      throw StoreError.tooManyActiveVersions(
        path: path, maximum: maximum, holders: holders.map(\.description))
    }
  }
}
