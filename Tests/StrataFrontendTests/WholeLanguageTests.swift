import StrataFrontend
import StrataSchema
import StrataSource
import Testing

@Suite struct WholeLanguageTests {
  static let example = """
    schema: People            # name of the schema
    version: 2
    language: 1
    models:
      Person:
        doc: A person in the address book.
        primaryKey: id
        indexes: [[lastName, firstName]]   # compound indexes, in order
        unique: [[email, country]]         # compound uniqueness
        properties:
          id: uuid
          fullName: string                 # required
          firstName: string
          lastName: string
          email: string?                   # optional
          age: { type: int, default: 0, indexed: true }
          birthdate: date?
          dogs: [Dog]                      # ordered list of objects
          names: [string?]
          tags: set<string>
          scores: map<double>              # string keys
          boss: Person?                    # to-one
          country: { type: Country, deleteRule: deny }        # required to-one
          home: Address?                   # embedded object
          mood: { type: Mood, default: calm }
          reports: { linkingObjects: Person.boss }    # inverse
          draft: { type: string, ignored: true, default: "" }
          nick: { type: string?, doc: Short name. }
          key: { type: uuid, generate: uuid, unique: true }
          created: { type: date, generate: now }
          text: { type: string, indexed: fulltext, swiftName: body }
      Student:
        extends: Person
        properties: { school: string }
      Dog:
        properties:
          name: string
      Country: { primaryKey: code, properties: { code: string } }
      Address:
        embedded: true
        properties: { street: string, city: string }
    enums:
      Mood: { type: string, cases: [calm, angry] }
      Level: { type: int, cases: { low: 1, high: 10 } }

    """

  @Test func theGuidesExampleIsRead() throws {
    let schema = try compile(Self.example).schema
    #expect(schema.models.map(\.name) == ["Address", "Country", "Dog", "Person", "Student"])
    let person = try #require(schema.model(named: "Person"))
    #expect(person.primaryKey == ["id"])
    #expect(person.indexes == [["lastName", "firstName"]])
    #expect(person.property(named: "dogs")?.type == .list(ValueType(.object("Dog"))))
    #expect(person.property(named: "mood")?.defaultValue == .string("calm"))
    #expect(
      person.property(named: "reports")?.type == .inverse(model: "Person", property: "boss"))
    let student = try #require(schema.model(named: "Student"))
    #expect(student.primaryKey == ["id"])
    #expect(student.property(named: "age")?.index == .ordinary)
    #expect(student.property(named: "reports") == nil)
    #expect(try Schema(json: schema.json) == schema)
  }
}
