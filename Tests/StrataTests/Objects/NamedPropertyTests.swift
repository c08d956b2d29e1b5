import Foundation
import Strata
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
