public import Dispatch
import StrataSchema
import Synchronization

extension ObservedCollection {
  /// Calls a function on a queue, with what may travel: changes by position, and the collection as a reference. It is called soon with
  /// `.initial`, and with `.update` soon after any connection has committed, without a call of `refresh()`.
  ///
  /// - Parameters:
  ///   - keyPaths: as with `observe(keyPaths:isolation:_:)`.
  ///   - queue: a serial one gets the changes in their order.
  ///   - block: is called on the queue.
  /// - Throws: as `observe(keyPaths:isolation:_:)`
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue,
    _ block: @escaping @Sendable (CollectionChangeSet<Self>) -> Void
  ) throws(StoreError) -> NotificationToken {
    let observation = generatedObservation
    let store = try Store.observed(observation.store, observation.name)
    _ = try observation.makeSource(keyPaths, in: store)
    let reference = observation.reference
    return QueueObservation.begin(
      store, fail: { error in queue.async { block(.error(error)) } },
      { store, state throws(StoreError) in
        guard let collection = store.resolve(reference) else { return nil }
        let source = try collection.generatedObservation.makeSource(keyPaths, in: store)
        let observer = try store.observe(
          source, state,
          tell: { difference in
            queue.async {
              block(
                .update(
                  reference, deletions: difference.deletions, insertions: difference.insertions,
                  modifications: difference.modifications, moves: difference.moves))
            }
          },
          fail: { error in queue.async { block(.error(error)) } })
        queue.async { block(.initial(reference)) }
        return observer
      })
  }
}

extension ObservedObject {
  /// Calls a function on a queue, with what may travel: the object as a reference, and the values of properties, links as
  /// references. It is called soon after any connection has committed, without a call of `refresh()`.
  ///
  /// - Throws: as ``observe(keyPaths:isolation:_:)-([String]?,_,_)``
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue,
    _ block: @escaping @Sendable (ObjectChangeSet<Self>) -> Void
  ) throws(StoreError) -> NotificationToken {
    let (store, _) = try observation(keyPaths)
    let reference = try ObjectReference(to: self)
    return QueueObservation.begin(
      store, fail: { error in queue.async { block(.error(error)) } },
      { store, state throws(StoreError) in
        guard let object = store.resolve(reference) else { return nil }
        let (store, source) = try object.observation(keyPaths)
        let observer = try store.observe(
          source, state,
          tell: { difference in
            let change = ObjectChangeSet(object, reference, difference)
            queue.async { block(change) }
          },
          fail: { error in queue.async { block(.error(error)) } })
        return observer
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
          func travelling(_ value: Value?) -> (any Sendable)? {
            guard let value, let cell = object.managedAccess?.cell(value, of: property.property)
            else { return nil }
            return AnyValue(cell).travelling
          }
          return PropertyChangeValues(
            name: object.model.model.properties[property.property].name,
            oldValue: travelling(property.old), newValue: travelling(property.new))
        })
    }
  }
}

/// An observation with a store of its own, which lives on a queue of its own.
// The store is touched on `work` only.
final class QueueObservation: @unchecked Sendable {
  private let work = DispatchQueue(label: "strata.observe")
  private let configuration: Store.Configuration
  private let file: String
  private let state: ObservationState
  private let isWoken = Atomic<Bool>(false)
  private var store: Store?
  private var listener: Int?
  private var observer: Observer?

  private init(_ store: Store) {
    var configuration = store.configuration
    // It follows the newest version, and holds none up.
    configuration.maximumActiveVersions = nil
    self.configuration = configuration
    file = store.fileKey
    state = ObservationState(of: store.identity)
  }

  /// - Parameter setUp: adds the observer to the store that it gets.
  static func begin(
    _ store: Store, fail: @escaping @Sendable (StoreError) -> Void,
    _ setUp: @escaping @Sendable (Store, ObservationState) throws(StoreError) -> Observer?
  ) -> NotificationToken {
    let observation = QueueObservation(store)
    let state = observation.state
    observation.work.async { observation.start(fail, setUp) }
    return NotificationToken(state, keeping: nil)
  }

  private func start(
    _ fail: @Sendable (StoreError) -> Void,
    _ setUp: @Sendable (Store, ObservationState) throws(StoreError) -> Observer?
  ) {
    guard state.isActive else { return }
    do throws(StoreError) {
      let store = try Store(configuration: configuration)
      self.store = store
      let path = configuration.inMemoryIdentifier == nil ? store.path : nil
      listener = CommitSignals.shared.listen(to: file, at: path) { [weak self] in self?.wake() }
      observer = try setUp(store, state)
      // Another connection may have committed before the listener was added.
      store.catchUp()
    } catch {
      state.end()
      fail(error)
    }
    // Keeps the observation until then.
    state.whenItEnds { self.work.async { self.end() } }
  }

  private func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    work.async {
      self.isWoken.store(false, ordering: .releasing)
      guard self.state.isActive else { return }
      self.store?.catchUp()
    }
  }

  private func end() {
    if let listener { CommitSignals.shared.stop(listener, file) }
    listener = nil
    observer = nil
    store?.close()
    store = nil
  }
}
