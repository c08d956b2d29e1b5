import Strata
import StrataTestModels
import Testing

/// A `create` that updates and fails: nothing was changed, neither in the store nor in what it was given.
@Suite struct FailedCreateTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws {
    test = try TestStore()
    try store.write {
      try store.add(Person(id: 1, name: "Ada"))
      try store.add(Person(id: 9, name: "Eve", email: "e@v.e"))
    }
  }

  /// Values are set in the order of the properties' names: what is wrong comes last.
  private func fail(_ value: [String: Any], _ policy: UpdatePolicy) {
    #expect(throws: StoreError.self) {
      try store.create(Person.self, value: value, update: policy)
    }
  }

  private static let policies = [UpdatePolicy.modified, .all]

  @Test(arguments: policies) func whatWasGivenIsStandaloneStill(policy: UpdatePolicy) throws {
    let rex = Dog(name: "Rex")
    let home = Address(street: "Rue", country: Country(code: "F"))
    let grace = Person(
      id: 2, name: "Grace", boss: Person(id: 3, name: "Alan"), dogs: [Dog(name: "Max")],
      tags: ["t"], scores: ["go": 1])
    grace.friends.insert(grace)

    try store.write {
      fail(["id": 1, "boss": grace, "dogs": [rex], "home": home, "name": 7], policy)

      #expect(grace.store == nil && rex.store == nil && home.store == nil)
      #expect(!grace.isInvalidated && !rex.isInvalidated && !home.isInvalidated)
    }

    #expect(rex.name == "Rex" && home.street == "Rue" && home.country?.code == "F")
    #expect(grace.boss?.name == "Alan" && grace.dogs.map(\.name) == ["Max"])
    #expect(Array(grace.tags) == ["t"] && grace.scores["go"] == 1)
    #expect(grace.friends.contains { $0 === grace })
    let ada = try #require(try store.object(ofType: Person.self, forPrimaryKey: 1))
    #expect(ada.boss == nil && ada.dogs.isEmpty && ada.home == nil)
    #expect(store.objects(Person.self).map(\.name).sorted() == ["Ada", "Eve"])
    #expect(store.objects(Dog.self).isEmpty && store.objects(Country.self).isEmpty)
  }

  @Test(arguments: policies) func whatWasGivenCanBeAddedAgain(policy: UpdatePolicy) throws {
    let grace = Person(
      id: 2, name: "Grace", dogs: [Dog(name: "Max")], tags: ["t"], scores: ["go": 1])
    let people: Set = [grace]

    try store.write {
      fail(["id": 1, "boss": grace, "name": 7], policy)
      #expect(people.contains(grace))
      try store.add(grace)
    }

    #expect(people.contains(grace))
    let stored = try #require(try store.object(ofType: Person.self, forPrimaryKey: 2))
    #expect(stored == grace && stored.dogs.map(\.name) == ["Max"])
    #expect(Array(stored.tags) == ["t"] && stored.scores["go"] == 1)
    #expect(store.objects(Dog.self).count == 1)
  }

  /// SQLite refuses the address, when the dog is there already.
  @Test(arguments: policies) func whatAFileRefusesGivesThemBackToo(policy: UpdatePolicy) throws {
    let rex = Dog(name: "Rex")

    try store.write {
      fail(["id": 1, "dogs": [rex], "email": "e@v.e"], policy)
      #expect(rex.store == nil)
      try store.create(Person.self, value: ["id": 1, "dogs": [rex]], update: policy)
      #expect(rex.store === store)
    }

    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
  }

  /// What stands in a property of type `any`, and in collections of each kind.
  @Test(arguments: policies) func theyMayStandAnywhere(policy: UpdatePolicy) throws {
    let (max, rex, tom) = (Dog(name: "Max"), Dog(name: "Rex"), Dog(name: "Tom"))
    let ida = Person(id: 4, name: "Ida")

    try store.write {
      fail(
        [
          "id": 1, "dogs": [max], "friends": [ida], "pets": ["t": tom], "tags": ["x"],
          "thing": AnyValue.object(rex), "boss": ["id": 5, "name": "New", "thing": rex],
          "unused": 1, "scores": ["go": "no number"],
        ], policy)
    }

    for dog in [max, rex, tom] { #expect(dog.store == nil && !dog.isInvalidated) }
    #expect(ida.store == nil && !ida.isInvalidated)
    #expect(store.objects(Person.self).count == 2 && store.objects(Dog.self).isEmpty)
  }
}
