import StrataSQLite
import StrataSchema

/// The elements of one collection, owner by owner.
struct SalvagedElements {
  private let layout: CollectionLayout
  private let model: String
  private let source: Database
  private let target: Database

  init(_ layout: CollectionLayout, of model: String, source: Database, target: Database) {
    self.layout = layout
    self.model = model
    self.source = source
    self.target = target
  }

  /// Copies what can be read of the objects that were saved.
  func copy(_ report: inout Salvage.Report) throws {
    let property = "\(model).\(layout.property.name)"
    let names = layout.table.columns.map(\.name)
    guard SalvagedTable.columns(of: layout.table.name, in: source).isSuperset(of: names) else {
      report.lose("all elements of \(property), whose table is missing")
      return
    }
    let table = SQL.identifier(layout.table.name)
    let select = "SELECT \(SQL.identifiers(names)) FROM \(table) WHERE _owner = ?"
    let insert =
      "INSERT OR IGNORE INTO \(table) (\(SQL.identifiers(names))) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
    let value = names.count - 1
    var (lost, damaged) = (0, 0)
    let owners = try target.prepare("SELECT _row FROM \(SQL.identifier(model))")
    while try owners.step() {
      let owner = owners.integer(at: 0)
      do {
        try source.withStatement(select) { statement in
          try statement.bind([.integer(owner)])
          while try statement.step() {
            guard statement.integer(at: 0) == owner else { throw SQLiteError.outOfOrder }
            let cell = statement.cell(at: value)
            guard cell.storageClass != .null || layout.codec.isOptional,
              let element = try? layout.codec.decode(cell)
            else {
              damaged += 1
              continue
            }
            // In the form of the layout, also where another program wrote it in its own.
            try target.execute(
              insert,
              (0..<value).map { statement.value(at: $0) }
                + [try layout.codec.sqliteValue(of: element)])
          }
        }
      } catch let error as SQLiteError where error.isOfDamage {
        lost += 1
      }
    }
    if lost > 0 {
      report.lose("elements of \(property) of \(lost) objects, which cannot be read")
    }
    if damaged > 0 { report.lose("\(damaged) elements of \(property), which cannot be read") }
  }
}
