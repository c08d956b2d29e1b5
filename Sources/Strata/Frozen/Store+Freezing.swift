import StrataSQLite
import StrataSchema

extension Store {
  /// The store as it is now, for ever: it shows the version on which this one stands, whatever is written later.
  ///
  /// A frozen store, its objects and its collections may be used on any thread, also by several at once. They hold their
  /// version in the file for as long as one of them is there, so that the file's log grows meanwhile; see
  /// ``Configuration/maximumActiveVersions``; this store itself holds on to the newest until it moves to another version.
  /// Freezing twice on one version gives the same store.
  ///
  /// - Precondition: not within a write transaction, whose changes are no version yet.
  public func freeze(file: StaticString = #fileID, line: UInt = #line) -> sending Store {
    // Frozen stores guard their connection with a lock, and change nothing else.
    nonisolated(unsafe) let frozen = frozenStore(SourceLocation(file: file, line: line))
    return frozen
  }

  /// The store on which changes can be made: this one, when it is live; of a frozen one the live store that it came from
  /// where the same task or thread has it, else one that is opened for the caller.
  ///
  /// - Throws: ``StoreError`` when it cannot be opened.
  public func thaw() throws(StoreError) -> Store {
    guard isFrozen else { return self }
    if let origin = sharing.origin, !origin.isClosed, sharing.owner == .current { return origin }
    return try Store(configuration: configuration)
  }

  func frozenStore(_ location: SourceLocation) -> Store {
    if isFrozen { return self }
    checkUse(
      !isInWriteTransaction,
      "A store was frozen in a write transaction (\(location)): commit it first.")
    do {
      if isClosed { throw StoreError.closed }
      // The connection that goes to the frozen store must not keep others from writing.
      if writing.holdsWriteLock { try endReading() }
      guard prepareToRead() else { return closedStore() }
      if let versionMark, sharing.frozenMark == versionMark,
        let share = sharing.keptShare ?? sharing.memoryShare
      {
        return share
      }
      let frozen = try snapshot.pinsVersions ? handOverConnection() : copyOfMemory()
      frozen.sharing.origin = self
      frozen.sharing.owner = .current
      let version = try StrataMetadata.counter(.transaction, of: frozen.database)
      frozen.holdVersion(version, "frozen at \(location)")
      if snapshot.pinsVersions { sharing.keptShare = frozen } else { sharing.memoryShare = frozen }
      return frozen
    } catch {
      fail(error)
      return closedStore()
    }
  }

  /// What says whether the store still stands on the same version; nil when that is not known.
  private var versionMark: Int64? {
    snapshot.pinsVersions ? snapshot.pinMark : Int64(bitPattern: generation)
  }

  /// The frozen store gets the connection that stands on the version, this one another.
  private func handOverConnection() throws -> Store {
    if snapshot.versionWatch == nil { snapshot.versionWatch = try VersionWatch(connections) }
    let (replacement, isNew) = try connections.take()
    if isNew {
      try Self.prepare(replacement, queryFunctions)
      if !configuration.readOnly { try layout.allowFulltext(in: replacement) }
    }
    suspendCursors()
    unreadObjects.read(atMost: UnreadObjects.maximumReadAhead)
    for access in accesses {
      access?.resetStatements()
      access?.close()
    }
    let frozen = try Store(
      database: database, configuration: configuration, definition: definition, path: path,
      pinsVersions: true, isFrozen: true, connections: connections, layout: layout)
    frozen.snapshot.isReading = true
    sharing.frozenMark = snapshot.pinMark
    database = replacement
    snapshot.connectionChanged = true
    snapshot.isReading = false
    releaseVersion()
    // What belongs to the other connection.
    following.watchedModels = []
    following.hasWatchFunctions = false
    return frozen
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

  // MARK: - The lock of a frozen store

  /// Before its connection or anything that changes is touched.
  @inline(__always) func lockIfFrozen() { lock?.lock() }

  @inline(__always) func unlockIfFrozen() { lock?.unlock() }

  // MARK: - Active versions

  /// How the file is known to ``ActiveVersions`` and to the listeners for commits.
  var fileKey: String { configuration.fileKey(path) }

  /// How references name the file: another one in its place is another file.
  var fileIdentity: String { "\(fileKey)#\(fileNumber)" }

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
