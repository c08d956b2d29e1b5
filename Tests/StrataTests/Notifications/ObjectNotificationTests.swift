import Strata
import StrataTestModels
import Testing

@Suite struct ObjectNotificationTests {
  let test: TestStore
  let store: Store
  let ada: Person
  let log = ChangeLogbook()

  init() throws {
    test = try TestStore()
    store = test.store
    ada = Person(id: 1, name: "Ada", age: 36)
    try store.write { try store.add(ada) }
  }

  @Test func anObjectTellsOldAndNewAndHasNoFirstCall() throws {
    let token = try ada.observe(log.note)
    #expect(log.take() == [])

    try store.write {
      ada.name = "Ada King"
      ada.age = 37
      ada.email = "a@b.c"
    }
    #expect(log.take() == ["age: 36 → 37; email: nil → a@b.c; name: Ada → Ada King"])
    try store.write { ada.email = nil }
    #expect(log.take() == ["email: a@b.c → nil"])
    token.invalidate()
  }

  @Test func aSelfAssignmentNotifies() throws {
    let token = try ada.observe(log.note)
    try store.write { ada.name = ada.name }

    #expect(log.take() == ["name: Ada → Ada"])
    token.invalidate()
  }

  @Test func aSelfAssignmentOfAnEmbeddedObjectNotifies() throws {
    try store.write { ada.home = Address(street: "Rue") }
    var changes: [[String]] = []
    let people = ChangeLogbook()
    let tokens = [
      try ada.observe(keyPaths: ["home"]) { change in
        if case .change(_, let properties) = change { changes.append(properties.map(\.name)) }
      },
      try store.objects(Person.self).observe(people.note),
    ]
    try store.write { ada.home = ada.home }

    #expect(changes == [["home"]])
    #expect(people.take() == ["initial 1", "*0"])
    #expect(ada.home?.street == "Rue")
    for token in tokens { token.invalidate() }
  }

  @Test func linksAndCollectionsAreTold() throws {
    let bob = Person(id: 2, name: "Bob")
    try store.write { try store.add(bob) }
    let token = try ada.observe { change in
      if case .change(let person, let properties) = change {
        #expect(person === ada && properties.allSatisfy { $0.name != "dogs" || $0.oldValue == nil })
      }
    }
    let texts = try ada.observe(log.note)
    try store.write { ada.boss = bob }
    try store.write { ada.boss = nil }
    #expect(log.take() == ["boss: nil → Bob", "boss: Bob → nil"])

    try store.write { ada.dogs.append(Dog(name: "Rex")) }
    #expect(log.take().first?.hasPrefix("dogs: nil → [Dog") == true)
    // Not its own property.
    try store.write { ada.dogs[0].name = "Max" }
    #expect(log.take() == [])
    token.invalidate()
    texts.invalidate()
  }

  @Test func theEndIsTold() throws {
    let token = try ada.observe(log.note)
    try store.write { try store.delete(ada) }
    try store.write { try store.add(Person(id: 1, name: "Ada")) }

    #expect(log.take() == ["deleted"])
    token.invalidate()
  }

  @Test func keyPathsChoose() throws {
    try store.write { ada.dogs.append(Dog(name: "Rex")) }
    let typed = ChangeLogbook()
    let token = try ada.observe(keyPaths: ["name", "dogs.age"], log.note)
    let other = try ada.observe(keyPaths: [\Person.age, \Person.mood], typed.note)
    try store.write {
      ada.age = 40
      ada.dogs[0].name = "Max"
    }
    try store.write { ada.name = "Ida" }
    try store.write { ada.dogs[0].age = 3 }
    try store.write { ada.mood = .angry }

    let lines = log.take()
    #expect(lines.count == 2 && lines[0] == "name: Ada → Ida" && lines[1].hasPrefix("dogs: nil"))
    #expect(typed.take() == ["age: 36 → 40", "mood: calm → angry"])
    token.invalidate()
    other.invalidate()
  }

  @Test func deletedAndStandaloneObjectsAreRefused() throws {
    try store.write { try store.delete(ada) }

    #expect(throws: StoreError.invalidated(model: "Person")) { try ada.observe { _ in } }
    let error = #expect(throws: StoreError.self) { try Dog(name: "").observe { _ in } }
    #expect(error?.code == "STR5033")
  }

  @Test func itsDeletionByAnotherStoreIsTold() throws {
    let token = try ada.observe(log.note)
    let other = try test.open()
    try other.write { try #require(other.objects(Person.self).first).age = 1 }
    #expect(log.take() == [])

    try store.refresh()
    #expect(log.take() == ["age: 36 → 1"])
    try other.write { try other.deleteAll(Person.self) }
    try store.refresh()
    #expect(log.take() == ["deleted"])
    token.invalidate()
  }
}
