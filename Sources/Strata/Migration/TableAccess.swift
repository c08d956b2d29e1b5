import StrataSQLite
import StrataSchema

/// Reads a model's table in identity order, one row at a time.
final class TableReader: StoredRowReader {
  let model: Model
  let statement: Statement
  private(set) var identity: Int64 = 0
  private let codecs: [ColumnCodec]
  /// For each stored property its column in the statement; -1 for a collection.
  private let columns: [Int]

  /// - Parameter condition: SQL behind WHERE, with `?` for values that the caller binds.
  init(
    model: Model, schema: Schema, database: Database, in name: String, condition: String? = nil,
    limit: Int? = nil
  ) throws {
    self.model = model
    var columns: [Int] = []
    var names = ["_row"]
    for property in model.storedProperties {
      if property.type.isCollection {
        columns.append(-1)
      } else {
        columns.append(names.count)
        names.append(property.name)
      }
    }
    self.columns = columns
    codecs = model.storedProperties.map { $0.codec(in: schema) }
    statement = try database.prepare(
      "SELECT \(SQL.identifiers(names)) FROM \(SQL.identifier(model.name, in: name))"
        + (condition.map { " WHERE \($0)" } ?? "") + " ORDER BY _row"
        + EngineSwitches.current.direction
        + (limit.map { " LIMIT \($0)" } ?? ""))
  }

  func next() throws -> Bool {
    guard try statement.step() else { return false }
    identity = statement.integer(at: 0)
    return true
  }

  func value(at position: Int) throws -> Value {
    let column = columns[position]
    return column < 0 ? .null : try codecs[position].read(statement, at: column)
  }

  func text(at position: Int) -> String? {
    let column = columns[position]
    guard column >= 0, codecs[position].kind == .string, statement.storageClass(at: column) == .text
    else { return nil }
    return statement.string(at: column)
  }

  /// The statement's column of a property.
  func column(of name: String) -> Int? {
    model.storedProperties.firstIndex { $0.name == name }.flatMap {
      columns[$0] < 0 ? nil : columns[$0]
    }
  }
}

/// Inserts rows into a model's table, several with one statement.
final class TableWriter {
  /// Rows of one INSERT: half of the cost of a row is starting and ending a statement.
  private static let rowsPerStatement = 32
  /// SQLite's own bound on parameters is 32,766.
  private static let maximumParameters = 30_000

  private let codecs: [ColumnCodec]
  private let width: Int
  private let rowsAtOnce: Int
  /// Its last parameter is how many of its rows count, so that the last statement may be partly filled.
  private let statement: Statement
  private var filledRows = 0

  init(model: Model, schema: Schema, database: Database) throws {
    let columns = model.columnProperties
    codecs = columns.map { $0.codec(in: schema) }
    width = columns.count + 1
    rowsAtOnce = min(
      EngineSwitches.current.rowsAtOnce ?? Self.rowsPerStatement,
      max(1, Self.maximumParameters / width))
    let row = "(\(SQL.placeholders(width)))"
    statement = try database.prepare(
      """
      INSERT INTO main.\(SQL.identifier(model.name)) \
      (\(SQL.identifiers(["_row"] + columns.map(\.name)))) SELECT * FROM (VALUES \
      \(Array(repeating: row, count: rowsAtOnce).joined(separator: ", "))) LIMIT ?
      """)
  }

  func beginRow(_ identity: Int64) throws {
    try statement.bind(identity, at: filledRows * width + 1)
  }

  /// - Parameter position: index in the model's `columnProperties`.
  func write(_ value: Value, to position: Int) throws {
    try codecs[position].bind(value, to: statement, at: filledRows * width + 2 + position)
  }

  /// Passes a column of a row on as it is stored.
  func copy(from source: Statement, column: Int, to position: Int) throws {
    try statement.bind(columnOf: source, at: column, to: filledRows * width + 2 + position)
  }

  func endRow() throws {
    filledRows += 1
    if filledRows == rowsAtOnce { try flush() }
  }

  func flush() throws {
    guard filledRows > 0 else { return }
    try statement.bind(Int64(filledRows), at: rowsAtOnce * width + 1)
    try statement.run()
    filledRows = 0
  }
}

extension Property {
  /// How the property's value, or its elements, stand in a column.
  func codec(in schema: Schema) -> ColumnCodec {
    ColumnCodec(type.valueType ?? ValueType(.scalar(.any), isOptional: true), in: schema)
  }
}
