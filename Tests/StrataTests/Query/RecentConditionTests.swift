import StrataTestModels
import Testing

@testable import Strata

/// A condition that was asked before is understood at once. It is the same one only where nothing of it differs.
@Suite struct RecentConditionTests {
  let test: TestStore
  var store: Store { test.store }
  var people: Results<Person> { store.objects(Person.self) }

  init() throws {
    test = try TestStore()
    try store.write {
      for (id, name) in ["caf\u{E9}", "cafe\u{301}", "Ada"].enumerated() {
        let person = Person(id: id, name: name, score: id == 0 ? -0.0 : Double(id))
        person.dogs.append(contentsOf: [Dog(name: "Rex", age: id), Dog(name: "Bello", age: id)])
        try store.add(person)
      }
    }
  }

  private func person(_ id: Int) throws -> Person {
    try #require(try store.object(ofType: Person.self, forPrimaryKey: id))
  }

  @Test func whatWasFoundOutIsKnownWhenTheSameIsAskedAgain() throws {
    func asked(_ age: Int) -> Results<Person> { people.where { $0.age > age } }
    let dogs = try person(0).dogs
    #expect(asked(1).query.cache === asked(1).query.cache)
    #expect(asked(1).query.cache !== asked(2).query.cache)
    #expect(
      dogs.where { $0.name == "Rex" }.query.cache === dogs.where { $0.name == "Rex" }.query.cache)
  }

  /// They would not be found again, and take the place of others.
  @Test func conditionsWithVariablesAreNotKept() {
    func asked() -> Results<Person> { people.where { $0.age > 1 } }
    let cache = asked().query.cache
    for age in 0..<8 { _ = people.where { $0.dogs.contains { $0.age > age } } }
    #expect(asked().query.cache === cache)
  }

  @Test func whatIsAskedAboutElseIsNotMixedUp() throws {
    let (first, second) = (try person(0).dogs, try person(1).dogs)
    for _ in 0..<2 {
      #expect(first.where { $0.name == "Rex" }.map(\.age) == [0])
      #expect(second.where { $0.name == "Rex" }.map(\.age) == [1])
      #expect(store.objects(Dog.self).where { $0.name == "Rex" }.count == 3)
      #expect(store.objects(Dog.self).limit(2).where { $0.name == "Rex" }.count == 1)
      #expect(
        store.objects(Dog.self).sorted(by: \.age, ascending: false).where { $0.name == "Rex" }
          .map(\.age) == [2, 1, 0])
      #expect(first.where { $0.name == "Rex" }.where { $0.age == 1 }.isEmpty)
    }
  }

  @Test func valuesThatSwiftTakesForEqualAreTwo() {
    for (id, name) in ["caf\u{E9}", "cafe\u{301}"].enumerated() {
      #expect(people.where { $0.name == name }.map(\.id) == [id])
    }
    let (zero, negative) = (people.where { $0.score == 0.0 }, people.where { $0.score == -0.0 })
    #expect(zero.query.cache !== negative.query.cache)
    #expect(zero.map(\.id) == [0] && negative.map(\.id) == [0])
  }

  @Test func theAnswersAreThoseOfToday() throws {
    let dogs = try person(2).dogs
    try store.write {
      var names: [String] = []
      while let dog = dogs.where({ $0.color == "brown" }).first {
        names.append(dog.name)
        dog.color = "black"
      }
      #expect(names == ["Rex", "Bello"])
      dogs.append(Dog(name: "Fido"))
      #expect(dogs.where { $0.color == "brown" }.map(\.name) == ["Fido"])
      while let dog = dogs.where({ $0.color != "" }).first { try store.delete(dog) }
      #expect(dogs.isEmpty)
    }
  }

  @Test func moreConditionsInTurnThanAreRemembered() throws {
    for _ in 0..<2 {
      for age in 0..<20 {
        #expect(store.objects(Dog.self).where { $0.age == age }.count == (age < 3 ? 2 : 0))
      }
    }
  }

  @Test func anObjectThatIsGoneIsRefusedAnew() throws {
    let boss = try person(0)
    #expect(try people.filter(where: { $0.boss == boss }).isEmpty)
    #expect(try people.filter(where: { $0.boss == boss }).isEmpty)
    try store.write { try store.delete(boss) }
    #expect(throws: StoreError.self) { try people.filter(where: { $0.boss == boss }) }
    #expect(people.where { $0.boss == boss }.isEmpty)
  }

  @Test func aConditionThatIsRefusedIsRefusedEachTime() {
    for _ in 0..<2 {
      #expect(throws: StoreError.self) { try people.filter(where: { $0.age / 0 > 1 }) }
    }
  }

  /// Of a list of an object that was added in a transaction nothing is there once that is cancelled.
  @Test func aListThatWasTakenBackIsEmpty() throws {
    try store.beginWrite()
    let person = Person(id: 9, name: "Emmy")
    person.dogs.append(Dog(name: "Rex", age: 9))
    try store.add(person)
    let dogs = person.dogs
    #expect(dogs.where { $0.name == "Rex" }.count == 1)
    #expect(dogs.where { $0.name == "Rex" }.first?.age == 9)
    let held = dogs.where { $0.name == "Rex" }
    store.cancelWrite()
    #expect(held.isEmpty)
    #expect(store.objects(Dog.self).where { $0.name == "Rex" }.count == 3)
  }
}
