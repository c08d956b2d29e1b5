/// What observers of a collection are told.
public enum CollectionChange<Observed: ObservedCollection> {
  /// The collection as it is when the observation begins.
  case initial(Observed)
  /// What has happened since the last call, all in one, by positions (of a map: by keys).
  ///
  /// - `deletions` were in the collection before: positions in the old collection.
  /// - `insertions` are new in it: positions in the new one.
  /// - `modifications` were changed and are in both: positions in the old collection, as a table view's reloads take them.
  ///   ``modificationsInNew`` has their positions in the new one.
  /// - `moves` lead from an old position to a new one; what moved is neither deleted nor inserted. What moved and was changed is
  ///   among the modifications, too.
  ///
  /// Taking what was deleted or moved away out of the old collection, from the last to the first, and putting what was
  /// inserted or moved in, from the first to the last, gives the new one. All are sorted, and one of them holds
  /// something: an element that is set to the value that it has is no change of the collection. A property of an object that is set to
  /// the value that it has is one, as for `ObjectChange`: what was written is not compared with what was there.
  case update(
    Observed, deletions: [Observed.ChangedPlace], insertions: [Observed.ChangedPlace],
    modifications: [Observed.ChangedPlace], moves: [CollectionMove])
  /// The collection cannot be read any more; the observation is over.
  case error(StoreError)
}

/// An element that stands somewhere else in a collection than before.
public struct CollectionMove: Hashable, Sendable {
  /// Its position before.
  public var from: Int
  /// Its position now.
  public var to: Int

  public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

/// The changes of a collection without the collection: what may travel.
public enum CollectionChangeSet<Observed: ObservedCollection>: Sendable {
  /// The collection as a reference, for ``Store/resolve(_:)-(CollectionReference<Collection>)``.
  case initial(CollectionReference<Observed>)
  /// As in ``CollectionChange/update(_:deletions:insertions:modifications:moves:)``.
  case update(
    CollectionReference<Observed>, deletions: [Observed.ChangedPlace],
    insertions: [Observed.ChangedPlace], modifications: [Observed.ChangedPlace],
    moves: [CollectionMove])
  case error(StoreError)
}

/// What observers of an object are told.
public enum ObjectChange<Observed: Object> {
  /// Properties were set, also to the values that they had.
  case change(Observed, [PropertyChange])
  /// The object was deleted; the observation is over.
  case deleted
  /// The object cannot be read any more; the observation is over.
  case error(StoreError)
}

/// A property that was set.
public struct PropertyChange {
  public var name: String
  /// The value when the observer was called last, or began; nil for nil and for collections.
  public var oldValue: Any?
  /// The value now; a collection is itself.
  public var newValue: Any?
}

/// The changes of an object without the object: what may travel.
public enum ObjectChangeSet<Observed: Object>: Sendable {
  case change(ObjectReference<Observed>, [PropertyChangeValues])
  case deleted
  case error(StoreError)
}

/// A property that was set, with values that may travel; links are references.
public struct PropertyChangeValues: Sendable {
  public var name: String
  public var oldValue: (any Sendable)?
  public var newValue: (any Sendable)?
}

/// What observers of a store are told.
public enum StoreChange: Hashable, Sendable {
  /// A transaction has changed objects of these models, by name.
  case didChange(models: Set<String>)
  /// The store cannot move on: another process has upgraded the file. The observation is over.
  case error(StoreError)
}
