import Foundation
import Strata
import StrataHistory
import StrataSchema
import StrataTesting
import Testing

@testable import StrataBrowse

/// Objects whose identifiers and times are generated, before they are saved.
@Suite("Generated values in a page")
final class GeneratedValueTests {
  private let folder: URL
  private let store: Store
  private let handler: BrowseHandler

  init() throws {
    func value(_ base: BaseType, isOptional: Bool = false) -> PropertyType {
      .value(ValueType(base, isOptional: isOptional))
    }
    let schema = Schema(
      name: "Notes", version: 0,
      models: [
        Model(
          name: "Note",
          properties: [
            Property(
              name: "id", type: value(.scalar(.uuid)), isUnique: true, generate: .uuid),
            Property(name: "key", type: value(.scalar(.objectID)), generate: .objectID),
            Property(name: "created", type: value(.scalar(.date)), generate: .now),
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
      ])
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-browse-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("notes.db").path
    let version = FrozenVersion(
      schema: schema, step: nil, date: "2026-11-21", stepDigest: nil, chain: nil)
    try SampleDatabase(version: version, of: History(name: "Notes", versions: [version]))
      .create(at: path, objects: 0, seed: 1)
    store = try Store(configuration: Store.Configuration(path: path))
    handler = BrowseHandler(
      BrowseSession(store, options: BrowseSession.Options()), access: ServerTests.access)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  @discardableResult
  private func ask(_ question: [String: JSON], status: Int = 200) throws -> JSON {
    let response = handler.answer(
      HTTPRequest(
        method: "POST", target: "/abc123/api",
        headers: ServerTests.own.merging(["content-type": "application/json"]) { $1 },
        body: Array(JSON.object(question).canonicalText.utf8)))
    guard case .bytes(let bytes) = response.body else { return .null }
    #expect(response.status == status, "\(String(decoding: bytes, as: UTF8.self))")
    return try JSON.parse(bytes)
  }

  /// All objects with all that is in them.
  private func lines() throws -> String {
    let response = handler.answer(
      HTTPRequest(
        method: "GET", target: "/abc123/export?format=jsonl&query=%7B%22model%22%3A%22Note%22%7D",
        headers: ServerTests.headers))
    guard case .pieces(let make) = response.body else { return "" }
    var bytes: [UInt8] = []
    try make { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func newNote() throws -> JSON {
    try #require(try ask(["do": "create", "model": "Note", "values": .object([:])])["id"])
  }

  private func set(_ id: JSON, _ property: String, _ value: JSON, status: Int = 200) throws {
    try ask(
      [
        "do": "set", "model": "Note", "id": id, "property": .string(property), "value": value,
      ], status: status)
  }

  /// Takes an edit back, and has another one refused: all edits before are done again each time.
  private func expectNothingChanges(
    of id: JSON, at location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try lines()
    try set(id, "text", .object(["text": "x"]))
    try ask(["do": "undo"])
    #expect(try lines() == before, sourceLocation: location)
    try set(id, "created", .object(["text": "never"]), status: 400)
    #expect(try lines() == before, sourceLocation: location)
    let stored = try ask(["do": "save"])
    #expect(stored["edits"] == .int(0), sourceLocation: location)
    #expect(try lines() == before, sourceLocation: location)
  }

  @Test("A new object keeps what was generated for it until it is saved")
  func newObject() throws {
    let id = try newNote()
    #expect(try newNote() != id)
    try expectNothingChanges(of: id)
    #expect(Set(try store.objects(named: "Note").map { "\($0["id"] ?? "")" }).count == 2)
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
      try ask([
        "do": "element", "model": "Note", "id": id, "property": .string(property),
        "change": .object(change),
      ])
    }
    try expectNothingChanges(of: id)
    #expect(try store.objects(named: "Part").count == 12)
  }

  @Test("So does sample data")
  func samples() throws {
    let id = try newNote()
    try ask(["do": "sample", "model": "Note", "count": 5])
    try expectNothingChanges(of: id)
  }

  @Test("What is given is not generated, nor is what is set to nothing")
  func given() throws {
    let uuid = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    try ask([
      "do": "create", "model": "Note",
      "values": .object(["id": .object(["text": .string(uuid)]), "part": .null]),
    ])
    #expect(try lines().uppercased().contains(uuid))
    #expect(try lines().contains(#""part":null"#))
  }
}
