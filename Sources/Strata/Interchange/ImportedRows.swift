import StrataSQLite
import StrataSchema

/// Which lines have stored objects whose values may turn out not to be unique, or to break a rule, in a temporary table.
final class ImportedRows {
  private static let table = "temp.\"_strata_import_rows\""

  private let database: Database
  private var insert: Statement?

  init(_ database: Database) { self.database = database }

  /// Notes what a line has stored.
  ///
  /// - Parameters:
  ///   - first: the first identity of the objects, the last one in `last`.
  ///   - given: the properties that the line gives an object that was there; nil for new objects, all of whose values are the line's.
  func add(_ first: Int64, _ last: Int64, line: Int, given: [String]? = nil) throws {
    if insert == nil {
      try database.execute(
        "CREATE TABLE \(Self.table) (first INTEGER, last INTEGER, line INTEGER, given TEXT)")
      insert = try database.prepare("INSERT INTO \(Self.table) VALUES (?, ?, ?, ?)")
    }
    guard let insert else { return }
    try insert.bind(first, at: 1)
    try insert.bind(last, at: 2)
    try insert.bind(Int64(line), at: 3)
    try insert.bind(given.map { SQLiteValue.text($0.map { ",\($0)," }.joined()) } ?? .null, at: 4)
    try insert.run()
  }

  /// The last line that has stored an object, or changed it; nil where none is known.
  func line(of identity: Int64) throws -> Int? {
    guard insert != nil else { return nil }
    let found = try database.firstValue(
      "SELECT max(line) FROM \(Self.table) WHERE ? BETWEEN first AND last", .integer(identity))
    return (found?.ifInteger).map { Int($0) }
  }

  /// The last line that has given an object of a model these values, which it still has; nil where none is known.
  func line(of model: String, _ properties: [String], _ values: [SQLiteValue]) throws -> Int? {
    guard insert != nil else { return nil }
    let isSame = properties.map { "object.\(SQL.identifier($0)) = ?" }.joined(separator: " AND ")
    let isGiven = properties.map { "instr(wrote.given, \(SQL.literal(",\($0),"))) > 0" }
      .joined(separator: " OR ")
    let found = try database.rows(
      """
      SELECT max(wrote.line) FROM \(Self.table) AS wrote CROSS JOIN main.\(SQL.identifier(model)) AS object \
      ON object._row BETWEEN wrote.first AND wrote.last \
      WHERE \(isSame) AND (wrote.given IS NULL OR \(isGiven))
      """, values)
    return (found.first?[0].ifInteger).map { Int($0) }
  }
}
