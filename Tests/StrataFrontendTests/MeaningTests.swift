import StrataFrontend
import StrataSchema
import StrataSource
import Testing

/// What a schema means does not depend on how it is written.
@Suite struct MeaningTests {
  @Test func orderCommentsAndStyleMeanNothing() throws {
    let one = """
      schema: People
      version: 1
      models:
        Person:
          primaryKey: id
          indexes: [[last, first], [first, last]]
          properties:
            id: uuid
            first: string
            last: string
            tags: set<string>
            dogs: [Dog]
            mood: { type: Mood, default: calm }
        Dog: { properties: { name: string? } }
      enums:
        Mood: { type: string, cases: [calm, angry] }

      """
    let other = """
      # comments
      enums:
        "Mood":
          cases: { angry: angry, calm: 'calm' }
      models:
        Dog:
          properties:
            name: {type: "string?"}   # a dog may have no name
        Person:
          properties:
            mood:
              default: "calm"
              type: Mood
            dogs:
            - Dog
            tags: { type: 'set<string>', ignored: false, unique: false }
            last: {type: string, deleteRule: }
            first: string
            id: uuid
          indexes:
          - [first, last]
          - - last
            - first
          primaryKey: [id]
      version: 1
      schema: People
      language: 1

      """
      .replacing("{type: string, deleteRule: }", with: "{type: string}")
    let schema = try compile(one).schema
    #expect(try compile(other).schema == schema)
    #expect(try compile(other).schema.shape == schema.shape)
    #expect(try compile(other.replacing("\n", with: "\r\n")).schema == schema)
    #expect(try compile("\u{FEFF}" + other).schema == schema)
  }

  @Test func severalFilesAreOneSchema() throws {
    let whole = try compile(
      """
      schema: People
      version: 1
      models:
        Person: { properties: { dogs: [Dog] } }
        Dog: { properties: { mood: Mood } }
      enums: { Mood: { cases: [calm] } }
      """
    ).schema
    let parts = try compile(
      "models: { Person: { properties: { dogs: [Dog] } } }",
      "schema: People\nversion: 1\nmodels: { Dog: { properties: { mood: Mood } } }",
      "# nothing but a comment\n", "enums: { Mood: { cases: [calm] } }"
    ).schema
    #expect(parts == whole)
  }

  @Test func docsSwiftNamesAndIgnoredPropertiesAreNoShape() throws {
    let plain = try schema(below: "models: { A: { properties: { a: int } } }")
    let rich = try schema(
      below: """
        models:
          A:
            doc: What it is.
            swiftName: Alpha
            properties:
              a: { type: int, doc: A number., swiftName: number }
              b: { type: string, ignored: true, default: "" }
          Base: { abstract: true, properties: { a: int } }
        """)
    #expect(rich.shape == plain.shape)
    #expect(rich != plain)
  }

  @Test func anIndexOverOnePropertyIsItsOwn() throws {
    let compound = try schema(
      below: "models: { A: { indexes: [[a]], unique: [[b]], properties: { a: int, b: int } } }")
    let single = try schema(
      below: """
        models:
          A: { properties: { a: { type: int, indexed: true }, b: { type: int, unique: true } } }
        """)
    #expect(compound == single)
  }

  @Test func defaultsAreReadToTheBit() throws {
    let schema = try schema(
      below: """
        models:
          A:
            properties:
              bool: { type: bool, default: true }
              hex: { type: int, default: 0x1F }
              small: { type: int8, default: -128 }
              large: { type: int64, default: 9223372036854775807 }
              float: { type: float, default: 0.1 }
              double: { type: double, default: -0.0 }
              notANumber: { type: double, default: .nan }
              endless: { type: float, default: -.inf }
              text: { type: string, default: "5" }
              no: { type: string, default: no }
              unicode: { type: string, default: "e\\u0301" }
              bytes: { type: data, default: "00fF" }
              day: { type: date, default: 2001-01-02 }
              moment: { type: date, default: 2000-12-31T23:59:59.25Z }
              offset: { type: date, default: "2001-01-01T02:00:00+02:00" }
              key: { type: uuid, default: 123e4567-e89b-12d3-a456-426614174000 }
              price: { type: decimal, default: 12.340 }
              object: { type: objectId, default: 507f1f77bcf86cd799439011 }
              anything: { type: any?, default: 1.5 }
              level: { type: Level, default: high }
              nothing: { type: int?, default: null }
        enums: { Level: { type: int, cases: { low: 1, high: 10 } } }
        """)
    let model = try #require(schema.model(named: "A"))
    let expected: [(String, Value?)] = [
      ("bool", .bool(true)), ("hex", .int(31)), ("small", .int(-128)), ("large", .int(.max)),
      ("float", .float(0.1)), ("double", .double(-0.0)), ("notANumber", .double(.nan)),
      ("endless", .float(-.infinity)), ("text", .string("5")), ("no", .string("no")),
      ("unicode", .string("e\u{301}")), ("bytes", .data([0, 255])), ("day", .date(86_400)),
      ("moment", .date(-0.75)), ("offset", .date(0)),
      ("key", UUIDValue("123e4567-e89b-12d3-a456-426614174000").map { .uuid($0) }),
      ("price", DecimalValue("12.34").map { .decimal($0) }),
      ("object", ObjectIDValue("507f1f77bcf86cd799439011").map { .objectID($0) }),
      ("anything", .double(1.5)), ("level", .int(10)), ("nothing", nil),
    ]
    for (name, value) in expected {
      #expect(model.property(named: name)?.defaultValue == value, "\(name)")
    }
  }

  @Test func aFrozenVersionRepeatsWhatIsInherited() throws {
    let short = try schema(
      below: """
        models:
          Base: { abstract: true, properties: { id: uuid } }
          Person:
            extends: Base
            primaryKey: id
            indexes: [[name, age]]
            properties: { name: string, age: int, boss: Person?, all: { linkingObjects: Person.boss } }
          Student: { extends: Person, properties: { school: string } }
        """)
    let long = try schema(
      below: """
        models:
          Base: { abstract: true, properties: { id: uuid } }
          Person:
            extends: Base
            primaryKey: id
            indexes: [[name, age]]
            properties:
              { id: uuid, name: string, age: int, boss: Person?, all: { linkingObjects: Person.boss } }
          Student:
            extends: Person
            primaryKey: id
            indexes: [[name, age]]
            properties: { id: uuid, name: string, age: int, boss: Person?, school: string }
        """)
    #expect(short == long)
    #expect(
      short.model(named: "Student")?.properties.map(\.name)
        == ["age", "boss", "id", "name", "school"])
  }

  @Test func namesAreTheirDeclarations() throws {
    // One name in two normalisations: the declaration's counts.
    let schema = try schema(
      below: """
        models:
          "Caf\u{E9}": { primaryKey: "cl\u{E9}", properties: { "cl\u{E9}": int } }
          A: { properties: { a: "Cafe\u{301}?" } }
          B: { extends: "Cafe\u{301}", primaryKey: "cle\u{301}" }
        """)
    let bytes = schema.json.canonicalText.utf8
    #expect(!bytes.contains(0xCC), "no combining accent is left")
    #expect(schema.model(named: "B")?.primaryKey == ["clé"])
  }

  @Test func theSourceMapKnowsPlacesAndOrder() throws {
    let compilation = try compile(
      """
      schema: People
      version: 7
      models:
        Person:
          primaryKey: id
          properties: { z: int, id: { type: uuid, unique: true }, a: [Person] }
        Student: { extends: Person, properties: { b: int } }
      enums: { Mood: { cases: [sad, calm] } }
      """)
    let map = compilation.sourceMap
    #expect(map.propertyOrder(ofModel: "Student") == ["z", "id", "a", "b"])
    #expect(map.caseOrder(ofEnum: "Mood") == ["sad", "calm"])
    #expect(map.modelOrder == ["Person", "Student"])
    #expect(map.version.map { "\($0.start.line):\($0.start.column)" } == "2:10")
    func place(_ path: String) -> String? {
      SchemaPath(path).flatMap { map[$0] }.map { "\($0.start.line):\($0.start.column)" }
    }
    #expect(place("Person") == "4:3")
    #expect(place("Student.id") == "6:27")
    #expect(place("Mood.calm") == "8:31")
    #expect(place("Person.none") == nil)
    let unique = map.span(of: SchemaPath("Person", "id"), key: .unique)
    #expect(unique.map { "\($0.start.line):\($0.start.column)" } == "6:53")
    #expect(map.span(ofModel: "Person", key: .primaryKey)?.start.column == 17)
  }
}
