import Strata
import StrataSchema
import Testing

@testable import StrataBrowse

/// Objects whose identifiers and times are generated, before they are saved.
@Suite("Generated values in a page")
struct GeneratedValueTests {
  private let scratch: BrowseScratch

  init() throws {
    func value(_ base: BaseType, isOptional: Bool = false) -> PropertyType {
      .value(ValueType(base, isOptional: isOptional))
    }
    scratch = try BrowseScratch(
      schema: Schema(
        name: "Notes", version: 0,
        models: [
          Model(
            name: "Note",
            properties: [
              Property(
                name: "id", type: value(.scalar(.uuid)), isUnique: true, generate: .uuid),
              Property(name: "key", type: value(.scalar(.objectID)), generate: .objectID),
              Property(name: "created", type: value(.scalar(.date)), generate: .now),
              Property(
                name: "seen", type: value(.scalar(.date), isOptional: true), generate: .now),
              Property(name: "text", type: value(.scalar(.string)), defaultValue: .string("")),
              Property(name: "part", type: value(.object("Part"), isOptional: true)),
              Property(name: "parts", type: .list(ValueType(.object("Part")))),
              Property(name: "byName", type: .map(ValueType(.object("Part")))),
            ]),
          Model(
            name: "Part", isEmbedded: true,
            properties: [
              Property(name: "id", type: value(.scalar(.uuid)), generate: .uuid),
              Property(name: "within", type: value(.object("Part"), isOptional: true)),
            ]),
        ]))
  }

  /// All objects with all that is in them.
  private func lines() -> String {
    scratch.get("/abc123/export?format=jsonl&query=%7B%22model%22%3A%22Note%22%7D").text
  }

  private func newNote() throws -> JSON {
    try #require(try scratch.ask(["do": "create", "model": "Note", "values": .object([:])])["id"])
  }

  private func set(_ id: JSON, _ property: String, _ value: JSON, status: Int = 200) throws {
    try scratch.ask(
      [
        "do": "set", "model": "Note", "id": id, "property": .string(property), "value": value,
      ], status: status)
  }

  /// Takes an edit back, and has another one refused: all edits before are done again each time.
  private func expectNothingChanges(
    of id: JSON, at location: SourceLocation = #_sourceLocation
  ) throws {
    let before = lines()
    try set(id, "text", .object(["text": "x"]))
    try scratch.ask(["do": "undo"])
    #expect(lines() == before, sourceLocation: location)
    try set(id, "created", .object(["text": "never"]), status: 400)
    #expect(lines() == before, sourceLocation: location)
    let stored = try scratch.ask(["do": "save"])
    #expect(stored["edits"] == .int(0), sourceLocation: location)
    #expect(lines() == before, sourceLocation: location)
  }

  @Test("A new object keeps what was generated for it until it is saved")
  func newObject() throws {
    let id = try newNote()
    #expect(try newNote() != id)
    try expectNothingChanges(of: id)
    #expect(Set(try scratch.store.objects(named: "Note").map { "\($0["id"] ?? "")" }).count == 2)
  }

  @Test("So do embedded objects, wherever they are made")
  func embedded() throws {
    let part = JSON.object(["object": .object(["within": .object(["object": .object([:])])])])
    let id = try newNote()
    try set(id, "part", part)
    try set(id, "byName", .object(["entries": .array([.array(["a", part])])]))
    try set(id, "parts", .object(["elements": .array([part, part])]))
    for (property, change): (String, [String: JSON]) in [
      ("parts", ["insert": part]), ("parts", ["replace": part, "at": 0]),
      ("byName", ["put": part, "key": "b", "isNew": true]),
    ] {
      try scratch.ask([
        "do": "element", "model": "Note", "id": id, "property": .string(property),
        "change": .object(change),
      ])
    }
    try expectNothingChanges(of: id)
    #expect(try scratch.store.objects(named: "Part").count == 12)
  }

  @Test("So does sample data")
  func samples() throws {
    let id = try newNote()
    try scratch.ask(["do": "sample", "model": "Note", "count": 5])
    try expectNothingChanges(of: id)
  }

  @Test("What is given is not generated, nor is what is set to nothing")
  func given() throws {
    let uuid = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    let made = try scratch.ask([
      "do": "create", "model": "Note",
      "values": .object(["id": .object(["text": .string(uuid)]), "seen": .null]),
    ])
    let id = try #require(made["id"])
    #expect(try scratch.cell("id", of: "Note", id) == .object(["v": .string(uuid)]))
    #expect(try scratch.cell("seen", of: "Note", id) == .null)
    #expect(try scratch.cell("seen", of: "Note", try newNote()) != .null)
    try expectNothingChanges(of: id)
  }
}
