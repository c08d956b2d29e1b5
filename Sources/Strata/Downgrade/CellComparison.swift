import StrataSQLite
import StrataSchema

/// SQL that tells whether two cells of one declared type hold different values, bit for bit.
enum CellComparison {
  /// Tells 0.0 and −0.0 apart, which SQLite takes for one.
  private static let bits = "strata_back_bits"

  static func addFunction(to database: Database) throws {
    try database.addFunction(bits, argumentCount: 1) { call in
      call.give(Int64(bitPattern: call[0].double.bitPattern))
    }
  }

  /// Terms that are joined in one run.
  private static let run = 64

  /// Whether one of the conditions holds. They are joined in runs: SQL nests as deep as a chain of `OR` is long, and SQLite takes 1,000
  /// levels, fewer than a model has properties.
  static func any(_ conditions: [String]) -> String {
    guard conditions.count > run else { return conditions.joined(separator: " OR ") }
    return any(
      stride(from: 0, to: conditions.count, by: run).map { start in
        let terms = conditions[start..<min(start + run, conditions.count)]
        return "(\(terms.joined(separator: " OR ")))"
      })
  }

  /// - Parameters:
  ///   - left: an SQL expression of the cell.
  ///   - right: the same of the other one.
  static func differ(_ left: String, _ right: String, _ codec: ColumnCodec) -> String {
    guard codec.columnType == .any else { return "\(left) IS NOT \(right)" }
    return """
      (\(left) IS NOT \(right) OR typeof(\(left)) <> typeof(\(right)) \
      OR (typeof(\(left)) = 'real' AND \(left) = 0 AND \(bits)(\(left)) <> \(bits)(\(right))))
      """
  }
}
