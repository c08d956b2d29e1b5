import StrataSQLite
import StrataSchema

/// What tells the objects of one file from those of another of the same schema, without reading them all: a digest of some rows of each
/// model. Files that differ elsewhere alone have the same one.
///
/// Docs/decisions/0149 says what it is for.
enum ContentMark {
  /// A model of no more objects is read whole.
  static let maximumWhole = 32
  /// Of a larger one, how many places of its range of numbers are looked at, and how many objects at each.
  private static let places: Int64 = 16
  private static let rowsAtPlace = 2
  /// How many characters of a text count, and how long data may be to count by its bytes, as identifiers do, and not by its length alone.
  private static let valueLength = 64
  /// Hexadecimal digits of the mark.
  static let length = 16

  /// - Parameter name: as which the file is attached.
  static func of(_ database: Database, _ schema: Schema, in name: String = "main") throws -> String
  {
    var sum = SHA256()
    for model in schema.storedModels {
      sum.update(model.name.utf8)
      try add(model.name, database, name, to: &sum)
    }
    return String(sum.finish().description.prefix(length))
  }

  private static func add(
    _ model: String, _ database: Database, _ name: String, to sum: inout SHA256
  ) throws {
    let columns = Array(
      try database.rows("SELECT name FROM pragma_table_info(?, ?)", .text(model), .text(name))
    ).compactMap { $0[0].ifText }
    guard columns.contains(LayoutNames.row) else { return }
    // Of large data SQLite reads its length alone; a text it reads whole.
    let terms = columns.map(SQL.identifier).map {
      """
      CASE typeof(\($0)) \
      WHEN 'blob' THEN CASE WHEN length(\($0)) <= \(valueLength) THEN \($0) ELSE length(\($0)) END \
      WHEN 'text' THEN substr(\($0), 1, \(valueLength)) ELSE \($0) END
      """
    }
    let row = SQL.identifier(LayoutNames.row)
    let selection =
      "SELECT \(row), \(terms.joined(separator: ", ")) FROM \(SQL.identifier(name)).\(SQL.identifier(model)) WHERE \(row) >= ? ORDER BY \(row) LIMIT ?"
    let first = Array(
      try database.rows(selection, .integer(.min), .integer(Int64(maximumWhole) + 1)))
    if first.count <= maximumWhole {
      for row in first { add(row, to: &sum) }
      return
    }
    let low = first[0][0].ifInteger ?? 0
    let high =
      try database.firstValue(
        "SELECT max(\(row)) FROM \(SQL.identifier(name)).\(SQL.identifier(model))")?.ifInteger
      ?? low
    let step = (high &- low) / (places - 1)
    for place in 0..<places {
      let start = place == places - 1 ? high : low &+ place &* step
      for row in Array(
        try database.rows(selection, .integer(start), .integer(Int64(rowsAtPlace))))
      {
        add(row, to: &sum)
      }
    }
  }

  private static func add(_ row: [SQLiteValue], to sum: inout SHA256) {
    for value in row {
      switch value {
      case .null: add(0, [], to: &sum)
      case .integer(let value): add(1, bytes(of: UInt64(bitPattern: value)), to: &sum)
      case .real(let value): add(2, bytes(of: value.bitPattern), to: &sum)
      case .text(let text): add(3, Array(text.utf8), to: &sum)
      case .blob(let bytes): add(4, bytes, to: &sum)
      }
    }
  }

  private static func add(_ kind: UInt8, _ bytes: [UInt8], to sum: inout SHA256) {
    sum.update([kind] + self.bytes(of: UInt64(bytes.count)) + bytes)
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
