import Foundation
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataAdopt

/// Defaults of SQL and Dart are what SQLite makes of them in a column of their type.
@Suite("Defaults of SQL and Dart")
struct DefaultTests {
  @Test(
    "Literals are of the column's type, as SQLite converts them",
    arguments: [
      ("true", .int, .int(1)), ("FALSE", .int, .int(0)), ("'5'", .int, .int(5)),
      ("0x10", .int, .int(16)), ("1.0", .int, .int(1)), (" (7) ", .int, .int(7)),
      ("0", .string, .string("0")), ("-1.5", .string, .string("-1.5")),
      ("'a\nb'", .string, .string("a\nb")), ("'it''s'", .string, .string("it's")),
      ("'2.5'", .double, .double(2.5)), ("TRUE", .double, .double(1)),
      ("1", .bool, .bool(true)), ("'0'", .bool, .bool(false)),
    ] as [(String, ScalarType, Value)])
  func literals(text: String, type: ScalarType, value: Value) {
    #expect(SQLLiteral.read(text, as: type).value == value)
  }

  @Test(
    "What is no literal of the type stays unread", arguments: ["CURRENT_TIMESTAMP", "'x'", "1.5"])
  func unknown(text: String) { #expect(SQLLiteral.read(text, as: .int).value == nil) }

  @Test(
    "Dart's escapes are what they stand for",
    arguments: [
      (#"'a\nb'"#, "a\nb"), (#"'\$5'"#, "$5"), (#"r'\$5'"#, #"\$5"#), (#""it's""#, "it's"),
      (#"'it\'s'"#, "it's"), (#"'\u{1F600}\x41\u00e9'"#, "😀Aé"),
    ])
  func dart(text: String, value: String) {
    #expect(DartString.read(text) == value)
  }

  @Test("Interpolation and expressions are no strings", arguments: ["'$x'", "'a' + 'b'", "5", "'"])
  func dartExpressions(text: String) { #expect(DartString.read(text) == nil) }
}

extension SQLLiteral.Reading {
  fileprivate var value: Value? {
    if case .value(let value) = self { return value }
    return nil
  }
}

/// SQLite itself says what a default is: a row that names no value has it.
@Suite("Defaults of SQLite databases, held against SQLite")
struct DefaultOracleTests {
  private static let declared = [
    "INTEGER", "INT", "BIGINT", "TEXT", "VARCHAR(20)", "REAL", "DOUBLE PRECISION", "BOOLEAN",
    "BLOB",
    "NUMERIC", "DATETIME", "", "INTEGER NOT NULL", "TEXT NOT NULL",
  ]

  /// Spellings of which each was read wrongly by one reader or another.
  private static let spellings = [
    "0", "1", "-1", "+5", "007", "1.0", "1.10", ".5", "5.", "1e3", "1E-2", "1e400", "0x10", "-0x10",
    "-0",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9007199254740993",
    "0.1", "123456789012345678", "1.5", "TRUE", "false", "(true)", "NULL", "(NULL)", "(7)", "( 7 )",
    "'5'", "' 5 '", "'5.0'", "'5x'", "'0x10'", "'1e2'", "'inf'", "'nan'", "'+5'", "'.5'", "'true'",
    "''",
    "'it''s'", "'a\nb'", "'  '", "'\u{a0}5'", "'1_000'", "\"text\"", "\"5\"", "\"a\"\"b\"",
    "'a\"b'",
    "x'0102'", "CURRENT_TIMESTAMP", "(1 + 1)", "(random())", "('a' || 'b')", "('a') || ('b')",
    "- 5", "'é'",
  ]

  private static func random(_ count: Int) -> [String] {
    var state: UInt64 = 29
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let pieces = ["0", "1", "9", "25", ".", "e", "E", "-", "+", " ", "x", "00", "'", "7", "_"]
    return (0..<count).map { _ in
      let inner = (0...below(6)).map { _ in pieces[below(pieces.count)] }.joined()
      return below(2) == 0
        ? inner : "'" + inner.replacingOccurrences(of: "'", with: "''") + "'"
    }
  }

  @Test("Each default is what SQLite stores, or is named as left out")
  func agreesWithSQLite() throws {
    let database = try Database(path: ":memory:", mode: .create)
    defer { database.close() }
    var written: [String] = []
    for declared in Self.declared {
      for text in Self.spellings + Self.random(60) {
        // What is no default in SQL is none here.
        for literal in [text, "(\(text))"] {
          let sql = "CREATE TABLE t\(written.count) (c \(declared) DEFAULT \(literal))"
          guard (try? database.execute(sql)) != nil else { continue }
          written.append(sql)
          break
        }
      }
    }
    #expect(written.count > 1_000)
    let source = try SQLiteSource(path: "defaults.db", database: database, name: "App")
    let models = Dictionary(
      uniqueKeysWithValues: source.history.versions[0].schema.models.map { ($0.name, $0) })
    let named = Set(
      source.history.entries.map(\.note).filter { $0.reason.hasPrefix("its default ") }
        .map(\.entity))
    var (kept, left) = (0, 0)
    for (number, sql) in written.enumerated() {
      let property = try #require(models["t\(number)"]?.property(named: "c"), "\(sql)")
      let isNamed = named.contains("t\(number)")
      guard (try? database.execute("INSERT INTO t\(number) DEFAULT VALUES")) != nil,
        let stored = try database.firstValue("SELECT c FROM t\(number)")
      else { continue }
      let context: Comment = "\(sql): \(stored), \(property)"
      switch property.defaultValue {
      case .string(let text)?: #expect(stored == .text(text), context)
      case .int(let number)?: #expect(stored == .integer(number), context)
      case .bool(let flag)?: #expect(stored == .integer(flag ? 1 : 0), context)
      case .double(let number)?: #expect(stored == .real(number), context)
      case nil: #expect(stored.isNull || isNamed, context)
      default: Issue.record("\(property)")
      }
      if property.defaultValue != nil {
        #expect(!isNamed, context)
        kept += 1
      } else {
        left += 1
        // What is a plain literal of the column's type is not left out.
        switch (property.type.valueType?.base.scalar, stored) {
        case (.int, .integer), (.string, .text), (.double, .real):
          #expect(
            ["DEFAULT (", "CURRENT", "||"].contains { sql.contains($0) }
              || stored == .real(.infinity), context)
        default: break
        }
      }
    }
    #expect(kept > 300 && left > 200, "\(kept) \(left)")
  }
}
