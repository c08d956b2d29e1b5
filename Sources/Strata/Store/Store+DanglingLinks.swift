import StrataSQLite
import StrataSchema

/// A link that keeps a transaction from being stored.
private struct DanglingLink {
  let model: String
  let property: String
  /// Whether it is an element of a collection.
  var isElement = false
  /// Whether it was never set, and does not lead to an object that is gone.
  var isUnset = false
}

extension Store {
  /// Runs of deleted objects of a model that are looked at one by one. The whole file is looked through where there are more, or where the
  /// transaction has changed so much of the model that its objects are not told apart (``ModelChanges``).
  private static let maximumRuns = 1024

  /// SQLite says only that some foreign key is violated: which one?
  func commitError(_ error: any Error) -> StoreError {
    guard let sqlite = error as? SQLiteError, sqlite.constraint == .foreignKey,
      let link = try? danglingLinkOfChanges() ?? anyDanglingLink()
    else { return storeError(error) }
    let rule = definition.schema.model(named: link.model)?.property(named: link.property)?
      .deleteRule
    return !link.isElement && (link.isUnset || rule != .deny)
      ? .missingRequired(model: link.model, property: link.property)
      : .deleteDenied(model: link.model, property: link.property)
  }

  /// A link to what the transaction has deleted, or one that has to be set and is not. Each is found by an index: a program may
  /// try to delete many objects, and pass over those that are in use.
  private func danglingLinkOfChanges() throws -> DanglingLink? {
    for model in definition.schema.models where !model.isAbstract {
      for property in model.storedProperties {
        guard let type = property.type.valueType,
          let reference = ModelLayout.reference(of: property, type, in: definition.schema),
          let target = definition.schema.models.firstIndex(where: { $0.name == reference.table })
        else { continue }
        let isElement = property.type.isCollection
        let table = isElement ? LayoutNames.collection(model.name, property.name) : model.name
        let column = isElement ? LayoutNames.value : property.name
        // Where SQLite follows a deletion itself, no link to what is gone is left.
        let deleted =
          reference.action == .refuse
          ? sink.models[target].runs.lazy.filter { $0.kind == .delete }.map(\.rows) : []
        // No object has the identity 0: a required link that was never set.
        let unset = isElement || type.isOptional ? [] : [0...0 as ClosedRange<Int64>]
        for rows in unset + deleted.prefix(Self.maximumRuns) {
          let found = try database.firstValue(
            """
            SELECT \(SQL.identifier(column)) FROM \(SQL.identifier(table)) AS holder
            WHERE \(SQL.identifier(column)) BETWEEN ?1 AND ?2 AND NOT EXISTS (
              SELECT 1 FROM \(SQL.identifier(reference.table)) AS target
              WHERE target.\(SQL.identifier(LayoutNames.row)) = holder.\(SQL.identifier(column)))
            LIMIT 1
            """, .integer(rows.lowerBound), .integer(rows.upperBound))
          guard let found else { continue }
          return DanglingLink(
            model: model.name, property: property.name, isElement: isElement,
            isUnset: found == .integer(0))
        }
      }
    }
    return nil
  }

  /// Looks through the whole file.
  private func anyDanglingLink() throws -> DanglingLink? {
    guard let violation = try database.rows("PRAGMA foreign_key_check").first,
      let table = violation[0].ifText, let key = violation[3].ifInteger,
      let column = try database.firstValue(
        "SELECT \"from\" FROM pragma_foreign_key_list(?) WHERE id = ?", .text(table), .integer(key)
      )?.ifText
    else { return nil }
    guard let path = SchemaPath(table), path.property == nil else {
      let path = SchemaPath(table) ?? SchemaPath(table, column)
      return DanglingLink(model: path.model, property: path.property ?? column, isElement: true)
    }
    let value = try database.firstValue(
      "SELECT \(SQL.identifier(column)) FROM \(SQL.identifier(table)) WHERE _row = ?",
      .integer(violation[1].ifInteger ?? 0))
    return DanglingLink(model: table, property: column, isUnset: value == .integer(0))
  }
}
