import StrataSchema

/// What can be observed as a collection: results, lists, sets, maps and the objects that link to one. Only Strata's own types
/// are.
public protocol ObservedCollection: SendableMetatype {
  /// How a place in it is named: by position, in a map by key.
  associatedtype ChangedPlace: Hashable & Sendable
  /// What it holds.
  associatedtype ObservedElement
  /// How it is observed; for Strata's own use.
  var _generatedObservation: _GeneratedObservation<Self> { get }
}

/// How a collection is observed; only Strata makes one.
public struct _GeneratedObservation<Observed: ObservedCollection> {
  /// Nil for one that belongs to nothing.
  let store: Store?
  /// What it is, for messages.
  let name: String
  /// The model of its objects; nil when it holds values.
  let elements: ModelAccess?
  let source: (WatchedPaths) -> CollectionSource<Observed.ChangedPlace>
  /// The same collection in another store.
  let reference: CollectionReference<Observed>

  /// - Throws: `StoreError.invalidQuery`
  func makeSource(
    _ keyPaths: [String]?, in store: Store
  ) throws(StoreError) -> CollectionSource<Observed.ChangedPlace> {
    guard let keyPaths else { return source(WatchedPaths()) }
    guard let elements else {
      throw .invalidQuery(
        text: keyPaths.joined(separator: ", "),
        problem: "\(name) holds values, which have no properties")
    }
    return source(try WatchedPaths(keyPaths, of: elements.model, in: store.definition.schema))
  }
}

extension ObservedCollection {
  /// Calls a function now with `.initial`, and with `.update` whenever the collection or one of its objects has changed.
  ///
  /// Changes by this store are told when they are committed, changes by others when the store moves on: with `refresh()`
  /// or a write; on an actor, the main actor included, soon and without either. Everything that has happened since the last
  /// call comes as one. The function runs in the isolation of the caller and gets this collection, which stands on the
  /// version that is told.
  ///
  /// ```swift
  /// token = try people.observe { change in
  ///   switch change {
  ///   case .initial(let people): table.show(people)
  ///   case .update(_, let deletions, let insertions, let modifications, let moves):
  ///     table.animate(deletions, insertions, modifications, moves)
  ///   case .error(let error): show(error)
  ///   }
  /// }
  /// ```
  /// - Parameters:
  ///   - keyPaths: which properties of the objects count as modifications, as `"name"` or `"dogs.age"`; nil for
  ///     all, and all of what links lead to, up to four links.
  ///   - isolation: the actor on which the block is called; that of the caller.
  ///   - block: is called with `.initial`, and then after each change.
  /// - Returns: a token; the observation ends with it.
  /// - Throws: `StoreError.cannotObserve` inside of a write, on a read-only or frozen store and on what belongs to no
  ///   store; `.invalidQuery` for a key path
  public func observe(
    keyPaths: [String]? = nil, isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping (CollectionChange<Self>) -> Void
  ) throws(StoreError) -> NotificationToken {
    let observation = _generatedObservation
    let store = try Store.observed(observation.store, observation.name)
    let source = try observation.makeSource(keyPaths, in: store)
    let state = ObservationState(of: store.following.identity)
    let observer = try store.observe(
      source, state,
      tell: { block(.update(self, $0)) },
      fail: { block(.error($0)) })
    store.claim(isolation)
    store.followOthers(isolation: isolation)
    store.beginCalls(of: observer) { block(.initial(self)) }
    return NotificationToken(state, keeping: observer)
  }

  /// The same with key paths that the compiler checks: `[\Dog.name]`.
  public func observe(
    keyPaths: [PartialKeyPath<ObservedElement>], isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping (CollectionChange<Self>) -> Void
  ) throws(StoreError) -> NotificationToken where ObservedElement: Object {
    try observe(
      keyPaths: ObservedElement._generatedModel.names(of: keyPaths), isolation: isolation, block)
  }

  /// The changes one after the other, `.initial` first; what happens between two requests comes as one.
  ///
  /// ```swift
  /// for try await change in people.changes { … }
  /// ```
  /// The sequence moves its store on to what others write, and ends with the task.
  public var changes: CollectionChanges<Self> { CollectionChanges(self, keyPaths: nil) }

  /// The changes one after the other, as ``observe(keyPaths:isolation:_:)-([String]?,_,_)`` tells them.
  public func changes(keyPaths: [String]) -> CollectionChanges<Self> {
    CollectionChanges(self, keyPaths: keyPaths)
  }
}

extension CollectionChange {
  static func update(
    _ observed: Observed, _ difference: CollectionDifference<Observed.ChangedPlace>
  ) -> CollectionChange {
    .update(
      observed, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications, moves: difference.moves)
  }
}

extension _GeneratedModel {
  /// The properties that key paths read.
  func names<Root: Object>(of keyPaths: [PartialKeyPath<Root>]) -> [String] {
    keyPaths.map { model.properties[KeyPathProperties.property(of: $0, self)].name }
  }
}
