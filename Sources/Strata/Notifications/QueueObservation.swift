public import Dispatch
import StrataSchema

extension ObservedCollection {
  /// Calls a function on a queue, with what may travel: changes by position, and the collection as a reference. It is called soon with
  /// `.initial`, and with `.update` soon after any connection has committed, without a call of `refresh()`.
  ///
  /// One call is made at a time. What happens while the queue is busy comes as one change.
  ///
  /// - Parameters:
  ///   - keyPaths: as with ``observe(keyPaths:isolation:_:)-([String]?,_,_)``.
  ///   - queue: where the function is called.
  ///   - block: is called on the queue.
  /// - Throws: as ``observe(keyPaths:isolation:_:)-([String]?,_,_)``
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue,
    _ block: @escaping @Sendable (CollectionChangeSet<Self>) -> Void
  ) throws(StoreError) -> NotificationToken {
    let observation = _generatedObservation
    let store = try Store.observed(observation.store, observation.name)
    _ = try observation.makeSource(keyPaths, in: store)
    let reference = observation.reference
    // "A list" as part of the sentence that it was deleted.
    let owner = "owner of \(observation.name.prefix(1).lowercased())\(observation.name.dropFirst())"
    return QueueObservation.begin(
      store, on: queue, fail: { error in block(.error(error)) },
      gone: { block(.error(.invalidated(model: owner))) },
      { store, state, wake throws(StoreError) -> QueueObservation.Calls? in
        guard let collection = store.resolve(reference) else { return nil }
        let source = try collection._generatedObservation.makeSource(keyPaths, in: store)
        let observer = try store.wait(for: source, state, wake)
        func next() throws -> QueueObservation.Call? {
          guard let difference = try observer.difference() else { return nil }
          return {
            block(
              .update(
                reference, deletions: difference.deletions, insertions: difference.insertions,
                modifications: difference.modifications, moves: difference.moves))
          }
        }
        return QueueObservation.Calls(
          observer: observer, first: { block(.initial(reference)) }, next: next)
      })
  }
}

extension ObservedObject {
  /// Calls a function on a queue, with what may travel: the object as a reference, and the values of properties, links as
  /// references. It is called soon after any connection has committed, without a call of `refresh()`. One call is made at a time; what
  /// happens while the queue is busy comes as one change.
  ///
  /// - Throws: as ``observe(keyPaths:isolation:_:)-([String]?,_,_)``
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue,
    _ block: @escaping @Sendable (ObjectChangeSet<Self>) -> Void
  ) throws(StoreError) -> NotificationToken {
    let (store, source) = try observation(keyPaths)
    let reference = try ObjectReference(to: self)
    // What is changed before the observation's store has looked is told, too.
    let seen = try store.transactionSeen()
    source.start()
    let values = source.values
    return QueueObservation.begin(
      store, on: queue, fail: { error in block(.error(error)) }, gone: { block(.deleted) },
      { store, state, wake throws(StoreError) -> QueueObservation.Calls? in
        guard let object = store.resolve(reference) else { return nil }
        let (store, source) = try object.observation(keyPaths)
        let observer = try store.wait(for: source, state, wake)
        source.values = values
        try store.note(since: seen, for: observer)
        func next() throws -> QueueObservation.Call? {
          guard let difference = try observer.difference() else { return nil }
          let change = ObjectChangeSet(object, reference, difference)
          return { block(change) }
        }
        return QueueObservation.Calls(observer: observer, first: nil, next: next)
      })
  }
}

extension ObjectChangeSet {
  init(_ object: Observed, _ reference: ObjectReference<Observed>, _ difference: ObjectDifference) {
    switch difference {
    case .deleted: self = .deleted
    case .change(let properties):
      self = .change(
        reference,
        properties.map { property in
          let access = object.managedAccess
          func travelling(_ cell: _GeneratedCell?) -> (any Sendable)? {
            cell.flatMap { AnyValue($0).travelling }
          }
          return PropertyChangeValues(
            name: object.model.model.properties[property.property].name,
            oldValue: travelling(
              property.old.flatMap { access?.formerCell($0, of: property.property) }),
            newValue: travelling(property.new.flatMap { access?.cell($0, of: property.property) }))
        })
    }
  }
}

/// An observation on a queue: it looks at a store that it shares with others, and calls the observer's function on its queue, one call at a
/// time, so that what happens during a call comes as one change.
// The observer and what is known of the calls are touched on the shared store's queue only.
final class QueueObservation: @unchecked Sendable {
  typealias Call = @Sendable () -> Void

  /// What is to be called.
  struct Calls {
    let observer: Observer
    /// At the beginning.
    let first: Call?
    /// What tells all that is pending; nil for nothing.
    let next: () throws -> Call?
  }

  typealias SetUp =
    @Sendable (Store, ObservationState, _ wake: @escaping () -> Void) throws(StoreError) -> Calls?

  private let shared: QueueStore
  private let queue: DispatchQueue
  private let state: ObservationState
  private let fail: @Sendable (StoreError) -> Void
  private let gone: Call
  private var calls: Calls?
  /// Whether the queue has a call that has not returned.
  private var isCalling = false
  /// What is to be called behind the call that has not returned, and nothing after it.
  private var last: Call?

  private init(
    _ store: Store, _ queue: DispatchQueue, fail: @escaping @Sendable (StoreError) -> Void,
    gone: @escaping Call
  ) {
    self.queue = queue
    self.fail = fail
    self.gone = gone
    shared = QueueStore.join(store)
    state = ObservationState(of: store.following.identity)
  }

  /// - Parameters:
  ///   - gone: tells that what was to be observed is not there any more.
  ///   - setUp: adds the observer to the store that it gets; nil where there is nothing to observe.
  static func begin(
    _ store: Store, on queue: DispatchQueue, fail: @escaping @Sendable (StoreError) -> Void,
    gone: @escaping Call, _ setUp: @escaping SetUp
  ) -> NotificationToken {
    let observation = QueueObservation(store, queue, fail: fail, gone: gone)
    let state = observation.state
    observation.shared.work.async { observation.start(setUp) }
    return NotificationToken(state, keeping: nil)
  }

  private func start(_ setUp: SetUp) {
    if state.isActive {
      do throws(StoreError) {
        let store = try shared.newest()
        shared.add(self)
        calls = try setUp(store, state) { [weak self] in self?.callNext() }
        try store.throwPendingError()
        if calls == nil { stop(gone) }
        if let first = calls?.first { call(first) }
        callNext()
      } catch {
        // What it left unsaid is not about the others.
        try? shared.store?.throwPendingError()
        stop(error)
      }
    }
    // Keeps the observation until then.
    state.whenItEnds { self.shared.work.async { self.end() } }
  }

  /// Tells what is pending, unless a call is being made: then after it.
  private func callNext() {
    guard !isCalling, state.isActive, let calls, let store = shared.store else { return }
    do {
      if let next = try calls.next() { call(next) }
      // What could not be read ends this observation, and not the others that share the store.
      try store.throwPendingError()
    } catch {
      try? store.throwPendingError()
      stop(store.storeError(error))
    }
  }

  private func call(_ function: @escaping Call) {
    isCalling = true
    queue.async {
      if self.state.isWanted { function() }
      self.shared.work.async {
        self.isCalling = false
        if let last = self.last {
          self.last = nil
          self.callLast(last)
        } else {
          self.callNext()
        }
      }
    }
  }

  /// Tells why nothing follows.
  func stop(_ error: StoreError) {
    let fail = fail
    stop { fail(error) }
  }

  private func stop(_ last: @escaping Call) {
    guard state.isActive else { return }
    state.end()
    if isCalling { self.last = last } else { callLast(last) }
  }

  private func callLast(_ last: @escaping Call) {
    let state = state
    queue.async { if state.isWanted { last() } }
  }

  private func end() {
    calls = nil
    shared.leave(self)
  }
}
