package import StrataSQLite
package import StrataSchema

/// Reads a model's table in identity order, one row at a time.
package final class TableReader: StoredRowReader {
  package let model: Model
  let statement: Statement
  /// Where the statement stands.
  var row: StatementRow { statement.row }
  package private(set) var identity: Int64 = 0
  private let codecs: [ColumnCodec]
  private let columns: [Int]
  /// What collections are read with; nil for a reader of single objects.
  private var collections: (database: Database, schema: Schema, name: String)?

  /// What is read of which table, worked out once for many readers.
  package struct Selection {
    let model: Model
    package let sql: String
    fileprivate let codecs: [ColumnCodec]
    /// For each stored property its column in the statement; -1 for a collection.
    fileprivate let columns: [Int]

    /// - Parameter condition: SQL behind WHERE, with `?` for values that the caller binds.
    package init(
      model: Model, schema: Schema, in name: String, condition: String? = nil, limit: Int? = nil
    ) {
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
      sql =
        "SELECT \(SQL.identifiers(names)) FROM \(SQL.identifier(model.name, in: name))"
        + (condition.map { " WHERE \($0)" } ?? " NOT INDEXED") + " ORDER BY _row"
        + EngineSwitches.current.direction
        + (limit.map { " LIMIT \($0)" } ?? "")
    }
  }

  /// - Parameter statement: of the selection's SQL.
  package init(_ selection: Selection, _ statement: Statement) {
    model = selection.model
    codecs = selection.codecs
    columns = selection.columns
    self.statement = statement
  }

  /// - Parameter condition: SQL behind WHERE, with `?` for values that the caller binds.
  package convenience init(
    model: Model, schema: Schema, database: Database, in name: String, condition: String? = nil
  ) throws {
    let selection = Selection(model: model, schema: schema, in: name, condition: condition)
    self.init(selection, try database.prepare(selection.sql))
    collections = (database, schema, name)
  }

  package func next() throws -> Bool {
    guard try statement.step() else { return false }
    identity = statement.integer(at: 0)
    return true
  }

  package func value(at position: Int) throws -> Value {
    let column = columns[position]
    guard column >= 0 else { return .null }
    do {
      return try codecs[position].read(statement, at: column)
    } catch {
      throw FileDamage(
        "\(model.name) _row \(identity) cannot be read: in \(model.storedProperties[position].name) \(error)"
      )
    }
  }

  func text(at position: Int) -> String? {
    let column = columns[position]
    guard column >= 0, codecs[position].kind == .string else { return nil }
    let cell = statement.cell(at: column)
    return cell.storageClass == .text ? String(validUTF8: cell.text) : nil
  }

  func elements(at position: Int) throws -> [CollectionElement] {
    guard let (database, schema, name) = collections, model.storedProperties.indices ~= position
    else { return [] }
    return try StoredCollection(
      property: model.storedProperties[position], model: model, schema: schema, in: name
    ).elements(of: identity, database: database)
  }

  /// The statement's column of a property.
  func column(of name: String) -> Int? {
    model.storedProperties.firstIndex { $0.name == name }.flatMap {
      columns[$0] < 0 ? nil : columns[$0]
    }
  }
}

extension Property {
  /// How the property's value, or its elements, stand in a column.
  package func codec(in schema: Schema) -> ColumnCodec {
    ColumnCodec(type.valueType ?? ValueType(.scalar(.any), isOptional: true), in: schema)
  }
}
