import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

@Suite struct DeletionTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  @Test func aDeletedObjectKeepsItsLastValues() throws {
    let person = Person(id: 1, name: "Ada")
    try store.write { try store.add(person) }
    let other = try #require(store.objects(Person.self).first)
    #expect(other.name == "Ada")
    try store.write { try store.delete(person) }

    #expect(person.isInvalidated)
    #expect(person.name == "Ada")
    #expect(other.isInvalidated)
    #expect(other.name == "Ada")
    #expect(person.dogs.isEmpty)
    #expect(throws: StoreError.invalidated(model: "Person")) {
      try store.write { try store.delete(person) }
    }
  }

  @Test func anObjectThatIsDeletedElsewhereIsInvalidated() throws {
    let person = Person(id: 1, name: "Ada")
    try store.write { try store.add(person) }
    #expect(person.name == "Ada")
    let other = try test.open()
    try other.write { try other.deleteAll() }

    #expect(!person.isInvalidated)
    try store.refresh()
    #expect(person.isInvalidated)
    #expect(person.name == "Ada")
  }

  @Test func aCancelledDeletionBringsTheObjectBack() throws {
    let person = Person(id: 1, name: "Ada")
    try store.write { try store.add(person) }
    try store.beginWrite()
    try store.delete(person)
    #expect(person.isInvalidated)
    store.cancelWrite()

    #expect(!person.isInvalidated)
  }

  @Test func linksToADeletedObjectAreGone() throws {
    let rex = Dog(name: "Rex")
    let ada = Person(id: 1, name: "Ada", dogs: [rex, Dog(name: "Max")])
    let grace = Person(id: 2, name: "Grace", boss: ada, friends: [ada], pets: ["one": rex])
    try store.write { for person in [ada, grace] { try store.add(person) } }
    #expect(grace.boss != nil)
    #expect(ada.dogs.count == 2)
    try store.write {
      try store.delete(rex)
      #expect(ada.dogs.map(\.name) == ["Max"])
      #expect(grace.pets.isEmpty)
    }
    try store.write { try store.delete(ada) }

    #expect(grace.boss == nil)
    #expect(grace.friends.isEmpty)
    #expect(store.objects(Dog.self).map(\.name) == ["Max"])
    let changes = try test.logged(transaction: 2)
    #expect(Set(changes) == ["Dog delete", "Person update dogs", "Person update pets"])
  }

  // MARK: Rules

  private func holder(_ name: String) -> Holder {
    Holder(name: name, needed: Needed(name: "n"))
  }

  @Test func cascadeDeletesTheHoldersAndTheirHolders() throws {
    let target = Target(name: "t")
    let (one, two, three) = (holder("one"), holder("two"), holder("three"))
    one.cascading = target
    two.pack.append(target)
    three.nullified = target
    three.list.append(target)
    try store.write { for holder in [one, two, three] { try store.add(holder) } }
    try store.write { try store.delete(target) }

    #expect(store.objects(Holder.self).map(\.name) == ["three"])
    #expect(three.nullified == nil)
    #expect(three.list.isEmpty)
    #expect(one.isInvalidated)
    let changes = try test.logged(transaction: 2)
    #expect(
      Set(changes)
        == [
          "Holder delete", "Target delete", "Holder update list nullified", "Holder update pack",
        ])
  }

  @Test func denyRefusesAtCommit() throws {
    let target = Target(name: "t")
    let holder = holder("one")
    holder.denied = target
    try store.write { try store.add(holder) }

    #expect(throws: StoreError.deleteDenied(model: "Holder", property: "denied")) {
      try store.write { try store.delete(target) }
    }
    #expect(!target.isInvalidated)
    try store.write {
      try store.delete(target)
      holder.denied = nil
    }
    #expect(target.isInvalidated)
  }

  /// A program may try to delete many objects, and pass over those that are in use.
  @Test func whatIsDeniedIsToldWithoutALookThroughTheFile() throws {
    func cost(_ count: Int, delete: (Store, Holder) throws -> Void) throws -> Int {
      let test = try TestStore()
      let holders = (0..<count).map { number in
        let holder = holder("\(number)")
        holder.denied = Target(name: "t\(number)")
        return holder
      }
      try test.store.write { try test.store.add(holders) }
      let granularity = 10
      var ticks = 0
      test.store.database.setProgressHandler(every: granularity) {
        ticks += 1
        return false
      }
      #expect(throws: StoreError.self) {
        try test.store.write { try delete(test.store, holders[count / 2]) }
      }
      test.store.database.setProgressHandler(every: 0, nil)
      return ticks * granularity
    }
    for delete: (Store, Holder) throws -> Void in [
      { try $0.delete($1.denied!) }, { try $0.delete($1.needed) },
      { store, _ in _ = try store.create(Holder.self, value: ["name": "none"]) },
    ] {
      let (small, large) = (try cost(400, delete: delete), try cost(1600, delete: delete))
      #expect(large < small * 2, "\(small) and \(large) instructions")
    }
  }

  /// Whether a link leads somewhere counts at the commit: until then a look at it does no harm.
  @Test func whatIsDeniedIsMendedInTheSameTransaction() throws {
    let holder = holder("one")
    holder.denied = Target(name: "t")
    try store.write { try store.add(holder) }
    try store.write {
      try store.delete(holder.denied!)
      try store.delete(holder.needed)
      #expect(holder.denied == nil && holder.needed.isInvalidated)
      holder.denied = Target(name: "u")
      holder.needed = Needed(name: "n")
    }
    #expect(holder.denied?.name == "u" && holder.needed.name == "n")
  }

  @Test func anEmbeddedObjectThatIsNeededIsReplacedInTheSameTransaction() throws {
    let stump = Stump(root: Node(name: "old"))
    try store.write { try store.add(stump) }
    try store.write {
      try store.delete(stump.root)
      #expect(stump.root.isInvalidated && !stump.description.isEmpty)
      stump.root = Node(name: "new")
    }
    #expect(stump.root.name == "new" && store.objects(Node.self).count == 1)

    #expect(throws: StoreError.missingRequired(model: "Stump", property: "root")) {
      try store.write {
        try store.delete(stump.root)
        #expect(stump.root.isInvalidated)
      }
    }
    #expect(stump.root.name == "new")
  }

  /// An empty object in its place would be stored with the next link to it.
  @Test func whatIsDeletedIsNotLinkedToFromElsewhere() throws {
    let (one, other) = (holder("one"), holder("other"))
    try store.write { try store.add([one, other]) }
    #expect(throws: StoreError.invalidated(model: "Needed")) {
      try store.write {
        try store.delete(one.needed)
        try store.create(Holder.self, value: ["name": "third", "needed": one.needed])
      }
    }
    #expect(store.objects(Needed.self).count == 2)
  }

  @Test func aRequiredLinkHasToBeSetBeforeTheCommit() throws {
    #expect(throws: StoreError.missingRequired(model: "Holder", property: "needed")) {
      try store.write {
        let holder = Holder()
        holder.name = "one"
        try store.add(holder)
      }
    }
    try store.write {
      let holder = Holder()
      holder.name = "one"
      try store.add(holder)
      #expect(holder.needed.name == "")
      holder.needed = Needed(name: "n")
    }
    #expect(store.objects(Holder.self).first?.needed.name == "n")
  }

  // MARK: Embedded

  @Test func embeddedObjectsGoWithTheirOwner() throws {
    let person = Person(
      id: 1, name: "Ada", home: Address(street: "Rue"), offices: [Address(street: "Way")])
    let tree = Tree(
      root: Node(name: "r", child: Node(name: "c", children: [Node(name: "x")])))
    try store.write {
      try store.add(person)
      try store.add(tree)
    }
    #expect(store.objects(Node.self).count == 3)
    try store.write {
      try store.delete(person)
      try store.delete(tree)
    }

    #expect(store.objects(Address.self).isEmpty)
    #expect(store.objects(Node.self).isEmpty)
    #expect(
      try Set(test.logged(transaction: 2)).isSuperset(of: ["Address delete", "Node delete"]))
  }

  @Test func aReplacedEmbeddedObjectIsDeleted() throws {
    let person = Person(id: 1, name: "Ada", home: Address(street: "Rue"))
    try store.write { try store.add(person) }
    let old = try #require(person.home)
    #expect(old.street == "Rue")
    try store.write { person.home = Address(street: "Way") }

    #expect(old.isInvalidated)
    #expect(person.home?.street == "Way")
    #expect(store.objects(Address.self).count == 1)
    try store.write { person.home = person.home }
    #expect(person.home?.street == "Way")
    try store.write { person.home = nil }
    #expect(store.objects(Address.self).isEmpty)
  }

  @Test func anEmbeddedObjectOfSomebodyElseIsCopied() throws {
    let ada = Person(id: 1, name: "Ada", home: Address(street: "Rue"))
    let grace = Person(id: 2, name: "Grace")
    try store.write {
      try store.add(ada)
      try store.add(grace)
      grace.home = ada.home
      grace.home?.street = "Way"
      grace.offices.append(try #require(ada.home))
    }

    #expect(ada.home?.street == "Rue")
    #expect(grace.home?.street == "Way")
    #expect(grace.offices.map(\.street) == ["Rue"])
    #expect(store.objects(Address.self).count == 3)
  }

  @Test func anEmbeddedObjectIsNotAddedAlone() throws {
    try store.write {
      #expect(throws: StoreError.embeddedWithoutOwner(model: "Address")) {
        try store.add(Address(street: "Rue"))
      }
    }
  }

  @Test func embeddedObjectsInListsStayWhenTheyAreMoved() throws {
    let person = Person(
      id: 1, name: "Ada",
      offices: [Address(street: "a"), Address(street: "b"), Address(street: "c")])
    try store.write { try store.add(person) }
    try store.write {
      person.offices.move(from: 0, to: 2)
      person.offices.swapAt(0, 1)
      for _ in 0..<40 { person.offices.insert(Address(street: "x"), at: 1) }
    }

    #expect(person.offices.map(\.street) == ["c"] + Array(repeating: "x", count: 40) + ["b", "a"])
    try store.write { person.offices.removeSubrange(1..<41) }
    #expect(store.objects(Address.self).count == 3)
    try store.write { person.offices[0] = Address(street: "d") }
    #expect(person.offices.map(\.street) == ["d", "b", "a"])
    #expect(store.objects(Address.self).count == 3)
  }

  // MARK: Inverses

  @Test func inversesFollow() throws {
    let ada = Person(id: 1, name: "Ada")
    let rex = Dog(name: "Rex")
    let grace = Person(id: 2, name: "Grace", boss: ada, dogs: [rex, rex], friends: [ada])
    try store.write {
      try store.add(ada)
      try store.add(grace)
    }

    #expect(ada.reports.map(\.name) == ["Grace"])
    #expect(ada.admirers.map(\.name) == ["Grace"])
    #expect(rex.owners.map(\.name) == ["Grace"])
    try store.write { grace.boss = nil }
    #expect(ada.reports.isEmpty)
  }
}
