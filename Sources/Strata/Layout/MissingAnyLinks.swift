import StrataSQLite
import StrataSchema

/// Takes links in values of type `any` away that lead to no object of the file, as `nullify` does: they have no foreign keys.
struct MissingAnyLinks {
  /// The identity that a link leads to; 0 where its model is none that can be linked to.
  private static let target = "strata_any_target"

  let database: Database
  let schema: Schema

  /// - Parameter body: is told each property that held such a link.
  func cut(_ body: (LinkHolder) -> Void = { _ in }) throws {
    let holders = schema.storedModels.flatMap { model in
      model.storedProperties.filter { $0.type.valueType?.base.scalar == .any }
        .map { LinkHolder(model: model, property: $0) }
    }
    guard !holders.isEmpty else { return }
    let models = schema.storedModels.filter { !$0.isEmbedded }.map(\.name)
    let known = Set(models)
    try database.addFunction(Self.target, argumentCount: 1) { call in
      guard case .object(let model, let identity)? = try? AnyCoding.read(call[0]),
        known.contains(model)
      else { return call.give(Int64(0)) }
      call.give(identity)
    }
    for holder in holders {
      let table = "main.\(SQL.identifier(holder.table))"
      let column = SQL.identifier(holder.targetColumn)
      let link = IndexDefinition.linkCondition(column: holder.targetColumn)
      guard try database.firstValue("SELECT 1 FROM \(table) WHERE \(link) LIMIT 1") != nil else {
        continue
      }
      let missing = models.map {
        "NOT EXISTS (SELECT 1 FROM main.\(SQL.identifier($0)) AS t WHERE t._row = \(Self.target)(\(table).\(column)))"
      }
      let change =
        holder.property.type.isCollection
        ? "DELETE FROM \(table)" : "UPDATE \(table) SET \(column) = NULL"
      try database.execute(
        "\(change) WHERE \(([link] + missing).joined(separator: " AND "))")
      if database.changes > 0 { body(holder) }
    }
  }
}
