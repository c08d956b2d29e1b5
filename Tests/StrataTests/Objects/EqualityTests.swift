import Strata
import StrataTestModels
import Testing

/// Objects of one row are equal, whatever instance stands for it.
@Suite struct EqualityTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  @Test func objectsOfOneRowAreEqualWithoutAPrimaryKey() throws {
    try store.write { try store.add([Dog(name: "Rex"), Dog(name: "Max")]) }
    let dogs = store.objects(Dog.self)

    #expect(dogs[0] == dogs[0])
    #expect(dogs[0] != dogs[1])
    #expect(dogs.contains(dogs[1]))
    #expect(Set(dogs).contains(dogs[1]))
    #expect(Set([dogs[0], dogs[0], dogs[1]]).count == 2)
    #expect(Array(dogs).firstIndex(of: dogs[1]) == 1)
    #expect(AnyValue(dogs[0]) == AnyValue(dogs[0]))
  }

  @Test func standaloneObjectsAreEqualToThemselvesOnly() {
    let rex = Dog(name: "Rex")

    #expect(rex == rex)
    #expect(rex != Dog(name: "Rex"))
    #expect(Person(id: 1, name: "a") != Person(id: 1, name: "a"))
  }

  @Test func frozenObjectsAndThoseOfOtherStoresOfTheFileAreEqual() throws {
    let rex = Dog(name: "Rex")
    try store.write { try store.add(rex) }
    let other = try #require(try test.open().objects(Dog.self).first)
    let elsewhere = try TestStore()
    try elsewhere.store.write { try elsewhere.store.add(Dog(name: "Rex")) }

    #expect(rex.freeze() == rex)
    #expect(Set([rex, rex.freeze(), other]).count == 1)
    #expect(elsewhere.store.objects(Dog.self).first != rex)
  }

  @Test func aSetFindsWhatWasAddedToTheStoreLater() throws {
    let rex = Dog(name: "Rex")
    let ada = Person(id: 1, name: "a")
    let set: Set<Object> = [rex, ada, Dog(name: "Max")]
    try store.write {
      try store.add(rex)
      try store.add(ada)
    }
    let found = try #require(store.objects(Dog.self).first)

    #expect(set.contains(rex))
    #expect(set.contains(ada))
    #expect(set.contains(found))
    #expect(set.contains(found.freeze()))
    #expect(set.contains(try #require(try test.open().objects(Dog.self).first)))
  }

  /// The one that was hashed first goes; another one of the row keeps its place.
  @Test func theHashOutlivesTheFirstInstance() throws {
    var rex: Dog? = Dog(name: "Rex")
    let hash = rex.hashValue
    try store.write { try store.add(try #require(rex)) }
    let found = try #require(store.objects(Dog.self).first)
    let set: Set<Dog> = [found]
    #expect(Optional(found).hashValue == hash)
    rex = nil

    #expect(set.contains(found))
    #expect(set.contains(try #require(store.objects(Dog.self).first)))
  }

  @Test func aSetFindsWhatWasDeletedOrWhoseStoreWasClosed() throws {
    let rex = Dog(name: "Rex")
    try store.write { try store.add([rex, Dog(name: "Max")]) }
    let dogs = Array(store.objects(Dog.self))
    let set = Set(dogs)
    try store.write { try store.delete(dogs[0]) }
    #expect(set.contains(dogs[0]))

    store.close()
    #expect(set.contains(dogs[1]))
  }

  @Test func anAdditionThatFailsKeepsTheHash() throws {
    try store.write { try store.add(Person(id: 1, name: "a")) }
    let second = Person(id: 1, name: "a")
    let set: Set<Person> = [second]
    #expect(throws: StoreError.self) { try store.write { try store.add(second) } }

    #expect(set.contains(second))
  }

  @Test func anObjectThatBecomesAViewIsHashedAsItsRow() throws {
    let first = Person(id: 1, name: "a")
    try store.write { try store.add(first) }
    let set: Set<Person> = [try #require(store.objects(Person.self).first)]
    let draft = Person(id: 1, name: "Ada")
    _ = draft.hashValue
    try store.write { try store.add(draft, update: .modified) }

    #expect(set.contains(draft))
    #expect(draft == first)
  }

  @Test func aWalkHashesEachRowByItself() throws {
    try store.write { for index in 0..<100 { try store.add(Dog(name: "\(index)")) } }
    var hashes: Set<Int> = []
    for dog in store.objects(Dog.self) { hashes.insert(dog.hashValue) }

    #expect(hashes.count == 100)
  }
}
