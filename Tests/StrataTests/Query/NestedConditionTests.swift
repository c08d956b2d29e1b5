import Strata
import StrataTestModels
import Testing

/// Conditions in conditions are each about an object of their own.
@Suite struct NestedConditionTests {
  let test: TestStore
  var people: Results<Person> { test.store.objects(Person.self) }

  init() throws {
    test = try TestStore()
    _ = try test.added(
      Person(
        id: 1, name: "Ada", dogs: [Dog(name: "Rex", age: 1), Dog(name: "Bo", age: 2)],
        pets: ["tan": Dog(name: "Tan", age: 5)]))
  }

  @Test func ofTwoCollectionsWithNamesOfOneLength() {
    let hasOlderPet = people.where { person in
      person.dogs.contains(where: { dog in person.pets.contains(where: { $0.age > dog.age }) })
    }
    let hasYoungerPet = people.where { person in
      person.dogs.contains(where: { dog in person.pets.contains(where: { $0.age < dog.age }) })
    }

    #expect(hasOlderPet.count == 1)
    #expect(hasYoungerPet.isEmpty)
  }

  @Test(arguments: [(0, 1), (1, 1), (2, 0)])
  func ofOneCollectionTwice(years: Int, count: Int) {
    let apart = people.where { person in
      person.dogs.contains(where: { older in
        person.dogs.contains(where: { younger in older.age == younger.age + years })
      })
    }

    #expect(apart.count == count)
  }
}
