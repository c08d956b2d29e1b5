import StrataExpression
import StrataSchema
import Testing

/// A small world for expressions: people with dogs, a home and a boss.
enum Fixture {
  static func property(_ name: String, _ spelling: String, isIgnored: Bool = false) -> Property {
    let type = PropertyType(spelling: spelling, enumNames: ["Mood", "Level"])
    return Property(
      name: name, type: type ?? .value(ValueType(.scalar(.any))), isIgnored: isIgnored)
  }

  static let schema = Schema(
    name: "People", version: 1,
    models: [
      Model(
        name: "Person", primaryKey: ["id"],
        properties: [
          property("id", "int"), property("firstName", "string"), property("lastName", "string"),
          property("nick", "string?"), property("age", "int"), property("small", "int8"),
          property("score", "double"), property("ratio", "float"), property("price", "decimal"),
          property("isAngry", "bool"), property("born", "date?"), property("token", "uuid"),
          property("blob", "data"), property("anything", "any?"), property("mood", "Mood"),
          property("level", "Level?"), property("boss", "Person?"), property("home", "Address?"),
          property("dogs", "[Dog]"), property("tags", "set<string>"),
          property("marks", "map<int>"), property("numbers", "[int?]"),
          property("draft", "string", isIgnored: true), property("contains", "string"),
          Property(name: "reports", type: .inverse(model: "Person", property: "boss")),
        ]),
      Model(
        name: "Dog",
        properties: [
          property("name", "string"), property("age", "int?"), property("owner", "Person?"),
          property("toys", "[string]"),
        ]),
      Model(
        name: "Address", isEmbedded: true,
        properties: [property("city", "string"), property("street", "string?")]),
    ],
    enums: [
      EnumType(
        name: "Mood", rawType: .string,
        cases: [
          .init(name: "calm", rawValue: .string("c")), .init(name: "angry", rawValue: .string("a")),
        ]),
      EnumType(
        name: "Level", rawType: .int,
        cases: [.init(name: "low", rawValue: .int(1)), .init(name: "high", rawValue: .int(2))]),
    ])

  static var person: Model {
    get throws { try #require(schema.model(named: "Person")) }
  }

  static func errors(
    _ text: String, for use: ExpressionUse = .query, isCondition: Bool = false
  ) throws -> [ExpressionError] {
    let expression = try Expression.parse(text, for: use)
    let checker = TypeChecker(schema: schema, model: try person, use: use)
    return isCondition ? checker.check(condition: expression) : checker.check(expression).errors
  }

  static func type(_ text: String, for use: ExpressionUse = .query) throws -> String {
    let expression = try Expression.parse(text, for: use)
    let (type, errors) = TypeChecker(schema: schema, model: try person, use: use).check(expression)
    #expect(errors == [])
    return type.spelling
  }

  /// Evaluates for person 1 of `world`.
  static func value(_ text: String, for use: ExpressionUse = .query) throws -> Value {
    let expression = try Expression.parse(text, for: use)
    let resolved = try ResolvedExpression(expression, in: schema, of: try person, for: use)
    return try resolved.value(in: World())
  }

  static func holds(_ text: String) throws -> Bool {
    let expression = try Expression.parse(text, for: .query)
    let resolved = try ResolvedExpression(
      condition: expression, in: schema, of: try person, for: .query)
    return try resolved.holds(in: World())
  }

  static func elements(_ text: String) throws -> [Value] {
    let expression = try Expression.parse(text, for: .query)
    let resolved = try ResolvedExpression(expression, in: schema, of: try person, for: .query)
    return try resolved.elements(in: World())
  }
}

/// Persons 1 (the subject) and 2 (the boss), dogs 10 to 12, the address 20.
struct World: EvaluationContext {
  static let objects: [Int64: (model: String, values: [String: Value], many: [String: [Value]])] = [
    1: (
      "Person",
      [
        "id": .int(1), "firstName": .string("Ada"), "lastName": .string("Lovelace"),
        "age": .int(36),
        "small": .int(7), "score": .double(2.5), "ratio": .float(0.5),
        "price": .decimal(DecimalValue("9.95") ?? .zero), "isAngry": .bool(true),
        "token": .uuid(UUIDValue(high: 0, low: 1)), "blob": .data([0, 1, 2]),
        "mood": .string("a"), "boss": .link(2), "home": .link(20), "contains": .string("yes"),
      ],
      [
        "dogs": [.link(10), .link(11), .link(12)], "tags": [.string("x"), .string("y")],
        "numbers": [.int(4), .null, .int(6)],
      ]
    ),
    2: (
      "Person",
      [
        "id": .int(2), "firstName": .string("Charles"), "lastName": .string("Babbage"),
        "age": .int(44),
      ],
      ["reports": [.link(1)]]
    ),
    10: (
      "Dog", ["name": .string("Rex"), "age": .int(3), "owner": .link(1)],
      ["toys": [.string("ball")]]
    ),
    11: (
      "Dog", ["name": .string("Bello"), "age": .int(9)],
      ["toys": [.string("bone"), .string("ball")]]
    ),
    12: ("Dog", ["name": .string("Struppi")], [:]),
    20: ("Address", ["city": .string("London")], [:]),
  ]

  var subjectIdentity: Int64? { 1 }

  func object(ofModel model: Int, keyed key: [Value]) throws -> Int64? {
    #expect(Fixture.schema.models[model].primaryKey == ["id"])
    return Self.objects.first { $0.value.values["id"] == key.first && key.count == 1 }?.key
  }

  private func find(_ object: EvaluatedObject) -> (Int64, Model) {
    switch object {
    case .subject: (1, Fixture.schema.models[2])
    case .object(let model, let identity): (identity, Fixture.schema.models[model])
    }
  }

  func value(_ property: Int, of object: EvaluatedObject) throws -> Value {
    let (identity, model) = find(object)
    #expect(Self.objects[identity]?.model == model.name)
    return Self.objects[identity]?.values[model.properties[property].name] ?? .null
  }

  func elements(_ property: Int, of object: EvaluatedObject) throws -> [Value] {
    let (identity, model) = find(object)
    if model.properties[property].name == "marks" { return [.int(1), .int(2)] }
    return Self.objects[identity]?.many[model.properties[property].name] ?? []
  }

  func entries(_ property: Int, of object: EvaluatedObject) throws -> [(key: String, value: Value)]
  {
    [("art", .int(1)), ("maths", .int(2))]
  }
}
