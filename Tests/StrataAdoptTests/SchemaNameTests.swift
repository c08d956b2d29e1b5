import StrataAdopt
import Testing

/// The name that a user gives an adopted schema.
@Suite struct SchemaNameTests {
  @Test(
    "A name that a schema cannot have is refused with its reason",
    arguments: [
      ("9x", "it is no identifier, which is a letter or '_', then letters, digits and '_'"),
      ("", "it is no identifier, which is a letter or '_', then letters, digits and '_'"),
      (String(repeating: "a", count: 56), "it has more than 55 bytes"),
      ("Type", "it is a word of Swift's"),
    ])
  func refusals(name: String, reason: String) {
    let error = #expect(throws: AdoptError.self) { try SchemaName.make(name, near: "") }
    #expect(error.map { "\($0)" } == "'\(name)' cannot be the name of a schema: \(reason)")
  }

  @Test func aNameOfFiftyFiveBytesIsTaken() throws {
    let name = String(repeating: "a", count: 55)
    #expect(try SchemaName.make(name, near: "") == name)
  }
}
