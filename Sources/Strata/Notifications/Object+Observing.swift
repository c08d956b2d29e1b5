import StrataSchema

/// What can be observed as an object.
public protocol ObservedObject: Object {}

extension Object: ObservedObject {}

extension ObservedObject {
  /// Calls a function whenever a property of the object is set, also to the value that it has, and when the object is deleted.
  /// There is no first call.
  ///
  /// When it is called, and where, is as with collections: see
  /// ``ObservedCollection/observe(keyPaths:isolation:_:)-([String]?,_,_)``.
  ///
  /// ```swift
  /// token = try person.observe { change in
  ///   switch change {
  ///   case .change(let person, let properties):
  ///     for property in properties { print(property.name, property.oldValue, property.newValue) }
  ///   case .deleted: close()
  ///   case .error(let error): show(error)
  ///   }
  /// }
  /// ```
  /// - Parameters:
  ///   - keyPaths: which properties are of interest, as `"name"`; `"dogs.age"` is about `dogs` and the ages of those
  ///     in it. Nil for all own properties.
  ///   - isolation: the actor on which the block is called; that of the caller.
  ///   - block: is called after each change, and once when the object is deleted.
  /// - Returns: a token; the observation ends with it.
  /// - Throws: `StoreError.cannotObserve` inside of a write, on a read-only or frozen store and on an object that belongs to
  ///   no store; `.invalidated`, `.invalidQuery` for a key path
  public func observe(
    keyPaths: [String]? = nil, isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) throws(StoreError) -> NotificationToken {
    let (store, source) = try observation(keyPaths)
    let state = ObservationState(of: store.following.identity)
    let observer = try store.observe(
      source, state,
      tell: { block(ObjectChange(self, $0)) },
      fail: { block(.error($0)) })
    store.claim(isolation)
    store.followOthers(isolation: isolation)
    return NotificationToken(state, keeping: observer)
  }

  /// The same with key paths that the compiler checks: `[\.name]`.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) throws(StoreError) -> NotificationToken {
    try observe(keyPaths: model.names(of: keyPaths), isolation: isolation, block)
  }

  /// The changes one after the other; what happens between two requests comes as one. The sequence ends after `.deleted`.
  public func changes(keyPaths: [String]? = nil) -> ObjectChanges<Self> {
    ObjectChanges(self, keyPaths: keyPaths)
  }

  func observation(_ keyPaths: [String]?) throws(StoreError) -> (Store, ObjectSource) {
    let model = model.model
    let store = try Store.observed(manager, "A \(model.name)")
    guard !isInvalidated, let access = managedAccess else { throw .invalidated(model: model.name) }
    let paths = try keyPaths.map { paths throws(StoreError) in
      try WatchedPaths(paths, of: model, in: store.definition.schema)
    }
    return (store, ObjectSource(self, access, paths))
  }
}

/// What has happened to an object.
enum ObjectDifference {
  case change([PropertyDifference])
  case deleted
}

struct PropertyDifference {
  let property: Int
  /// Nil for collections.
  let old: Value?
  let new: Value?
}

extension ObjectChange {
  init(_ object: Observed, _ difference: ObjectDifference) {
    switch difference {
    case .deleted: self = .deleted
    case .change(let properties):
      self = .change(
        object,
        properties.map { difference in
          let name = object.model.model.properties[difference.property].name
          return PropertyChange(
            name: name,
            oldValue: difference.old.flatMap {
              object.managedAccess?.formerCell($0, of: difference.property)
            }.flatMap { AnyValue($0).payload },
            newValue: object.anyValue(named: name))
        })
    }
  }
}

/// One object.
final class ObjectSource: DifferenceSource<ObjectDifference> {
  private let object: Object
  private unowned(unsafe) let access: ModelAccess
  private let paths: WatchedPaths?
  /// By property; nil for what has no column.
  var values: [Value?] = []
  /// The values when it looked last without telling; nil where they are told.
  private var looked: [Value?]?
  /// Whether the object was gone when it looked last without telling, which is told later.
  private var isGoneUntold = false
  /// Whether the observer has deleted the object itself, and is not told.
  private var isSkipped = false

  init(_ object: Object, _ access: ModelAccess, _ paths: WatchedPaths?) {
    self.object = object
    self.access = access
    self.paths = paths
  }

  override var scope: ObservationScope {
    .object(
      .init(model: access.index, row: object.row),
      andAllOf: paths?.leadToOthers == true ? access.reachableModels : [])
  }

  override func start() { values = current() }

  override var hasEnded: Bool { isSkipped }

  override func skip(_ record: ChangeRecord) throws -> () -> Void {
    guard record.touches(object.row, in: access.index) else { return {} }
    let (old, before, wasSkipped) = (values, looked, isSkipped)
    // A row that could not be read counts as missing, too.
    let isDeleted = try !isGoneUntold && object.isGone && !access.exists(object.row)
    let now = current()
    if let before {
      looked = now
      // What was set before and is not told yet is told later, with the value that was told.
      values = old.indices.map { old[$0] == before[$0] ? now[$0] : old[$0] }
    } else {
      values = now
    }
    isSkipped = wasSkipped || isDeleted
    return { [weak self] in
      self?.values = old
      self?.looked = before
      self?.isSkipped = wasSkipped
    }
  }

  override func look(_ record: ChangeRecord) {
    looked = record.touches(object.row, in: access.index) ? current() : looked ?? values
    if !isSkipped { isGoneUntold = object.isGone }
  }

  /// Whether a change may concern the object, or what the key paths lead to.
  private func mayConcern(_ record: ChangeRecord) -> Bool {
    record.touches(object.row, in: access.index) || paths?.leadToOthers == true
  }

  private func current() -> [Value?] {
    access.model.properties.indices.map { object.storedValue(at: $0) }
  }

  override func isLast(_ difference: ObjectDifference) -> Bool {
    if case .deleted = difference { return true }
    return false
  }

  override func difference(_ record: ChangeRecord) throws -> ObjectDifference? {
    looked = nil
    guard !isSkipped, mayConcern(record) else { return nil }
    if object.isGone {
      let store = access.store
      // A row that could not be read counts as missing, too. An error that waits to be thrown may be about something else.
      if store.prepareToRead(), try !access.exists(object.row) { return .deleted }
      try store.throwPendingError()
      return .deleted
    }
    let old = values
    values = current()
    let set = record.properties(of: object.row, in: access.index)
    var changed: [Int] = []
    for property in access.model.properties.indices where access.model.properties[property].isStored
    {
      if let paths, paths.properties?.contains(property) != true { continue }
      // Where it is not known what was changed, a collection may have been.
      let isCollection = access.model.properties[property].type.isCollection
      if set?.contains(property) ?? (isCollection || old[property] != values[property]) {
        changed.append(property)
      } else if let paths,
        try paths.changedRows(record, of: access, through: property).contains(object.row)
      {
        changed.append(property)
      }
    }
    if changed.isEmpty { return nil }
    return .change(
      changed.map { PropertyDifference(property: $0, old: old[$0], new: values[$0]) })
  }
}
