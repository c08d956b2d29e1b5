import StrataExpression
import StrataSchema
import Testing

@Suite("Parsing")
struct ParserTests {
  @Test(
    "Spellings that Realm's users write mean the same as the canonical ones",
    arguments: [
      ("age = 3", "age == 3"), ("age <> 3", "age != 3"), ("age =< 3", "age <= 3"),
      ("age => 3", "age >= 3"), ("a && b || !c", "a AND b OR NOT c"),
      ("a and b or not c", "a AND b OR NOT c"), ("NOT a == 1", "NOT a == 1"),
      ("age between {1, 5}", "age BETWEEN {1, 5}"), ("age BETWEEN (1,5)", "age BETWEEN {1, 5}"),
      ("age BETWEEN 1 AND 5 AND b", "age BETWEEN {1, 5} AND b"),
      ("name IN {'a', \"b\"}", "name IN {'a', 'b'}"), ("name in ['a']", "name IN {'a'}"),
      ("name IN ('a','b')", "name IN {'a', 'b'}"), ("'x' IN tags", "'x' IN {tags}"),
      ("name NOT IN {'a'}", "NOT name IN {'a'}"),
      ("name beginswith[c] 'a'", "name BEGINSWITH[c] 'a'"),
      ("name ENDSWITH[dc] 'a'", "name ENDSWITH[cd] 'a'"), ("name LIKE 'a*?'", "name LIKE 'a*?'"),
      ("name ==[cd] 'a'", "name ==[cd] 'a'"), ("SOME dogs.age > 3", "ANY dogs.age > 3"),
      ("NONE dogs.name == 'x'", "NONE dogs.name == 'x'"), ("ALL dogs.age>3", "ALL dogs.age > 3"),
      ("dogs.@count > 0", "dogs.@count > 0"), ("dogs.@avg.age", "dogs.age.@avg"),
      ("dogs.age.@avg", "dogs.age.@avg"), ("dogs[SIZE] == 2", "dogs.@count == 2"),
      ("dogs[FIRST].age", "dogs[0].age"), ("dogs[LAST].age", "dogs[-1].age"),
      ("SUBQUERY(dogs, $d, $d.age > 3).@count > 1", "SUBQUERY(dogs, $d, $d.age > 3).@count > 1"),
      ("boss == nil", "boss == nil"), ("boss == NULL", "boss == nil"),
      ("ok == YES AND #no == False", "ok == true AND #no == false"), ("TRUEPREDICATE", "true"),
      ("SELF == %@", "SELF == $0"), ("a == %@ AND b > %d", "a == $0 AND b > $1"),
      ("a == $1", "a == $1"), ("age BETWEEN %@", "age BETWEEN {$0[0], $0[1]}"),
      ("#contains CONTAINS 'x'", "#contains CONTAINS 'x'"), ("a.contains", "a.contains"),
      ("0x1F", "31"), (".5", "0.5"), ("1e3", "1000.0"), ("(1 + 2) * 3", "(1 + 2) * 3"),
      ("1 + (2 * 3)", "1 + 2 * 3"), ("1 - (2 - 3)", "1 - (2 - 3)"), ("7 % 3", "7 % 3"),
      ("a ?? (b ?? c)", "a ?? b ?? c"), ("(a ?? b) ?? c", "(a ?? b) ?? c"),
      ("int( old.age )??0", "int(old.age) ?? 0"), ("if(a,1,2)", "if(a, 1, 2)"),
      ("\"it's\"", "'it\\'s'"), ("'\\u00e9\\u{1F600}\\n'", "'é😀\\n'"), ("-5", "-5"),
      ("-(5)", "-(5)"),
      ("- a", "-a"), ("2 - -3", "2 - -3"), ("x'00Ff'", "x'00ff'"),
      ("text text 'a'", "text TEXT 'a'"),
      ("note TEXT 'swift AND migr*'", "note TEXT 'swift AND migr*'"),
      ("note NOT TEXT %@", "NOT note TEXT $0"), ("max(Mail.uid)", "Mail.uid.@max"),
      ("count(Mail) + max(1, 2)", "Mail.@count + max(1, 2)"),
      ("average(Mail.size)", "Mail.size.@avg"),
      ("old.home.city", "old.home.city"), ("old.dogs[0]", "old.dogs[0]"),
    ])
  func spelling(text: String, canonical: String) throws {
    let expression = try Expression.parse(text)
    #expect(expression.text == canonical)
    #expect(try Expression.parse(canonical) == expression)
  }

  @Test("'old' is the old object in a step, and a property in a query")
  func old() throws {
    #expect(
      try Expression.parse("old.a", for: .step).kind
        == .member(base: Expression(.object(.old)), name: "a"))
    let property = Expression(.member(base: Expression(.object(.subject)), name: "old"))
    #expect(try Expression.parse("old == 1", for: .query).text == "#old == 1")
    #expect(try Expression.parse("#old", for: .step) == property)
  }

  @Test(
    "An error has a code, the bytes that are meant, and says what was expected",
    arguments: [
      ("", "STR6002", 0..<0, "the expression ends where a value is expected"),
      ("age >", "STR6002", 5..<5, "the expression ends where a value is expected"),
      ("age > > 3", "STR6001", 6..<7, "found '>' where a value is expected"),
      ("age 3", "STR6001", 4..<5, "found 3 where an operator or the end is expected"),
      (
        "(age", "STR6002", 4..<4,
        "the expression ends where ')' to close the parenthesis is expected"
      ),
      ("a ~ b", "STR6003", 2..<3, "'~' begins nothing that an expression knows"),
      ("é == 'ü", "STR6004", 6..<9, "the string that begins here has no end"),
      ("'a\\q'", "STR6005", 2..<4, "'\\q' is no escape"),
      (
        "'\\u{000000041}'", "STR6005", 1..<12,
        "'\\u' is followed by four hexadecimal digits, or by up to eight in braces"
      ),
      (
        "'\\u{+41}'", "STR6005", 1..<4,
        "'\\u' is followed by four hexadecimal digits, or by up to eight in braces"
      ),
      (
        "'\\u+041'", "STR6005", 1..<3,
        "'\\u' is followed by four hexadecimal digits, or by up to eight in braces"
      ),
      (
        "'\\u{41'", "STR6005", 1..<6,
        "'\\u' is followed by four hexadecimal digits, or by up to eight in braces"
      ),
      ("age == 0x", "STR6006", 7..<9, "'0x' is followed by no hexadecimal digit"),
      (
        "0x10000000000000000", "STR6006", 0..<19,
        "the hexadecimal number does not fit into 64 bits"
      ),
      ("9223372036854775808", "STR6006", 0..<19, "9223372036854775808 does not fit into an int"),
      ("1e999", "STR6006", 0..<5, "1e999 does not fit into a double"),
      ("trimm(a)", "STR6009", 0..<5, "'trimm' is no function"),
      ("trim(a, b)", "STR6010", 0..<10, "trim takes 1 arguments and found 2"),
      ("if(a, b)", "STR6010", 0..<8, "if takes 3 arguments and found 2"),
      ("name ==[x] 'a'", "STR6013", 8..<9, "'x' is no option of a comparison"),
      ("date('soon')", "STR6014", 5..<11, "'soon' is no date"),
      ("dogs.@mean", "STR6015", 5..<10, "'@mean' is no aggregate"),
      ("a < b < c", "STR6001", 6..<7, "found '<' where AND, OR or the end is expected"),
      ("name MATCHES 'a'", "STR6001", 5..<12, "found 'MATCHES' where an operator is expected"),
      ("%K == 1", "STR6012", 0..<2, "'%K' needs its argument where the text is parsed"),
    ])
  func error(text: String, code: String, range: Range<Int>, message: String) throws {
    let error = try #require(throws: ExpressionError.self) { try Expression.parse(text) }
    #expect(error.code == code)
    #expect(error.range == range)
    #expect(error.message == message)
  }

  @Test("A misspelt function is guessed")
  func suggestion() throws {
    let error = try #require(throws: ExpressionError.self) { try Expression.parse("trimm(a)") }
    #expect(error.help == "did you mean 'trim'?")
  }

  @Test("Arguments take the places of %@, %K and $0")
  func arguments() throws {
    func text(_ format: String, _ arguments: FormatArgument...) throws -> String {
      try Expression.parse(format, arguments: arguments).text
    }
    #expect(
      try text("color = %@ AND name BEGINSWITH %@", .value(.string("tan")), .value(.string("B")))
        == "color == 'tan' AND name BEGINSWITH 'B'")
    #expect(
      try text("%K.@count > %d", .value(.string("owner.dogs")), .value(.int(2)))
        == "owner.dogs.@count > 2")
    #expect(try text("name IN %@", .list([.string("a"), .string("b")])) == "name IN {'a', 'b'}")
    #expect(try text("age BETWEEN %@", .list([.int(1), .int(5)])) == "age BETWEEN {1, 5}")
    #expect(try text("$1 == $0", .value(.int(1)), .value(.int(2))) == "2 == 1")
    #expect(try text("owner == %@", .value(.link(7))) == "owner == link(7)")
    // User text stays a value, whatever it looks like.
    #expect(try text("name == %@", .value(.string("' OR 1 == 1"))) == "name == '\\' OR 1 == 1'")
  }

  @Test("Arguments that are missing, left over or of the wrong kind are errors")
  func wrongArguments() throws {
    func code(_ format: String, _ arguments: FormatArgument...) -> String? {
      do {
        _ = try Expression.parse(format, arguments: arguments)
        return nil
      } catch { return error.code }
    }
    #expect(code("a == %@") == "STR6011")
    #expect(code("a == 1", .value(.int(1))) == "STR6011")
    #expect(code("a == $2", .value(.int(1))) == "STR6011")
    #expect(code("%K == 1", .value(.int(1))) == "STR6012")
    #expect(code("%K == 1", .value(.string("a == b"))) == "STR6012")
    #expect(code("%K == 1", .value(.string("a ="))) == "STR6012")
    #expect(code("a BETWEEN %@", .list([.int(1)])) == "STR6011")
  }

  @Test("Length, nesting and the number of operators have bounds")
  func bounds() throws {
    func code(_ text: String) -> String? {
      do {
        _ = try Expression.parse(text)
        return nil
      } catch { return error.code }
    }
    let deep = 40
    #expect(
      code(String(repeating: "(", count: deep) + "a" + String(repeating: ")", count: deep)) == nil)
    #expect(
      code(String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100))
        == "STR6008")
    #expect(code(String(repeating: "-", count: 100) + "a") == "STR6008")
    #expect(code(String(repeating: "NOT ", count: 100) + "a") == "STR6008")
    #expect(code(String(repeating: "a ?? ", count: 100) + "a") == "STR6008")
    #expect(code((0..<900).map { "id == \($0)" }.prefix(400).joined(separator: " OR ")) == nil)
    #expect(code((0..<2000).map { "a\($0)" }.joined(separator: " OR ")) == "STR6008")
    #expect(code("a" + String(repeating: ".b", count: 2000)) == "STR6008")
    #expect(code("'" + String(repeating: "x", count: Expression.maximumLength) + "'") == "STR6007")
    #expect(code("id IN {" + (0..<5000).map(String.init).joined(separator: ",") + "}") == nil)
  }

  @Test("Ranges are bytes of the text")
  func ranges() throws {
    let expression = try Expression.parse("'é' + old.name == 'x'")
    guard case .comparison(_, let left, let right, _) = expression.kind else {
      Issue.record("no comparison")
      return
    }
    #expect(left.range == 0..<15)
    #expect(right.range == 19..<22)
    #expect(expression.range == 0..<22)
  }

  @Test("Each code stands once in the catalogue, and has a name of its own")
  func catalogue() {
    let names = Set(ExpressionRule.allCases.map(\.name))
    #expect(names.count == ExpressionRule.allCases.count)
    #expect(ExpressionRule.allCases.allSatisfy { $0.rawValue.hasPrefix("STR6") })
  }
}
