import Strata
import StrataTestModels
import Testing

/// When observers are called: never inside of a write, and before a write of what others did.
@Suite struct DeliveryTests {
  let test: TestStore
  let store: Store
  let other: Store
  let log = ChangeLogbook()

  init() throws {
    test = try TestStore()
    store = test.store
    other = try test.open()
    try store.write { try store.add(Person(id: 0, name: "Ada")) }
  }

  @Test func whatOthersDidIsToldBeforeATransactionBegins() throws {
    var states: [Bool] = []
    let token = try store.objects(Person.self).observe { [log, store] change in
      states.append(store.isInWriteTransaction)
      log.note(change)
    }
    try other.write { try other.add(Person(id: 1, name: "Bob")) }
    try store.beginWrite()
    #expect(log.take() == ["initial 1", "+1"])

    try store.add(Person(id: 2, name: "Cyd"))
    #expect(log.take() == [])
    try store.commitWrite()
    #expect(log.take() == ["+2"])
    #expect(states == [false, false, false])
    token.invalidate()
  }

  @Test func anObserverMayWriteWhenABeginningTransactionTellsIt() throws {
    var problems: [String] = []
    let token = try store.objects(Person.self).observe { [log, store] change in
      log.note(change)
      guard case .update(let people, _, let insertions, _, _) = change, !insertions.isEmpty,
        people.count < 4
      else { return }
      do {
        try store.write { try store.add(Person(id: 10 + people.count, name: "Answer")) }
      } catch {
        problems.append(error.description(of: store))
      }
    }
    try other.write { try other.add(Person(id: 1, name: "Bob")) }
    try store.write { try store.add(Person(id: 2, name: "Cyd")) }

    #expect(problems == [])
    // Bob, the answer to Bob, the answer to that, and then the transaction itself.
    #expect(log.take() == ["initial 1", "+1", "+2", "+3", "+4"])
    #expect(store.objects(Person.self).map(\.id) == [0, 1, 12, 13, 2])
    token.invalidate()
  }

  /// Each call of the observer lets another store write: the transaction is begun anew until nothing came in between.
  @Test func aTransactionIsBegunAnewWhereMoreCameInBetween() throws {
    var next = 1
    let token = try store.objects(Person.self).observe { [log, other] change in
      log.note(change)
      guard next < 9 else { return }
      next += 1
      try? other.write { try other.add(Person(id: next, name: "\(next)")) }
    }
    try other.write { try other.add(Person(id: 1, name: "1")) }
    try store.write { try store.add(Person(id: 100, name: "Zoe")) }

    let told = log.take()
    #expect(told.last == "+10")
    #expect(told.count == 10)
    #expect(store.objects(Person.self).count == 11)
    token.invalidate()
  }

  @Test func whatTheFirstCallWritesIsToldBehindIt() throws {
    var lines: [String] = []
    let token = try store.objects(Person.self).observe { [store] change in
      switch change {
      case .initial(let people):
        lines.append("initial \(people.count)")
        try? store.write { try store.add(Person(id: 1, name: "Bob")) }
        lines.append("end \(people.count)")
      case .update(_, _, let insertions, _, _): lines.append("update \(insertions)")
      case .error(let error): lines.append(error.code)
      }
    }

    #expect(lines == ["initial 1", "end 2", "update [1]"])
    token.invalidate()
  }

  @Test func whatACallObservesAnewIsToldBehindIt() throws {
    var lines: [String] = []
    var tokens: [NotificationToken] = []
    let people = store.objects(Person.self)
    tokens = [
      try people.observe { [store] change in
        guard case .update = change else { return }
        tokens.removeFirst().invalidate()
        tokens = [(try? people.observe { if case .update = $0 { lines.append("second") } })]
          .compactMap { $0 }
        try? store.write { try store.add(Person(id: 2, name: "Cyd")) }
        lines.append("end of the first")
      }
    ]
    try store.write { try store.add(Person(id: 1, name: "Bob")) }

    #expect(lines == ["end of the first", "second"])
    for token in tokens { token.invalidate() }
  }

  @Test func anObserverThatLeavesATransactionOpenIsAnError() throws {
    let token = try store.objects(Person.self).observe { [store] change in
      if case .update = change { try? store.beginWrite() }
    }
    try other.write { try other.add(Person(id: 1, name: "Bob")) }

    #expect(throws: StoreError.alreadyInWriteTransaction) { try store.beginWrite() }
    store.cancelWrite()
    token.invalidate()
  }

  @Test func anObserverMayFreezeAndRefresh() throws {
    var frozen: [Int] = []
    let token = try store.objects(Person.self).observe { [store] change in
      guard case .update(let people, _, _, _, _) = change else { return }
      _ = try? store.refresh()
      frozen.append(people.freeze().count)
    }
    for id in 1..<5 {
      try other.write { try other.add(Person(id: id, name: "\(id)")) }
      try store.write { try store.add(Person(id: 10 + id, name: "own")) }
    }

    #expect(frozen == [2, 3, 4, 5, 6, 7, 8, 9])
    token.invalidate()
  }

  @Test func anObserverMayCloseTheStore() throws {
    let ada = store.objects(Person.self)[0]
    var calls = 0
    let tokens = [
      try store.objects(Person.self).observe { [store] change in
        if case .update = change { store.close() }
      },
      try store.objects(Person.self).observe(log.note),
      // Without a link to follow.
      try store.objects(Country.self).observe { _ in calls += 1 },
      try ada.observe(log.note),
      try store.observe { _, _ in calls += 1 },
    ]
    try store.write {
      ada.age = 1
      try store.add(Country(code: "FR"))
    }

    // The first calls only.
    #expect(log.take() == ["initial 1"] && calls == 1)
    #expect(throws: StoreError.closed) { try store.refresh() }
    #expect(other.objects(Person.self).map(\.age) == [1])
    for token in tokens { token.invalidate() }
  }

  @Test func anObserverMayCloseTheStoreBeforeAWrite() throws {
    let tokens = [
      try store.objects(Person.self).observe { [store] change in
        if case .update = change { store.close() }
      },
      try store.objects(Person.self).observe(log.note),
    ]
    try other.write { try other.add(Person(id: 1, name: "Bob")) }

    #expect(throws: StoreError.closed) { try store.write {} }
    #expect(log.take() == ["initial 1"])
    for token in tokens { token.invalidate() }
  }

  /// The loop moves the store on, which calls the observer.
  @Test(arguments: ["object", "result"])
  func anObserverMayCloseTheStoreOfALoop(_ kind: String) async throws {
    let (people, ada) = (store.objects(Person.self), store.objects(Person.self)[0])
    let token = try people.observe { [store] change in
      if case .update = change { store.close() }
    }
    let bob = Person(id: 1, name: "Bob")
    if kind == "object" {
      var changes = ada.changes().makeAsyncIterator()
      try other.write { other.objects(Person.self)[0].boss = bob }
      if let change = try await changes.next() { log.note(change) }
    } else {
      var changes = people.changes.makeAsyncIterator()
      _ = try await changes.next()
      try other.write { other.objects(Person.self)[0].boss = bob }
      if let change = try await changes.next() { log.note(change) }
    }

    #expect(log.take() == [] && store.isClosed)
    #expect(other.objects(Person.self).count == 2)
    token.invalidate()
  }

  @Test func aSecondStoreOnTheThreadIsToldInsteadOfWaiting() throws {
    let ada = store.objects(Person.self)[0]
    try store.beginWrite()
    let waiting = #expect(throws: StoreError.self) { try other.write {} }
    #expect(waiting?.code == "STR5035")
    store.cancelWrite()

    for change: (Person) -> Void in [{ $0.age = 9 }, { $0.notes.append("a") }] {
      let error = #expect(throws: StoreError.self) {
        try other.write {
          try other.add(Dog(name: "Rex"))
          change(ada)
        }
      }
      #expect(error?.code == "STR5036")
    }
    #expect(ada.age == 0 && ada.notes.isEmpty && store.objects(Dog.self).isEmpty)
  }

  /// What others write then is not seen before it is told.
  @Test func aWriteThatCannotBeginLeavesTheStoreOnItsVersion() throws {
    var configuration = store.configuration
    configuration.busyTimeout = .zero
    let store = try Store(configuration: configuration)
    let people = store.objects(Person.self)
    let token = try people.observe(log.note)
    try other.beginWrite()
    try other.add(Person(id: 1, name: "Bob"))
    let error = #expect(throws: StoreError.self) { try store.write {} }
    #expect(error?.code == "STR5007")
    try other.commitWrite()

    #expect(people.count == 1 && log.take() == ["initial 1"])
    try store.refresh()
    #expect(people.count == 2 && log.take() == ["+1"])
    token.invalidate()
  }

  @Test func thePositionsOfModificationsInTheNewCollectionAreGiven() throws {
    try store.write { for id in 1..<6 { try store.add(Person(id: id, name: "p", age: 10 * id)) } }
    var told: [[Int]] = []
    let token = try store.objects(Person.self).sorted(by: \.age).observe { change in
      guard case .update(_, let deletions, let insertions, let modifications, let moves) = change
      else { return }
      told = [deletions, insertions, modifications, change.modificationsInNew]
      told.append(moves.flatMap { [$0.from, $0.to] })
    }
    try store.write {
      // 0, 10, 20, 30, 40, 50: the second leaves, the first goes behind the third, the last is renamed.
      let people = Array(store.objects(Person.self))
      try store.delete(people[1])
      people[0].age = 25
      people[5].name = "q"
      try store.add(Person(id: 9, name: "new", age: 5))
    }

    #expect(told == [[1], [0], [0, 5], [2, 5], [0, 2]])
    token.invalidate()
  }
}

extension Error {
  fileprivate func description(of store: Store) -> String {
    "\(self) \(store.isInWriteTransaction)"
  }
}
