import Foundation
import Strata
import StrataTestModels
import Testing

@Suite struct ObjectTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  // MARK: Standalone

  @Test func aStandaloneObjectHoldsItsDefaults() {
    let person = Person()

    #expect(person.age == 0)
    #expect(person.mood == .calm)
    #expect(person.email == nil)
    #expect(person.boss == nil)
    #expect(person.dogs.isEmpty)
    #expect(person.draft == "nothing")
    #expect(person.store == nil)
    #expect(!person.isInvalidated)
    #expect(person.reports.isEmpty)
  }

  @Test func generatedValuesDiffer() {
    #expect(Scalars().uuid != Scalars().uuid)
    #expect(Scalars().objectId != Scalars().objectId)
    let scalars = Scalars()
    #expect(scalars.uuid == scalars.uuid)
  }

  @Test func aStandaloneObjectIsChangedAnywhere() {
    let person = Person(id: 1, name: "Ada")
    let rex = Dog(name: "Rex")
    person.dogs.append(rex)
    person.boss = person
    person.home = Address(street: "Rue")
    person.home?.city = "Lyon"

    #expect(person.dogs[0] === rex)
    #expect(person.boss === person)
    #expect(person.home?.city == "Lyon")
  }

  // MARK: Adding

  @Test func addingTakesEverythingAlong() throws {
    let person = Person(
      id: 1, name: "Ada", boss: Person(id: 2, name: "Grace"),
      home: Address(street: "Rue", country: Country(code: "F")), dogs: [Dog(name: "Rex")])
    try store.write { try store.add(person) }

    #expect(person.store === store)
    #expect(person.boss?.store === store)
    #expect(person.dogs[0].store === store)
    #expect(person.home?.country?.code == "F")
    #expect(store.objects(Person.self).count == 2)
    #expect(store.objects(Address.self).count == 1)
  }

  @Test func aListThatWasStandaloneIsManagedAfterwards() throws {
    let person = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")])
    let dogs = person.dogs
    try store.write {
      try store.add(person)
      dogs.append(Dog(name: "Max"))
    }

    #expect(dogs.store === store)
    #expect(store.objects(Person.self).first?.dogs.map(\.name) == ["Rex", "Max"])
  }

  @Test func cyclesAndLongChainsAreAdded() throws {
    let people = (0..<20_000).map { Person(id: $0, name: "P\($0)") }
    for (index, person) in people.enumerated() {
      person.boss = people[(index + 1) % people.count]
    }
    try store.write { try store.add(people[0]) }

    #expect(store.objects(Person.self).count == 20_000)
    #expect(people[19_999].boss?.isSameObject(as: people[0]) == true)
  }

  @Test func anObjectOfAnotherStoreIsRefused() throws {
    let other = try TestStore()
    let dog = Dog(name: "Rex")
    try other.store.write { try other.store.add(dog) }

    try store.write {
      #expect(throws: StoreError.belongsToAnotherStore(model: "Dog")) { try store.add(dog) }
      #expect(throws: StoreError.belongsToAnotherStore(model: "Dog")) {
        try store.add(Person(id: 1, name: "Ada", dogs: [dog]))
      }
    }
    #expect(store.objects(Person.self).isEmpty)
  }

  @Test func aGraphIsAddedWholeOrNotAtAll() throws {
    try store.write { try store.add(Person(id: 2, name: "Grace")) }
    let person = Person(
      id: 1, name: "Ada", boss: Person(id: 2, name: "Other"), dogs: [Dog(name: "Rex")])
    try store.write {
      #expect(throws: StoreError.duplicatePrimaryKey(model: "Person", key: "2")) {
        try store.add(person)
      }
    }

    #expect(store.objects(Person.self).map(\.name) == ["Grace"])
    #expect(store.objects(Dog.self).isEmpty)
    #expect(person.store == nil)
    #expect(person.name == "Ada")
    #expect(person.dogs.map(\.name) == ["Rex"])
    try store.write {
      person.boss = nil
      try store.add(person)
    }
    #expect(store.objects(Person.self).count == 2)
  }

  @Test func aMissingRequiredValueIsNamed() throws {
    try store.write {
      let person = Person()
      person.id = 1
      #expect(throws: StoreError.missingRequired(model: "Person", property: "name")) {
        try store.add(person)
      }
    }
  }

  @Test func aUniqueValueThatIsTakenIsNamed() throws {
    try store.write {
      try store.add(Person(id: 1, name: "Ada", email: "a@b.c"))
      #expect(throws: StoreError.notUnique(model: "Person", properties: ["email"])) {
        try store.add(Person(id: 2, name: "Grace", email: "a@b.c"))
      }
    }
    // A setter cannot throw: the commit does, and nothing is stored.
    #expect(throws: StoreError.notUnique(model: "Person", properties: ["email"])) {
      try store.write {
        let other = Person(id: 2, name: "Grace")
        try store.add(other)
        other.email = "a@b.c"
      }
    }
    #expect(store.objects(Person.self).count == 1)
  }

  // MARK: Updating by primary key

  @Test(arguments: [UpdatePolicy.all, .modified])
  func anObjectWithTheSameKeyIsUpdated(policy: UpdatePolicy) throws {
    let old = Person(
      id: 1, name: "Ada", email: "a@b.c", dogs: [Dog(name: "Rex")], tags: ["old"],
      scores: ["chess": 1])
    let new = Person(
      id: 1, name: "Ada Lovelace", age: 36, boss: Person(id: 2, name: "Grace"),
      dogs: [Dog(name: "Max"), Dog(name: "Bo")], tags: ["new"], scores: ["go": 2])
    try store.write { try store.add(old) }
    try store.write { try store.add(new, update: policy) }

    #expect(store.objects(Person.self).count == 2)
    #expect(new.isSameObject(as: old))
    #expect(old.name == "Ada Lovelace")
    #expect(old.age == 36)
    #expect(old.email == nil)
    #expect(old.boss?.name == "Grace")
    #expect(old.dogs.map(\.name) == ["Max", "Bo"])
    #expect(Array(old.tags) == ["new"])
    #expect(old.scores.keys == ["go"])
    try store.write { new.dogs.removeLast() }
    #expect(old.dogs.map(\.name) == ["Max"])
  }

  @Test func modifiedWritesOnlyWhatIsDifferent() throws {
    try store.write { try store.add(Person(id: 1, name: "Ada", age: 36, tags: ["a", "b"])) }
    try store.write {
      try store.add(Person(id: 1, name: "Ada", age: 37, tags: ["b", "a"]), update: .modified)
    }
    let columns = try test.logged(transaction: 2)

    #expect(columns == ["Person update age"])
  }

  @Test(arguments: [[1, 2, 0], [2.5, 1, -0.0, 1], [.nan, .infinity, 0x1p63], []] as [[Double]])
  func aSetOfTheSameNumbersIsNoOther(numbers: [Double]) throws {
    try store.write { try store.add(Series(id: 1, title: "a", numbers: numbers)) }
    try store.write {
      try store.add(Series(id: 1, title: "b", numbers: numbers.reversed()), update: .modified)
    }
    #expect(try test.logged(transaction: 2) == ["Series update title"])

    try store.write {
      try store.add(Series(id: 1, title: "b", numbers: numbers + [77]), update: .modified)
    }
    let series = try #require(store.objects(Series.self).first)
    #expect(series.numbers.contains(77) && series.numbers.count == Set(numbers).count + 1)
  }

  @Test func nestedObjectsFollowThePolicy() throws {
    try store.write { try store.add(Person(id: 2, name: "Grace")) }
    try store.write {
      try store.add(
        Person(id: 1, name: "Ada", boss: Person(id: 2, name: "Rear Admiral")), update: .modified)
    }

    #expect(store.objects(Person.self).map(\.name) == ["Rear Admiral", "Ada"])
  }

  // MARK: Finding

  @Test func anObjectIsFoundByItsKey() throws {
    try store.write {
      for person in Person.samples() { try store.add(person) }
      try store.add(Entry(account: "a", number: 1, text: "one"))
      try store.add(Entry(account: "a", number: nil, text: "none"))
    }

    #expect(try store.object(ofType: Person.self, forPrimaryKey: 2)?.name == "Grace")
    #expect(try store.object(ofType: Person.self, forPrimaryKey: 9) == nil)
    #expect(try store.object(ofType: Entry.self, forPrimaryKey: "a", 1)?.text == "one")
    #expect(
      try store.object(ofType: Entry.self, forPrimaryKey: "a", Int?.none)?.text == "none")
    #expect(throws: StoreError.noPrimaryKey(model: "Dog")) {
      try store.object(ofType: Dog.self, forPrimaryKey: 1)
    }
    let error = #expect(throws: StoreError.self) {
      try store.object(ofType: Person.self, forPrimaryKey: "two")
    }
    #expect(error?.code == "STR5046")
  }

  // MARK: Changing and seeing

  @Test func everyViewOfAnObjectSeesAChange() throws {
    let person = Person(id: 1, name: "Ada")
    try store.write { try store.add(person) }
    let other = try #require(try store.object(ofType: Person.self, forPrimaryKey: 1))
    #expect(other.name == "Ada")
    try store.write {
      person.name = "Grace"
      #expect(other.name == "Grace")
    }

    #expect(person == other)
    #expect(person !== other)
    #expect(Set([person, other]).count == 1)
  }

  @Test func aChangeElsewhereIsSeenAfterARefresh() throws {
    let person = Person(id: 1, name: "Ada")
    try store.write { try store.add(person) }
    #expect(person.name == "Ada")
    let other = try test.open()
    try other.write { other.objects(Person.self)[0].name = "Grace" }

    #expect(person.name == "Ada")
    try store.refresh()
    #expect(person.name == "Grace")
  }

  @Test func aSavedEnumIsItsRawValue() throws {
    try store.write { try store.add(Person(id: 1, name: "Ada", mood: .angry, rank: .general)) }
    let person = try #require(store.objects(Person.self).first)

    #expect(person.mood == .angry)
    #expect(person.rank == .general)
    try store.write { person.rank = nil }
    #expect(person.rank == nil)
  }

  @Test func anUnknownEnumValueIsNoCrash() throws {
    try store.write { try store.add(Person(id: 1, name: "Ada", mood: .angry, rank: .general)) }
    try test.execute("UPDATE Person SET mood = 'elated', rank = 77")
    try store.refresh()
    let person = try #require(store.objects(Person.self).first)

    #expect(person.mood == .calm)
    #expect(person.rank == nil)
  }

  @Test func anyHoldsValuesAndObjects() throws {
    let rex = Dog(name: "Rex")
    let person = Person(id: 1, name: "Ada", thing: AnyValue(rex))
    try store.write { try store.add(person) }
    #expect(person.thing?.object(as: Dog.self)?.name == "Rex")
    try store.write { person.thing = 42 }
    #expect(person.thing == .int(42))
    try store.write { person.thing = AnyValue(Date(timeIntervalSinceReferenceDate: 0.1)) }
    #expect(person.thing?.value(as: Date.self)?.timeIntervalSinceReferenceDate == 0.1)
    try store.write {
      person.thing = AnyValue(rex)
      try store.delete(rex)
    }
    #expect(person.thing?.isNull != false)
  }

  /// Foundation's description of such dates stops the program.
  @Test(arguments: [Double.nan, .infinity, -1e300, 0.25])
  func aDescriptionShowsAnyDate(seconds: Double) throws {
    let person = Person(id: 1, name: "Ada", born: Date(timeIntervalSinceReferenceDate: seconds))
    let shown = seconds == 0.25 ? "2001-01-01T00:00:00.25Z" : "\(seconds)"
    #expect(person.description.contains("\n  born = \(shown)\n"))
    try store.write { try store.add(person) }
    #expect(person.description.contains("\n  born = \(shown)\n"))
  }

  @Test func aDescriptionNamesWhatThereIs() throws {
    let person = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")])
    try store.write { try store.add(person) }

    #expect(person.description.hasPrefix("Person #1 {"))
    #expect(person.description.contains("\n  name = \"Ada\"\n"))
    #expect(person.description.contains("\n  dogs = [Dog] of 1\n"))
    #expect(person.description.contains("\n  email = nil\n"))
  }
}
