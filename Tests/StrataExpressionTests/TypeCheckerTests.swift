import StrataExpression
import StrataSchema
import Testing

@Suite("Type checking")
struct TypeCheckerTests {
  @Test(
    "An expression has a type",
    arguments: [
      ("age + 1", "int"), ("small + small", "int"), ("age * score", "double"),
      ("ratio * ratio", "float"), ("price * 2", "decimal"), ("price + 1.5", "decimal"),
      ("firstName + lastName", "string"), ("firstName + nick", "string?"), ("nick ?? ''", "string"),
      ("boss.age", "int?"), ("boss.boss.home.city", "string?"), ("home", "Address?"),
      ("dogs", "[Dog]"), ("dogs.name", "many string"), ("dogs.toys", "many string"),
      ("dogs[0]", "Dog?"), ("dogs[0].name", "string?"), ("marks['art']", "int?"),
      ("reports", "set<Person>"), ("reports.age", "many int"), ("dogs.@count", "int"),
      ("dogs.age.@avg", "double?"), ("dogs.@max.age", "int?"), ("dogs.@sum.age", "int"),
      ("dogs.@min.name", "string?"), ("SUBQUERY(dogs, $d, $d.age > 3)", "[Dog]"),
      ("SUBQUERY(dogs, $d, $d.age > 3).@count", "int"), ("int(nick)", "int?"),
      ("int(nick) ?? 0", "int"), ("int8(age)", "int8?"), ("double(age)", "double"),
      ("string(age)", "string"), ("string(born)", "string?"),
      ("date('2026-01-01') - born", "double?"),
      ("born + 60", "date?"), ("uuid(nick)", "uuid?"), ("data(firstName)", "data"),
      ("if(isAngry, 1, nil)", "int?"), ("if(isAngry, 1, 2.5)", "double"),
      ("max(age, small)", "int"),
      ("length(nick)", "int?"), ("after(firstName, ' ')", "string?"), ("mood", "Mood"),
      ("string(mood)", "string"), ("boss == nil", "bool"), ("{1, nil}", "[int?]"),
      ("SELF", "Person"), ("lookup(Person, key: age)", "Person?"),
      ("lookup(Person, key: 1).firstName", "string?"), ("lookup(Person, 1).dogs", "[Dog]"),
    ])
  func type(text: String, type: String) throws {
    #expect(try Fixture.type(text) == type)
  }

  @Test(
    "Conditions that fit",
    arguments: [
      "age > 3 AND firstName BEGINSWITH[c] 'a'", "isAngry", "isAngry == 1", "isAngry == YES",
      "dogs.name == 'Rex'", "ANY dogs.age > 3", "ALL dogs.age BETWEEN {1, 5}",
      "NONE dogs.name IN {'a', 'b'}", "'x' IN tags", "tags CONTAINS 'x'",
      "ANY tags CONTAINS[c] 'x'",
      "boss == nil", "boss == SELF", "boss == link(1)", "mood == 'c'", "mood IN {'c', 'a'}",
      "level == 1", "level > 1", "born > date('2026-01-01')", "price > 1.5", "age == 2.5",
      "anything == 3", "anything == 'x'", "blob BEGINSWITH x'00'", "firstName < lastName",
      "reports.@count > 0", "boss.dogs.@count == 0", "dogs.owner.firstName == 'x'",
      "nick == nil", "SUBQUERY(dogs, $d, $d.age > age AND ANY $d.toys == 'x').@count > 0",
      "TRUEPREDICATE", "token == uuid('00000000-0000-0000-0000-000000000001')", "numbers == nil",
    ])
  func fits(text: String) throws {
    #expect(try Fixture.errors(text, isCondition: true) == [])
  }

  @Test(
    "What does not fit has a code, a place, a sentence and a way out",
    arguments: [
      ("agge > 3", "STR6101", 0..<4, "'Person' has no property 'agge'", "did you mean 'age'?"),
      (
        "home.town == ''", "STR6101", 5..<9, "'Address' has no property 'town'",
        "it has city, street"
      ),
      ("ANY $d.age > 1", "STR6102", 4..<6, "'$d' is no variable of a SUBQUERY around it", nil),
      (
        "lookup(Human, key: 1) == nil", "STR6120", 7..<12, "there is no model 'Human'", nil
      ),
      (
        "lookup(Dog, key: 1) == nil", "STR6120", 7..<10, "'Dog' has no primary key",
        "lookup finds an object by its primary key; a Swift block finds one by anything"
      ),
      (
        "lookup(Person, key: 1, 2) == nil", "STR6010", 0..<25,
        "the key of 'Person' has 1 value, found 2",
        "write lookup(Person, key: id)"
      ),
      (
        "lookup(Person, key: firstName) == nil", "STR6110", 20..<29,
        "'Person.id' is int, 'firstName' is string", "convert it: int(firstName)"
      ),
      (
        "lookup(Person, key: dogs) == nil", "STR6108", 20..<24,
        "one value is expected, 'dogs' has [Dog]",
        "take an element, '[0]', or an aggregate such as '.@count'"
      ),
      ("age.x == 1", "STR6114", 0..<5, "'age' is int, which has no properties", nil),
      (
        "firstName + age == ''", "STR6104", 0..<15, "'+' between string and int",
        "write string(…) to make text of the other side"
      ),
      ("age == '3'", "STR6105", 0..<10, "int is compared with string", "write int('3')"),
      (
        "age == 'three'", "STR6105", 0..<14, "int is compared with string",
        "compare it with a number"
      ),
      (
        "born > 'soon'", "STR6105", 0..<13, "date? is compared with string",
        "compare it with a date: date('2026-11-21T10:00:00Z')"
      ),
      (
        "level == 'top'", "STR6105", 0..<14, "Level? is compared with string",
        "compare it with a raw value: it has 2, 1"
      ),
      (
        "level == 'low'", "STR6105", 0..<14, "Level? is compared with string",
        "write 1, the raw value of 'low'"
      ),
      (
        "born > '2026-01-01'", "STR6105", 0..<19, "date? is compared with string",
        "write date('2026-01-01')"
      ),
      (
        "boss > nil AND home == boss", "STR6105", 15..<27,
        "an object of 'Address' is never one of 'Person'", nil
      ),
      ("age BEGINSWITH 'a'", "STR6105", 0..<18, "BEGINSWITH compares strings, not int", nil),
      (
        "mood == 'b'", "STR6106", 0..<11, "'Mood' has no case with the raw value 'b'",
        "it has 'a', 'c'"
      ),
      (
        "mood == 'calm'", "STR6106", 0..<14, "'Mood' has no case with the raw value 'calm'",
        "did you mean 'c'?"
      ),
      ("level == 7", "STR6106", 0..<10, "'Level' has no case with the raw value 7", "it has 2, 1"),
      ("age", "STR6107", 0..<3, "a condition is expected, 'age' is int", nil),
      ("dogs.@count", "STR6107", 0..<11, "a condition is expected, 'dogs.@count' is int", nil),
      (
        "length(dogs.name) == 1", "STR6108", 7..<16,
        "one value is expected, 'dogs.name' has many string",
        "take an element, '[0]', or an aggregate such as '.@count'"
      ),
      ("age.@count == 1", "STR6109", 0..<10, "@count needs a collection, 'age' is int", nil),
      (
        "tags[0] == 'x'", "STR6109", 0..<7, "'tags' is set<string>, whose elements have no place",
        "lists are indexed by position, maps by key"
      ),
      (
        "dogs.@sum == 1", "STR6104", 0..<9, "@sum adds numbers, not Dog",
        "name a property: '@sum.age'"
      ),
      ("lower(age) == ''", "STR6110", 6..<9, "lower takes a string, not int", nil),
      ("uuid(age) == nil", "STR6110", 0..<9, "int has no conversion to uuid", nil),
      ("if(isAngry, 1, 'x') == 1", "STR6115", 12..<18, "the branches are int and string", nil),
      ("ANY age > 1", "STR6116", 4..<11, "ANY needs a path through a collection", nil),
      (
        "dogs.age == numbers", "STR6116", 0..<19, "both sides have many values",
        "compare one value with many, or write a SUBQUERY"
      ),
      (
        "age == %@", "STR6117", 7..<9, "argument 0 has no value",
        "give the arguments where the text is parsed"
      ),
      (
        "draft == ''", "STR6118", 0..<5,
        "'Person.draft' is ignored: it lives in the class, not in the file", nil
      ),
    ] as [(String, String, Range<Int>, String, String?)])
  func misfit(text: String, code: String, range: Range<Int>, message: String, help: String?) throws
  {
    let error = try #require(try Fixture.errors(text, isCondition: true).first)
    #expect(error.code == code)
    #expect(error.range == range)
    #expect(error.message == message)
    #expect(error.help == help)
  }

  @Test("All errors are reported, in the order of the text")
  func allErrors() throws {
    let errors = try Fixture.errors("x == 1 AND lower(age) == y AND mood == 'b'", isCondition: true)
    #expect(errors.map(\.code) == ["STR6101", "STR6110", "STR6101", "STR6106"])
  }

  @Test("A step reads 'old', a query reads the object itself")
  func roots() throws {
    let bare = try Fixture.errors("firstName + 'x'", for: .step)
    #expect(bare.map(\.code) == ["STR6103"])
    #expect(bare.first?.help == "write 'old.firstName'")
    #expect(bare.first?.range == 0..<9)
    #expect(try Fixture.errors("old.firstName + 'x'", for: .step) == [])
    #expect(try Fixture.errors("SELF == nil", for: .step).map(\.code) == ["STR6103"])
  }

  // MARK: Assignment

  static let newer = Schema(
    name: "People", version: 2,
    models: [
      Model(
        name: "Person",
        properties: [
          Fixture.property("home", "Place?"), Fixture.property("pet", "Pet?"),
        ]),
      Model(name: "Pet", properties: [Fixture.property("name", "string")]),
      Model(name: "Place", isEmbedded: true, properties: []),
    ],
    enums: [
      EnumType(
        name: "Mood", rawType: .string,
        cases: [
          .init(name: "calm", rawValue: .string("c")), .init(name: "wild", rawValue: .string("w")),
        ]),
      EnumType(
        name: "Level", rawType: .int,
        cases: [
          .init(name: "low", rawValue: .int(1)), .init(name: "high", rawValue: .int(2)),
          .init(name: "top", rawValue: .int(3)),
        ]),
    ])

  private func errors(_ text: String, to spelling: String) throws -> [ExpressionError] {
    let target = AssignmentTarget(
      Fixture.property("p", spelling), in: Self.newer,
      renames: Renames(models: ["Dog": "Pet", "Address": "Place"]))
    let checker = TypeChecker(schema: Fixture.schema, model: try Fixture.person, use: .step)
    return checker.check(try Expression.parse(text), assignedTo: target)
  }

  @Test(
    "A property takes what loses nothing",
    arguments: [
      ("old.firstName + ' ' + old.lastName", "string"), ("old.nick", "string?"),
      ("old.nick ?? ''", "string"), ("old.small", "int"), ("old.small", "double"),
      ("old.small", "float"), ("old.age", "decimal"), ("old.ratio", "double"), ("1", "double"),
      ("1", "decimal"), ("127", "int8"), ("0.5", "float"), ("3.4028235e38", "float"),
      ("double('-inf')", "float"), ("nil", "string?"), ("old.age", "any"),
      ("'c'", "Mood"), ("if(old.isAngry, 'w', 'c')", "Mood"), ("old.firstName", "Mood"),
      ("int(old.nick) ?? 0", "int"), ("old.level", "Level?"), ("1", "Level"),
      ("old.dogs[0]", "Pet?"), ("old.dogs", "[Pet]"), ("old.dogs[0]", "[Pet]"),
      ("{old.dogs[0]}", "[Pet]"),
      ("{}", "[Pet]"), ("old.tags", "[string]"), ("old.tags", "set<string>"),
      ("old.marks", "map<int>"),
      ("old.marks", "map<decimal>"), ("old.dogs.name", "[string]"), ("old.home.city", "string?"),
      ("old.numbers", "[int?]"), ("{1, nil, old.age}", "[int]"), ("old.boss", "Person?"),
      ("old.boss", "any?"),
      ("if(old.isAngry, old.dogs, {})", "[Pet]"), ("date(0)", "date"),
    ])
  func assignable(text: String, type: String) throws {
    #expect(try errors(text, to: type) == [])
  }

  @Test(
    "A property refuses what it cannot hold",
    arguments: [
      ("old.nick", "string", "STR6112", "write '… ?? value' for what nil becomes"),
      ("nil", "int", "STR6112", "write '… ?? value' for what nil becomes"),
      ("old.age", "double", "STR6111", "convert it: double(…)"),
      ("old.age", "int8", "STR6111", "convert it: int8(…) ?? value"),
      ("old.score", "int", "STR6111", "convert it: int(…) ?? value"),
      ("old.firstName", "int?", "STR6111", "convert it: int(…)"),
      ("old.age", "string", "STR6111", "convert it: string(…)"),
      ("200", "int8", "STR6113", nil), ("1e300", "float", "STR6113", nil),
      ("if(old.isAngry, -1e39, 1)", "float?", "STR6113", nil),
      ("'x'", "Mood", "STR6106", "it has 'c', 'w'"),
      ("if(old.isAngry, 'a', 'c')", "Mood", "STR6106", "it has 'c', 'w'"),
      ("old.mood", "Mood", "STR6106", "map it: if(… == 'a', …, …)"),
      ("old.age", "Mood", "STR6111", nil), ("old.boss", "Pet?", "STR6111", nil),
      ("old.home", "Place?", "STR6111", "rename the property, or move the object in a Swift block"),
      ("old.dogs", "Pet?", "STR6108", "take an element, '[0]', or an aggregate such as '.@count'"),
      ("old.numbers", "[int]", "STR6112", "write '… ?? value' for what nil becomes"),
      ("old.marks", "[int]", "STR6111", nil),
      ("nil", "[Pet]", "STR6111", "write {} for an empty collection"),
    ] as [(String, String, String, String?)])
  func refused(text: String, type: String, code: String, help: String?) throws {
    let errors = try errors(text, to: type)
    #expect(errors.map(\.code) == [code])
    #expect(errors.first?.help == help)
  }

  @Test("The paths that an expression reads")
  func readPaths() throws {
    let expression = try Expression.parse(
      "old.a + old.b.c + SUBQUERY(old.d, $x, $x.e > old.f[old.g]).@count")
    #expect(
      expression.readPaths.map { "\($0.root) " + $0.names.joined(separator: ".") } == [
        "old a", "old b.c", "old d", "variable(\"x\") e", "old f", "old g",
      ])
  }
}
