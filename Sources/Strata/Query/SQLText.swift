import StrataSQLite

/// SQL with the values that are bound to its parameters, in their order.
///
/// Text comes in as a literal, a quoted name or a parameter, never as it is: nothing that a user wrote can become SQL.
struct SQLText: ExpressibleByStringInterpolation {
  private(set) var sql: String
  var values: [SQLiteValue]

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = ""
    fileprivate var values: [SQLiteValue] = []

    init(literalCapacity: Int, interpolationCount: Int) { sql.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { sql += literal }

    mutating func appendInterpolation(_ part: SQLText) {
      sql += part.sql
      values += part.values
    }

    mutating func appendInterpolation(name: String) { sql += SQL.identifier(name) }

    mutating func appendInterpolation(value: SQLiteValue) {
      sql += "?"
      values.append(value)
    }

    /// A number that the translation counts itself.
    mutating func appendInterpolation(_ number: Int) { sql += String(number) }
  }

  init(stringInterpolation: StringInterpolation) {
    sql = stringInterpolation.sql
    values = stringInterpolation.values
  }

  init(stringLiteral literal: String) {
    sql = literal
    values = []
  }

  /// SQL of the layout.
  init(trusted sql: String) {
    self.sql = sql
    values = []
  }

  static func joined(_ parts: [SQLText], by separator: StaticString) -> SQLText {
    var result: SQLText = ""
    for (index, part) in parts.enumerated() {
      if index > 0 { result.sql += separator.description }
      result.sql += part.sql
      result.values += part.values
    }
    return result
  }
}
