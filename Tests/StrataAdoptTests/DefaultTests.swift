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
