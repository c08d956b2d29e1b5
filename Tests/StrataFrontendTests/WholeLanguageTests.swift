import StrataFrontend
import StrataSchema
import StrataSource
import Testing

@Suite struct WholeLanguageTests {
  @Test func theGuidesExampleIsRead() throws {
    let schema = try compile(WholeLanguage.schema).schema
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
