package import StrataSQLite
package import StrataSchema

/// Inserts rows into a model's table.
///
/// Rows are put together in memory and inserted many at a time, by a thread of its own where that pays.
package final class TableWriter {
  /// Rows of one INSERT: half of the cost of a row is starting and ending a statement.
  private static let rowsPerStatement = 32
  /// Statements that the other thread gets at once: waking it costs as much as some rows.
  private static let statementsPerBatch = 16
  /// Cells of one batch, however many columns a model has.
  private static let maximumCells = 1 << 14
  /// Bytes of texts and blobs in one batch, however large a value is.
  private static let maximumBytes = 1 << 17

  private let codecs: [ColumnCodec]
  private let width: Int
  private let inserter: RowInserter
  private let background: BackgroundInserter?
  private let rowsOfBatch: Int
  private var batch: RowBatch
  private var filledRows = 0

  /// - Parameter isInBackground: whether rows are inserted by a thread of its own. Until `end`, nothing else may use
  ///   the connection then but after `flush`.
  package convenience init(
    model: Model, schema: Schema, database: Database, isInBackground: Bool = false
  ) throws {
    let columns = model.columnProperties
    try self.init(
      table: model.name, columns: ["_row"] + columns.map(\.name),
      codecs: columns.map { $0.codec(in: schema) }, database: database,
      isInBackground: isInBackground)
  }

  /// Writes elements of a collection: a row's identity is its owner's, then comes the place, which a set's elements have not, and the value.
  package convenience init(
    elementsOf property: Property, of model: Model, schema: Schema, database: Database,
    isInBackground: Bool
  ) throws {
    var columns = ["_owner", "value"]
    var codecs = [property.codec(in: schema)]
    switch property.type {
    case .set: break
    case .map:
      columns.insert("_index", at: 1)
      codecs.insert(ColumnCodec(.string, isOptional: false), at: 0)
    default:
      columns.insert("_index", at: 1)
      codecs.insert(ColumnCodec(.integer(.int), isOptional: false), at: 0)
    }
    try self.init(
      table: "\(model.name).\(property.name)", columns: columns, codecs: codecs,
      database: database, isInBackground: isInBackground)
  }

  private init(
    table: String, columns: [String], codecs: [ColumnCodec], database: Database,
    isInBackground: Bool
  ) throws {
    self.codecs = codecs
    let inserter = try RowInserter(
      database, table: "main.\(SQL.identifier(table))", columns: columns,
      rowsAtOnce: EngineSwitches.current.rowsAtOnce ?? Self.rowsPerStatement)
    width = inserter.width
    let statements = min(
      Self.statementsPerBatch, max(1, Self.maximumCells / (width * inserter.rowsAtOnce)))
    let rowsOfBatch = inserter.rowsAtOnce * (isInBackground ? statements : 1)
    background =
      isInBackground ? BackgroundInserter(inserter, cellsOfBatch: rowsOfBatch * width) : nil
    self.inserter = inserter
    self.rowsOfBatch = rowsOfBatch
    batch = RowBatch(cells: rowsOfBatch * width)
  }

  deinit {
    background?.end()
    batch.free()
  }

  package func beginRow(_ identity: Int64) {
    batch.move(to: filledRows * width)
    batch.write(identity)
  }

  /// - Parameter position: index in the model's `columnProperties`, or of an element's place and value; each is written once, in their order.
  @inline(__always)
  package func write(_ value: Value, to position: Int) throws {
    var cell = batch
    try codecs[position].encode(value, into: &cell)
  }

  /// Passes a column of a row on as it is stored.
  @inline(__always)
  func copy(from source: StatementRow, column: Int) throws {
    try batch.write(columnOf: source, at: column)
  }

  package func endRow() throws {
    filledRows += 1
    if filledRows == rowsOfBatch || batch.byteCount >= Self.maximumBytes { try handOver() }
  }

  /// Inserts what is not inserted yet; the connection is free then.
  package func flush() throws {
    if filledRows > 0 { try handOver() }
    try background?.waitUntilIdle()
  }

  private func handOver() throws {
    if let background {
      batch = try background.exchange(batch, rows: filledRows)
    } else {
      try inserter.insert(batch, rows: filledRows)
      batch.clear()
    }
    filledRows = 0
  }

  /// Waits until the connection is free. What went wrong is thrown by the next call.
  func settle() { try? background?.waitUntilIdle() }

  /// Lets the connection go, whether or not everything is inserted.
  package func end() { background?.end() }
}
