import Foundation
import Strata
import StrataSchema
import StrataTestModels
import Testing

/// What a value that is given says of embedded objects that are there: each is named by its place.
@Suite struct EmbeddedUpdateTests {
  let test: TestStore
  var store: Store { test.store }
  let folder: Folder

  init() throws {
    test = try TestStore()
    folder = try test.added(
      Folder(
        id: 1, cover: Node(name: "cover", child: Node(name: "inner"), children: [Node(name: "c")]),
        nodes: [Node(name: "a", child: Node(name: "aa")), Node(name: "b")],
        places: ["x": Node(name: "x", child: Node(name: "xx")), "y": Node(name: "y")]))
  }

  private func update(_ policy: UpdatePolicy, _ members: [String: Any?]) throws {
    try store.write {
      try store.create(
        Folder.self, value: members.merging(["id": 1]) { $1 } as [String: Any?], update: policy)
    }
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func whatIsNotNamedOfALinkedOneStays(policy: UpdatePolicy) throws {
    let cover = try #require(folder.cover)

    try update(policy, ["cover": ["name": "new", "child": ["children": [["name": "leaf"]]]]])

    #expect(folder.cover == cover)
    #expect(cover.name == "new" && cover.child?.name == "inner")
    #expect(cover.child?.children.map(\.name) == ["leaf"] && cover.children.map(\.name) == ["c"])
    try update(policy, ["cover": NSNull()])
    #expect(folder.cover == nil && cover.isInvalidated)
    try update(policy, ["cover": ["name": "again"]])
    #expect(folder.cover?.name == "again" && folder.cover?.child == nil)
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func whatIsNotNamedOfOneInAMapStays(policy: UpdatePolicy) throws {
    let x = try #require(folder.places["x"])

    try update(policy, ["places": ["x": ["name": "new"], "z": ["name": "z"]]])

    #expect(folder.places.keys.sorted() == ["x", "z"])
    #expect(!x.isInvalidated && x.name == "new" && x.child?.name == "xx")
  }

  /// Which of the elements a value without all of its parts means is not said.
  @Test(arguments: [UpdatePolicy.modified, .all])
  func elementsOfAListAreNewOnes(policy: UpdatePolicy) throws {
    try update(policy, ["nodes": [["name": "b"], ["name": "c"]]])

    #expect(folder.nodes.map(\.name) == ["b", "c"])
    #expect(folder.nodes.allSatisfy { $0.child == nil })
  }

  @Test func whatIsGivenOnceMoreIsToldToNone() throws {
    let json = folder.json()
    let held = [folder.cover, folder.nodes[0], folder.nodes[1], folder.places["x"]].compactMap(
      \.self)
    var told = 0
    let tokens = [
      try store.objects(Folder.self).observe { if case .update = $0 { told += 1 } },
      try folder.nodes.observe { if case .update = $0 { told += 1 } },
    ]

    try store.write { try store.create(Folder.self, json: json, update: .modified) }

    #expect(told == 0 && folder.json() == json)
    #expect(held.count == 4 && held.allSatisfy { !$0.isInvalidated })
    for token in tokens { token.invalidate() }
  }

  /// The same of objects that the program has made.
  @Test func whatIsAddedOnceMoreIsToldToNone() throws {
    let json = folder.json()
    let held = [folder.cover, folder.nodes[0], folder.nodes[1], folder.places["x"]].compactMap(
      \.self)
    var told = 0
    let token = try store.objects(Folder.self).observe { if case .update = $0 { told += 1 } }
    let same = try JSONDecoder().decode(Folder.self, from: Data(json.utf8))

    try store.write { try store.add(same, update: .modified) }

    #expect(told == 0 && folder.json() == json && same.json() == json)
    #expect(held.allSatisfy { !$0.isInvalidated })
    try store.write {
      try store.add(Folder(id: 1, nodes: [Node(name: "A"), Node(name: "b")]), update: .modified)
    }
    #expect(told == 1 && folder.nodes.map(\.name) == ["A", "b"] && folder.cover == nil)
    #expect(held[1].name == "A" && held[1].child == nil && held[0].isInvalidated)
    token.invalidate()
  }

  @Test func ofAListWithAllValuesThoseAreSetThatAreDifferent() throws {
    var changes: [[Int]] = []
    let token = try folder.nodes.observe {
      if case .update(_, let deletions, let insertions, let modifications, _) = $0 {
        changes += [deletions, insertions, modifications]
      }
    }
    let second = folder.nodes[1]

    let json = folder.json().replacingOccurrences(of: #""name":"b""#, with: #""name":"B""#)
    try store.write { try store.create(Folder.self, json: json, update: .modified) }

    #expect(changes == [[], [], [1]])
    #expect(second.name == "B" && folder.nodes.map(\.name) == ["a", "B"])
    token.invalidate()
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func whatIsWrongChangesNothing(policy: UpdatePolicy) throws {
    let json = folder.json()

    #expect(throws: StoreError.self) {
      try update(policy, ["cover": ["name": "new"], "places": ["x": ["name": 7]]])
    }

    #expect(folder.json() == json)
  }

  // MARK: - Unique values

  private enum Shelves: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: Schema(
        name: "Shelves", version: 0,
        models: [
          Model(
            name: "Shelf", primaryKey: ["id"],
            properties: [
              number("id"), Property(name: "slots", type: .list(ValueType(.object("Slot")))),
            ]),
          Model(name: "Slot", isEmbedded: true, properties: [number("code", isUnique: true)]),
        ]))

    private static func number(_ name: String, isUnique: Bool = false) -> Property {
      Property(name: name, type: .value(ValueType(.scalar(.int))), isUnique: isUnique)
    }
  }

  /// One after the other, each would get what the next one has still.
  @Test(arguments: [UpdatePolicy.modified, .all])
  func elementsExchangeThem(policy: UpdatePolicy) throws {
    let store = try Store(path: test.folder.file("shelves.db"), schema: Shelves.self)
    for codes in [[1, 2], [2, 1], [1, 2, 3], [3, 1, 2]] {
      try store.write {
        try store.create(
          named: "Shelf", value: ["id": 1, "slots": codes.map { ["code": $0] }], update: policy)
      }
      let slots = try store.objects(named: "Shelf")[0]["slots"] as? List<Object>
      #expect(slots?.compactMap { $0["code"] as? Int } == codes)
    }
  }
}
