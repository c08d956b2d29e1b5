import Strata
import StrataSQLite
import StrataSchema

/// Takes out of a draft what a unique index, or the rule that an embedded object has one owner, allows once: the first stays.
struct SalvagedCollisions {
  let layout: TableLayout
  let target: Database

  /// Targets that embedded objects' owners before have already.
  private static let owned = "temp.\"_salvage owned\""
  /// Values of type `any` that lead nowhere.
  private static let missing = "temp.\"_salvage missing\""

  /// - Parameter dropped: hears of the objects of a model that fell.
  func run(_ report: inout Salvage.Report, _ dropped: (_ model: Model, _ count: Int) throws -> Void)
    throws
  {
    for model in layout.models {
      for index in model.indexes where index.isUnique {
        let table =
          index.table == model.table.name
          ? model.table : model.collections.first { $0.table.name == index.table }?.table
        guard let table else { continue }
        let rows = duplicates(in: table, of: index)
        if index.table != model.table.name {
          let count = try delete(rows, from: table)
          if count > 0 {
            report.lose("\(counted(count, "element")) of \(table.name), there twice")
          }
        } else if let link = optionalLink(of: model.model, in: index) {
          try clear(link, rows, of: model, &report)
        } else {
          let count = try delete(rows, from: table)
          guard count > 0 else { continue }
          let key = index.condition == nil ? index.terms : model.model.primaryKey
          let names = key.map { $0.filter { $0 != "\"" } }.joined(separator: ", ")
          report.lose(
            "\(counted(count, "object")) of \(model.model.name), with the same \(names) as another one"
          )
          try dropped(model.model, count)
        }
      }
    }
    for model in layout.models where model.model.isEmbedded {
      try leaveOneOwner(of: model.model, &report, dropped)
    }
  }

  /// A query for the rows that an index would refuse, by the columns that name a row.
  private func duplicates(in table: TableDefinition, of index: IndexDefinition) -> String {
    let place = place(in: table)
    // Values that are nothing are not equal to SQLite.
    let conditions =
      index.terms.map { "\($0) IS NOT NULL" } + (index.condition.map { ["(\($0))"] } ?? [])
    return """
      SELECT \(place) FROM (SELECT \(place), row_number() OVER \
      (PARTITION BY \(index.terms.joined(separator: ", ")) ORDER BY \(place)) AS number \
      FROM \(SQL.identifier(table.name)) WHERE \(conditions.joined(separator: " AND "))) WHERE number > 1
      """
  }

  /// The columns that name a row. SQLite's own name is a property's in the table of a model with one that is called `rowid`.
  private func place(in table: TableDefinition) -> String {
    if table.isKeyed { return SQL.identifiers(table.key) }
    return table.columns.contains { $0.name == LayoutNames.row } ? LayoutNames.row : "rowid"
  }

  private func delete(_ rows: String, from table: TableDefinition) throws -> Int {
    try target.execute(
      "DELETE FROM \(SQL.identifier(table.name)) WHERE (\(place(in: table))) IN (\(rows))")
    return target.changes
  }

  /// The property that an index is on where that is a link which may be nothing.
  private func optionalLink(of model: Model, in index: IndexDefinition) -> Property? {
    model.storedProperties.first {
      $0.type.isToOne && !$0.isRequiredColumn && index.terms == [SQL.identifier($0.name)]
    }
  }

  private func clear(
    _ link: Property, _ rows: String, of model: ModelLayout, _ report: inout Salvage.Report
  ) throws {
    try target.execute(
      "UPDATE \(SQL.identifier(model.table.name)) SET \(SQL.identifier(link.name)) = NULL WHERE _row IN (\(rows))"
    )
    let count = target.changes
    if count > 0 {
      report.lose(
        "\(counted(count, "link")) by \(model.model.name).\(link.name) to objects that another one has"
      )
    }
  }

  /// An embedded object that stands in several places stays in the first.
  private func leaveOneOwner(
    of model: Model, _ report: inout Salvage.Report,
    _ dropped: (_ model: Model, _ count: Int) throws -> Void
  ) throws {
    try target.execute("CREATE TEMP TABLE \"_salvage owned\" (target INTEGER PRIMARY KEY)")
    defer { try? target.execute("DROP TABLE \(Self.owned)") }
    for holder in layout.schema.holders(of: model.name) {
      guard let owner = layout.models.first(where: { $0.model.name == holder.model.name }) else {
        continue
      }
      let table =
        holder.property.type.isCollection
        ? owner.collection(of: holder.property.name)?.table : owner.table
      guard let table else { continue }
      let column = SQL.identifier(holder.targetColumn)
      let rows =
        "SELECT \(place(in: table)) FROM \(SQL.identifier(table.name)) WHERE \(column) IN (SELECT target FROM \(Self.owned))"
      if !holder.property.type.isCollection, !holder.property.isRequiredColumn {
        try clear(holder.property, rows, of: owner, &report)
      } else {
        let count = try delete(rows, from: table)
        if count > 0 {
          report.lose(
            "\(counted(count, "place")) of \(model.name) in \(holder.model.name).\(holder.property.name), which stand elsewhere, too"
          )
          if !holder.property.type.isCollection { try dropped(holder.model, count) }
        }
      }
      try target.execute(
        "INSERT OR IGNORE INTO \(Self.owned) SELECT \(column) FROM \(SQL.identifier(table.name)) WHERE \(column) > 0"
      )
    }
  }

  /// Takes out objects in values of type `any` that are not there.
  func dropLinksInAny(_ report: inout Salvage.Report) throws {
    var models: [String: Statement] = [:]
    for model in layout.models where !model.model.isEmbedded {
      models[model.model.name] = try target.prepare(
        "SELECT 1 FROM \(SQL.identifier(model.table.name)) WHERE _row = ?")
    }
    for model in layout.models {
      for (property, codec) in zip(model.model.properties, model.codecs) where codec?.kind == .any {
        try dropLinks(in: model.table, property.name, isElement: false, models, &report)
      }
      for collection in model.collections where collection.codec.kind == .any {
        try dropLinks(in: collection.table, LayoutNames.value, isElement: true, models, &report)
      }
    }
  }

  private func dropLinks(
    in table: TableDefinition, _ column: String, isElement: Bool, _ models: [String: Statement],
    _ report: inout Salvage.Report
  ) throws {
    let (name, cell) = (SQL.identifier(table.name), SQL.identifier(column))
    try target.execute("CREATE TEMP TABLE \"_salvage missing\" (value PRIMARY KEY) WITHOUT ROWID")
    defer { try? target.execute("DROP TABLE \(Self.missing)") }
    let links = try target.prepare(
      "SELECT DISTINCT \(cell) FROM \(name) WHERE \(IndexDefinition.linkCondition(column: column))")
    while try links.step() {
      guard case .object(let model, let row) = try AnyCoding.read(links.cell(at: 0)) else {
        continue
      }
      if let statement = models[model] {
        statement.reset()
        try statement.bind(row, at: 1)
        if try statement.step() { continue }
      }
      // Not changed while they are read.
      try target.execute("INSERT INTO \(Self.missing) VALUES (?)", .blob(links.blob(at: 0)))
    }
    for statement in models.values { statement.reset() }
    let change = isElement ? "DELETE FROM \(name)" : "UPDATE \(name) SET \(cell) = NULL"
    try target.execute("\(change) WHERE \(cell) IN (SELECT value FROM \(Self.missing))")
    if target.changes > 0 {
      report.lose(
        "\(counted(target.changes, "link")) in \(table.name)\(isElement ? "" : ".\(column)") to objects that are not there"
      )
    }
  }
}
