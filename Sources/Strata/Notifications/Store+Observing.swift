import StrataSchema

extension Store {
  /// The store of what is to be observed.
  ///
  /// - Throws: `StoreError.cannotObserve`
  static func observed(_ store: Store?, _ name: String) throws(StoreError) -> Store {
    guard let store else {
      throw .cannotObserve(what: name, reason: "it belongs to no store: add it first")
    }
    if store.isClosed { throw .closed }
    if store.isFrozen {
      throw .cannotObserve(
        what: name, reason: "it is frozen and never changes: observe thaw() of it")
    }
    if store.configuration.readOnly {
      throw .cannotObserve(
        what: name, reason: "its store was opened read-only: open one that may write")
    }
    if store.isInWriteTransaction {
      throw .cannotObserve(
        what: name, reason: "its store is in a write transaction: observe before or after it")
    }
    return store
  }

  /// Adds an observer that is called, for as long as it is kept.
  func observe<Difference>(
    _ source: DifferenceSource<Difference>, _ state: ObservationState,
    tell: @escaping (Difference) -> Void, fail: @escaping (StoreError) -> Void
  ) throws(StoreError) -> Observer {
    try translatingErrors {
      let observers = try startObserving()
      try source.start()
      let observer = CallingObserver(source, of: self, state, tell: tell, fail: fail)
      observers.add(observer)
      return observer
    }
  }

  /// Makes the first call of an observer that was added.
  func beginCalls(of observer: Observer, _ call: () -> Void) {
    if let observers = following.observers { observers.begin(with: observer, call) } else { call() }
  }

  /// Adds an observer that compares when it is asked.
  func wait<Difference>(
    for source: DifferenceSource<Difference>, _ state: ObservationState,
    _ wake: @escaping () -> Void
  ) throws(StoreError) -> WaitingObserver<Difference> {
    let observer = WaitingObserver(source, state, wake)
    try translatingErrors {
      let observers = try startObserving()
      try source.start()
      observers.add(observer)
    }
    return observer
  }

  /// The newest transaction of the version on which the store stands.
  func transactionSeen() throws(StoreError) -> Int64 {
    guard prepareToRead() else {
      try throwPendingError()
      throw .closed
    }
    lockIfShared()
    defer { unlockIfShared() }
    return try translatingErrors { try StrataMetadata.counter(.transaction, of: database) }
  }

  /// Lets an observer know what has happened since another store has looked.
  func note(since transaction: Int64, for observer: Observer) throws(StoreError) {
    try translatingErrors {
      let newest = try StrataMetadata.counter(.transaction, of: database)
      if newest == transaction { return }
      let entries = try ChangeLog.entries(after: transaction, newest: newest, in: database)
      following.observers?.note(
        entries.map { ChangeRecord($0, of: definition.schema) }
          ?? .everything(of: definition.schema),
        for: observer)
    }
  }

  /// Calls a function whenever a transaction has changed something: after each commit of this store, and when it moves on to
  /// what others have written. The last call is ``StoreChange/error(_:)`` where another process has upgraded the file.
  ///
  /// ```swift
  /// token = try store.observe { change, store in
  ///   switch change {
  ///   case .didChange(let models): refresh(models)
  ///   case .error(let error): show(error)
  ///   }
  /// }
  /// ```
  /// - Returns: a token; the observation ends with it.
  /// - Throws: `StoreError.cannotObserve` inside of a write, on a read-only or frozen store
  public func observe(
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping (StoreChange, Store) -> Void
  ) throws(StoreError) -> NotificationToken {
    let store = try Self.observed(self, "A store")
    let state = ObservationState(of: following.identity)
    // A token does not keep a store alive.
    let observer = try store.observe(
      StoreSource(definition.schema), state,
      tell: { [weak store] change in
        if let store { block(change, store) }
      },
      fail: { [weak store] error in
        if let store { block(.error(error), store) }
      })
    store.claim(isolation)
    store.followOthers(isolation: isolation)
    return NotificationToken(state, keeping: observer)
  }
}

/// What a store's observers are told.
final class StoreSource: DifferenceSource<StoreChange> {
  private let schema: Schema

  init(_ schema: Schema) { self.schema = schema }

  override func difference(_ record: ChangeRecord) -> StoreChange? {
    .didChange(models: Set(record.models.keys.map { schema.models[$0].name }))
  }
}
