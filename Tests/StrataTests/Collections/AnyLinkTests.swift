import Strata
import StrataTestModels
import Testing

/// An object in a property or collection of type `any` goes as one in a link does.
@Suite struct AnyLinkTests {
  let test: TestStore
  var store: Store { test.store }
  let log = ChangeLogbook()
  let bag = Bag(name: "bag")
  let rex = Dog(name: "Rex")

  init() throws {
    test = try TestStore()
    let max = Dog(name: "Max")
    bag.one = AnyValue(rex)
    bag.list.append(contentsOf: [1, AnyValue(rex), nil, AnyValue(max), AnyValue(rex)])
    bag.set.insert(contentsOf: [AnyValue(rex), AnyValue(max), nil])
    bag.map["a"] = AnyValue(rex)
    bag.map["b"] = AnyValue(max)
    try add(bag, Bag(name: "other", one: AnyValue(max)))
  }

  private func add(_ bags: Bag...) throws { try store.write { try store.add(bags) } }

  private func expectGone() throws {
    #expect((bag.one ?? .null).isNull)
    #expect(bag.list.count == 3 && bag.list[0] == 1 && (bag.list[1] ?? .null).isNull)
    #expect(bag.set.count == 2 && bag.set.contains(.null))
    #expect(bag.map.keys == ["b"])
    #expect(try store.objects(Bag.self).filter("one = nil").map(\.name) == ["bag"])
    #expect(try store.objects(Bag.self).filter("one != nil").map(\.name) == ["other"])
    #expect(try store.objects(Bag.self).filter("list.@count = 3").map(\.name) == ["bag"])
    #expect(store.objects(Bag.self).where { $0.one == .null }.map(\.name) == ["bag"])
  }

  @Test func deletedAlone() throws {
    try store.write { try store.delete(rex) }
    try expectGone()
    let changes = try test.logged(transaction: 2)
    #expect(changes.contains("Dog delete"))
    #expect(changes.contains { $0.hasPrefix("Bag update") && $0.contains("one") })
  }

  @Test func deletedByAQuery() throws {
    try store.write { try store.delete(Dog.self, where: "name = 'Rex'") }
    try expectGone()
  }

  @Test func deletedInTheSameTransaction() throws {
    try store.write {
      try store.delete(rex)
      try expectGone()
    }
    try expectGone()
  }

  @Test func aCancelledDeletionLeavesIt() throws {
    try store.beginWrite()
    try store.delete(rex)
    store.cancelWrite()
    #expect(bag.one == AnyValue(rex))
    #expect(bag.list.count == 5 && bag.set.count == 3 && bag.map.count == 2)
    try store.write { try store.delete(rex) }
    try expectGone()
  }

  @Test func observersHearOfIt() throws {
    let tokens = [
      try bag.observe(keyPaths: ["one"], log.note), try bag.list.observe(log.note),
      try bag.set.observe(log.note), try bag.map.observe(log.note),
      try store.objects(Bag.self).filter("one = nil").observe(log.note),
    ]
    #expect(log.take() == ["initial 5", "initial 3", "initial 2", "initial 0"])
    try store.write { try store.delete(rex) }
    let lines = log.take()
    // The old value is the object, which is gone: it has no name to be read.
    #expect(lines.contains("one: ? → nil"))
    #expect(lines.contains("-1,4") && lines.contains("-a") && lines.contains("+0"))
    #expect(lines.count == 5)
    withExtendedLifetime(tokens) {}
  }

  // MARK: Sets of any

  /// Equal numbers are one element, whatever their type; the first one stays.
  @Test func equalNumbersAreOneElement() throws {
    let values: [AnyValue] = [
      1, 1.0, .double(-0.0), 0, 0.0, .bool(true), .float(1), "1", .double(.nan), 2.5,
      .int(1 << 53 + 1), .double(9_007_199_254_740_992),
    ]
    let expected: Set<AnyValue> = [
      1, .double(-0.0), .bool(true), .float(1), "1", .double(.nan), 2.5, .int(1 << 53 + 1),
      .double(9_007_199_254_740_992),
    ]
    let alone = MutableSet<AnyValue>(values)
    #expect(alone.count == expected.count)
    let (first, second) = (Bag(name: "first"), Bag(name: "second"))
    first.set.insert(contentsOf: values)
    try store.write {
      try store.add(first)
      try store.add(second)
      second.set.insert(contentsOf: values)
      #expect(!second.set.insert(1.0) && !second.set.insert(0))
      #expect(second.set.contains(1.0) && second.set.contains(0.0))
    }
    for bag in [first, second] {
      #expect(bag.set.count == expected.count)
      #expect(Array(bag.set).filter { $0 == 1 || $0 == 1.0 } == [1])
    }
    try store.write {
      #expect(second.set.remove(1.0))
      second.set = first.set
      _ = try store.create(Bag.self, value: ["name": "third", "set": [1, 1.0, 0.0, -0.0]])
    }
    #expect(try store.objects(Bag.self).filter("name = 'third'").first?.set.count == 2)
  }

  @Test func listsAndMapsKeepWhatIsEqualApart() throws {
    try store.write {
      bag.list = [1, 1.0, .double(-0.0)]
      bag.map = ["a": 1]
    }
    #expect(Array(bag.list) == [1, 1.0, .double(-0.0)])
    let ada = Person(id: 1, name: "Ada", scores: ["k": 0])
    try store.write { try store.add(ada) }
    try store.write {
      try store.create(
        Person.self, value: ["id": 1, "scores": ["k": -0.0]], update: .modified)
    }
    #expect(ada.scores["k"]?.sign == .minus)
  }

  // MARK: One key twice

  @Test(arguments: [UpdatePolicy.all, .modified])
  func oneKeyTwiceIsOneObject(update: UpdatePolicy) throws {
    let (first, second) = (Person(id: 1, name: "Ada"), Person(id: 1, name: "Ada L."))
    let grace = Person(id: 2, name: "Grace", boss: first, friends: [first, second])
    second.boss = grace
    second.dogs.append(Dog(name: "Rex"))
    try store.write { try store.add(grace, update: update) }

    #expect(store.objects(Person.self).count == 2)
    #expect(first.isSameObject(as: second))
    #expect(grace.friends.count == 1)
    #expect(grace.boss?.name == "Ada L." && first.name == "Ada L.")
    #expect(first.boss?.name == "Grace" && first.dogs.map(\.name) == ["Rex"])
    try store.write {
      let other = Person(
        id: 3, name: "x", friends: [Person(id: 1, name: "A"), Person(id: 1, name: "B")])
      try store.add(other, update: update)
      #expect(other.friends.count == 1)
    }
    #expect(first.name == "B")
    let error = StoreError.duplicatePrimaryKey(model: "Person", key: "4")
    #expect(throws: error) {
      try store.write {
        try store.add(
          Person(id: 5, name: "x", friends: [Person(id: 4, name: "A"), Person(id: 4, name: "B")]))
      }
    }
    #expect(store.objects(Person.self).count == 3)
  }

  /// What is in the collections of the first one is new, so that their rows come after those of all objects.
  @Test(arguments: [UpdatePolicy.all, .modified], [[], ["y"], ["y", "z", "v"]])
  func theCollectionsOfTheLastOneStay(update: UpdatePolicy, names: [String]) throws {
    func person(_ names: [String], firstID: Int) -> Person {
      Person(
        id: 1, name: "a", dogs: names.map { Dog(name: $0) },
        friends: names.enumerated().map { Person(id: firstID + $0.offset, name: $0.element) },
        pets: Dictionary(uniqueKeysWithValues: names.map { ($0, Dog(name: $0)) }))
    }
    let first = person(["x", "w"], firstID: 20)
    let (dogs, last) = (first.dogs, person(names, firstID: 30))

    // One after the other: a list of any keeps their order.
    let people = Bag(name: "people", list: [AnyValue(first), AnyValue(last)])
    try store.write { try store.add(people, update: update) }

    for person in [first, last] {
      #expect(person.dogs.map(\.name) == names)
      #expect(person.friends.map(\.name).sorted() == names.sorted())
      #expect(person.pets.keys.sorted() == names.sorted())
      #expect(person.pets.values.map(\.name).sorted() == names.sorted())
    }
    #expect(dogs.map(\.name) == names)
    try store.write { first.dogs.append(Dog(name: "new")) }
    #expect(last.dogs.map(\.name) == names + ["new"] && dogs.count == names.count + 1)
  }

  /// One that is only named gives no collections.
  @Test func theCollectionsOfOneThatIsNamedAgainStay() throws {
    let first = Person(id: 1, name: "a", dogs: [Dog(name: "x")])
    let naming = try Person(
      value: ["id": 2, "name": "b", "boss": ["id": 1]] as [String: Any])
    let people = Bag(name: "people", list: [AnyValue(first), AnyValue(naming)])
    try store.write { try store.add(people, update: .modified) }

    #expect(first.dogs.map(\.name) == ["x"])
  }
}
