import StrataEvolution
import StrataSchema
import Testing

@Suite("Canonical YAML")
struct CanonicalYAMLTests {
  static let declarations = """
    schema: Whole
    version: 7
    models:
      Person:
        doc: "A person: \\"somebody\\"\\nin the book # not a comment"
        primaryKey: [account, number]
        indexes: [[lastName, firstName]]
        unique: [[email, country]]
        swiftName: Human
        properties:
          account: uuid
          number: int
          firstName: string
          lastName: string
          email: string?
          age: { type: int8, default: -5, indexed: true }
          ratio: { type: float, default: 0.1 }
          score: { type: double, default: 1e300 }
          nan: { type: double, default: .nan }
          infinity: { type: double, default: -.inf }
          text: { type: string, default: "'\\"\\\\ \\u202e\\0 é 😀", indexed: fulltext }
          word: { type: string, default: "true" }
          bytes: { type: data, default: "00ff" }
          day: { type: date, default: 2026-11-21T10:30:00.25Z }
          token: { type: uuid, default: 123e4567-e89b-12d3-a456-426614174000 }
          price: { type: decimal, default: 9.95 }
          oid: { type: objectId, default: "0123456789abcdef01234567" }
          anything: { type: any, default: 1.0 }
          anyText: { type: any, default: "7" }
          mood: { type: Mood, default: y }
          level: Level?
          flag: { type: bool, default: true }
          born: { type: date, generate: now }
          key: { type: uuid, generate: uuid, unique: true, swiftName: identifier, doc: Its key. }
          dogs: [Dog]
          names: [string?]
          tags: set<string>
          scores: map<double?>
          boss: Person?
          country: { type: Country, deleteRule: deny }
          home: Address?
          reports: { linkingObjects: Person.boss }
          draft: { type: string, ignored: true, default: "" }
          größe: int
          "no": int
          "null": [Level]
      Student: { extends: Person, properties: { school: string } }
      Dog: { properties: { owner: { type: Person?, deleteRule: cascade } } }
      Country: { primaryKey: code, properties: { code: string } }
      Address: { embedded: true, properties: {} }
      Named: { abstract: true, properties: { name: string } }
      Ship: { extends: Named, properties: { tons: int } }
    enums:
      Mood: { doc: How it feels, type: string, cases: { y: calm, "n": "an\\ngry" } }
      Level: { type: int, cases: [low, high] }
    """

  @Test("It is read back to an equal schema, and written to the same bytes again")
  func roundTrip() throws {
    let schema = try compile(Self.declarations)
    let text = schema.canonicalYAML
    let again = try compile(text)
    #expect(again == schema)
    #expect(again.canonicalYAML == text)
    #expect(again.shape == schema.shape)
  }

  @Test("It is sorted, and says everything")
  func format() throws {
    let schema = try schema(
      version: 2,
      "Person: { doc: 'A person.', properties: { name: string, age: { type: int, default: 0 }, dogs: [Dog] } }\nDog: { properties: { name: string? } }",
      enums: "Mood: { cases: [calm, angry] }")
    #expect(
      schema.canonicalYAML == """
        schema: People
        version: 2
        language: 1
        models:
          Dog:
            properties:
              name: string?
          Person:
            doc: "A person."
            properties:
              age:
                type: int
                default: 0
              dogs: [Dog]
              name: string
        enums:
          Mood:
            type: string
            cases:
              angry: "angry"
              calm: "calm"

        """)
  }

  @Test("A key over an inherited property is the model's own, also of those that inherit from it")
  func inheritedKeys() throws {
    let text = """
      schema: Whole
      version: 1
      models:
        Named:
          abstract: true
          indexes: [[place]]
          properties: { name: string, place: string, year: int }
        Ship:
          extends: Named
          unique: [[name]]
          indexes: [[year]]
          properties: { tons: int }
        Tug: { extends: Ship, properties: { power: int } }
        Boat: { extends: Named, properties: { sails: int } }
      """
    let schema = try compile(text)

    let canonical = schema.canonicalYAML

    #expect(try compile(canonical) == schema)
    #expect(try compile(canonical).canonicalYAML == canonical)
    let flags = ["Ship", "Tug", "Boat"].map { model in
      schema.model(named: model)?.properties.filter { $0.isUnique || $0.index != .none }.map(\.name)
    }
    #expect(flags == [["name", "place", "year"], ["name", "place", "year"], ["place"]])
  }

  @Test("An empty schema")
  func empty() throws {
    let schema = Schema(name: "Nothing", version: 0)
    #expect(schema.canonicalYAML == "schema: Nothing\nversion: 0\nlanguage: 1\n")
    #expect(try compile(schema.canonicalYAML) == schema)
  }
}
