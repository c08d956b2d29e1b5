import StrataSQLite
import StrataTestModels
import Synchronization
import Testing

@testable import Strata

/// What a small change costs the observers of many objects, in rows that the database gives.
@Suite struct LiveCostTests {
  static let count = 5_000

  let test: TestStore
  let store: Store

  init() throws {
    test = try TestStore()
    store = test.store
    let people = (0..<Self.count).map { Person(id: $0, name: "p", age: $0 % 500) }
    try store.write { [store] in try store.add(people) }
  }

  private func rows(_ body: () throws -> Void) rethrows -> Int {
    let rows = Mutex(0)
    store.database.setStatementLog { _, _, given in rows.withLock { $0 += given } }
    defer { store.database.setStatementLog(nil) }
    try body()
    return rows.withLock { $0 }
  }

  @Test(arguments: ["unsorted", "sorted", "filtered", "both"])
  func oneChangedRowIsLookedAtAlone(_ kind: String) throws {
    let people = store.objects(Person.self)
    let results =
      switch kind {
      case "sorted": people.sorted(by: \.age)
      case "filtered": people.where { $0.age < 499 }
      case "both": people.where { $0.age < 499 }.sorted(by: \.age, ascending: false)
      default: people
      }
    var told = 0
    let token = try results.observe { _ in told += 1 }
    let person = people[40]
    #expect(try rows { try store.write { person.age = 250 } } < 100)
    #expect(try rows { try store.write { person.age = 499 } } < 100)
    #expect(
      try rows { try store.write { try store.add(Person(id: 9_999, name: "", age: 3)) } } < 100)
    #expect(try rows { try store.write { try store.delete(person) } } < 100)

    // The deletion of one that the filter had left out already is told to nobody.
    #expect(told == (kind == "filtered" || kind == "both" ? 4 : 5))
    token.invalidate()
  }

  /// Which objects lead to the changed one is asked once, and not by each observer.
  @Test(arguments: ["element", "linked by an element", "elsewhere"])
  func manyObservedSetsAskNoMoreThanOne(_ kind: String) throws {
    let friend = Person(id: 10_000, name: "friend", boss: Person(id: 10_001, name: "boss"))
    let people = (0..<101).map { Person(id: 20_000 + $0, name: "p", friends: [friend]) }
    try store.write { try store.add(people) }
    let changed = try #require(
      kind == "element"
        ? friend
        : kind == "elsewhere"
          ? try store.object(ofType: Person.self, forPrimaryKey: 3) : friend.boss)
    var changes = 0
    func statements(observers: ArraySlice<Person>) throws -> Int {
      let tokens = try observers.map { person in
        try person.friends.observe { if case .update = $0 { changes += 1 } }
      }
      defer { for token in tokens { token.invalidate() } }
      let statements = Mutex(0)
      store.database.setStatementLog { _, _, _ in statements.withLock { $0 += 1 } }
      defer { store.database.setStatementLog(nil) }
      try store.write { changed.age += 1 }
      return statements.withLock { $0 }
    }
    let one = try statements(observers: people[0..<1])
    let many = try statements(observers: people[1...])

    #expect(many <= one + 2)
    #expect(changes == (kind == "elsewhere" ? 0 : 101))
  }

  /// The rows are looked at while the transaction keeps others from writing.
  @Test(arguments: [true, false])
  func anObserverThatIsLeftOutLooksAtTheChangedRowAlone(isSorted: Bool) throws {
    let people = store.objects(Person.self)
    let results = isSorted ? people.sorted(by: \.age) : people.where { $0.age < 499 }
    var told: [Int] = []
    let token = try results.observe { change in
      if case .update(_, let deletions, let insertions, _, _) = change {
        told += deletions.map { -$0 } + insertions
      }
    }
    let person = people[40]
    #expect(try rows { try store.write(withoutNotifying: [token]) { person.age = 250 } } < 100)
    #expect(
      try rows {
        try store.write(withoutNotifying: [token]) {
          try store.add(Person(id: 9_999, name: "", age: -1))
        }
      } < 100)
    #expect(told == [])

    // It stands on what it was not told.
    try store.write { try store.delete(store.objects(Person.self).filter("id = 9999")) }
    #expect(told == [isSorted ? 0 : -(results.count)])
    token.invalidate()
  }

  @Test func whoObservesAnObjectReadsNothingForTheOthers() throws {
    let people = Array(store.objects(Person.self).prefix(52))
    let others = Array(people.dropFirst(2))
    func change() throws { try store.write { for person in people.prefix(2) { person.age += 1 } } }
    let without = try rows { try change() }
    var told = 0
    let tokens = try others.map { try $0.observe { _ in told += 1 } }
    // Each commit looks at the version that the observers stand on.
    #expect(try rows { try change() } <= without + 8)
    #expect(told == 0)

    try store.write { for person in others { person.age += 1 } }
    #expect(told == 50)
    try store.write { try store.delete(others[49]) }
    #expect(told == 51)
    for token in tokens { token.invalidate() }
  }

  @Test func whatTheQueryDoesNotReadCostsNothing() throws {
    let bag = Bag(name: "b")
    try store.write {
      try store.add(bag)
      for index in 0..<50 { try store.add(Dog(name: "\(index)")) }
    }
    func change() throws { try store.write { bag.name += "b" } }
    let without = try rows { try change() }
    let dogs = store.objects(Dog.self).sorted(by: \.name)
    let tokens = try (0..<20).map { _ in try dogs.observe { _ in } }
    // Each commit looks at the version that the observers stand on.
    let with = try rows { try change() }

    #expect(with <= without + 8)
    for token in tokens { token.invalidate() }
  }
}
