import StrataSQLite
import StrataSchema

/// Adds the elements of a collection to its table.
struct CollectionWriter {
  let property: Property
  let model: Model
  let schema: Schema

  /// Adds elements to an empty collection: a list's in order, a set's without repeats.
  func append(_ elements: [CollectionElement], owner: Int64, database: Database) throws {
    let codec = property.codec(in: schema)
    var seen: Set<Value> = []
    for (position, element) in elements.enumerated() {
      var values: [SQLiteValue] = [.integer(owner)]
      switch property.type {
      case .set:
        guard seen.insert(element.value).inserted else { continue }
      case .map: values.append(.text(element.key ?? ""))
      default: values.append(.integer(Int64(position + 1) * ListCore.gap))
      }
      values.append(element.value.isNull ? .null : try codec.sqliteValue(of: element.value))
      try database.execute(
        """
        INSERT INTO main.\(SQL.identifier("\(model.name).\(property.name)")) \
        (\(DraftLayout.collectionColumns(of: property))) VALUES (\(SQL.placeholders(values.count)))
        """, values)
    }
  }
}
