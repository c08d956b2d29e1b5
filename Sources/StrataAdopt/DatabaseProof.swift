import Strata
package import StrataSQLite
package import StrataSchema

/// What an adopted database holds, read with plain SQL: the cells as they stand, whatever they mean.
package enum DatabaseProof {
  package static func sum(of database: Database, schema: Schema) throws -> ContentSum {
    var sum = ContentSum()
    for model in schema.storedModels {
      try addObjects(of: model, database, &sum)
      for property in model.collectionProperties {
        try addElements(of: property, model, database, &sum)
      }
    }
    return sum
  }

  private static func addObjects(
    of model: Model, _ database: Database, _ sum: inout ContentSum
  ) throws {
    let columns = ["_row"] + model.columnProperties.map(\.name)
    let rows = try database.prepare(
      "SELECT \(SQL.identifiers(columns)) FROM \(SQL.identifier(model.name))")
    defer { rows.reset() }
    var part = StoredBytes()
    while try rows.step() {
      part.begin(model.name, rows.integer(at: 0))
      for column in 1..<columns.count { part.add(rows.cell(at: column)) }
      sum.add(part)
    }
  }

  private static func addElements(
    of property: Property, _ model: Model, _ database: Database, _ sum: inout ContentSum
  ) throws {
    let place = "\(model.name).\(property.name)"
    let table = SQL.identifier(place)
    let sql =
      switch property.type {
      case .set: "SELECT _owner, value FROM \(table)"
      case .map: "SELECT _owner, value, _index FROM \(table)"
      default: "SELECT _owner, value FROM \(table) ORDER BY _owner, _index"
      }
    let rows = try database.prepare(sql)
    defer { rows.reset() }
    var part = StoredBytes()
    var (owner, position) = (Int64(0), Int64(0))
    while try rows.step() {
      if rows.integer(at: 0) != owner { (owner, position) = (rows.integer(at: 0), 0) }
      part.begin(place, owner)
      part.add(rows.cell(at: 1))
      switch property.type {
      case .set: break
      case .map: part.add(rows.cell(at: 2))
      default:
        part.integer(position)
        position += 1
      }
      sum.add(part)
    }
  }
}

extension StoredBytes {
  fileprivate mutating func add(_ cell: some CellReader) {
    switch cell.storageClass {
    case .null: null()
    case .integer: integer(cell.integer)
    case .real: real(cell.double)
    case .text: cell.withText { text($0) }
    case .blob: cell.withBlob { blob($0) }
    }
  }
}
