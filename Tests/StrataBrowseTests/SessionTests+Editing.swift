import Foundation
import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import StrataTesting
import Testing

@testable import StrataBrowse

/// Edits of objects and of what stands in their collections.
extension SessionTests {
  @Test("Edits are one transaction: taken back one by one, seen by others when they are saved")
  func editing() throws {
    let id = try #require(ids(try rows()).first)
    let other = try Store(configuration: store.configuration)
    defer { other.close() }
    func stored() throws -> Int {
      try other.refresh()
      return try other.objects(named: "Person").filter("name BEGINSWITH 'New'").count
    }
    let first = try ask([
      "do": "set", "model": "Person", "id": .string(id), "property": "name",
      "value": .object(["text": "New name"]),
    ])
    #expect(first["edits"] == .int(1))
    let created = try ask([
      "do": "create", "model": "Person",
      "values": .object([
        "number": .object(["text": "1000"]), "name": .object(["text": "New one"]),
        "in": .object(["text": "2.5"]),
        "home": .object(["object": .object(["street": .object(["text": "Main"])])]),
        "marks": .object(["entries": .array([.array(["maths", .object(["text": "1"])])])]),
      ]),
    ])
    let new = try #require(created["id"])
    _ = try ask([
      "do": "set", "model": "Person", "id": new, "property": "tags",
      "value": .object(["elements": .array([.object(["text": "x"])])]),
    ])
    _ = try ask(["do": "delete", "model": "Person", "id": .string(id)])
    #expect(try rows()["total"] == .int(250))
    #expect(try stored() == 0)
    // The deletion is taken back, and the new object is another one now.
    #expect(try ask(["do": "undo"])["edits"] == .int(3))
    #expect(try rows(["filter": "name BEGINSWITH 'New'"])["total"] == .int(2))
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try stored() == 2)
    #expect(
      try other.objects(named: "Person").filter(
        "number == 1000 AND tags.@count == 1 AND home.street == 'Main'"
      ).count == 1)
  }

  @Test("A key that is taken is refused in words that help in a page")
  func takenKey() throws {
    let id = try #require(ids(try rows(["filter": "number == 1"])).first)
    let taken = JSON.object(["text": "2"])
    for question: [String: JSON] in [
      ["do": "set", "model": "Person", "id": .string(id), "property": "number", "value": taken],
      [
        "do": "create", "model": "Person",
        "values": .object(["number": taken, "name": .object(["text": "New"])]),
      ],
    ] {
      let refused = try ask(question, status: 400)
      #expect(
        refused["error"]?.string
          == "There is an object of Person with the primary key 2 already: choose another value.")
      #expect(refused["code"] == "STR5042")
    }
    #expect(try ask(["do": "state"])["edits"] == .int(0))
  }

  @Test("An object that an edit made stays the same when others are taken back or refused")
  func undoAfterNewEmbeddedObject() throws {
    let id = try #require(ids(try rows()).first)
    func text(_ text: String) -> JSON { .object(["text": .string(text)]) }
    func fields() throws -> JSON {
      try ask(["do": "object", "model": "Person", "id": .string(id)])
    }
    _ = try ask([
      "do": "set", "model": "Person", "id": .string(id), "property": "home",
      "value": .object(["object": .object(["street": text("Main")])]),
    ])
    let home = try #require(
      fields()["fields"]?.array?.first { $0["property"]?["name"] == "home" }?["cell"]?["id"])
    func setStreet(_ street: String) throws {
      _ = try ask([
        "do": "set", "model": "Address", "id": home, "property": "street", "value": text(street),
      ])
    }
    try setStreet("High")
    let created = try ask([
      "do": "create", "model": "Person",
      "values": .object(["number": text("1000"), "name": text("New"), "in": text("2.5")]),
    ])
    try setStreet("Low")

    #expect(try ask(["do": "undo"])["edits"] == .int(3))
    _ = try ask(
      [
        "do": "set", "model": "Person", "id": .string(id), "property": "number", "value": text("x"),
      ],
      status: 400)
    try setStreet("Side")
    _ = try ask([
      "do": "set", "model": "Person", "id": try #require(created["id"]), "property": "name",
      "value": text("Newer"),
    ])
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(
      try store.objects(named: "Person").filter("home.street == 'Side' OR name == 'Newer'").count
        == 2)
  }

  @Test("Elements of collections are changed one by one, embedded objects, too")
  func elements() throws {
    let id = try #require(ids(try rows()).first)
    let friend = try #require(ids(try rows()).last)
    func element(_ property: String, _ change: JSON, status: Int = 200) throws -> JSON {
      try ask(
        [
          "do": "element", "model": "Person", "id": .string(id), "property": .string(property),
          "change": change,
        ], status: status)
    }
    func text(_ text: String) -> JSON { .object(["text": .string(text)]) }
    func shown(_ property: String) throws -> [String] {
      let answer = try ask([
        "do": "elements", "model": "Person", "id": .string(id), "property": .string(property),
      ])
      return (answer["elements"]?.array ?? []).map { element in
        let value = element["cell"]?["v"]?.string ?? "→"
        return element["key"]?.string.map { "\($0): \(value)" } ?? value
      }
    }
    _ = try element("tags", .object(["insert": text("c")]))
    _ = try element("tags", .object(["replace": text("A"), "at": 0]))
    _ = try element("tags", .object(["move": 2, "to": 0]))
    #expect(try shown("tags") == ["c", "A", "b"])
    _ = try element("tags", .object(["remove": 1]))
    #expect(try shown("tags") == ["c", "b"])
    _ = try element("marks", .object(["put": text("1"), "key": "maths", "isNew": true]))
    _ = try element("marks", .object(["renameKey": "maths", "to": "art"]))
    #expect(try shown("marks") == ["art: 1"])
    _ = try element("friends", .object(["insert": .object(["link": .string(friend)])]))
    #expect(try shown("friends") == ["Person 100"])
    _ = try element("friends", .object(["remove": 0]))

    func house(_ street: String) -> JSON {
      .object(["object": .object(["street": text(street)])])
    }
    _ = try element("houses", .object(["insert": house("First")]))
    _ = try element("houses", .object(["insert": house("Second")]))
    _ = try element("houses", .object(["move": 0, "to": 1]))
    #expect(try shown("houses") == ["Second", "First"])
    _ = try element("rooms", .object(["put": house("Hall"), "key": "a", "isNew": true]))
    _ = try element("rooms", .object(["renameKey": "a", "to": "b"]))
    #expect(try shown("rooms") == ["b: Hall"])
    let edits = try ask(["do": "state"])["edits"]
    // What is refused says why and changes nothing.
    for (property, change): (String, JSON) in [
      ("tags", .object(["remove": 2])), ("tags", .object(["insert": .null])),
      ("marks", .object(["put": text("x"), "key": "x"])),
      ("marks", .object(["put": text("2"), "key": "art", "isNew": true])),
      ("rooms", .object(["renameKey": "a", "to": "c"])),
      ("houses", .object(["insert": .object(["object": .object(["road": text("x")])])])),
      ("name", .object(["remove": 0])), ("friends", .object(["move": 0, "to": 0])),
    ] {
      #expect(try element(property, change, status: 400)["error"]?.string != nil, "\(change)")
    }
    #expect(try ask(["do": "state"])["edits"] == edits)
    _ = try ask(["do": "undo"])
    #expect(try shown("rooms") == ["a: Hall"])
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try store.objects(named: "Address").count == 3)
    #expect(try shown("houses") == ["Second", "First"])
  }

  @Test(
    "A link to an object that was created before leads to it also when the edits are done again")
  func createdLinks() throws {
    let id = try #require(ids(try rows()).first)
    let created = try ask([
      "do": "create", "model": "Person",
      "values": .object(["number": .object(["text": "1000"]), "name": .object(["text": "New"])]),
    ])
    _ = try ask([
      "do": "set", "model": "Person", "id": .string(id), "property": "boss",
      "value": .object(["link": created["id"] ?? .null]),
    ])
    guard case .set(_, let value) = try #require(session.edits.last).change else {
      Issue.record("the last edit sets")
      return
    }
    #expect(value == .object(["created": 0]))
    _ = try ask(["do": "delete", "model": "Person", "id": .string(try #require(ids(rows()).last))])
    _ = try ask(["do": "undo"])
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try store.objects(named: "Person").filter("boss.number == 1000").count == 1)
  }

  @Test("What a new object has to be given is told")
  func required() throws {
    func required(_ model: String) throws -> [String] {
      try #require(try ask(["do": "model", "model": .string(model)])["columns"]?.array)
        .filter { $0["required"] == .bool(true) }.compactMap { $0["name"]?.string }
    }
    #expect(try required("Person") == ["name", "number"])
    #expect(try required("Address") == ["street"])
    let answer = try ask(["do": "create", "model": "Person", "values": .object([:])], status: 400)
    #expect(answer["error"]?.string?.contains("is required") == true)
  }

  @Test(
    "A value that is there without being given is not asked for",
    arguments: [
      (Property(name: "p", type: .value(ValueType(.scalar(.int)))), true),
      (Property(name: "p", type: .value(ValueType(.scalar(.int), isOptional: true))), false),
      (Property(name: "p", type: .value(ValueType(.scalar(.int))), defaultValue: .int(1)), false),
      (Property(name: "p", type: .value(ValueType(.scalar(.uuid))), generate: .uuid), false),
      (Property(name: "p", type: .value(ValueType(.scalar(.any)))), false),
      (Property(name: "p", type: .list(ValueType(.scalar(.int)))), false),
      (Property(name: "p", type: .value(ValueType(.object("Person")))), true),
    ])
  func required(property: Property, isRequired: Bool) {
    #expect(
      BrowsedContent.describe(property, in: Self.schema)["required"] == .bool(isRequired))
  }

  @Test("What the store refuses is refused here, and leaves the other edits as they were")
  func validation() throws {
    let all = ids(try rows())
    let before = try ask(["do": "state"])
    func set(_ property: String, _ value: JSON) throws -> String? {
      try ask(
        [
          "do": "set", "model": "Person", "id": .string(all[0]), "property": .string(property),
          "value": value,
        ], status: 400)["error"]?.string
    }
    #expect(try set("in", .object(["text": "much"]))?.contains("is no double") == true)
    #expect(try set("mood", .object(["text": "x"])) != nil)
    #expect(
      try set("photo", .object(["text": "?"]))?.hasSuffix("Write it as Base64, as aGVsbG8=.")
        == true)
    #expect(try set("name", .null)?.contains("required") == true)
    #expect(try set("number", .object(["text": "2"])) != nil)
    #expect(try set("team", .null)?.contains("stored") == true)
    #expect(try set("boss", .object(["link": "999999"]))?.contains("no Person") == true)
    #expect(try set("nothing", .null) != nil)
    // A page that looks whether anything has changed draws nothing anew: what is wrong stays where it is told.
    #expect(try ask(["do": "state"]) == before)
    let edited = try ask([
      "do": "set", "model": "Person", "id": .string(all[0]), "property": "name",
      "value": .object(["text": "Kept"]),
    ])
    #expect(edited["change"] != before["change"] && edited["edits"] == .int(1))
    #expect(try set("number", .object(["text": "2"])) != nil)
    #expect(try ask(["do": "state"]) == edited)
    #expect(try rows(["filter": "name == 'Kept'"])["total"] == .int(1))
    #expect(try ask(["do": "revert"])["edits"] == .int(0))
    #expect(try rows(["filter": "name == 'Kept'"])["total"] == .int(0))
  }
}
