package import StrataSQLite
package import StrataSchema

/// Adds the elements of a collection to its table.
package struct CollectionWriter {
  let property: Property
  let model: Model
  let schema: Schema

  package init(property: Property, model: Model, schema: Schema) {
    self.property = property
    self.model = model
    self.schema = schema
  }

  /// Adds elements to an empty collection: a list's in order, a set's without repeats. Of numbers that a set's key cannot tell
  /// apart, 1 and 1.0 in a set of `any` or 0.0 and −0.0, the first stays.
  package func append(_ elements: [CollectionElement], owner: Int64, database: Database) throws {
    let codec = property.codec(in: schema)
    var seen: Set<SQLiteValue> = []
    for (position, element) in elements.enumerated() {
      var values: [SQLiteValue] = [.integer(owner)]
      let cell = element.value.isNull ? .null : try codec.sqliteValue(of: element.value)
      switch property.type {
      case .set:
        guard seen.insert(cell.asKey).inserted else { continue }
      case .map: values.append(.text(element.key ?? ""))
      default: values.append(.integer(Int64(position + 1) * ListCore.gap))
      }
      values.append(cell)
      try database.execute(
        """
        INSERT INTO main.\(SQL.identifier("\(model.name).\(property.name)")) \
        (\(DraftLayout.collectionColumns(of: property))) VALUES (\(SQL.placeholders(values.count)))
        """, values)
    }
  }
}

extension SQLiteValue {
  /// The same for all that a unique index takes for one: it compares numbers by their value.
  fileprivate var asKey: SQLiteValue {
    if case .real(let number) = self, let whole = Int64(exactly: number) { return .integer(whole) }
    return self
  }
}
