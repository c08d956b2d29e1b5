import StrataSchema
import Testing

@testable import StrataBrowse

/// Edits of values in properties that take any type.
@Suite("Values of any type in a page")
struct AnyValueTests {
  private let scratch: BrowseScratch

  init() throws {
    let any = ValueType(.scalar(.any), isOptional: true)
    scratch = try BrowseScratch(
      schema: Schema(
        name: "Notes", version: 0,
        models: [
          Model(
            name: "Note",
            properties: [
              Property(name: "extra", type: .value(any)),
              Property(name: "extras", type: .list(any)),
            ])
        ]))
  }

  @Test(
    "A value keeps its type where what is typed fits it; without one, it is what it spells",
    arguments: [
      // A text stays one, whatever it spells.
      ("123", "string", "124", "124", "string"),
      ("123", "string", #""124""#, #""124""#, "string"),
      ("123", "string", "true", "true", "string"),
      ("5", "int", "6", "6", "int"),
      // What is typed is no whole number.
      ("5", "int", "6.5", "6.5", "double"),
      ("5", "int", "six", "six", "string"),
      ("1.5", "double", "2", "2.0", "double"),
      ("true", "bool", "false", "false", "bool"),
      ("2026-11-21T10:00:00Z", "date", "2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z", "date"),
      ("12.5", "decimal", "12.75", "12.75", "decimal"),
    ])
  func kinds(
    stored: String, kind: String, typed: String, shown: String, newKind: String
  ) throws {
    let value: JSON = .object(["text": .string(stored), "is": .string(kind)])
    let made = try scratch.ask([
      "do": "create", "model": "Note", "values": .object(["extra": value]),
    ])
    let id = try #require(made["id"])
    try scratch.ask([
      "do": "element", "model": "Note", "id": id, "property": "extras",
      "change": .object(["insert": value]),
    ])
    func cells() throws -> [JSON?] {
      let elements = try scratch.ask([
        "do": "elements", "model": "Note", "id": id, "property": "extras",
      ])
      return [
        try scratch.cell("extra", of: "Note", id), elements["elements"]?.array?.first?["cell"],
      ]
    }
    let before: JSON = .object(["v": .string(stored), "is": .string(kind)])
    #expect(try cells() == [before, before])

    let edit: JSON = .object(["text": .string(typed), "is": .string(kind)])
    try scratch.ask(["do": "set", "model": "Note", "id": id, "property": "extra", "value": edit])
    try scratch.ask([
      "do": "element", "model": "Note", "id": id, "property": "extras",
      "change": .object(["replace": edit, "at": .int(0)]),
    ])

    let after: JSON = .object(["v": .string(shown), "is": .string(newKind)])
    #expect(try cells() == [after, after])
  }

  @Test(
    "What is typed where nothing was has the type that it spells; what spells no value is a text",
    arguments: [
      ("124", "124", "int"), ("true", "true", "bool"), (#""124""#, "124", "string"),
      ("two words", "two words", "string"), (#"{"a":1}"#, #"{"a":1}"#, "string"),
      ("[1]", "[1]", "string"), ("9223372036854775808", "9223372036854775808", "string"),
      ("1e400", "1e400", "string"),
    ])
  func newValue(typed: String, shown: String, kind: String) throws {
    let made = try scratch.ask([
      "do": "create", "model": "Note",
      "values": .object(["extra": .object(["text": .string(typed)])]),
    ])
    let cell = try scratch.cell("extra", of: "Note", try #require(made["id"]))
    #expect(cell == .object(["v": .string(shown), "is": .string(kind)]))
  }
}
