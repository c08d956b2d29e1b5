import StrataSQLite
import StrataSchema

extension Store {
  /// Runs a write transaction: everything in `body` is stored when it returns, nothing when it throws.
  ///
  /// ```swift
  /// try store.write { person.age += 1 }
  /// ```
  /// - Throws: what `body` throws, or ``StoreError`` when the transaction cannot begin or commit; a duplicate or a
  ///   missing value that a setter could not report comes out here, and so does ``StoreError/ruleBroken(_:)``.
  @discardableResult
  public func write<Result>(_ body: () throws -> Result) throws -> Result {
    try write(withoutNotifying: [], body)
  }

  /// The same, and the observers of these tokens are not told: what they show is changed already. Observers on a queue, which
  /// follow the file by a store that they share, are told all the same.
  ///
  /// - Throws: also `StoreError.tokenOfAnotherStore`, before the transaction begins.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken], _ body: () throws -> Result
  ) throws -> Result {
    try checkTokens(tokens)
    try beginWrite(waiting: true, except: tokens.map(\.state))
    return try finishWrite(withoutNotifying: tokens, body)
  }

  /// Runs the body of a transaction that has begun; an error takes back what it did.
  func finishWrite<Result>(
    withoutNotifying tokens: [NotificationToken], _ body: () throws -> Result
  ) throws -> Result {
    let result: Result
    do {
      result = try body()
    } catch {
      cancelWrite()
      throw error
    }
    // The body may have ended the transaction itself, and nothing that was taken back looks like stored.
    if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
    if writing.wasEndedByClosing { throw StoreError.closed }
    return result
  }

  /// Begins a write transaction, after moving to the newest version of the data. Observers are told before it begins what others
  /// did, and each of them may write.
  ///
  /// - Throws: `StoreError.alreadyInWriteTransaction`, `.busy`, `.readOnly`, `.closed`, or what a read could not report.
  public func beginWrite() throws(StoreError) {
    try beginWrite(waiting: true, except: nil)
  }

  /// - Parameters:
  ///   - waiting: whether to wait for another writer, for as long as the configuration says.
  ///   - states: of the observers that are not to be told; nil where only the commit says it.
  func beginWrite(waiting: Bool, except states: [ObservationState]?) throws(StoreError) {
    defer { endObserversWhereOutdated() }
    try checkMayBegin(waiting: waiting)
    guard activeObservers != nil else {
      _ = try takeWriteLock(waiting: waiting)
      return try enterTransaction()
    }
    do throws(StoreError) {
      try beginTelling(waiting: waiting, except: states)
    } catch {
      standBehindFailure()
      throw error
    }
  }

  /// The same where observers hear first what others did.
  private func beginTelling(
    waiting: Bool, except states: [ObservationState]?
  ) throws(StoreError) {
    for round in 0..<Observers.maximumRounds {
      if !writing.holdsWriteLock { try moveToNewest(waiting: waiting) }
      activeObservers?.deliverBeforeWrite(except: states)
      do throws(StoreError) {
        // An observer may have closed the store, or have begun a transaction and left it open.
        try checkMayBegin(waiting: waiting)
      } catch {
        if writing.holdsWriteLock { dropWriteLock() }
        throw error
      }
      // Nothing has come in between, because no other connection could write meanwhile.
      if writing.holdsWriteLock { return try enterTransaction() }
      guard try takeWriteLock(waiting: waiting) else { return try enterTransaction() }
      // Where others write all the time, the lock stays taken while observers are told.
      if round + 1 < Self.roundsWithoutLock { try translatingErrors { try endReading() } }
    }
    if !writing.holdsWriteLock { _ = try takeWriteLock(waiting: waiting) }
    try enterTransaction()
  }

  /// After a write that could not begin: the store stands on a version again, of which observers know. What others write from now on
  /// is not seen before it is told.
  private func standBehindFailure() {
    guard snapshot.pinsVersions, !isInWriteTransaction, snapshot.outdated == nil,
      activeObservers != nil
    else { return }
    let hasFailedBefore = cannotRead
    // What is wrong with the file is what the write says.
    if !prepareToRead(), !hasFailedBefore { _ = pending.takeError() }
    activeObservers?.deliver()
  }

  /// How often a transaction is begun anew because others have written meanwhile, before the lock is kept.
  private static let roundsWithoutLock = 16

  private func checkMayBegin(waiting: Bool) throws(StoreError) {
    if isClosed { throw .closed }
    if isFrozen { throw .frozen }
    if configuration.readOnly { throw .readOnly(path: path) }
    if isInWriteTransaction { throw .alreadyInWriteTransaction }
    try throwPendingError()
    if let outdated = snapshot.outdated { throw outdated }
    try checkOtherWriters(waiting: waiting)
  }

  /// Stands on the newest version for the sake of observers.
  private func moveToNewest(waiting: Bool) throws(StoreError) {
    try translatingErrors {
      if let observers = activeObservers { try lookForChanges(observers) }
      try endReading()
      // Without versions a store cannot read while another one is in a transaction.
      if !waiting { database.setBusyTimeout(milliseconds: 0) }
      _ = prepareToRead()
      if !waiting {
        database.setBusyTimeout(milliseconds: configuration.busyTimeout.milliseconds)
      }
      try throwPendingError()
    }
  }

  /// Keeps other connections from writing; the store can be read meanwhile, at the newest version.
  /// - Returns: whether others had written since the store was read last.
  private func takeWriteLock(waiting: Bool) throws(StoreError) -> Bool {
    try translatingErrors {
      if let observers = activeObservers { try lookForChanges(observers) }
      try endReading()
      let mark = try snapshot.versionWatch?.newest()
      let before = generation
      if !waiting { database.setBusyTimeout(milliseconds: 0) }
      defer {
        if !waiting {
          database.setBusyTimeout(milliseconds: configuration.busyTimeout.milliseconds)
        }
      }
      try database.begin(.immediate)
      snapshot.isReading = true
      writing.holdsWriteLock = true
      do {
        try checkIsInPlace()
        try noticeOtherWriters(mark: mark)
      } catch {
        dropWriteLock()
        throw error
      }
      return generation != before
    }
  }

  /// What is written into a file that another one has come into the place of, as a backup, or that was deleted, is lost with the
  /// connection, and its log would be taken for the new file's.
  func checkIsInPlace() throws {
    // A frozen store may be reading on the connection.
    lockIfShared()
    defer { unlockIfShared() }
    guard database.isReplaced else { return }
    try database.set(.noCheckpointOnClose, true)
    throw StoreError.replaced(path: path, hasLog: snapshot.pinsVersions)
  }

  /// The lock becomes a transaction.
  private func enterTransaction() throws(StoreError) {
    try translatingErrors {
      do {
        try checkActiveVersions()
        if !writing.hasReadRules { try prepareRules() }
        try beginIdentities()
        // An error in what observers read may have ended it.
        guard database.isInTransaction else { throw StoreError.takenBack(path: path) }
      } catch {
        dropWriteLock()
        throw error
      }
      snapshot.isReading = false
      writing.holdsWriteLock = false
      isInWriteTransaction = true
      database.guardTransaction()
      OpenTransactions.shared.began(self)
    }
  }

  private func dropWriteLock() {
    snapshot.isReading = false
    writing.holdsWriteLock = false
    try? database.rollback()
  }

  /// Stores everything that the transaction did, and tells observers.
  ///
  /// - Parameter tokens: of observers that are not told: what they show is changed already.
  /// - Throws: ``StoreError``, `.ruleBroken` among others; the transaction is cancelled then, as by ``cancelWrite()``.
  public func commitWrite(
    withoutNotifying tokens: [NotificationToken] = []
  ) throws(StoreError) {
    try checkInWriteTransaction()
    do throws(StoreError) {
      try checkTokens(tokens)
      try commit(withoutNotifying: tokens)
    } catch {
      cancelWrite()
      throw error
    }
  }

  /// Stores everything that the transaction did, and tells observers. What the transaction was before is for the caller to bring back
  /// where this throws.
  func commit(withoutNotifying tokens: [NotificationToken]) throws(StoreError) {
    let skipped = tokens.map(\.state).filter { activeObservers?.canSkip($0) ?? true }
    var undoSkipping: [() -> Void] = []
    let transaction: Int64
    do {
      try throwFirstError()
      // Where the program has caught the error with which SQLite ended it, nothing is left to store.
      if database.hasLostTransaction { throw StoreError.takenBack(path: path) }
      suspendCursors()
      if let rules = writing.rules, sink.hasChanges { try rules.check(sink.unsettled) }
      if writing.nextRow != writing.firstNewRow {
        try StrataMetadata.write(.integer(writing.nextRow), for: .nextRow, to: database)
      }
      if !skipped.isEmpty, sink.hasChanges, let observers = activeObservers {
        undoSkipping = try observers.skip(skipped, ChangeRecord(sink.models))
      }
      transaction = try sink.write(to: database)
      // Behind the commit the store stands on no version until the next read.
      unreadObjects.read(
        atMost: UnreadObjects.maximumReadAhead, onlyNew: true, in: writing.outcome)
      if !sink.hasChanges, database.hasOnlySavepoints {
        for access in accesses { access?.resetStatements() }
        try database.rollback()
        // The triggers that it has made are gone.
        following.watchedModels = []
      } else {
        try checkIsInPlace()
        try database.commit()
      }
    } catch {
      let reason = commitError(error)
      for undo in undoSkipping { undo() }
      throw reason
    }
    let hasChanges = sink.hasChanges
    if hasChanges { sharing.keptShare = nil }
    if hasChanges, let observers = activeObservers {
      observers.transaction = transaction
      observers.note(ChangeRecord(sink.models), except: skipped)
    }
    sink.reset()
    isInWriteTransaction = false
    database.endGuard()
    OpenTransactions.shared.ended(self)
    endIdentities()
    if hasChanges { tellOfCommit() } else { tellOfNothing() }
  }

  /// Only observers of this store can be left out.
  func checkTokens(_ tokens: [NotificationToken]) throws(StoreError) {
    guard tokens.allSatisfy({ $0.state.store === following.identity }) else {
      throw .tokenOfAnotherStore
    }
  }

  /// Undoes everything that the transaction did. Objects that were added in it are invalidated for good and keep their last
  /// values, which `detached()` copies with all that they led to; their identities are not used again. Objects that were deleted in it are there again.
  public func cancelWrite() {
    guard isInWriteTransaction else { return }
    prepareToTakeBack()
    do {
      try database.rollback()
    } catch {
      // A rollback fails only with the connection: whatever is read next says so.
      fail(error)
    }
    isInWriteTransaction = false
    database.endGuard()
    OpenTransactions.shared.ended(self)
    forgetTakenBack()
    tellOfNothing()
  }

  /// Before what the running transaction did is taken back.
  func prepareToTakeBack() {
    suspendCursors()
    for access in accesses { access?.resetStatements() }
    if let outcome = writing.outcome {
      outcome.lastCopies = LastCopies(of: outcome, in: unreadObjects)
    }
    unreadObjects.read(in: nil)
    cancelIdentities()
  }

  /// After what the transaction did is taken back, which includes what was read of it.
  func forgetTakenBack() {
    let record = following.trackedReads == nil ? nil : ChangeRecord(sink.models)
    sink.reset()
    _ = pending.takeFirst()
    following.watchedModels = []
    clock.changedEverything()
    if let record { following.trackedReads?.tell(record) }
  }

  // MARK: - Reading

  /// Pins a version before something is read.
  /// - Returns: whether reading is possible.
  @inline(__always) func prepareToRead() -> Bool {
    if isInWriteTransaction || snapshot.isReading { return true }
    return beginReading()
  }

  private func beginReading() -> Bool {
    if isClosed { return false }
    do {
      if let outdated = snapshot.outdated { throw outdated }
      var mark: Int64?
      if snapshot.pinsVersions {
        // Before the version is pinned: what comes in between counts as another version.
        mark = try snapshot.versionWatch?.newest()
        try database.begin(.deferred)
        snapshot.isReading = true
      }
      // Also takes the snapshot.
      try noticeOtherWriters(mark: mark)
      if configuration.maximumActiveVersions != nil, snapshot.pinsVersions {
        holdVersion(
          try StrataMetadata.counter(.transaction, of: database),
          "opened at \(location?.description ?? path)")
      }
      return true
    } catch {
      fail(error)
      sharing.keptShare = nil
      try? endReading()
      return false
    }
  }

  func endReading() throws {
    try leaveSharedConnection()
    // A version that only this store holds is not wanted any longer.
    if isKnownUniquelyReferenced(&sharing.keptShare) { sharing.keptShare = nil }
    suspendCursors()
    guard snapshot.isReading else { return }
    // Others may have deleted them.
    unreadObjects.read(atMost: UnreadObjects.maximumReadAhead, in: nil)
    snapshot.isReading = false
    writing.holdsWriteLock = false
    releaseVersion()
    // SQLite ends a transaction by itself where a page could not be read.
    guard database.isInTransaction else { return }
    do {
      try database.commit()
    } catch {
      // Nothing was written: without a transaction the store can be read again.
      try? database.rollback()
      throw error
    }
  }

  /// Whether something could not be read, which the next call that can throws, or nothing can be read any more.
  var cannotRead: Bool {
    lockIfShared()
    defer { unlockIfShared() }
    return isClosed || pending.error != nil
  }

  /// - Parameter mark: what the watch said just before; nil when it was not asked.
  private func noticeOtherWriters(mark: Int64?) throws {
    if database.isImmutable { try checkStanding() }
    let version = try database.dataVersion()
    var isExact = mark != nil
    if snapshot.connectionChanged || sharing.keptShare != nil {
      // Others may have committed between the watch's answer and the snapshot, which is of theirs then.
      isExact = try isExact && snapshot.versionWatch?.newest() == mark
    }
    let isOther =
      snapshot.connectionChanged
      ? !isExact || mark != snapshot.pinMark : version != snapshot.dataVersion
    if isOther {
      try checkTables()
      writing.knownFreeRow = nil
    }
    let isUntold = try hasUntold(mark, isOther)
    if isOther {
      clock.changedEverything()
      // Before the version counts as known: where this fails, the next look finds it new again.
      if let observers = activeObservers { try noteLoggedChanges(of: observers, isUntold) }
    }
    snapshot.connectionChanged = false
    snapshot.dataVersion = version
    snapshot.pinMark = mark
    if !isExact || mark != sharing.frozenMark { sharing.keptShare = nil }
  }

  // MARK: - Changes

  /// Every change of a property goes through here.
  func didChange(_ access: ModelAccess, _ row: Int64, property: Int) {
    sink.updated(row, of: access.index, property: property)
  }

  /// The same where the new value is at hand, and may say that no rule is broken by it.
  func didSet(_ access: ModelAccess, _ row: Int64, property: Int, to value: Value) {
    let isSettled =
      !sink.isRead(access.index, property)
      || writing.rules?.settles(access.index, property, value) ?? false
    sink.updated(row, of: access.index, property: property, isSettled: isSettled)
  }

  /// Before a change of a model's rows: statements that it would mislead are ended.
  func willChange(_ access: ModelAccess) {
    if cursors.isEmpty { return }
    for entry in cursors { entry.unretained._withUnsafeGuaranteedRef { $0.tableWillChange() } }
  }

  func checkInWriteTransaction() throws(StoreError) {
    if isClosed { throw .closed }
    guard isInWriteTransaction else { throw .notInWriteTransaction }
  }
}
