/// The changes of a collection, one after the other.
public struct CollectionChanges<Observed: ObservedCollection>: AsyncSequence {
  public typealias Element = CollectionChange<Observed>
  public typealias Failure = StoreError

  private let observed: Observed
  private let keyPaths: [String]?

  init(_ observed: Observed, keyPaths: [String]?) {
    self.observed = observed
    self.keyPaths = keyPaths
  }

  public func makeAsyncIterator() -> Iterator { Iterator(observed, keyPaths) }

  public struct Iterator: AsyncIteratorProtocol {
    private let observed: Observed
    private let keyPaths: [String]?
    private var waiter: DifferenceWaiter<CollectionDifference<Observed.ChangedPlace>>?

    init(_ observed: Observed, _ keyPaths: [String]?) {
      self.observed = observed
      self.keyPaths = keyPaths
    }

    /// - Throws: what ``ObservedCollection/observe(keyPaths:isolation:_:)-([String]?,_,_)`` throws, and what cannot be read
    public mutating func next() async throws(StoreError) -> Element? {
      try await next(isolation: nil)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> Element? {
      guard let waiter else {
        let observation = observed._generatedObservation
        let store = try Store.observed(observation.store, observation.name)
        waiter = try DifferenceWaiter(try observation.makeSource(keyPaths, in: store), store)
        return .initial(observed)
      }
      return try await waiter.next(isolation: actor).map { .update(observed, $0) }
    }
  }
}

/// The changes of an object, one after the other.
public struct ObjectChanges<Observed: Object>: AsyncSequence {
  public typealias Element = ObjectChange<Observed>
  public typealias Failure = StoreError

  private let observed: Observed
  private let keyPaths: [String]?

  init(_ observed: Observed, keyPaths: [String]?) {
    self.observed = observed
    self.keyPaths = keyPaths
  }

  public func makeAsyncIterator() -> Iterator { Iterator(observed, keyPaths) }

  public struct Iterator: AsyncIteratorProtocol {
    private let observed: Observed
    private let keyPaths: [String]?
    private var waiter: DifferenceWaiter<ObjectDifference>?
    private var isOver = false

    init(_ observed: Observed, _ keyPaths: [String]?) {
      self.observed = observed
      self.keyPaths = keyPaths
    }

    public mutating func next() async throws(StoreError) -> Element? {
      try await next(isolation: nil)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> Element? {
      if isOver { return nil }
      if waiter == nil {
        let (store, source) = try observed.observation(keyPaths)
        waiter = try DifferenceWaiter(source, store)
      }
      guard let difference = try await waiter?.next(isolation: actor) else { return nil }
      if case .deleted = difference { isOver = true }
      return ObjectChange(observed, difference)
    }
  }
}

/// Waits for a difference in the task that asks for it, which moves the store on itself.
final class DifferenceWaiter<Difference> {
  private let observer: WaitingObserver<Difference>
  private let store: Store
  private let token: NotificationToken
  private var signals: AsyncStream<Void>.Iterator

  init(_ source: DifferenceSource<Difference>, _ store: Store) throws(StoreError) {
    self.store = store
    let state = ObservationState(of: store.following.identity)
    token = NotificationToken(state, keeping: nil)
    let signals = store.listen().signals()
    self.signals = signals.stream.makeAsyncIterator()
    observer = try store.wait(for: source, state, signals.wake)
  }

  /// The next difference; nil when the task was cancelled or the store closed.
  func next(isolation: isolated (any Actor)?) async throws(StoreError) -> Difference? {
    while !Task.isCancelled {
      if store.isClosed { return nil }
      if !store.isInWriteTransaction {
        let hasMoved = try moveOn()
        // An observer that was called meanwhile may have closed the store, of which nothing can be compared any more.
        if store.isClosed { return nil }
        if hasMoved, let difference = try difference() { return difference }
      }
      guard await signals.next(isolation: isolation) != nil else { return nil }
    }
    return nil
  }

  /// - Returns: whether the store could move on. Another connection may hold the file: what it does is told when it has done it.
  private func moveOn() throws(StoreError) -> Bool {
    do throws(StoreError) {
      // What could not be read before keeps nothing from being told.
      try store.withoutEarlierError { () throws(StoreError) in _ = try store.refresh() }
      return true
    } catch .busy {
      return false
    } catch {
      throw error
    }
  }

  private func difference() throws(StoreError) -> Difference? {
    try store.translatingErrors { try observer.difference() }
  }
}
