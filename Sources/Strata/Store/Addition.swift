import StrataSQLite
import StrataSchema

/// One `add`: an object and all that it leads to, or nothing.
///
/// Foreign keys are checked at the commit, so that a row may link to one that comes later: objects get their
/// identities when they are met and their rows in turn, and neither cycles nor long chains need a deep stack.
final class Addition {
  // The store keeps one addition for the next time.
  private unowned(unsafe) let store: Store
  // None of these is ever held `inout` while other code reads it.
  @exclusivity(unchecked) private var update: UpdatePolicy
  /// Objects that have an identity and whose values are not written yet, held by hand: each is looked at often.
  @exclusivity(unchecked) private var waiting: [(object: Unmanaged<Object>, isNew: Bool)] = []
  @exclusivity(unchecked) private var next = 0
  @exclusivity(unchecked) private var isRunning = false
  /// Objects whose rows are still to come, by their primary keys; kept when objects with the same key are one.
  @exclusivity(unchecked) private var keyed: [PrimaryKey: Object] = [:]
  /// Collections that became rows.
  @exclusivity(unchecked) private var cores: [CollectionCore] = []
  /// Collections whose rows follow when those of the objects in them are there.
  @exclusivity(unchecked) private var postponed: [PostponedCollection] = []
  @exclusivity(unchecked) private var hasSavepoint = false
  /// Whether the object whose values are written is a detached copy, which may link to objects of another store of the file.
  @exclusivity(unchecked) private var isWritingCopy = false
  /// The embedded objects that the object whose values are written has now: copies of them are written in their place.
  @exclusivity(unchecked) private var ownedRows: Set<Int64> = []

  /// Embedded objects that were to be found in what overwrites others, as they were before: their places may go with it.
  @exclusivity(unchecked) private var embeddedCopies: [ObjectIdentifier: Object] = [:]

  init(to store: Store, update: UpdatePolicy) {
    self.store = store
    self.update = update
  }

  /// Makes sure that an object is a row of the store; what it leads to follows.
  /// - Parameter access: that of its model, where it was looked for already.
  /// - Returns: its identity.
  @discardableResult
  static func add(
    _ object: Object, _ access: Unmanaged<ModelAccess>? = nil, to store: Store, update: UpdatePolicy
  ) throws -> Int64 {
    if store.writing.keptAddition == nil {
      store.writing.keptAddition = Addition(to: store, update: update)
    }
    // The store keeps it: references are not counted.
    if let kept = store.writing.keptAddition.map(Unmanaged.passUnretained) {
      let row = try kept._withUnsafeGuaranteedRef { addition -> Int64? in
        if addition.isRunning { return nil }
        addition.update = update
        return try addition.add(object, access)
      }
      if let row { return row }
    }
    return try Addition(to: store, update: update).add(object, access)
  }

  /// Objects for which the next addition need not make room again.
  private static let keptCapacity = 64

  private func becomeIdle() {
    let isLarge = waiting.count > Self.keptCapacity
    // One by one is the cheaper way for the usual few.
    while let (object, _) = waiting.popLast() { object.release() }
    if isLarge { waiting = [] }
    if !cores.isEmpty { cores.removeAll(keepingCapacity: cores.count <= Self.keptCapacity) }
    if !postponed.isEmpty { postponed = [] }
    if !keyed.isEmpty { keyed = [:] }
    next = 0
    hasSavepoint = false
    isWritingCopy = false
    if !ownedRows.isEmpty { ownedRows = [] }
    if !embeddedCopies.isEmpty { embeddedCopies = [:] }
    isRunning = false
  }

  private func add(_ object: Object, _ access: Unmanaged<ModelAccess>?) throws -> Int64 {
    unowned(unsafe) let outer = withStore { store in
      unowned(unsafe) let outer = store.writing.addition
      store.writing.addition = self
      return outer
    }
    isRunning = true
    defer {
      withStore { $0.writing.addition = outer }
      becomeIdle()
    }
    do {
      let row =
        try access?._withUnsafeGuaranteedRef { try newRow(of: object, $0) } ?? row(of: object)
      while next < waiting.count {
        let (object, isNew) = waiting[next]
        next += 1
        try object._withUnsafeGuaranteedRef {
          if isNew { try insert($0) } else { try overwrite($0) }
        }
      }
      if !postponed.isEmpty { try insertPostponed() }
      if hasSavepoint { try store.database.execute("RELEASE strata_add") }
      finish()
      return row
    } catch {
      undo()
      throw error
    }
  }

  private func finish() {
    if waiting.isEmpty { return }
    for index in waiting.indices {
      let (object, isNew) = waiting[index]
      object._withUnsafeGuaranteedRef { object in
        if object.isStandaloneFollowed {
          let storage = object.standalone
          object.standalone = nil
          storage?.tellOfStore()
        } else {
          object.standalone = nil
        }
        object.generation = 0
        if object.hashIdentity != nil { object.settleHash(store, isNew: isNew) }
      }
    }
    for core in cores { core.forgetStandaloneElements() }
  }

  private func undo() {
    if hasSavepoint {
      store.suspendCursors()
      // The first error is the one to tell.
      try? store.database.execute("ROLLBACK TO strata_add")
      try? store.database.execute("RELEASE strata_add")
      store.following.watchedModels = []
    }
    let objects = waiting.map { (object: $0.object.takeUnretainedValue(), isNew: $0.isNew) }
    for (object, isNew) in objects.prefix(next) where isNew {
      if let access = object.managedAccess { try? access.delete(object.row) }
    }
    for (object, _) in objects { object.detachFromStore() }
    for core in cores { core.detachFromStore() }
    store.clock.changedEverything()
  }

  /// Before values that were there are overwritten. Rows that are new are simply deleted again: a savepoint for each
  /// of them would cost more than they do.
  private func needSavepoint() throws {
    guard !hasSavepoint else { return }
    try store.database.execute("SAVEPOINT strata_add")
    hasSavepoint = true
  }

  // MARK: - Identities

  /// The identity of an object; a standalone one gets it now and its row soon.
  func row(of object: Object) throws -> Int64 {
    if let manager = object.manager {
      guard manager === store else {
        if isWritingCopy, manager.isSameFile(as: store) {
          return try rowOfSameFile(object)
        }
        throw StoreError.belongsToAnotherStore(model: object.model.model.name)
      }
      if !object.isWaitingForRow && object.isInvalidated {
        throw StoreError.invalidated(model: object.model.model.name)
      }
      return object.row
    }
    return try newRow(of: object, store.access(of: object))
  }

  private func newRow(of object: Object, _ access: ModelAccess) throws -> Int64 {
    let existing = update == .error ? nil : try existingRow(of: object, access)
    // The storage stays until the row is written.
    if object.standalone == nil { object.standalone = .make(access.generated) }
    let row = withStore { store in
      let row = existing ?? store.takeRow()
      object.attach(to: store, access, row: row)
      return row
    }
    waiting.append((.passRetained(object), existing == nil))
    return row
  }

  /// Lends the store, which is there as long as this is used: references are not counted.
  @inline(__always) private func withStore<Result>(
    _ body: (Store) throws -> Result
  ) rethrows -> Result {
    try Unmanaged.passUnretained(store)._withUnsafeGuaranteedRef(body)
  }

  /// The identity of the object that a given one is to overwrite.
  private func existingRow(of object: Object, _ access: ModelAccess) throws -> Int64? {
    guard let key = primaryKey(of: object, access) else {
      let row = try originalRow(of: object, access)
      if row != nil { try needSavepoint() }
      return row
    }
    if let row = try access.row(forKey: key.values) {
      try needSavepoint()
      return row
    }
    // One of this addition: its row is written first, then this one's values.
    if let row = keyed[key]?.row { return row }
    keyed[key] = object
    return nil
  }

  /// The identity of an object that a copy was linked to while it was read by another store.
  private func rowOfSameFile(_ object: Object) throws -> Int64 {
    guard try store.access(named: object.model.model.name).exists(object.row) else {
      throw StoreError.invalidated(model: object.model.model.name)
    }
    return object.row
  }

  /// The identity of an object that will be embedded: one that stands somewhere else already is copied.
  func embeddedRow(of object: Object) throws -> Int64 {
    if object.manager == nil { return try row(of: object) }
    let original = embeddedCopies[ObjectIdentifier(object)] ?? object
    return try row(of: original.embeddedCopy(for: store))
  }

  /// Keeps the embedded objects of a store to which new values lead as they are now.
  private func keepEmbedded(in storage: StandaloneStorage) {
    var rest = storage.values.flatMap(\.objects)
    var found: Set<ObjectIdentifier> = []
    while let object = rest.popLast() {
      guard object.model.model.isEmbedded, !object.isWaitingForRow,
        found.insert(ObjectIdentifier(object)).inserted
      else { continue }
      if object.manager == nil {
        rest += object.standalone?.values.flatMap(\.objects) ?? []
      } else if embeddedCopies[ObjectIdentifier(object)] == nil {
        embeddedCopies[ObjectIdentifier(object)] = object.embeddedCopy(for: store)
      }
    }
  }

  private struct PrimaryKey: Hashable {
    let model: Int
    let values: [Value]
  }

  /// Nil where objects are not looked for by theirs.
  private func primaryKey(of object: Object, _ access: ModelAccess) -> PrimaryKey? {
    if access.keyProperties.isEmpty { return nil }
    let storage = object.standaloneStorage
    return PrimaryKey(
      model: access.index,
      values: access.keyProperties.map { storage.values[$0].cell?.value ?? .null })
  }

  /// Without a key a copy is told by what it was made of.
  private func originalRow(of object: Object, _ access: ModelAccess) throws -> Int64? {
    guard access.keyProperties.isEmpty,
      let origin = object.standaloneStorage.origin, origin.file == store.fileKey
    else { return nil }
    if access.isEmbedded { return ownedRows.remove(origin.row) }
    return try access.exists(origin.row) ? origin.row : nil
  }

  // MARK: - Rows

  private func insert(_ object: Object) throws {
    guard let access = object.accessHandle,
      let storage = object.standalone.map(Unmanaged.passUnretained)
    else { return }
    // The object and the store hold them meanwhile: references are not counted.
    try access._withUnsafeGuaranteedRef { access in
      try storage._withUnsafeGuaranteedRef { storage in
        try withStore { try insert(object, storage, access, in: $0) }
      }
    }
  }

  @inline(__always) private func insert(
    _ object: Object, _ storage: StandaloneStorage, _ access: ModelAccess, in store: Store
  ) throws {
    isWritingCopy = storage.origin != nil
    if !ownedRows.isEmpty { ownedRows = [] }
    store.willChange(access)
    let statement = try access.insertStatement(for: object.givenRow)
    let texts = store.database.texts
    texts.begin()
    var parameter = 2
    for (property, codec) in access.storedColumns {
      let place = storage.place(of: property)
      // What most columns hold comes first, without a look at all that might be there.
      if case .value(.int(let number)) = place.pointee, case .integer(.int) = codec.kind {
        try statement.bind(number, at: parameter)
      } else if codec.isOptional, case .value(.null) = place.pointee {
        try statement.bindNull(at: parameter)
      } else if case .value = place.pointee, case .value(let value) = place.move() {
        // Moved out and back: a copy would count references.
        defer { place.initialize(to: .value(value)) }
        try codec.bind(value, to: statement, at: parameter, in: texts)
      } else {
        let value = try storedValue(place.pointee, access, property)
        try codec.bind(value, to: statement, at: parameter)
      }
      parameter += 1
    }
    do {
      try statement.run()
    } catch {
      throw primaryKeyError(error, object, access)
    }
    store.sink.inserted(object.givenRow, of: access.index)
    if access.hasCollections { try insertCollections(of: object, storage, access) }
  }

  private func insertCollections(
    of object: Object, _ storage: StandaloneStorage, _ access: ModelAccess
  ) throws {
    for property in access.collectionProperties {
      guard case .collection(var core) = storage.values[property], !core.isSharedEmpty else {
        continue
      }
      // One of a copy that was emptied says so still, should the object not be added after all.
      if core.isEmptyStandalone && !core.isChanged {
        // It has no other owner: the managed object makes a new one on first use.
        storage.values[property] = .collection(core.sharedEmpty)
        if isKnownUniquelyReferenced(&core) { continue }
        storage.values[property] = .collection(core)
      }
      try insert(core, of: object, access, property)
    }
  }

  private func insert(
    _ core: CollectionCore, of object: Object, _ access: ModelAccess, _ property: Int
  ) throws {
    guard access.collectionTables[property] != nil else {
      return
    }
    if try !postpones(core, of: object, access, property) {
      try insertRows(of: core, object, access, property)
    }
  }

  private func insertRows(
    of core: CollectionCore, _ object: Object, _ access: ModelAccess, _ property: Int
  ) throws {
    core.attach(to: store, access, property: property, owner: object.row)
    cores.append(core)
    try core.insertStandaloneElements()
    object.keep(core, at: property)
  }

  // MARK: - Collections of new objects

  /// A collection that holds objects whose rows are still to come.
  private struct PostponedCollection {
    let core: CollectionCore
    let object: Object
    let access: ModelAccess
    let property: Int
  }

  /// Gives the objects in a collection their identities. Its rows come after theirs where one is new, because a link whose object
  /// is not there yet makes SQLite look for links to each object that is inserted until the link leads somewhere.
  ///
  /// What is embedded waits for nothing: it becomes a copy when it has a place already.
  private func postpones(
    _ core: CollectionCore, of object: Object, _ access: ModelAccess, _ property: Int
  ) throws -> Bool {
    guard let target = access.targets[property], !target.isEmbedded, !isWritingCopy else {
      return false
    }
    let known = waiting.count
    for element in core.standaloneObjects {
      _ = try store.link(to: element, from: access, property: property)
    }
    if waiting.count == known { return false }
    postponed.append(
      PostponedCollection(core: core, object: object, access: access, property: property))
    return true
  }

  private func insertPostponed() throws {
    isWritingCopy = false
    ownedRows = []
    for collection in postponed {
      try insertRows(of: collection.core, collection.object, collection.access, collection.property)
    }
  }

  // MARK: - Objects that are there

  /// Gives an object that is there the values of one that was given.
  private func overwrite(_ object: Object) throws {
    guard let access = object.managedAccess, let storage = object.standalone else { return }
    // Embedded objects that others take the place of are deleted.
    for case let target? in access.targets where target.isEmbedded {
      try store.watchDeletions(of: target)
    }
    if access.targets.contains(where: { $0?.isEmbedded == true }) { keepEmbedded(in: storage) }
    let there = access.object(object.row)
    isWritingCopy = storage.origin != nil
    let changes = changes(of: storage, object.row)
    for (property, value) in storage.values.enumerated() {
      if case .collection(let held) = value {
        let core = held.isSharedEmpty ? type(of: held).init() : held
        if let changes, !changes.contains(property), !core.isChanged,
          core.standaloneObjects.allSatisfy(keepsIdentity)
        {
          ownedRows = embeddedRows(of: there, access, property)
          for element in core.standaloneObjects { try saveCopy(element) }
          attach(core, to: object, access, property)
        } else {
          ownedRows = []
          try overwrite(core, of: object, there, access, property)
        }
        continue
      }
      guard access.layout.codecs[property] != nil else { continue }
      ownedRows = embeddedRows(of: there, access, property)
      if let changes, !changes.contains(property) {
        guard case .object(let target) = value else { continue }
        if keepsIdentity(target) {
          try saveCopy(target)
          continue
        }
      }
      let new = try storedValue(value, access, property)
      // An embedded object that stays is not taken out for a moment, which would delete it.
      if update == .modified || access.targets[property]?.isEmbedded == true,
        there.storedValue(at: property) == new
      {
        continue
      }
      try access.update(object.row, property, new)
      store.didChange(access, object.row, property: property)
    }
  }

  /// The properties of a copy that are to be written; nil for all.
  private func changes(of storage: StandaloneStorage, _ row: Int64) -> Set<Int>? {
    guard update == .modified, let origin = storage.origin, origin.row == row,
      origin.file == store.fileKey
    else { return nil }
    return origin.changes
  }

  /// Whether an object that a copy leads to is still the one that it was when the copy was made.
  private func keepsIdentity(_ object: Object) -> Bool {
    guard object.isCopy(in: store), let origin = object.standalone?.origin else {
      return object.manager != nil
    }
    return object.model.model.primaryKey.allSatisfy { name in
      object.model.model.indexOfProperty(named: name).map { !origin.changes.contains($0) } ?? true
    }
  }

  /// What was set in a copy to which another copy's unchanged link leads. What was deleted meanwhile stays deleted.
  private func saveCopy(_ object: Object) throws {
    guard object.manager == nil, let origin = object.standalone?.origin else { return }
    let access = try store.access(of: object)
    if access.isEmbedded ? ownedRows.contains(origin.row) : try access.exists(origin.row) {
      _ = try row(of: object)
    }
  }

  private func embeddedRows(
    of object: Object, _ access: ModelAccess, _ property: Int
  ) -> Set<Int64> {
    guard access.targets[property]?.isEmbedded == true else { return [] }
    if access.collectionTables[property] == nil {
      guard case .link(let row)? = object.storedValue(at: property) else { return [] }
      return [row]
    }
    return object.linkedRows(at: property)
  }

  private func attach(
    _ core: CollectionCore, to object: Object, _ access: ModelAccess, _ property: Int
  ) {
    core.attach(to: store, access, property: property, owner: object.row)
    cores.append(core)
    object.keep(core, at: property)
  }

  private func overwrite(
    _ core: CollectionCore, of object: Object, _ there: Object, _ access: ModelAccess,
    _ property: Int
  ) throws {
    guard access.collectionTables[property] != nil else {
      return
    }
    let elements = try core.standaloneStoredElements { element in
      try self.storedValue(element, access, property)
    }
    core.attach(to: store, access, property: property, owner: object.row)
    cores.append(core)
    core.refresh()
    if update == .all || !core.hasElements(elements) {
      if let target = access.targets[property], target.isEmbedded {
        try store.watchDeletions(of: target)
      }
      try core.replaceElements(elements)
      store.didChange(access, object.row, property: property)
    }
    core.forgetRows()
    object.keep(core, at: property)
  }

  /// What stands in the column; an object that belongs to nothing gets an identity.
  private func storedValue(
    _ value: StandaloneValue, _ access: ModelAccess, _ property: Int
  ) throws -> Value {
    switch value {
    case .value(let value): return value
    case .object(let object):
      return try store.link(to: object, from: access, property: property)
    case .collection: return .null
    }
  }

  private func primaryKeyError(
    _ error: any Error, _ object: Object, _ access: ModelAccess
  ) -> any Error {
    let error = store.storeError(error)
    guard case .duplicatePrimaryKey(let model, _) = error, let storage = object.standalone else {
      return error
    }
    let values = access.model.primaryKey.map { name in
      access.model.indexOfProperty(named: name).flatMap { storage.values[$0].cell }
        .map { "\(AnyValue($0).plainText)" } ?? "nil"
    }
    return StoreError.duplicatePrimaryKey(model: model, key: values.joined(separator: ", "))
  }
}
