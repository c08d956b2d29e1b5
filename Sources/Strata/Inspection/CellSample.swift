package import StrataSQLite
package import StrataSchema

/// Looks at the first and the last rows of every table: do they hold what their columns are declared for?
///
/// SQLite checks a value when it is written. A table whose place in the file was pointed at another one's, or that was edited
/// while its definition was another, shows at once; a single cell shows when it is read.
package struct CellSample {
  /// Rows at each end of a table.
  private static let rowsAtEachEnd = 64

  let database: Database
  let schema: Schema

  package init(database: Database, schema: Schema) {
    self.database = database
    self.schema = schema
  }

  /// - Throws: `FileDamage` that names the row.
  package func check() throws {
    try eachTable { try check($0, $1, order: $2) }
  }

  /// Looks at every row of every table, and tells each that cannot be read, or that conditions would take for another value than
  /// is read.
  package func checkAll(_ report: (String) -> Void) throws {
    try eachTable { table, codecs, _ in
      let columns = Self.columns(table, codecs)
      let statement = try database.prepare(
        "SELECT \(SQL.identifiers(columns.map(\.column.name))) FROM \(SQL.identifier(table.name)) NOT INDEXED"
      )
      while try statement.step() {
        if let problem = problem(in: statement, of: table, columns)
          ?? otherForm(in: statement, of: table, columns)
        {
          report(problem)
        }
      }
    }
  }

  private func eachTable(
    _ body: (TableDefinition, [String: ColumnCodec], _ order: [String]) throws -> Void
  ) throws {
    for model in TableLayout(schema).models {
      let properties = model.model.properties
      var codecs: [String: ColumnCodec] = [:]
      for (property, codec) in zip(properties, model.codecs) { codecs[property.name] = codec }
      try body(model.table, codecs, [LayoutNames.row])
      for collection in model.collections {
        let order =
          collection.table.key.isEmpty
          ? [LayoutNames.owner, LayoutNames.value] : collection.table.key
        try body(collection.table, [LayoutNames.value: collection.codec], order)
      }
    }
  }

  private func check(
    _ table: TableDefinition, _ codecs: [String: ColumnCodec], order: [String]
  ) throws {
    let columns = Self.columns(table, codecs)
    for direction in ["ASC", "DESC"] {
      let terms = order.map { "\(SQL.identifier($0)) \(direction)" }.joined(separator: ", ")
      let statement = try database.prepare(
        """
        SELECT \(SQL.identifiers(columns.map(\.column.name))) FROM \(SQL.identifier(table.name)) \
        ORDER BY \(terms) LIMIT \(Self.rowsAtEachEnd)
        """)
      while try statement.step() {
        if let problem = problem(in: statement, of: table, columns) { throw FileDamage(problem) }
      }
    }
  }

  private typealias CheckedColumn = (column: ColumnDefinition, codec: ColumnCodec)

  private static func columns(
    _ table: TableDefinition, _ codecs: [String: ColumnCodec]
  ) -> [CheckedColumn] {
    table.columns.map { column in
      let codec =
        codecs[column.name]
        ?? ColumnCodec(column.type == .text ? .string : .integer(.int64), isOptional: false)
      return (column, codec)
    }
  }

  /// What is wrong in the row on which the statement stands.
  private func problem(
    in statement: Statement, of table: TableDefinition, _ columns: [CheckedColumn]
  ) -> String? {
    for (index, (column, codec)) in columns.enumerated() {
      guard let problem = problem(statement.cell(at: index), column, codec) else { continue }
      return "\(table.name) \(columns[0].column.name) \(statement.string(at: 0)) cannot be read: "
        + "in \(column.name) \(problem)"
    }
    return nil
  }

  private func problem(
    _ cell: SQLiteCell, _ column: ColumnDefinition, _ codec: ColumnCodec
  ) -> String? {
    if cell.storageClass == .null {
      return column.isRequired ? "is nothing, though it is required" : nil
    }
    do {
      _ = try codec.decode(cell)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// What is readable in the row on which the statement stands, and not stored as docs/layout.md says.
  private func otherForm(
    in statement: Statement, of table: TableDefinition, _ columns: [CheckedColumn]
  ) -> String? {
    for (index, (column, codec)) in columns.enumerated() {
      let cell = statement.cell(at: index)
      guard let value = try? codec.decode(cell), !codec.isForm(cell, of: value) else { continue }
      return "\(table.name) \(columns[0].column.name) \(statement.string(at: 0)): \(column.name) "
        + "is stored as \(cell.sqliteValue.literal) and read as \(value), which conditions take for two values"
    }
    return nil
  }
}

extension ColumnCodec {
  /// Whether a cell that was read as a value is what is written for it. A whole number may stand for a double, as SQLite compares the
  /// two by their value.
  fileprivate func isForm(_ cell: SQLiteCell, of value: Value) -> Bool {
    switch (value, cell.storageClass) {
    case (.null, _): return true
    case (.double(let number), .integer), (.date(let number), .integer):
      return Int64(exactly: number) == cell.integer
    case (.float(let number), .integer): return Int64(exactly: number) == cell.integer
    default: return (try? sqliteValue(of: value)) == cell.sqliteValue
    }
  }
}

extension SQLiteValue {
  /// Bytes of a value that a message shows.
  private static let shownBytes = 32

  /// As SQL would say it, shortened.
  fileprivate var literal: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return "\(value)"
    case .real(let value): return "\(value)"
    case .text(let value):
      return "'\(value.prefix(Self.shownBytes))\(value.count > Self.shownBytes ? "…" : "")'"
    case .blob(let value):
      return
        "x'\(Hex.encode(value.prefix(Self.shownBytes)))\(value.count > Self.shownBytes ? "…" : "")'"
    }
  }
}
