import Strata
import StrataTestModels
import Testing

/// Collections that a new object was given no elements for.
@Suite struct EmptyCollectionTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  @Test func newObjectsHaveCollectionsOfTheirOwn() {
    let (ada, grace) = (Person(id: 1, name: "Ada"), Person(id: 2, name: "Grace"))
    ada.dogs.append(Dog(name: "Rex"))
    ada.tags.insert("a")
    ada.scores["chess"] = 1

    #expect(ada.dogs.count == 1 && ada.tags.count == 1 && ada.scores.count == 1)
    #expect(grace.dogs.isEmpty && grace.tags.isEmpty && grace.scores.isEmpty)
    #expect(grace.dogs.store == nil)
  }

  @Test func aCollectionIsTheSameBeforeAndAfterItIsStored() throws {
    let ada = Person(id: 1, name: "Ada")
    let (dogs, tags, scores) = (ada.dogs, ada.tags, ada.scores)
    try store.write { try store.add(ada) }
    try store.write {
      dogs.append(Dog(name: "Rex"))
      tags.insert("a")
      scores["chess"] = 1
    }

    #expect(ada.dogs.map(\.name) == ["Rex"])
    #expect(Array(ada.tags) == ["a"] && ada.scores["chess"] == 1)
  }

  @Test func aNewObjectInThePlaceOfAnotherEmptiesItsCollections() throws {
    try store.write { try store.add(filled()) }
    try store.write { try store.add(Person(id: 1, name: "Ada"), update: .all) }

    let ada = try #require(store.objects(Person.self).first)
    #expect(ada.dogs.isEmpty && ada.tags.isEmpty && ada.scores.isEmpty && ada.notes.isEmpty)
  }

  /// What could not be added is as it was, with collections that are empty and not left out.
  @Test func itDoesSoAfterItCouldNotBeAdded() throws {
    try store.write { try store.add(filled()) }
    let new = Person(id: 1, name: "Ada")
    let (dogs, scores) = (new.dogs, new.scores)
    #expect(throws: StoreError.self) { try store.write { try store.add(new) } }
    try store.write { try store.add(new, update: .all) }

    let ada = try #require(store.objects(Person.self).first)
    #expect(ada.dogs.isEmpty && ada.tags.isEmpty && ada.scores.isEmpty && ada.notes.isEmpty)
    #expect(dogs.isEmpty && scores.isEmpty)
  }

  @Test func soDoesACopyThatWasEmptied() throws {
    try store.write { try store.add(filled()) }
    let copy = try #require(store.objects(Person.self).first).detached()
    copy.dogs.removeAll()
    copy.tags.removeAll()
    copy.scores.removeAll()
    #expect(throws: StoreError.self) { try store.write { try store.add(copy) } }
    try store.write { try store.add(copy, update: .modified) }

    let ada = try #require(store.objects(Person.self).first)
    #expect(ada.dogs.isEmpty && ada.tags.isEmpty && ada.scores.isEmpty && ada.notes.count == 1)
  }

  @Test func aCopyOfAnObjectWithoutElementsGetsSome() throws {
    let ada = Person(id: 1, name: "Ada")
    try store.write { try store.add(ada) }
    let draft = ada.detached()
    let plain = Person(id: 2, name: "Grace").detached()
    draft.dogs.append(Dog(name: "Rex"))
    draft.tags.insert("a")
    plain.dogs.append(Dog(name: "Max"))
    try store.write { try store.add([draft, plain], update: .modified) }

    #expect(ada.dogs.map(\.name) == ["Rex"] && Array(ada.tags) == ["a"])
    #expect(store.objects(Dog.self).count == 2)
  }

  @Test func aDraftThatWasEmptiedEmpties() throws {
    try store.write { try store.add(filled()) }
    let ada = try #require(store.objects(Person.self).first)
    let draft = ada.detached()
    draft.dogs.removeAll()
    draft.tags.removeAll()
    try store.write { try store.add(draft.detached(), update: .modified) }

    #expect(ada.dogs.isEmpty && ada.tags.isEmpty)
    #expect(ada.scores["chess"] == 1)
  }

  private func filled() -> Person {
    Person(
      id: 1, name: "Ada", dogs: [Dog(name: "Rex")], notes: ["n"], tags: ["a"],
      scores: ["chess": 1])
  }
}
