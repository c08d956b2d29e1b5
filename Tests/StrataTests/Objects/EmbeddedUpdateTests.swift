import Foundation
import Strata
import StrataSQLite
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
    try update(policy, ["cover": ["name": "new", "child": ["children": [["name": "leaf"]]]]])

    let cover = try #require(folder.cover)
    #expect(cover.name == "new" && cover.child?.name == "inner")
    #expect(cover.child?.children.map(\.name) == ["leaf"] && cover.children.map(\.name) == ["c"])
    try update(policy, ["cover": NSNull()])
    #expect(folder.cover == nil && cover.isInvalidated)
    try update(policy, ["cover": ["name": "again"]])
    #expect(folder.cover?.name == "again" && folder.cover?.child == nil)
    #expect(!store.objects(Node.self).map(\.name).contains("inner"))
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func whatIsNotNamedOfOneInAMapStays(policy: UpdatePolicy) throws {
    try update(policy, ["places": ["x": ["name": "new"], "z": Node(name: "z")]])

    #expect(folder.places.keys.sorted() == ["x", "z"])
    #expect(folder.places["x"]?.name == "new" && folder.places["x"]?.child?.name == "xx")
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
    #expect(held.allSatisfy { $0.isInvalidated })
    token.invalidate()
  }

  /// What is given for one place is nothing to another one that holds the same object.
  @Test(arguments: [UpdatePolicy.modified, .all])
  func anObjectThatIsGivenStaysAsItIs(policy: UpdatePolicy) throws {
    let own = Node(name: "own")
    for cover in [try #require(folder.cover), own] {
      try update(
        policy,
        [
          "others": [
            ["id": 5, "cover": cover] as [String: Any], ["id": 5, "cover": ["name": "y"]],
          ]
        ])
    }

    #expect(folder.cover?.name == "cover" && own.name == "own")
    #expect(folder.others[0].cover?.name == "y")
  }

  /// The second one of the same key takes the places away that the first one has found, or has filled before what stands in them has rows.
  @Test(
    arguments: [UpdatePolicy.modified, .all].flatMap { [($0, 1), ($0, 2), ($0, 3)] },
    [["a", "b"], ["c"], ["z", "c"], []])
  func anOwnerThatIsGivenTwice(_ which: (policy: UpdatePolicy, id: Int), first: [String]) throws {
    func owner(_ names: [String]) -> Folder {
      func node(_ name: String) -> Node { Node(name: name, child: Node(name: name + "'")) }
      return Folder(
        id: which.id, cover: names.first.map(node), nodes: names.map(node),
        places: names.first.map { ["p": node($0)] } ?? [:])
    }

    try store.write {
      if which.id == 2 {
        try store.delete(folder)
        try store.add(owner(["a", "b"]))
      } else if which.id == 3 {
        try store.delete(folder)
      }
      try store.add(
        Folder(id: 9, others: [owner(first), owner(["c"])]), update: which.policy)
    }

    let twice = try #require(
      try store.object(ofType: Folder.self, forPrimaryKey: which.id))
    #expect(twice.nodes.map(\.name) == ["c"] && twice.cover?.name == "c")
    #expect(twice.places["p"]?.child?.name == "c'")
    #expect(store.objects(Node.self).map(\.name).sorted() == ["c", "c", "c", "c'", "c'", "c'"])
  }

  /// Another one takes its place before it has a row, or, where its owner comes again further below, after that.
  @Test(arguments: [UpdatePolicy.modified, .all].flatMap { [($0, 1), ($0, 2)] }, [0, 1, 2])
  func whatLosesItsPlaceKeepsItsValues(_ which: (policy: UpdatePolicy, id: Int), depth: Int) throws
  {
    let part = Node(name: "a", child: Node(name: "aa"), children: [Node(name: "ab")])
    let again = (0..<depth).reduce(Folder(id: which.id, cover: Node(name: "c"))) { inner, level in
      Folder(id: 20 + level, others: [inner])
    }

    try store.write {
      try store.add(
        Folder(id: 9, others: [Folder(id: which.id, cover: part), again]), update: which.policy)
    }

    let twice = try #require(try store.object(ofType: Folder.self, forPrimaryKey: which.id))
    #expect(twice.cover?.name == "c")
    #expect(part.name == "a" && part.child?.name == "aa" && part.store == nil)
    #expect(part.children.map(\.name) == ["ab"] && part.child?.store == nil)
    #expect(!part.isInvalidated && !part.children[0].isInvalidated)
    try store.write { twice.cover = part }
    #expect(part.child?.name == "aa" && part.children.map(\.name) == ["ab"])
    #expect(twice.cover?.children.first?.name == "ab")
  }

  /// The rows of its list come after those of all objects.
  @Test(arguments: [UpdatePolicy.modified, .all])
  func theListOfAPartThatLosesItsPlaceIsNotWritten(policy: UpdatePolicy) throws {
    let page = Page(text: "a", binders: [Binder(id: 30)])
    let again = Binder(id: 1, page: Page(text: "c", binders: []))

    try store.write {
      try store.add(
        Binder(id: 9, others: [Binder(id: 1, page: page), Binder(id: 2, others: [again])]),
        update: policy)
    }

    #expect(page.store == nil && page.binders.map(\.id) == [30])
    #expect(store.objects(Page.self).map(\.text) == ["c"] && store.objects(Binder.self).count == 4)
    let database = try Database(path: test.folder.file("a.db"))
    let rows = try database.firstValue(#"SELECT count(*) FROM "Page.binders""#)
    #expect(rows == 0)
  }

  /// That another owner is given twice is nothing to what is given once.
  @Test(arguments: [0, 1, 2])
  func partsBesideAnOwnerThatIsGivenTwiceStay(place: Int) throws {
    let other = try test.added(Folder(id: 2, cover: Node(name: "x")))
    let cover = try #require(other.cover)
    var given = [Folder(id: 1, cover: Node(name: "b")), Folder(id: 1, cover: Node(name: "c"))]
    given.insert(Folder(id: 2, cover: Node(name: "x")), at: place)

    try store.write { try store.add(Folder(id: 9, others: given), update: .modified) }

    #expect(!cover.isInvalidated && other.cover == cover && folder.cover?.name == "c")
  }

  /// An object that is only named is given once, however often it is named.
  @Test func partsBesideObjectsThatAreNamedStay() throws {
    let other = try test.added(Folder(id: 2, cover: Node(name: "x")))
    let cover = try #require(other.cover)
    let naming = try [20, 21].map { try Folder(value: ["id": $0, "others": [["id": 1]]]) }

    try store.write {
      try store.add(
        Folder(id: 9, others: naming + [Folder(id: 2, cover: Node(name: "x"))]), update: .modified)
    }

    #expect(!cover.isInvalidated && other.cover == cover)
    #expect(folder.cover?.name == "cover")
  }

  /// What the caller has made is a view of what is stored afterwards.
  @Test func aPartThatTheCallerHasMadeBecomesAView() throws {
    let cover = Node(name: "cover", child: Node(name: "inner"), children: [Node(name: "c")])
    let child = Node(name: "xx")

    try update(.modified, ["cover": cover, "places": ["x": ["name": "x", "child": child]]])
    try store.write {
      cover.name = "written"
      child.name = "too"
    }

    #expect(folder.cover?.name == "written" && folder.places["x"]?.child?.name == "too")
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func whatIsWrongChangesNothing(policy: UpdatePolicy) throws {
    let json = folder.json()

    #expect(throws: StoreError.self) {
      try update(policy, ["cover": ["name": "new"], "places": ["x": ["name": 7]]])
    }

    #expect(folder.json() == json)
  }

  // MARK: - Parts that lead back, and unique values

  private enum Shelves: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: Schema(
        name: "Shelves", version: 0,
        models: [
          Model(
            name: "Shelf", primaryKey: ["id"],
            properties: [
              number("id"), Property(name: "slots", type: .list(ValueType(.object("Slot")))),
              Property(name: "named", type: .map(ValueType(.object("Slot")))), link("top", "Slot"),
            ]),
          Model(
            name: "Slot", isEmbedded: true,
            properties: [
              number("code", isUnique: true), link("inner", "Slot"), link("shelf", "Shelf"),
              link("kept", "Shelf", .deny),
            ]),
        ]))

    private static func number(_ name: String, isUnique: Bool = false) -> Property {
      Property(name: name, type: .value(ValueType(.scalar(.int))), isUnique: isUnique)
    }

    private static func link(
      _ name: String, _ model: String, _ rule: Property.DeleteRule = .nullify
    ) -> Property {
      Property(
        name: name, type: .value(ValueType(.object(model), isOptional: true)), deleteRule: rule)
    }
  }

  private func shelves() throws -> Store {
    try Store(path: test.folder.file("shelves.db"), schema: Shelves.self)
  }

  /// One after the other, each would get what the next one has still.
  @Test(
    arguments: [UpdatePolicy.modified, .all],
    [
      (#"{"slots": [{"code": 1}, {"code": 2}]}"#, #"{"slots": [{"code": 2}, {"code": 1}]}"#),
      (
        #"{"named": {"a": {"code": 1}, "b": {"code": 2}}}"#,
        #"{"named": {"a": {"code": 2}, "b": {"code": 1}}}"#
      ),
      (
        #"{"top": {"code": 1, "inner": {"code": 2}}}"#,
        #"{"top": {"code": 2, "inner": {"code": 1}}}"#
      ),
    ])
  func partsExchangeUniqueValues(policy: UpdatePolicy, values: (String, String)) throws {
    let store = try shelves()
    for json in [values.0, values.1] {
      let given = try #require(
        JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
      let shelf = try store.write {
        try store.create(named: "Shelf", value: given.merging(["id": 1]) { $1 }, update: policy)
      }
      let codes = json.split(separator: #""code": "#).dropFirst().map { $0.prefix(1) }
      let written = shelf.json().split(separator: #""code":"#).dropFirst().map { $0.prefix(1) }
      #expect(written == codes, "\(shelf.json())")
    }
  }

  /// The owner within takes the place away in which its part is being changed.
  @Test(arguments: [UpdatePolicy.modified, .all])
  func aPartThatLeadsBackToItsOwner(policy: UpdatePolicy) throws {
    let store = try shelves()
    let (withoutTop, withoutSlots): ([String: Any], [String: Any]) = (
      ["id": 1, "top": NSNull()], ["id": 1, "slots": [Any]()]
    )
    try store.write {
      try store.create(
        named: "Shelf", value: ["id": 1, "top": ["code": 1], "slots": [["code": 2], ["code": 3]]])
    }

    let shelf = try store.write {
      try store.create(
        named: "Shelf",
        value: [
          "id": 1, "top": ["shelf": withoutTop],
          "slots": [["code": 2, "shelf": withoutSlots], ["code": 3, "shelf": withoutSlots]],
        ] as [String: Any], update: policy)
    }

    let part = { (code: Int) in
      #"{"code":\#(code),"inner":null,"kept":null,"shelf":{"id":1}}"#
    }
    #expect(
      shelf.json(depth: 0)
        == #"{"id":1,"named":{},"slots":[\#(part(2)),\#(part(3))],"top":\#(part(1))}"#)
  }

  /// The link reads as none already, but keeps its object from going.
  @Test(arguments: [UpdatePolicy.modified, .all], [0, 1, 2])
  func aDenyingLinkIsCutWithWhatItLedTo(policy: UpdatePolicy, place: Int) throws {
    let store = try shelves()
    func value(_ part: [String: Any]) -> [String: Any] {
      let places: [(String, Any)] = [("top", part), ("slots", [part]), ("named", ["a": part])]
      return ["id": 1, places[place].0: places[place].1]
    }
    let shelf = try store.write {
      try store.create(named: "Shelf", value: value(["code": 1, "kept": ["id": 2]]))
    }

    try store.write {
      try store.delete(store.objects(named: "Shelf").filter("id = 2"))
      try store.create(
        named: "Shelf", value: value(["code": 1, "kept": NSNull()]), update: policy)
    }

    #expect(try store.objects(named: "Shelf").count == 1)
    #expect(shelf.json().contains(#""kept":null"#))
  }

  /// A server's document once more, without its innermost part.
  @Test func theInnermostOfAChainOfPartsStays() throws {
    let store = try shelves()
    func chain(_ length: Int, _ members: [String: Any]) -> [String: Any] {
      (1...length).reversed().reduce(into: [String: Any]()) { inner, code in
        inner = (inner.isEmpty ? members : ["inner": inner]).merging(["code": code]) { $1 }
      }
    }
    let shelf = try store.write {
      try store.create(
        named: "Shelf", value: ["id": 1, "top": chain(40, ["kept": ["id": 2]])] as [String: Any])
    }
    let json = shelf.json()

    try store.write {
      try store.create(
        named: "Shelf", value: ["id": 1, "top": chain(39, [:])] as [String: Any], update: .all)
    }

    #expect(shelf.json() == json)
  }
}
