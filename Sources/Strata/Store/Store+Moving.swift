// Moving to another version, without a transaction.
extension Store {
  /// Moves to the newest version of the data.
  ///
  /// - Returns: whether anything had changed.
  /// - Throws: ``StoreError``
  @discardableResult
  public func refresh() throws(StoreError) -> Bool { try refresh(tellingRest: true) }

  /// - Parameter tellingRest: whether observers are told what is left of writes that they made each other do, where others have done nothing.
  func refresh(tellingRest: Bool) throws(StoreError) -> Bool {
    if isClosed { throw .closed }
    defer { endObserversWhereOutdated() }
    try throwPendingError()
    // Behind a write lock nothing is newer.
    if isInWriteTransaction || isFrozen || writing.holdsWriteLock { return false }
    if let outdated = snapshot.outdated { throw outdated }
    let (hasMoved, hasCopiedLog) = try translatingErrors {
      if let observers = activeObservers { try lookForChanges(observers) }
      try endReading()
      let hasCopiedLog = copyLongLog()
      let before = generation
      _ = prepareToRead()
      try throwPendingError()
      return (generation != before, hasCopiedLog)
    }
    if hasCopiedLog { CommitSignals.shared.signal(fileKey) }
    if let observers = activeObservers, tellingRest || !observers.hasOnlyRest {
      observers.deliver()
    }
    return hasMoved
  }

  /// Lets go of the version that the store stands on, so that the file need not keep it. The next read takes the newest.
  ///
  /// A frozen store stays as it is: its version goes with the last of its objects.
  ///
  /// - Throws: `StoreError.alreadyInWriteTransaction` inside of a write transaction, which goes on.
  public func invalidate() throws(StoreError) {
    if isFrozen { return }
    if isInWriteTransaction { throw .alreadyInWriteTransaction }
    try translatingErrors { try endReading() }
    sharing.keptShare = nil
    // What was read may be of a version that is not there any more.
    clock.changedEverything()
  }
}
