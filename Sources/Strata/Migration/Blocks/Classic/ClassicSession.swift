import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// What a migration block works on.
///
/// It begins with no more than the old file. An enumeration whose body looks at nothing but its two objects writes
/// them to their final table as it goes. Whatever looks further has all objects in a draft first, where every state is
/// allowed; the file is made from the draft when the block is done.
///
/// The connection has the result as its main database and the old file attached as `source`.
final class ClassicSession {
  private let connection: Database
  private let draft: WorkspaceSession
  /// The old file for a connection of its own; nil where everything is to happen on one thread.
  let file: PassSource?
  /// Objects of the old file by model.
  let counts: [String: Int]
  let declaredOrder: [String: [Int]]
  let watch: UpgradeWatch
  /// What is made of each object before the block sees it. A rename changes it.
  var transition: Transition
  /// The names that old properties have meanwhile: model → name → name in the file.
  var currentNames: [String: [String: String]] = [:]
  var renames: Renames { transition.step.renames }
  /// Whether all objects stand in the draft.
  private(set) var isDraft = false {
    didSet { updateFaces() }
  }
  /// The models whose objects stand in their final tables.
  private(set) var streamed: Set<String> = []
  /// The enumeration that writes as it goes; there is one at most.
  private(set) var stream: ClassicStream?
  private var faces: [String: ModelFace] = [:]
  private var oldFaces: [String: ModelFace] = [:]
  /// False when the block has returned.
  private(set) var isOpen = true {
    didSet { updateFaces() }
  }
  /// What went wrong first; nothing is done any more then.
  private var failure: (any Error)?
  private var hasFailed = false {
    didSet { updateFaces() }
  }
  /// What a body threw, which names the object where the block throws it on.
  private var thrown: (text: String, error: MigrationError)?

  init(
    database: Database, file: PassSource?, transition: Transition, counts: [String: Int],
    rowCounter: Int64,
    declaredOrder: [String: [Int]], watch: UpgradeWatch
  ) {
    connection = database
    self.file = file
    self.counts = counts
    self.transition = transition
    self.declaredOrder = declaredOrder
    self.watch = watch
    draft = WorkspaceSession(
      database: database, transition: transition,
      deletion: DraftDeletion(database: database, schema: transition.target),
      rowCounter: rowCounter, watch: watch)
  }

  // A stream may be writing: a caller that asks for one of these waits until it has written what it was given.
  var database: Database {
    stream?.settle()
    return connection
  }
  var workspace: WorkspaceSession {
    stream?.settle()
    return draft
  }

  var version: Int { transition.target.version }
  /// Asked at each change of a property. Reads go on behind a failure: a body that counts on a value would end the process, and not tell it.
  var isUsable: Bool { isOpen && !hasFailed && (!isDraft || workspace.failure == nil) }

  /// Runs the block, once.
  func run(_ block: MigrationBlock) throws {
    do {
      try block(Migration(session: self), transition.source.version)
      if isUsable { try finish() }
    } catch {
      if let thrown, thrown.text == "\(error)" { record(thrown.error) } else { record(error) }
    }
    isOpen = false
    stream?.abandon()
    (faces, oldFaces) = ([:], [:])
    if let failure = failure ?? workspace.failure { throw located(failure, nil) }
  }

  private func finish() throws {
    // What a caught error has left half done; and where it was not looked at, what no object can do for itself.
    if stream != nil || !transition.isDeclarativelyLocal { try fillDraft() }
    try workspace.flush()
    if let error = danglingRename() { throw error }
  }

  // MARK: - What goes wrong

  /// Runs what a block cannot catch; its error stops the upgrade.
  func attempt<Result>(_ body: () throws -> Result) -> Result? {
    guard isUsable else { return nil }
    do {
      return try body()
    } catch {
      record(error)
      return nil
    }
  }

  func record(_ error: any Error, _ object: MigrationObject? = nil) {
    if failure == nil { failure = located(error, object?.row) }
    hasFailed = true
  }

  /// A read went wrong. Behind a failure that is no news.
  func recordRead(_ error: any Error, _ object: MigrationObject) {
    if isUsable { record(error, object) }
  }

  /// A body threw. The block may catch that, or throw it on.
  func bodyThrew(_ error: any Error, _ object: MigrationObject?) {
    if let error = located(error, object?.row) as? MigrationError { thrown = ("\(error)", error) }
    thrown?.text = "\(error)"
  }

  private func located(_ error: any Error, _ row: FrozenRow?) -> any Error {
    if let error = error as? MigrationError,
      error.kind != .blockFailed || error.model != nil || row == nil
    {
      return error
    }
    if error is SQLiteError { return error }
    // What is known to come from the block names it already, and gets the object besides.
    var reason = (error as? MigrationError)?.description ?? "\(error)"
    let known = stopped("", "")
    if error is MigrationError, reason.hasPrefix(known) { reason.removeFirst(known.count) }
    let place = row.map { ", \($0.model.name) \($0.stableKey)," } ?? ""
    return MigrationError(
      .blockFailed, stopped(place, reason), version: version, model: row?.model.name,
      identity: row?.identity)
  }

  private func stopped(_ place: String, _ reason: String) -> String {
    "The migration block to version \(version)\(place) stopped the upgrade: \(reason)"
  }

  func problem(_ text: String, model: String? = nil) -> MigrationError {
    MigrationError(
      .blockFailed, stopped("", text), version: version, model: model)
  }

  // MARK: - Faces

  func face(of model: Model, isOld: Bool) -> ModelFace {
    if let face = isOld ? oldFaces[model.name] : faces[model.name] { return face }
    let face = ModelFace(
      model, in: isOld ? transition.source : transition.target, isOld: isOld, session: self)
    face.isDirect = isDirect
    if isOld { oldFaces[model.name] = face } else { faces[model.name] = face }
    return face
  }

  private var isDirect: Bool { isOpen && !hasFailed && !isDraft }

  private func updateFaces() {
    for face in faces.values { face.isDirect = isDirect }
    for face in oldFaces.values { face.isDirect = isDirect }
  }

  func object(_ row: FrozenRow, isOld: Bool) -> MigrationObject {
    MigrationObject(face(of: row.model, isOld: isOld), row: row, readAfter: workspace.changes)
  }

  /// The object with this identity; nil where it is gone.
  func object(of model: String, identity: Int64, isOld: Bool) throws -> MigrationObject? {
    // An object in a property of type `any` may be of a model that is gone: the link becomes nil when the block is through.
    if !isOld, transition.target.model(named: model) == nil { return nil }
    if !isOld { try fillDraft() }
    let version = isOld ? transition.source.version : transition.target.version
    return try watch.finishingStatements {
      try workspace.row(of: model, version: version, identity: identity).map {
        object($0, isOld: isOld)
      }
    }
  }

  // MARK: - The draft

  /// Puts all objects into the draft, also those that an enumeration is writing to their final table.
  func fillDraft() throws {
    guard !isDraft else { return }
    isDraft = true
    let interrupted = stream
    stream = nil
    let last = try interrupted?.suspend()
    var written = streamed
    if let interrupted { written.insert(interrupted.target.name) }
    for name in written {
      try database.execute(
        "ALTER TABLE main.\(SQL.identifier(name)) RENAME TO \(SQL.identifier(Self.streamedTable(name)))"
      )
    }
    database.discardCachedStatements()
    let pass = WorkspacePass(
      database: database, transition: transition, rowCounter: 0, watch: watch)
    try DraftLayout.createTables(for: transition.target, in: database)
    for model in transition.models {
      let name = model.target.name
      if written.contains(name) {
        let columns = SQL.identifiers(["_row"] + model.target.columnProperties.map(\.name))
        try database.execute(
          """
          INSERT INTO main.\(SQL.identifier(name)) (\(columns)) \
          SELECT \(columns) FROM main.\(SQL.identifier(Self.streamedTable(name)))
          """)
      }
      if streamed.contains(name) {
        try pass.fillCollections(of: model)
      } else {
        try pass.fill(model, after: interrupted?.target.name == name ? last : nil)
      }
    }
    try DraftLayout.createIndexes(for: transition.target, in: database)
    streamed = []
    try interrupted?.resume(in: self)
  }

  private static func streamedTable(_ model: String) -> String { "_streamed \(model)" }

  /// Removes embedded objects without an owner, and refuses what the version would.
  func checkDraft() throws {
    let pass = WorkspacePass(
      database: database, transition: transition, rowCounter: 0, watch: watch)
    try pass.finish()
  }

  // MARK: - Enumerations

  func enumeration(of name: String) -> ClassicEnumeration {
    guard isUsable else { return ClassicEnumeration(self, .nothing) }
    do {
      if stream != nil { try fillDraft() }
      return ClassicEnumeration(self, try objects(of: name))
    } catch {
      record(error)
      return ClassicEnumeration(self, .nothing)
    }
  }

  private func objects(of name: String) throws -> ClassicEnumeration.Objects {
    let old = transition.source.stored(name)
    guard let new = transition.target.stored(name) else {
      guard let old else { return .nothing }
      return .removed(
        try workspace.rows(of: old.name, version: transition.source.version).makeIterator())
    }
    guard let old else {
      guard isDraft else { return .nothing }
      return .added(
        try workspace.rows(of: new.name, version: version).makeIterator(),
        limit: workspace.rowCounter)
    }
    if !isDraft, !streamed.contains(name), transition.isDeclarativelyLocal,
      let model = transition.model(named: name)
    {
      let stream = try ClassicStream(model, in: self)
      self.stream = stream
      return .streamed(stream)
    }
    try fillDraft()
    return .continued(
      try workspace.rows(of: old.name, version: transition.source.version).makeIterator(),
      new: new.name)
  }

  /// An enumeration has written all objects.
  func streamEnded() {
    guard let stream else { return }
    streamed.insert(stream.target.name)
    self.stream = nil
  }
}
