import StrataSQLite
import StrataSchema

/// One `add`: an object and all that it leads to, or nothing.
///
/// Foreign keys are checked at the commit, so that a row may link to one that comes later: objects get their
/// identities when they are met and their rows in turn, and neither cycles nor long chains need a deep stack.
final class Addition {
  // The store keeps one addition for the next time.
  unowned(unsafe) let store: Store
  // None of these is ever held `inout` while other code reads it.
  @exclusivity(unchecked) var update: UpdatePolicy
  /// Objects that have an identity and whose values are not written yet, held by hand: each is looked at often.
  @exclusivity(unchecked) private var waiting: [Waiting] = []
  @exclusivity(unchecked) private var next = 0
  @exclusivity(unchecked) private var isRunning = false
  /// Objects whose rows are still to come, by their primary keys; kept when objects with the same key are one.
  @exclusivity(unchecked) private var keyed: [PrimaryKey: Object] = [:]
  /// Collections that became rows.
  @exclusivity(unchecked) var cores: [CollectionCore] = []
  /// Collections whose rows follow when those of the objects in them are there.
  @exclusivity(unchecked) var postponed: [PostponedCollection] = []
  /// Collections that an object which was given again has written meanwhile; kept when there are some of the above.
  @exclusivity(unchecked) var rewritten: Set<RewrittenCollection> = []
  @exclusivity(unchecked) private var savepoint: (place: Savepoint, changes: ChangeSink.Mark)?
  /// The store's count of changes when it began.
  @exclusivity(unchecked) private var start: UInt64 = 0
  /// Whether the object whose values are written is a detached copy, which may link to objects of another store of the file.
  @exclusivity(unchecked) var isWritingCopy = false
  /// The embedded objects that the object whose values are written has now: copies of them are written in their place.
  @exclusivity(unchecked) var ownedRows: Set<Int64> = []
  /// The embedded object in the place whose value is written, where the new one has its very values.
  @exclusivity(unchecked) var rowInPlace: Int64?
  /// Objects of the store that get values of this addition; kept when there are some.
  @exclusivity(unchecked) private var overwritten: Set<OverwrittenRow> = []
  /// The first identity that this addition may give.
  @exclusivity(unchecked) private var firstRow: Int64 = 0
  /// Whether the transaction had changed anything before.
  @exclusivity(unchecked) private var hadChanges = false
  /// Whether one object is given its values more than once. Places may go to others then before what stood in them is written.
  @exclusivity(unchecked) private(set) var givesSomeTwice = false
  /// Whether the object whose values are written was given others of this addition before.
  @exclusivity(unchecked) var isGivenAgain = false
  /// What asks for the place of an embedded object, by its model.
  @exclusivity(unchecked) var placeQuestions: [Int: [String]] = [:]

  /// Embedded objects that were to be found in what overwrites others, as they were before: their places may go with it.
  @exclusivity(unchecked) var embeddedCopies: [ObjectIdentifier: Object] = [:]

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

  /// Embeds an object: first its identity comes into its place, which takes the place's old object away, then its row follows.
  static func embed(
    _ object: Object, in store: Store, place: (Int64) throws -> Void
  ) throws {
    let addition = Addition(to: store, update: .error)
    try addition.keepEmbedded(in: object.standaloneStorage)
    // What went away is there again where the new object cannot be added.
    try addition.needSavepoint()
    _ = try addition.add(object, nil, place)
  }

  /// Objects for which the next addition need not make room again.
  private static let keptCapacity = 64

  private func becomeIdle() {
    let isLarge = waiting.count > Self.keptCapacity
    // One by one is the cheaper way for the usual few.
    while let waited = waiting.popLast() { waited.object.release() }
    if isLarge { waiting = [] }
    if !cores.isEmpty { cores.removeAll(keepingCapacity: cores.count <= Self.keptCapacity) }
    if !postponed.isEmpty { postponed = [] }
    if !rewritten.isEmpty { rewritten = [] }
    if !keyed.isEmpty { keyed = [:] }
    next = 0
    savepoint = nil
    isWritingCopy = false
    if !ownedRows.isEmpty { ownedRows = [] }
    rowInPlace = nil
    if !overwritten.isEmpty { overwritten = [] }
    givesSomeTwice = false
    isGivenAgain = false
    if !placeQuestions.isEmpty { placeQuestions = [:] }
    if !embeddedCopies.isEmpty { embeddedCopies = [:] }
    isRunning = false
  }

  private func add(
    _ object: Object, _ access: Unmanaged<ModelAccess>?, _ place: (Int64) throws -> Void = { _ in }
  ) throws -> Int64 {
    unowned(unsafe) let outer = withStore { store in
      unowned(unsafe) let outer = store.writing.addition
      store.writing.addition = self
      return outer
    }
    isRunning = true
    (start, firstRow, hadChanges) = withStore {
      ($0.generation, $0.nextIdentity, $0.sink.hasChanges)
    }
    defer {
      withStore { $0.writing.addition = outer }
      becomeIdle()
    }
    do {
      let row =
        try access?._withUnsafeGuaranteedRef { try newRow(of: object, $0) } ?? row(of: object)
      try place(row)
      while next < waiting.count {
        let (object, isNew, isAgain) = waiting[next]
        next += 1
        isGivenAgain = isAgain
        try object._withUnsafeGuaranteedRef {
          if isNew { try insert($0) } else { try overwrite($0) }
        }
      }
      if givesSomeTwice { try detachWhatLostItsRow() }
      if !postponed.isEmpty { try insertPostponed() }
      if let savepoint { try store.database.release(savepoint.place) }
      finish()
      return row
    } catch {
      undo()
      throw error
    }
  }

  /// How many objects have got an identity.
  var countOfWaiting: Int { waiting.count }

  func forEachWaiting(_ body: (Object) throws -> Void) rethrows {
    for waited in waiting { try waited.object._withUnsafeGuaranteedRef(body) }
  }

  private func finish() {
    if waiting.isEmpty { return }
    if let given = store.writing.givenObjects, given.areAny {
      for waited in waiting { given.keep(waited.object.takeUnretainedValue()) }
      for core in cores { given.keep(core) }
    }
    for index in waiting.indices {
      let (object, isNew, _) = waiting[index]
      object._withUnsafeGuaranteedRef { object in
        // Another one has taken its place.
        if object.manager == nil { return }
        if object.isStandaloneFollowed {
          let storage = object.standalone
          object.standalone = nil
          if let places = storage?.takeTracked() { store.writing.trackedPlaces += places }
        } else {
          object.standalone = nil
        }
        object.generation = 0
        // What was deleted on the way had it read before its row was there.
        if !object.isUnread { store.unreadObjects.add(object) }
        if object.hashIdentity != nil { object.settleHash(store, isNew: isNew) }
      }
    }
    for core in cores {
      core.forgetStandaloneElements()
      if let place = core.takeTrackedElements() { store.writing.trackedPlaces.append(place) }
    }
    Additions.note()
  }

  private func undo() {
    if let savepoint {
      store.suspendCursors()
      // The first error is the one to tell.
      try? store.database.takeBack(savepoint.place)
      store.sink.takeBack(to: savepoint.changes)
      store.following.watchedModels = []
    }
    let objects = waiting.map { (object: $0.object.takeUnretainedValue(), isNew: $0.isNew) }
    for (object, isNew) in objects.prefix(next) where isNew {
      if let access = object.managedAccess { try? access.delete(object.row) }
    }
    store.sink.forget(from: firstRow, hadChanges: hadChanges)
    for (object, _) in objects { object.detachFromStore() }
    for core in cores { core.detachFromStore() }
    store.clock.takenBack(since: start)
  }

  /// Before values that were there are overwritten. Rows that are new are simply deleted again: a savepoint for each
  /// of them would cost more than they do.
  private func needSavepoint() throws {
    guard savepoint == nil else { return }
    savepoint = (try store.database.beginSavepoint("strata_add"), store.sink.mark)
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
      if !object.isWaitingForRow && object.isGone {
        throw StoreError.invalidated(model: object.model.model.name)
      }
      return object.row
    }
    return try newRow(of: object, store.access(of: object))
  }

  private func newRow(of object: Object, _ access: ModelAccess) throws -> Int64 {
    let existing = update == .error ? nil : try existingRow(of: object, access)
    var isAgain = false
    // One that is only named gives nothing.
    if let existing, !object.givesNothing {
      isAgain =
        existing >= firstRow
        || !overwritten.insert(OverwrittenRow(model: access.index, row: existing)).inserted
      if isAgain { givesSomeTwice = true }
    }
    // The storage stays until the row is written.
    if object.standalone == nil { object.standalone = .make(access.generated) }
    let row = withStore { store in
      let row = existing ?? store.takeRow()
      object.attach(to: store, access, row: row)
      return row
    }
    waiting.append((.passRetained(object), existing == nil, isAgain))
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
    if let first = keyed[key] { return first.row }
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
    return try row(of: try original.embeddedCopy(for: store))
  }

  private typealias Waiting = (object: Unmanaged<Object>, isNew: Bool, isAgain: Bool)

  private struct OverwrittenRow: Hashable {
    let model: Int
    let row: Int64
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

  /// Without a key a copy is told by what it was made of, and a new embedded object by its place.
  private func originalRow(of object: Object, _ access: ModelAccess) throws -> Int64? {
    if access.isEmbedded, let row = rowInPlace {
      rowInPlace = nil
      return row
    }
    guard access.keyProperties.isEmpty,
      let origin = object.standaloneStorage.origin, origin.file == store.fileIdentity
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
    if givesSomeTwice, access.isEmbedded, try !hasPlace(object, access) {
      // It keeps its values, and belongs to nothing.
      return object.detachFromStore()
    }
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
    texts.letGo(of: statement)
    store.sink.inserted(object.givenRow, of: access.index)
    if access.hasCollections { try insertCollections(of: object, storage, access) }
  }

  /// What stands in the column; an object that belongs to nothing gets an identity.
  func storedValue(
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
        .map { AnyValue($0).plainText } ?? "nil"
    }
    return StoreError.duplicatePrimaryKey(model: model, key: values.joined(separator: ", "))
  }
}
