import StrataSQLite
import StrataSchema

/// What a block that looks beyond one object works on: the old version's tables and the draft of the new one.
final class WorkspaceSession: StepWorkspace {
  /// Identities that an enumeration fetches at once, so that a block may change what it goes through.
  private static let identitiesAtOnce = 1000

  let database: Database
  let transition: Transition
  private let deletion: DraftDeletion
  let watch: UpgradeWatch
  private(set) var rowCounter: Int64
  /// The row that the running mapping writes to; its changes are stored together.
  private(set) var deferred: FrozenRow?
  /// Whether the block has returned: what it kept reaches nothing any more.
  private(set) var isOver = false
  private(set) var changes = 0
  private let links: SourceLinks
  /// The object that an enumeration of the block has reached: where the block throws, it may be why.
  private var lastGiven: FrozenRow?
  /// What the newest body of `create` has thrown, and the same with the object: a block may catch its own error.
  private var newestRefusal: (description: String, place: any Error)?
  /// How single objects are read: blocks ask for many of few models.
  private var selections: [SelectionKey: TableReader.Selection] = [:]

  private struct SelectionKey: Hashable {
    let model: String
    let isOld: Bool
    let condition: String
  }

  /// The first failure of the database, or of a look at an object. It counts also where the block caught it: without a journal, a
  /// draft in which a statement failed is not to be trusted, and an object that cannot be read is not one that is not there.
  private(set) var failure: (any Error)?

  init(
    database: Database, transition: Transition, deletion: DraftDeletion, rowCounter: Int64,
    watch: UpgradeWatch
  ) {
    self.database = database
    self.transition = transition
    self.deletion = deletion
    self.rowCounter = rowCounter
    self.watch = watch
    links = SourceLinks(database: database, schema: transition.source)
  }

  func run(_ block: Step) throws {
    let context = StepContext(environment: transition.environment, workspace: self)
    defer {
      context.end()
      isOver = true
    }
    do {
      try block.body(context)
      try flush()
      try watch.stopIfCancelled()
      if let failure { throw failure }
    } catch {
      // What came first may be why the block throws.
      let refusal = newestRefusal.flatMap { $0.description == "\(error)" ? $0.place : nil }
      let cause = failure ?? refusal ?? error
      throw cause is MigrationError
        ? cause
        : MigrationError.blockFailed(cause, version: transition.target.version, at: lastGiven)
    }
  }

  // MARK: - Versions

  private struct Side {
    let schema: Schema
    let database: String
    let isOld: Bool
  }

  private func side(_ version: Int, _ model: String) throws -> (Side, Model) {
    let side: Side
    switch version {
    case transition.source.version:
      side = Side(schema: transition.source, database: "source", isOld: true)
    case transition.target.version:
      side = Side(schema: transition.target, database: "main", isOld: false)
    default:
      throw MigrationError(
        .blockFailed,
        """
        The block of version \(transition.target.version) asks for \(model) of version \(version). A \
        step sees version \(transition.source.version) and version \(transition.target.version) only.
        """, version: transition.target.version, model: model)
    }
    guard let found = side.schema.model(named: model) else {
      throw MigrationError(
        .blockFailed, "Version \(version) has no model \(model).",
        version: transition.target.version, model: model)
    }
    return (side, found)
  }

  // MARK: - Rows

  func run(_ mapping: StepContext.Mapping) throws {
    do {
      try goThrough(mapping)
    } catch {
      // Objects behind the one at which it stops have not been mapped: that counts also where the block catches the error.
      failure = failure ?? error
      throw error
    }
  }

  /// Runs what a block asks for. An error counts also where the block catches it; of what could not be stored before, it names the
  /// object.
  private func recorded<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      if let deferred { failed(error, in: deferred) }
      failure = failure ?? error
      throw error
    }
  }

  private func goThrough(_ mapping: StepContext.Mapping) throws {
    try transition.check(mapping)
    for old in try rows(of: mapping.oldModel, version: transition.source.version) {
      guard
        let new = try row(
          of: mapping.newModel, version: transition.target.version, identity: old.identity)
      else { continue }  // deleted by the step or by an earlier part of the block
      deferred = new
      try BlockFailure.wrap(transition, new) { try mapping.body(old, new) }
      if let failure = old.takeFailure() {
        throw BlockFailure.error(failure, transition: transition, row: old)
      }
      try flush()
      try watch.reportIfDue()
    }
  }

  func rows(of model: String, version: Int) throws -> AnySequence<FrozenRow> {
    try rows(of: model, version: version, after: nil)
  }

  /// The rows behind the one with this identity.
  func rows(of model: String, version: Int, after first: Int64?) throws -> AnySequence<FrozenRow> {
    let (side, found) = try recorded {
      try flush()
      return try self.side(version, model)
    }
    return AnySequence<FrozenRow> { [self] () -> AnyIterator<FrozenRow> in
      // What is created on the way is not gone through: a body that creates would never end.
      let end = rowCounter
      var batch: [Int64] = []
      var last = first
      return AnyIterator<FrozenRow> { () -> FrozenRow? in
        checkUse(
          !self.isOver,
          "The objects of a step are gone through after the block of version \(self.transition.target.version) has returned."
        )
        // Behind an error nothing is gone through: a block that counts on every object would go wrong.
        while self.failure == nil {
          if batch.isEmpty {
            batch = self.kept(or: [Int64]()) {
              try self.identities(of: found, in: side, after: last, before: end)
            }.reversed()
          }
          guard let identity = batch.popLast() else { return nil }
          last = identity
          // An object may have been deleted since its identity was fetched.
          let row: FrozenRow? = self.kept(or: nil) {
            try self.flush()
            try self.watch.stopIfCancelled()
            return try self.load(found, side, identity: identity)
          }
          if let row {
            self.lastGiven = row
            self.newestRefusal = nil
            return row
          }
        }
        return nil
      }
    }
  }

  /// Runs what an iterator cannot throw; the first error stops the upgrade when the block returns.
  private func kept<Result>(or fallback: Result, _ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      failure = failure ?? error
      return fallback
    }
  }

  private func identities(
    of model: Model, in side: Side, after last: Int64?, before end: Int64
  ) throws -> [Int64] {
    let switches = EngineSwitches.current
    let condition =
      " WHERE _row < \(end)"
      + (last.map { " AND _row \(switches.isBackwards ? "<" : ">") \($0)" } ?? "")
    return try database.rows(
      """
      SELECT _row FROM \(SQL.identifier(model.name, in: side.database)) NOT INDEXED\(condition) \
      ORDER BY _row\(switches.direction) LIMIT \(switches.rowsAtOnce ?? Self.identitiesAtOnce)
      """
    ).compactMap { $0[0].ifInteger }
  }

  func row(of model: String, version: Int, identity: Int64) throws -> FrozenRow? {
    try recorded {
      try flush()
      let (side, found) = try self.side(version, model)
      return try load(found, side, identity: identity)
    }
  }

  private func load(_ model: Model, _ side: Side, identity: Int64) throws -> FrozenRow? {
    try row(model, side, condition: "_row = ?", values: [.integer(identity)])
  }

  func row(of model: String, version: Int, primaryKey: [Value]) throws -> FrozenRow? {
    let (side, found) = try recorded {
      try flush()
      return try self.side(version, model)
    }
    let keys = found.primaryKey.compactMap(found.property(named:))
    guard !keys.isEmpty, keys.count == primaryKey.count else {
      let declared = keys.isEmpty ? "none" : keys.map(\.name).joined(separator: ", ")
      let error = MigrationError(
        .blockFailed,
        """
        The block of version \(transition.target.version) looks for a \(model) of version \(version) by a \
        primary key of \(primaryKey.count) values; its primary key is \(declared).
        """, version: transition.target.version, model: model)
      failure = failure ?? error
      throw error
    }
    // A value that the column cannot hold is no object's key, which a block may well find out by the error.
    let values = try zip(keys, primaryKey).map { key, value in
      try key.codec(in: side.schema).sqliteValue(of: value)
    }
    return try recorded {
      try row(
        found, side,
        condition: keys.map { "\(SQL.identifier($0.name)) IS ?" }.joined(separator: " AND "),
        values: values)
    }
  }

  private func row(_ model: Model, _ side: Side, condition: String, values: [SQLiteValue]) throws
    -> FrozenRow?
  {
    let key = SelectionKey(model: model.name, isOld: side.isOld, condition: condition)
    let selection =
      selections[key]
      ?? TableReader.Selection(
        model: model, schema: side.schema, in: side.database, condition: condition, limit: 1)
    selections[key] = selection
    // The connection keeps it: closing the connection ends it.
    let statement = try database.borrowStatement(selection.sql)
    defer { database.returnStatement(statement) }
    let reader = TableReader(selection, statement)
    try statement.bind(values)
    guard try reader.next() else { return nil }
    let loaded = try LoadedRow(reader)
    let row = FrozenRow(
      model: model, environment: transition.environment, source: .stored(loaded))
    row.identity = reader.identity
    row.isReadOnly = side.isOld
    row.workspace = self
    row.readAfter = changes
    if side.isOld { row.links = links }
    return row
  }

  func refresh(_ row: FrozenRow) throws {
    try watch.finishingStatements {
      // What the running mapping has set counts, too.
      try flush()
      let (side, model) = try side(transition.target.version, row.model.name)
      if let stored = try load(model, side, identity: row.identity) { try row.take(stored) }
      row.readAfter = changes
    }
  }

  func failed(_ error: any Error, in row: FrozenRow) {
    failure = failure ?? BlockFailure.error(error, transition: transition, row: row)
  }

  // MARK: - Changes

  /// Gathers what is assigned to a row, until the block reads or another one is written.
  func begin(writing row: FrozenRow?) throws {
    try flush()
    deferred = row
  }

  /// The tables were changed by another statement than the session's.
  func changedBeneath() { changes += 1 }

  func wasWritten(_ row: FrozenRow) throws {
    guard row !== deferred else { return }
    try watch.finishingStatements {
      // What the running mapping has set of the same object came before.
      if isPending(elsewhereThan: row) { try flush() }
      try store(row)
    }
  }

  /// Whether the running mapping has set something of a row's object that is not stored yet, by another row.
  private func isPending(elsewhereThan row: FrozenRow) -> Bool {
    guard let deferred, deferred !== row, deferred.identity == row.identity else { return false }
    return deferred.hasUnstored
  }

  func isOutdated(_ row: FrozenRow) -> Bool {
    row.readAfter != changes || isPending(elsewhereThan: row)
  }

  /// Stores what the running mapping has written, before the next read.
  func flush() throws {
    guard let row = deferred else { return }
    deferred = nil
    defer { deferred = row }
    try store(row)
  }

  private func store(_ row: FrozenRow) throws {
    let changed = row.takeUnstored()
    guard !changed.isEmpty else { return }
    let isCurrent = row.readAfter == changes
    changes += 1
    if isCurrent { row.readAfter = changes }
    let properties = changed.map { row.model.properties[$0.index] }
    var values = try zip(properties, changed).map { property, change in
      try encode(change.value, property)
    }
    values.append(.integer(row.identity))
    try database.execute(
      """
      UPDATE main.\(SQL.identifier(row.model.name)) SET \
      \(properties.map { "\(SQL.identifier($0.name)) = ?" }.joined(separator: ", ")) \
      WHERE _row = ?
      """, values)
  }

  private func encode(_ value: Value, _ property: Property) throws -> SQLiteValue {
    guard !value.isNull, let type = property.type.valueType else { return .null }
    return try ColumnCodec(type, in: transition.target).sqliteValue(of: value)
  }

  func create(_ model: String, version: Int, _ body: (FrozenRow) throws -> Void) throws
    -> FrozenRow
  {
    let (side, found) = try recorded {
      try flush()
      return try self.side(version, model)
    }
    guard !side.isOld else {
      throw MigrationError.blockFailed(
        BlockFailure.oldObject("creates an old \(model)", instead: "create a new one"),
        version: transition.target.version, at: lastGiven, creating: model)
    }
    let row = FrozenRow(model: found, environment: transition.environment, source: .created)
    row.identity = rowCounter
    rowCounter += 1
    row.workspace = self
    row.readAfter = changes
    let columns = found.columnProperties
    let outer = deferred
    deferred = row
    defer { deferred = outer }
    try database.execute(
      "INSERT INTO main.\(SQL.identifier(model)) (_row) VALUES (?)", .integer(row.identity))
    for property in columns {
      if let index = found.indexOfProperty(named: property.name) {
        row.write(index, try row.read(index))
      }
    }
    do {
      try body(row)
      if let failure = row.takeFailure() {
        throw BlockFailure.error(failure, transition: transition, row: row)
      }
      try store(row)
      newestRefusal = nil
      return row
    } catch {
      let place = BlockFailure.error(row.takeFailure() ?? error, transition: transition, row: row)
      newestRefusal = ("\(error)", place)
      // A block may catch the error: an object that was made half is none. What it has been given goes with it, and nothing else.
      try? store(row)
      changes += 1
      if let holder = try deletion.takeBack(model, row.identity) {
        failure = failure ?? refusal(of: row, heldBy: holder, because: error)
      }
      throw error
    }
  }

  private func refusal(of row: FrozenRow, heldBy link: SchemaPath, because error: any Error)
    -> MigrationError
  {
    MigrationError(
      .blockFailed,
      """
      The block of version \(transition.target.version) stopped the upgrade: \(error) (while it created a \(row.model.name)). The \
      object cannot be taken back, also where the block catches the error: \(link), a required link, leads to it.
      """, version: transition.target.version, model: row.model.name)
  }

  func delete(_ row: FrozenRow) throws {
    try recorded { try flush() }
    guard !row.isReadOnly else {
      throw BlockFailure.error(
        BlockFailure.oldObject("deletes the old object", instead: "delete the new one"),
        transition: transition, row: row)
    }
    if deferred === row { deferred = nil }
    changes += 1
    try deletion.delete(row.model.name, row.identity)
  }
}
