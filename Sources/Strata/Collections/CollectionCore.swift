import StrataSQLite
import StrataSchema

/// What a list, set or map is inside, whatever its elements are: values of its own while it is standalone, rows
/// of its table when its owner is managed.
public class CollectionCore {
  /// Whether a standalone collection is a property's, and so cannot become another one's.
  @exclusivity(unchecked) final var hasOwner = false
  /// Whether a standalone collection was changed since it was copied.
  @exclusivity(unchecked) final var isChanged = false
  /// Whether it is the one that stands for all empty collections of its kind: see `SharedEmptyCollection`.
  @exclusivity(unchecked) final var isSharedEmpty = false
  /// Nil while standalone.
  @exclusivity(unchecked) final var store: Store?
  // The store owns it.
  @exclusivity(unchecked) final unowned(unsafe) var access: ModelAccess?
  @exclusivity(unchecked) final var property = 0
  @inline(__always) final var owner: Int64 {
    outcome?.isCancelled == true ? WriteOutcome.noRow : givenOwner
  }
  @exclusivity(unchecked) final var givenOwner: Int64 = 0
  /// How the transaction ended that added the owner; nil for one that was there before.
  @exclusivity(unchecked) final var outcome: WriteOutcome?
  /// What the rows of a managed collection hold; nil until they are looked at.
  @exclusivity(unchecked) final var anyRows: CollectionRows?
  /// What tracked reads of standalone elements depend on; nil while none do.
  @exclusivity(unchecked) private final var trackedElements: TrackedPlace?
  /// Whether the collection is looked at once, so that its rows are not kept for others.
  @exclusivity(unchecked) final var isPassing = false

  required init() {}

  final func attach(to store: Store, _ access: ModelAccess, property: Int, owner: Int64) {
    self.store = store
    self.access = access
    self.property = property
    givenOwner = owner
    outcome = store.outcome(of: owner)
    anyRows = nil
  }

  /// Forgets the store again, when the owner could not be inserted.
  final func detachFromStore() {
    store = nil
    access = nil
    givenOwner = 0
    outcome = nil
    anyRows = nil
  }

  // MARK: - Standalone

  /// Tells Swift's Observation that standalone elements are read.
  @inline(__always) final func noteStandaloneRead() {
    if ObservationTracker.isTracking { noteTrackedStandaloneRead() }
  }

  @inline(never) private final func noteTrackedStandaloneRead() {
    if isSharedEmpty || store != nil { return }
    let place = trackedElements ?? TrackedPlace()
    trackedElements = place
    place.noteRead()
  }

  /// After standalone elements have changed.
  final func standaloneElementsChanged() {
    isChanged = true
    takeTrackedElements()?.tellOfChange()
  }

  final var isTracked: Bool { trackedElements != nil }

  /// Those who have tracked standalone elements, when they become rows of a store, which knows nothing of these reads.
  final func takeTrackedElements() -> TrackedPlace? {
    defer { trackedElements = nil }
    return trackedElements
  }

  // MARK: - For the kinds

  /// How many elements there are.
  var count: Int { 0 }

  /// What stands for an empty collection of this kind.
  var sharedEmpty: CollectionCore { self }

  /// The elements of a standalone collection that are objects.
  var standaloneObjects: [Object] { [] }

  /// Writes the elements of a standalone collection, whose owner was just inserted.
  func insertStandaloneElements() throws {}

  /// Once they are rows for good.
  func forgetStandaloneElements() {}

  /// What gives the collection the elements again that it has now, should they be no rows after all.
  func standaloneElementsRestorer() -> () -> Void { {} }

  /// Whether the rows that were read hold any elements.
  var hasStoredElements: Bool { false }

  /// Whether a standalone collection has no elements.
  var isEmptyStandalone: Bool { true }

  /// The elements of a standalone collection as values.
  func standaloneStoredElements(
    _ value: (StandaloneValue) throws -> Value
  ) throws -> [(key: String, value: Value)] { [] }

  /// Whether the rows hold these.
  func hasElements(_ elements: [(key: String, value: Value)]) -> Bool { false }

  /// Makes these the rows.
  func replaceElements(_ elements: [(key: String, value: Value)]) throws {}

  /// An empty place for the rows.
  func makeRows() -> CollectionRows { CollectionRows(owner: owner) }

  /// Reads the rows into it.
  func load(_ store: Store, _ access: ModelAccess) throws {}

  /// A copy whose elements belong to no store; objects go through `copy`.
  func detached(_ copy: (Object) -> Object) -> CollectionCore { type(of: self).init() }

  // MARK: - Shared

  /// The table of a managed collection.
  final var table: CollectionTable? { access?.collectionTables[property] }

  final var isInvalidated: Bool {
    if let store, store.snapshot.outdated == nil {
      noteTracked(store, of: TrackedReads.membership)
    }
    return isGone
  }

  /// The same for Strata's own use, which no view depends on.
  final var isGone: Bool {
    guard let store, let access else { return false }
    if store.isClosed || store.snapshot.outdated != nil { return true }
    guard store.prepareToRead() else { return false }
    return (try? access.exists(owner)) == false
  }

  /// Makes the rows those of the store's current state, which they are until something of this collection changes.
  final func refresh() {
    guard let store else { return }
    noteTracked(store)
    // Most often nothing at all has happened.
    if !store.isFrozen, let anyRows, anyRows.mark == store.generation,
      outcome?.isCancelled != true
    {
      return
    }
    refresh(store)
  }

  /// Tells Swift's Observation that the elements are read.
  /// - Parameter place: what is read of the owner in the place of the elements.
  final func noteTracked(_ store: Store, of place: Int? = nil) {
    if !store.isFrozen, let access, ObservationTracker.isTracking, !store.isClosed {
      store.noteTrackedRead(of: owner, place ?? property, access)
    }
  }

  private func refresh(_ store: Store) {
    guard let access, store.prepareToRead() else { return }
    store.lockIfShared()
    defer { store.unlockIfShared() }
    // Another process may have given the number of a cancelled owner to another object, whose rows these are then.
    if let anyRows, outcome != nil, anyRows.owner != owner { self.anyRows = nil }
    // Nothing is written that others may be reading.
    if let anyRows, anyRows.mark == store.generation { return }
    let clock = access.clock.collection(property)
    let rows = anyRows ?? sharedRows(store, clock)
    if anyRows == nil { anyRows = rows }
    if rows.mark == store.generation { return }
    do {
      if !clock.bringUpToDate(rows) {
        rows.mark = 0
        try load(store, access)
      }
      rows.mark = store.generation
    } catch {
      let reason = explained(error, access)
      store.fail(reason)
      // A change that goes by the elements would do something else.
      if store.isInWriteTransaction { store.refuse(reason) }
    }
  }

  /// Says whose elements hold what they are not declared for.
  private func explained(_ error: any Error, _ access: ModelAccess) -> any Error {
    guard let error = error as? ColumnError else { return error }
    let name = access.model.properties[property].name
    return FileDamage("\(access.model.name) _row \(owner) cannot be read: in \(name) \(error)")
  }

  /// The rows that another object of the same owner has read, or a place for them.
  private func sharedRows(_ store: Store, _ clock: CollectionClock) -> CollectionRows {
    // Several threads may hold the objects of a frozen store; and what a cancelled owner had is for no other object.
    if store.isFrozen || owner == WriteOutcome.noRow { return makeRows() }
    if let kept = clock.keptRows(of: owner) { return kept }
    let rows = makeRows()
    if !isPassing { clock.keep(rows) }
    return rows
  }

  /// The rows are read again when they are looked at next.
  final func forgetRows() { anyRows?.mark = 0 }

  /// With more elements that come at once it is cheaper to read those that are there once.
  private static let maximumUnread = 4

  /// Before elements come one behind the other.
  final func willAdd(atLeast count: Int) {
    if count > Self.maximumUnread, staysUnread { refresh() }
  }

  /// Whether a change that needs no look at the elements is written without one: there were more collections in use than are kept.
  final var staysUnread: Bool {
    guard anyRows == nil, let store, !store.isFrozen, let access else { return false }
    return access.clock.collection(property).leavesUnread(owner)
  }

  /// A wrong program is told what it did and what to do instead.
  /// - Returns: false where another store of the same file writes on this thread: its commit throws what is wrong.
  private func checkWritable(_ what: String, _ store: Store, _ access: ModelAccess) -> Bool {
    if store.isInWriteTransaction { return true }
    if store.failsOtherWriter(access.generated, property) { return false }
    let name = "\(access.model.name).\(access.model.properties[property].name)"
    if store.isFrozen {
      misuse("\(name) of a frozen object was changed (\(what)): change thaw() instead.")
    }
    if store.isClosed {
      misuse("\(name) was changed (\(what)) after its store was closed: open the store again.")
    }
    misuse(
      "\(name) was changed (\(what)) outside of a write transaction: "
        + "say store.write { … } around it.")
  }

  /// Runs a change of a managed collection; what fails is thrown by the commit.
  /// - Parameter reads: whether the change looks at the elements, so that the rows are read before it.
  final func change(
    _ what: String, reads: Bool = true, _ body: (Store, ModelAccess) throws -> Void
  ) {
    guard let store, let access, checkWritable(what, store, access) else { return }
    if reads { refresh() }
    // The elements of a deleted owner went with it. Of a transaction that was taken back nothing is there; its commit says so.
    if !reads || !hasStoredElements, isGone, !store.hasLostTransaction {
      let name = "\(access.model.name).\(access.model.properties[property].name)"
      misuse(
        "\(name) of a deleted object was changed (\(what)): ask isInvalidated before.")
    }
    let before = store.generation
    do {
      // Embedded objects go with their places.
      if let elements = access.targets[property], elements.isEmbedded {
        try store.watchDeletions(of: elements)
      }
      // The condition of a walk may look at the elements.
      store.willChange(access)
      try body(store, access)
      // A deletion that the change brought about may have taken the owner along.
      let isOwn = !access.clock.collection(property).isChanged(owner, after: before)
      store.didChange(access, owner, property: property)
      // The change is in the rows held here, too.
      anyRows?.mark = isOwn ? store.generation : 0
    } catch {
      forgetRows()
      store.clock.changedEverything()
      store.refuse(error)
    }
  }

  /// The stored value of an element: an object that belongs to no store is added.
  final func storedValue(
    _ element: StandaloneValue, _ store: Store, _ access: ModelAccess
  ) throws -> Value {
    switch element {
    // The compiler sees to the type where a property is named; a collection that was asked for by its name takes any value.
    case .value(let value):
      guard table?.codec.takes(value) != false else {
        throw wrongElement(AnyValue(_GeneratedCell(value)).payload, access)
      }
      return value
    case .object(let object):
      guard table?.codec.takesLinks != false else { throw wrongElement(object, access) }
      return try store.link(to: object, from: access, property: property)
    case .collection: return .null
    }
  }

  private func wrongElement(_ value: Any?, _ access: ModelAccess) -> StoreError {
    let declared = access.model.properties[property]
    return .wrongType(
      model: access.model.name, property: declared.name, expected: declared.type.spelling,
      found: "\(GivenValue(value).described) as an element")
  }

  /// Writes an element in the place of another one.
  ///
  /// - Parameters:
  ///   - old: what stands there; the same object stays.
  ///   - write: writes the stored value into the place.
  final func replace(
    _ old: Value, with element: StandaloneValue, _ store: Store, _ access: ModelAccess,
    _ write: (Value) throws -> Void
  ) throws {
    if case .object(let object) = element, old == .link(object.row), object.manager === store {
      return
    }
    if case .object(let object) = element, access.embedsUnique[property] {
      return try store.embed(object, from: access, property: property) { try write(.link($0)) }
    }
    try write(try storedValue(element, store, access))
  }

  /// An element that is to take the place of others. Of an embedded object that has a place already it is a copy, made now: the
  /// place may be one of those that go, and what stands there goes with it.
  final func withoutPlace(_ element: StandaloneValue) throws -> StandaloneValue {
    guard case .object(let object) = element, object.manager != nil, let store,
      access?.targets[property]?.isEmbedded == true
    else { return element }
    return .object(try object.embeddedCopy(for: store))
  }

  /// The same of several; nil where one of them was deleted, which the transaction fails with.
  final func withoutPlaces(_ elements: [StandaloneValue]) -> [StandaloneValue]? {
    guard let store, let access else { return elements }
    guard checkWritable("replace", store, access) else { return nil }
    do {
      return try elements.map(withoutPlace)
    } catch {
      store.refuse(error)
      return nil
    }
  }

  /// An element as it goes to any Swift type.
  final func cell(_ value: Value) -> _GeneratedCell {
    access.map { $0.cell(value, of: property) } ?? _GeneratedCell(value)
  }

  final func run(_ sql: String, _ bind: (Statement) throws -> Void) throws {
    guard let store else { return }
    try store.database.withStatement(sql) { statement in
      try bind(statement)
      try statement.run()
    }
  }

  /// Runs a statement that takes elements out of the table: embedded ones go with their places.
  ///
  /// - Parameters:
  ///   - key: the order key or the key of the element; nil for all elements.
  ///   - bind: binds what stands behind the owner.
  final func runTakingOut(
    _ sql: String, _ key: SQLiteValue?, _ bind: (Statement) throws -> Void = { _ in }
  ) throws {
    guard let store, let access, let table else { return }
    try store.takingOut(access.targets[property], selectedBy: table.values(of: owner, key)) {
      try run(sql) {
        try $0.bind(owner, at: 1)
        try bind($0)
      }
    }
  }

  /// Binds the element's value.
  final func bind(_ value: Value, to statement: Statement, at parameter: Int) throws {
    guard let table else { return }
    try table.codec.bind(value, to: statement, at: parameter)
  }
}
