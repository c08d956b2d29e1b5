import StrataSQLite
import StrataSchema
import StrataTestModels
import Synchronization
import Testing

@testable import Strata

/// Observers of links in values of type `any`, which the database does not know as links.
@Suite struct AnyLinkNotificationTests {
  let test: TestStore
  let store: Store
  let rex = Dog(name: "Rex")
  let bag = Bag(name: "b")

  init() throws {
    test = try TestStore()
    store = test.store
    bag.one = .object(rex)
    bag.list.append(.int(1))
    bag.list.append(.object(rex))
    bag.map["k"] = .object(rex)
    _ = try test.added(bag)
  }

  @Test func objectsThatAnotherProgramDeletesAreTold() throws {
    var told: [String] = []
    let (list, map) = (bag.list, bag.map)
    let tokens = [
      try bag.observe { change in
        guard case .change(_, let properties) = change else { return }
        told.append("object \(properties.map(\.name))")
      },
      try list.observe { change in
        if case .update(_, _, _, let places, _) = change { told.append("list \(places)") }
      },
      try map.observe { change in
        if case .update(_, _, _, let keys, _) = change { told.append("map \(keys)") }
      },
      try store.objects(Bag.self).observe { change in
        if case .update(_, _, _, let places, _) = change { told.append("results \(places)") }
      },
    ]
    try test.execute("DELETE FROM Dog WHERE name = 'Rex'")
    try store.refresh()

    #expect(
      told == [#"object ["list", "map", "one"]"#, "list [1]", #"map ["k"]"#, "results [0]"])
    #expect(bag.one == nil)
    for token in tokens { token.invalidate() }
  }

  /// As where another program has deleted very many, one here and one there.
  @Test func whereItIsNotKnownWhichObjectsWentAllAreTold() throws {
    let list = ChangeLogbook()
    let token = try bag.list.observe(list.note)
    var keys: [String] = []
    let other = try bag.map.observe { change in
      if case .update(_, _, _, let modified, _) = change { keys += modified }
    }
    var dogs = ChangeRecord.Changes()
    dogs.comeOrGo(nil)
    var record = ChangeRecord()
    record.replace(try store.access(named: "Dog").index, by: dogs)
    store.activeObservers?.note(record)
    store.activeObservers?.deliver()

    #expect(list.take() == ["initial 2", "*1"] && keys == ["k"])
    token.invalidate()
    other.invalidate()
  }

  /// However many of its elements lead to them.
  @Test(arguments: [false, true])
  func aHolderIsFoundOnce(amongAll: Bool) throws {
    try store.write { for _ in 0..<9 { bag.list.append(.object(rex)) } }
    var dogs = amongAll ? RowSet.everything : RowSet()
    dogs.insert(rex.row...rex.row)
    let bags = try store.access(named: "Bag")
    let property = try #require(bags.model.indexOfProperty(named: "list"))
    let holders = try bags.holders(inAny: property, of: ["Dog": dogs])

    #expect(holders.ranges == [bag.row...bag.row])
  }

  /// As of a link, whose old value is the object, too.
  @Test func theOldValueIsTheObjectThatIsGone() throws {
    var old: [Dog?] = []
    let token = try bag.observe(keyPaths: ["one"]) { change in
      guard case .change(_, let properties) = change else { return }
      old += properties.map { $0.oldValue as? Dog }
    }
    try store.write { try store.delete(rex) }

    #expect(old == [rex])
    token.invalidate()
  }

  @Test func fewChangedObjectsAreLookedUp() throws {
    let dogs = (0..<500).map { Dog(name: "\($0)") }
    try store.write {
      for dog in dogs {
        let bag = Bag(name: dog.name)
        bag.one = .object(dog)
        bag.list.append(.object(dog))
        try store.add(bag)
      }
    }
    var told: [[Int]] = []
    let bags = store.objects(Bag.self).where { $0.name == "7" }
    let token = try bags.observe { change in
      if case .update(_, _, _, let modifications, _) = change { told.append(modifications) }
    }
    let rows = Mutex(0)
    store.database.setStatementLog { _, _, given in rows.withLock { $0 += given } }
    try store.write { dogs[7].age = 1 }
    try store.write { dogs[8].age = 1 }
    store.database.setStatementLog(nil)

    #expect(told == [[0]])
    #expect(rows.withLock { $0 } < 100)
    token.invalidate()
  }

  /// With many all links are read once.
  @Test func manyChangedObjectsAreFound() throws {
    let dogs = (0..<200).map { Dog(name: "\($0)") }
    try store.write {
      try store.add(dogs)
      for dog in dogs.suffix(2) { bag.list.append(.object(dog)) }
    }
    let log = ChangeLogbook()
    let token = try bag.list.observe(log.note)
    let all = try store.objects(Bag.self).observe(log.note)
    try store.write { for dog in dogs { dog.age += 1 } }

    #expect(log.take() == ["initial 4", "initial 1", "*2,3", "*0"])
    token.invalidate()
    all.invalidate()
  }
}
