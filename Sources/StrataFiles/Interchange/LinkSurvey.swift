import Strata
import StrataSQLite
import StrataSchema

/// Whether every link of a file leads to an object, asked of many links at once: SQLite's `foreign_key_check` looks for the object of
/// each one, which takes a good part of the time of an export.
struct LinkSurvey {
  let database: Database
  let schema: Schema

  /// Embedded objects are left out: what reads them finds that one is missing.
  func isSound() throws -> Bool {
    let links = LinkHolders(in: schema)
    for target in schema.storedModels where !target.isEmbedded {
      let holders = links.holders(of: target.name)
      if holders.isEmpty { continue }
      let run = try run(of: target)
      for holder in holders {
        if let run, try isWithin(run, holder) { continue }
        guard try leadsToObjects(holder, target) else { return false }
      }
    }
    return true
  }

  /// The identities of a model's objects where none is left out between the first and the last one, as they are behind an import.
  private func run(of model: Model) throws -> ClosedRange<Int64>? {
    let table = SQL.identifier(model.name, in: "main")
    let row = try database.rows(
      """
      SELECT (SELECT min(_row) FROM \(table)), (SELECT max(_row) FROM \(table)), \
      (SELECT count(*) FROM \(table))
      """
    ).first
    guard let first = row?[0].ifInteger, let last = row?[1].ifInteger, first > 0, last >= first,
      row?[2].ifInteger == last - first + 1
    else { return nil }
    return first...last
  }

  /// Two looks into the index of the link.
  private func isWithin(_ run: ClosedRange<Int64>, _ holder: LinkHolder) throws -> Bool {
    let table = SQL.identifier(holder.table, in: "main")
    let column = SQL.identifier(holder.targetColumn)
    let row = try database.rows(
      "SELECT (SELECT min(\(column)) FROM \(table)), (SELECT max(\(column)) FROM \(table))"
    ).first
    guard let first = row?[0].ifInteger, let last = row?[1].ifInteger else {
      return row?[0] == .null
    }
    return run.contains(first) && run.contains(last)
  }

  private func leadsToObjects(_ holder: LinkHolder, _ target: Model) throws -> Bool {
    let column = SQL.identifier(holder.targetColumn)
    return try database.firstValue(
      """
      SELECT 1 FROM (SELECT DISTINCT \(column) AS target FROM \(SQL.identifier(holder.table, in: "main")) \
      WHERE \(column) IS NOT NULL) \
      WHERE target NOT IN (SELECT _row FROM \(SQL.identifier(target.name, in: "main"))) LIMIT 1
      """) == nil
  }
}
