import StrataSQLite
import StrataSchema

extension Object {
  /// The stored cell of a property with a column; nil for a standalone object.
  @inline(__always) final func storedCell(at property: Int) -> StoredCell? {
    // The object holds the store, and the store its accesses: references are not counted.
    guard let manager = manager.map(Unmanaged.passUnretained), let access = accessHandle
    else { return nil }
    return manager._withUnsafeGuaranteedRef { manager in
      access._withUnsafeGuaranteedRef { storedCell(at: property, manager, $0) }
    }
  }

  @inline(__always) private func storedCell(
    at property: Int, _ manager: Store, _ managedAccess: ModelAccess
  ) -> StoredCell {
    manager.noteRead(of: self, property)
    readRow(of: manager)
    let column = managedAccess.columns[property]
    if let cursorRow, let column = cursorColumn(cursorRow, property) {
      return cursorRow.row.storedCell(at: column)
    }
    return buffer.cell(at: column)
  }

  /// Nil when the cursor has not selected the column: then the row has been read.
  private func cursorColumn(_ cursorRow: CursorRow, _ property: Int) -> Int32? {
    if cursorRow.columns[property] > 0 { return cursorRow.columns[property] }
    guard let cursor else { return nil }
    if let column = cursor.column(of: property) { return column }
    cursor.release(self)
    return nil
  }

  /// What a property has in the row on which a cursor stands, when that is the object's row and still true. The fast way of
  /// loops.
  @inline(__always) final func cursorCell(of property: Int) -> SQLiteCell? {
    guard let cursorRow, generation == cursorRow.generation.pointee else { return nil }
    let column = cursorRow.columns[property]
    return column > 0 ? cursorRow.row.cell(at: column) : nil
  }

  /// Makes the cached row that of the store's current state.
  @inline(__always) final func readRow(of store: Store) {
    if let managedAccess, generation != managedAccess.rowsMark.pointee {
      readRowAgain(of: store)
    }
  }

  private func readRowAgain(of store: Store) {
    // A cursor's row is as old as the cursor.
    cursor?.release(self)
    guard let managedAccess, store.prepareToRead() else { return }
    let mark = managedAccess.rowsMark.pointee
    if generation == mark { return }
    let isThere = managedAccess.load(row, into: &buffer)
    isMissing = isThere != true
    // What could not be read is read again.
    if isThere != nil { generation = mark }
  }

  /// Before the row may go: makes the cached row that of now. An error is left to a read that asks for it.
  final func readLastValues() {
    guard let managedAccess, cursor == nil else { return }
    let mark = managedAccess.rowsMark.pointee
    if generation == mark { return }
    if managedAccess.load(row, into: &buffer, reportsErrors: false) == true {
      isMissing = false
      generation = mark
    }
  }

  /// The value of a property as it goes to any Swift type; nil where it cannot be read.
  package final func cell(at property: Int) -> _GeneratedCell? {
    guard let managedAccess else { return standaloneValue(at: property).cell }
    guard let stored = storedCell(at: property),
      let codec = managedAccess.layout.codecs[property]
    else { return nil }
    guard let value = decoded(stored, codec, property) else { return nil }
    if case .link = value { return linkedObject(at: property).map { _GeneratedCell($0) } ?? .null }
    if case .object(_, let row) = value, outcome?.hasCancelled(row) == true { return .null }
    return managedAccess.cell(value, of: property)
  }

  /// The value of a property with a column, links as links.
  final func storedValue(at property: Int) -> Value? {
    guard let stored = storedCell(at: property),
      let codec = managedAccess?.layout.codecs[property]
    else { return nil }
    return decoded(stored, codec, property)
  }

  /// Takes the values of all properties with a column, links as links, without those that cannot be read. Store and model are
  /// held once for all, which costs more than to read a value.
  final func takeStoredValues(_ take: (_ property: Int, _ value: Value) -> Void) {
    guard let manager, let managedAccess else { return }
    let codecs = managedAccess.layout.codecs
    for property in codecs.indices {
      guard let codec = codecs[property] else { continue }
      let cell = storedCell(at: property, manager, managedAccess)
      if let value = decoded(cell, codec, property) { take(property, value) }
    }
  }

  private func decoded(_ cell: StoredCell, _ codec: ColumnCodec, _ property: Int) -> Value? {
    do {
      return try codec.decode(cell)
    } catch {
      noteDamage(at: property, "\(error)")
      return nil
    }
  }

  /// A column holds what it is not declared for. A getter cannot throw: the store's next call that can does.
  @inline(never) final func noteDamage(at property: Int, _ problem: String) {
    manager?.fail(
      FileDamage(
        "\(model.model.name) _row \(row) cannot be read: in \(model.model.properties[property].name) \(problem)"
      ))
  }

  @inline(never) final func noteDamage(at property: Int, found storageClass: StorageClass) {
    // What is missing is a null that the schema forbids; a row that was never read is no damage.
    if storageClass == .null { return }
    noteDamage(at: property, "is \(storageClass)")
  }

  /// Takes a collection that belongs to nothing as it is, which is what initialisers give.
  /// - Returns: false when its elements have to be copied.
  final func adopt(_ core: CollectionCore, at property: Int) -> Bool {
    guard manager == nil, core.store == nil, !core.hasOwner else { return false }
    if case .collection(let core) = standaloneStorage.values[property], !core.isSharedEmpty {
      return false
    }
    core.hasOwner = true
    setStandalone(property, to: .collection(core))
    return true
  }

  /// Notes that a collection was given and is empty.
  /// - Returns: false for an object of a store, whose collection has to be emptied.
  @usableFromInline final func setEmpty(_ empty: SharedEmptyCollection, at property: Int) -> Bool {
    guard manager == nil else { return false }
    setStandalone(property, to: .collection(empty.core))
    return true
  }

  /// Makes a collection the one that the property gives from now on.
  final func keep(_ core: CollectionCore, at property: Int) {
    guard let managedAccess else { return }
    if collections.isEmpty {
      collections = Array(repeating: nil, count: managedAccess.model.properties.count)
    }
    collections[property] = core
  }

  /// The declared default of a property.
  final func defaultCell(at property: Int) -> _GeneratedCell? {
    let value = model.defaults[property]
    return value.isNull ? nil : _GeneratedCell(value)
  }

  /// The object that a link leads to.
  ///
  /// - Parameter showsDeleted: whether one that was deleted is given, which says so by `isInvalidated`; nil otherwise.
  final func linkedObject(at property: Int, showsDeleted: Bool = false) -> Object? {
    guard let managedAccess else {
      if case .object(let object) = standaloneValue(at: property) { return object }
      return nil
    }
    guard let stored = storedCell(at: property), stored.storageClass == .integer,
      stored.integer != 0
    else { return nil }
    guard let access = managedAccess.targets[property], let manager,
      outcome?.hasCancelled(stored.integer) != true
    else { return nil }
    let target = access.object(stored.integer, isRead: true)
    target.readRow(of: manager)
    if !target.isMissing { return target }
    let property = model.model.properties[property]
    // Until its end a transaction may leave a link without an object where its rule is `deny`, or what it leads to is embedded and required.
    let isNeeded = access.isEmbedded && property.type.valueType?.isOptional == false
    let mayBeMended =
      manager.isInWriteTransaction && (property.deleteRule == .deny || isNeeded)
    // What was deleted leads to what is there; of what is there every link leads somewhere.
    if !mayBeMended, !isMissing {
      let place = "\(model.model.name) _row \(row): \(property.name)"
      manager.fail(
        FileDamage(
          "\(place) leads to \(access.model.name) _row \(stored.integer), which is not there"))
      return nil
    }
    return showsDeleted ? target : nil
  }

  final func standaloneValue(at property: Int) -> StandaloneValue {
    noteRead(property)
    let storage = standaloneStorage
    if ObservationTracker.isTracking { storage.noteTrackedRead(property) }
    return storage.values[property]
  }

  /// Records which property a key path names.
  final func noteRead(_ property: Int) {
    if manager == nil, let standalone { standalone.reads?.insert(property) }
  }

  final var standaloneStorage: StandaloneStorage {
    if let standalone { return standalone }
    let storage = StandaloneStorage.make(model)
    standalone = storage
    return storage
  }

  /// Whether anything wants to know which properties of a standalone object are set.
  final var isStandaloneFollowed: Bool {
    standalone.map(Unmanaged.passUnretained)?._withUnsafeGuaranteedRef { $0.isFollowed } ?? false
  }

  /// Sets a property of a standalone object, and remembers that it was.
  final func setStandalone(_ property: Int, to value: consuming StandaloneValue) {
    if standalone == nil { standalone = .make(model) }
    // The object holds it: references are not counted.
    guard let storage = standalone.map(Unmanaged.passUnretained) else { return }
    let (place, isFollowed) = storage._withUnsafeGuaranteedRef {
      ($0.place(of: property), $0.isFollowed)
    }
    if !place.pointee.isPlain { place.deinitialize(count: 1) }
    place.initialize(to: value)
    if isFollowed { standalone?.noteSet(property) }
  }

  /// The collection that a property holds, for one look: an object that has not been asked for it remembers nothing.
  final func passingCollection<Core: CollectionCore>(at property: Int, as type: Core.Type) -> Core {
    guard let manager, let managedAccess, knownCollection(at: property) == nil else {
      return collection(at: property, as: type)
    }
    let core = Core()
    core.attach(to: manager, managedAccess, property: property, owner: row)
    core.isPassing = true
    return core
  }

  /// The collection that a property holds. It is the same one each time.
  final func collection<Core: CollectionCore>(at property: Int, as type: Core.Type) -> Core {
    guard let manager, let managedAccess else {
      let storage = standaloneStorage
      noteRead(property)
      if case .collection(let core as Core) = storage.values[property], !core.isSharedEmpty {
        return core
      }
      let core = Core()
      core.hasOwner = true
      storage.values[property] = .collection(core)
      return core
    }
    // Several threads may look at a frozen object at once.
    manager.lockIfShared()
    defer { manager.unlockIfShared() }
    if collections.isEmpty {
      collections = Array(repeating: nil, count: managedAccess.model.properties.count)
    }
    if let core = collections[property] as? Core { return core }
    let core = Core()
    core.attach(to: manager, managedAccess, property: property, owner: row)
    collections[property] = core
    return core
  }

  /// A collection that the object was asked for before.
  private final func knownCollection(at property: Int) -> CollectionCore? {
    manager?.lockIfShared()
    defer { manager?.unlockIfShared() }
    return collections.isEmpty ? nil : collections[property]
  }
}
