import Strata
import StrataTestModels
import Testing

/// A deleted object shows its last values, also when nothing of it was read before.
@Suite struct LastValuesTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  /// A person of whom nothing was read, in each of the ways to come by one.
  private func unread() throws -> [Person] {
    let ada = Person(
      id: 1, name: "Ada", age: 36, home: Address(street: "Rue"), dogs: [Dog(name: "Rex")])
    let grace = Person(id: 2, name: "Grace", boss: ada, friends: [ada])
    try store.write { for person in [ada, grace] { try store.add(person) } }
    let byKey = try #require(try store.object(ofType: Person.self, forPrimaryKey: 1))
    let reference = try ObjectReference(to: ada)
    return [
      ada, byKey, try #require(store.objects(Person.self).first), store.objects(Person.self)[0],
      try #require(grace.boss), grace.friends[0],
      try #require(try store.objects(Person.self).filter("name = 'Ada'").first),
      try #require(store.resolve(reference)),
    ]
  }

  private func expectLastValues(
    of people: [Person], age: Int = 36, location: SourceLocation = #_sourceLocation
  ) {
    for person in people {
      #expect(person.isInvalidated, sourceLocation: location)
      #expect(person.name == "Ada" && person.age == age, sourceLocation: location)
    }
  }

  @Test func deletedOneByOne() throws {
    let people = try unread()
    try store.write { try store.delete(people[0]) }
    expectLastValues(of: people)
  }

  /// A walk reads, after its first objects, only the properties that they were asked for.
  @Test(arguments: ["itself", "its owner", "a query"])
  func deletedWhileWalked(by what: String) throws {
    let count = 100
    try store.write {
      for number in 0..<count { try store.add(Person(id: number, name: "P\(number)", age: number)) }
      for number in 0..<count {
        try store.add(Reply(text: "R\(number)", parent: Reply(text: "parent")))
      }
    }
    var names: [String] = []
    try store.write {
      switch what {
      case "itself":
        for person in store.objects(Person.self) where person.age >= 0 {
          try store.delete(person)
          names.append(person.name)
        }
      case "a query":
        for person in store.objects(Person.self) where person.age >= 0 {
          try store.delete(Person.self) { $0.id == person.id }
          names.append(person.name)
        }
      default:
        for reply in store.objects(Reply.self) {
          guard let parent = reply.parent else { continue }
          try store.delete(parent)
          names.append(reply.text)
        }
      }
    }
    #expect(names == (0..<count).map { what == "its owner" ? "R\($0)" : "P\($0)" })
  }

  @Test func deletedByAQuery() throws {
    let people = try unread()
    try store.write { try store.delete(Person.self, where: "age > 0") }
    expectLastValues(of: people)
  }

  @Test func deletedWithEverythingElse() throws {
    let people = try unread()
    try store.write { try store.deleteAll(Person.self) }
    expectLastValues(of: people)
    let again = try unread()
    try store.write { try store.deleteAll() }
    expectLastValues(of: again)
  }

  @Test func deletedByAnotherStore() throws {
    let people = try unread()
    let other = try test.open()
    try other.write { try other.deleteAll() }
    try store.refresh()
    expectLastValues(of: people)
  }

  @Test func deletedByAnotherStoreBeforeAWrite() throws {
    let people = try unread()
    let other = try test.open()
    try other.write { try other.deleteAll() }
    try store.write {}
    expectLastValues(of: people)
  }

  @Test func addedAndDeletedByAnotherStoreAtOnce() throws {
    let ada = Person(id: 1, name: "Ada", age: 36)
    try store.write { try store.add(ada) }
    let other = try test.open()
    try other.write { try other.deleteAll() }
    try store.refresh()
    expectLastValues(of: [ada])
  }

  @Test func closed() throws {
    let people = try unread()
    store.close()
    expectLastValues(of: people)
  }

  @Test func anObjectInAnyLeadsNowhereOnceTheStoreIsClosed() throws {
    let rex = Dog(name: "Rex")
    let bag = Bag(name: "bag", one: AnyValue(rex))
    bag.list.append(AnyValue(rex))
    bag.map["a"] = AnyValue(rex)
    try store.write { try store.add(bag) }
    #expect(bag.one == AnyValue(rex))
    store.close()

    #expect(bag.name == "bag" && (bag.one ?? .null).isNull)
    #expect(bag.list.isEmpty && bag.map.isEmpty && bag["one"] == nil)
  }

  @Test func setAndDeletedInOneTransaction() throws {
    let people = try unread()
    try store.write {
      people[0].age = 37
      try store.delete(Person.self, where: "age = 37")
    }
    expectLastValues(of: [people[0]], age: 37)
  }

  @Test func setThenDeletedLater() throws {
    let people = try unread()
    #expect(people[0].age == 36)
    try store.write { people[0].age = 37 }
    try store.write { try store.delete(Person.self, where: "age = 37") }
    expectLastValues(of: [people[0]], age: 37)
  }

  @Test func addedInACancelledTransaction() throws {
    let (rex, ada) = (Dog(name: "Rex"), Person(id: 1, name: "Ada", age: 36))
    try store.beginWrite()
    ada.home = Address(street: "Rue")
    try store.add(ada)
    try store.add(rex)
    ada.age = 37
    let home = try #require(ada.home)
    store.cancelWrite()

    expectLastValues(of: [ada], age: 37)
    #expect(rex.name == "Rex" && home.street == "Rue")
  }

  @Test func deletedByACascade() throws {
    let target = Target(name: "t")
    let (one, two) = (
      Holder(name: "one", needed: Needed(name: "n")), Holder(name: "two", needed: Needed(name: "n"))
    )
    one.cascading = target
    two.pack.append(target)
    try store.write { for holder in [one, two] { try store.add(holder) } }
    try store.write { try store.delete(target) }

    #expect(one.isInvalidated && two.isInvalidated)
    #expect([one.name, two.name] == ["one", "two"])
  }

  @Test(arguments: [false, true])
  func linksLeadToWhatIsStillThere(isRead: Bool) throws {
    let (grace, alan) = (Person(id: 2, name: "Grace"), Person(id: 3, name: "Alan"))
    let ada = Person(
      id: 1, name: "Ada", boss: grace, home: Address(street: "Rue"), dogs: [Dog(name: "Rex")])
    let eva = Person(id: 4, name: "Eva", boss: alan)
    try store.write { for person in [ada, eva] { try store.add(person) } }
    if isRead {
      #expect(ada.boss?.name == "Grace" && ada.home?.street == "Rue" && eva.boss == alan)
    }
    try store.write { for person in [ada, eva, alan] { try store.delete(person) } }

    #expect(ada.boss == grace && ada.home == nil && ada.dogs.isEmpty)
    #expect(eva.boss == nil && eva.name == "Eva")
    #expect(ada.detached(depth: 0).boss == grace && ada.detached().home == nil)
  }

  @Test func aFrozenOneOfADeletedObjectHasThem() throws {
    let people = try unread()
    try store.write { try store.delete(people[0]) }
    let frozen = people[0].freeze()

    #expect(frozen.isInvalidated && frozen.name == "Ada" && frozen.age == 36)
    #expect(frozen.dogs.isEmpty && frozen.home == nil)
  }

  @Test func embeddedObjectsThatLoseTheirPlace() throws {
    let ada = Person(
      id: 1, name: "Ada", home: Address(street: "Rue"),
      offices: ["a", "b", "c", "d"].map { Address(street: $0) })
    try store.write { try store.add(ada) }
    let (home, offices) = (try #require(ada.home), Array(ada.offices))
    try store.write { ada.home = nil }
    try store.write {
      ada.offices.remove(at: 0)
      ada.offices[0] = Address(street: "e")
      ada.offices.removeAll()
    }

    #expect(home.isInvalidated && home.street == "Rue")
    #expect(offices.allSatisfy { $0.isInvalidated })
    #expect(offices.map(\.street) == ["a", "b", "c", "d"])
    let changes = try Set(test.logged(transaction: 3))
    #expect(changes.contains("Address delete"))
  }

  /// What makes room for it looks at all that may be deleted before its row is there.
  @Test func embeddedInAPlaceThatIsFreedFirst() throws {
    let (wearer, badge) = (try test.added(Wearer()), Badge(code: "x"))
    try store.write { wearer.badge = badge }
    try store.write { wearer.badge = nil }

    #expect(badge.isInvalidated && badge.code == "x")
  }

  /// Overwriting the one before it, which may have embedded objects, does so, too.
  @Test func addedBehindOneThatIsOverwritten() throws {
    let (old, new) = (try test.added(Folder(id: 1)), Folder(id: 5))
    try store.write {
      try store.add(Folder(id: 9, others: [Folder(id: 1), new]), update: .modified)
    }
    try store.write { try store.delete(Folder.self, where: "id == 5") }

    #expect(new.isInvalidated && new.id == 5)
    #expect(!old.isInvalidated && store.objects(Folder.self).count == 2)
  }

  @Test func objectsThatAreNotHeldAreNotRead() throws {
    let chain = store.unreadCount
    try store.write { for _ in 0..<100 { try store.add(Dog(name: "Rex")) } }
    for index in 0..<100 { _ = store.objects(Dog.self)[index] }

    #expect(store.unreadCount == chain)
  }

  /// What has values from an earlier read waits until others may have deleted it; each commit would look at all that was set before.
  @Test func aCommitLooksAtWhatWasHandedOutOrSetSinceTheLastOneAlone() throws {
    let dogs = (0..<50).map { Dog(name: "\($0)") }
    try store.write { try store.add(dogs) }
    for (index, dog) in dogs.enumerated() { try store.write { dog.name = "new \(index)" } }

    #expect(store.newUnreadCount == 0)
    // It stands on a version, in which the dogs are there.
    #expect(store.objects(Dog.self).count == 50)
    let other = try test.open()
    try other.write { try other.delete(other.objects(Dog.self)) }
    try store.refresh()
    #expect(dogs.allSatisfy { $0.isInvalidated })
    #expect(dogs.map(\.name) == (0..<50).map { "new \($0)" })
  }
}
