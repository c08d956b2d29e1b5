import StrataTestModels
import Testing

@testable import Strata

/// A set that belongs to nothing finds its objects again whatever becomes of them.
@Suite struct StandaloneSetTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func stored(_ id: Int) throws -> Person {
    try #require(try store.object(ofType: Person.self, forPrimaryKey: id))
  }

  private func people(_ ids: ClosedRange<Int>) -> [Person] {
    ids.map { Person(id: $0, name: "p\($0)") }
  }

  @Test func newObjectsAreFoundByOthersOfTheirRowsOnceTheyHaveSome() throws {
    let (people, others) = (people(0...3), people(10...12))
    let set = MutableSet<Person>(people)
    try store.write {
      try store.add(others)
      try store.add([people[0], people[1]])
    }

    #expect(try set.contains(stored(0)) && set.contains(stored(1)))
    #expect(try !set.contains(stored(10)))
    #expect(people.allSatisfy(set.contains))
    #expect(try !set.insert(stored(1)) && set.insert(stored(11)) && set.count == 5)

    try store.write { try store.add(people[2]) }
    #expect(try set.contains(stored(2)) && !set.contains(stored(12)))
    #expect(try set.remove(stored(2)) && !set.remove(people[2]))
    #expect(Set(set) == [people[0], people[1], people[3], others[1]])
    #expect(set.remove(people[3]) && !set.contains(people[3]))
    #expect(try set.contains(stored(0)) && set.contains(stored(11)))
  }

  /// An object that updates a row becomes that one.
  @Test func anObjectThatUpdatesARowIsThatRow() throws {
    let ada = Person(id: 1, name: "Ada")
    let set = MutableSet<Person>([ada])
    try store.write { try store.add(Person(id: 1, name: "A.")) }
    #expect(try !set.contains(stored(1)))

    try store.write { try store.add(ada, update: .modified) }
    #expect(try set.contains(stored(1)) && !set.insert(stored(1)))
  }

  @Test func anObjectOfACancelledTransactionIsTheSameStill() throws {
    let (ada, grace) = (Person(id: 1, name: "Ada"), Person(id: 2, name: "Grace"))
    let set = MutableSet<Person>([ada])
    try store.beginWrite()
    try store.add(ada)
    #expect(try set.contains(stored(1)))
    store.cancelWrite()
    try store.write { try store.add(grace) }

    #expect(try set.contains(ada) && !set.contains(grace) && !set.contains(stored(2)))
    #expect(set.remove(ada) && set.isEmpty)
  }

  /// A `create` that fails gives back what it was given, which may become another row.
  @Test func anObjectThatWasGivenBackIsFoundByItsNewRow() throws {
    let ada = Person(id: 1, name: "Ada")
    let set = MutableSet<Person>([ada])
    try store.write {
      #expect(throws: StoreError.self) {
        try store.create(
          Person.self, value: ["id": 3, "boss": ada, "name": 7], update: .modified)
      }
      #expect(ada.store == nil && set.contains(ada))
      try store.add(Person(id: 2, name: "Grace"))
      #expect(try !set.contains(stored(2)))
      try store.add(ada)
    }

    #expect(try set.contains(stored(1)) && !set.contains(stored(2)) && set.contains(ada))
  }

  /// Of the objects of a store those that are no elements are most: each is a question about one place.
  @Test func whatHasBecomeARowIsLookedAtOnce() throws {
    let (people, others) = (people(0...9), people(10...19))
    var set = StandaloneSet()
    for person in people { set.insert(.object(person)) }
    #expect(set.newcomers.count == 10)
    try store.write {
      try store.add(others)
      try store.add(Array(people.dropLast()))
    }

    #expect(try set.index(of: .object(stored(12))) == nil)
    #expect(set.newcomers == [ObjectIdentifier(people[9])])
    #expect(try set.index(of: .object(stored(7))) == 7)
    #expect(set.index(of: .object(people[9])) == 9)
    set.remove(at: 9)
    #expect(set.newcomers.isEmpty && set.index(of: .object(people[9])) == nil)
  }
}
