import Strata
import StrataSQLite
import StrataSchema

/// Looks at the objects in values of type `any`, which have no foreign keys.
struct AnyLinkCheck {
  private let database: Database
  private let schema: Schema

  init(_ database: Database, _ schema: Schema) {
    self.database = database
    self.schema = schema
  }

  func run(_ report: inout FileCheck.Report) throws {
    for model in TableLayout(schema).models {
      for (property, codec) in zip(model.model.properties, model.codecs) where codec?.kind == .any {
        try check(
          model.table.name, key: LayoutNames.row, column: property.name,
          "\(model.model.name).\(property.name)", &report)
      }
      for collection in model.collections where collection.codec.kind == .any {
        try check(
          collection.table.name, key: LayoutNames.owner, column: LayoutNames.value,
          "\(model.model.name).\(collection.property.name)", &report)
      }
    }
  }

  private func check(
    _ table: String, key: String, column: String, _ path: String,
    _ report: inout FileCheck.Report
  ) throws {
    let cell = SQL.identifier(column)
    let statement = try database.prepare(
      """
      SELECT \(SQL.identifier(key)), \(cell) FROM \(SQL.identifier(table, in: "main")) NOT INDEXED \
      WHERE \(IndexDefinition.linkCondition(column: column))
      """)
    while try statement.step() {
      // What is no value at all is told with the other values.
      guard case .object(let name, let row)? = try? AnyCoding.read(statement.cell(at: 1)) else {
        continue
      }
      let place = "\(path) of _row \(statement.integer(at: 0)) holds a link to"
      guard let target = schema.storedModels.first(where: { $0.name == name }) else {
        report.append("\(place) a \(name), and there is no such model")
        continue
      }
      if target.isEmbedded {
        report.append("\(place) a \(name), which is embedded and cannot be linked to")
      } else if try !isThere(row, of: target) {
        report.append("\(place) a \(name) that is not there, _row \(row)")
      }
    }
  }

  private func isThere(_ row: Int64, of model: Model) throws -> Bool {
    try database.withStatement(
      "SELECT 1 FROM \(SQL.identifier(model.name, in: "main")) WHERE _row = ?"
    ) { statement in
      try statement.bind([.integer(row)])
      return try statement.step()
    }
  }
}
