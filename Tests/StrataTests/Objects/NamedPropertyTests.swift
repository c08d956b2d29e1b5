import Foundation
import Strata
import StrataSchema
import StrataTestModels
import Testing

/// Properties, links and what is declared, asked for by their names.
@Suite struct NamedPropertyTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  @Test func propertiesAreReachedByName() throws {
    let ada = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")], tags: ["t"])
    try store.write { try store.add(ada) }
    try store.write {
      ada["age"] = 37
      ada["email"] = "a@b.c"
      ada["dogs"] = [["name": "Max"]]
      ada["born"] = "1815-12-10T00:00:00Z"
      try ada.setValue(nil, forKey: "email")
    }

    #expect(ada["age"] as? Int == 37)
    #expect(ada["mood"] as? String == "calm")
    #expect(ada["email"] == nil)
    #expect(ada["nothing of the kind"] == nil)
    #expect(ada.dogs.map(\.name) == ["Max"])
    #expect(try ada.list("dogs", of: Dog.self).first?.name == "Max")
    #expect(try ada.set("tags", of: String.self).contains("t"))
    #expect(throws: StoreError.unknownProperty(model: "Person", property: "agee")) {
      try ada.value(forKey: "agee")
    }
    #expect(throws: StoreError.notInWriteTransaction) { try ada.setValue(1, forKey: "age") }
    #expect(throws: StoreError.self) {
      try store.write { try ada.setValue("old", forKey: "age") }
    }
  }

  @Test(arguments: ["home", "boss", "thing"])
  func aLinkOfADeletedObjectAddsNothing(name: String) throws {
    let ada = try test.added(Person(id: 1, name: "Ada"))
    let values: [String: Any] = [
      "home": ["street": "x"], "boss": Person(id: 2, name: "Grace"), "thing": Dog(name: "Rex"),
    ]
    try store.write {
      try store.delete(ada)
      #expect(throws: StoreError.invalidated(model: "Person")) {
        try ada.setValue(values[name], forKey: name)
      }
    }
    #expect(store.objects(Address.self).isEmpty && store.objects(Dog.self).isEmpty)
    #expect(store.objects(Person.self).isEmpty)
  }

  /// A collection that is asked for by its name takes what its elements are, and nothing else.
  @Test func anElementOfAnotherTypeIsRefused() throws {
    let ada = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")], notes: ["a"], tags: ["t"])
    try store.write { try store.add(ada) }
    func expect(_ sentence: String, _ change: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try store.write { try change() } }
      #expect(error?.code == "STR5046")
      #expect(error?.description == "Person.\(sentence).")
    }

    expect("notes is [string?], found Int (5) as an element") {
      try ada.list("notes").append(.int(5))
    }
    expect("dogs is [Dog], found Int (5) as an element") { try ada.list("dogs").append(.int(5)) }
    expect("dogs is [Dog], found nil as an element") { try ada.list("dogs").append(.null) }
    expect("dogs is a Dog, found a Person") { try ada.list("dogs").append(.object(ada)) }
    expect("tags is set<string>, found Bool (true) as an element") {
      try ada.set("tags").insert(.bool(true))
    }
    expect("tags is set<string>, found Person as an element") {
      try ada.set("tags").insert(.object(ada))
    }
    expect("scores is map<double>, found Int (3) as an element") {
      try ada.map("scores")["a"] = .int(3)
    }
    expect("friends is set<Person>, found String (x) as an element") {
      try ada.set("friends").insert(.string("x"))
    }
    #expect(ada.dogs.count == 1 && Array(ada.notes) == ["a"] && Array(ada.tags) == ["t"])

    let standalone = Person(id: 2, name: "Grace")
    try standalone.list("notes").append(.int(5))
    expect("notes is [string?], found Int (5) as an element") { try store.add(standalone) }
    try store.write {
      try ada.list("notes").append(.null)
      try ada.list("notes")[0] = .string("b")
    }
    #expect(Array(ada.notes) == ["b", nil])
  }

  @Test func elementsThatAreReadAsAnotherTypeAreRefused() throws {
    let ada = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")], notes: ["a", nil], tags: ["t"])
    func expect(_ sentence: String, _ read: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try read() }
      #expect(error?.description == "Person.\(sentence).")
    }
    for _ in 0..<2 {
      expect("dogs is Dog, found Person") { _ = try ada.list("dogs", of: Person.self) }
      expect("dogs is Dog, found Int") { _ = try ada.list("dogs", of: Int.self) }
      expect("notes is string?, found String") { _ = try ada.list("notes", of: String.self) }
      expect("notes is string?, found Optional<Int>") { _ = try ada.list("notes", of: Int?.self) }
      expect("tags is string, found Date") { _ = try ada.set("tags", of: Date.self) }
      expect("scores is double, found Float") { _ = try ada.map("scores", of: Float.self) }
      #expect(try ada.list("notes", of: String?.self).map { $0 } == ["a", nil])
      #expect(try ada.list("dogs", of: Object.self).count == 1)
      #expect(try ada.list("dogs").count == 1)
      #expect(try ada.map("scores", of: Double.self).isEmpty)
      expect("tags is string, found Object") { _ = try ada.set("tags", of: Object.self) }
      if ada.store == nil { try store.write { try store.add(ada) } }
    }
  }

  /// Of a store without classes objects are read as `DynamicObject`.
  @Test func elementsWithoutAClass() throws {
    try store.write { try store.add(Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")])) }
    let plain = try Store(path: test.folder.file("a.db"))
    let ada = try #require(try plain.objects(named: "Person").first)
    #expect(try ada.list("dogs", of: DynamicObject.self).map { $0["name"] as? String } == ["Rex"])
    #expect(try ada.list("dogs", of: Object.self).count == 1)
    #expect(throws: StoreError.self) { try ada.list("dogs", of: Dog.self) }
  }

  // MARK: - Elements that are cases of an enum

  private enum Levels: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: Schema(
        name: "Levels", version: 0,
        models: [
          Model(
            name: "Game",
            properties: [
              Property(name: "levels", type: .list(ValueType(.enumeration("Level")))),
              Property(name: "moods", type: .set(ValueType(.enumeration("Mood")))),
            ])
        ],
        enums: [
          EnumType(
            name: "Level", rawType: .int,
            cases: ["low": 1000, "high": 1].map { .init(name: $0, rawValue: .int($1)) }),
          EnumType(
            name: "Mood", rawType: .string,
            cases: ["calm", "angry"].map { .init(name: $0, rawValue: .string($0)) }),
        ]))
  }

  private enum Level: Int, StoredEnum {
    case low = 1000
    case high = 1
  }

  /// Has one case with the schema's enum in common.
  private enum Other: Int, StoredEnum {
    case middle = 2
    case high = 1
  }

  /// All cases are read as the type, and not only the first one.
  @Test func casesAreReadAsATypeThatHoldsEachOfThem() throws {
    let store = try Store(path: test.folder.file("levels.db"), schema: Levels.self)
    let game = try store.write {
      try store.create(named: "Game", value: ["levels": [1000, 1], "moods": ["angry"]])
    }
    func expect(_ sentence: String, _ read: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try read() }
      #expect(error?.description == "Game.\(sentence).")
    }

    #expect(Array(try game.list("levels", of: Level.self)) == [.low, .high])
    #expect(Array(try game.list("levels", of: Int.self)) == [1000, 1])
    #expect(Array(try game.list("levels", of: Int16.self)) == [1000, 1])
    #expect(Array(try game.set("moods", of: Mood.self)) == [.angry])
    expect("levels is Level, found Int8") { _ = try game.list("levels", of: Int8.self) }
    expect("levels is Level, found Other") { _ = try game.list("levels", of: Other.self) }
    expect("levels is Level, found Mood") { _ = try game.list("levels", of: Mood.self) }
  }

  @Test func whatLinksToAnObjectIsFoundByName() throws {
    let ada = Person(id: 1, name: "Ada")
    try store.write { try store.add(Person(id: 2, name: "Grace", boss: ada, friends: [ada])) }

    #expect(try ada.linkingObjects(ofType: Person.self, property: "boss").map(\.name) == ["Grace"])
    #expect(
      try ada.linkingObjects(ofType: Person.self, property: "friends").map(\.name) == ["Grace"])
    #expect(throws: StoreError.self) {
      try ada.linkingObjects(ofType: Person.self, property: "dogs")
    }
    #expect(throws: StoreError.notManaged(model: "Dog")) {
      try Dog(name: "x").linkingObjects(ofType: Person.self, property: "dogs")
    }
  }

  @Test func aClassTellsWhatIsDeclared() {
    #expect(Person.className() == "Person")
    #expect(Person.primaryKey() == "id")
    #expect(Entry.primaryKey() == nil)
    #expect(Entry.primaryKeys() == ["account", "number"])
    #expect(Person.indexedProperties() == ["age", "email"])
    #expect(Person.ignoredProperties() == ["draft"])
    #expect(Dog.requiredProperties() == ["age", "color", "name"])
    #expect(Dog.defaultPropertyValues()["color"] as? String == "brown")
    #expect(Person.linkingObjectsProperties()["reports"]?.property == "boss")
    #expect(Dog(name: "Rex").objectSchema["age"]?.type == "int")
    #expect(Person.sharedSchema().properties.map(\.name).contains("boss"))
  }
}
