import StrataSQLite
import StrataSchema

/// Literals of SQL, as defaults are written: what SQLite makes of them in a column, by asking it.
enum SQLLiteral {
  enum Reading: Equatable {
    case value(Value)
    case null
    case unknown
  }

  /// What SQLite converts a column's values to, <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
  enum Affinity: String {
    case integer = "INTEGER"
    case text = "TEXT"
    case real = "REAL"
    case blob = "BLOB"
    case numeric = "NUMERIC"

    /// By the type that a column is declared with.
    init(declared: String) {
      let name = declared.uppercased()
      if name.contains("INT") {
        self = .integer
      } else if ["CHAR", "CLOB", "TEXT"].contains(where: name.contains) {
        self = .text
      } else if name.isEmpty || name.contains("BLOB") {
        self = .blob
      } else {
        self = ["REAL", "FLOA", "DOUB"].contains(where: name.contains) ? .real : .numeric
      }
    }

    /// That of the columns in which libraries keep values of a type.
    fileprivate init(of type: ScalarType) {
      switch type {
      case .string: self = .text
      case .double, .float: self = .real
      case .data, .any: self = .blob
      default: self = .integer
      }
    }
  }

  /// - Parameter affinity: of the column; nil for the one that the type has in the schemas of libraries.
  static func read(_ text: String, as type: ScalarType, affinity: Affinity? = nil) -> Reading {
    guard let literal = literal(text) else { return .unknown }
    if literal == "NULL" { return .null }
    guard let stored = try? stored(literal, affinity ?? Affinity(of: type)) else { return .unknown }
    let value: Value? =
      switch (type, stored) {
      case (.string, .text(let text)): .string(text)
      case (.bool, .integer(let number)) where number == 0 || number == 1: .bool(number == 1)
      case (.int, .integer(let number)), (.int64, .integer(let number)): .int(number)
      case (.double, .real(let number)) where number.isFinite: .double(number)
      default: nil
      }
    return value.map { .value($0) } ?? .unknown
  }

  /// What a row of a table has where nothing was said.
  private static func stored(_ literal: String, _ affinity: Affinity) throws -> SQLiteValue? {
    let database = try Database(path: ":memory:", mode: .create)
    defer { database.close() }
    try database.execute("CREATE TABLE t (v \(affinity.rawValue) DEFAULT (\(literal)))")
    try database.execute("INSERT INTO t DEFAULT VALUES")
    return try database.firstValue("SELECT v FROM t")
  }

  /// The literal anew, so that nothing else reaches SQLite; nil for what is none.
  private static func literal(_ text: String) -> String? {
    var text = trimmed(text)
    let isInParentheses = text.hasPrefix("(")
    while text.hasPrefix("("), text.hasSuffix(")") {
      text = trimmed(String(text.dropFirst().dropLast()))
    }
    if let word = ["NULL", "TRUE", "FALSE"].first(where: { $0 == text.uppercased() }) {
      return word
    }
    // A word alone is a text, which SQLite takes only here.
    if !isInParentheses, !text.uppercased().hasPrefix("CURRENT_"),
      text.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) != nil
    {
      return SQL.literal(text)
    }
    // A text in double quotes is one, too, where there is no column of that name.
    for quote in ["'", "\""] where text.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote)
    {
      let parts = text.dropFirst().dropLast()
        .split(separator: quote + quote, omittingEmptySubsequences: false)
      guard parts.allSatisfy({ !$0.contains(quote) }) else { return nil }
      return SQL.literal(parts.joined(separator: quote))
    }
    let sign = text.first == "-" || text.first == "+" ? String(text.removeFirst()) : ""
    text = trimmed(text)
    let digits: Substring
    if text.lowercased().hasPrefix("0x") {
      digits = text.dropFirst(2)
      guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
      return sign + text
    }
    let isNumber = text.wholeMatch(of: #/([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/#) != nil
    return isNumber ? sign + text : nil
  }

  private static func trimmed(_ text: String) -> String {
    let rest = text.drop { $0.isWhitespace }
    return String(rest.prefix(rest.count - rest.reversed().prefix { $0.isWhitespace }.count))
  }
}
