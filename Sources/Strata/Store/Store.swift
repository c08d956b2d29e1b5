package import StrataSQLite
import StrataSchema

/// Objects in a file: one connection to it, with its own view of the data.
///
/// A store belongs to the thread, task or actor that opened it; neither it nor its objects are `Sendable`. It stands
/// on one version of the data until ``refresh()`` or the next write, whatever other stores and processes write
/// meanwhile: readers never block the writer nor the writer readers.
///
/// ```swift
/// let store = try Store(path: "people.db", schema: PeopleSchema.self)
/// try store.write {
///   try store.add(Person(fullName: "Ada Lovelace"))
/// }
/// for person in store.objects(Person.self) { print(person.fullName) }
/// ```
public final class Store {
  /// Another one after freezing, which hands it over.
  @exclusivity(unchecked) package final var database: Database
  /// How the store was opened.
  public let configuration: Configuration
  package let definition: SchemaDefinition
  package let layout: TableLayout
  /// The models whose objects may take others along in chains without an end.
  private(set) lazy var chainedModels = definition.schema.modelsDeletedInChains()
  /// The path of the file; for messages.
  let path: String
  /// Whether the store shows one version for ever and cannot be written to.
  public let isFrozen: Bool
  /// Says how long what was read stays valid.
  let clock: ChangeClock
  /// By index into the schema's models; nil for abstract ones.
  private(set) var accesses: [ModelAccess?] = []
  private var accessOfType: [ObjectIdentifier: ModelAccess] = [:]
  @exclusivity(unchecked) private var recentType: ObjectIdentifier?
  // One of `accesses`.
  @exclusivity(unchecked) private unowned(unsafe) var recentAccess: ModelAccess?
  let sink: ChangeSink
  /// What queries call.
  let queryFunctions: QueryFunctions
  @exclusivity(unchecked) public private(set) var isClosed = false

  /// Guards the connection of a frozen store, which several threads may use; of a live one nil unless it shares that.
  @exclusivity(unchecked) var lock: RecursiveLock?
  /// Where connections come from and go.
  let connections: ConnectionPool
  /// Where the store was opened.
  var location: SourceLocation?
  /// Which file it is: another one in its place is another file.
  let fileIdentity: FileIdentity

  @exclusivity(unchecked) var snapshot: ReadSnapshot
  @exclusivity(unchecked) var writing = WriteState()
  @exclusivity(unchecked) var following = Following()
  @exclusivity(unchecked) var sharing = FrozenSharing()

  /// Whether the store is between `beginWrite()` and `commitWrite()` or `cancelWrite()`.
  @exclusivity(unchecked) public internal(set) var isInWriteTransaction = false
  @exclusivity(unchecked) var recentInverses = RecentInverses()
  /// Objects to read before their rows go.
  let unreadObjects = UnreadObjects()
  let pending = PendingError()
  /// Statements that stand on a row.
  @exclusivity(unchecked) var cursors: [UnownedCursor] = []

  struct UnownedCursor {
    unowned(unsafe) let cursor: RowCursor

    /// To call it without counting references.
    var unretained: Unmanaged<RowCursor> { .passUnretained(cursor) }
  }

  init(
    database: Database, configuration: Configuration, definition: SchemaDefinition, path: String,
    pinsVersions: Bool, isFrozen: Bool = false, connections: ConnectionPool? = nil,
    layout: TableLayout? = nil
  ) throws {
    lock = isFrozen ? RecursiveLock() : nil
    self.connections =
      connections
      ?? ConnectionPool(
        configuration, KnownFiles.shared.identity(of: configuration.fileKey(path)))
    queryFunctions = self.connections.functions
    if connections == nil { try Self.prepare(database, queryFunctions) }
    self.database = database
    self.configuration = configuration
    self.definition = definition
    self.path = path
    snapshot = ReadSnapshot(pinsVersions: pinsVersions)
    self.isFrozen = isFrozen
    fileIdentity = self.connections.fileIdentity
    self.layout = layout ?? TableLayout(definition.schema)
    sink = ChangeSink(schema: definition.schema)
    clock = ChangeClock(definition.schema)
    sink.clock = clock
    accesses = definition.models.map { model in
      self.layout.model(named: model.model.name).map {
        ModelAccess(model, $0, clock.models[model.index], in: self)
      }
    }
    for access in accesses {
      access?.resolveTargets(accesses)
      if let access, access.generated.type != DynamicObject.self {
        accessOfType[ObjectIdentifier(access.generated.type)] = access
      }
    }
  }

  deinit {
    if isFrozen { endFrozen() } else { close() }
    for access in accesses { access?.forgetTargets() }
  }

  /// The kibibytes of pages that a connection keeps, four times SQLite's own number: a file of some 100,000 objects is read from
  /// memory then, in which looking an object up takes half of the time.
  private static let pageCacheSize: Int64 = 8192

  /// What a connection gets before objects are read on it.
  static func prepare(_ database: Database, _ functions: QueryFunctions) throws {
    _ = Heap.isEndKept
    try database.setPragma("cache_size", .integer(-pageCacheSize))
    try functions.attach(to: database)
  }

  /// The number of the newest change of what can be read.
  @inline(__always) var generation: UInt64 { clock.now.pointee }

  /// Rolls back an open transaction and closes the file. Objects keep their last known values, also those that the open transaction
  /// gave them and the file has not, and are invalidated; no observer is called any more, so that one of them may close the store. Those on a queue, which share a store of their own, go on.
  ///
  /// A frozen store may be that of others, too: it closes with the last of its objects, and stays open here.
  public func close() {
    guard !isClosed, !isFrozen else { return }
    lockIfShared()
    for entry in cursors { entry.cursor.suspend() }
    if !unreadObjects.isEmpty, prepareToRead() { unreadObjects.read(in: nil) }
    if isInWriteTransaction {
      cancelIdentities()
      writing.wasEndedByClosing = true
    }
    OpenTransactions.shared.ended(self)
    isClosed = true
    isInWriteTransaction = false
    snapshot.isReading = false
    writing.holdsWriteLock = false
    for access in accesses { access?.resetStatements() }
    if !sharing.sharesConnection { try? database.rollback() }
    for access in accesses { access?.close() }
    unlockIfShared()
    lock = nil
    if !sharing.sharesConnection { database.close() }
    sharing.sharesConnection = false
    sharing.keptShare = nil
    sharing.replacement?.close()
    sharing.replacement = nil
    snapshot.versionWatch?.close()
    connections.close()
    following.listener?.stop()
    following.observers?.stop()
    following.observers = nil
    let trackedReads = following.trackedReads
    following.trackedReads = nil
    releaseVersion()
    // As behind every transaction without versions that stores nothing.
    if writing.wasEndedByClosing, !snapshot.pinsVersions { CommitSignals.shared.signal(fileKey) }
    // Last, because those who are told read.
    trackedReads?.endAll()
  }

  /// When the last reference to a frozen store is gone: its connection goes back to the pool.
  func endFrozen() {
    guard !isClosed else { return }
    isClosed = true
    for access in accesses { access?.close() }
    releaseVersion()
    do {
      try database.rollback()
    } catch {
      // A connection that cannot end its reading is of no use any more.
      return database.close()
    }
    if snapshot.pinsVersions { connections.give(database) } else { database.close() }
  }

  // MARK: - Models

  func access(_ type: Object.Type) throws(StoreError) -> ModelAccess {
    if let access = knownAccess(ObjectIdentifier(type)) { return access }
    throw .unknownModel(name: "\(type)")
  }

  /// The model of an object; one without a class is found by its model's name.
  func access(of object: Object) throws(StoreError) -> ModelAccess {
    if let access = knownAccess(ObjectIdentifier(type(of: object))) { return access }
    return try access(named: object.model.model.name)
  }

  /// Most often it is the class that was asked for before.
  @inline(__always) private func knownAccess(_ type: ObjectIdentifier) -> ModelAccess? {
    if type == recentType { return recentAccess }
    guard let access = accessOfType[type] else { return nil }
    // Several threads may ask a frozen store at once.
    if isFrozen { return access }
    recentType = type
    recentAccess = access
    return access
  }

  func access(named name: String) throws(StoreError) -> ModelAccess {
    guard let model = definition.schema.models.firstIndex(where: { $0.name == name }),
      let access = accesses[model]
    else { throw .unknownModel(name: name) }
    return access
  }

  /// The object behind a link in a property of type `any`; nil when it is gone, or the store was closed.
  func anyObject(of model: String, _ row: Int64) -> Object? {
    guard !isClosed, snapshot.outdated == nil, let access = try? access(named: model),
      (try? access.exists(row)) == true
    else { return nil }
    return access.object(row)
  }

  func isSameFile(as other: Store?) -> Bool {
    guard let other else { return false }
    return self === other || fileIdentity == other.fileIdentity
  }

  // MARK: - Errors

  /// Keeps the error of a read, which cannot be thrown where it happened, for the store's next call that can.
  func fail(_ error: any Error) {
    lockIfShared()
    defer { unlockIfShared() }
    pending.note(error)
    noteLostVersion(error)
  }

  /// Keeps why a change was not made, which a setter cannot throw, for the commit: without the change nothing of the transaction is stored.
  func refuse(_ error: any Error) { pending.noteRefusal(error) }

  /// Throws what could not be read, if anything.
  func throwPendingError() throws(StoreError) {
    lockIfShared()
    defer { unlockIfShared() }
    if let error = pending.takeError() { throw storeError(error) }
  }

  /// Throws also why a change of the transaction was not made: where the transaction ends, or is brought back to before the change.
  func throwFirstError() throws(StoreError) {
    if let error = pending.takeFirst() { throw storeError(error) }
  }

  /// Runs what an error that was noted before does not concern: that is noted again behind it, for the next call of the program that can throw it.
  func withoutEarlierError<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lockIfShared()
    let bringBack = pending.putAside()
    unlockIfShared()
    defer {
      lockIfShared()
      bringBack()
      unlockIfShared()
    }
    return try body()
  }

  func storeError(_ error: any Error) -> StoreError {
    // What a store has said already stays.
    if let error = error as? StoreError { return error }
    // Of a read that throws.
    noteLostVersion(error)
    let error = StoreError(error, path: path)
    // A primary key is a kind of uniqueness that deserves its own name.
    if case .notUnique(let model, let properties) = error,
      let schema = definition.schema.model(named: model), case let key = schema.primaryKey,
      !key.isEmpty,
      // A null in a key is told by the name of the index for it.
      Set(key) == Set(properties)
        || properties == ["primaryKey"] && schema.property(named: "primaryKey") == nil
    {
      return .duplicatePrimaryKey(model: model, key: key.joined(separator: ", "))
    }
    return error
  }

  /// Runs what may throw errors of lower layers.
  func translatingErrors<Result>(
    _ body: () throws -> Result
  ) throws(StoreError) -> Result {
    do { return try body() } catch { throw storeError(error) }
  }

  // MARK: - Cursors

  func register(_ cursor: RowCursor) {
    // Nothing ends the version of a frozen store under a cursor.
    if isFrozen { return }
    cursors.append(UnownedCursor(cursor: cursor))
  }

  func unregister(_ cursor: RowCursor) {
    if isFrozen { return }
    if let index = cursors.lastIndex(where: { $0.cursor === cursor }) { cursors.remove(at: index) }
  }

  /// Before a transaction ends or the file is written anew: nothing may stand on a row.
  func suspendCursors() {
    for entry in cursors { entry.cursor.suspend() }
  }
}
