import StrataSQLite
import StrataSchema

/// Walks over the rows of a query, one object at a time.
///
/// The object of the current row reads its values straight from the statement. It gets a copy of its row when the
/// cursor moves on and somebody still holds it; otherwise the same instance becomes the next row's object, so that
/// walking over a million objects makes one.
@usableFromInline final class RowCursor {
  private let store: Store
  private unowned(unsafe) let access: ModelAccess
  private var statement: Statement?
  private let sql: String
  /// What the statement would still have given, once a write has ended it.
  private var remaining: ArraySlice<Int64> = []
  private var current: Object?
  /// Whether a write to the table may change what the statement finds.
  private let isStable: Bool

  /// - Parameter isStable: whether the statement walks in the order of `_row` with nothing but `_row` in its condition.
  init(_ access: ModelAccess, sql: String, values: [SQLiteValue], isStable: Bool) throws {
    store = access.store
    self.access = access
    self.sql = sql
    self.isStable = isStable
    let statement = try store.database.borrowStatement(sql)
    try statement.bind(values)
    self.statement = statement
    store.register(self)
  }

  deinit { end() }

  @inline(__always) func cell(at column: Int) -> StoredCell {
    guard let statement else { return .null }
    return statement.storedCell(at: column + 1)
  }

  /// The next row's object; nil at the end.
  @usableFromInline func next() -> Object? {
    guard let statement else { return nextRemaining() }
    letGo()
    do {
      guard try statement.step() else {
        end()
        return nil
      }
    } catch {
      store.fail(error)
      end()
      return nil
    }
    let row = statement.integer(at: 0)
    if access.isRecyclable, isKnownUniquelyReferenced(&current), let object = current,
      object.collections.isEmpty
    {
      object.row = row
      object.isMissing = false
      take(object)
      return object
    }
    let object = access.object(row)
    current = object
    take(object)
    return object
  }

  private func take(_ object: Object) {
    object.cursor = self
    object.generation = store.generation
  }

  /// Before the statement leaves the row. Nothing here may hold the object while it is asked who else does.
  private func letGo() {
    guard current?.cursor === self else { return }
    current?.cursor = nil
    if access.isRecyclable, isKnownUniquelyReferenced(&current) { return }
    if let current { copyRow(to: current) }
  }

  private func copyRow(to object: Object) {
    guard let statement else { return }
    object.buffer.load(statement, from: 1, count: access.columnCount)
  }

  /// An object that has to read its row anew.
  func release(_ object: Object) {
    object.cursor = nil
    copyRow(to: object)
  }

  private func nextRemaining() -> Object? {
    while let row = remaining.popFirst() {
      guard store.prepareToRead() else { return nil }
      let object = access.object(row)
      object.readRow(of: store)
      if !object.isMissing { return object }
    }
    return nil
  }

  // MARK: - Ending

  /// Before a write: a statement that would be misled by it is ended.
  func tableWillChange(_ changed: ModelAccess) {
    if !isStable { suspend() }
  }

  /// Before the transaction ends: remembers which rows are still to come.
  func suspend() {
    guard let statement else { return }
    if let current, current.cursor === self { release(current) }
    current = nil
    var rows: [Int64] = []
    do {
      while try statement.step() { rows.append(statement.integer(at: 0)) }
    } catch {
      store.fail(error)
    }
    remaining = rows[...]
    giveBack()
  }

  private func end() {
    letGo()
    current = nil
    giveBack()
    remaining = []
  }

  private func giveBack() {
    guard let statement else { return }
    self.statement = nil
    store.database.returnStatement(statement)
    store.unregister(self)
  }
}
