import StrataSQLite
import StrataSchema

extension Object {
  /// Sets a property. Only generated code calls this.
  ///
  /// A managed object is written at once; what SQLite refuses then (a duplicate in a unique property, a full
  /// disk) is thrown by the commit, because a Swift setter cannot throw.
  /// - Precondition: of a managed object, that it was not deleted, and that its store is in a write transaction.
  public final func _generatedSet(_ property: Int, _ cell: consuming _GeneratedCell) {
    // The store holds it: references are not counted.
    guard manager != nil, let access = accessHandle else {
      setStandalone(property, to: StandaloneValue(cell))
      return
    }
    access._withUnsafeGuaranteedRef { set(property, to: cell, $0, $0.store) }
  }

  @inline(__always) private final func set(
    _ property: Int, to cell: _GeneratedCell, _ access: ModelAccess, _ store: Store
  ) {
    guard store.isInWriteTransaction || checkWritable(store, property) else { return }
    do {
      try access.set(property, of: row, to: cell)
      store.unreadObjects.add(self)
    } catch {
      checkExists(store, property)
      store.refuse(error)
    }
  }

  /// A wrong program is told what it did and what to do instead.
  /// - Returns: false where another store of the same file writes on this thread: its commit throws what is wrong.
  final func checkWritable(_ store: Store, _ property: Int) -> Bool {
    if store.isInWriteTransaction { return true }
    if store.failsOtherWriter(model, property) { return false }
    let name = ".\(model.model.properties[property].name)"
    if store.isFrozen {
      misuse("\(model.model.name)\(name) of a frozen object was set: change thaw() instead.")
    }
    if store.isClosed {
      misuse(
        "\(model.model.name)\(name) was set after its store was closed: open the store again, "
          + "or change a detached() copy.")
    }
    misuse(
      "\(model.model.name)\(name) was set outside of a write transaction: "
        + "say store.write { … } around it, or change a detached() copy.")
  }

  /// The same for an object that is not there any more.
  private func checkExists(_ store: Store, _ property: Int) {
    // Of a transaction that was taken back nothing is there; its commit says so.
    guard isGone, !store.hasLostTransaction else { return }
    misuse(
      "\(model.model.name).\(model.model.properties[property].name) of a deleted object was set: "
        + "ask isInvalidated before, or make a new object.")
  }

  /// From now on the object is a row of the store.
  /// - Parameter isRead: whether the caller reads the row at once.
  final func attach(to store: Store, _ access: ModelAccess, row: Int64, isRead: Bool = false) {
    manager = store
    accessHandle = .passUnretained(access)
    givenRow = row
    outcome = store.outcome(of: row)
    generation = 0
    if isRead {
      if outcome != nil { store.unreadObjects.addRead(self) }
      return
    }
    if store.isFrozen {
      // Read now, it is the same for all threads that look at it; and it is never deleted.
      readRow(of: store)
    } else {
      store.unreadObjects.add(self)
    }
  }

  /// An object that a cursor takes to its next row.
  @inline(__always) final func move(to row: Int64, in store: Store) {
    givenRow = row
    if outcome == nil && row < store.writing.firstNewRow { return }
    outcome = store.outcome(of: row)
    if outcome != nil { store.unreadObjects.addRead(self) }
  }

  /// Undoes `attach` when the row could not be inserted.
  final func detachFromStore() {
    manager?.unreadObjects.remove(self)
    manager = nil
    accessHandle = nil
    givenRow = 0
    outcome = nil
    generation = 0
    collections = []
  }
}
