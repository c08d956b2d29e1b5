import StrataSQLite
import StrataSchema

/// Looks at the first and the last rows of every table: do they hold what their columns are declared for?
///
/// SQLite checks a value when it is written. A table whose place in the file was pointed at another one's, or that was edited
/// while its definition was another, shows at once; a single cell shows when it is read.
struct CellSample {
  /// Rows at each end of a table.
  private static let rowsAtEachEnd = 64

  let database: Database
  let schema: Schema

  /// - Throws: `FileDamage` that names the row.
  func check() throws {
    for model in TableLayout(schema).models {
      let properties = model.model.properties
      var codecs: [String: ColumnCodec] = [:]
      for (property, codec) in zip(properties, model.codecs) { codecs[property.name] = codec }
      try check(model.table, codecs, order: [LayoutNames.row])
      for collection in model.collections {
        let order =
          collection.table.key.isEmpty
          ? [LayoutNames.owner, LayoutNames.value] : collection.table.key
        try check(collection.table, [LayoutNames.value: collection.codec], order: order)
      }
    }
  }

  private func check(
    _ table: TableDefinition, _ codecs: [String: ColumnCodec], order: [String]
  ) throws {
    let columns = table.columns.map { column -> (column: ColumnDefinition, codec: ColumnCodec) in
      let codec =
        codecs[column.name]
        ?? ColumnCodec(column.type == .text ? .string : .integer(.int64), isOptional: false)
      return (column, codec)
    }
    for direction in ["ASC", "DESC"] {
      let terms = order.map { "\(SQL.identifier($0)) \(direction)" }.joined(separator: ", ")
      let statement = try database.prepare(
        """
        SELECT \(SQL.identifiers(columns.map(\.column.name))) FROM \(SQL.identifier(table.name)) \
        ORDER BY \(terms) LIMIT \(Self.rowsAtEachEnd)
        """)
      while try statement.step() {
        for (index, (column, codec)) in columns.enumerated() {
          guard let problem = problem(statement.cell(at: index), column, codec) else { continue }
          throw FileDamage(
            "\(table.name) \(columns[0].column.name) \(statement.string(at: 0)) cannot be read: "
              + "in \(column.name) \(problem)")
        }
      }
    }
  }

  private func problem(
    _ cell: ColumnCell, _ column: ColumnDefinition, _ codec: ColumnCodec
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
}
