import StrataSQLite
import StrataSchema

/// What an object needs to read its values from the row on which a cursor stands.
struct CursorRow {
  let row: StatementRow
  /// The column of each property; 0, the column of `_row`, while the cursor does not know it, or has not selected it.
  let columns: UnsafeMutablePointer<Int32>
  /// When the model's rows changed last.
  let generation: UnsafeMutablePointer<UInt64>
}

/// Walks over the rows of a query, one object at a time.
///
/// The object of the current row reads its values straight from the statement. It gets a copy of its row when the
/// cursor moves on and it is still held elsewhere; otherwise the same instance becomes the next row's object, so that
/// walking over a million objects makes one. Walking over all objects, the cursor looks which properties the
/// first of them were asked for, and selects only these from then on.
@usableFromInline final class RowCursor {
  private let store: Store
  private unowned(unsafe) let access: ModelAccess
  @exclusivity(unchecked) private var statement: Statement?
  @exclusivity(unchecked) private var cursorRow: CursorRow?
  /// What the statement would still have given, once a write has ended it.
  private var remaining: ArraySlice<Int64> = []
  /// The row that was given last.
  @exclusivity(unchecked) private var position: Int64?
  /// Where a walk over a whole table ends: its last row at the beginning. Nil until something may be added behind it.
  @exclusivity(unchecked) private var end: Int64?
  /// Whether a walk over a whole table was ended by a write and goes on from `position`.
  private var isSuspended = false
  @exclusivity(unchecked) private var current: Object?
  /// Whether `current` reads from the statement.
  @exclusivity(unchecked) private var isOnRow = false
  private let isRecyclable: Bool
  /// Whether other threads may use the connection, too.
  @exclusivity(unchecked) private var isShared = false
  /// Whether the properties that are read are noted: objects read them from their own rows then.
  private let isTracked: Bool
  private let columns: UnsafeMutablePointer<Int32>
  @exclusivity(unchecked) private var projection: Projection
  /// Rows until the projection is looked at.
  @exclusivity(unchecked) private var rowsToProjection = Projection.rowsToLearn

  /// - Parameter query: of the model; walked in its order.
  init(_ query: Query, isTracked: Bool = false) throws {
    self.isTracked = isTracked
    access = query.access
    store = query.store
    isRecyclable = access.isRecyclable
    projection = Projection(query)
    columns = .allocate(capacity: access.columns.count + 1)
    columns.initialize(repeating: 0, count: access.columns.count + 1)
    try select(after: nil)
    store.register(self)
  }

  deinit {
    store.lockIfShared()
    stop()
    store.unlockIfShared()
    columns.deallocate()
  }

  private func select(after row: Int64?) throws {
    isShared = store.lock != nil
    if isShared { projection.selectAll() }
    let text = projection.statement(after: row).bounded
    let statement = try store.database.borrowStatement(text.sql)
    try statement.bind(text.values)
    self.statement = statement
    columns.update(repeating: 0, count: access.columns.count)
    cursorRow = CursorRow(
      row: statement.row, columns: columns, generation: access.rowsMark)
  }

  /// The next row's object; nil at the end.
  @usableFromInline func next() -> Object? {
    let object = nextObject()
    if isTracked, let object, isOnRow { release(object) }
    return object
  }

  @inline(__always) private func nextObject() -> Object? {
    guard let cursorRow else { return nextRemaining() }
    if isShared { return nextShared(cursorRow) }
    // Nothing here may hold the object while it is asked who else does.
    let isFree = isRecyclable && isKnownUniquelyReferenced(&current)
    if isOnRow && !isFree {
      leaveRow()
      keepRows()
    }
    if rowsToProjection == 0 { return change() }
    switch cursorRow.row.step() {
    case .row: break
    case .done, .failed:
      finish()
      return nil
    }
    let row = cursorRow.row.integer(at: 0)
    if let end, row > end {
      finish()
      return nil
    }
    position = row
    rowsToProjection &-= 1
    if isFree, let object = current, object.collections.isEmpty {
      object.move(to: row, in: store)
      object.isMissing = false
      if object.hashIdentity != nil { object.hashIdentity = nil }
      object.generation = cursorRow.generation.pointee
      object.cursorRow = cursorRow
      object.cursor = self
      isOnRow = true
      return object
    }
    let object = access.object(row, isRead: true)
    object.generation = cursorRow.generation.pointee
    object.cursorRow = cursorRow
    object.cursor = self
    isOnRow = true
    current = object
    return object
  }

  /// The next object where another thread may use the statement's connection as soon as this returns: the object takes its row
  /// along.
  private func nextShared(_ cursorRow: CursorRow) -> Object? {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    guard statement != nil, case .row = cursorRow.row.step() else {
      finish()
      return nil
    }
    let row = cursorRow.row.integer(at: 0)
    if let end, row > end {
      finish()
      return nil
    }
    position = row
    let object = access.object(row, isRead: true)
    object.buffer.load(cursorRow.row, from: 1, count: access.columnCount)
    object.generation = access.rowsMark.pointee
    return object
  }

  /// Goes on with another selection of columns.
  private func change() -> Object? {
    rowsToProjection = .max
    guard projection.shouldChange else { return next() }
    letGo()
    do {
      projection.change()
      returnStatement()
      try select(after: position)
    } catch {
      fail(error)
      stop()
      return nil
    }
    return next()
  }

  private func keepRows() {
    projection.rowsAreKept = true
    if !projection.isComplete { rowsToProjection = 0 }
  }

  private func finish() {
    if let statement, statement.stepFailed { fail(statement.stepError) }
    stop()
  }

  /// Keeps for the store's next call that can throw what the error means to who has asked.
  @inline(never) private func fail(_ error: any Error) {
    store.fail(projection.query.queryError(error))
  }

  // MARK: - The object on the row

  /// The column of a property that an object is asked for the first time; nil when it is not selected.
  func column(of property: Int) -> Int32? {
    guard let column = projection.column(of: property, access) else {
      rowsToProjection = 0
      return nil
    }
    columns[property] = column
    return column
  }

  /// Before the statement moves: an object that is held elsewhere keeps a copy of its row.
  private func leaveRow() {
    guard isOnRow, let current else { return }
    release(current)
  }

  /// Before rows are deleted: the object on the row keeps all of its values, also those that are not selected.
  func rowMayGo() {
    guard isOnRow, !projection.isComplete else { return }
    leaveRow()
    keepRows()
  }

  /// An object that has to read its row anew.
  func release(_ object: Object) {
    object.cursor = nil
    object.cursorRow = nil
    isOnRow = false
    guard let statement else { return }
    if projection.isComplete {
      object.buffer.load(statement.row, from: 1, count: access.columnCount)
    } else if access.load(object.row, into: &object.buffer) == true {
      object.generation = access.rowsMark.pointee
    }
  }

  /// Before the object is given up: it keeps its row if it is still held elsewhere.
  private func letGo() {
    if isOnRow {
      if isKnownUniquelyReferenced(&current) {
        current?.cursor = nil
        current?.cursorRow = nil
        isOnRow = false
      } else {
        leaveRow()
      }
    }
    current = nil
  }

  private func nextRemaining() -> Object? {
    if isSuspended {
      isSuspended = false
      guard store.prepareToRead() else { return nil }
      store.lockIfShared()
      defer { store.unlockIfShared() }
      do {
        try select(after: position)
        store.register(self)
        return next()
      } catch {
        fail(error)
        return nil
      }
    }
    while let row = remaining.popFirst() {
      guard store.prepareToRead() else { return nil }
      let object = access.object(row, isRead: true)
      object.readRow(of: store)
      if !object.isMissing { return object }
    }
    return nil
  }

  // MARK: - Ending

  /// Before a write: a statement that would be misled by it is ended. A walk over a whole table goes on, but not to what is
  /// added from now on.
  func tableWillChange() {
    if projection.isStable { findEnd() } else { suspend() }
  }

  private func findEnd() {
    guard end == nil else { return }
    do {
      end =
        try store.database.firstValue("SELECT max(\"_row\") FROM \(access.quotedTable)")?.ifInteger
        ?? .min
    } catch {
      fail(error)
      end = .min
    }
  }

  /// Before the transaction ends: remembers which rows are still to come; of a whole table only where they begin and end.
  func suspend() {
    guard let statement else { return }
    letGo()
    if projection.isStable {
      findEnd()
      isSuspended = true
      return giveBack()
    }
    var rows: [Int64] = []
    do {
      while try statement.step() { rows.append(statement.integer(at: 0)) }
    } catch {
      fail(error)
    }
    remaining = rows[...]
    giveBack()
  }

  private func stop() {
    letGo()
    giveBack()
    remaining = []
    isSuspended = false
  }

  private func giveBack() {
    guard statement != nil else { return }
    returnStatement()
    cursorRow = nil
    store.unregister(self)
  }

  private func returnStatement() {
    guard let statement else { return }
    self.statement = nil
    store.database.returnStatement(statement)
  }
}
