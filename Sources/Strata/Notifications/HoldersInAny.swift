import StrataSQLite
import StrataSchema

extension ModelAccess {
  /// With more objects all links are read.
  private static let maximumLookups = 64

  /// The objects of which a property of type `any`, or an element of such a collection, leads to one of these.
  /// - Parameter targets: by model.
  func holders(inAny property: Int, of targets: [String: RowSet]) throws -> RowSet {
    let name = model.properties[property].name
    let collection = layout.collection(of: name)
    let table = collection.map { SQL.identifier($0.table.name) } ?? quotedTable
    let holder = collection == nil ? "\"_row\"" : "\"_owner\""
    let column = collection == nil ? name : LayoutNames.value
    let value = SQL.identifier(column)
    // Said so that the index of links serves.
    let isLink = IndexDefinition.linkCondition(column: column)
    var rows = RowSet()
    guard targets.values.contains(where: { $0.count > Self.maximumLookups }) else {
      try store.database.withStatement(
        "SELECT \(holder) FROM \(table) WHERE \(isLink) AND \(value) = ?1"
      ) { statement in
        for (model, targets) in targets {
          for target in targets.ranges.joined() {
            try statement.bind([.blob(AnyCoding.bytes(ofLinkTo: model, target))])
            while try statement.step() {
              let row = statement.integer(at: 0)
              rows.insert(row...row)
            }
            statement.reset()
          }
        }
      }
      rows.normalize()
      return rows
    }
    let codec = ColumnCodec(.any, isOptional: true)
    try store.database.withStatement("SELECT \(holder), \(value) FROM \(table) WHERE \(isLink)") {
      statement in
      while try statement.step() {
        guard case .object(let model, let target) = try codec.read(statement, at: 1),
          targets[model]?.contains(target) == true
        else { continue }
        let row = statement.integer(at: 0)
        rows.insert(row...row)
      }
    }
    // One that leads to many of them was found with each.
    rows.normalize()
    return rows
  }
}

extension Store {
  /// Adds the values of type `any` that lead to objects that came or went: they read differently, though their cells are as they were.
  func noteHoldersInAny(in record: inout ChangeRecord) throws {
    var changed: [String: RowSet] = [:]
    for (model, changes) in record.models where changes.hasOthers {
      changed[definition.schema.models[model].name] = changes.rowsOfOthers
    }
    if changed.isEmpty { return }
    for case let holder? in accesses {
      for property in holder.anyProperties {
        for rows in try holder.holders(inAny: property, of: changed).ranges {
          record.update(rows, PropertySet(property), of: holder.index)
        }
      }
    }
  }
}
