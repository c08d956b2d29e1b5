import StrataExpression
import StrataSchema
import Testing

@Suite("Evaluation in memory")
struct EvaluationTests {
  @Test("A number ends where its text does, and not at U+0000")
  func numbersOfTexts() {
    for text in ["7\u{0} and more", "7\u{0}", "", " 7"] {
      #expect(Conversion.convert(.string(text), to: .double).isNull, "\(text)")
      #expect(Conversion.convert(.string(text), to: .float).isNull, "\(text)")
      #expect(Conversion.convert(.string(text), to: .int).isNull, "\(text)")
    }
    #expect(Conversion.convert(.string("7"), to: .double) == .double(7))
  }

  @Test(
    "Values",
    arguments: [
      ("firstName + ' ' + lastName", .string("Ada Lovelace")), ("firstName + nick", .null),
      ("nick ?? 'none'", .string("none")), ("age / 5", .int(7)), ("-age / 5", .int(-7)),
      ("age % 5", .int(1)), ("age + 0.5", .double(36.5)), ("ratio + ratio", .float(1)),
      ("price * 2", .decimal(DecimalValue("19.9") ?? .zero)),
      ("price / 3", .decimal(DecimalValue("3.3166666666666666666666666666666666667") ?? .zero)),
      ("boss.firstName", .string("Charles")), ("boss.boss.firstName", .null),
      ("home.city", .string("London")), ("dogs[0].name", .string("Rex")), ("dogs[-1]", .link(12)),
      ("dogs[7]", .null), ("marks['maths']", .int(2)), ("marks['x']", .null),
      ("dogs.@count", .int(3)), ("dogs.@max.age", .int(9)), ("dogs.@min.name", .string("Bello")),
      ("dogs.@sum.age", .int(12)), ("dogs.@avg.age", .double(6)), ("dogs.toys.@count", .int(3)),
      ("boss.dogs.@sum.age", .int(0)), ("boss.dogs.@avg.age", .null), ("boss.dogs.@max.age", .null),
      ("boss.reports.@count", .int(1)),
      ("SUBQUERY(dogs, $d, $d.age > 3).@count", .int(1)),
      ("SUBQUERY(dogs, $d, ANY $d.toys == 'ball').@count", .int(2)), ("SELF", .link(1)),
      ("if(isAngry, 'a', 'c')", .string("a")), ("if(nick == 'x', 1, 2)", .int(2)),
      ("int('12')", .int(12)), ("int('x')", .null), ("int('x') ?? -1", .int(-1)),
      ("int(3.9)", .int(3)),
      ("int(-3.9)", .int(-3)), ("int(double(('nan')))", .null), ("int8(300)", .null),
      ("int(1e30)", .null), ("string(price)", .string("9.95")), ("string(1.5)", .string("1.5")),
      ("string(isAngry)", .string("true")), ("bool('yes')", .bool(true)), ("bool(0)", .bool(false)),
      ("decimal(('1.50'))", .decimal(DecimalValue("1.5") ?? .zero)), ("date(('x'))", .null),
      ("string(date('2026-11-21T10:00:00.5+02:00'))", .string("2026-11-21T08:00:00.5Z")),
      ("date('2001-01-02') - date('2001-01-01')", .double(86400)),
      ("string(date('2001-01-01') + 60)", .string("2001-01-01T00:01:00Z")),
      ("length('añ😀')", .int(3)), ("upper('straße')", .string("STRASSE")),
      ("trim(' a \n')", .string("a")),
      ("replace('aXbX', 'X', '--')", .string("a--b--")),
      ("substring('héllo', 1, 3)", .string("éll")),
      ("substring('abc', 1)", .string("bc")), ("substring('abc', -1, 2)", .string("a")),
      ("substring('abc', 5, 2)", .string("")), ("before('a@b@c', '@')", .string("a")),
      ("before('abc', '@')", .string("abc")), ("after('a@b@c', '@')", .string("b@c")),
      ("after('abc', '@')", .null), ("abs(-3)", .int(3)), ("round(2.5)", .double(3)),
      ("round(-2.5)", .double(-3)), ("floor(-2.5)", .double(-3)),
      ("ceil(price)", .decimal(DecimalValue("10") ?? .zero)),
      ("max(1, 2.5, age)", .double(36)), ("min('b', 'a')", .string("a")), ("max(age, nil)", .null),
      ("lookup(Person, key: 2).firstName", .string("Charles")),
      ("lookup(Person, key: age - 34)", .link(2)), ("lookup(Person, key: 3)", .null),
      ("lookup(Person, key: nil)", .null), ("lookup(Person, key: int(nick)).boss.age", .null),
      ("{price, age}.@sum", .decimal(DecimalValue("45.95") ?? .zero)),
      ("{age, price}.@avg", .decimal(DecimalValue("22.975") ?? .zero)),
      ("{price, 5}.@min", .decimal(DecimalValue("5") ?? .zero)),
      ("{score, age}.@max", .double(36)), ("{ratio, score}.@min", .double(0.5)),
      ("{age, score}[0]", .double(36)), ("{age, nil, 0.5}[0]", .double(36)),
      ("if(isAngry, numbers, {0.5})[0]", .double(4)),
      ("if(isAngry, {0.5}, numbers)[0]", .double(0.5)),
      ("if(isAngry, numbers, {price}).@sum", .decimal(DecimalValue("10") ?? .zero)),
    ] as [(String, Value)])
  func value(text: String, value: Value) throws {
    #expect(try Fixture.value(text) == value)
  }

  @Test(
    "Arithmetic without a number gives the one NaN, whatever bits the processor gives it",
    arguments: [
      ("double('inf') - double('inf')", .double(.nan)), ("double('inf') * 0", .double(.nan)),
      ("double('-inf') + double('inf')", .double(.nan)),
      ("double('inf') / double('inf')", .double(.nan)),
      ("float('inf') - float('inf')", .float(.nan)),
      ("double('bits:fff8000000000001') + 1", .double(.nan)),
      ("date(double('inf')) - date(double('inf'))", .double(.nan)),
      ("{double('inf'), double('-inf')}.@sum", .double(.nan)),
      ("{double('inf'), double('-inf')}.@avg", .double(.nan)),
      // What is only passed on keeps its bits.
      ("double('bits:fff8000000000001')", .double(Double(bitPattern: 0xFFF8_0000_0000_0001))),
    ] as [(String, Value)])
  func notANumber(text: String, value: Value) throws {
    #expect(try Fixture.value(text) == value)
  }

  @Test(
    "Conditions that hold",
    arguments: [
      "age == 36.0", "age BETWEEN {30, 40}", "NOT age BETWEEN {40, 50}",
      "NOT age BETWEEN {40, 10 / (age - age)}", "age IN {1, 36}",
      "NOT age IN {}", "1.7 IN {float('1.7'), score}", "1.7 IN {1.7, ratio}",
      "1.7 IN {score, float('1.7')}", "NOT 1.7 IN {score, ratio}", "1 IN {isAngry, age}",
      "1.7 BETWEEN {float('1.7'), 1.7}", "NOT 1.7 BETWEEN {score, float('1.7')}", "nick == nil",
      "NOT nick == 'x'", "nick != 'x'", "NOT nick < 'x'",
      "NOT nick > 'x'", "NOT nick <= nil", "NOT (nick BEGINSWITH '')", "NOT nick IN {'a'}",
      "nick IN {nil}",
      "double('nan') == double('nan')", "double('nan') < -1e308", "0.0 == -0.0",
      "9007199254740993 > 9007199254740992.0",
      "9223372036854775807 < 9223372036854775808.0", "price == 9.95", "price > 9", "price < 10.0",
      "'B' < 'a'", "'a' < 'ä'", "'e\\u0301' != 'é'", "'e\\u0301' ==[c] 'É'", "'é' ==[d] 'e'",
      "NOT 'é' ==[c] 'e'", "'É' ==[cd] 'e'", "'STRASSE' ==[c] 'straße'", "'ΣΑΣ' ==[c] 'σας'",
      "'ø' !=[d] 'o'", "'ı' !=[c] 'I'", "'ﬁ' ==[c] 'FI'", "'각' ==[d] '\\u1100\\u1161\\u11a8'",
      "'Ǆ' ==[c] 'ǆ'", "'Bello' BEGINSWITH 'Be'", "NOT 'Bello' BEGINSWITH 'be'",
      "'Bello' BEGINSWITH[c] 'bE'", "NOT 'über' BEGINSWITH[c] 'u'", "'über' BEGINSWITH[cd] 'u'",
      "'über' BEGINSWITH[d] 'u'", "'u\\u0308ber' BEGINSWITH[c] 'Ü'",
      "NOT 'u\\u0308ber' BEGINSWITH[c] 'u'", "NOT 'café' ENDSWITH[c] '\\u0301'",
      "'CAFÉ' ENDSWITH[c] 'fé'", "NOT 'menü' CONTAINS[c] 'nu'", "'menü nu' CONTAINS[c] 'NU'",
      "NOT 'résumé' LIKE[c] 'resume'", "'résumé' LIKE[c] 'R?SUM?'", "'résumé' LIKE[cd] 'resume'",
      "NOT 'é' LIKE[c] 'e?'", "NOT '각' BEGINSWITH[c] '가'", "'각하' BEGINSWITH[c] '각'",
      "'straße' CONTAINS[c] 'SS'", "NOT 'à' BEGINSWITH[c] 'a'", "'ab' BEGINSWITH[c] ''",
      "'x' IN[c] tags", "'X' IN[c] tags", "NOT 'X' IN tags", "tags CONTAINS[c] 'Y'",
      "'REX' IN[c] dogs.name", "dogs.name IN[c] {'REX'}", "NONE dogs.name IN[c] {'none'}",
      "'Bello' ENDSWITH 'lo'", "'Bello' CONTAINS 'ell'", "'Bello' CONTAINS ''",
      "'Bello' LIKE 'B*o'",
      "'Bello' LIKE '?ell?'", "NOT 'Bello' LIKE 'B?o'", "'a*c' LIKE 'a\\\\*c'",
      "NOT 'abc' LIKE 'a\\\\*c'",
      "'aaab' LIKE '*a*b'", "'BÉLLO' LIKE[cd] 'b?l*'", "dogs.name == 'Rex'", "ANY dogs.age > 5",
      "NOT ALL dogs.age > 5", "ALL dogs.name != 'x'", "NONE dogs.name == 'x'",
      "ANY dogs.age == nil",
      "ALL boss.dogs.age > 5", "NONE boss.dogs.age > 5", "NOT ANY boss.dogs.age > 5", "'x' IN tags",
      "dogs.name CONTAINS 'ell'", "NOT dogs.name CONTAINS 'l x'", "ANY dogs.name CONTAINS 'ell'",
      "dogs.name CONTAINS[c] 'ELL'", "boss.reports.dogs.name CONTAINS 'ell'",
      "SUBQUERY(dogs, $d, $d.age > 5).name CONTAINS 'ell'", "NOT dogs.name CONTAINS nil",
      "if(isAngry, dogs.name, boss.dogs.name) CONTAINS 'ell'", "NOT 'ell' IN dogs.name",
      "'Bello' IN dogs.name", "dogs.toys CONTAINS 'ball'", "NOT dogs.toys CONTAINS 'all'",
      "dogs.age CONTAINS 9", "dogs.age CONTAINS nil", "NOT dogs.age CONTAINS 4",
      "dogs.owner CONTAINS SELF", "NOT tags CONTAINS ''",
      "{1, 36} CONTAINS age", "NOT {1, 2} CONTAINS age", "{nil} CONTAINS nick",
      "NOT {'a'} CONTAINS nick", "NOT {} CONTAINS age", "{ratio, 1} CONTAINS 0.5",
      "{boss, SELF} CONTAINS link(2)",
      "tags CONTAINS 'y'", "NOT tags CONTAINS 'z'", "ANY tags == 'x'", "dogs CONTAINS link(10)",
      "'ball' IN dogs.toys", "dogs.owner == SELF", "isAngry == 1", "isAngry", "mood == 'a'",
      "boss.boss == nil", "boss.boss.age == nil", "blob BEGINSWITH x'0001'", "blob CONTAINS x'02'",
      "anything == nil", "anything != 3", "marks == 2", "#contains == 'yes'",
      "SUBQUERY(dogs, $d, SUBQUERY(dogs, $e, $e.age > $d.age).@count > 0).@count == 1",
    ])
  func holds(text: String) throws {
    #expect(try Fixture.holds(text))
  }

  @Test(
    "Overflow and division by zero are errors that say what was calculated",
    arguments: [
      ("9223372036854775807 + 1", "STR6201", "9223372036854775807 + 1 does not fit into an int"),
      (
        "1 + age * 9223372036854775807", "STR6201",
        "36 * 9223372036854775807 does not fit into an int"
      ),
      ("-(-9223372036854775808)", "STR6201", "-(-9223372036854775808) does not fit into an int"),
      (
        "-9223372036854775808 / -1", "STR6201", "-9223372036854775808 / -1 does not fit into an int"
      ),
      (
        "abs(-9223372036854775808)", "STR6201", "abs(-9223372036854775808) does not fit into an int"
      ),
      ("age / (age - 36)", "STR6202", "36 is divided by zero"),
      ("age % 0", "STR6202", "36 is divided by zero"),
      ("1.5 / 0", "STR6202", "1.5 is divided by zero"),
      ("price / 0", "STR6202", "9.95 is divided by zero"),
    ])
  func failure(text: String, code: String, message: String) throws {
    let error = try #require(throws: EvaluationError.self) { try Fixture.value(text) }
    #expect(error.code == code)
    #expect(error.message == message)
  }

  @Test("-2^63 % -1 is 0, not a trap")
  func remainder() throws {
    #expect(try Fixture.value("-9223372036854775808 % -1") == .int(0))
  }

  @Test("The average of whole numbers does not overflow")
  func average() throws {
    let numbers: [Value] = [.int(.max), .int(.max), .int(.min), .int(-3)]
    let range = 0..<0
    #expect(
      try Arithmetic.aggregate(.average, [.int(.max), .int(.max)], .int, range) == .double(0x1p63))
    #expect(try Arithmetic.aggregate(.average, numbers, .int, range) == .double((0x1p63 - 5) / 4))
    #expect(try Arithmetic.aggregate(.average, [.int(-3)], .int, range) == .double(-3))
  }

  @Test("A sum fits or not as a whole, whatever comes first")
  func sum() throws {
    let range = 0..<0
    #expect(
      try Arithmetic.aggregate(.sum, [.int(.max), .int(1), .int(-1)], .int, range) == .int(.max))
    let error = #expect(throws: EvaluationError.self) {
      try Arithmetic.aggregate(.sum, [.int(.max), .int(1)], .int, range)
    }
    #expect(error?.message == "the sum does not fit into an int")
  }

  @Test("Many values")
  func elements() throws {
    #expect(
      try Fixture.elements("dogs.name") == [.string("Rex"), .string("Bello"), .string("Struppi")])
    #expect(try Fixture.elements("dogs.age") == [.int(3), .int(9), .null])
    #expect(
      try Fixture.elements("dogs.toys") == [.string("ball"), .string("bone"), .string("ball")])
    #expect(try Fixture.elements("SUBQUERY(dogs, $d, $d.age == nil)") == [.link(12)])
    #expect(try Fixture.elements("if(isAngry, dogs.name, {'x'})").count == 3)
  }

  @Test("An assigned value has the property's type")
  func assigned() throws {
    func value(_ text: String, _ spelling: String) throws -> [Value] {
      let target = AssignmentTarget(Fixture.property("p", spelling), in: Fixture.schema)
      let resolved = try ResolvedExpression(
        try Expression.parse(text), in: Fixture.schema, of: try Fixture.person, for: .step,
        assignedTo: target)
      return try resolved.elements(in: World())
    }
    #expect(try value("1", "double") == [.double(1)])
    #expect(try value("old.small", "double") == [.double(7)])
    #expect(try value("old.small ?? 1", "decimal?") == [.decimal(DecimalValue(whole: 7))])
    #expect(try value("old.ratio", "double") == [.double(0.5)])
    #expect(try value("if(old.isAngry, 1, old.ratio)", "double") == [.double(1)])
    #expect(try value("old.boss", "any?") == [.object(model: "Person", identity: 2)])
    #expect(try value("old.dogs[0]", "[Dog]") == [.link(10)])
    #expect(try value("old.dogs[9]", "[Dog]") == [])
    #expect(try value("{old.small, nil, 2}", "[double]") == [.double(7), .double(2)])
    #expect(
      try value("old.marks", "map<decimal>") == [
        .decimal(DecimalValue(whole: 1)), .decimal(DecimalValue(whole: 2)),
      ])
  }

  @Test("An expression over its own row says so, and is evaluated from the row alone")
  func local() throws {
    func resolve(_ text: String) throws -> ResolvedExpression {
      try ResolvedExpression(
        try Expression.parse(text), in: Fixture.schema, of: try Fixture.person, for: .step)
    }
    let person = try Fixture.person
    let name = try resolve("old.firstName + ' ' + (old.nick ?? old.lastName)")
    #expect(name.isLocal)
    #expect(
      name.readProperties.map { person.properties[$0].name } == ["firstName", "lastName", "nick"])
    var row = [Value](repeating: .null, count: person.properties.count)
    row[person.indexOfProperty(named: "firstName") ?? 0] = .string("Ada")
    row[person.indexOfProperty(named: "lastName") ?? 0] = .string("Lovelace")
    #expect(try name.value(ofRow: row) == .string("Ada Lovelace"))
    #expect(try resolve("old.boss == nil").isLocal)
    #expect(try !resolve("old.boss.age").isLocal)
    #expect(try !resolve("old.dogs.@count").isLocal)
    #expect(try !resolve("old").isLocal)
  }
}

@Suite("Dates and decimals")
struct DateAndDecimalTests {
  @Test(
    "Dates are read and written",
    arguments: [
      ("2001-01-01", 0.0, "2001-01-01T00:00:00Z"),
      ("1970-01-01T00:00:00Z", -978_307_200, "1970-01-01T00:00:00Z"),
      ("2000-02-29T23:59:59.25Z", -26_438_400.75, "2000-02-29T23:59:59.25Z"),
      ("0001-01-01", -63_113_904_000, "0001-01-01T00:00:00Z"),
      ("9999-12-31 23:59:59Z", 252_423_993_599, "9999-12-31T23:59:59Z"),
      ("2001-01-01T01:00+01:00", 0, "2001-01-01T00:00:00Z"),
      ("2000-12-31T22:30-01:30", 0, "2001-01-01T00:00:00Z"),
    ])
  func dates(text: String, seconds: Double, canonical: String) {
    #expect(DateText.parse(text) == seconds)
    #expect(DateText.text(of: seconds) == canonical)
  }

  @Test(
    "What is no date is none",
    arguments: [
      "", "2001", "2001-13-01", "2001-02-29", "2001-01-01T24:00", "2001-01-01T10", "2001-01-01x",
      "2001-1-1", "2001-01-01T10:00:61", "2001-01-01T10:00:00.",
    ])
  func noDate(text: String) { #expect(DateText.parse(text) == nil) }

  @Test(
    "Decimal arithmetic is exact",
    arguments: [
      ("0.1", "+", "0.2", "0.3"), ("-0.1", "+", "0.1", "0"), ("1", "-", "0.001", "0.999"),
      ("0.001", "-", "1", "-0.999"), ("-1.5", "-", "-2.5", "1"), ("12.5", "*", "-0.08", "-1"),
      ("99999999999999999999", "+", "1", "100000000000000000000"), ("1", "/", "8", "0.125"),
      ("1", "/", "3", "0.33333333333333333333333333333333333333"),
      ("2", "/", "3", "0.66666666666666666666666666666666666667"), ("-7", "/", "2", "-3.5"),
      ("1000000", "/", "0.001", "1000000000"), ("0", "/", "5", "0"), ("NaN", "+", "1", "NaN"),
    ])
  func decimals(left: String, operation: String, right: String, result: String) throws {
    let (a, b) = (try #require(DecimalValue(left)), try #require(DecimalValue(right)))
    let value =
      switch operation {
      case "+": a.adding(b)
      case "-": a.subtracting(b)
      case "*": a.multiplied(by: b)
      default: a.divided(by: b)
      }
    #expect(value?.text == result)
  }

  @Test(
    "A double near to zero compares with decimals by its digits, also where they are too many for a decimal",
    arguments: [
      ("1e-160", 1.234567890123456e-155, Comparison.before),
      ("1e-150", 1.234567890123456e-155, .after), ("1", 1.234567890123456e-155, .after),
      ("0", 1.234567890123456e-155, .before), ("-1", 1.234567890123456e-155, .before),
      ("1.234567890123e-153", 1.234567890123456e-153, .before),
      ("1.234567890124e-153", 1.234567890123456e-153, .after),
      ("-1e-160", -1.234567890123456e-155, .after), ("-1e-150", -1.234567890123456e-155, .before),
      ("1e-160", -1.234567890123456e-155, .after), ("0", -1.234567890123456e-155, .after),
      ("1e-166", .leastNonzeroMagnitude, .after), ("1e-160", 1e-160, .same),
    ])
  func decimalsNearZero(decimal: String, double: Double, result: Comparison) throws {
    let decimal = Value.decimal(try #require(DecimalValue(decimal)))

    #expect(Comparison.of(decimal, .double(double)) == result)
    #expect(Comparison.of(.double(double), decimal) == result.reversed)
  }

  @Test("A product of too many digits is none, and so is a quotient by zero")
  func decimalBounds() throws {
    let large = try #require(DecimalValue("1e160"))
    #expect(large.multiplied(by: large) == nil)
    #expect(large.divided(by: .zero) == nil)
  }
}
